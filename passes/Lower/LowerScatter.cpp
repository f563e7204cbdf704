// scatter, sort and top-k.

#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/ResultExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// Fills `target` with the scalar form of `source`, over arguments of the
/// given types; reports for `op` what cannot be one.
static bool lowerRegion(GraphLowering &lowering, Operation *op, Region &source,
                        Region &target, ArrayRef<Type> types) {
  Block &block = target.emplaceBlock();
  for (Type type : types)
    block.addArgument(type, op->getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Operation *culprit = nullptr;
  FailureOr<SmallVector<Value>> results = emitScalarRegion(
      inner, source, ValueRange(block.getArguments()), culprit);
  if (failed(results)) {
    lowering.unsupported(op, "its region holds '" +
                                 culprit->getName().getStringRef() + "'");
    return false;
  }
  kernel::YieldOp::create(inner, op->getLoc(), *results);
  return true;
}

static void lowerOp(GraphLowering &lowering, stablehlo::ScatterOp op) {
  OpBuilder &b = lowering.builder;
  auto numbers = op.getScatterDimensionNumbers();
  SmallVector<Type> types, elements;
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  SmallVector<Value> updates = lowering.lowered(op.getUpdates());
  for (Value value : inputs)
    types.push_back(value.getType());
  for (Value value : llvm::concat<Value>(inputs, updates))
    elements.push_back(elementOf(value));
  auto scatter = kernel::ScatterOp::create(
      b, op.getLoc(), types, inputs, lowering.positions(op.getScatterIndices()),
      updates, numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
      numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims(),
      numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim(),
      op.getIndicesAreSorted(), op.getUniqueIndices());
  if (lowerRegion(lowering, op, op.getUpdateComputation(), scatter.getBody(),
                  elements))
    lowering.replace(op, scatter.getResults());
}

/// How many of the first entries along the dimension anybody reads: fewer than
/// all where every use is a slice from the begin.
static int64_t entriesRead(stablehlo::SortOp op, int64_t dimension) {
  int64_t extent =
      cast<RankedTensorType>(op.getInputs()[0].getType()).getDimSize(dimension);
  int64_t most = 1;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<stablehlo::SliceOp>(user);
    if (!slice || !stablehlo::sizedAttribute(slice, "limit_indices",
                                             slice.getLimitIndices())[dimension]
                       .isConstant())
      return extent;
    most = std::max(most, slice.getLimitIndices()[dimension]);
  }
  return most;
}

static void lowerOp(GraphLowering &lowering, stablehlo::SortOp op) {
  OpBuilder &b = lowering.builder;
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  SmallVector<Type> types, elements;
  for (Value value : inputs) {
    types.push_back(value.getType());
    elements.append(2, elementOf(value));
  }
  int64_t rank = lowering.shapeOf(inputs.front()).size();
  int64_t dimension = op.getDimension();
  dimension = dimension < 0 ? dimension + rank : dimension;
  auto sort = kernel::SortOp::create(b, op.getLoc(), types, inputs,
                                     b.getI64IntegerAttr(dimension),
                                     /*first=*/IntegerAttr());
  // What lies behind is never read, and need not be sorted.
  if (int64_t first = entriesRead(op, dimension);
      first < lowering.shapeOf(inputs.front())[dimension])
    sort.setFirst(first);
  if (lowerRegion(lowering, op, op.getComparator(), sort.getBody(), elements))
    lowering.replace(op, sort.getResults());
}

/// Unsigned integers with the first bit flipped: ordered as signed ones.
static Value flipSign(GraphLowering &lowering, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  AffineMap identity = lowering.builder.getMultiDimIdentityMap(type.getRank());
  return lowering.generic(
      loc, type, value, identity,
      [&](OpBuilder &b, Location at, ValueRange x) -> Value {
        Value sign = arith::ConstantOp::create(
            b, at,
            b.getIntegerAttr(
                type.getElementType(),
                APInt::getSignMask(type.getElementTypeBitWidth())));
        return arith::XOrIOp::create(b, at, x[0], sign);
      });
}

static void lowerOp(GraphLowering &lowering, chlo::TopKOp op) {
  // The kernel orders whole bytes, floats of 16 bits or more and signed
  // integers.
  Type element = elementOf(op.getOperand());
  Type wide = isNarrowFloat(element) ? lowering.builder.getF32Type()
                                     : byteType(element);
  bool isUnsigned = element.isUnsignedInteger();
  Value operand = lowering.lowered(op.getOperand());
  if (wide != element)
    operand = lowering.converted(op.getLoc(), operand, element, wide);
  if (isUnsigned)
    operand = flipSign(lowering, op.getLoc(), operand);
  auto topK = kernel::TopKOp::create(
      lowering.builder, op.getLoc(),
      lowering.resultType(op, 0).clone(loweredElementType(wide)),
      lowering.resultType(op, 1), operand);
  Value values = topK.getValues();
  if (isUnsigned)
    values = flipSign(lowering, op.getLoc(), values);
  if (wide != element)
    values = lowering.converted(op.getLoc(), values, wide, element);
  lowering.replace(op, {values, topK.getIndices()});
}

bool heddle::lowerScatterOrSort(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::ScatterOp, stablehlo::SortOp, chlo::TopKOp>(
          [&](auto typed) {
            lowerOp(lowering, typed);
            return true;
          })
      .Default([](Operation *) { return false; });
}
