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
  if (std::optional<ElementKind> kind = elementKind(type.getElementType()))
    extendSigns(*kind, MutableArrayRef(out, box.elements() * bytes));
  return success();
}

BoxEvaluator::Step BoxEvaluator::afterAll(
    SmallVector<std::pair<Value, Box>> wanted,
    llvm::unique_function<LogicalResult(const Values &)> finish) {
  return [wanted = std::move(wanted), finish = std::move(finish),
          values = Values()]() mutable -> FailureOr<std::optional<BoxRequest>> {
    if (values.size() == wanted.size()) {
      if (failed(finish(values)))
        return failure();
      return std::optional<BoxRequest>();
    }
    auto &[value, box] = wanted[values.size()];
    values.emplace_back(box.elements() *
                        elementBytes(typeOf(value).getElementType()));
    return std::optional(BoxRequest{value, box, values.back().data()});
  };
}

BoxEvaluator::Step
BoxEvaluator::after(Value value, Box box,
                    llvm::unique_function<void(const char *)> finish) {
  return afterAll({{value, std::move(box)}},
                  [finish = std::move(finish)](const Values &values) mutable {
                    finish(values.front().data());
                    return success();
                  });
}

void BoxEvaluator::iota(stablehlo::IotaOp op, const Box &box, char *out) {
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
}

BoxEvaluator::Step BoxEvaluator::elementwise(Operation *op, const Box &box,
                                             char *out) {
  SmallVector<std::pair<Value, Box>> wanted;
  SmallVector<bool> isScalar;
  for (Value operand : op->getOperands()) {
    // select and clamp take scalars beside tensors.
    isScalar.push_back(typeOf(operand).getRank() == 0 && !box.sizes.empty());
    wanted.push_back({operand, isScalar.back() ? Box() : box});
  }
  return afterAll(std::move(wanted),
                  [op, isScalar, count = box.elements(),
                   out](const Values &values) -> LogicalResult {
                    SmallVector<const char *> inputs;
                    for (const std::vector<char> &value : values)
                      inputs.push_back(value.data());
                    if (applyElementwise(op, inputs, isScalar, count, out))
                      return success();
                    return emitError(op->getLoc(), ErrorCode::NoKernel)
                           << "'" << op->getName() << "' on constants of type "
                           << op->getResult(0).getType();
                  });
}

FailureOr<BoxEvaluator::Step> BoxEvaluator::begin(const BoxRequest &request) {
  const Box &box = request.box;
  char *out = request.out;
  using Result = FailureOr<Step>;
  return llvm::TypeSwitch<Operation *, Result>(request.value.getDefiningOp())
      .Case([&](stablehlo::ConstantOp o) -> Result {
        if (failed(copyConstant(o, box, out)))
          return failure();
        return Step();
      })
      .Case([&](stablehlo::IotaOp o) -> Result {
        iota(o, box, out);
        return Step();
      })
      .Case([&](stablehlo::TransposeOp o) { return transpose(o, box, out); })
      .Case([&](stablehlo::SliceOp o) { return slice(o, box, out); })
      .Case([&](dist::PartOp o) { return part(o, box, out); })
      .Case([&](stablehlo::ReverseOp o) { return reverse(o, box, out); })
      .Case(
          [&](stablehlo::BroadcastInDimOp o) { return broadcast(o, box, out); })
      .Case(
          [&](stablehlo::ConcatenateOp o) { return concatenate(o, box, out); })
      .Case([&](stablehlo::PadOp o) { return pad(o, box, out); })
      .Case([&](stablehlo::ReshapeOp o) { return reshape(o, box, out); })
      .Case([&](stablehlo::DotGeneralOp o) { return dot(o, box, out); })
      .Case([&](stablehlo::BitcastConvertOp o) {
        return splitsBytes(o) ? split(o, box, out) : elementwise(o, box, out);
      })
      .Case([&](prec::DequantizeOp o) { return dequantize(o, box, out); })
      .Case([&](prec::QuantizeOp o) { return quantize(o, box, out); })
      .Case([&](prec::FitScaleOp o) { return fitScale(o, box, out); })
      .Default([&](Operation *o) { return elementwise(o, box, out); });
}

LogicalResult BoxEvaluator::evaluate(Value value, const Box &box, char *out) {
  std::vector<Step> steps;
  std::optional<BoxRequest> wanted = BoxRequest{value, box, out};
  while (true) {
    if (wanted && wanted->box.elements() != 0) {
      FailureOr<Step> step = begin(*wanted);
      if (failed(step))
        return failure();
      if (*step)
        steps.push_back(std::move(*step));
    } else if (!wanted) {
      steps.pop_back();
    }
    if (steps.empty())
      return success();
    FailureOr<std::optional<BoxRequest>> next = steps.back()();
    if (failed(next))
      return failure();
    wanted = std::move(*next);
  }
}
