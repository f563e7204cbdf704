// Follows elements through the moves of weights' programs, and to their places
// in a layout.

#include "StoredElements.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "runtime/format/WeightLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// Goes to the first operand of the operation that makes the value.
static StoredValue stepBack(StoredValue stored) {
  stored.steps.push_back(&stored.value.getDefiningOp()->getOpOperand(0));
  stored.value = stored.steps.back()->get();
  return stored;
}

/// What yields the program's value.
static StoredValue whole(kernel::WeightOp weight) {
  return {weight, weight.getBody().front().getTerminator()->getOperand(0)};
}

StoredValue heddle::behindMoves(kernel::WeightOp weight) {
  StoredValue stored = whole(weight);
  while (isa<stablehlo::ReshapeOp, stablehlo::TransposeOp>(
      stored.value.getDefiningOp()))
    stored = stepBack(std::move(stored));
  return stored;
}

/// Whether `op` changes the highest bit of integers: what
/// `withHighestBitChanged` has made.
static bool changesHighestBit(stablehlo::XorOp op) {
  APInt mask;
  return op && matchPattern(op.getRhs(), m_ConstantInt(&mask)) &&
         mask.isSignMask();
}

std::vector<StoredValue> heddle::valuesIn(kernel::WeightOp weight) {
  std::vector<StoredValue> values = {whole(weight)};
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].value.getDefiningOp();
    if (isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
            stablehlo::BroadcastInDimOp>(op))
      values.push_back(stepBack(values[i]));
    auto cast = dyn_cast<stablehlo::BitcastConvertOp>(op);
    if (cast && changesHighestBit(
                    cast.getOperand().getDefiningOp<stablehlo::XorOp>())) {
      values.push_back(stepBack(stepBack(values[i])));
      values.back().isFlipped = !values[i].isFlipped;
    }
  }
  return values;
}

static format::StoredLayout layoutOf(kernel::WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getValueType());
  Type element = type.getElementType();
  StringRef text = *weight.getPacking();
  // Only words ask how many bits an element has.
  return *format::WeightLayout::parse({text.data(), text.size()})
              ->of(type.getShape().vec(), element.isIntOrFloat()
                                              ? element.getIntOrFloatBitWidth()
                                              : 8);
}

bool StoredValue::hasPlainElements() const {
  kernel::WeightOp op = weight;
  return !isFlipped && !(op.getPacking() && layoutOf(op).isInWords());
}

namespace {
/// The indices of one element, tensor after tensor.
class ElementPlace {
public:
  ElementPlace(OpBuilder &builder, Location loc, ArrayRef<Value> indices)
      : index(builder, loc), indices(indices) {}

  /// From the result of the operand's owner to the operand.
  void back(OpOperand &step);
  /// From the operand to the result.
  void forth(OpOperand &step);
  /// To the digits of a layout.
  void store(const format::StoredLayout &layout, ArrayRef<int64_t> shape);

  IndexBuilder index;
  SmallVector<Value> indices;

private:
  void reshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to);
};
} // namespace

void ElementPlace::reshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  Value position = index.constant(0);
  for (auto [at, stride] :
       llvm::zip_equal(indices, kernel::rowMajorStrides(from)))
    position = index.at(position, at, stride);
  indices = index.delinearize(position, to);
}

void ElementPlace::back(OpOperand &step) {
  Operation *op = step.getOwner();
  auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
  if (!transpose)
    return reshape(shapeOf(op->getResult(0)), shapeOf(step.get()));
  SmallVector<Value> operand(indices.size());
  for (auto [at, dim] : llvm::zip_equal(indices, transpose.getPermutation()))
    operand[dim] = at;
  indices = std::move(operand);
}

