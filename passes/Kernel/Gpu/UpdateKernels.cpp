// Roots that change a tensor in its place.

#include "passes/Kernel/Gpu/ElementEmitter.h"

#include "heddle/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

/// An integer as an index. Of an unsigned one the model says nothing here, and
/// what is too large for a place is one that is not there either way.
static Value asIndex(ElementEmitter &emitter, Value integer) {
  return arith::IndexCastOp::create(emitter.builder, emitter.index.loc,
                                    emitter.builder.getIndexType(), integer);
}

void emitUpdateSlice(ElementEmitter &emitter, kernel::DynamicUpdateSliceOp op) {
  GridFrame &frame = emitter.frame;
  IndexBuilder &index = emitter.index;
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  ArrayRef<int64_t> update = shapeOf(op.getUpdate());
  Value buffer = frame.buffer(op.getResult());
  if (!buffer)
    return frame.fail(op, "its result is none of the kernel's");
  frame.forEach(typeOf(op.getUpdate()).getNumElements(), [&](Value number) {
    SmallVector<Value> indices = frame.delinearize(number, update), at;
    for (auto [dim, start] : llvm::enumerate(op.getStarts())) {
      Value first = asIndex(emitter, emitter.element(start, {}));
      first = index.max(first, index.constant(0));
      first = index.min(first, index.constant(shape[dim] - update[dim]));
      at.push_back(index.add(first, indices[dim]));
    }
    frame.store(emitter.element(op.getUpdate(), indices), buffer,
                emitter.position(at, shape));
  });
}

namespace {
/// Where the dimensions of a scatter meet.
struct ScatterDims {
  explicit ScatterDims(kernel::ScatterOp op) {
    int64_t rank = shapeOf(op.getTargets()[0]).size();
    int64_t updateRank = shapeOf(op.getUpdates()[0]).size();
    windowOf.assign(rank, -1);
    unsigned next = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(op.getInsertedWindowDims(), dim) &&
          !llvm::is_contained(op.getInputBatchingDims(), dim))
        windowOf[dim] = op.getUpdateWindowDims()[next++];
    for (int64_t dim = 0; dim < updateRank; ++dim)
      if (!llvm::is_contained(op.getUpdateWindowDims(), dim))
        walked.push_back(dim);
  }
  /// Of each dimension of the target, that of the updates which walks it within
  /// a window; -1 where none does.
  SmallVector<int64_t> windowOf;
  /// Dimensions of the updates that walk the index vectors, in their order.
  SmallVector<int64_t> walked;
};
} // namespace

/// Where the window starts that the index vector at `at` names, by dimension of
/// the target.
static SmallVector<Value>
windowStart(ElementEmitter &emitter, kernel::ScatterOp op, ArrayRef<Value> at) {
  IndexBuilder &index = emitter.index;
  int64_t vectorDim = op.getIndexVectorDim();
  int64_t rank = shapeOf(op.getIndices()).size();
  SmallVector<Value> start(shapeOf(op.getTargets()[0]).size(),
                           index.constant(0));
  SmallVector<Value> place(at);
  if (vectorDim < rank)
    place.insert(place.begin() + vectorDim, index.constant(0));
  for (auto [entry, dim] : llvm::enumerate(op.getScatterDimsToOperandDims())) {
    if (vectorDim < rank)
      place[vectorDim] = index.constant(entry);
    start[dim] = asIndex(emitter, emitter.element(op.getIndices(), place));
  }
  for (auto [dim, batch] : llvm::zip_equal(op.getInputBatchingDims(),
                                           op.getScatterIndicesBatchingDims()))
    start[dim] = place[batch];
  return start;
}

/// A thread has one element of the targets and takes all updates that go there,
/// in their order, so that nothing is written by two threads. It reads all
/// index vectors for that.
void emitScatterElements(ElementEmitter &emitter, kernel::ScatterOp op) {
  GridFrame &frame = emitter.frame;
  IndexBuilder &index = emitter.index;
  ArrayRef<int64_t> target = shapeOf(op.getTargets()[0]);
  ArrayRef<int64_t> update = shapeOf(op.getUpdates()[0]);
  ScatterDims dims(op);
  for (Value output : op.getOutputs())
    if (!frame.buffer(output))
      return frame.fail(op, "a result of it is none of the kernel's");
  int64_t count = typeOf(op.getUpdates()[0]).getNumElements() == 0
                      ? 0
                      : typeOf(op.getTargets()[0]).getNumElements();
  frame.forEach(count, [&](Value number) {
    SmallVector<Value> own = frame.delinearize(number, target), ends, old;
    for (int64_t dim : dims.walked)
      ends.push_back(index.constant(update[dim]));
    for (Value output : op.getOutputs())
      old.push_back(
          frame.load(frame.buffer(output), number, elementOf(output)));
    auto take = [&](ArrayRef<Value> at, ValueRange carried) {
      SmallVector<Value> start = windowStart(emitter, op, at);
      // Whether the own element is in the window.
      SmallVector<Value> place(update.size());
      for (auto [dim, value] : llvm::zip_equal(dims.walked, at))
        place[dim] = value;
      Value isMine;
      auto require = [&](Value condition) {
        isMine = isMine ? emitter.both(isMine, condition) : condition;
      };
      for (unsigned dim = 0; dim < target.size(); ++dim) {
        int64_t walked = dims.windowOf[dim];
        int64_t window = walked < 0 ? 1 : update[walked];
        Value offset = index.sub(own[dim], start[dim]);
        require(emitter.isWithin(offset, window));
        if (walked >= 0)
          place[walked] = offset;
      }
      auto combine = [&] {
        SmallVector<Value> arguments(carried);
        for (Value tensor : op.getUpdates())
          arguments.push_back(emitter.element(tensor, place));
        return emitter.inlineRegion(op.getBody().front(), arguments);
      };
      if (!isMine)
        return combine();
      return emitter.choose(isMine, carried.getTypes(), combine,
                            [&] { return SmallVector<Value>(carried); });
    };
    SmallVector<Value> updated = emitter.nest(ends, old, take);
    for (auto [value, output] : llvm::zip_equal(updated, op.getOutputs()))
      frame.store(value, frame.buffer(output), number);
  });
}

} // namespace heddle
