// LAPACK's eigenvalues, singular values and the forms on the way to them, as
// JAX calls them on a CPU.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "heddle/Support/Diagnostics.h"

using namespace mlir;

namespace heddle {

static Value success(OpBuilder &builder, stablehlo::CustomCallOp op,
                     unsigned result) {
  return createFilled(builder, op.getLoc(), op->getResult(result).getType(), 0);
}

/// `info` of a routine that may not converge; a null value if nobody asks.
static Value didNotConverge(OpBuilder &builder, stablehlo::CustomCallOp op,
                            unsigned result, Value computed) {
  return op->getResult(result).use_empty()
             ? Value()
             : holdsNan(builder, op.getLoc(), computed,
                        op->getResult(result).getType());
}

static NamedAttribute flag(OpBuilder &builder, StringRef name, bool value) {
  return builder.getNamedAttr(name, builder.getBoolAttr(value));
}

/// Errors if one of these results is used, which no routine of ours computes.
static LogicalResult checkUnused(stablehlo::CustomCallOp op, unsigned first,
                                 unsigned end, StringRef what) {
  for (unsigned i = first; i < end; ++i)
    if (!op->getResult(i).use_empty())
      return emitError(op.getLoc(), ErrorCode::CustomCallForm)
             << "custom call '" << op.getCallTargetName() << "': " << what
             << " cannot be used";
  return mlir::success();
}

/// syevd(a), heevd(a) -> (v, w, info)
static LogicalResult eigh(OpBuilder &builder, stablehlo::CustomCallOp op,
                          SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 3)))
    return failure();
  bool lower = customCallLetter(op, "uplo", 'L') == 'L';
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "eigh",
                             TypeRange(op->getResultTypes()).take_front(2),
                             op.getInputs(), flag(builder, "lower", lower)));
  results.push_back(success(builder, op, 2));
  return mlir::success();
}

/// gesdd(a), gesvd(a) -> (a destroyed, s, u, vh, info)
static LogicalResult svd(OpBuilder &builder, stablehlo::CustomCallOp op,
                         SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 5)) ||
      failed(checkUnused(op, 0, 1, "the destroyed operand")))
    return failure();
  char mode = customCallLetter(op, "mode", 'A');
  bool vectors = mode != 'N';
  if (!vectors &&
      failed(checkUnused(op, 2, 4, "vectors that are not computed")))
    return failure();
  SmallVector<Type> types = {op->getResult(1).getType()};
  if (vectors)
    types.append({op->getResult(2).getType(), op->getResult(3).getType()});
  ValueRange found =
      createRoutine(builder, op.getLoc(), "svd", types, op.getInputs(),
                    {flag(builder, "compute_uv", vectors),
                     flag(builder, "full_matrices", vectors && mode == 'A')});
  results.assign({Value(), found[0], vectors ? found[1] : Value(),
                  vectors ? found[2] : Value(), success(builder, op, 4)});
  return mlir::success();
}

/// geev(a) -> (real parts, imaginary parts, vl, vr, info), of a complex matrix
/// (w, vl, vr, info)
static LogicalResult eig(OpBuilder &builder, stablehlo::CustomCallOp op,
                         SmallVectorImpl<Value> &results) {
  if (op->getNumOperands() < 1)
    return checkArity(op, 1, 5);
  auto matrix = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  bool complex = matrix && isa<ComplexType>(matrix.getElementType());
  unsigned left = complex ? 1 : 2;
  if (failed(checkArity(op, 1, left + 3)))
    return failure();
  bool wantsLeft = customCallLetter(op, "compute_left", 'N') == 'V';
  bool wantsRight = customCallLetter(op, "compute_right", 'N') == 'V';
  if ((!wantsLeft && failed(checkUnused(op, left, left + 1,
                                        "vectors that are not computed"))) ||
      (!wantsRight && failed(checkUnused(op, left + 1, left + 2,
                                         "vectors that are not computed"))))
    return failure();
  auto values = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Type> types = {
      complex
          ? Type(values)
          : RankedTensorType::get(values.getShape(),
                                  ComplexType::get(values.getElementType()))};
  if (wantsLeft)
    types.push_back(op->getResult(left).getType());
  if (wantsRight)
    types.push_back(op->getResult(left + 1).getType());
  ValueRange found =
      createRoutine(builder, op.getLoc(), "eig", types, op.getInputs(),
                    {flag(builder, "compute_left", wantsLeft),
                     flag(builder, "compute_right", wantsRight)});
  if (complex) {
    results.push_back(found[0]);
  } else {
    results.push_back(
        stablehlo::RealOp::create(builder, op.getLoc(), found[0]));
    results.push_back(
        stablehlo::ImagOp::create(builder, op.getLoc(), found[0]));
  }
  results.push_back(wantsLeft ? found[1] : Value());
  results.push_back(wantsRight ? found.back() : Value());
  results.push_back(didNotConverge(builder, op, left + 2, found[0]));
  return mlir::success();
}

