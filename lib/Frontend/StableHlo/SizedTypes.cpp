// Types of results by the rules of extents; what CHLO broadcasts, by them, too.

#include "lib/Frontend/StableHlo/SizedTypes.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/ElementwiseCalls.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Frontend/DynamicForms.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;
using heddle::size::extentsOf;

namespace heddle {

static RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static bool isOpen(Value value) {
  RankedTensorType type = tensorOf(value);
  return type && !type.hasStaticShape();
}

static Expression number(Operation *op, int64_t value) {
  return Expression::constant(op->getContext(), value);
}

static Expression product(Operation *op, ArrayRef<Expression> extents) {
  Expression result = number(op, 1);
  for (Expression extent : extents)
    result = result * extent;
  return result;
}

/// One open size is what the elements leave.
static FailureOr<TrueShape> shapeOf(ReshapeOp op, ImportedSizes &sizes) {
  RankedTensorType to = op.getType();
  if (to.getNumDynamicDims() != 1)
    return failure();
  TrueShape shape;
  Expression known = number(op, 1),
             elements = product(op, extentsOf(tensorOf(op.getOperand())));
  for (int64_t extent : to.getShape()) {
    shape.push_back(ShapedType::isDynamic(extent) ? Expression()
                                                  : number(op, extent));
    if (shape.back())
      known = known * shape.back();
  }
  if (!elements || !known || known.isConstant(0))
    return failure();
  std::optional<Expression> exact = elements.dividedExactly(known);
  Expression quotient = exact ? *exact : elements.floorDiv(known);
  if (!exact && !sizes.meet(quotient * known, elements, op))
    return failure();
  *llvm::find(shape, Expression()) = quotient;
  return shape;
}

/// The wider elements are rows of the narrower ones.
static TrueShape shapeOf(BitcastConvertOp op) {
  RankedTensorType from = tensorOf(op.getOperand()), to = tensorOf(op);
  TrueShape shape = extentsOf(from);
  if (to.getRank() < from.getRank())
    shape.pop_back();
  else if (to.getRank() > from.getRank())
    shape.push_back(number(op, to.getShape().back()));
  return shape;
}

/// The shapes of results that an operation is told by its types, where these
/// leave sizes open; none for one whose rule says them.
static FailureOr<SmallVector<TrueShape>> toldShapes(Operation *op,
                                                    ImportedSizes &sizes) {
  SmallVector<TrueShape> shapes;
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    FailureOr<TrueShape> shape = shapeOf(reshape, sizes);
    if (failed(shape))
      return failure();
    shapes.push_back(std::move(*shape));
  } else if (auto convert = dyn_cast<BitcastConvertOp>(op)) {
    shapes.push_back(shapeOf(convert));
  } else if (auto call = dyn_cast<CustomCallOp>(op);
             call && isElementwiseCall(call)) {
    for (Value operand : op->getOperands()) {
      RankedTensorType type = tensorOf(operand);
      shapes.push_back(type ? TrueShape(extentsOf(type)) : TrueShape());
    }
  } else if (isa<BatchNormTrainingOp, BatchNormGradOp>(op)) {
    // The tensor, then one number of each feature.
    TrueShape whole = extentsOf(tensorOf(op->getOperand(0)));
    auto feature = op->getAttrOfType<IntegerAttr>("feature_index");
    if (!feature || feature.getInt() >= int64_t(whole.size()))
      return failure();
    shapes.append(3, {whole[feature.getInt()]});
    shapes.front() = whole;
  }
  return shapes;
}

/// Pieces lie within what they are taken from.
static LogicalResult checkPieces(Operation *op, ImportedSizes &sizes) {
  auto sized = [&](StringRef name, ArrayRef<int64_t> atBound) {
    return sizedAttribute(op, name, atBound);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](SliceOp x) {
        TrueShape limits = sized("limit_indices", x.getLimitIndices());
        return success(
            succeeded(sizes.wantWithin(
                sized("start_indices", x.getStartIndices()), limits, op)) &&
            succeeded(sizes.wantWithin(
                limits, extentsOf(tensorOf(x.getOperand())), op)));
      })
      .Case<DynamicSliceOp, GatherOp>([&](auto x) {
        return sizes.wantWithin(sized("slice_sizes", x.getSliceSizes()),
                                extentsOf(tensorOf(x.getOperand())), op);
      })
      .Case([&](DynamicUpdateSliceOp x) {
        return sizes.wantWithin(extentsOf(tensorOf(x.getUpdate())),
                                extentsOf(tensorOf(x.getOperand())), op);
      })
      .Default([](Operation *) { return success(); });
}

