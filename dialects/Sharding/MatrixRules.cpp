// Rules of factorizations, Fourier transforms and random numbers: batches pass
// through, the rest is whole.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

static FactorRule ofCholesky(CholeskyOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> shape = shapeOf(op.getA());
  for (auto [dim, size] : llvm::enumerate(shape))
    builder.addAll(dim, size,
                   dim + 2 < shape.size() ? FactorKind::PassThrough
                                          : FactorKind::NeedReplication);
  return builder.build();
}

static FactorRule ofTriangularSolve(TriangularSolveOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  int64_t rows = b.size() - 2, columns = rows + 1;
  for (int64_t dim = 0; dim < rows; ++dim)
    builder.addAll(dim, b[dim]);
  bool isLeft = op.getLeftSide();
  bool isTransposed = op.getTransposeA() != Transpose::NO_TRANSPOSE;
  auto whole = FactorKind::NeedReplication;
  // With the matrix on the left, its rows are those of b; its columns are the
  // rows of the result.
  int64_t first = isTransposed ? columns : rows;
  int64_t second = isTransposed ? rows : columns;
  if (isLeft) {
    builder.add({first, rows}, {-1}, b[rows], whole);
    builder.add({-1, columns}, {columns}, b[columns], whole);
    builder.add({second, -1}, {rows}, a[second], whole);
  } else {
    builder.add({-1, rows}, {rows}, b[rows], whole);
    builder.add({second, columns}, {-1}, b[columns], whole);
    builder.add({first, -1}, {columns}, a[first], whole);
  }
  return builder.build();
}

/// Where a real spectrum is half as long, a piece of one side says nothing of
/// the other.
static FactorRule ofFft(FftOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                    to = shapeOf(op.getResult());
  size_t transformed = op.getFftLength().size();
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool isWhole = dim + transformed >= from.size();
    builder.addAll(dim, size,
                   isWhole ? FactorKind::NeedReplication
                           : FactorKind::PassThrough,
                   isWhole && from[dim] != to[dim]);
  }
  return builder.build();
}

/// The state is one for all numbers.
static FactorRule ofRngBitGenerator(RngBitGeneratorOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getInitialState())))
    builder.add({int64_t(dim)}, {int64_t(dim), -1}, size,
                FactorKind::NeedReplication, true);
  return builder.build();
}

static FactorRule ofRng(RngOp op) {
  RuleBuilder builder(op);
  builder.add({-1, -1, 0}, {-1}, shapeOf(op.getShape()).front(),
              FactorKind::NeedReplication);
  return builder.build();
}

void addMatrixRules(RuleRegistration &rules) {
  rules.add<CholeskyOp, ofCholesky>(sample(
      {"tensor<4xf32>"},
      R"(%i = stablehlo.constant dense<[[4.0, 2.0], [2.0, 3.0]]> : tensor<2x2xf32>
  %m = stablehlo.broadcast_in_dim %i, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<4x2x2xf32>
  %r = stablehlo.cholesky %m, lower = true : (tensor<4x2x2xf32>) -> tensor<4x2x2xf32>)",
      "tensor<4x2x2xf32>"));
  auto solve = [](bool isLeft, StringRef transpose) {
    std::string b = isLeft ? "tensor<4x2x3xf32>" : "tensor<4x3x2xf32>";
    return sample(
        {b},
        "%i = stablehlo.constant dense<[[4.0, 0.0], [2.0, 3.0]]> : "
        "tensor<2x2xf32>\n  %m = stablehlo.broadcast_in_dim %i, dims = [1, 2] "
        ": (tensor<2x2xf32>) -> tensor<4x2x2xf32>\n  %r = "
        "\"stablehlo.triangular_solve\"(%m, %a) {left_side = " +
            std::string(isLeft ? "true" : "false") +
            ", lower = true, unit_diagonal = false, transpose_a = "
            "#stablehlo<transpose " +
            transpose.str() + ">} : (tensor<4x2x2xf32>, " + b + ") -> " + b,
        b);
  };
  rules.add<TriangularSolveOp, ofTriangularSolve>(
      solve(true, "NO_TRANSPOSE"), solve(true, "TRANSPOSE"),
      solve(false, "NO_TRANSPOSE"), solve(false, "TRANSPOSE"));
  rules.add<FftOp, ofFft>(
      sample({"tensor<4x6xcomplex<f32>>"},
             "%r = stablehlo.fft %a, type = FFT, length = [6] : "
             "(tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>",
             "tensor<4x6xcomplex<f32>>"),
      sample({"tensor<4x6xf32>"},
             "%r = stablehlo.fft %a, type = RFFT, length = [6] : "
             "(tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>",
             "tensor<4x4xcomplex<f32>>"));
  rules.add<RngBitGeneratorOp, ofRngBitGenerator>(
      sample({"tensor<2xui64>"},
             "%s, %r = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY "
             ": (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x6xui32>)",
             "tensor<4x6xui32>"));
  rules.add<RngOp, ofRng>(
      sample({"tensor<f32>", "tensor<f32>"},
             R"(%n = stablehlo.constant dense<[4, 6]> : tensor<2xi64>
  %r = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x6xf32>)",
             "tensor<4x6xf32>"));
}

} // namespace heddle::sharding
