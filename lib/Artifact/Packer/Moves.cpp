// Boxes of operations that move elements: which boxes of the operands they are
// made of, and where the elements go.

#include "BoxEvaluator.h"

#include "dialects/Kernel/LinearAccess.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/ElementKind.h"
#include "heddle/Support/TensorTypes.h"

#include <utility>

using namespace mlir;
using namespace heddle;
using kernel::rowMajorStrides;

BoxEvaluator::Step BoxEvaluator::transpose(stablehlo::TransposeOp op,
                                           const Box &box, char *out) {
  // Result dimension i is operand dimension permutation[i].
  ArrayRef<int64_t> permutation = op.getPermutation();
  Box source = box;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    source.offsets[dim] = box.offsets[i];
    source.sizes[dim] = box.sizes[i];
  }
  SmallVector<int64_t> sourceStrides = rowMajorStrides(source.sizes);
  SmallVector<int64_t> strides;
  for (int64_t dim : permutation)
    strides.push_back(sourceStrides[dim]);
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  return after(op.getOperand(), std::move(source),
               [sizes = box.sizes, strides, bytes, out](const char *values) {
                 copyStrided(sizes, values, strides, out,
                             rowMajorStrides(sizes), bytes);
               });
}

/// A step that wants the box of a value where the operation's own goes.
static auto inPlace(Value value, Box box, char *out) {
  return [request =
              std::optional(BoxRequest{value, std::move(box), out})]() mutable
             -> FailureOr<std::optional<BoxRequest>> {
    return std::exchange(request, std::nullopt);
  };
}

BoxEvaluator::Step BoxEvaluator::part(dist::PartOp op, const Box &box,
                                      char *out) const {
  Box source = box;
  for (auto [offset, begin] :
       llvm::zip_equal(source.offsets, op.beginAt(devicePlace)))
    offset += begin;
  return inPlace(op.getSource(), std::move(source), out);
}

BoxEvaluator::Step BoxEvaluator::slice(stablehlo::SliceOp op, const Box &box,
                                       char *out) {
  // With steps, the points in between are evaluated too.
  Box source = box;
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    int64_t step = op.getStrides()[i];
    source.offsets[i] = op.getStartIndices()[i] + box.offsets[i] * step;
    source.sizes[i] = box.sizes[i] == 0 ? 0 : (box.sizes[i] - 1) * step + 1;
  }
  if (llvm::all_of(op.getStrides(), [](int64_t step) { return step == 1; }))
    return inPlace(op.getOperand(), std::move(source), out);
  SmallVector<int64_t> strides = rowMajorStrides(source.sizes);
  for (auto [stride, step] : llvm::zip_equal(strides, op.getStrides()))
    stride *= step;
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  return after(op.getOperand(), std::move(source),
               [sizes = box.sizes, strides, bytes, out](const char *values) {
                 copyStrided(sizes, values, strides, out,
                             rowMajorStrides(sizes), bytes);
               });
}

