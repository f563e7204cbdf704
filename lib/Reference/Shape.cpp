// Operations that move elements and change none.

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// A result of `shape` whose element at i is the operand's at start + i *
/// strides.
static LogicalResult giveBox(Invocation &call, ArrayRef<int64_t> shape,
                             int64_t start, ArrayRef<int64_t> strides) {
  const HostTensor &operand = call.tensor(0);
  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, shape, operand.type().getElementType());
  if (failed(result))
    return failure();
  copyBox(operand.elementBytes(), shape, operand.bytes().data(), start, strides,
          result->mutableBytes().data(), 0, rowMajorStrides(shape));
  return call.give(std::move(*result));
}

static LogicalResult constant(Invocation &call, stablehlo::ConstantOp op) {
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  FailureOr<HostTensor> tensor = call.evaluator.constant(op, elements);
  if (failed(tensor))
    return failure();
  call.results.push_back(std::move(*tensor));
  return success();
}

static LogicalResult transpose(Invocation &call, stablehlo::TransposeOp op) {
  const HostTensor &operand = call.tensor(0);
  Extents own = rowMajorStrides(operand.shape()), shape, strides;
  for (int64_t dimension : op.getPermutation()) {
    shape.push_back(operand.dim(dimension));
    strides.push_back(own[dimension]);
  }
  return giveBox(call, shape, 0, strides);
}

static LogicalResult slice(Invocation &call, stablehlo::SliceOp op) {
  const HostTensor &operand = call.tensor(0);
  Extents own = rowMajorStrides(operand.shape()), shape, strides;
  int64_t start = 0;
  for (auto [d, first] : llvm::enumerate(op.getStartIndices())) {
    int64_t limit = op.getLimitIndices()[d], step = op.getStrides()[d];
    if (first < 0 || limit < first || limit > operand.dim(d) || step <= 0)
      return call.error() << "slices outside of its operand";
    shape.push_back((limit - first + step - 1) / step);
    strides.push_back(own[d] * step);
    start += own[d] * first;
  }
  return giveBox(call, shape, start, strides);
}

static LogicalResult reverse(Invocation &call, stablehlo::ReverseOp op) {
  const HostTensor &operand = call.tensor(0);
  Extents strides = rowMajorStrides(operand.shape());
  int64_t start = 0;
  for (int64_t dimension : op.getDimensions()) {
    start += (operand.dim(dimension) - 1) * strides[dimension];
    strides[dimension] = -strides[dimension];
  }
  return giveBox(call, operand.shape(), start, strides);
}

static LogicalResult reshape(Invocation &call, stablehlo::ReshapeOp op) {
  const HostTensor &operand = call.tensor(0);
  auto type = cast<RankedTensorType>(op.getType());
  if (!type.hasStaticShape())
    return call.error() << "has a result of unknown shape";
  if (numElements(type.getShape()) != operand.size())
    return call.error() << "changes the number of elements";
  return call.give(operand.reshaped(
      RankedTensorType::get(type.getShape(), operand.type().getElementType())));
}

static LogicalResult broadcastInDim(Invocation &call,
                                    ArrayRef<int64_t> dimensions,
                                    ArrayRef<int64_t> shape) {
  const HostTensor &operand = call.tensor(0);
  Extents own = rowMajorStrides(operand.shape()), strides(shape.size(), 0);
  for (auto [from, to] : llvm::enumerate(dimensions)) {
    if (to < 0 || to >= int64_t(shape.size()) ||
        (operand.dim(from) != 1 && operand.dim(from) != shape[to]))
      return call.error() << "cannot broadcast dimension " << from << " of "
                          << operand.type() << " to " << shape[to];
    strides[to] = operand.dim(from) == 1 ? 0 : own[from];
  }
  return giveBox(call, shape, 0, strides);
}

static LogicalResult broadcastInDim(Invocation &call,
                                    stablehlo::BroadcastInDimOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  return broadcastInDim(call, op.getBroadcastDimensions(), type.getShape());
}

/// A shape that was computed, as integers; none if one is negative.
static FailureOr<Extents> computedShape(Invocation &call, unsigned operand) {
  Extents shape;
  for (int64_t i = 0; i < call.tensor(operand).size(); ++i) {
    shape.push_back(call.tensor(operand).intAt(i));
    if (shape.back() < 0)
      return call.error() << "computes a negative dimension";
  }
  return shape;
}

