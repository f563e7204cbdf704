// Operations whose places are computed: dynamic slices, gather, scatter.

#include "Evaluator.h"
#include "Payload.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Start of a slice of `size` along each dimension, moved inside.
static Extents clampedStart(const HostTensor &operand,
                            ArrayRef<InterpreterValue> starts,
                            ArrayRef<int64_t> sizes) {
  Extents start;
  for (auto [d, index] : llvm::enumerate(starts)) {
    int64_t value = index.tensor.intAt(0);
    // An unsigned start beyond all signed ones is past the end.
    if (value < 0 &&
        elementClass(index.tensor.kind()) == ElementClass::Unsigned)
      value = INT64_MAX;
    start.push_back(std::clamp<int64_t>(
        value, 0, std::max<int64_t>(operand.dim(d) - sizes[d], 0)));
  }
  return start;
}

static int64_t dotProduct(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum += x * y;
  return sum;
}

static LogicalResult dynamicSlice(Invocation &call,
                                  stablehlo::DynamicSliceOp op) {
  const HostTensor &operand = call.tensor(0);
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size > operand.dim(d))
      return call.error() << "has a slice larger than its operand";
  Extents start = clampedStart(operand, call.operands.drop_front(), sizes);
  Extents strides = rowMajorStrides(operand.shape());
  FailureOr<HostTensor> result =
      call.evaluator.allocate(op, sizes, operand.type().getElementType());
  if (failed(result))
    return failure();
  copyBox(operand.elementBytes(), sizes, operand.bytes().data(),
          dotProduct(start, strides), strides, result->mutableBytes().data(), 0,
          rowMajorStrides(sizes));
  return call.give(std::move(*result));
}

static LogicalResult dynamicUpdateSlice(Invocation &call,
                                        stablehlo::DynamicUpdateSliceOp) {
  return applyDynamicUpdateSlice(call);
}

LogicalResult reference::applyDynamicUpdateSlice(Invocation &call) {
  Operation *op = call.op;
  Type element = call.resultElement();
  FailureOr<HostTensor> result = call.evaluator.as(op, call.tensor(0), element),
                        update = call.evaluator.as(op, call.tensor(1), element);
  if (failed(result) || failed(update))
    return failure();
  for (int64_t d = 0; d < update->rank(); ++d)
    if (update->dim(d) > result->dim(d))
      return call.error() << "has an update larger than its operand";
  Extents start =
      clampedStart(*result, call.operands.drop_front(2), update->shape());
  Extents strides = rowMajorStrides(result->shape());
  copyBox(update->elementBytes(), update->shape(), update->bytes().data(), 0,
          rowMajorStrides(update->shape()), result->mutableBytes().data(),
          dotProduct(start, strides), strides);
  return call.give(std::move(*result));
}

/// The index vector at `position` of the indices without the vector dimension;
/// its elements go to the operand's dimensions in `map`.
static Extents indexVector(const HostTensor &indices,
                           ArrayRef<int64_t> position, int64_t vectorDim,
                           ArrayRef<int64_t> map, int64_t rank) {
  Extents strides = rowMajorStrides(indices.shape());
  Extents full(rank, 0);
  int64_t base = 0;
  for (auto [i, at] : llvm::enumerate(position))
    base += at * strides[int64_t(i) < vectorDim ? i : i + 1];
  for (auto [i, dimension] : llvm::enumerate(map)) {
    int64_t offset = vectorDim < indices.rank()
                         ? base + int64_t(i) * strides[vectorDim]
                         : base;
    full[dimension] = indices.intAt(offset);
  }
  return full;
}

/// Dimensions of `rank` that are not in `excluded`.
static Extents others(int64_t rank, ArrayRef<int64_t> excluded,
                      ArrayRef<int64_t> excludedToo = {}) {
  Extents result;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(excluded, d) && !llvm::is_contained(excludedToo, d))
      result.push_back(d);
  return result;
}

static Extents select(ArrayRef<int64_t> values, ArrayRef<int64_t> dimensions) {
  Extents result;
  for (int64_t d : dimensions)
    result.push_back(values[d]);
  return result;
}

/// Element of the indices' batch position that a batching dimension stands at.
static int64_t batchPosition(ArrayRef<int64_t> position, int64_t dimension,
                             int64_t vectorDim) {
  return position[dimension < vectorDim ? dimension : dimension - 1];
}

