// Gives the stored form of weights piece by piece: as they are, or in
// the order of a layout.

#include "heddle/Artifact/Packer.h"

#include "BoxEvaluator.h"
#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Kernel/WeightText.h"
#include "heddle/Support/ElementKind.h"
#include "heddle/Support/Weights.h"
#include "runtime/format/WeightLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using kernel::rowMajorStrides;

/// Bytes evaluated at once: large enough for long reads, small beside any
/// model. Each operation on the way to a value may hold a piece, so those of
/// long programs are smaller.
static int64_t bytesOfPiece(Value value) {
  constexpr int64_t most = 4 << 20, mostOfAll = 256 << 20;
  int64_t operations = value.getParentBlock()->getOperations().size();
  return std::min(most, mostOfAll / operations);
}

/// Gives a whole tensor, row-major, slab by slab.
static LogicalResult packPlain(Value value, int64_t place, ByteSink sink) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = elementBytes(type.getElementType());
  // The bytes of a handle go out as they are, without a copy.
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (constant && !isNarrowSigned(type.getElementType()))
    if (std::optional<ArrayRef<char>> data = weightBytes(constant.getValue()))
      return sink(*data);

  ArrayRef<int64_t> shape = type.getShape();
  Box box = Box::whole(shape);
  if (box.elements() == 0)
    return success();
  // A slab: a part of one dimension, all inner ones, single points outside.
  int64_t pieceBytes = bytesOfPiece(value);
  int64_t inner = 1, cut = static_cast<int64_t>(shape.size()) - 1;
  while (cut > 0 && inner * shape[cut] * bytes <= pieceBytes)
    inner *= shape[cut--];
  int64_t step =
      cut < 0 ? 1
              : std::max<int64_t>(
                    1, std::min(shape[cut], pieceBytes / (inner * bytes)));
  for (int64_t i = 0; i < cut; ++i)
    box.sizes[i] = 1;
  BoxEvaluator evaluator(place);
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
/// Gives a tensor in the order of a layout. The digits that come first in it
/// are gone through; all values of the others are one piece, which is a box of
/// the tensor.
class LayoutPacker {
public:
  LayoutPacker(Value value, const format::StoredLayout &layout, int64_t place,
               ByteSink sink)
      : value(value), layout(layout), sink(sink),
        shape(cast<RankedTensorType>(value.getType()).getShape()),
        bytes(elementBytes(
            cast<RankedTensorType>(value.getType()).getElementType())),
        pieceBytes(bytesOfPiece(value)), evaluator(place) {}

  LogicalResult pack();

private:
  using Digit = format::StoredLayout::Digit;
  using Part = format::StoredLayout::Part;

  bool isHighest(const Digit &digit) const;
  void choosePieces();
  LogicalResult emit(int64_t run);
  LogicalResult emitWords(ArrayRef<char> elements);

  Value value;
  const format::StoredLayout &layout;
  ByteSink sink;
  ArrayRef<int64_t> shape;
  int64_t bytes, pieceBytes;
  /// How many digits are gone through, the last of them `run` values at a time,
  /// and their values.
  unsigned cut = 0;
  int64_t run = 1;
  SmallVector<int64_t> values;
  BoxEvaluator evaluator;
  std::vector<char> piece, padded, packed;
};
} // namespace

bool LayoutPacker::isHighest(const Digit &digit) const {
  return llvm::all_of(layout.digits(), [&](const Digit &other) {
    return other.part != digit.part || other.divisor <= digit.divisor;
  });
}

void LayoutPacker::choosePieces() {
  ArrayRef<Digit> digits = layout.digits();
  int64_t rest = layout.bytes() * 8 / layout.unitBits() * bytes;
  if (layout.isInWords())
    rest *= layout.unitBits() / layout.elementWidth();
  // Elements that share a word are in one piece.
  while (rest > pieceBytes && cut + 1 < digits.size()) {
    const Digit &digit = digits[cut];
    const Part &part = layout.parts()[digit.part];
    // A part of a dimension is a box only where those outside of it are gone
    // through, too.
    bool isBox = isHighest(digit);
    for (const auto &[number, other] : llvm::enumerate(layout.parts()))
      if (other.dimension == part.dimension && number < digit.part &&
          llvm::none_of(
              digits.take_front(cut),
              [number = number](const Digit &gone) {
                return gone.part == number;
              }))
        isBox &= other.extent == 1;
    if (!isBox)
      break;
    rest = digit.stride * bytes;
    ++cut;
  }
  // Several values at a time, so that rows are read in long pieces.
  if (cut)
    run = std::clamp<int64_t>(pieceBytes / std::max<int64_t>(rest, 1), 1,
                              std::max<int64_t>(digits[cut - 1].extent, 1));
}

