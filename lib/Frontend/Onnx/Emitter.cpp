// Writes constants and composites for ONNX nodes, and folds what is known.

#include "Emitter.h"
#include "Limits.h"

#include "dialects/StableHlo/ResultExtents.h"
#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

void Emitter::fault(ErrorCode which, const Twine &what) {
  if (hasFault())
    return;
  code = which;
  message = what.str();
}

RankedTensorType Emitter::type(const Shape &shape, Type element) {
  auto nothing = [&] {
    return RankedTensorType::get(OwnedExtents(shape.size(), 0), element);
  };
  if (shape.size() > kMaxRank) {
    fault(ErrorCode::TooMany, "a value would have " + Twine(shape.size()) +
                                  " dimensions, at most " + Twine(kMaxRank) +
                                  " are supported");
    return nothing();
  }
  if (!llvm::all_of(shape, [](const Extent &size) {
        return size.wantNotNegative(size.text() + " >= 0");
      })) {
    fault(ErrorCode::OnnxNode,
          "a value would have the shape " + spellShape(shape));
    return nothing();
  }
  auto bound = RankedTensorType::get(shape.bounds(), element);
  std::optional<uint64_t> bytes = storedBytes(bound);
  if (bytes && *bytes <= maximumTensorBytes)
    return size::withExtents(
        bound, llvm::map_to_vector(shape, [&](const Extent &size) {
          return size.expression(builder.getContext());
        }));
  fault(ErrorCode::TensorTooLarge, "a value of the shape " + spellShape(shape) +
                                       " takes more than 2^40 bytes");
  return nothing();
}

Shape Emitter::shapeOf(RankedTensorType type) const {
  if (!size::hasExtents(type))
    return Shape(type.getShape());
  Shape shape;
  for (size::Expression extent : size::extentsOf(type))
    shape.push_back(Extent(extent, decompositions.sizes));
  return shape;
}

OwnedExtents Emitter::knownShapeOf(Value value) {
  Shape shape = shapeOf(value);
  if (!shape.areKnown())
    fault(ErrorCode::StableHloDynamicShape,
          "sizes of a value of the shape " + spellShape(shape) +
              " must be known when compiling; give them by --dim NAME=SIZE");
  return OwnedExtents(shape.bounds());
}

int64_t Emitter::knownExtentOf(Value value, int64_t dimension) {
  Extent extent = extentOf(value, dimension);
  return extent.isKnown() ? extent.bound() : knownShapeOf(value)[dimension];
}

bool Emitter::meet(Extent &extent, const Extent &other) {
  std::optional<Extent> both = Extent::meet(extent, other);
  if (both)
    extent = *both;
  return both.has_value();
}

void Emitter::setSized(Operation *op,
                       std::initializer_list<SizedAttribute> attributes) {
  if (llvm::all_of(attributes, [](const SizedAttribute &attribute) {
        return attribute.second.areKnown();
      }))
    return;
  MLIRContext *context = builder.getContext();
  for (const auto &[name, sizes] : attributes) {
    SmallVector<size::ExpressionAttr> extents;
    for (const Extent &each : sizes) {
      size::Expression extent = each.expression(context);
      if (!extent)
        return fault(
            ErrorCode::TooMany,
            "a size is too long an expression of those that calls choose");
      extents.push_back(extent.attribute());
    }
    op->setDiscardableAttr(stablehlo::sizedAttributeName(name),
                           size::ExtentsAttr::get(context, extents));
  }
}

Value Emitter::standIn(RankedTensorType type) { return splat(type, 0); }

//===--- Constants --------------------------------------------------------===//

Value Emitter::constant(ElementsAttr value) {
  return stablehlo::ConstantOp::create(builder, loc, value);
}

Value Emitter::splat(RankedTensorType type, double value) {
  if (!isa<FloatType>(type.getElementType()))
    return splatInteger(type, static_cast<int64_t>(value));
  return constant(cast<ElementsAttr>(DenseElementsAttr::get(
      type, builder.getFloatAttr(type.getElementType(), value))));
}

Value Emitter::splatInteger(RankedTensorType type, int64_t value) {
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return splat(type, static_cast<double>(value));
  APInt bits(64, static_cast<uint64_t>(value));
  return constant(DenseElementsAttr::get(
      type, bits.trunc(element.getIntOrFloatBitWidth())));
}

Value Emitter::scalar(Type element, double value) {
  return splat(RankedTensorType::get({}, element), value);
}

Value Emitter::integers(const Shape &values, Type element) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return integers(values, type);
}

Value Emitter::number(const Extent &value, Type element) {
  return integers({value}, RankedTensorType::get({}, element));
}

Value Emitter::numberLike(Value like, const Extent &value) {
  if (value.isKnown())
    return splatInteger(typeOf(like), value.bound());
  return broadcastTo(number(value, elementOf(like)), shapeOf(like));
}

