// Evaluates a box of a weight's program, operation by operation, from the boxes
// it needs.

#include "BoxEvaluator.h"

#include "dialects/Kernel/LinearAccess.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/ElementKind.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace heddle;
using kernel::rowMajorStrides;

int64_t Box::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Box Box::whole(ArrayRef<int64_t> shape) {
  return {SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)};
}

int64_t heddle::elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

template <typename T>
static void copyElements(ArrayRef<int64_t> sizes, const char *from,
                         ArrayRef<int64_t> fromStrides, char *to,
                         ArrayRef<int64_t> toStrides) {
  // Signed, as strides may be negative.
  constexpr int64_t size = sizeof(T);
  // The two innermost dimensions in loops, the rest by recursion. Source and
  // target may be unaligned.
  if (sizes.size() > 2) {
    for (int64_t i = 0; i < sizes[0]; ++i)
      copyElements<T>(sizes.drop_front(), from + i * fromStrides[0] * size,
                      fromStrides.drop_front(), to + i * toStrides[0] * size,
                      toStrides.drop_front());
    return;
  }
  int64_t rows = sizes.size() == 2 ? sizes[0] : 1;
  int64_t columns = sizes.empty() ? 1 : sizes.back();
  int64_t fromRow = sizes.size() == 2 ? fromStrides[0] : 0;
  int64_t toRow = sizes.size() == 2 ? toStrides[0] : 0;
  int64_t fromStep = sizes.empty() ? 1 : fromStrides.back();
  int64_t toStep = sizes.empty() ? 1 : toStrides.back();
  if (fromStep == 1 && toStep == 1) {
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * toRow * size, from + i * fromRow * size,
                  columns * size);
    return;
  }
  // A transpose goes by blocks, so that both sides stay in cache.
  constexpr int64_t block = 32;
  for (int64_t i0 = 0; i0 < rows; i0 += block)
    for (int64_t j0 = 0; j0 < columns; j0 += block)
      for (int64_t i = i0, iEnd = std::min(rows, i0 + block); i < iEnd; ++i)
        for (int64_t j = j0, jEnd = std::min(columns, j0 + block); j < jEnd;
             ++j)
          std::memcpy(to + (i * toRow + j * toStep) * size,
                      from + (i * fromRow + j * fromStep) * size, size);
}

void heddle::copyStrided(ArrayRef<int64_t> sizes, const char *from,
                         ArrayRef<int64_t> fromStrides, char *to,
                         ArrayRef<int64_t> toStrides, int64_t bytes) {
  switch (bytes) {
  case 1:
    return copyElements<uint8_t>(sizes, from, fromStrides, to, toStrides);
  case 2:
    return copyElements<uint16_t>(sizes, from, fromStrides, to, toStrides);
  case 4:
    return copyElements<uint32_t>(sizes, from, fromStrides, to, toStrides);
  default:
    return copyElements<uint64_t>(sizes, from, fromStrides, to, toStrides);
  }
}

LogicalResult BoxEvaluator::copyConstant(stablehlo::ConstantOp op,
                                         const Box &box, char *out) {
  RankedTensorType type = typeOf(op.getOutput());
  int64_t bytes = elementBytes(type.getElementType());
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  std::optional<ArrayRef<char>> data = weightBytes(op.getValue());
  if (!data) {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense)
      return emitError(op.getLoc(), ErrorCode::InternalError)
             << "a weight has no bytes";
    std::vector<char> &copy = unpacked[op];
    if (dense.isSplat()) {
      if (copy.empty()) {
        copy.resize(bytes);
        if (type.getElementType().isInteger(1))
          copy[0] = dense.getSplatValue<bool>();
        else
          std::memcpy(copy.data(), dense.getRawData().data(), bytes);
      }
      strides.assign(strides.size(), 0);
    } else if (copy.empty()) {
      // Only bool is stored in another form.
      for (bool value : dense.getValues<bool>())
        copy.push_back(value);
    }
    data = ArrayRef<char>(copy);
  }
  int64_t start = 0;
  for (auto [offset, stride] : llvm::zip_equal(box.offsets, strides))
    start += offset * stride;
  copyStrided(box.sizes, data->data() + start * bytes, strides, out,
              rowMajorStrides(box.sizes), bytes);
  if (isNarrowSigned(type.getElementType())) {
    unsigned unused = 8 - type.getElementTypeBitWidth();
    for (char &byte : MutableArrayRef(out, box.elements()))
      byte = static_cast<char>(static_cast<int8_t>(byte << unused) >> unused);
  }
  return success();
}