static LogicalResult
dynamicBroadcastInDim(Invocation &call, stablehlo::DynamicBroadcastInDimOp op) {
  FailureOr<Extents> shape = computedShape(call, 1);
  if (failed(shape))
    return failure();
  return broadcastInDim(call, op.getBroadcastDimensions(), *shape);
}

static LogicalResult dynamicReshape(Invocation &call,
                                    stablehlo::DynamicReshapeOp op) {
  const HostTensor &operand = call.tensor(0);
  FailureOr<Extents> shape = computedShape(call, 1);
  if (failed(shape))
    return failure();
  auto type = RankedTensorType::get(*shape, operand.type().getElementType());
  if (HostTensor::byteSize(type) != operand.bytes().size())
    return call.error() << "changes the number of elements";
  return call.give(operand.reshaped(type));
}

static LogicalResult broadcast(Invocation &call, stablehlo::BroadcastOp op) {
  const HostTensor &operand = call.tensor(0);
  Extents shape(op.getBroadcastSizes()), strides(shape.size(), 0);
  llvm::append_range(shape, operand.shape());
  llvm::append_range(strides, rowMajorStrides(operand.shape()));
  return giveBox(call, shape, 0, strides);
}

static LogicalResult concatenate(Invocation &call,
                                 stablehlo::ConcatenateOp op) {
  return applyConcatenate(call, op.getDimension());
}

LogicalResult reference::applyConcatenate(Invocation &call, int64_t dimension) {
  Extents shape(call.tensor(0).shape());
  shape[dimension] = 0;
  for (const InterpreterValue &operand : call.operands)
    shape[dimension] += operand.tensor.dim(dimension);
  // Where f32 is evaluated as f64, constants still are f32.
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  Extents strides = rowMajorStrides(shape);
  char *out = result->mutableBytes().data();
  int64_t offset = 0;
  for (const InterpreterValue &operand : call.operands) {
    FailureOr<HostTensor> part =
        call.evaluator.as(call.op, operand.tensor, call.resultElement());
    if (failed(part))
      return failure();
    for (auto [d, extent] : llvm::enumerate(part->shape()))
      if (int64_t(d) != dimension && extent != shape[d])
        return call.error() << "has operands of different shapes";
    copyBox(part->elementBytes(), part->shape(), part->bytes().data(), 0,
            rowMajorStrides(part->shape()), out, offset * strides[dimension],
            strides);
    offset += part->dim(dimension);
  }
  return call.give(std::move(*result));
}

/// Padding with `low` and `high` elements outside and `interior` ones between
/// two; negative low and high cut.
static LogicalResult pad(Invocation &call, ArrayRef<int64_t> low,
                         ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  FailureOr<HostTensor> result =
      padTensor(call.evaluator, call.op, call.tensor(0), call.tensor(1), low,
                high, interior);
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

FailureOr<HostTensor> reference::padTensor(Evaluator &evaluator, Operation *op,
                                           const HostTensor &operand,
                                           const HostTensor &value,
                                           ArrayRef<int64_t> low,
                                           ArrayRef<int64_t> high,
                                           ArrayRef<int64_t> interior) {
  Extents shape, from(operand.rank(), 0), count, to;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    int64_t step = interior[d] + 1, extent = operand.dim(d);
    int64_t inner = extent == 0 ? 0 : (extent - 1) * step + 1;
    int64_t padded = inner + low[d] + high[d];
    if (interior[d] < 0)
      return heddle::emitError(op->getLoc(), ErrorCode::ProgramFault)
             << "negative interior padding";
    shape.push_back(std::max<int64_t>(padded, 0));
    // Elements before the result's first are skipped, as are those past its
    // last.
    int64_t first = low[d] < 0 ? (-low[d] + step - 1) / step : 0;
    int64_t last =
        shape[d] - 1 - low[d] < 0 ? -1 : (shape[d] - 1 - low[d]) / step;
    last = std::min(last, extent - 1);
    from[d] = first;
    to.push_back(low[d] + first * step);
    count.push_back(std::max<int64_t>(last - first + 1, 0));
  }
  Type element = operand.type().getElementType();
  FailureOr<HostTensor> result = evaluator.allocate(op, shape, element);
  if (failed(result))
    return failure();
  FailureOr<HostTensor> fill = evaluator.as(op, value, element);
  if (failed(fill))
    return failure();
  char *out = result->mutableBytes().data();
  Extents strides = rowMajorStrides(shape);
  Extents zeros(shape.size(), 0);
  copyBox(operand.elementBytes(), shape, fill->bytes().data(), 0, zeros, out, 0,
          strides);
  Extents own = rowMajorStrides(operand.shape()), steps;
  int64_t fromOffset = 0, toOffset = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    fromOffset += from[d] * own[d];
    toOffset += to[d] * strides[d];
    steps.push_back(strides[d] * (interior[d] + 1));
  }
  copyBox(operand.elementBytes(), count, operand.bytes().data(), fromOffset,
          own, out, toOffset, steps);
  return result;
}

