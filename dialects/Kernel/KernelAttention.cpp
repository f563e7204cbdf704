// The verifier of attention, and what passes ask of it.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/RootVerification.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

Type AttentionOp::getLhsElement() {
  return cast<RankedTensorType>(getQuery().getType()).getElementType();
}
Type AttentionOp::getRhsElement() {
  return cast<RankedTensorType>(getValue().getType()).getElementType();
}
Type AttentionOp::getSumElement() {
  return sumElement(getAccumulator(), getResult());
}
AffineMap AttentionOp::getQueryMap() { return mapAt(getIndexingMaps(), 0); }
AffineMap AttentionOp::getKeyMap() { return mapAt(getIndexingMaps(), 1); }
AffineMap AttentionOp::getValueMap() { return mapAt(getIndexingMaps(), 2); }
AffineMap AttentionOp::getMaskMap() {
  return getMask() ? mapAt(getIndexingMaps(), 3) : AffineMap();
}
AffineMap AttentionOp::getLengthsMap() {
  return getLengths() ? mapAt(getIndexingMaps(), 3 + bool(getMask()))
                      : AffineMap();
}
AffineMap AttentionOp::getSinkMap() {
  return getSink() ? mapAt(getIndexingMaps(), getNumTensors() - 1)
                   : AffineMap();
}
AffineMap AttentionOp::getOutMap() {
  return mapAt(getIndexingMaps(), getNumTensors());
}

Value AttentionOp::getLimit(unsigned dim) { return findLimit(*this, dim); }

void AttentionOp::setLimits(ArrayRef<std::pair<unsigned, Value>> limits) {
  replaceLimits(*this, limits);
}

LogicalResult AttentionOp::verify() {
  ArrayRef<int64_t> extents = getExtents();
  if (extents.size() < 4)
    return emitOpError() << "wants at least the dimensions m, n, d, e";
  if (failed(verifyLimits(*this, getLimits().size(), getLimited(),
                          getNumBatchDims() + 1,
                          "wanted batch dimensions and m in ascending order")))
    return failure();
  unsigned wanted = getNumTensors() + 1;
  if (getIndexingMaps().size() != wanted)
    return emitOpError() << "wants " << wanted << " indexing maps, has "
                         << getIndexingMaps().size();
  unsigned m = extents.size() - 4, n = m + 1, d = m + 2, e = m + 3;
  struct Use {
    StringRef name;
    AffineMap map;
    Value operand;
    SmallVector<unsigned> forbidden;
  };
  SmallVector<Use> reads = {{"query", getQueryMap(), getQuery(), {n, e}},
                            {"key", getKeyMap(), getKey(), {m, e}},
                            {"value", getValueMap(), getValue(), {m, d}}};
  if (getMask())
    reads.push_back({"mask", getMaskMap(), getMask(), {d, e}});
  if (getLengths())
    reads.push_back({"lengths", getLengthsMap(), getLengths(), {m, n, d, e}});
  if (getSink())
    reads.push_back({"sink", getSinkMap(), getSink(), {m, n, d, e}});
  for (const Use &read : reads) {
    if (failed(verifyAccess(*this, read.name, read.map, extents,
                            read.operand.getType())))
      return failure();
    for (unsigned dim : read.forbidden)
      if (read.map.isFunctionOfDim(dim))
        return emitOpError()
               << "map of " << read.name << " " << AffineMapAttr::get(read.map)
               << " may not use d" << dim;
  }
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  if (failed(verifyAccumulator(*this, getAccumulator())) ||
      failed(
          verifyExactness(*this, getScorePrecision(), getScoreAlgorithm())) ||
      failed(verifyExactness(*this, getValuePrecision(), getValueAlgorithm())))
    return failure();
  if (getLengths() && !elementOf(getLengths()).isSignlessInteger(32) &&
      !elementOf(getLengths()).isSignlessInteger(64))
    return emitOpError() << "wants lengths of i32 or i64, not "
                         << elementOf(getLengths());
  if (getSink() && !isa<FloatType>(elementOf(getSink())))
    return emitOpError() << "wants a sink of floats, not "
                         << elementOf(getSink());
  if (getWindow() && static_cast<int64_t>(*getWindow()) < 1)
    return emitOpError() << "wants a window of at least one key, not "
                         << static_cast<int64_t>(*getWindow());
  if (getLogSumExp()) {
    auto type = cast<RankedTensorType>(getLogSumExp().getType());
    if (!type.getElementType().isF32() ||
        type.getShape() != extents.take_front(m + 1))
      return emitOpError() << "gives logarithms of sums as " << type
                           << ", wanted f32 and the shape ["
                           << extents.take_front(m + 1) << "]";
  }
  AffineMap out = getOutMap();
  if (out.getNumDims() != extents.size() || out.isFunctionOfDim(n) ||
      out.isFunctionOfDim(d))
    return emitOpError() << "map of the result " << AffineMapAttr::get(out)
                         << " names the batch dimensions, m and e";
  return verifyOutMap(*this, out, m + 2, extents, getResult().getType());
}
