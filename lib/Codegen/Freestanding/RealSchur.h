// The Schur form of real matrices: double shifts, after Francis. Eigenvalues
// that are no real numbers come in pairs, as blocks [a b; c a] with b c < 0.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_REALSCHUR_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_REALSCHUR_H

#include "SchurForm.h"

namespace heddle::routine {

template <typename T> inline T hypotenuse2(T a, T b) {
  return absolute(Complex<T>{a, b});
}

/// The rotation of rows (c x + s y, c y - s x) that brings a block of two rows
/// into its form: triangular, or with equal elements on the diagonal.
template <typename T> struct BlockTurn {
  T c = 1, s = 0;
  T a, b, below, d;

  BlockTurn(T a, T b, T below, T d) : a(a), b(b), below(below), d(d) { find(); }

private:
  void apply(T cosine, T sine) {
    T p = cosine * a + sine * below, q = cosine * b + sine * d;
    T r = cosine * below - sine * a, t = cosine * d - sine * b;
    a = cosine * p + sine * q;
    b = cosine * q - sine * p;
    below = cosine * r + sine * t;
    d = cosine * t - sine * r;
    T together = cosine * c - sine * s;
    s = cosine * s + sine * c;
    c = together;
  }
  /// Triangular, by the eigenvector of one of two real eigenvalues.
  void makeTriangular(T half, T root) {
    T z = half + (half < 0 ? -root : root); // eigenvalue minus d
    T length = hypotenuse2(z, below);
    apply(z / length, below / length);
    below = 0;
  }
  void find() {
    if (below == 0)
      return;
    if (b == 0) {
      apply(0, 1);
      below = 0;
      return;
    }
    T half = (a - d) / 2;
    T scale = larger(magnitude(half), larger(magnitude(b), magnitude(below)));
    T x = half / scale, y = b / scale * (below / scale);
    T discriminant = x * x + y;
    if (discriminant >= 4 * kSpacing<T> * larger(x * x, magnitude(y))) {
      makeTriangular(half, scale * squareRoot(discriminant));
      return;
    }
    if (half != 0) {
      // Half of the angle whose tangent is (d - a) / (b + below).
      T sum = b + below, length = hypotenuse2(sum, 2 * half);
      T cosine = squareRoot((1 + magnitude(sum) / length) / 2);
      T sine = -half / (length * cosine);
      apply(cosine, sum < 0 ? -sine : sine);
      a = d = (a + d) / 2;
    }
    // Equal diagonals: a pair, or after all two numbers very near another.
    if (below != 0 && b == 0) {
      apply(0, 1);
      below = 0;
    } else if (below != 0 && (b < 0) == (below < 0)) {
      makeTriangular(0,
                     squareRoot(magnitude(b)) * squareRoot(magnitude(below)));
    }
  }
};

/// One Francis step on rows low to high.
template <typename T> struct FrancisStep {
  Matrix<T> h, w;
  int64_t n, low, high;
  /// The two shifts: conjugates, or one real number twice.
  T re = 0, im = 0;

  void chooseShifts(int64_t step);
  void run();

private:
  int64_t begin(T (&v)[3]) const;
};

template <typename T> void FrancisStep<T>::chooseShifts(int64_t step) {
  T a, b, c, d;
  if (step % 20 == 10 || step % 20 == 19) {
    bool top = step % 20 == 10;
    c = top ? magnitude(h.get(low + 1, low)) +
                  magnitude(h.get(low + 2, low + 1))
            : magnitude(h.get(high, high - 1)) +
                  magnitude(h.get(high - 1, high - 2));
    a = d = T(0.75) * c + (top ? h.get(low, low) : h.get(high, high));
    b = T(-0.4375) * c;
  } else {
    a = h.get(high - 1, high - 1);
    b = h.get(high - 1, high);
    c = h.get(high, high - 1);
    d = h.get(high, high);
  }
  T scale = magnitude(a) + magnitude(b) + magnitude(c) + magnitude(d);
  if (scale == 0)
    return;
  a /= scale, b /= scale, c /= scale, d /= scale;
  T middle = (a + d) / 2;
  T determinant = (a - middle) * (d - middle) - b * c;
  T root = squareRoot(magnitude(determinant));
  if (determinant >= 0) {
    re = middle * scale;
    im = root * scale;
    return;
  }
  // The real one nearer to the last element, twice.
  T one = middle + root, two = middle - root;
  re = (magnitude(one - d) <= magnitude(two - d) ? one : two) * scale;
}

/// The first column of (h - shift)(h - other shift), from the row on where the
/// step may begin: two small elements below the diagonal decouple, too.
template <typename T> int64_t FrancisStep<T>::begin(T (&v)[3]) const {
  for (int64_t m = high - 2;; --m) {
    T here = h.get(m, m), next = h.get(m + 1, m + 1), below = h.get(m + 1, m);
    T scale = magnitude(here - re) + magnitude(im) + magnitude(below);
    T scaled = below / scale;
    v[0] = scaled * h.get(m, m + 1) + (here - re) * ((here - re) / scale) +
           im * (im / scale);
    v[1] = scaled * (here + next - 2 * re);
    v[2] = scaled * h.get(m + 2, m + 1);
    T sum = magnitude(v[0]) + magnitude(v[1]) + magnitude(v[2]);
    for (T &value : v)
      value /= sum;
    if (m == low)
      return m;
    T sides =
        magnitude(h.get(m - 1, m - 1)) + magnitude(here) + magnitude(next);
    if (magnitude(h.get(m, m - 1)) * (magnitude(v[1]) + magnitude(v[2])) <=
        kSpacing<T> * magnitude(v[0]) * sides)
      return m;
  }
}

/// a, b and maybe c, rows of n elements, lose t (1, v1, v2) of what they have
/// along it.
template <typename T>
inline void reflectRows(T *__restrict a, T *__restrict b, T *__restrict c, T t,
                        T v1, T v2, int64_t n) {
  T t1 = t * v1, t2 = t * v2;
  if (!c) {
    for (int64_t i = 0; i < n; ++i) {
      T sum = a[i] + v1 * b[i];
      a[i] -= t * sum;
      b[i] -= t1 * sum;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    T sum = a[i] + v1 * b[i] + v2 * c[i];
    a[i] -= t * sum;
    b[i] -= t1 * sum;
    c[i] -= t2 * sum;
  }
}

template <typename T> void FrancisStep<T>::run() {
  T v[3];
  int64_t first = begin(v);
  for (int64_t k = first; k < high; ++k) {
    int64_t count = smaller(3, high - k + 1);
    if (k > first)
      for (int64_t i = 0; i < count; ++i)
        v[i] = h.get(k + i, k - 1);
    if (count == 2)
      v[2] = 0;
    // The reflector that leaves of v its first element.
    T rest = hypotenuse2(v[1], v[2]), t = 0, beta = v[0];
    if (rest != 0) {
      beta = hypotenuse2(v[0], rest);
      beta = v[0] >= 0 ? -beta : beta;
      t = (beta - v[0]) / beta;
      v[1] /= v[0] - beta;
      v[2] /= v[0] - beta;
    }
    if (k > first) {
      h.set(k, k - 1, beta);
      for (int64_t i = 1; i < count; ++i)
        h.set(k + i, k - 1, 0);
    } else if (k > low) {
      h.set(k, k - 1, h.get(k, k - 1) * (1 - t));
    }
    if (rest == 0)
      continue;
    bool three = count == 3;
    auto row = [&](Matrix<T> m, int64_t i, int64_t from) {
      return m.values + i * m.rowStride + from;
    };
    reflectRows(row(h, k, k), row(h, k + 1, k),
                three ? row(h, k + 2, k) : nullptr, t, v[1], v[2], n - k);
    reflectRows(row(w, k, 0), row(w, k + 1, 0),
                three ? row(w, k + 2, 0) : nullptr, t, v[1], v[2], n);
    T t1 = t * v[1], t2 = t * v[2];
    for (int64_t i = 0; i <= smaller(k + 3, high); ++i) {
      T *at = row(h, i, k);
      T sum = at[0] + v[1] * at[1] + (three ? v[2] * at[2] : 0);
      at[0] -= t * sum;
      at[1] -= t1 * sum;
      if (three)
        at[2] -= t2 * sum;
    }
  }
}

/// False if it does not converge.
template <typename T>
__attribute__((noinline)) bool makeSchurForm(Matrix<T> h, Matrix<T> w,
                                             int64_t n) {
  int64_t high = n - 1;
  for (int64_t step = 0; high > 0; ++step) {
    int64_t low = blockBegin(h, n, high);
    if (low + 1 < high) {
      if (step == kSchurSteps)
        return false;
      FrancisStep<T> francis{h, w, n, low, high};
      francis.chooseShifts(step);
      francis.run();
      continue;
    }
    if (low + 1 == high) {
      BlockTurn<T> turn(h.get(low, low), h.get(low, high), h.get(high, low),
                        h.get(high, high));
      int64_t right = n - high - 1;
      turnRows(rowOf(h, low).from(high + 1), rowOf(h, high).from(high + 1),
               turn.c, turn.s, right);
      turnColumns(h, low, high, turn.c, turn.s, low);
      turnRows(rowOf(w, low), rowOf(w, high), turn.c, turn.s, n);
      h.set(low, low, turn.a);
      h.set(low, high, turn.b);
      h.set(high, low, turn.below);
      h.set(high, high, turn.d);
    }
    high = low - 1;
    step = -1;
  }
  return true;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_REALSCHUR_H
