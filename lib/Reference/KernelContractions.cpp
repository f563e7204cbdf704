// The kernel dialect's roots with arithmetic: contraction, convolution,
// attention.

#include "Convolution.h"
#include "Matmul.h"

#include "dialects/Kernel/Kernel.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static Extents select(ArrayRef<int64_t> values, ArrayRef<unsigned> dimensions) {
  Extents result;
  for (unsigned d : dimensions)
    result.push_back(values[d]);
  return result;
}

static Extents joined(Extents first, ArrayRef<int64_t> second) {
  llvm::append_range(first, second);
  return first;
}

/// The tensor with the elements that the model has where it holds their bits.
static HostTensor asModelled(const HostTensor &tensor, Type element) {
  if (tensor.type().getElementType() == element)
    return tensor;
  return tensor.reshaped(RankedTensorType::get(tensor.shape(), element));
}

/// A packed operand as the row-major tensor of `shape` that it stores.
static FailureOr<HostTensor> unpack(Invocation &call, const HostTensor &packed,
                                    StringRef packing, ArrayRef<int64_t> shape,
                                    Type element) {
  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, shape, element);
  if (succeeded(result))
    kernel::unpackElements(packing, result->type(), packed.bytes().data(),
                           result->mutableBytes().data());
  return result;
}

/// Offsets of all points of a box, in row-major order.
static std::vector<int64_t> offsetsOf(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> strides) {
  std::vector<int64_t> offsets(numElements(shape));
  IndexWalk walk(shape, strides);
  for (int64_t &offset : offsets) {
    offset = walk.offset();
    walk.next();
  }
  return offsets;
}

/// Which points of a box lie beyond a limit, in row-major order; none are where
/// the list is empty.
static std::vector<bool> beyondLimits(Invocation &call, kernel::ContractOp op,
                                      ArrayRef<unsigned> dims) {
  SmallVector<int64_t> limits;
  bool any = false;
  for (unsigned dim : dims) {
    int64_t limit = op.getExtents()[dim];
    for (auto [i, limited] : llvm::enumerate(op.getLimited()))
      if (limited == static_cast<int64_t>(dim))
        limit = call.tensor(2 + i).intAt(0);
    any |= limit != op.getExtents()[dim];
    limits.push_back(limit);
  }
  if (!any)
    return {};
  Extents shape = select(op.getExtents(), dims);
  std::vector<bool> beyond(numElements(shape));
  IndexWalk walk(shape, Extents(shape.size(), 0));
  for (size_t i = 0; i < beyond.size(); ++i, walk.next())
    for (auto [position, limit] : llvm::zip_equal(walk.indices(), limits))
      beyond[i] = beyond[i] || position >= limit;
  return beyond;
}

/// What nobody may read: a number that shows if somebody does.
template <typename T> static T unspecified() {
  if constexpr (std::is_same_v<T, uint64_t>)
    return 0x7fa5a5a5a5a5a5a5;
  else
    return T(std::numeric_limits<double>::quiet_NaN());
}

