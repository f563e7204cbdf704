// Sizes that the program computes: their names, ranges and counts.

#include "Emitter.h"

#include "dialects/Size/Size.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

bool Emitter::mayComputeSizes() const {
  // A branch or loop that is being written belongs to no operation yet.
  auto function = dyn_cast_or_null<func::FuncOp>(
      builder.getInsertionBlock()->getParentOp());
  return function && function.getSymName() == "main";
}

std::string Emitter::nameOfComputed(StringRef what) const {
  const SizeScope &scope = decompositions.sizes;
  std::string base = (scope.node + "." + what).str(), name = base;
  auto isTaken = [&] {
    bool isDeclared =
        scope.ranges.facts(name).maximum != size::SymbolFacts().maximum;
    return llvm::any_of(scope.computed,
                        [&](const auto &each) { return each.name == name; }) ||
           (isDeclared && !scope.given.contains(name));
  };
  for (unsigned i = 1; isTaken(); ++i)
    name = base + std::to_string(i);
  return name;
}

namespace {
/// Whether two values are computed in the same way. Exporters write the mask of
/// each tensor that they index anew.
class SameComputation {
public:
  bool operator()(Value a, Value b) {
    if (a == b || same.lookup(a) == b)
      return true;
    Operation *lhs = a.getDefiningOp(), *rhs = b.getDefiningOp();
    if (!lhs || !rhs ||
        cast<OpResult>(a).getResultNumber() !=
            cast<OpResult>(b).getResultNumber() ||
        ++steps > kMostSteps)
      return false;
    // What is within a reduction is compared with it.
    return OperationEquivalence::isEquivalentTo(
        lhs, rhs,
        [&](Value one, Value other) { return success((*this)(one, other)); },
        [&](Value one, Value other) { same[one] = other; },
        OperationEquivalence::IgnoreLocations);
  }

private:
  static constexpr int kMostSteps = 1000;
  int steps = 0;
  llvm::DenseMap<Value, Value> same;
};
} // namespace

std::optional<Extent> Emitter::knownComputed(Value number, int64_t bound) {
  SizeScope &scope = decompositions.sizes;
  for (const SizeScope::Computed &each : scope.computed)
    if (each.range.maximum <= bound && each.number &&
        SameComputation()(each.number, number))
      return Extent(size::Expression::symbol(builder.getContext(), each.name),
                    scope);
  return std::nullopt;
}

Extent Emitter::addComputed(std::string name, size::SymbolFacts range,
                            Value count, Value number) {
  SizeScope &scope = decompositions.sizes;
  if (auto given = scope.given.find(name); given != scope.given.end()) {
    const size::SymbolFacts &wanted = given->second.range;
    given->second.isUsed = true;
    // A range that only begins within what is possible ends there.
    if (wanted.multiple != 1)
      fault(ErrorCode::OnnxShapeOption,
            "--dim gives '" + name +
                "' a multiple, but the program computes "
                "it: a range alone is supported");
    else if (wanted.minimum > range.maximum || wanted.maximum < range.minimum)
      fault(ErrorCode::OnnxShapeOption,
            "--dim gives '" + name + "' the range " + Twine(wanted.minimum) +
                ".." + Twine(wanted.maximum) + ", but it is from " +
                Twine(range.minimum) + " to " + Twine(range.maximum));
    else
      range = {std::max(range.minimum, wanted.minimum),
               std::min(range.maximum, wanted.maximum), 1};
  }
  scope.ranges.declare(name, range);
  scope.computed.push_back({name, range, count, number});
  return Extent(size::Expression::symbol(builder.getContext(), name), scope);
}

Extent Emitter::computedExtent(int64_t bound, Value count) {
  if (std::optional<Extent> known = knownComputed(count, bound))
    return *known;
  return addComputed(nameOfComputed("count"), {0, bound, 1}, count, count);
}

Value Emitter::countOf(Value number, int64_t most) {
  number = reshape(convert(number, builder.getI64Type()), {});
  Value least = splatInteger(typeOf(number), -1);
  Value beyond = splatInteger(typeOf(number), most + 1);
  return convert(minimum(maximum(number, least), beyond), builder.getI32Type());
}

