// Factorizations and solutions of one matrix each, by definition, in double.

#include "Routines.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

using Parameters = kernel::RoutineCall;

static void cholesky(const Parameters &call, ArrayRef<Dense> in,
                     MutableArrayRef<Dense> out) {
  const Dense &a = in[0];
  Dense &l = out[0];
  bool lower = call.flag("lower", false);
  int64_t n = a.rows;
  // l(i, j) of the lower factor; the upper one is its conjugate transpose.
  auto given = [&](int64_t i, int64_t j) {
    return lower ? a.at(i, j) : std::conj(a.at(j, i));
  };
  Dense factor(n, n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      Complex sum = given(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= factor.at(i, k) * std::conj(factor.at(j, k));
      factor.at(i, j) =
          i == j ? std::sqrt(sum.real()) : sum / factor.at(j, j).real();
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      if (lower)
        l.at(i, j) = factor.at(i, j);
      else
        l.at(j, i) = std::conj(factor.at(i, j));
    }
}

static void triangularSolve(const Parameters &call, ArrayRef<Dense> in,
                            MutableArrayRef<Dense> out) {
  const Dense &a = in[0];
  Dense &x = out[0];
  x = in[1];
  bool left = call.flag("left_side", true);
  StringRef transpose = call.word("transpose_a");
  // x a = b is aᵀ xᵀ = bᵀ.
  bool flipped = (transpose != "NO_TRANSPOSE") != !left;
  bool lower = call.flag("lower", false) != flipped;
  int64_t n = a.rows, others = left ? x.columns : x.rows;
  auto coefficient = [&](int64_t i, int64_t j) {
    Complex value = flipped ? a.at(j, i) : a.at(i, j);
    return transpose == "ADJOINT" ? std::conj(value) : value;
  };
  auto unknown = [&](int64_t i, int64_t other) -> Complex & {
    return left ? x.at(i, other) : x.at(other, i);
  };
  for (int64_t other = 0; other < others; ++other)
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = lower ? step : n - 1 - step;
      Complex sum = unknown(i, other);
      for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j)
        sum -= coefficient(i, j) * unknown(j, other);
      unknown(i, other) =
          call.flag("unit_diagonal", false) ? sum : sum / coefficient(i, i);
    }
}

static void factorizeLu(const Parameters &, ArrayRef<Dense> in,
                        MutableArrayRef<Dense> out) {
  Dense &a = out[0], &pivots = out[1], &permutation = out[2];
  a = in[0];
  for (int64_t i = 0; i < a.rows; ++i)
    permutation[i] = double(i);
  auto size = [](Complex value) {
    return std::abs(value.real()) + std::abs(value.imag());
  };
  for (int64_t k = 0; k < pivots.columns; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < a.rows; ++i)
      if (size(a.at(i, k)) > size(a.at(pivot, k)))
        pivot = i;
    pivots[k] = double(pivot);
    std::swap(permutation[k], permutation[pivot]);
    for (int64_t j = 0; j < a.columns; ++j)
      std::swap(a.at(k, j), a.at(pivot, j));
    if (a.at(k, k) == 0.0)
      continue;
    for (int64_t i = k + 1; i < a.rows; ++i) {
      a.at(i, k) /= a.at(k, k);
      for (int64_t j = k + 1; j < a.columns; ++j)
        a.at(i, j) -= a.at(i, k) * a.at(k, j);
    }
  }
}

/// As a dense system, by elimination with exchanges.
static void solveTridiagonal(const Parameters &, ArrayRef<Dense> in,
                             MutableArrayRef<Dense> out) {
  int64_t n = in[1].columns;
  Dense a(n, n);
  Dense &x = out[0];
  x = in[3];
  for (int64_t i = 0; i < n; ++i) {
    a.at(i, i) = in[1][i];
    if (i > 0)
      a.at(i, i - 1) = in[0][i];
    if (i + 1 < n)
      a.at(i, i + 1) = in[2][i];
  }
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a.at(i, k)) > std::abs(a.at(pivot, k)))
        pivot = i;
    for (Dense *one : {&a, &x})
      for (int64_t j = 0; j < one->columns; ++j)
        std::swap(one->at(k, j), one->at(pivot, j));
    for (int64_t i = k + 1; i < n; ++i) {
      Complex factor = a.at(i, k) / a.at(k, k);
      for (int64_t j = k; j < n; ++j)
        a.at(i, j) -= factor * a.at(k, j);
      for (int64_t j = 0; j < x.columns; ++j)
        x.at(i, j) -= factor * x.at(k, j);
    }
  }
  for (int64_t i = n; i-- > 0;)
    for (int64_t j = 0; j < x.columns; ++j) {
      for (int64_t k = i + 1; k < n; ++k)
        x.at(i, j) -= a.at(i, k) * x.at(k, j);
      x.at(i, j) /= a.at(i, i);
    }
}

MatrixFunction reference::findMatrixFunction(StringRef name) {
  static const llvm::StringMap<MatrixFunction> functions = {
      {"cholesky", cholesky},
      {"triangular_solve", triangularSolve},
      {"qr", factorizeQr},
      {"householder_product", multiplyReflectors},
      {"lu", factorizeLu},
      {"hessenberg", reduceToHessenberg},
      {"tridiagonal", reduceToTridiagonal},
      {"tridiagonal_solve", solveTridiagonal},
      {"eig", decomposeEigen},
      {"schur", decomposeSchur},
      {"eigh", decomposeHermitian},
      {"svd", decomposeSingular},
  };
  return functions.lookup(name);
}