template <typename T>
static LogicalResult contract(Invocation &call, kernel::ContractOp op,
                              HostTensor &result) {
  HostTensor lhs = asModelled(call.tensor(0), op.getLhsElement()),
             rhs = call.tensor(1);
  kernel::ContractOp::Dims dims = op.getDims();
  ArrayRef<int64_t> extents = op.getExtents();
  auto left = kernel::linearAccess(op.getLhsMap(), lhs.type());
  auto out = kernel::linearAccess(op.getOutMap(), result.type());
  bool packed = op.getRhsPacking().has_value();
  std::optional<kernel::LinearAccess> right;
  if (!packed) {
    rhs = asModelled(rhs, op.getRhsElement());
    right = kernel::linearAccess(op.getRhsMap(), rhs.type());
  }
  if (!left || !out || (!packed && !right))
    return call.error(ErrorCode::NotInterpretable)
           << "has a map that is not linear";

  Extents batchShape = select(extents, dims.batch),
          mShape = select(extents, dims.m), nShape = select(extents, dims.n),
          kShape = select(extents, dims.k);
  int64_t m = numElements(mShape), n = numElements(nShape),
          k = numElements(kShape);
  std::vector<int64_t> rows = offsetsOf(mShape, select(out->strides, dims.m));
  std::vector<int64_t> columns =
      offsetsOf(nShape, select(out->strides, dims.n));
  std::vector<T> a(m * k), b(k * n), c;
  std::vector<bool> noBatch = beyondLimits(call, op, dims.batch),
                    noRow = beyondLimits(call, op, dims.m),
                    noColumn = beyondLimits(call, op, dims.n),
                    noSummand = beyondLimits(call, op, dims.k);

  // In a packed operand batches are in the order of its map.
  Extents packedBatch(dims.batch.size(), 0);
  if (packed) {
    AffineMap map = op.getRhsMap();
    Extents matrices;
    for (size_t i = 0; i < dims.batch.size(); ++i)
      matrices.push_back(extents[map.getDimPosition(i)]);
    int64_t stride = k * n;
    for (size_t i = dims.batch.size(); i-- > 0;) {
      unsigned dimension = map.getDimPosition(i);
      packedBatch[llvm::find(dims.batch, dimension) - dims.batch.begin()] =
          stride;
      stride *= extents[dimension];
    }
    matrices.append({k, n});
    FailureOr<HostTensor> whole =
        unpack(call, rhs, *op.getRhsPacking(), matrices, op.getRhsElement());
    if (failed(whole))
      return failure();
    rhs = std::move(*whole);
  }

  IndexWalk leftBatch(batchShape, select(left->strides, dims.batch),
                      left->offset);
  IndexWalk rightBatch(
      batchShape, packed ? packedBatch : select(right->strides, dims.batch),
      packed ? 0 : right->offset);
  IndexWalk outBatch(batchShape, select(out->strides, dims.batch), out->offset);
  char *bytes = result.mutableBytes().data();
  unsigned width = result.elementBytes();
  for (int64_t batch = 0; batch < numElements(batchShape);
       ++batch, leftBatch.next(), rightBatch.next(), outBatch.next()) {
    loadBox(
        lhs, joined(mShape, kShape), leftBatch.offset(),
        joined(select(left->strides, dims.m), select(left->strides, dims.k)),
        a.data());
    if (packed)
      loadBox(rhs, {k, n}, rightBatch.offset(), {n, 1}, b.data());
    else
      loadBox(rhs, joined(kShape, nShape), rightBatch.offset(),
              joined(select(right->strides, dims.k),
                     select(right->strides, dims.n)),
              b.data());
    for (int64_t l = 0; l < (noSummand.empty() ? 0 : k); ++l) {
      if (!noSummand[l])
        continue;
      for (int64_t i = 0; i < m; ++i)
        a[i * k + l] = T(0);
      std::fill_n(b.begin() + l * n, n, T(0));
    }
    c.assign(m * n, T(0));
    multiplyMatrices(call.evaluator.options.threads, m, n, k, a.data(),
                     b.data(), c.data());
    auto isBeyond = [](const std::vector<bool> &list, int64_t i) {
      return !list.empty() && list[i];
    };
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (isBeyond(noBatch, batch) || isBeyond(noRow, i) ||
            isBeyond(noColumn, j))
          c[i * n + j] = unspecified<T>();
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        storeSums(result.kind(), &c[i * n + j], 1,
                  bytes + (outBatch.offset() + rows[i] + columns[j]) * width);
  }
  return success();
}

static LogicalResult contract(Invocation &call, kernel::ContractOp op) {
  FailureOr<HostTensor> result =
      call.allocate(cast<RankedTensorType>(op.getType()).getShape());
  if (failed(result))
    return failure();
  ElementKind sums = *elementKind(op.getSumElement());
  if (result->size() != 0 && failed(withSumType(sums, [&](auto sum) {
        return contract<decltype(sum)>(call, op, *result);
      })))
    return failure();
  return call.give(std::move(*result));
}