LogicalResult BoxEvaluator::transpose(stablehlo::TransposeOp op, const Box &box,
                                      char *out) {
  // Result dimension i is operand dimension permutation[i].
  ArrayRef<int64_t> permutation = op.getPermutation();
  Box source = box;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    source.offsets[dim] = box.offsets[i];
    source.sizes[dim] = box.sizes[i];
  }
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  std::vector<char> values(source.elements() * bytes);
  if (failed(evaluate(op.getOperand(), source, values.data())))
    return failure();
  SmallVector<int64_t> sourceStrides = rowMajorStrides(source.sizes);
  SmallVector<int64_t> strides;
  for (int64_t dim : permutation)
    strides.push_back(sourceStrides[dim]);
  copyStrided(box.sizes, values.data(), strides, out,
              rowMajorStrides(box.sizes), bytes);
  return success();
}

LogicalResult BoxEvaluator::slice(stablehlo::SliceOp op, const Box &box,
                                  char *out) {
  // With steps, the points in between are evaluated too.
  Box source = box;
  bool steps = false;
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    int64_t step = op.getStrides()[i];
    source.offsets[i] = op.getStartIndices()[i] + box.offsets[i] * step;
    source.sizes[i] = box.sizes[i] == 0 ? 0 : (box.sizes[i] - 1) * step + 1;
    steps |= step != 1;
  }
  if (!steps)
    return evaluate(op.getOperand(), source, out);
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  std::vector<char> values(source.elements() * bytes);
  if (failed(evaluate(op.getOperand(), source, values.data())))
    return failure();
  SmallVector<int64_t> strides = rowMajorStrides(source.sizes);
  for (auto [stride, step] : llvm::zip_equal(strides, op.getStrides()))
    stride *= step;
  copyStrided(box.sizes, values.data(), strides, out,
              rowMajorStrides(box.sizes), bytes);
  return success();
}

LogicalResult BoxEvaluator::reverse(stablehlo::ReverseOp op, const Box &box,
                                    char *out) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  Box source = box;
  for (int64_t dim : op.getDimensions())
    source.offsets[dim] = shape[dim] - box.offsets[dim] - box.sizes[dim];
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  std::vector<char> values(source.elements() * bytes);
  if (failed(evaluate(op.getOperand(), source, values.data())))
    return failure();
  SmallVector<int64_t> strides = rowMajorStrides(source.sizes);
  int64_t start = 0;
  for (int64_t dim : op.getDimensions()) {
    start += (box.sizes[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  copyStrided(box.sizes, values.data() + start * bytes, strides, out,
              rowMajorStrides(box.sizes), bytes);
  return success();
}

LogicalResult BoxEvaluator::broadcast(stablehlo::BroadcastInDimOp op,
                                      const Box &box, char *out) {
  RankedTensorType type = typeOf(op.getOperand());
  Box source = Box::whole(type.getShape());
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (type.getDimSize(i) == 1)
      continue;
    source.offsets[i] = box.offsets[dim];
    source.sizes[i] = box.sizes[dim];
  }
  int64_t bytes = elementBytes(type.getElementType());
  std::vector<char> values(source.elements() * bytes);
  if (failed(evaluate(op.getOperand(), source, values.data())))
    return failure();
  SmallVector<int64_t> sourceStrides = rowMajorStrides(source.sizes);
  SmallVector<int64_t> strides(box.sizes.size(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions()))
    if (type.getDimSize(i) != 1)
      strides[dim] = sourceStrides[i];
  copyStrided(box.sizes, values.data(), strides, out,
              rowMajorStrides(box.sizes), bytes);
  return success();
}

/// Evaluates the part of `value` that lies in `box`, when `value` starts at
/// `origin` in the box's coordinates.
static bool intersect(const Box &box, ArrayRef<int64_t> origin,
                      ArrayRef<int64_t> shape, Box &source,
                      SmallVector<int64_t> &target) {
  source = box;
  target.assign(box.sizes.size(), 0);
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    int64_t low = std::max(box.offsets[i], origin[i]);
    int64_t high =
        std::min(box.offsets[i] + box.sizes[i], origin[i] + shape[i]);
    if (low >= high)
      return false;
    source.offsets[i] = low - origin[i];
    source.sizes[i] = high - low;
    target[i] = low - box.offsets[i];
  }
  return true;
}

