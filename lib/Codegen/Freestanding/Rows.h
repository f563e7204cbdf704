// Vectors that lie in a row of memory, complex ones in two: sums, products,
// rotations. And pieces of scratch memory.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_ROWS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_ROWS_H

#include "Numbers.h"
#include "Vectors.h"

namespace heddle::routine {

template <typename S> struct Row {
  S *values;
  S get(int64_t i) const { return values[i]; }
  void set(int64_t i, S value) const { values[i] = value; }
  Row from(int64_t i) const { return {values + i}; }
};
template <typename T> struct Row<Complex<T>> {
  T *re, *im;
  Complex<T> get(int64_t i) const { return {re[i], im[i]}; }
  void set(int64_t i, Complex<T> value) const {
    re[i] = value.re;
    im[i] = value.im;
  }
  Row from(int64_t i) const { return {re + i, im + i}; }
};

/// Row i of a matrix whose columns are beside each other.
template <typename S> Row<S> rowOf(Matrix<S> m, int64_t i) {
  return {m.values + i * m.rowStride};
}
template <typename T> Row<Complex<T>> rowOf(Matrix<Complex<T>> m, int64_t i) {
  return {m.re + i * m.rowStride, m.im + i * m.rowStride};
}

/// y += a x
template <typename T> inline void addScaled(T *y, T a, const T *x, int64_t n) {
  constexpr int64_t lanes = Lanes<T>::count;
  Vector<T> factor = splat(a);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    store(y + i, load(y + i) + factor * load(x + i));
  for (; i < n; ++i)
    y[i] += a * x[i];
}
template <typename T>
inline void addScaled(Row<T> y, T a, Row<T> x, int64_t n) {
  addScaled(y.values, a, static_cast<const T *>(x.values), n);
}
template <typename T>
inline void addScaled(Row<Complex<T>> y, Complex<T> a, Row<Complex<T>> x,
                      int64_t n) {
  constexpr int64_t lanes = Lanes<T>::count;
  Vector<T> aRe = splat(a.re), aIm = splat(a.im);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Vector<T> re = load(x.re + i), im = load(x.im + i);
    store(y.re + i, load(y.re + i) + aRe * re - aIm * im);
    store(y.im + i, load(y.im + i) + aRe * im + aIm * re);
  }
  for (; i < n; ++i)
    y.set(i, y.get(i) + a * x.get(i));
}

/// The sum of all lanes, in a fixed order.
template <typename T> inline T sumLanes(Vector<T> v) {
  T parts[Lanes<T>::count];
  store(parts, v);
  for (int64_t width = Lanes<T>::count / 2; width > 0; width /= 2)
    for (int64_t i = 0; i < width; ++i)
      parts[i] += parts[i + width];
  return parts[0];
}

/// The sum of x y.
template <typename T> inline T product(const T *x, const T *y, int64_t n) {
  constexpr int64_t lanes = Lanes<T>::count;
  Vector<T> one = {}, two = {};
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    one += load(x + i) * load(y + i);
    two += load(x + i + lanes) * load(y + i + lanes);
  }
  T sum = sumLanes<T>(one + two);
  for (; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
/// The sum of conj(x) y.
template <typename T> inline T innerProduct(Row<T> x, Row<T> y, int64_t n) {
  return product<T>(x.values, y.values, n);
}
template <typename T>
inline Complex<T> innerProduct(Row<Complex<T>> x, Row<Complex<T>> y,
                               int64_t n) {
  return {product<T>(x.re, y.re, n) + product<T>(x.im, y.im, n),
          product<T>(x.re, y.im, n) - product<T>(x.im, y.re, n)};
}
/// The sum of |x|^2.
template <typename T> inline T squares(Row<T> x, int64_t n) {
  return product<T>(x.values, x.values, n);
}
template <typename T> inline T squares(Row<Complex<T>> x, int64_t n) {
  return product<T>(x.re, x.re, n) + product<T>(x.im, x.im, n);
}

/// (x, y) becomes (c x - s y, s x + c y), for c >= 0. Written as what is added
/// to x and y, so that a small angle rounds off little.
template <typename T> inline void rotate(T *x, T *y, T c, T s, int64_t n) {
  constexpr int64_t lanes = Lanes<T>::count;
  T half = s / (1 + c);
  Vector<T> halves = splat(half), sines = splat(s);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    Vector<T> a = load(x + i), b = load(y + i);
    store(x + i, a - sines * (b + halves * a));
    store(y + i, b + sines * (a - halves * b));
  }
  for (; i < n; ++i) {
    T a = x[i], b = y[i];
    x[i] = a - s * (b + half * a);
    y[i] = b + s * (a - half * b);
  }
}
template <typename T>
inline void rotate(Row<T> x, Row<T> y, T c, T s, int64_t n) {
  rotate(x.values, y.values, c, s, n);
}
template <typename T>
inline void rotate(Row<Complex<T>> x, Row<Complex<T>> y, T c, T s, int64_t n) {
  rotate(x.re, y.re, c, s, n);
  rotate(x.im, y.im, c, s, n);
}