static LogicalResult convolve(Invocation &call, kernel::ConvolutionOp op) {
  int64_t spatial = op.getNumSpatialDims();
  Window window;
  Extents inner, taps;
  for (int64_t d = 0; d < spatial; ++d) {
    inner.push_back(d + 1);
    taps.push_back(d);
    window.strides.push_back(op.getStrides()[d]);
    window.low.push_back(op.getPadding()[2 * d]);
    window.high.push_back(op.getPadding()[2 * d + 1]);
    window.lhsDilation.push_back(op.getLhsDilation()[d]);
    window.rhsDilation.push_back(op.getRhsDilation()[d]);
    window.reversal.push_back(false);
  }
  window.featureGroups = op.getGroups();
  window.sums = elementKind(op.getSumElement());
  window.numbers = stablehlo::ConvDimensionNumbersAttr::get(
      op.getContext(), /*inputBatchDimension=*/0,
      /*inputFeatureDimension=*/spatial + 1, inner,
      /*kernelInputFeatureDimension=*/spatial,
      /*kernelOutputFeatureDimension=*/spatial + 1, taps,
      /*outputBatchDimension=*/0, /*outputFeatureDimension=*/spatial + 1,
      inner);
  ValueVector operands(call.operands.begin(), call.operands.end());
  if (op.getWeightsPacking()) {
    Extents shape(op.getKernelExtents());
    shape.push_back(call.tensor(0).shape().back() / op.getGroups());
    shape.push_back(cast<RankedTensorType>(op.getType()).getShape().back());
    FailureOr<HostTensor> weights =
        unpack(call, call.tensor(1), *op.getWeightsPacking(), shape,
               op.getRhsElement());
    if (failed(weights))
      return failure();
    operands[1] = std::move(*weights);
  }
  operands[0] = asModelled(call.tensor(0), op.getLhsElement());
  operands[1] = asModelled(operands[1].tensor, op.getRhsElement());
  Invocation unpacked{call.evaluator, op, operands, call.results};
  return applyConvolution(unpacked, window);
}

