// The integers behind operands that are numbers in units of a scale.

#include "passes/Dispatch/StoredOperands.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Support/Weights.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

bool QuantizationParameter::isZero() const {
  Attribute number = constantOf(tensor);
  return number && matchPattern(number, m_Zero());
}

bool QuantizationParameter::isOne() const {
  Attribute number = constantOf(tensor);
  return number && matchPattern(number, m_One());
}

/// Whether products know what to do with such numbers: f32, or integers, which
/// have scales of i32.
static bool isTaken(prec::DequantizeOp op) {
  Type number = getElementTypeOrSelf(op.getType());
  return op.getStorage().getWidth() == 8 && !op.getBlock() &&
         (number.isF32() || number.isInteger()) &&
         getElementTypeOrSelf(op.getScale().getType()) == number;
}

std::optional<Stored> StoredOperands::find(OpBuilder &b, Value operand) {
  if (auto op = operand.getDefiningOp<prec::DequantizeOp>()) {
    if (!isTaken(op))
      return std::nullopt;
    return Stored{op.getInput(),
                  op.getStorage(),
                  {op.getScale(), op.getAxis()},
                  {op.getZeroPoint(), op.getAxis()}};
  }
  if (kernel::WeightOp weight = weights.referredTo(operand))
    return findInWeight(b, weight);
  return findBehindView(b, operand);
}

/// What moves elements moves integers as well.
std::optional<Stored> StoredOperands::findBehindView(OpBuilder &b,
                                                     Value operand) {
  Operation *view = operand.getDefiningOp();
  auto generic = dyn_cast_or_null<linalg::GenericOp>(view);
  if (!view ||
      !(generic ? isView(generic)
                : isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(view)))
    return std::nullopt;
  std::optional<Stored> stored = find(b, view->getOperand(0));
  if (!stored || !stored->isPerTensor())
    return std::nullopt;
  RankedTensorType type =
      typeOf(operand).clone(typeOf(stored->integers).getElementType());
  if (generic) {
    stored->integers = createPointwise(
        b, view->getLoc(), type, stored->integers,
        generic.getIndexingMapsArray().front(),
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
    return stored;
  }
  Operation *copy = b.clone(*view);
  copy->setOperand(0, stored->integers);
  copy->getResult(0).setType(type);
  stored->integers = copy->getResult(0);
  return stored;
}

/// A weight whose program dequantizes and then at most transposes.
std::optional<Stored> StoredOperands::findInWeight(OpBuilder &b,
                                                   kernel::WeightOp weight) {
  Operation *end = weight.getBody().front().getTerminator();
  Value value = end->getOperand(0);
  SmallVector<stablehlo::TransposeOp> moves;
  while (auto move = value.getDefiningOp<stablehlo::TransposeOp>()) {
    moves.push_back(move);
    value = move.getOperand();
  }
  auto op = value.getDefiningOp<prec::DequantizeOp>();
  if (!op || !isTaken(op))
    return std::nullopt;
  OpBuilder inside(end);
  SmallVector<Operation *> made;
  std::optional<unsigned> dim = op.getAxis();
  value = op.getInput();
  for (stablehlo::TransposeOp move : llvm::reverse(moves)) {
    value = stablehlo::TransposeOp::create(
        inside, move.getLoc(),
        typeOf(move.getResult()).clone(typeOf(value).getElementType()), value,
        move.getPermutation());
    made.push_back(value.getDefiningOp());
    if (dim)
      dim = llvm::find(move.getPermutation(), *dim) -
            move.getPermutation().begin();
  }
  Stored stored{referenceTo(b, value), op.getStorage(),
                parameter(b, op.getScale(), dim),
                parameter(b, op.getZeroPoint(), dim)};
  for (Operation *move : llvm::reverse(made))
    move->erase();
  return stored;
}

TypedAttr heddle::numberEverywhere(Value value) {
  ElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  auto numbers = dyn_cast<DenseElementsAttr>(constant);
  if (!numbers) {
    RankedTensorType type = typeOf(value);
    std::optional<ArrayRef<char>> bytes = weightBytes(constant);
    int64_t count = type.getNumElements();
    if (!bytes || count == 0 || bytes->size() % count != 0)
      return {};
    // Neighbours that are equal are all equal.
    size_t size = bytes->size() / count;
    if (bytes->drop_front(size) != bytes->drop_back(size))
      return {};
    auto one = RankedTensorType::get({1}, type.getElementType());
    numbers = dyn_cast<DenseElementsAttr>(
        makeConstant(one, "number", bytes->take_front(size).vec()));
  }
  if (!numbers || !(numbers.isSplat() || numbers.getNumElements() == 1))
    return {};
  return cast<TypedAttr>(*numbers.getValues<Attribute>().begin());
}

/// A number that is the same everywhere is one; others are a weight.
QuantizationParameter StoredOperands::parameter(OpBuilder &b, Value value,
                                                std::optional<unsigned> dim) {
  TypedAttr number = numberEverywhere(value);
  if (!number)
    return {referenceTo(b, value), dim};
  Type held = loweredElementType(number.getType());
  if (auto integer = dyn_cast<IntegerAttr>(number))
    number = IntegerAttr::get(held, integer.getValue());
  Value one = createPointwise(
      b, value.getLoc(), RankedTensorType::get({}, held), {}, {},
      [&](OpBuilder &inner, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(inner, at, number);
      });
  return {one, std::nullopt};
}

Value StoredOperands::referenceTo(OpBuilder &b, Value program) {
  Value reference = weights.reference(b, weights.add(program));
  reference.setType(loweredTensorType(reference.getType()));
  return reference;
}