/// x *= a
template <typename S> inline void scaleRow(Row<S> x, S a, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    x.set(i, a * x.get(i));
}

/// |a|, without overflow in between.
template <typename T> inline T absolute(T a) { return magnitude(a); }
template <typename T> inline T absolute(Complex<T> a) {
  T x = magnitude(a.re), y = magnitude(a.im);
  T large = x > y ? x : y, small = x > y ? y : x;
  if (large == 0)
    return x + y;
  T ratio = small / large;
  return large * squareRoot(1 + ratio * ratio);
}
/// |re| + |im|: what pivots are compared by.
template <typename T> inline T size(T a) { return magnitude(a); }
template <typename T> inline T size(Complex<T> a) {
  return magnitude(a.re) + magnitude(a.im);
}

template <typename S, typename T> inline S fromReal(T value) {
  if constexpr (Number<S>::isComplex)
    return {value, 0};
  else
    return value;
}

/// Hands out pieces of scratch memory.
template <typename T> struct Pieces {
  T *at;

  T *take(int64_t count) {
    T *piece = at;
    at += roundedUp(count);
    return piece;
  }
  static int64_t roundedUp(int64_t count) { return (count + 15) / 16 * 16; }

  template <typename S> Matrix<S> matrix(int64_t rows, int64_t columns) {
    if constexpr (Number<S>::isComplex) {
      T *re = take(rows * columns);
      return {re, take(rows * columns), columns, 1};
    } else {
      return {take(rows * columns), columns, 1};
    }
  }
};

template <typename S>
inline void fill(Matrix<S> m, int64_t rows, int64_t columns, S value) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      m.set(i, j, value);
}
template <typename S>
inline void copy(Matrix<S> to, Matrix<S> from, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      to.set(i, j, from.get(i, j));
}
template <typename S>
inline void setIdentity(Matrix<S> m, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      m.set(i, j, fromReal<S>(PartOf<S>(i == j)));
}

/// The largest |re| or |im|; NaN if there is one, infinity if there is one.
template <typename S>
inline PartOf<S> largestPart(Matrix<S> m, int64_t rows, int64_t columns) {
  PartOf<S> largest = 0, finite = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      S value = m.get(i, j);
      PartOf<S> re = magnitude(realPart(value)),
                im = magnitude(imaginaryPart(value));
      largest = re > largest ? re : largest;
      largest = im > largest ? im : largest;
      // Not a number, once there is such a thing.
      finite += (re - re) + (im - im);
    }
  return largest + finite;
}
/// Turns column j so that its element of largest magnitude (the first of
/// equals) is positive and real; returns what it was multiplied by.
template <typename S>
inline S turnPositive(Matrix<S> m, int64_t rows, int64_t j) {
  using T = PartOf<S>;
  T largest = 0;
  S there{};
  for (int64_t i = 0; i < rows; ++i) {
    S value = m.get(i, j);
    if (absolute(value) > largest) {
      largest = absolute(value);
      there = value;
    }
  }
  S factor = fromReal<S>(T(1));
  if (largest > 0)
    factor = fromReal<S>(1 / largest) * conjugate(there);
  if (!Number<S>::isComplex)
    factor = fromReal<S>(realPart(there) < 0 ? T(-1) : T(1));
  for (int64_t i = 0; i < rows; ++i)
    m.set(i, j, factor * m.get(i, j));
  return factor;
}
template <typename T> inline bool isFinite(T value) {
  return value - value == 0;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_ROWS_H