/// By the definition: scores, their softmax, sums of values; in double.
static LogicalResult attention(Invocation &call, kernel::AttentionOp op) {
  FailureOr<HostTensor> result = call.allocate(
      cast<RankedTensorType>(op.getResult().getType()).getShape());
  if (failed(result))
    return failure();
  ArrayRef<int64_t> extents = op.getExtents();
  unsigned batches = op.getNumBatchDims();
  std::optional<HostTensor> logarithms;
  if (op.getLogSumExp()) {
    FailureOr<HostTensor> tensor =
        call.allocate(extents.take_front(batches + 1), 1);
    if (failed(tensor))
      return failure();
    logarithms = std::move(*tensor);
  }
  // Operands that an attention need not have are the last ones.
  unsigned next = 3;
  auto numberOf = [&](Value operand) { return operand ? next++ : 0; };
  unsigned maskNumber = numberOf(op.getMask()),
           lengthsNumber = numberOf(op.getLengths()),
           sinkNumber = numberOf(op.getSink());
  auto access = [&](AffineMap map, unsigned operand) {
    return map ? kernel::linearAccess(map, call.tensor(operand).type())
               : kernel::LinearAccess();
  };
  auto query = access(op.getQueryMap(), 0), key = access(op.getKeyMap(), 1),
       value = access(op.getValueMap(), 2),
       mask = access(op.getMaskMap(), maskNumber),
       lengths = access(op.getLengthsMap(), lengthsNumber),
       sinks = access(op.getSinkMap(), sinkNumber);
  auto out = kernel::linearAccess(op.getOutMap(), result->type());
  if (!query || !key || !value || !mask || !lengths || !sinks || !out)
    return call.error(ErrorCode::NotInterpretable)
           << "has a map that is not linear";

  int64_t m = extents[batches], n = extents[batches + 1],
          depth = extents[batches + 2], width = extents[batches + 3];
  Extents batchShape(extents.take_front(batches));
  auto walk = [&](const kernel::LinearAccess &linear) {
    return IndexWalk(batchShape, ArrayRef(linear.strides).take_front(batches),
                     linear.offset);
  };
  std::vector<double> q(m * depth), k(n * depth), v(n * width), bias(m * n),
      scores(n), sums(width);
  IndexWalk qs = walk(*query), ks = walk(*key), vs = walk(*value),
            outs = walk(*out);
  std::optional<IndexWalk> masks, lengthWalk, sinkWalk;
  if (maskNumber)
    masks = walk(*mask);
  if (lengthsNumber)
    lengthWalk = walk(*lengths);
  if (sinkNumber)
    sinkWalk = walk(*sinks);
  double scale = op.getScale().convertToFloat();
  bool keeps = maskNumber && call.tensor(maskNumber).kind() == ElementKind::I1;
  for (int64_t batch = 0; batch < numElements(batchShape); ++batch) {
    loadBox(call.tensor(0), {m, depth}, qs.offset(),
            {query->strides[batches], query->strides[batches + 2]}, q.data());
    loadBox(call.tensor(1), {n, depth}, ks.offset(),
            {key->strides[batches + 1], key->strides[batches + 2]}, k.data());
    loadBox(call.tensor(2), {n, width}, vs.offset(),
            {value->strides[batches + 1], value->strides[batches + 3]},
            v.data());
    if (maskNumber)
      loadBox(call.tensor(maskNumber), {m, n}, masks->offset(),
              {mask->strides[batches], mask->strides[batches + 1]},
              bias.data());
    int64_t length = n;
    double sink = 0;
    if (lengthsNumber) {
      double given = 0;
      loadBox(call.tensor(lengthsNumber), {1}, lengthWalk->offset(), {1},
              &given);
      length = std::clamp<double>(given, 0, n);
    }
    if (sinkNumber)
      loadBox(call.tensor(sinkNumber), {1}, sinkWalk->offset(), {1}, &sink);
    for (int64_t i = 0; i < m; ++i) {
      int64_t at = i + (length - m);
      auto isDropped = [&](int64_t j) {
        return (keeps && bias[i * n + j] == 0) || (op.getCausal() && j > at) ||
               (op.getWindow() &&
                at - j >= static_cast<int64_t>(*op.getWindow()));
      };
      double largest = sinkNumber ? sink : -INFINITY, total = 0;
      for (int64_t j = 0; j < length; ++j) {
        double score = 0;
        for (int64_t d = 0; d < depth; ++d)
          score += q[i * depth + d] * k[j * depth + d];
        score *= scale;
        if (maskNumber && !keeps)
          score += bias[i * n + j];
        if (isDropped(j))
          score = -INFINITY;
        scores[j] = score;
        largest = std::isnan(score) ? score : std::max(largest, score);
      }
      std::fill(sums.begin(), sums.end(), 0);
      // The largest score of a row without weights is NaN or infinite.
      bool weighsZero = op.getZeroNanRows() && !std::isfinite(largest);
      if (sinkNumber)
        total += std::exp(sink - largest);
      for (int64_t j = 0; j < length; ++j) {
        double weight = weighsZero ? 0 : std::exp(scores[j] - largest);
        total += weight;
        for (int64_t e = 0; e < width; ++e)
          sums[e] += weight * v[j * width + e];
      }
      for (int64_t e = 0; e < width; ++e)
        result->set(outs.offset() + i * out->strides[batches] +
                        e * out->strides[batches + 3],
                    weighsZero ? sums[e] : sums[e] / total);
      if (logarithms) {
        double logarithm =
            std::isfinite(largest) ? largest + std::log(total) : std::nan("");
        logarithms->set(batch * m + i, weighsZero ? -INFINITY : logarithm);
      }
    }
    for (IndexWalk *each : {&qs, &ks, &vs, &outs})
      each->next();
    for (std::optional<IndexWalk> *each : {&masks, &lengthWalk, &sinkWalk})
      if (*each)
        (*each)->next();
  }
  if (failed(call.give(std::move(*result))))
    return failure();
  return logarithms ? call.give(std::move(*logarithms)) : success();
}

void reference::addKernelContractions(Registry &registry) {
  registry.add<kernel::ContractOp, contract>();
  registry.add<kernel::ConvolutionOp, convolve>();
  registry.add<kernel::AttentionOp, attention>();
}