static LogicalResult pad(Invocation &call, stablehlo::PadOp op) {
  return pad(call, op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
             op.getInteriorPadding());
}

static Extents integers(const HostTensor &tensor) {
  Extents values;
  for (int64_t i = 0; i < tensor.size(); ++i)
    values.push_back(tensor.intAt(i));
  return values;
}

static LogicalResult dynamicPad(Invocation &call, stablehlo::DynamicPadOp) {
  return pad(call, integers(call.tensor(2)), integers(call.tensor(3)),
             integers(call.tensor(4)));
}

static LogicalResult realDynamicSlice(Invocation &call,
                                      stablehlo::RealDynamicSliceOp) {
  const HostTensor &operand = call.tensor(0);
  Extents starts = integers(call.tensor(1)), limits = integers(call.tensor(2)),
          steps = integers(call.tensor(3));
  Extents own = rowMajorStrides(operand.shape()), shape, strides;
  int64_t start = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (starts[d] < 0 || limits[d] < starts[d] || limits[d] > operand.dim(d) ||
        steps[d] <= 0)
      return call.error() << "slices outside of its operand";
    shape.push_back((limits[d] - starts[d] + steps[d] - 1) / steps[d]);
    strides.push_back(own[d] * steps[d]);
    start += own[d] * starts[d];
  }
  return giveBox(call, shape, start, strides);
}

/// Counts along one dimension.
static LogicalResult iota(Invocation &call, ArrayRef<int64_t> shape,
                          int64_t dimension) {
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  if (result->size() == 0)
    return call.give(std::move(*result));
  // One run along the dimension, spread over the others.
  int64_t extent = shape[dimension];
  FailureOr<HostTensor> line = call.allocate({extent});
  if (failed(line))
    return failure();
  for (int64_t i = 0; i < extent; ++i) {
    if (elementClass(line->kind()) == ElementClass::Float)
      line->set(i, double(i));
    else if (elementClass(line->kind()) == ElementClass::Complex)
      line->set(i, std::complex<double>(i, 0));
    else
      line->set(i, i);
  }
  Extents from(shape.size(), 0);
  from[dimension] = 1;
  copyBox(line->elementBytes(), shape, line->bytes().data(), 0, from,
          result->mutableBytes().data(), 0, rowMajorStrides(shape));
  return call.give(std::move(*result));
}

static LogicalResult iota(Invocation &call, stablehlo::IotaOp op) {
  return iota(call, cast<RankedTensorType>(op.getType()).getShape(),
              op.getIotaDimension());
}

static LogicalResult dynamicIota(Invocation &call,
                                 stablehlo::DynamicIotaOp op) {
  FailureOr<Extents> shape = computedShape(call, 0);
  if (failed(shape))
    return failure();
  return iota(call, *shape, op.getIotaDimension());
}

