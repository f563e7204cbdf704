// Sorts without an order among threads: each counts how many elements of its
// row go before its own, which is the place where it belongs.

#include "passes/Kernel/Gpu/ElementEmitter.h"

#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

/// The number of places of a row of `extent` at which another element stands
/// that `goesBefore` the one at `own`; of equal ones the earlier goes first.
static Value rankOf(ElementEmitter &emitter, Value own, int64_t extent,
                    function_ref<Value(Value other, bool swapped)> goesBefore) {
  IndexBuilder &index = emitter.index;
  OpBuilder &builder = emitter.builder;
  Location loc = index.loc;
  auto count = [&](ArrayRef<Value> other,
                   ValueRange carried) -> SmallVector<Value> {
    Value isEarlier = index.less(other[0], own);
    // An earlier one goes before unless the own goes before it.
    Value ownFirst = goesBefore(other[0], /*swapped=*/true);
    Value truth =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value notOwnFirst = arith::XOrIOp::create(builder, loc, ownFirst, truth);
    Value before =
        arith::SelectOp::create(builder, loc, isEarlier, notOwnFirst,
                                goesBefore(other[0], /*swapped=*/false));
    Value one = arith::IndexCastUIOp::create(builder, loc,
                                             builder.getIndexType(), before);
    return {index.add(carried[0], one)};
  };
  return emitter.nest({index.constant(extent)}, ValueRange(index.constant(0)),
                      count)[0];
}

/// The elements of `tensors` at `indices`, with `place` in dimension `dim`.
static SmallVector<Value> elementsAt(ElementEmitter &emitter,
                                     ValueRange tensors,
                                     ArrayRef<Value> indices, unsigned dim,
                                     Value place) {
  SmallVector<Value> at(indices), values;
  at[dim] = place;
  for (Value tensor : tensors)
    values.push_back(emitter.element(tensor, at));
  return values;
}

void emitRankedSort(ElementEmitter &emitter, kernel::SortOp op) {
  GridFrame &frame = emitter.frame;
  unsigned dim = op.getDimension();
  ArrayRef<int64_t> shape = shapeOf(op.getInputs()[0]);
  int64_t count = typeOf(op.getInputs()[0]).getNumElements();
  frame.forEach(count, [&](Value number) {
    SmallVector<Value> indices = frame.delinearize(number, shape);
    SmallVector<Value> own =
        elementsAt(emitter, op.getInputs(), indices, dim, indices[dim]);
    auto goesBefore = [&](Value other, bool swapped) {
      SmallVector<Value> pairs;
      for (auto [mine, theirs] : llvm::zip_equal(
               own, elementsAt(emitter, op.getInputs(), indices, dim, other)))
        pairs.append({swapped ? mine : theirs, swapped ? theirs : mine});
      return emitter.inlineRegion(op.getBody().front(), pairs)[0];
    };
    indices[dim] = rankOf(emitter, indices[dim], shape[dim], goesBefore);
    for (auto [value, output] : llvm::zip_equal(own, op.getOutputs()))
      if (Value buffer = frame.buffer(output)) // else nobody asks for it
        frame.store(value, buffer, emitter.position(indices, shape));
  });
}

void emitRankedTopK(ElementEmitter &emitter, kernel::TopKOp op) {
  GridFrame &frame = emitter.frame;
  IndexBuilder &index = emitter.index;
  OpBuilder &builder = emitter.builder;
  Location loc = index.loc;
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  ArrayRef<int64_t> chosen = shapeOf(op.getValues());
  unsigned dim = shape.size() - 1;
  Type element = elementOf(op.getInput());
  using arith::CmpFPredicate;
  auto isLarger = [&](Value left, Value right) -> Value {
    if (!isa<FloatType>(element))
      return arith::CmpIOp::create(builder, loc,
                                   element.isInteger(1)
                                       ? arith::CmpIPredicate::ugt
                                       : arith::CmpIPredicate::sgt,
                                   left, right);
    auto compare = [&](CmpFPredicate predicate, Value a, Value b) -> Value {
      return arith::CmpFOp::create(builder, loc, predicate, a, b);
    };
    // NaN is larger than any number, and equal to NaN.
    Value rightIsNumber = compare(CmpFPredicate::ORD, right, right);
    return emitter.both(rightIsNumber,
                        compare(CmpFPredicate::UGT, left, right));
  };
  frame.forEach(typeOf(op.getInput()).getNumElements(), [&](Value number) {
    SmallVector<Value> indices = frame.delinearize(number, shape);
    Value own = emitter.element(op.getInput(), indices);
    auto goesBefore = [&](Value other, bool swapped) {
      Value theirs = elementsAt(emitter, op.getInput(), indices, dim, other)[0];
      return swapped ? isLarger(own, theirs) : isLarger(theirs, own);
    };
    Value rank = rankOf(emitter, indices[dim], shape[dim], goesBefore);
    index.branch(index.less(rank, index.constant(chosen[dim])), [&] {
      Value place = arith::IndexCastOp::create(
          builder, loc, elementOf(op.getIndices()), indices[dim]);
      indices[dim] = rank;
      Value position = emitter.position(indices, chosen);
      if (Value values = frame.buffer(op.getValues()))
        frame.store(own, values, position);
      if (Value places = frame.buffer(op.getIndices()))
        frame.store(place, places, position);
    });
  });
}

} // namespace heddle
