// LAPACK's factorizations and solvers, as JAX calls them on a CPU. LAPACK's
// numbers of rows are from 1, its `info` is 0 after success.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "heddle/Support/Diagnostics.h"

using namespace mlir;

namespace heddle {

/// `info` of a routine that cannot fail here: invalid numbers give NaN in the
/// results.
static Value success(OpBuilder &builder, stablehlo::CustomCallOp op,
                     unsigned result) {
  return createFilled(builder, op.getLoc(), op->getResult(result).getType(), 0);
}

/// potrf(a) -> (l, info)
static LogicalResult cholesky(OpBuilder &builder, stablehlo::CustomCallOp op,
                              SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 2)))
    return failure();
  bool lower = customCallLetter(op, "uplo", 'L') == 'L';
  Value l = stablehlo::CholeskyOp::create(builder, op.getLoc(),
                                          op->getResult(0).getType(),
                                          op.getInputs()[0], lower);
  results.assign({l, Value()});
  if (!op->getResult(1).use_empty())
    results[1] = holdsNan(builder, op.getLoc(), l, op->getResult(1).getType());
  return mlir::success();
}

/// geqrf(a) -> (packed, taus); older programs have info as well
static LogicalResult qr(OpBuilder &builder, stablehlo::CustomCallOp op,
                        SmallVectorImpl<Value> &results) {
  unsigned count = op->getNumResults() == 3 ? 3 : 2;
  if (failed(checkArity(op, 1, count)))
    return failure();
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "qr",
                             TypeRange(op->getResultTypes()).take_front(2),
                             op.getInputs()));
  if (count == 3)
    results.push_back(success(builder, op, 2));
  return mlir::success();
}

/// orgqr(packed, taus) -> q; older programs have info as well
static LogicalResult householderProduct(OpBuilder &builder,
                                        stablehlo::CustomCallOp op,
                                        SmallVectorImpl<Value> &results) {
  unsigned count = op->getNumResults() == 2 ? 2 : 1;
  if (failed(checkArity(op, 2, count)))
    return failure();
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "householder_product",
                             TypeRange(op->getResultTypes()).take_front(1),
                             op.getInputs()));
  if (count == 2)
    results.push_back(success(builder, op, 1));
  return mlir::success();
}

/// getrf(a) -> (lu, pivots from 1, info). A zero pivot, which LAPACK's info
/// tells the place of, shows on lu's diagonal; JAX only asks whether info is
/// negative.
static LogicalResult lu(OpBuilder &builder, stablehlo::CustomCallOp op,
                        SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 3)))
    return failure();
  auto matrix = cast<RankedTensorType>(op->getResult(0).getType());
  Type pivots = op->getResult(1).getType();
  SmallVector<int64_t> rows(matrix.getShape().drop_back(1));
  auto permutation = RankedTensorType::get(rows, builder.getI32Type());
  ValueRange factors =
      createRoutine(builder, op.getLoc(), "lu", {matrix, pivots, permutation},
                    op.getInputs());
  Value one = createFilled(builder, op.getLoc(), pivots, 1);
  results.assign(
      {factors[0],
       stablehlo::AddOp::create(builder, op.getLoc(), factors[1], one),
       success(builder, op, 2)});
  return mlir::success();
}

/// trsm(a, b) -> x
static LogicalResult triangularSolve(OpBuilder &builder,
                                     stablehlo::CustomCallOp op,
                                     SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 2, 1)))
    return failure();
  auto transpose = stablehlo::Transpose::NO_TRANSPOSE;
  char letter = customCallLetter(op, "trans_x", 'N');
  if (letter != 'N')
    transpose = letter == 'T' ? stablehlo::Transpose::TRANSPOSE
                              : stablehlo::Transpose::ADJOINT;
  results.push_back(stablehlo::TriangularSolveOp::create(
      builder, op.getLoc(), op->getResult(0).getType(), op.getInputs()[0],
      op.getInputs()[1], customCallLetter(op, "side", 'L') == 'L',
      customCallLetter(op, "uplo", 'L') == 'L',
      customCallLetter(op, "diag", 'N') == 'U', transpose));
  return mlir::success();
}

/// gtsv(lower, diagonal, upper, b) -> (lower, diagonal, upper, x, info): the
/// first three hold the factors, in LAPACK's own form. All diagonals have as
/// many elements as the matrix has rows.
static LogicalResult tridiagonalSolve(OpBuilder &builder,
                                      stablehlo::CustomCallOp op,
                                      SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 4, 5)))
    return failure();
  for (unsigned i = 0; i < 3; ++i)
    if (!op->getResult(i).use_empty())
      return emitError(op.getLoc(), ErrorCode::CustomCallForm)
             << "custom call '" << op.getCallTargetName()
             << "': only the solution can be used, not the factors";
  Value x = createRoutine(builder, op.getLoc(), "tridiagonal_solve",
                          op->getResult(3).getType(), op.getInputs())[0];
  results.assign({Value(), Value(), Value(), x, success(builder, op, 4)});
  return mlir::success();
}

ArrayRef<CustomCallRule> factorizationCustomCalls() {
  static const CustomCallRule rules[] = {
      {"potrf", cholesky},
      {"geqrf", qr},
      {"orgqr", householderProduct},
      {"ungqr", householderProduct},
      {"getrf", lu},
      {"trsm", triangularSolve},
      {"gtsv", tridiagonalSolve},
  };
  return rules;
}

} // namespace heddle