LogicalResult LayoutPacker::pack() {
  if (layout.bytes() == 0)
    return success();
  choosePieces();
  ArrayRef<Digit> gone = ArrayRef(layout.digits()).take_front(cut);
  values.assign(cut, 0);
  while (true) {
    if (failed(
            emit(cut ? std::min(run, gone.back().extent - values.back()) : 1)))
      return failure();
    unsigned i = cut;
    while (i > 0) {
      values[i - 1] += i == cut ? run : 1;
      if (values[i - 1] < gone[i - 1].extent)
        break;
      values[--i] = 0;
    }
    if (i == 0)
      return success();
  }
}

/// One piece: `count` values of the last digit that is gone through.
LogicalResult LayoutPacker::emit(int64_t count) {
  ArrayRef<Digit> digits = layout.digits();
  ArrayRef<Part> parts = layout.parts();
  // Of each part: where the piece begins, how many there are, how many places.
  SmallVector<int64_t> starts(parts.size(), 0), sizes, places(parts.size(), 1);
  for (const Part &part : parts)
    sizes.push_back(part.extent);
  for (const auto &[i, digit] : llvm::enumerate(digits)) {
    if (i >= cut) {
      places[digit.part] *= digit.extent;
      continue;
    }
    int64_t taken = (i + 1 == cut ? count : 1) * digit.divisor;
    starts[digit.part] = values[i] * digit.divisor;
    sizes[digit.part] =
        std::min(taken, parts[digit.part].extent - starts[digit.part]);
    places[digit.part] *= i + 1 == cut ? count : 1;
  }

  Box box;
  box.offsets.assign(shape.size(), 0);
  box.sizes.assign(shape.size(), 1);
  for (const auto &[number, part] : llvm::enumerate(parts)) {
    box.offsets[part.dimension] += starts[number] * part.stride;
    box.sizes[part.dimension] *= sizes[number];
  }
  piece.resize(box.elements() * bytes);
  if (failed(evaluator.evaluate(value, box, piece.data())))
    return failure();

  const std::vector<char> *source = &piece;
  if (places != sizes) {
    padded.assign(ShapedType::getNumElements(places) * bytes, 0);
    copyStrided(sizes, piece.data(), rowMajorStrides(sizes), padded.data(),
                rowMajorStrides(places), bytes);
    source = &padded;
  }
  SmallVector<int64_t> strides = rowMajorStrides(places), extents, steps;
  for (const auto &[i, digit] :
       llvm::enumerate(digits.drop_front(cut ? cut - 1 : 0))) {
    extents.push_back(cut && i == 0 ? count : digit.extent);
    steps.push_back(strides[digit.part] * digit.divisor);
  }
  if (steps == rowMajorStrides(extents) && !layout.isInWords())
    return sink(*source);
  packed.resize(ShapedType::getNumElements(extents) * bytes);
  copyStrided(extents, source->data(), steps, packed.data(),
              rowMajorStrides(extents), bytes);
  return layout.isInWords() ? emitWords(packed) : sink(packed);
}

/// Elements of a byte each, as many as whole words hold.
LogicalResult LayoutPacker::emitWords(ArrayRef<char> elements) {
  unsigned bits = layout.elementWidth();
  std::vector<char> words(elements.size() * bits / 8, 0);
  for (const auto &[i, element] : llvm::enumerate(elements)) {
    int64_t bit = layout.bitOfElement(i);
    words[bit / 8] |= char((element & ((1u << bits) - 1)) << bit % 8);
  }
  return sink(words);
}

LogicalResult heddle::packWeight(kernel::WeightOp weight, ByteSink sink,
                                 int64_t place) {
  Value value = weight.getBody().front().getTerminator()->getOperand(0);
  if (!weight.getPacking())
    return packPlain(value, place, sink);
  auto type = cast<RankedTensorType>(value.getType());
  StringRef packing = *weight.getPacking();
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                         : 8 * elementBytes(element);
  std::optional<format::StoredLayout> layout =
      format::WeightLayout::parse({packing.data(), packing.size()})
          ->of(type.getShape().vec(), bits);
  return LayoutPacker(value, *layout, place, sink).pack();
}

std::string heddle::weightIdentity(kernel::WeightOp weight) {
  return kernel::weightText(
      weight, [](Operation *op) -> std::optional<std::string> {
        auto constant = dyn_cast<stablehlo::ConstantOp>(op);
        auto handle =
            constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue())
                     : DenseResourceElementsAttr();
        if (!handle || !handle.getRawHandle().getBlob())
          return std::nullopt;
        return toHex(weightHash(handle));
      });
}