static LogicalResult gather(Invocation &call,
                            stablehlo::GatherDimensionNumbersAttr numbers,
                            ArrayRef<int64_t> sizes) {
  const HostTensor &operand = call.tensor(0), &indices = call.tensor(1);
  int64_t vectorDim = numbers.getIndexVectorDim();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  Extents batchShape;
  for (int64_t d = 0; d < indices.rank(); ++d)
    if (d != vectorDim)
      batchShape.push_back(indices.dim(d));
  Extents offsetSizes = select(
      sizes, others(operand.rank(), numbers.getCollapsedSliceDims(), batching));
  int64_t rank = batchShape.size() + offsetSizes.size();
  Extents batchDims = others(rank, numbers.getOffsetDims());
  Extents shape(rank, 0);
  for (auto [d, extent] : llvm::zip_equal(batchDims, batchShape))
    shape[d] = extent;
  for (auto [d, extent] : llvm::zip_equal(numbers.getOffsetDims(), offsetSizes))
    shape[d] = extent;
  for (int64_t d = 0; d < operand.rank(); ++d)
    if (sizes[d] < 0 || sizes[d] > operand.dim(d))
      return call.error() << "has a slice larger than its operand";

  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, shape, operand.type().getElementType());
  if (failed(result))
    return failure();
  // Where a dropped dimension gives no element there is none to take: zeros.
  bool nothing =
      llvm::any_of(llvm::seq<int64_t>(0, operand.rank()), [&](int64_t d) {
        return sizes[d] == 0 &&
               (llvm::is_contained(batching, d) ||
                llvm::is_contained(numbers.getCollapsedSliceDims(), d));
      });
  if (result->size() == 0 || nothing)
    return call.give(std::move(*result));
  Extents own = rowMajorStrides(operand.shape()), out = rowMajorStrides(shape);
  Extents kept =
      others(operand.rank(), numbers.getCollapsedSliceDims(), batching);
  Extents sliceStrides = select(own, kept),
          outStrides = select(out, numbers.getOffsetDims());
  char *bytes = result->mutableBytes().data();
  IndexWalk batch(batchShape, select(out, batchDims));
  int64_t batches = numElements(batchShape);
  for (int64_t i = 0; i < batches; ++i, batch.next()) {
    Extents start = indexVector(indices, batch.indices(), vectorDim,
                                numbers.getStartIndexMap(), operand.rank());
    for (int64_t d = 0; d < operand.rank(); ++d)
      start[d] = std::clamp<int64_t>(start[d], 0, operand.dim(d) - sizes[d]);
    for (auto [d, index] :
         llvm::zip_equal(batching, numbers.getStartIndicesBatchingDims()))
      start[d] = batchPosition(batch.indices(), index, vectorDim);
    copyBox(operand.elementBytes(), offsetSizes, operand.bytes().data(),
            dotProduct(start, own), sliceStrides, bytes, batch.offset(),
            outStrides);
  }
  return call.give(std::move(*result));
}

static LogicalResult gather(Invocation &call, stablehlo::GatherOp op) {
  return gather(call, op.getDimensionNumbers(), op.getSliceSizes());
}

static LogicalResult dynamicGather(Invocation &call,
                                   stablehlo::DynamicGatherOp op) {
  Extents sizes;
  for (int64_t i = 0; i < call.tensor(2).size(); ++i)
    sizes.push_back(call.tensor(2).intAt(i));
  return gather(call, op.getDimensionNumbers(), sizes);
}

static LogicalResult scatter(Invocation &call, stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  return applyScatter(
      call,
      {numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
       numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims(),
       numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()},
      op.getUpdateComputation().front());
}