/// Copies the dense `source` to where `target` says in the dense `box`.
static void place(const std::vector<char> &values, const Box &source,
                  ArrayRef<int64_t> target, const Box &box, char *out,
                  int64_t bytes) {
  SmallVector<int64_t> strides = rowMajorStrides(box.sizes);
  int64_t start = 0;
  for (auto [offset, stride] : llvm::zip_equal(target, strides))
    start += offset * stride;
  copyStrided(source.sizes, values.data(), rowMajorStrides(source.sizes),
              out + start * bytes, strides, bytes);
}

LogicalResult BoxEvaluator::concatenate(stablehlo::ConcatenateOp op,
                                        const Box &box, char *out) {
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  SmallVector<int64_t> origin(box.sizes.size(), 0);
  for (Value input : op.getInputs()) {
    Box source;
    SmallVector<int64_t> target;
    ArrayRef<int64_t> shape = typeOf(input).getShape();
    if (intersect(box, origin, shape, source, target)) {
      std::vector<char> values(source.elements() * bytes);
      if (failed(evaluate(input, source, values.data())))
        return failure();
      place(values, source, target, box, out, bytes);
    }
    origin[op.getDimension()] += shape[op.getDimension()];
  }
  return success();
}

LogicalResult BoxEvaluator::pad(stablehlo::PadOp op, const Box &box,
                                char *out) {
  if (llvm::any_of(op.getInteriorPadding(), [](int64_t i) { return i != 0; }))
    return emitError(op.getLoc(), ErrorCode::NoKernel)
           << "a weight padded between its elements";
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  char fill[8] = {};
  if (failed(evaluate(op.getPaddingValue(), Box(), fill)))
    return failure();
  SmallVector<int64_t> zeros(box.sizes.size(), 0);
  copyStrided(box.sizes, fill, zeros, out, rowMajorStrides(box.sizes), bytes);
  Box source;
  SmallVector<int64_t> target;
  if (!intersect(box, op.getEdgePaddingLow(),
                 typeOf(op.getOperand()).getShape(), source, target))
    return success();
  std::vector<char> values(source.elements() * bytes);
  if (failed(evaluate(op.getOperand(), source, values.data())))
    return failure();
  place(values, source, target, box, out, bytes);
  return success();
}

LogicalResult BoxEvaluator::iota(stablehlo::IotaOp op, const Box &box,
                                 char *out) {
  Type type = typeOf(op.getOutput()).getElementType();
  int64_t bytes = elementBytes(type);
  int64_t dim = op.getIotaDimension();
  std::vector<char> line(box.sizes[dim] * bytes);
  for (int64_t i = 0; i < box.sizes[dim]; ++i)
    storeNumber(type, static_cast<double>(box.offsets[dim] + i),
                line.data() + i * bytes);
  SmallVector<int64_t> strides(box.sizes.size(), 0);
  strides[dim] = 1;
  copyStrided(box.sizes, line.data(), strides, out, rowMajorStrides(box.sizes),
              bytes);
  return success();
}

