// Real and complex numbers, and matrices in memory.
//
// Routines are templates over a number: float, double, or a complex of them,
// whose parts lie in arrays of their own.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_NUMBERS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_NUMBERS_H

#include <stdint.h>

namespace heddle::routine {

template <typename T> struct Complex {
  T re, im;
};

template <typename T> Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T> Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T> Complex<T> operator-(Complex<T> a) {
  return {-a.re, -a.im};
}
template <typename T> Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T> Complex<T> operator*(T a, Complex<T> b) {
  return {a * b.re, a * b.im};
}

inline float magnitude(float a) { return __builtin_fabsf(a); }
inline double magnitude(double a) { return __builtin_fabs(a); }
inline float squareRoot(float a) { return __builtin_sqrtf(a); }
inline double squareRoot(double a) { return __builtin_sqrt(a); }

/// Division that does not overflow in between: Smith's.
template <typename T> Complex<T> operator/(Complex<T> a, Complex<T> b) {
  if (magnitude(b.re) >= magnitude(b.im)) {
    T ratio = b.im / b.re, scale = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
  }
  T ratio = b.re / b.im, scale = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
}

/// What the templates ask of a number.
template <typename S> struct Number {
  using Part = S;
  static constexpr bool isComplex = false;
};
template <typename T> struct Number<Complex<T>> {
  using Part = T;
  static constexpr bool isComplex = true;
};
template <typename S> using PartOf = typename Number<S>::Part;

inline float conjugate(float a) { return a; }
inline double conjugate(double a) { return a; }
template <typename T> Complex<T> conjugate(Complex<T> a) {
  return {a.re, -a.im};
}
inline float realPart(float a) { return a; }
inline double realPart(double a) { return a; }
template <typename T> T realPart(Complex<T> a) { return a.re; }
inline float imaginaryPart(float) { return 0; }
inline double imaginaryPart(double) { return 0; }
template <typename T> T imaginaryPart(Complex<T> a) { return a.im; }

/// A matrix with any strides; complex ones have their parts apart.
template <typename S> struct Matrix {
  S *values;
  int64_t rowStride, columnStride;

  int64_t offset(int64_t i, int64_t j) const {
    return i * rowStride + j * columnStride;
  }
  S get(int64_t i, int64_t j) const { return values[offset(i, j)]; }
  void set(int64_t i, int64_t j, S value) const {
    values[offset(i, j)] = value;
  }
  Matrix from(int64_t i, int64_t j) const {
    return {values + offset(i, j), rowStride, columnStride};
  }
  Matrix transposed() const { return {values, columnStride, rowStride}; }
};

template <typename T> struct Matrix<Complex<T>> {
  T *re, *im;
  int64_t rowStride, columnStride;

  int64_t offset(int64_t i, int64_t j) const {
    return i * rowStride + j * columnStride;
  }
  Complex<T> get(int64_t i, int64_t j) const {
    return {re[offset(i, j)], im[offset(i, j)]};
  }
  void set(int64_t i, int64_t j, Complex<T> value) const {
    re[offset(i, j)] = value.re;
    im[offset(i, j)] = value.im;
  }
  Matrix from(int64_t i, int64_t j) const {
    return {re + offset(i, j), im + offset(i, j), rowStride, columnStride};
  }
  Matrix transposed() const { return {re, im, columnStride, rowStride}; }
  Matrix<T> reals() const { return {re, rowStride, columnStride}; }
  Matrix<T> imaginaries() const { return {im, rowStride, columnStride}; }
};

/// The buffers of a batch of matrices, row-major, one behind the other.
template <typename S> struct Batch {
  S *values;
  Matrix<S> matrix(int64_t number, int64_t rows, int64_t columns) const {
    return {values + number * rows * columns, columns, 1};
  }
};
template <typename T> struct Batch<Complex<T>> {
  T *re, *im;
  Matrix<Complex<T>> matrix(int64_t number, int64_t rows,
                            int64_t columns) const {
    int64_t at = number * rows * columns;
    return {re + at, im + at, columns, 1};
  }
};

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_NUMBERS_H