Extent Emitter::computedExtent(StringRef what, Value number,
                               std::optional<int64_t> bound) {
  SizeScope &scope = decompositions.sizes;
  std::string name = nameOfComputed(what);
  // One more than the most has to be a number of 32 bits.
  int64_t most = std::min<int64_t>(bound.value_or(INT64_MAX), INT32_MAX - 1);
  auto given = scope.given.find(name);
  if (given == scope.given.end())
    if (std::optional<Extent> known = knownComputed(number, most))
      return *known;
  if (given != scope.given.end())
    most = std::min(most, given->second.range.maximum);
  else if (!bound)
    fault(ErrorCode::OnnxNotConstant,
          "'" + name +
              "', a size of its result, is computed from the inputs, "
              "and nothing says how large it may be; --dim '" +
              name + "=0..64' gives it a range" + bindRemedy(number));
  if (hasFault())
    return 1;
  return addComputed(name, {0, most, 1}, countOf(number, most), number);
}

void Emitter::wantAtCall(Value holds) {
  Value misfit = convert(unary<stablehlo::NotOp>(reshape(holds, {})),
                         builder.getI32Type());
  addComputed(nameOfComputed("misfit"), {0, 0, 1}, misfit, {});
}

Value Emitter::firstOf(Value value, int64_t dimension, const Extent &extent,
                       Value count) {
  Shape shape = shapeOf(value);
  // Of nothing, nothing is left.
  if (shape[dimension].is(0))
    return value;
  // Options may say a narrower range than there could be.
  if (extent.bound() < shape[dimension].bound()) {
    shape[dimension] = Extent::minimum(shape[dimension], extent.bound());
    value = slice(value, Shape(shape.size(), 0), shape,
                  OwnedExtents(shape.size(), 1), /*isClamped=*/true);
  }
  if (extent.isKnown())
    return value;
  shape[dimension] = extent;
  return stablehlo::SetDimensionSizeOp::create(
      builder, loc, type(shape, elementOf(value)), value, count, dimension);
}

/// How many numbers a list of sizes may hold.
static constexpr int64_t kMostNumbers = 64;

SmallVector<Emitter::Number> Emitter::numbersIn(Value value) {
  SmallVector<Number> numbers;
  if (std::optional<Shape> sizes = sizesIn(value)) {
    for (const Extent &each : *sizes)
      numbers.push_back({each, {}});
    return numbers;
  }
  RankedTensorType type = typeOf(value);
  if (size::hasExtents(type) || type.getRank() > 1 ||
      type.getNumElements() > kMostNumbers ||
      !type.getElementType().isInteger()) {
    fault(ErrorCode::OnnxNode, "a vector of known length is wanted for sizes");
    return numbers;
  }
  // Exporters join what they know with what they compute.
  Operation *op = value.getDefiningOp();
  if (auto join = dyn_cast_or_null<stablehlo::ConcatenateOp>(op)) {
    for (Value part : join.getInputs())
      numbers.append(numbersIn(part));
    return numbers;
  }
  if (auto other = dyn_cast_or_null<stablehlo::ReshapeOp>(op))
    if (typeOf(other.getOperand()).getRank() <= 1)
      return numbersIn(other.getOperand());
  Value wide = convert(value, builder.getI64Type());
  if (type.getRank() == 0)
    return {{std::nullopt, wide}};
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    numbers.push_back({std::nullopt, reshape(sliceDim(wide, 0, i, i + 1), {})});
  return numbers;
}

Value Emitter::scalarOf(const Number &given) {
  return given.size ? number(*given.size, builder.getI64Type())
                    : given.computed;
}

/// An input of the model that `value` is computed from; null if there is none.
static BlockArgument findInput(Value value) {
  SmallVector<Value> open = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(next);
    if (argument &&
        isa_and_nonnull<func::FuncOp>(argument.getOwner()->getParentOp()))
      return argument;
    if (Operation *op = next.getDefiningOp())
      llvm::append_range(open, op->getOperands());
  }
  return {};
}

std::string Emitter::bindRemedy(Value value) {
  BlockArgument input = findInput(value);
  auto function = input
                      ? dyn_cast<func::FuncOp>(input.getOwner()->getParentOp())
                      : func::FuncOp();
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             input.getArgNumber(), "heddle.name")
                       : StringAttr();
  return name ? ("; --bind " + name.getValue() +
                 "=@FILE.npy fixes that input to a value")
                    .str()
              : std::string();
}