Value Emitter::integers(const Shape &values, RankedTensorType type) {
  MLIRContext *context = builder.getContext();
  if (!values.areKnown()) {
    SmallVector<size::ExpressionAttr> elements;
    for (const Extent &value : values) {
      size::Expression element = value.expression(context);
      if (!element) {
        fault(ErrorCode::TooMany,
              "a size is too long an expression of those that calls choose");
        return standIn(type);
      }
      elements.push_back(element.attribute());
    }
    return size::TensorOp::create(builder, loc, type,
                                  size::ExtentsAttr::get(context, elements));
  }
  Literal known = Literal::zeros(type);
  for (auto [i, value] : llvm::enumerate(values)) {
    if (known.isFloat())
      known.floats[i] = static_cast<double>(value.bound());
    else
      known.integers[i] = value.bound();
  }
  known.normalize();
  return constant(known);
}

/// The least or greatest value of an element type.
static Attribute extreme(Type element, bool greatest) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return FloatAttr::get(
        type, llvm::APFloat::semanticsHasInf(semantics)
                  ? llvm::APFloat::getInf(semantics, !greatest)
                  : llvm::APFloat::getLargest(semantics, !greatest));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt value = isUnsigned ? (greatest ? APInt::getMaxValue(width)
                                       : APInt::getMinValue(width))
                           : (greatest ? APInt::getSignedMaxValue(width)
                                       : APInt::getSignedMinValue(width));
  return IntegerAttr::get(element, value);
}

Value Emitter::lowest(RankedTensorType type) {
  return constant(
      DenseElementsAttr::get(type, extreme(type.getElementType(), false)));
}

Value Emitter::highest(RankedTensorType type) {
  return constant(
      DenseElementsAttr::get(type, extreme(type.getElementType(), true)));
}

Value Emitter::iota(RankedTensorType type, int64_t dimension) {
  if (folds(type)) {
    Literal values = Literal::zeros(type);
    IndexWalk walk(type.getShape());
    for (int64_t i = 0, e = values.size(); i < e; ++i, walk.advance()) {
      int64_t position = walk.index()[dimension];
      if (values.isFloat())
        values.floats[i] = position;
      else
        values.integers[i] = position;
    }
    values.normalize();
    return constant(values);
  }
  return stablehlo::IotaOp::create(builder, loc, type, dimension);
}

//===--- Folding ----------------------------------------------------------===//

bool Emitter::folds(RankedTensorType type) const { return isFoldable(type); }

std::optional<Shape> Emitter::sizesIn(Value value) const {
  // Shapes, and what is computed of them.
  constexpr int64_t kMaxSizes = 64;
  if (auto sizes = value.getDefiningOp<size::TensorOp>()) {
    Shape elements;
    for (size::ExpressionAttr element : sizes.getElements().getExtents())
      elements.push_back(
          Extent(size::Expression(element), decompositions.sizes));
    return elements;
  }
  if (size::hasExtents(value.getType()) ||
      typeOf(value).getNumElements() > kMaxSizes)
    return std::nullopt;
  std::optional<Literal> known = readLiteral(value);
  if (!known)
    return std::nullopt;
  if (!known->isFloat())
    return Shape(ArrayRef<int64_t>(known->integers));
  Shape whole;
  for (double number : known->floats) {
    if (!(std::fabs(number) <= 0x1p53) || std::trunc(number) != number)
      return std::nullopt;
    whole.push_back(static_cast<int64_t>(number));
  }
  return whole;
}

/// Whether a value is made of sizes that calls choose.
static bool holdsSizes(Value value) {
  return value.getDefiningOp<size::TensorOp>() != nullptr;
}

Value Emitter::folded1(StringRef op, Value value) {
  std::optional<Literal> known =
      folds(typeOf(value)) ? readLiteral(value) : std::nullopt;
  std::optional<Literal> result = known ? foldUnary(op, *known) : std::nullopt;
  if (result)
    return constant(*result);
  // Sizes as floats are whole.
  bool isRounding = op == "stablehlo.floor" || op == "stablehlo.ceil" ||
                    op == "stablehlo.round_nearest_even";
  if (holdsSizes(value) && isRounding)
    return value;
  if (!holdsSizes(value) || op != "stablehlo.negate" ||
      !elementOf(value).isSignlessInteger())
    return {};
  Shape elements = *sizesIn(value);
  for (Extent &element : elements)
    element = 0 - element;
  return integers(elements, typeOf(value));
}

/// Whether `x` is proved to be so, of itself or by what is known of several
/// sizes.
static bool isNeverNegative(const Extent &x) {
  SizeScope *scope = x.owner();
  return x.least() >= 0 ||
         (scope && scope->ranges.isNeverNegative(x.expression(scope->context)));
}

