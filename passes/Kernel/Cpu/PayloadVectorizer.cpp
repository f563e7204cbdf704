// Emits the body of a linalg.generic, operation by operation, on lanes.

#include "passes/Kernel/Cpu/PayloadVectorizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

SmallVector<LaneValue>
PayloadVectorizer::loopValues(const LanePoint &point) const {
  SmallVector<LaneValue> values;
  for (auto [loop, iv] : llvm::enumerate(point.ivs))
    values.emplace_back(iv, point.lanes && loop == point.loop ? 1 : 0);
  return values;
}

/// A tensor that holds one scalar everywhere, as that scalar: a splat constant
/// or a fill.
static Value uniformContents(OpBuilder &builder, Location loc, Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    Attribute constant;
    if (matchPattern(fill.getInputs()[0], m_Constant(&constant)))
      return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(constant));
  }
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(builder, loc,
                                     elements.getSplatValue<TypedAttr>());
  return {};
}

FailureOr<LaneValue> PayloadVectorizer::loadOperand(LaneBuilder &lanes,
                                                    unsigned operand,
                                                    ArrayRef<LaneValue> ivs) {
  Value tensor = loops.op->getOperand(operand);
  if (!frame.hasBuffer(tensor))
    if (Value scalar = uniformContents(lanes.builder, lanes.loc, tensor))
      return LaneValue(scalar);
  Value buffer = frame.buffer(tensor);
  if (!buffer)
    return loops.op->emitOpError("operand ")
           << operand << " has no buffer in the lowered kernel";
  LaneValue position = loops.accesses[operand].emit(lanes, frame, ivs);
  return lanes.load(buffer, cast<ShapedType>(tensor.getType()).getElementType(),
                    position);
}

/// Whether `operand` has a dimension of one element or none, which no position
/// is a function of: where it has none, there is nothing to load.
static bool mayVanish(Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  return type && llvm::any_of(trueExtents(type), [](const Extent &extent) {
           return extent.isSized() && extent.bound() <= 1;
         });
}

SmallVector<LaneValue>
PayloadVectorizer::loadInvariants(OpBuilder &builder, const LanePoint &point,
                                  ArrayRef<unsigned> movingLoops,
                                  ArrayRef<LaneValue> supplied) {
  SmallVector<LaneValue> values(supplied.begin(), supplied.end());
  values.resize(loops.op->getNumOperands());
  LaneBuilder lanes(builder, loops.op.getLoc(), point.lanes, point.mask);
  SmallVector<LaneValue> ivs = loopValues(point);
  for (unsigned input = 0; input < loops.op.getNumDpsInputs(); ++input) {
    const LoopAccess &position = loops.accesses[input];
    auto moves = [&](unsigned loop) { return position.isFunctionOf(loop); };
    if (values[input] ||
        loops.op->getOperand(input).getDefiningOp<linalg::GenericOp>() ||
        mayVanish(loops.op->getOperand(input)) ||
        llvm::any_of(movingLoops, moves) ||
        loops.op.getMatchingBlockArgument(&loops.op->getOpOperand(input))
            .use_empty())
      continue;
    FailureOr<LaneValue> value = loadOperand(lanes, input, ivs);
    if (succeeded(value))
      values[input] = *value;
  }
  return values;
}

/// Copies `op` with the operands' types carried over to the results: every op
/// of a payload works element by element.
static Value cloneForLanes(LaneBuilder &lanes, Operation &op,
                           ArrayRef<Value> operands, bool asVector) {
  OperationState state(lanes.loc, op.getName());
  state.addOperands(operands);
  Type type = op.getResult(0).getType();
  state.addTypes(asVector ? lanes.lanesOf(type) : type);
  state.addAttributes(op.getAttrs());
  return lanes.builder.create(state)->getResult(0);
}

