// Elements of roots that choose among elements: windows, concatenations,
// padding.

#include "passes/Kernel/Gpu/ElementEmitter.h"

#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

/// The place of one dimension of a tensor that has `dilation - 1` points
/// between any two of its `extent`, and whether it is one of the tensor's own.
static std::pair<Value, Value> undilated(ElementEmitter &emitter, Value place,
                                         int64_t extent, int64_t dilation) {
  IndexBuilder &index = emitter.index;
  int64_t dilated = extent == 0 ? 0 : (extent - 1) * dilation + 1;
  Value inside = emitter.isWithin(place, dilated);
  if (dilation == 1)
    return {place, inside};
  Value isPoint = arith::CmpIOp::create(
      emitter.builder, index.loc, arith::CmpIPredicate::eq,
      index.rem(place, dilation), index.constant(0));
  return {index.div(place, dilation), emitter.both(inside, isPoint)};
}

SmallVector<Value> windowElement(ElementEmitter &emitter,
                                 kernel::ReduceWindowOp op,
                                 ArrayRef<Value> indices) {
  IndexBuilder &index = emitter.index;
  ArrayRef<int64_t> input = shapeOf(op.getInputs()[0]);
  SmallVector<Value> inits, ends;
  for (Value init : op.getInits())
    inits.push_back(emitter.scalar(init));
  for (int64_t extent : op.getWindow())
    ends.push_back(index.constant(extent));
  auto point = [&](ArrayRef<Value> tap, ValueRange carried) {
    SmallVector<Value> at;
    Value inside;
    for (unsigned dim = 0; dim < input.size(); ++dim) {
      Value place =
          index.add(index.at(index.mul(indices[dim], op.getStrides()[dim]),
                             tap[dim], op.getWindowDilations()[dim]),
                    -op.getPadding()[2 * dim]);
      auto [own, isOwn] =
          undilated(emitter, place, input[dim], op.getBaseDilations()[dim]);
      at.push_back(own);
      inside = inside ? emitter.both(inside, isOwn) : isOwn;
    }
    auto combine = [&] {
      SmallVector<Value> arguments(carried);
      for (Value tensor : op.getInputs())
        arguments.push_back(emitter.element(tensor, at));
      return emitter.inlineRegion(op.getBody().front(), arguments);
    };
    if (!inside)
      return combine();
    return emitter.choose(inside, carried.getTypes(), combine,
                          [&] { return SmallVector<Value>(carried); });
  };
  return emitter.nest(ends, inits, point);
}

SmallVector<Value> concatenatedElement(ElementEmitter &emitter,
                                       kernel::ConcatenateOp op,
                                       ArrayRef<Value> indices) {
  IndexBuilder &index = emitter.index;
  unsigned dim = op.getDimension();
  SmallVector<Value> parts;
  for (Value input : op.getInputs())
    if (shapeOf(input)[dim] > 0)
      parts.push_back(input);
  auto pick = [&](auto &&pick, ArrayRef<Value> rest,
                  int64_t start) -> SmallVector<Value> {
    SmallVector<Value> at(indices);
    at[dim] = index.add(indices[dim], -start);
    if (rest.size() == 1)
      return {emitter.element(rest[0], at)};
    int64_t end = start + shapeOf(rest[0])[dim];
    return emitter.choose(
        index.less(indices[dim], index.constant(end)),
        elementOf(op.getResult()),
        [&] { return SmallVector<Value>{emitter.element(rest[0], at)}; },
        [&] { return pick(pick, rest.drop_front(), end); });
  };
  return pick(pick, parts, 0);
}

SmallVector<Value> paddedElement(ElementEmitter &emitter, kernel::PadOp op,
                                 ArrayRef<Value> indices) {
  IndexBuilder &index = emitter.index;
  SmallVector<Value> at;
  Value inside;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getInput()))) {
    auto [own, isOwn] =
        undilated(emitter, index.add(indices[dim], -op.getLow()[dim]), extent,
                  op.getInterior()[dim] + 1);
    at.push_back(own);
    inside = inside ? emitter.both(inside, isOwn) : isOwn;
  }
  if (!inside)
    return {emitter.element(op.getInput(), at)};
  return emitter.choose(
      inside, elementOf(op.getResult()),
      [&] { return SmallVector<Value>{emitter.element(op.getInput(), at)}; },
      [&] { return SmallVector<Value>{emitter.scalar(op.getPadding())}; });
}

} // namespace heddle