BoxEvaluator::Step BoxEvaluator::reverse(stablehlo::ReverseOp op,
                                         const Box &box, char *out) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  Box source = box;
  for (int64_t dim : op.getDimensions())
    source.offsets[dim] = shape[dim] - box.offsets[dim] - box.sizes[dim];
  SmallVector<int64_t> strides = rowMajorStrides(source.sizes);
  int64_t start = 0;
  for (int64_t dim : op.getDimensions()) {
    start += (box.sizes[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  return after(
      op.getOperand(), std::move(source),
      [sizes = box.sizes, strides, start, bytes, out](const char *values) {
        copyStrided(sizes, values + start * bytes, strides, out,
                    rowMajorStrides(sizes), bytes);
      });
}

BoxEvaluator::Step BoxEvaluator::broadcast(stablehlo::BroadcastInDimOp op,
                                           const Box &box, char *out) {
  RankedTensorType type = typeOf(op.getOperand());
  Box source = Box::whole(type.getShape());
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (type.getDimSize(i) == 1)
      continue;
    source.offsets[i] = box.offsets[dim];
    source.sizes[i] = box.sizes[dim];
  }
  SmallVector<int64_t> sourceStrides = rowMajorStrides(source.sizes);
  SmallVector<int64_t> strides(box.sizes.size(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions()))
    if (type.getDimSize(i) != 1)
      strides[dim] = sourceStrides[i];
  int64_t bytes = elementBytes(type.getElementType());
  return after(op.getOperand(), std::move(source),
               [sizes = box.sizes, strides, bytes, out](const char *values) {
                 copyStrided(sizes, values, strides, out,
                             rowMajorStrides(sizes), bytes);
               });
}

/// The part of a value that lies in `box`, when the value starts at `origin` in
/// the box's coordinates.
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

BoxEvaluator::Step BoxEvaluator::concatenate(stablehlo::ConcatenateOp op,
                                             const Box &box, char *out) {
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  // One input after the other, so that only one is held.
  return [op, box, out, bytes, next = 0u,
          origin = SmallVector<int64_t>(box.sizes.size(), 0),
          values = std::vector<char>(), source = Box(),
          target = SmallVector<int64_t>()]() mutable
         -> FailureOr<std::optional<BoxRequest>> {
    if (!values.empty())
      place(values, source, target, box, out, bytes);
    values.clear();
    while (next < op.getInputs().size()) {
      Value input = op.getInputs()[next++];
      ArrayRef<int64_t> shape = typeOf(input).getShape();
      bool isWanted = intersect(box, origin, shape, source, target);
      origin[op.getDimension()] += shape[op.getDimension()];
      if (!isWanted)
        continue;
      values.resize(source.elements() * bytes);
      return std::optional(BoxRequest{input, source, values.data()});
    }
    return std::optional<BoxRequest>();
  };
}

FailureOr<BoxEvaluator::Step> BoxEvaluator::pad(stablehlo::PadOp op,
                                                const Box &box, char *out) {
  if (llvm::any_of(op.getInteriorPadding(), [](int64_t i) { return i != 0; }))
    return emitError(op.getLoc(), ErrorCode::NoKernel)
           << "a weight padded between its elements";
  SmallVector<std::pair<Value, Box>> wanted = {{op.getPaddingValue(), Box()}};
  Box source;
  SmallVector<int64_t> target;
  if (intersect(box, op.getEdgePaddingLow(), typeOf(op.getOperand()).getShape(),
                source, target))
    wanted.push_back({op.getOperand(), source});
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  return afterAll(std::move(wanted),
                  [box, source, target, bytes, out](const Values &values) {
                    SmallVector<int64_t> zeros(box.sizes.size(), 0);
                    copyStrided(box.sizes, values[0].data(), zeros, out,
                                rowMajorStrides(box.sizes), bytes);
                    if (values.size() > 1)
                      place(values[1], source, target, box, out, bytes);
                    return success();
                  });
}

/// The largest box of `shape` that begins at position `start` in row-major
/// order, is contiguous, and has at most `count` elements: whole inner
/// dimensions, a part of one, single points outside.
static Box boxOfRun(ArrayRef<int64_t> shape, int64_t start, int64_t count) {
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  Box box = Box::whole(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    box.offsets[i] = start / strides[i];
    start %= strides[i];
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
  return box;
}

namespace {
/// Goes through the runs of neighbours in a box: whole inner dimensions and a
/// part of the next.
class BoxRuns {
public:
  BoxRuns(ArrayRef<int64_t> shape, const Box &box)
      : sizes(box.sizes), strides(rowMajorStrides(shape)), outer(shape.size()) {
    while (outer > 0) {
      --outer;
      run *= sizes[outer];
      if (sizes[outer] != shape[outer])
        break;
    }
    index.assign(outer, 0);
    for (auto [offset, stride] : llvm::zip_equal(box.offsets, strides))
      base += offset * stride;
  }

  int64_t elements() const { return run; }
  int64_t start() const {
    int64_t position = base;
    for (size_t i = 0; i < outer; ++i)
      position += index[i] * strides[i];
    return position;
  }
  /// False behind the last.
  bool next() {
    size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == sizes[dim - 1])
      index[--dim] = 0;
    return dim > 0;
  }

private:
  SmallVector<int64_t> sizes, strides, index;
  size_t outer;
  int64_t run = 1, base = 0;
};
} // namespace

BoxEvaluator::Step BoxEvaluator::reshape(stablehlo::ReshapeOp op,
                                         const Box &box, char *out) {
  BoxRuns runs(typeOf(op.getResult()).getShape(), box);
  int64_t bytes = elementBytes(typeOf(op.getResult()).getElementType());
  // Boxes of the operand follow each other in the result.
  return [op, out, bytes, runs, start = runs.start(), left = runs.elements(),
          isOver = false]() mutable -> FailureOr<std::optional<BoxRequest>> {
    if (isOver)
      return std::optional<BoxRequest>();
    Box box = boxOfRun(typeOf(op.getOperand()).getShape(), start, left);
    BoxRequest request{op.getOperand(), box, out};
    int64_t elements = box.elements();
    out += elements * bytes;
    start += elements;
    left -= elements;
    if (left == 0) {
      isOver = !runs.next();
      start = runs.start();
      left = runs.elements();
    }
    return std::optional(std::move(request));
  };
}

bool heddle::splitsBytes(stablehlo::BitcastConvertOp op) {
  return typeOf(op.getOperand()).getElementTypeBitWidth() == 8 &&
         typeOf(op.getResult()).getElementTypeBitWidth() < 8;
}

BoxEvaluator::Step BoxEvaluator::split(stablehlo::BitcastConvertOp op,
                                       const Box &box, char *out) {
  Box source = {SmallVector<int64_t>(ArrayRef(box.offsets).drop_back()),
                SmallVector<int64_t>(ArrayRef(box.sizes).drop_back())};
  Type element = typeOf(op.getResult()).getElementType();
  unsigned bits = element.getIntOrFloatBitWidth(), mask = (1u << bits) - 1;
  return after(op.getOperand(), source,
               [bits, mask, kind = elementKind(element),
                count = source.elements(), first = box.offsets.back(),
                parts = box.sizes.back(), out](const char *bytes) {
                 char *end = out;
                 for (int64_t i = 0; i < count; ++i)
                   for (int64_t part = first; part < first + parts; ++part)
                     *end++ = static_cast<char>(
                         static_cast<uint8_t>(bytes[i]) >> part * bits & mask);
                 if (kind)
                   extendSigns(*kind, MutableArrayRef(out, end));
               });
}
