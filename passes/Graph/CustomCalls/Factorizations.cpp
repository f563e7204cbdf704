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

/// ormqr(a, taus, c) -> q c, q^H c, c q or c q^H, where q is the product of the
/// reflectors in a. JAX keeps info to itself.
static LogicalResult householderMultiply(OpBuilder &builder,
                                         stablehlo::CustomCallOp op,
                                         SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 3, op->getNumResults() == 2 ? 2 : 1)))
    return failure();
  auto isSet = [&](StringRef name, bool fallback) {
    auto value = dyn_cast_or_null<BoolAttr>(customCallAttribute(op, name));
    return value ? value.getValue() : fallback;
  };
  bool left = isSet("left", true), adjoint = isSet("transpose", false);
  Location loc = op.getLoc();
  Value reflectors = op.getInputs()[0], c = op.getInputs()[2];
  auto type = cast<RankedTensorType>(reflectors.getType());
  auto cType = cast<RankedTensorType>(c.getType());
  int64_t rank = type.getRank();
  if (rank < 2 || cType.getRank() != rank ||
      type.getDimSize(rank - 1) > type.getDimSize(rank - 2))
    return emitError(loc, ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName() << "' of "
           << reflectors.getType() << " and " << c.getType()
           << ": matrices with no more reflectors than rows are known";
  // As many columns as rows: the whole of q.
  int64_t rows = type.getDimSize(rank - 2);
  SmallVector<int64_t> square(type.getShape()), none(rank, 0), high(rank, 0);
  square.back() = rows;
  high.back() = rows - type.getShape().back();
  RankedTensorType whole = type.clone(square);
  Value zero = createFilled(builder, loc, type.clone(ArrayRef<int64_t>()), 0);
  if (high.back())
    reflectors = stablehlo::PadOp::create(builder, loc, whole, reflectors, zero,
                                          none, high, none);
  Value q = createRoutine(builder, loc, "householder_product", whole,
                          {reflectors, op.getInputs()[1]})[0];
  if (adjoint && isa<ComplexType>(type.getElementType())) {
    Value re = stablehlo::RealOp::create(builder, loc, q);
    Value im = stablehlo::ImagOp::create(builder, loc, q);
    q = stablehlo::ComplexOp::create(
        builder, loc, whole, re, stablehlo::NegOp::create(builder, loc, im));
  }
  // Contracted are a dimension of q, which transposes it or not, and one of c.
  SmallVector<int64_t> batch;
  for (int64_t i = 0; i < rank - 2; ++i)
    batch.push_back(i);
  int64_t ofQ = left != adjoint ? rank - 1 : rank - 2;
  int64_t ofC = left ? rank - 2 : rank - 1;
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(
      op.getContext(), batch, batch, left ? ofQ : ofC, left ? ofC : ofQ);
  results.push_back(stablehlo::DotGeneralOp::create(
      builder, loc, cType, left ? q : c, left ? c : q, numbers,
      /*precision_config=*/ArrayAttr(), /*algorithm=*/{}));
  if (op->getNumResults() == 2)
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
      {"ormqr", householderMultiply},
      {"unmqr", householderMultiply},
      {"getrf", lu},
      {"trsm", triangularSolve},
      {"gtsv", tridiagonalSolve},
  };
  return rules;
}

} // namespace heddle