/// Integer division traps on a divisor of zero, which is what lanes that do
/// not count may hold.
static bool trapsOnZero(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

FailureOr<LaneValue> PayloadVectorizer::emitOp(LaneBuilder &lanes,
                                               Operation &op,
                                               ArrayRef<LaneValue> operands,
                                               ArrayRef<LaneValue> ivs) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return ivs[loops.loopOf[index.getDim()]];

  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Value buffer = frame.buffer(extract.getTensor());
    if (!buffer)
      return op.emitOpError("reads a tensor that has no buffer in the lowered "
                            "kernel");
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    LaneValue position = lanes.constantIndex(0);
    for (auto [extent, index] :
         llvm::zip(trueExtents(type), operands.drop_front()))
      position = lanes.add(scaled(lanes, frame, position, extent), index);
    return lanes.load(buffer, type.getElementType(), position);
  }

  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return op.emitOpError("is not supported in the payload of a kernel");

  // Steps survive what is linear in the index.
  bool steps = llvm::any_of(operands, [](const LaneValue &operand) {
    return !operand.isVector() && operand.step != 0;
  });
  bool vectors = llvm::any_of(
      operands, [](const LaneValue &operand) { return operand.isVector(); });
  if (steps && !vectors) {
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
      return LaneValue(
          cloneForLanes(lanes, op, operands[0].value, /*asVector=*/false),
          operands[0].step);
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      int64_t step = isa<arith::AddIOp>(op)
                         ? operands[0].step + operands[1].step
                         : operands[0].step - operands[1].step;
      return LaneValue(cloneForLanes(lanes, op,
                                     {operands[0].value, operands[1].value},
                                     /*asVector=*/false),
                       step);
    }
    APInt factor;
    if (isa<arith::MulIOp>(op) &&
        matchPattern(operands[1].value, m_ConstantInt(&factor)))
      return LaneValue(cloneForLanes(lanes, op,
                                     {operands[0].value, operands[1].value},
                                     /*asVector=*/false),
                       operands[0].step * factor.getSExtValue());
  }

  bool asVector = steps || vectors;
  SmallVector<Value> values;
  for (const LaneValue &operand : operands)
    values.push_back(asVector ? lanes.materialize(operand) : operand.value);
  if (asVector && lanes.mask && trapsOnZero(op)) {
    Value one = arith::ConstantOp::create(
        lanes.builder, lanes.loc,
        lanes.builder.getOneAttr(values[1].getType()));
    values[1] = arith::SelectOp::create(lanes.builder, lanes.loc, lanes.mask,
                                        values[1], one);
  }
  return LaneValue(cloneForLanes(lanes, op, values, asVector));
}

FailureOr<LaneValue> PayloadVectorizer::load(OpBuilder &builder,
                                             const LanePoint &point,
                                             unsigned operand) {
  LaneBuilder lanes(builder, loops.op.getLoc(), point.lanes, point.mask);
  return loadOperand(lanes, operand, loopValues(point));
}

FailureOr<SmallVector<LaneValue>>
PayloadVectorizer::emitLanes(OpBuilder &builder, const LanePoint &point,
                             ArrayRef<LaneValue> supplied) {
  LaneBuilder lanes(builder, loops.op.getLoc(), point.lanes, point.mask);
  SmallVector<LaneValue> ivs = loopValues(point);
  Block &body = loops.op->getRegion(0).front();
  DenseMap<Value, LaneValue> values;

  for (BlockArgument argument : body.getArguments()) {
    unsigned operand = argument.getArgNumber();
    if (operand < supplied.size() && supplied[operand]) {
      values[argument] = supplied[operand];
      continue;
    }
    if (argument.use_empty())
      continue;
    FailureOr<LaneValue> value = loadOperand(lanes, operand, ivs);
    if (failed(value))
      return failure();
    values[argument] = *value;
  }

  auto lookUp = [&](Value value) -> FailureOr<LaneValue> {
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    if (Value passed = frame.argument(value))
      return LaneValue(passed);
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)) &&
        !isa<TensorType>(value.getType()))
      return LaneValue(arith::ConstantOp::create(builder, lanes.loc,
                                                 cast<TypedAttr>(constant)));
    // The tensor of a tensor.extract is looked up by itself.
    if (isa<TensorType>(value.getType()))
      return LaneValue(value);
    return loops.op->emitOpError(
        "uses a scalar computed outside of its payload");
  };

  for (Operation &op : body.without_terminator()) {
    if (matchPattern(&op, m_Constant()))
      continue;
    lanes.loc = op.getLoc();
    SmallVector<LaneValue> operands;
    for (Value operand : op.getOperands()) {
      FailureOr<LaneValue> value = lookUp(operand);
      if (failed(value))
        return failure();
      operands.push_back(*value);
    }
    FailureOr<LaneValue> result = emitOp(lanes, op, operands, ivs);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = *result;
  }

  SmallVector<LaneValue> results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    FailureOr<LaneValue> value = lookUp(yielded);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

FailureOr<SmallVector<Value>>
PayloadVectorizer::emit(OpBuilder &builder, const LanePoint &point,
                        ArrayRef<LaneValue> supplied) {
  FailureOr<SmallVector<LaneValue>> results =
      emitLanes(builder, point, supplied);
  if (failed(results))
    return failure();
  LaneBuilder lanes(builder, loops.op.getLoc(), point.lanes, point.mask);
  SmallVector<Value> vectors;
  for (const LaneValue &result : *results)
    vectors.push_back(lanes.materialize(result));
  return vectors;
}

void PayloadVectorizer::store(OpBuilder &builder, const LanePoint &point,
                              ArrayRef<Value> results) {
  LaneBuilder lanes(builder, loops.op.getLoc(), point.lanes, point.mask);
  SmallVector<LaneValue> ivs = loopValues(point);
  unsigned firstOutput = loops.op.getNumDpsInputs();
  for (auto [number, value] : llvm::enumerate(results)) {
    if (!frame.hasBuffer(loops.op->getResult(number)))
      continue;
    Value buffer = frame.buffer(loops.op->getResult(number));
    LaneValue position =
        loops.accesses[firstOutput + number].emit(lanes, frame, ivs);
    lanes.store(value, buffer, position);
  }
}

} // namespace heddle