/// Bits under another type. Wider elements become a last dimension of narrower
/// ones, least significant first, and the other way round.
static LogicalResult bitcastConvert(Invocation &call,
                                    stablehlo::BitcastConvertOp op) {
  const HostTensor &given = call.tensor(0);
  // The bits are those of the program's own types, whatever f32 is evaluated
  // in.
  Type from = cast<ShapedType>(op.getOperand().getType()).getElementType();
  Type to = cast<ShapedType>(op.getType()).getElementType();
  FailureOr<HostTensor> operand = call.evaluator.as(op, given, from);
  if (failed(operand))
    return failure();
  ElementKind target = *elementKind(to);
  unsigned ownBits = bitWidth(operand->kind()), bits = bitWidth(target);
  Extents shape(operand->shape());
  if (bits < ownBits) {
    shape.push_back(ownBits / bits);
  } else if (bits > ownBits) {
    if (shape.empty() || shape.back() != bits / ownBits)
      return call.error() << "needs a last dimension of " << bits / ownBits;
    shape.pop_back();
  }
  FailureOr<HostTensor> result = call.evaluator.allocate(op, shape, to);
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  unsigned narrow = std::min(bits, ownBits);
  if (narrow >= 8) {
    ArrayRef<char> bytes = operand->bytes();
    std::copy(bytes.begin(), bytes.end(), out);
  } else {
    // Elements below a byte are stored one per byte: take them apart.
    unsigned groups = std::max(bits, ownBits) / narrow;
    int64_t wide = std::min(operand->size(), result->size());
    uint64_t mask = (uint64_t(1) << narrow) - 1;
    for (int64_t i = 0; i < wide; ++i) {
      uint64_t whole = 0;
      auto load = [](const HostTensor &tensor, int64_t index) {
        uint64_t value = 0;
        std::copy_n(tensor.element(index), tensor.elementBytes(),
                    reinterpret_cast<char *>(&value));
        return value;
      };
      if (bits <= ownBits)
        whole = load(*operand, i);
      else
        for (unsigned g = 0; g < groups; ++g)
          whole |= (load(*operand, i * groups + g) & mask) << (g * narrow);
      // Integers go through storing, which extends them.
      auto store = [&](int64_t index, uint64_t value) {
        char *at = out + index * result->elementBytes();
        if (elementClass(target) == ElementClass::Float)
          std::copy_n(reinterpret_cast<char *>(&value), result->elementBytes(),
                      at);
        else
          storeElements(target, &value, 1, at);
      };
      if (bits >= ownBits)
        store(i, whole);
      else
        for (unsigned g = 0; g < groups; ++g)
          store(i * groups + g, (whole >> (g * narrow)) & mask);
    }
  }
  FailureOr<HostTensor> evaluated =
      call.evaluator.as(op, *result, call.resultElement());
  if (failed(evaluated))
    return failure();
  return call.give(std::move(*evaluated));
}

static LogicalResult getDimensionSize(Invocation &call,
                                      stablehlo::GetDimensionSizeOp op) {
  FailureOr<HostTensor> result = call.allocate({});
  if (failed(result))
    return failure();
  result->set(0, call.tensor(0).dim(op.getDimension()));
  return call.give(std::move(*result));
}

/// Keeps the first `size` elements of a dimension: the rest of a bounded tensor
/// does not exist here.
static LogicalResult setDimensionSize(Invocation &call,
                                      stablehlo::SetDimensionSizeOp op) {
  const HostTensor &operand = call.tensor(0);
  Extents shape(operand.shape());
  int64_t size = call.tensor(1).intAt(0);
  if (size < 0 || size > shape[op.getDimension()])
    return call.error() << "sets a size of " << size << " in "
                        << operand.type();
  shape[op.getDimension()] = size;
  return giveBox(call, shape, 0, rowMajorStrides(operand.shape()));
}

FailureOr<HostTensor> Evaluator::as(Operation *op, const HostTensor &tensor,
                                    Type element) {
  if (tensor.type().getElementType() == element)
    return tensor;
  FailureOr<HostTensor> result = allocate(op, tensor.shape(), element);
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  Complex block[64];
  for (int64_t i = 0; i < tensor.size(); i += 64) {
    size_t count = std::min<int64_t>(64, tensor.size() - i);
    char *to = out + i * result->elementBytes();
    if (elementClass(tensor.kind()) == ElementClass::Complex) {
      loadElements(tensor.kind(), tensor.element(i), count, block);
      storeElements(result->kind(), block, count, to);
    } else {
      double *reals = reinterpret_cast<double *>(block);
      loadElements(tensor.kind(), tensor.element(i), count, reals);
      storeElements(result->kind(), reals, count, to);
    }
  }
  return result;
}

void reference::addShapeOperations(Registry &registry) {
  using namespace stablehlo;
  registry.add<ConstantOp, constant>();
  registry.add<TransposeOp, transpose>();
  registry.add<SliceOp, slice>();
  registry.add<ReverseOp, reverse>();
  registry.add<ReshapeOp, reshape>();
  registry.add<BroadcastInDimOp, broadcastInDim>();
  registry.add<BroadcastOp, broadcast>();
  registry.add<ConcatenateOp, concatenate>();
  registry.add<PadOp, pad>();
  registry.add<IotaOp, iota>();
  registry.add<BitcastConvertOp, bitcastConvert>();
  registry.add<GetDimensionSizeOp, getDimensionSize>();
  registry.add<SetDimensionSizeOp, setDimensionSize>();
}

void reference::addDynamicOperations(Registry &registry) {
  using namespace stablehlo;
  registry.add<DynamicBroadcastInDimOp, dynamicBroadcastInDim>();
  registry.add<DynamicReshapeOp, dynamicReshape>();
  registry.add<DynamicPadOp, dynamicPad>();
  registry.add<DynamicIotaOp, dynamicIota>();
  registry.add<RealDynamicSliceOp, realDynamicSlice>();
}