LogicalResult reference::applyScatter(Invocation &call,
                                      const ScatterDimensions &numbers,
                                      Block &body) {
  Operation *op = call.op;
  unsigned arity = op->getNumResults();
  const HostTensor &indices = call.tensor(arity);
  const HostTensor &updates = call.tensor(arity + 1);
  int64_t vectorDim = numbers.indexVector;
  ArrayRef<int64_t> batching = numbers.inputBatching;

  SmallVector<HostTensor> results;
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(
        call.evaluator.evaluatedKind(getElementTypeOrSelf(argument.getType())));
  for (unsigned i = 0; i < arity; ++i) {
    FailureOr<HostTensor> result =
        call.evaluator.as(op, call.tensor(i), call.resultElement(i));
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != arity)
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that is no function of scalars";

  Extents shape(results[0].shape()), own = rowMajorStrides(shape);
  Extents windowDims(numbers.updateWindow);
  Extents scatterDims = others(updates.rank(), windowDims);
  Extents kept = others(shape.size(), numbers.insertedWindow, batching);
  // Written through pointers: each mutableBytes call would look for sharers.
  SmallVector<char *> bytes;
  for (HostTensor &result : results)
    bytes.push_back(result.mutableBytes().data());
  IndexWalk walk(updates.shape(), rowMajorStrides(updates.shape()));
  for (int64_t u = 0; u < updates.size(); ++u, walk.next()) {
    Extents position = select(walk.indices(), scatterDims);
    Extents target = indexVector(indices, position, vectorDim,
                                 numbers.indexToOperand, shape.size());
    for (auto [d, index] : llvm::zip_equal(batching, numbers.indicesBatching))
      target[d] = batchPosition(position, index, vectorDim);
    for (auto [d, window] : llvm::zip_equal(kept, windowDims))
      target[d] += walk.indices()[window];
    // What falls outside is left out.
    bool inside = true;
    for (auto [at, extent] : llvm::zip_equal(target, shape))
      inside &= at >= 0 && at < extent;
    if (!inside)
      continue;
    int64_t offset = dotProduct(target, own);
    for (unsigned i = 0; i < arity; ++i) {
      const HostTensor &update = call.tensor(arity + 1 + i);
      payload->argument(i).load(
          results[i].kind(), bytes[i] + offset * results[i].elementBytes(), 1);
      payload->argument(arity + i).load(update.kind(), update.element(u), 1);
    }
    if (failed(payload->run(1)))
      return failure();
    for (unsigned i = 0; i < arity; ++i)
      payload->result(i).store(results[i].kind(), 1,
                               bytes[i] + offset * results[i].elementBytes());
  }
  for (HostTensor &result : results)
    if (failed(call.give(std::move(result))))
      return failure();
  return success();
}

/// Rows of the operand along `dim` picked by index, within batch dimensions
/// that both share.
static LogicalResult torchIndexSelect(Invocation &call,
                                      stablehlo::TorchIndexSelectOp op) {
  const HostTensor &operand = call.tensor(0), &index = call.tensor(1);
  int64_t dim = op.getDim(), batchDims = op.getBatchDims();
  Extents shape(operand.shape().take_front(dim));
  llvm::append_range(shape, index.shape().drop_front(batchDims));
  llvm::append_range(shape, operand.shape().drop_front(dim + 1));
  FailureOr<HostTensor> result =
      call.evaluator.allocate(op, shape, operand.type().getElementType());
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  unsigned width = result->elementBytes();
  Extents own = rowMajorStrides(operand.shape()),
          indexStrides = rowMajorStrides(index.shape());
  int64_t indexRank = index.rank() - batchDims;
  IndexWalk walk(shape, rowMajorStrides(shape));
  for (int64_t i = 0; i < result->size(); ++i, walk.next()) {
    ArrayRef<int64_t> at = walk.indices();
    int64_t place = 0, from = 0;
    for (int64_t d = 0; d < index.rank(); ++d)
      place += indexStrides[d] * at[d < batchDims ? d : dim + d - batchDims];
    int64_t row = index.intAt(place);
    if (row < 0 || row >= operand.dim(dim))
      return call.error() << "has the index " << row << " in "
                          << operand.type();
    for (int64_t d = 0; d < operand.rank(); ++d)
      from += own[d] * (d < dim    ? at[d]
                        : d == dim ? row
                                   : at[d + indexRank - 1]);
    std::copy_n(operand.element(from), width, out + i * width);
  }
  return call.give(std::move(*result));
}

void reference::addIndexing(Registry &registry) {
  using namespace stablehlo;
  registry.add<DynamicSliceOp, dynamicSlice>();
  registry.add<DynamicUpdateSliceOp, dynamicUpdateSlice>();
  registry.add<GatherOp, gather>();
  registry.add<DynamicGatherOp, dynamicGather>();
  registry.add<ScatterOp, scatter>();
  registry.add<TorchIndexSelectOp, torchIndexSelect>();
}
