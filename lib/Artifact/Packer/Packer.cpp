// Gives the stored form of weights piece by piece: as they are, or in panels.

#include "heddle/Artifact/Packer.h"

#include "BoxEvaluator.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Bytes evaluated at once: large enough for long reads, small beside any
/// model.
static constexpr int64_t pieceBytes = 4 << 20;

/// Gives a whole tensor, row-major, slab by slab.
static LogicalResult packPlain(Value value, ByteSink sink) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBytes(type.getElementType());
  // The bytes of a handle go out as they are, without a copy.
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>())
    if (std::optional<ArrayRef<char>> data = weightBytes(constant.getValue()))
      return sink(*data);

  ArrayRef<int64_t> shape = type.getShape();
  Box box = Box::whole(shape);
  if (box.elements() == 0)
    return success();
  // A slab: a part of one dimension, all inner ones, single points outside.
  int64_t inner = 1, cut = static_cast<int64_t>(shape.size()) - 1;
  while (cut > 0 && inner * shape[cut] * bytes <= pieceBytes)
    inner *= shape[cut--];
  int64_t step =
      cut < 0 ? 1
              : std::max<int64_t>(
                    1, std::min(shape[cut], pieceBytes / (inner * bytes)));
  for (int64_t i = 0; i < cut; ++i)
    box.sizes[i] = 1;
  BoxEvaluator evaluator;
  std::vector<char> piece;
  while (true) {
    if (cut >= 0)
      box.sizes[cut] = std::min(step, shape[cut] - box.offsets[cut]);
    piece.resize(box.elements() * bytes);
    if (failed(evaluator.evaluate(value, box, piece.data())) ||
        failed(sink(piece)))
      return failure();
    int64_t dim = cut;
    while (dim >= 0) {
      box.offsets[dim] += dim == cut ? step : 1;
      if (box.offsets[dim] < shape[dim])
        break;
      box.offsets[dim--] = 0;
    }
    if (dim < 0)
      return success();
  }
}

namespace {
/// Gives a tensor in panels of its last dimension, each with all the points of
/// the dimensions before it (rows); `depth` rows of a column lie side by side.
class PanelPacker {
public:
  PanelPacker(Value value, const kernel::Packing &packing, ByteSink sink)
      : value(value), type(cast<RankedTensorType>(value.getType())),
        bytes(elementBytes(type.getElementType())), panel(packing.panel),
        depth(packing.depth), sink(sink) {}

  /// Columns [first, last) inside `box`, whose last dimension is ignored.
  LogicalResult pack(Box box, int64_t first, int64_t last) {
    int64_t rows = 1;
    for (int64_t size : ArrayRef(box.sizes).drop_back())
      rows *= size;
    // Several panels at a time, so that rows are read in long pieces.
    int64_t columns =
        std::max<int64_t>(1, pieceBytes /
                                 std::max<int64_t>(1, rows * bytes * panel)) *
        panel;
    for (int64_t start = first; start < last; start += columns) {
      int64_t width = std::min(columns, last - start);
      box.offsets.back() = start;
      box.sizes.back() = width;
      piece.resize(rows * width * bytes);
      if (failed(evaluator.evaluate(value, box, piece.data())))
        return failure();
      for (int64_t column = 0; column < width; column += panel)
        if (failed(emit(rows, width, column)))
          return failure();
    }
    return success();
  }

private:
  LogicalResult emit(int64_t rows, int64_t width, int64_t column) {
    int64_t filled = std::min(panel, width - column);
    if (filled == panel && width == panel && depth == 1)
      return sink(piece);
    packed.assign(llvm::divideCeil(rows, depth) * depth * panel * bytes, 0);
    for (int64_t first = 0; first < depth; ++first)
      copyStrided({llvm::divideCeilSigned(rows - first, depth), filled},
                  piece.data() + (first * width + column) * bytes,
                  {depth * width, 1}, packed.data() + first * bytes,
                  {depth * panel, depth}, bytes);
    return sink(packed);
  }

  Value value;
  RankedTensorType type;
  int64_t bytes, panel, depth;
  ByteSink sink;
  BoxEvaluator evaluator;
  std::vector<char> piece, packed;
};
} // namespace

LogicalResult heddle::packWeight(kernel::WeightOp weight, ByteSink sink) {
  Value value = weight.getBody().front().getTerminator()->getOperand(0);
  if (!weight.getPacking())
    return packPlain(value, sink);
  kernel::Packing packing = *kernel::Packing::parse(*weight.getPacking());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  PanelPacker packer(value, packing, sink);
  Box box = Box::whole(shape);
  if (packing.kind == kernel::Packing::Kind::Convolution) {
    int64_t channels = shape.back() / packing.groups;
    for (int64_t group = 0; group < packing.groups; ++group)
      if (failed(packer.pack(box, group * channels, (group + 1) * channels)))
        return failure();
    return success();
  }
  // [batch..., K, N]: one matrix after the other.
  int64_t batch = static_cast<int64_t>(shape.size()) - 2;
  for (int64_t i = 0; i < batch; ++i)
    box.sizes[i] = 1;
  while (true) {
    if (failed(packer.pack(box, 0, shape.back())))
      return failure();
    int64_t dim = batch - 1;
    while (dim >= 0 && ++box.offsets[dim] == shape[dim])
      box.offsets[dim--] = 0;
    if (dim < 0)
      return success();
  }
}

std::string heddle::weightIdentity(kernel::WeightOp weight) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << weight.getPacking().value_or("");
  Block &body = weight.getBody().front();
  llvm::DenseMap<Value, unsigned> numbers;
  for (Operation &op : body) {
    stream << '\n' << op.getName();
    for (Value operand : op.getOperands())
      stream << ' ' << numbers.lookup(operand);
    for (Type type : op.getResultTypes())
      stream << ' ' << type;
    auto constant = dyn_cast<stablehlo::ConstantOp>(op);
    auto handle = constant
                      ? dyn_cast<DenseResourceElementsAttr>(constant.getValue())
                      : DenseResourceElementsAttr();
    if (handle && handle.getRawHandle().getBlob())
      stream << ' ' << toHex(weightHash(handle));
    else
      stream << ' ' << op.getAttrDictionary();
    for (Value result : op.getResults())
      numbers[result] = numbers.size() + 1;
  }
  return text;
}