void ElementPlace::forth(OpOperand &step) {
  Operation *op = step.getOwner();
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    indices = llvm::map_to_vector(transpose.getPermutation(),
                                  [&](int64_t dim) { return indices[dim]; });
  } else if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    // The first of those that are equal.
    SmallVector<Value> result(shapeOf(broadcast).size(), index.constant(0));
    for (auto [at, dim] :
         llvm::zip_equal(indices, broadcast.getBroadcastDimensions()))
      result[dim] = at;
    indices = std::move(result);
  } else if (isa<stablehlo::ReshapeOp>(op)) {
    reshape(shapeOf(step.get()), shapeOf(op->getResult(0)));
  }
}

void ElementPlace::store(const format::StoredLayout &layout,
                         ArrayRef<int64_t> shape) {
  SmallVector<Value> digits;
  for (const format::StoredLayout::Digit &digit : layout.digits()) {
    const format::StoredLayout::Part &part = layout.parts()[digit.part];
    Value at = index.div(indices[part.dimension], part.stride);
    // What is outermost ends where its dimension does.
    if (part.stride * part.extent < shape[part.dimension])
      at = index.rem(at, part.extent);
    at = index.div(at, digit.divisor);
    if (digit.divisor * digit.extent < part.extent)
      at = index.rem(at, digit.extent);
    digits.push_back(at);
  }
  indices = std::move(digits);
}

SmallVector<Value> StoredElementEmitter::behind(const StoredValue &moved,
                                                ArrayRef<Value> indices) {
  ElementPlace place(builder, loc, indices);
  for (OpOperand *step : moved.steps)
    place.back(*step);
  return std::move(place.indices);
}

Value StoredElementEmitter::load(const StoredValue &part, Value stored,
                                 ArrayRef<Value> indices, Value &bit) {
  kernel::WeightOp weight = part.weight;
  ElementPlace place(builder, loc, indices);
  for (OpOperand *step : llvm::reverse(part.steps))
    place.forth(*step);
  if (weight.getPacking()) {
    format::StoredLayout layout = layoutOf(weight);
    place.store(layout,
                cast<RankedTensorType>(weight.getValueType()).getShape());
    if (layout.isInWords()) {
      int64_t perWord = layout.unitBits() / layout.elementWidth();
      Value &last = place.indices.back();
      Value inWord = place.index.rem(last, perWord);
      // The first of a word may be in its highest bits.
      if (layout.bitOfElement(0))
        inWord = place.index.sub(place.index.constant(perWord - 1), inWord);
      bit = place.index.mul(inWord, layout.elementWidth());
      last = place.index.div(last, perWord);
    }
  }
  return tensor::ExtractOp::create(builder, loc, stored, place.indices);
}

Value StoredElementEmitter::element(const StoredValue &part, Value stored,
                                    ArrayRef<Value> indices) {
  Value bit;
  Value element = load(part, stored, indices, bit);
  assert(!bit && !part.isFlipped && "an element is stored as it is");
  return element;
}

Value StoredElementEmitter::integer(const StoredValue &part, Value stored,
                                    ArrayRef<Value> indices) {
  Value bit;
  Value number = load(part, stored, indices, bit);
  auto type = cast<IntegerType>(elementOf(part.value));
  if (bit) {
    bit = arith::IndexCastOp::create(builder, loc, number.getType(), bit);
    number = arith::ShRUIOp::create(builder, loc, number, bit);
  }
  // Its bits are the lowest of 32, whatever is above.
  unsigned width = number.getType().getIntOrFloatBitWidth();
  Type wide = builder.getI32Type();
  if (width < 32)
    number = arith::ExtUIOp::create(builder, loc, wide, number);
  if (width > 32)
    number = arith::TruncIOp::create(builder, loc, wide, number);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(int32_t(value)));
  };
  if (part.isFlipped)
    number = arith::XOrIOp::create(
        builder, loc, number, constant(int64_t(1) << (type.getWidth() - 1)));
  Value above = constant(32 - type.getWidth());
  number = arith::ShLIOp::create(builder, loc, number, above);
  if (type.isUnsigned())
    return arith::ShRUIOp::create(builder, loc, number, above);
  return arith::ShRSIOp::create(builder, loc, number, above);
}