/// The rule of the operation; what it lacks one for has a code here.
static LogicalResult inferShapes(Operation *op, ImportedSizes &sizes,
                                 SmallVectorImpl<TrueShape> &shapes) {
  if (llvm::any_of(op->getOpOperands(), isSizeOperand))
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName()
           << "' has sizes that are computed from elements; ones that follow "
              "from the arguments' shapes are wanted";
  std::optional<std::pair<Location, std::string>> complaint;
  {
    ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &error) {
      if (!complaint)
        complaint.emplace(error.getLocation(), error.str());
      return success();
    });
    if (succeeded(inferExtents(op, sizes, shapes)))
      return success();
  }
  // Without one two sizes are one, and the import begins again.
  if (!complaint)
    return failure();
  ErrorCode code = takeErrorCode(complaint->second)
                       .value_or(ErrorCode::StableHloDynamicShape);
  return emitError(complaint->first, code) << complaint->second;
}

/// What CHLO orders.
static LogicalResult setTopKTypes(chlo::TopKOp op, ImportedSizes &sizes) {
  TrueShape shape = extentsOf(tensorOf(op.getOperand()));
  if (shape.empty())
    return success();
  Expression count = number(op, op.getK());
  if (failed(sizes.wantWithin(count, shape.back(), op)))
    return failure();
  shape.back() = count;
  for (Value result : op->getResults()) {
    RankedTensorType type = sizes.typeOf(op, tensorOf(result), shape);
    if (!type)
      return failure();
    result.setType(type);
  }
  return success();
}

/// A reshape of what calls choose has as many elements as its operand at the
/// bound, too: tensors are stored for that.
static LogicalResult checkBound(ReshapeOp op) {
  if (op.getType().getNumElements() ==
      tensorOf(op.getOperand()).getNumElements())
    return success();
  return emitError(op.getLoc(), ErrorCode::StableHloDynamicShape)
         << "'" << op->getName() << "' makes a value of type "
         << op.getOperand().getType() << " one of type " << op.getType()
         << ", which has other greatest sizes";
}

/// Parts that depend on each other are together less than their bounds: what is
/// joined for these is cut to what there is at most.
static void cutToBound(ConcatenateOp op) {
  int64_t along = op.getDimension(), sum = 0;
  for (Value input : op.getInputs())
    sum += tensorOf(input).getDimSize(along);
  RankedTensorType type = op.getType();
  if (sum == type.getDimSize(along))
    return;
  SmallVector<int64_t> joined(type.getShape());
  joined[along] = sum;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  auto cut = SliceOp::create(builder, op.getLoc(), type, op.getResult(), zeros,
                             type.getShape(), ones);
  setSized(cut, "limit_indices", extentsOf(type));
  op.getResult().replaceAllUsesExcept(cut, cut);
  TrueShape extents = extentsOf(type);
  op.getResult().setType(size::withExtents(
      RankedTensorType::get(joined, type.getElementType()), extents));
}

LogicalResult setSizedTypes(Operation *op, ImportedSizes &sizes) {
  if (auto top = dyn_cast<chlo::TopKOp>(op))
    return setTopKTypes(top, sizes);
  if (failed(narrowOperands(op, sizes)))
    return failure();
  SmallVector<TrueShape> shapes;
  if (llvm::any_of(op->getResults(), isOpen)) {
    FailureOr<SmallVector<TrueShape>> told = toldShapes(op, sizes);
    if (failed(told))
      return failure();
    shapes = std::move(*told);
  }
  if (shapes.empty() && failed(inferShapes(op, sizes, shapes)))
    return failure();
  if (failed(checkPieces(op, sizes)))
    return failure();
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    RankedTensorType declared = tensorOf(result);
    if (!declared || llvm::any_of(shape, [](Expression extent) {
          return extent.isConstant(ShapedType::kDynamic);
        }))
      continue;
    RankedTensorType type = sizes.typeOf(op, declared, shape);
    if (!type)
      return failure();
    result.setType(type);
  }
  if (auto join = dyn_cast<ConcatenateOp>(op))
    cutToBound(join);
  auto reshape = dyn_cast<ReshapeOp>(op);
  return reshape && reshape.getType().hasStaticShape() ? checkBound(reshape)
                                                       : success();
}

