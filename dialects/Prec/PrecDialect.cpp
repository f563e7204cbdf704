// The prec dialect: verifiers and folds of quantization as the model has it.

#include "dialects/Prec/Prec.h"

#include "runtime/format/WeightLayout.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

#include "dialects/Prec/PrecDialect.cpp.inc"
#include "dialects/Prec/PrecEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Prec/PrecOps.cpp.inc"

namespace heddle::prec {

void PrecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Prec/PrecOps.cpp.inc"
      >();
}

int64_t leastOf(IntegerType type) {
  if (type.isUnsigned())
    return 0;
  return type.getWidth() >= 64 ? INT64_MIN
                               : -(int64_t(1) << (type.getWidth() - 1));
}

int64_t largestOf(IntegerType type) {
  unsigned bits = type.getWidth() - (type.isUnsigned() ? 0 : 1);
  return bits >= 63 ? INT64_MAX : (int64_t(1) << bits) - 1;
}

Parameters::Parameters(ArrayRef<int64_t> partOffsets,
                       ArrayRef<int64_t> partSizes, std::optional<int64_t> axis,
                       std::optional<int64_t> blockElements) {
  if (!axis) {
    // One for all, whatever the part.
    for (int64_t size : partSizes)
      inner *= size;
    return;
  }
  along = partSizes[*axis];
  for (int64_t size : partSizes.drop_front(*axis + 1))
    inner *= size;
  isBlocked = blockElements.has_value();
  block = blockElements.value_or(1);
  before = partOffsets[*axis] % block;
  int64_t firstBlock = partOffsets[*axis] / block;
  blocks = along == 0 ? 0 : (before + along - 1) / block + 1;
  if (isBlocked) {
    offsets.assign(partOffsets.begin(), partOffsets.end());
    sizes.assign(partSizes.begin(), partSizes.end());
    offsets[*axis] = firstBlock;
    sizes[*axis] = blocks;
  } else {
    offsets = {firstBlock};
    sizes = {blocks};
  }
}

Parameters::Run Parameters::next() {
  int64_t number = (before + position) / block;
  Run run = {inner, number, /*isSame=*/true};
  int64_t steps = 1;
  if (isBlocked) {
    run.first = (outer * blocks + number) * inner;
    run.isSame = inner == 1;
    // The elements of a block that are left.
    if (inner == 1)
      steps = std::min((number + 1) * block - before, along) - position;
    run.elements = inner * steps;
  }
  position += steps;
  if (position == along) {
    position = 0;
    ++outer;
  }
  return run;
}

/// The shape of parameters by blocks of a tensor of this shape.
static SmallVector<int64_t> blocksOf(ArrayRef<int64_t> shape, int64_t axis,
                                     int64_t block) {
  SmallVector<int64_t> blocks(shape);
  blocks[axis] = llvm::divideCeil(blocks[axis], block);
  return blocks;
}

/// Scale and zero point are scalars, vectors along the axis, or have an element
/// for each block along it.
template <typename Op>
static LogicalResult verifyParameters(Op op, RankedTensorType input) {
  std::optional<uint64_t> axis = op.getAxis(), block = op.getBlock();
  if (axis && *axis >= uint64_t(input.getRank()))
    return op.emitOpError("has scales along dimension ")
           << *axis << " of " << input;
  SmallVector<int64_t> wanted;
  if (block) {
    if (!axis || static_cast<int64_t>(*block) < 1)
      return op.emitOpError("has blocks of ")
             << static_cast<int64_t>(*block)
             << (axis ? " elements" : " elements, and no axis along which");
    if (!input.hasStaticShape())
      return op.emitOpError("has blocks of a tensor of unknown size, ")
             << input;
    wanted = blocksOf(input.getShape(), *axis, *block);
  } else if (axis) {
    wanted.push_back(input.getDimSize(*axis));
  }
  for (Value parameter : {op.getScale(), op.getZeroPoint()}) {
    auto type = cast<RankedTensorType>(parameter.getType());
    if (type.getShape() == ArrayRef<int64_t>(wanted))
      continue;
    if (block)
      return op.emitOpError("needs a scale and a zero point for each of [")
             << wanted << "] blocks, not " << type;
    if (axis)
      return op.emitOpError("needs a scale and a zero point for each of ")
             << wanted[0] << " elements along dimension " << *axis << ", not "
             << type;
    return op.emitOpError("without an axis needs scalars, not ") << type;
  }
  return success();
}

/// The input's shape is the result's, as far as both are known; the zero point
/// is of the type that is stored.
template <typename Op>
static LogicalResult verifyConversion(Op op, Value stored) {
  Type storage = op.getStorageType().value_or(
      getElementTypeOrSelf(op.getZeroPoint().getType()));
  Type held = storage;
  if (auto integer = dyn_cast<IntegerType>(storage);
      integer && op.getStorageType())
    held = IntegerType::get(op.getContext(), integer.getWidth());
  for (Value value : {stored, Value(op.getZeroPoint())})
    if (!isa<IntegerType>(storage) ||
        getElementTypeOrSelf(value.getType()) != held)
      return op.emitOpError("stores ")
             << storage << ", which " << value.getType() << " does not hold";
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (failed(verifyCompatibleShape(
          input.getShape(), cast<RankedTensorType>(op.getType()).getShape())))
    return op.emitOpError("converts ") << input << " to " << op.getType();
  return verifyParameters(op, input);
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyConversion(*this, getResult())))
    return failure();
  IntegerType storage = getStorage();
  int64_t minimum = getMinimum(), maximum = getMaximum();
  if (minimum > maximum || minimum < leastOf(storage) ||
      maximum > largestOf(storage))
    return emitOpError("saturates to the range ")
           << minimum << " to " << maximum << ", which " << storage
           << " cannot hold";
  return success();
}

