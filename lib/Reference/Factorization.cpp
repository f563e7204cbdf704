// cholesky and triangular_solve: f32 in f32, as the order of operations is part
// of what a program expects, everything else in double.

#include "Evaluator.h"
#include "Matmul.h"

#include "dialects/StableHlo/StableHlo.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
/// A matrix of one batch, dense.
template <typename T> struct Matrix {
  int64_t rows, columns;
  std::vector<T> values;
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  T &at(int64_t i, int64_t j) { return values[i * columns + j]; }
};
} // namespace

template <typename T>
static Matrix<T> loadMatrix(const HostTensor &tensor, int64_t batch) {
  int64_t rows = tensor.dim(tensor.rank() - 2),
          columns = tensor.dim(tensor.rank() - 1);
  Matrix<T> matrix(rows, columns);
  loadSummands(tensor.kind(), tensor.element(batch * rows * columns),
               rows * columns, matrix.values.data());
  return matrix;
}

template <typename T>
static void storeMatrix(Matrix<T> &matrix, HostTensor &tensor, int64_t batch) {
  size_t size = matrix.values.size();
  storeSums(tensor.kind(), matrix.values.data(), size,
            tensor.mutableBytes().data() +
                batch * size * tensor.elementBytes());
}

static float conjugate(float value) { return value; }
static double conjugate(double value) { return value; }
template <typename T> static std::complex<T> conjugate(std::complex<T> value) {
  return std::conj(value);
}

/// Calls `body` with the type to compute in.
template <typename F>
static LogicalResult withFactorType(ElementKind kind, F body) {
  return withSumType(kind, [&](auto value) -> LogicalResult {
    if constexpr (std::is_same_v<decltype(value), uint64_t>)
      return failure();
    else
      return body(value);
  });
}

static int64_t batchesOf(const HostTensor &tensor) {
  return numElements(tensor.shape().drop_back(2));
}

/// l with a = l lᴴ, of the lower triangle that `input` gives.
template <typename T, typename Input>
static Matrix<T> factorize(int64_t n, Input input) {
  Matrix<T> factor(n, n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      T sum = input(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= factor.at(i, k) * conjugate(factor.at(j, k));
      factor.at(i, j) =
          i == j ? T(std::sqrt(std::real(sum))) : sum / factor.at(j, j);
    }
  return factor;
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
  LogicalResult done = withFactorType(result->kind(), [&](auto value) {
    using T = decltype(value);
    for (int64_t batch = 0; a.size() && batch < batchesOf(a); ++batch) {
      Matrix<T> given = loadMatrix<T>(a, batch);
      int64_t n = given.rows;
      Matrix<T> factor = factorize<T>(n, [&](int64_t i, int64_t j) {
        return op.getLower() ? given.at(i, j) : conjugate(given.at(j, i));
      });
      if (!op.getLower()) {
        Matrix<T> upper(n, n);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j <= i; ++j)
            upper.at(j, i) = conjugate(factor.at(i, j));
        factor = std::move(upper);
      }
      storeMatrix(factor, *result, batch);
    }
    return success();
  });
  if (failed(done))
    return call.error() << "has elements that are no floats";
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
  stablehlo::Transpose transpose = op.getTransposeA();
  bool transposed = transpose == stablehlo::Transpose::TRANSPOSE ||
                    transpose == stablehlo::Transpose::ADJOINT;
  // x a = b is aᵀ xᵀ = bᵀ: one more transpose, and x is read by columns.
  bool flipped = transposed != !left;
  bool lower = op.getLower() != flipped;
  LogicalResult done = withFactorType(result->kind(), [&](auto value) {
    using T = decltype(value);
    for (int64_t batch = 0; b.size() && batch < batchesOf(b); ++batch) {
      Matrix<T> matrix = loadMatrix<T>(a, batch), x = loadMatrix<T>(b, batch);
      int64_t n = matrix.rows, other = left ? x.columns : x.rows;
      auto coefficient = [&](int64_t i, int64_t j) {
        T element = flipped ? matrix.at(j, i) : matrix.at(i, j);
        return transpose == stablehlo::Transpose::ADJOINT ? conjugate(element)
                                                          : element;
      };
      auto unknown = [&](int64_t i, int64_t column) -> T & {
        return left ? x.at(i, column) : x.at(column, i);
      };
      for (int64_t column = 0; column < other; ++column)
        for (int64_t step = 0; step < n; ++step) {
          int64_t i = lower ? step : n - 1 - step;
          T sum = 0;
          for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j)
            sum += coefficient(i, j) * unknown(j, column);
          sum = unknown(i, column) - sum;
          unknown(i, column) =
              op.getUnitDiagonal() ? sum : sum / coefficient(i, i);
        }
      storeMatrix(x, *result, batch);
    }
    return success();
  });
  if (failed(done))
    return call.error() << "has elements that are no floats";
  return call.give(std::move(*result));
}

void reference::addFactorizations(Registry &registry) {
  registry.add<stablehlo::CholeskyOp, cholesky>();
  registry.add<stablehlo::TriangularSolveOp, triangularSolve>();
}
