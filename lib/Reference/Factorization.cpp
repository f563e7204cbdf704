// cholesky and triangular_solve, in long double for every batch.

#include "Evaluator.h"
#include "Matmul.h"

#include "dialects/StableHlo/StableHlo.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
using Wide = std::complex<long double>;
/// A matrix of one batch, dense.
struct Matrix {
  int64_t rows, columns;
  std::vector<Wide> values;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  Wide &at(int64_t i, int64_t j) { return values[i * columns + j]; }
};
} // namespace

static Matrix loadMatrix(const HostTensor &tensor, int64_t batch) {
  int64_t rows = tensor.dim(tensor.rank() - 2),
          columns = tensor.dim(tensor.rank() - 1);
  Matrix matrix(rows, columns);
  for (int64_t i = 0; i < rows * columns; ++i)
    matrix.values[i] = Wide(tensor.complexAt(batch * rows * columns + i));
  return matrix;
}

static void storeMatrix(Matrix &matrix, HostTensor &tensor, int64_t batch) {
  int64_t size = matrix.values.size();
  for (int64_t i = 0; i < size; ++i) {
    Wide value = matrix.values[i];
    if (elementClass(tensor.kind()) == ElementClass::Complex)
      tensor.set(batch * size + i,
                 Complex(double(value.real()), double(value.imag())));
    else
      tensor.set(batch * size + i, double(value.real()));
  }
}

static int64_t batchesOf(const HostTensor &tensor) {
  return numElements(tensor.shape().drop_back(2));
}

/// a = l lᴴ from the lower triangle of a, or a = uᴴ u from the upper one. What
/// is not positive definite gives NaN; the other triangle is 0.
static LogicalResult cholesky(Invocation &call, stablehlo::CholeskyOp op) {
  const HostTensor &a = call.tensor(0);
  if (a.rank() < 2 || a.dim(a.rank() - 1) != a.dim(a.rank() - 2))
    return call.error() << "has an operand that is no square matrix";
  FailureOr<HostTensor> result = call.allocate(a.shape());
  if (failed(result))
    return failure();
  for (int64_t batch = 0; a.size() && batch < batchesOf(a); ++batch) {
    Matrix given = loadMatrix(a, batch);
    int64_t n = given.rows;
    Matrix factor(n, n);
    auto input = [&](int64_t i, int64_t j) {
      return op.getLower() ? given.at(i, j) : std::conj(given.at(j, i));
    };
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i < n; ++i) {
        Wide sum = input(i, j);
        for (int64_t k = 0; k < j; ++k)
          sum -= factor.at(i, k) * std::conj(factor.at(j, k));
        factor.at(i, j) =
            i == j ? Wide(std::sqrt(sum.real())) : sum / factor.at(j, j);
      }
    if (!op.getLower()) {
      Matrix upper(n, n);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j)
          upper.at(j, i) = std::conj(factor.at(i, j));
      factor = std::move(upper);
    }
    storeMatrix(factor, *result, batch);
  }
  return call.give(std::move(*result));
}

/// Solves op(a) x = b or x op(a) = b by substitution.
static LogicalResult triangularSolve(Invocation &call,
                                     stablehlo::TriangularSolveOp op) {
  const HostTensor &a = call.tensor(0), &b = call.tensor(1);
  bool left = op.getLeftSide();
  if (a.rank() < 2 || a.rank() != b.rank() ||
      a.dim(a.rank() - 1) != a.dim(a.rank() - 2) ||
      a.dim(a.rank() - 1) != b.dim(b.rank() - (left ? 2 : 1)) ||
      a.shape().drop_back(2) != b.shape().drop_back(2))
    return call.error() << "has operands that do not fit each other";
  FailureOr<HostTensor> result = call.allocate(b.shape());
  if (failed(result))
    return failure();
  for (int64_t batch = 0; b.size() && batch < batchesOf(b); ++batch) {
    Matrix matrix = loadMatrix(a, batch), x = loadMatrix(b, batch);
    int64_t n = matrix.rows, other = left ? x.columns : x.rows;
    stablehlo::Transpose transpose = op.getTransposeA();
    bool transposed = transpose == stablehlo::Transpose::TRANSPOSE ||
                      transpose == stablehlo::Transpose::ADJOINT;
    // x a = b is aᵀ xᵀ = bᵀ: one more transpose, and x is read by columns.
    auto coefficient = [&](int64_t i, int64_t j) {
      Wide value = transposed != !left ? matrix.at(j, i) : matrix.at(i, j);
      return transpose == stablehlo::Transpose::ADJOINT ? std::conj(value)
                                                        : value;
    };
    auto unknown = [&](int64_t i, int64_t column) -> Wide & {
      return left ? x.at(i, column) : x.at(column, i);
    };
    bool lower = op.getLower() != (transposed != !left);
    for (int64_t column = 0; column < other; ++column)
      for (int64_t step = 0; step < n; ++step) {
        int64_t i = lower ? step : n - 1 - step;
        Wide sum = unknown(i, column);
        for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j)
          sum -= coefficient(i, j) * unknown(j, column);
        unknown(i, column) =
            op.getUnitDiagonal() ? sum : sum / coefficient(i, i);
      }
    storeMatrix(x, *result, batch);
  }
  return call.give(std::move(*result));
}

void reference::addFactorizations(Registry &registry) {
  registry.add<stablehlo::CholeskyOp, cholesky>();
  registry.add<stablehlo::TriangularSolveOp, triangularSolve>();
}