/// What the operation computes of two sizes; nothing where it is not known, as
/// the quotient of numbers that may be negative.
static std::optional<Extent> foldSizes(StringRef op, const Extent &x,
                                       const Extent &y) {
  if (op == "stablehlo.add")
    return x + y;
  if (op == "stablehlo.subtract")
    return x - y;
  if (op == "stablehlo.multiply")
    return x * y;
  if (op == "stablehlo.maximum")
    return Extent::maximum(x, y);
  if (op == "stablehlo.minimum")
    return Extent::minimum(x, y);
  bool isQuotient = op == "stablehlo.divide";
  if (!isQuotient && op != "stablehlo.remainder")
    return std::nullopt;
  // Rounded to zero, which is down where nothing is negative.
  if (!isNeverNegative(x) || y.least() <= 0)
    return std::nullopt;
  Extent quotient = x.floorDiv(y);
  return isQuotient ? quotient : x - quotient * y;
}

/// Whether the type holds each of these sizes, whatever calls choose.
static bool holdsExactly(Type element, const Shape &sizes) {
  auto real = dyn_cast<FloatType>(element);
  if (!real)
    return true;
  unsigned digits = llvm::APFloat::semanticsPrecision(real.getFloatSemantics());
  int64_t greatest = int64_t(1) << std::min(digits, 53u);
  return llvm::all_of(sizes, [&](const Extent &size) {
    return size.least() >= -greatest && size.bound() <= greatest;
  });
}

Value Emitter::folded2(StringRef op, Value lhs, Value rhs) {
  std::optional<Literal> left =
      folds(typeOf(lhs)) ? readLiteral(lhs) : std::nullopt;
  std::optional<Literal> right = left ? readLiteral(rhs) : std::nullopt;
  std::optional<Literal> result =
      right ? foldBinary(op, *left, *right) : std::nullopt;
  if (result)
    return constant(*result);
  // A quotient of floats is rarely whole.
  bool isReal = isa<FloatType>(elementOf(lhs)) && op != "stablehlo.divide" &&
                op != "stablehlo.remainder";
  if ((!holdsSizes(lhs) && !holdsSizes(rhs)) ||
      !(isReal || elementOf(lhs).isSignlessInteger()))
    return {};
  std::optional<Shape> x = sizesIn(lhs), y = sizesIn(rhs);
  if (!x || !y)
    return {};
  Shape elements;
  for (auto [a, b] : llvm::zip_equal(*x, *y)) {
    std::optional<Extent> element = foldSizes(op, a, b);
    if (!element)
      return {};
    elements.push_back(*element);
  }
  if (!holdsExactly(elementOf(lhs), elements))
    return {};
  return integers(elements, typeOf(lhs));
}

Value Emitter::moved(Value value, RankedTensorType result,
                     llvm::function_ref<int64_t(Extents)> from) {
  if (!folds(result))
    return {};
  std::optional<Literal> known = readLiteral(value);
  std::optional<Shape> sizes =
      holdsSizes(value) ? sizesIn(value) : std::nullopt;
  if (!known && !sizes)
    return {};
  Literal values = Literal::zeros(result);
  Shape elements;
  IndexWalk walk(result.getShape());
  for (int64_t i = 0, e = values.size(); i < e; ++i, walk.advance()) {
    int64_t source = from(walk.index());
    if (sizes)
      elements.push_back(source >= 0 ? (*sizes)[source] : Extent(0));
    else if (source >= 0)
      values.copy(i, *known, source);
  }
  return sizes ? integers(elements, result) : constant(values);
}

//===--- Composites -------------------------------------------------------===//

SmallVector<Value> Emitter::composite(StringRef name, ValueRange operands,
                                      DictionaryAttr attributes, Body body) {
  MLIRContext *context = builder.getContext();
  std::string key;
  llvm::raw_string_ostream(key)
      << name << " " << attributes << " " << operands.getTypes();
  // No place in the table is kept: the body may emit composites of its own.
  func::FuncOp function = decompositions.functions.lookup(key);
  if (!function) {
    // Symbols must differ; how they are made up has no meaning.
    std::string symbol =
        (name + "_" + Twine(decompositions.functions.size())).str();
    OpBuilder functions =
        OpBuilder::atBlockEnd(decompositions.module.getBody());
    Location place = NameLoc::get(StringAttr::get(context, name));
    function = func::FuncOp::create(
        functions, place, symbol,
        FunctionType::get(context, operands.getTypes(), {}));
    function.setPrivate();
    decompositions.functions[key] = function;
    Block *block = function.addEntryBlock();
    OpBuilder inside = OpBuilder::atBlockEnd(block);
    Emitter emitter(inside, place, decompositions);
    SmallVector<Value> results = body(emitter, block->getArguments());
    if (emitter.hasFault())
      fault(emitter.faultCode(), emitter.faultMessage());
    func::ReturnOp::create(inside, place, results);
    function.setFunctionType(FunctionType::get(context, operands.getTypes(),
                                               TypeRange(ValueRange(results))));
  }
  auto op = stablehlo::CompositeOp::create(
      builder, loc, function.getFunctionType().getResults(), operands, name,
      attributes, function.getSymName());
  return SmallVector<Value>(op->getResults());
}