LogicalResult DequantizeOp::verify() {
  if (failed(verifyConversion(*this, getInput())))
    return failure();
  Type scale = getElementTypeOrSelf(getScale().getType()),
       result = getElementTypeOrSelf(getType());
  if (!scale.isInteger() && !result.isInteger())
    return success();
  if (scale != result)
    return emitOpError("gives ") << result << " by a scale of " << scale
                                 << "; integers come of integers alone";
  if (getBlock())
    return emitOpError("gives ")
           << result << " by blocks, which have scales of floats";
  if (getStorage().getWidth() > 16)
    return emitOpError("gives ")
           << result << " of " << getStorage()
           << ", whose differences it may not hold; 16 bits are the most";
  return success();
}

LogicalResult FitScaleOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()),
       result = cast<RankedTensorType>(getType());
  auto axis = static_cast<int64_t>(getAxis()),
       block = static_cast<int64_t>(getBlock()),
       integer = static_cast<int64_t>(getInteger());
  if (axis < 0 || axis >= input.getRank() || block < 1 || integer == 0)
    return emitOpError("fits ")
           << integer << " in blocks of " << block
           << " elements along dimension " << axis << " of " << input;
  if (!input.hasStaticShape())
    return emitOpError("has blocks of a tensor of unknown size, ") << input;
  SmallVector<int64_t> wanted = blocksOf(input.getShape(), axis, block);
  if (result.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError("gives a scale for each of [")
           << wanted << "] blocks, not " << result;
  return success();
}

LogicalResult UnpackOp::verify() {
  auto type = cast<RankedTensorType>(getType()),
       stored = cast<RankedTensorType>(getStored().getType());
  StringRef text = getPacking();
  std::optional<format::WeightLayout> layout =
      format::WeightLayout::parse({text.data(), text.size()});
  if (!layout)
    return emitOpError("reads an unknown packing '") << text << "'";
  Type element = type.getElementType();
  std::optional<format::StoredLayout> places =
      element.isIntOrFloat()
          ? layout->of(type.getShape().vec(), element.getIntOrFloatBitWidth())
          : std::nullopt;
  if (!places)
    return emitOpError("reads a packing '")
           << text << "' that does not fit " << type;
  if (stored.getShape() != ArrayRef<int64_t>(places->shape()) ||
      !stored.getElementType().isIntOrFloat() ||
      stored.getElementTypeBitWidth() != places->unitBits())
    return emitOpError("reads ") << stored << ", wanted elements of "
                                 << places->unitBits() << " bits of the shape ["
                                 << ArrayRef<int64_t>(places->shape()) << "]";
  return success();
}

/// Whether two values are one, or constants that are equal.
static bool isSame(Value left, Value right) {
  Attribute leftValue, rightValue;
  return left == right || (matchPattern(left, m_Constant(&leftValue)) &&
                           matchPattern(right, m_Constant(&rightValue)) &&
                           leftValue == rightValue);
}

static double rounded(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return std::nearbyint(value);
  case Rounding::NearestAway:
    return std::round(value);
  case Rounding::TowardZero:
    return std::trunc(value);
  }
  llvm_unreachable("three roundings");
}

int64_t QuantizeOp::store(double quotient, int64_t zeroPoint) {
  int64_t minimum = getMinimum(), maximum = getMaximum();
  double moved =
      rounded(quotient, getRounding()) + static_cast<double>(zeroPoint);
  if (std::isnan(moved))
    return std::clamp<int64_t>(0, minimum, maximum);
  // The limit itself may be no double.
  if (moved >= static_cast<double>(maximum))
    return maximum;
  return static_cast<int64_t>(std::max(moved, static_cast<double>(minimum)));
}

OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  // Exact with any rounding: the quotient is off by less than an ulp of an
  // integer of at most 16 bits.
  auto source = getInput().getDefiningOp<DequantizeOp>();
  IntegerType storage = getStorage();
  int64_t minimum = getMinimum(), maximum = getMaximum();
  bool wholeRange =
      minimum == leastOf(storage) && maximum == largestOf(storage);
  if (!source || !wholeRange || source.getInput().getType() != getType() ||
      source.getStorage() != storage || getRounding() == Rounding::TowardZero ||
      storage.getWidth() > 16 ||
      !cast<RankedTensorType>(getInput().getType()).getElementType().isF32() ||
      source.getAxisAttr() != getAxisAttr() ||
      source.getBlockAttr() != getBlockAttr() ||
      !isSame(source.getScale(), getScale()) ||
      !isSame(source.getZeroPoint(), getZeroPoint()))
    return {};
  return source.getInput();
}

} // namespace heddle::prec
