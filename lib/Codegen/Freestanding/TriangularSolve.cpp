// triangular_solve: op(a) x = b or x op(a) = b.

#include "Triangle.h"

using namespace heddle::routine;

namespace {
struct Solve {
  int64_t n, columns, left, lower, unit, transpose, begin, end;
};
} // namespace

template <typename S>
static void solve(Batch<S> as, Batch<S> bs, Batch<S> xs, PartOf<S> *scratch,
                  const Solve &s) {
  int64_t blocks = (s.columns + kSolveColumns - 1) / kSolveColumns;
  // x a = b is a' x' = b': one transpose more, and x is read by columns.
  bool flipped = (s.transpose != 0) != !s.left;
  for (int64_t unit = s.begin; unit < s.end; ++unit) {
    int64_t number = unit / blocks, first = unit % blocks * kSolveColumns;
    int64_t count = smaller(kSolveColumns, s.columns - first);
    int64_t rows = s.left ? s.n : s.columns;
    int64_t columns = s.left ? s.columns : s.n;
    Matrix<S> a = as.matrix(number, s.n, s.n);
    Matrix<S> b = bs.matrix(number, rows, columns);
    Matrix<S> x = xs.matrix(number, rows, columns);
    b = (s.left ? b : b.transposed()).from(0, first);
    x = (s.left ? x : x.transposed()).from(0, first);
    if (s.left) {
      for (int64_t i = 0; i < s.n; ++i)
        for (int64_t j = 0; j < count; ++j)
          x.set(i, j, b.get(i, j));
    } else {
      for (int64_t j = 0; j < count; ++j)
        for (int64_t i = 0; i < s.n; ++i)
          x.set(i, j, b.get(i, j));
    }
    Triangle<S> triangle{flipped ? a.transposed() : a,
                         (s.lower != 0) != flipped, s.unit != 0,
                         s.transpose == 2};
    solveTriangle(triangle, x, s.n, count, scratch);
  }
}

#define HEDDLE_REAL(name, T)                                                   \
  extern "C" void name(T *a, T *b, T *x, T *scratch, int64_t n,                \
                       int64_t columns, int64_t left, int64_t lower,           \
                       int64_t unit, int64_t transpose, int64_t begin,         \
                       int64_t end) {                                          \
    solve<T>({a}, {b}, {x}, scratch,                                           \
             {n, columns, left, lower, unit, transpose, begin, end});          \
  }
#define HEDDLE_COMPLEX(name, T)                                                \
  extern "C" void name(T *aRe, T *aIm, T *bRe, T *bIm, T *xRe, T *xIm,         \
                       T *scratch, int64_t n, int64_t columns, int64_t left,   \
                       int64_t lower, int64_t unit, int64_t transpose,         \
                       int64_t begin, int64_t end) {                           \
    solve<Complex<T>>({aRe, aIm}, {bRe, bIm}, {xRe, xIm}, scratch,             \
                      {n, columns, left, lower, unit, transpose, begin, end}); \
  }

HEDDLE_REAL(heddle_triangular_solve_f32, float)
HEDDLE_REAL(heddle_triangular_solve_f64, double)
HEDDLE_COMPLEX(heddle_triangular_solve_c64, float)
HEDDLE_COMPLEX(heddle_triangular_solve_c128, double)