LogicalResult BoxEvaluator::range(Value value, int64_t start, int64_t count,
                                  char *out) {
  RankedTensorType type = typeOf(value);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t bytes = elementBytes(type.getElementType());
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  while (count > 0) {
    // The largest box that starts here, is contiguous and not too long: whole
    // inner dimensions, a part of one, single points outside.
    Box box = Box::whole(shape);
    int64_t rest = start;
    for (size_t i = 0; i < shape.size(); ++i) {
      box.offsets[i] = rest / strides[i];
      rest %= strides[i];
      box.sizes[i] = 1;
    }
    int64_t size = 1;
    for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
      int64_t fits = std::min(shape[i] - box.offsets[i], count / size);
      box.sizes[i] = std::max<int64_t>(fits, 1);
      size *= box.sizes[i];
      if (box.offsets[i] != 0 || box.sizes[i] != shape[i])
        break;
    }
    if (failed(evaluate(value, box, out)))
      return failure();
    out += size * bytes;
    start += size;
    count -= size;
  }
  return success();
}

LogicalResult BoxEvaluator::reshape(stablehlo::ReshapeOp op, const Box &box,
                                    char *out) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  // Runs of neighbours: whole inner dimensions and a part of the next.
  int64_t outer = shape.size(), run = 1;
  while (outer > 0) {
    --outer;
    run *= box.sizes[outer];
    if (box.sizes[outer] != shape[outer])
      break;
  }
  SmallVector<int64_t> index(outer, 0);
  int64_t base = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    base += box.offsets[i] * strides[i];
  while (true) {
    int64_t start = base;
    for (int64_t i = 0; i < outer; ++i)
      start += index[i] * strides[i];
    if (failed(range(op.getOperand(), start, run, out)))
      return failure();
    out += run * bytes;
    int64_t dim = outer - 1;
    while (dim >= 0 && ++index[dim] == box.sizes[dim])
      index[dim--] = 0;
    if (dim < 0)
      return success();
  }
}

LogicalResult BoxEvaluator::elementwise(Operation *op, const Box &box,
                                        char *out) {
  std::vector<std::vector<char>> values;
  SmallVector<const char *> inputs;
  SmallVector<bool> isScalar;
  for (Value operand : op->getOperands()) {
    RankedTensorType type = typeOf(operand);
    // select and clamp take scalars beside tensors.
    bool scalar = type.getRank() == 0 && !box.sizes.empty();
    Box source = scalar ? Box() : box;
    values.emplace_back(source.elements() *
                        elementBytes(type.getElementType()));
    if (failed(evaluate(operand, source, values.back().data())))
      return failure();
    isScalar.push_back(scalar);
  }
  for (const std::vector<char> &value : values)
    inputs.push_back(value.data());
  if (applyElementwise(op, inputs, isScalar, box.elements(), out))
    return success();
  return emitError(op->getLoc(), ErrorCode::NoKernel)
         << "'" << op->getName() << "' on constants of type "
         << op->getResult(0).getType();
}

LogicalResult BoxEvaluator::evaluate(Value value, const Box &box, char *out) {
  if (box.elements() == 0)
    return success();
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](stablehlo::ConstantOp o) { return copyConstant(o, box, out); })
      .Case([&](stablehlo::TransposeOp o) { return transpose(o, box, out); })
      .Case([&](stablehlo::SliceOp o) { return slice(o, box, out); })
      .Case([&](stablehlo::ReverseOp o) { return reverse(o, box, out); })
      .Case(
          [&](stablehlo::BroadcastInDimOp o) { return broadcast(o, box, out); })
      .Case(
          [&](stablehlo::ConcatenateOp o) { return concatenate(o, box, out); })
      .Case([&](stablehlo::PadOp o) { return pad(o, box, out); })
      .Case([&](stablehlo::IotaOp o) { return iota(o, box, out); })
      .Case([&](stablehlo::ReshapeOp o) { return reshape(o, box, out); })
      .Case([&](prec::DequantizeOp o) { return dequantize(o, box, out); })
      .Case([&](prec::QuantizeOp o) { return quantize(o, box, out); })
      .Default([&](Operation *o) { return elementwise(o, box, out); });
}