//===----------------------------------------------------------------------===//
// What CHLO broadcasts
//===----------------------------------------------------------------------===//

/// Which dimension of a result of `rank` the first of an operand is, and those
/// behind it.
static SmallVector<int64_t> placesOf(Operation *op, int64_t own, int64_t rank) {
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  if (own < rank && given && given.size() == own)
    return llvm::to_vector(given.asArrayRef());
  return llvm::to_vector(llvm::seq<int64_t>(rank - own, rank));
}

/// Operands of one shape; an extent of 1 stretches. One that a call may choose
/// as 1 does not: it is as long as the other, whatever that is.
static LogicalResult broadcastOperands(Operation *op, ImportedSizes &sizes,
                                       SmallVectorImpl<Value> &operands) {
  int64_t rank = 0;
  for (Value operand : op->getOperands())
    rank = std::max(rank, tensorOf(operand).getRank());
  TrueShape common(rank, number(op, 1));
  for (Value operand : op->getOperands()) {
    RankedTensorType type = tensorOf(operand);
    for (auto [extent, place] :
         llvm::zip_equal(extentsOf(type), placesOf(op, type.getRank(), rank))) {
      if (place < 0 || place >= rank)
        return op->emitOpError("has broadcast_dimensions beyond its result");
      Expression &wanted = common[place];
      if (extent.isConstant(1))
        continue;
      wanted = wanted.isConstant(1) ? extent : sizes.meet(wanted, extent, op);
      if (!wanted)
        return failure();
    }
  }
  OpBuilder builder(op);
  for (Value operand : op->getOperands()) {
    RankedTensorType type = tensorOf(operand);
    auto open =
        RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                              type.getElementType());
    RankedTensorType wanted = sizes.typeOf(op, open, common);
    if (!wanted)
      return failure();
    operands.push_back(
        type == wanted
            ? operand
            : BroadcastInDimOp::create(builder, op->getLoc(), wanted, operand,
                                       placesOf(op, type.getRank(), rank)));
  }
  return success();
}

FailureOr<bool> expandSized(Operation *op, ImportedSizes &sizes) {
  if (!llvm::is_contained(chlo::broadcastingOperations(),
                          op->getName().getStringRef()) ||
      !llvm::all_of(op->getOperands(),
                    [](Value operand) { return bool(tensorOf(operand)); }))
    return false;
  OpBuilder builder(op);
  Value result;
  if (auto like = dyn_cast<chlo::ConstantLikeOp>(op)) {
    // One number everywhere, as many times as the operand has elements.
    auto type = cast<RankedTensorType>(
        tensorOf(like.getOperand())
            .clone(getElementTypeOrSelf(op->getResult(0).getType())));
    result = stablehlo::ConstantOp::create(
        builder, op->getLoc(),
        DenseElementsAttr::get(type, Attribute(like.getValue())));
  } else {
    SmallVector<Value> operands;
    if (failed(broadcastOperands(op, sizes, operands)))
      return failure();
    Operation *last = op->getPrevNode();
    result = chlo::expandBroadcasting(builder, op, operands);
    // The types of what was written are those of the bound.
    Block::iterator first =
        last ? std::next(last->getIterator()) : op->getBlock()->begin();
    for (Operation &made : llvm::make_range(first, op->getIterator()))
      for (Value value : made.getResults())
        if (auto type = tensorOf(value); !size::hasExtents(type))
          value.setType(RankedTensorType::get(
              SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic),
              type.getElementType()));
  }
  if (!result)
    return false;
  op->getResult(0).replaceAllUsesWith(result);
  sizes.contents.forget(op);
  op->erase();
  return true;
}

} // namespace heddle
