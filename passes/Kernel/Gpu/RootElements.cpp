// Elements of products: one chain of multiply-adds, in the order of the summed
// elements.

#include "passes/Kernel/Gpu/ElementEmitter.h"

#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

/// `value` in the type of a sum. `element` says whether an integer has a sign.
static Value widen(ElementEmitter &emitter, Value value, Type element,
                   Type sum) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.index.loc;
  if (value.getType() == sum)
    return value;
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(builder, loc, sum, value);
  if (element.isUnsignedInteger() || element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, sum, value);
  return arith::ExtSIOp::create(builder, loc, sum, value);
}

/// sum + left * right
static Value multiplyAdd(ElementEmitter &emitter, Value left, Value right,
                         Value sum) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.index.loc;
  if (isa<FloatType>(sum.getType()))
    return math::FmaOp::create(builder, loc, left, right, sum);
  return arith::AddIOp::create(
      builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
}

/// Whether `op` sums as the emitters here do.
template <typename Root> static bool checkSum(GridFrame &frame, Root op) {
  Type sum = op.getSumElement();
  bool isKnown =
      sum == elementOf(op.getResult()) &&
      (sum.isF32() || sum.isF64() || sum.isInteger(32) || sum.isInteger(64));
  auto fits = [&](Value operand) {
    Type type = elementOf(operand);
    return isa<FloatType>(type) == isa<FloatType>(sum) &&
           type.getIntOrFloatBitWidth() <= sum.getIntOrFloatBitWidth();
  };
  if (isKnown && fits(op->getOperand(0)) && fits(op->getOperand(1)))
    return true;
  frame.fail(op, "it asks for other sums than there are kernels for");
  return false;
}

SmallVector<Value> contractionElement(ElementEmitter &emitter,
                                      kernel::ContractOp op,
                                      ArrayRef<Value> indices) {
  GridFrame &frame = emitter.frame;
  Type sum = op.getSumElement();
  bool isPlain = !op.getRhsPacking() && !op->hasAttr("algorithm");
  if (!isPlain)
    frame.fail(op, "it wants a packed operand or products of less exactness");
  // A packed operand has other dimensions.
  if (!isPlain || !checkSum(frame, op))
    return {frame.placeholder(elementOf(op.getResult()))};
  unsigned numLoops = op.getExtents().size();
  SmallVector<Value> loops(numLoops);
  for (auto [expression, at] :
       llvm::zip_equal(op.getOutMap().getResults(), indices))
    loops[cast<AffineDimExpr>(expression).getPosition()] = at;
  SmallVector<Value> ends;
  SmallVector<unsigned> reduced;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (loops[loop])
      continue;
    reduced.push_back(loop);
    Value limit = op.getLimit(loop);
    ends.push_back(limit ? emitter.scalar(limit)
                         : emitter.index.constant(op.getExtents()[loop]));
  }
  return emitter.nest(
      ends, frame.placeholder(sum),
      [&](ArrayRef<Value> at, ValueRange carried) -> SmallVector<Value> {
        SmallVector<Value> point(loops);
        for (auto [loop, value] : llvm::zip_equal(reduced, at))
          point[loop] = value;
        Value left = emitter.element(op.getLhs(),
                                     emitter.apply(op, op.getLhsMap(), point));
        Value right = emitter.element(op.getRhs(),
                                      emitter.apply(op, op.getRhsMap(), point));
        left = widen(emitter, left, op.getLhsElement(), sum);
        right = widen(emitter, right, op.getRhsElement(), sum);
        return {multiplyAdd(emitter, left, right, carried[0])};
      });
}

SmallVector<Value> convolutionElement(ElementEmitter &emitter,
                                      kernel::ConvolutionOp op,
                                      ArrayRef<Value> indices) {
  GridFrame &frame = emitter.frame;
  IndexBuilder &index = emitter.index;
  OpBuilder &builder = emitter.builder;
  Location loc = index.loc;
  Type sum = op.getSumElement();
  if (op.getWeightsPacking())
    frame.fail(op, "its filter is packed");
  if (op.getWeightsPacking() || !checkSum(frame, op))
    return {frame.placeholder(elementOf(op.getResult()))};
  unsigned spatial = op.getNumSpatialDims();
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  ArrayRef<int64_t> weights = shapeOf(op.getWeights());
  int64_t groupInputs = weights[spatial];
  int64_t groupOutputs = weights[spatial + 1] / op.getGroups();
  Value firstInput =
      index.mul(index.div(indices.back(), groupOutputs), groupInputs);

  SmallVector<Value> taps;
  for (int64_t extent : op.getKernelExtents())
    taps.push_back(index.constant(extent));
  return emitter.nest(
      taps, frame.placeholder(sum),
      [&](ArrayRef<Value> tap, ValueRange carried) -> SmallVector<Value> {
        // Where the tap lies among the points of the input and the zeros
        // between them.
        SmallVector<Value> at = {indices[0]};
        Value inside;
        auto require = [&](Value condition) {
          inside = inside ? emitter.both(inside, condition) : condition;
        };
        for (unsigned dim = 0; dim < spatial; ++dim) {
          int64_t dilation = op.getLhsDilation()[dim];
          int64_t dilated =
              input[dim + 1] == 0 ? 0 : (input[dim + 1] - 1) * dilation + 1;
          Value place = index.add(
              index.at(index.mul(indices[dim + 1], op.getStrides()[dim]),
                       tap[dim], op.getRhsDilation()[dim]),
              -op.getPadding()[2 * dim]);
          require(emitter.isWithin(place, dilated));
          if (dilation > 1) {
            require(arith::CmpIOp::create(
                builder, loc, arith::CmpIPredicate::eq,
                index.rem(place, dilation), index.constant(0)));
            place = index.div(place, dilation);
          }
          at.push_back(place);
        }
        auto channels = [&]() -> SmallVector<Value> {
          return emitter.nest(
              {index.constant(groupInputs)}, carried,
              [&](ArrayRef<Value> channel,
                  ValueRange partial) -> SmallVector<Value> {
                SmallVector<Value> from(at), filter(tap);
                from.push_back(index.add(firstInput, channel[0]));
                filter.append({channel[0], indices.back()});
                Value left = emitter.element(op.getInput(), from);
                Value right = emitter.element(op.getWeights(), filter);
                left = widen(emitter, left, op.getLhsElement(), sum);
                right = widen(emitter, right, op.getRhsElement(), sum);
                return {multiplyAdd(emitter, left, right, partial[0])};
              });
        };
        return emitter.choose(inside, carried.getTypes(), channels,
                              [&] { return SmallVector<Value>(carried); });
      });
}

} // namespace heddle