/// gees(a) -> (t, z, eigenvalues (two of them for real matrices), count, info)
static LogicalResult schur(OpBuilder &builder, stablehlo::CustomCallOp op,
                           SmallVectorImpl<Value> &results) {
  unsigned count = op->getNumResults() == 6 ? 6 : 5;
  if (failed(checkArity(op, 1, count)) ||
      failed(checkUnused(op, 2, count - 2, "eigenvalues beside t's diagonal")))
    return failure();
  if (customCallLetter(op, "sort", 'N') != 'N')
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName()
           << "': eigenvalues are not sorted; sort = 'N' is supported";
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "schur",
                             TypeRange(op->getResultTypes()).take_front(2),
                             op.getInputs()));
  results.append(count - 4, Value());
  results.push_back(success(builder, op, count - 2));
  results.push_back(didNotConverge(builder, op, count - 1, results[0]));
  return mlir::success();
}

/// gehrd(a) -> (packed, taus, info), of the whole matrix
static LogicalResult hessenberg(OpBuilder &builder, stablehlo::CustomCallOp op,
                                SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 3)))
    return failure();
  auto matrix = cast<RankedTensorType>(op->getOperand(0).getType());
  auto low = dyn_cast_or_null<IntegerAttr>(customCallAttribute(op, "low"));
  auto high = dyn_cast_or_null<IntegerAttr>(customCallAttribute(op, "high"));
  if ((low && low.getValue() != 1) ||
      (high && high.getValue() != matrix.getShape().back()))
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName()
           << "': part of a matrix is not reduced; low = 1 and high = n are "
              "supported";
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "hessenberg",
                             TypeRange(op->getResultTypes()).take_front(2),
                             op.getInputs()));
  results.push_back(success(builder, op, 2));
  return mlir::success();
}

/// `packed` with the elements of `a` in the triangle that LAPACK does not
/// touch.
static Value keepTriangle(OpBuilder &builder, Location loc, Value a,
                          Value packed, bool lower) {
  auto type = cast<RankedTensorType>(a.getType());
  auto places = type.clone(builder.getI32Type());
  int64_t rank = type.getRank();
  Value row = stablehlo::IotaOp::create(builder, loc, places, rank - 2);
  Value column = stablehlo::IotaOp::create(builder, loc, places, rank - 1);
  Value isKept = stablehlo::CompareOp::create(
      builder, loc, lower ? row : column, lower ? column : row,
      stablehlo::ComparisonDirection::LT);
  return stablehlo::SelectOp::create(builder, loc, isKept, a, packed);
}

/// sytrd(a), hetrd(a) -> (packed, d, e, taus, info)
static LogicalResult tridiagonal(OpBuilder &builder, stablehlo::CustomCallOp op,
                                 SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 5)))
    return failure();
  bool lower = customCallLetter(op, "uplo", 'L') == 'L';
  llvm::append_range(
      results, createRoutine(builder, op.getLoc(), "tridiagonal",
                             TypeRange(op->getResultTypes()).take_front(4),
                             op.getInputs(), flag(builder, "lower", lower)));
  results[0] =
      keepTriangle(builder, op.getLoc(), op.getInputs()[0], results[0], lower);
  results.push_back(success(builder, op, 4));
  return mlir::success();
}

ArrayRef<CustomCallRule> spectralCustomCalls() {
  static const CustomCallRule rules[] = {
      {"syevd", eigh},       {"heevd", eigh},        {"gesdd", svd},
      {"gesvd", svd},        {"geev", eig},          {"gees", schur},
      {"gehrd", hessenberg}, {"sytrd", tridiagonal}, {"hetrd", tridiagonal},
  };
  return rules;
}

} // namespace heddle
