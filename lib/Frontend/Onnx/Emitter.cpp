// Writes constants and composites for ONNX nodes, and folds what is known.

#include "Emitter.h"
#include "Limits.h"

#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

std::string heddle::onnx::spellShape(Extents shape) {
  return llvm::join(
      llvm::map_range(shape, [](int64_t e) { return std::to_string(e); }), "x");
}

void Emitter::fault(ErrorCode which, const Twine &what) {
  if (hasFault())
    return;
  code = which;
  message = what.str();
}

RankedTensorType Emitter::type(Extents shape, Type element) {
  if (shape.size() > kMaxRank) {
    fault(ErrorCode::TooMany, "a value would have " + Twine(shape.size()) +
                                  " dimensions, at most " + Twine(kMaxRank) +
                                  " are supported");
    return RankedTensorType::get(OwnedExtents(shape.size(), 0), element);
  }
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    fault(ErrorCode::OnnxNode,
          "a value would have the shape " + spellShape(shape));
    return RankedTensorType::get(OwnedExtents(shape.size(), 0), element);
  }
  auto type = RankedTensorType::get(shape, element);
  std::optional<uint64_t> bytes = storedBytes(type);
  if (bytes && *bytes <= maximumTensorBytes)
    return type;
  fault(ErrorCode::TensorTooLarge, "a value of the shape " + spellShape(shape) +
                                       " takes more than 2^40 bytes");
  return RankedTensorType::get(OwnedExtents(shape.size(), 0), element);
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

Value Emitter::integers(Extents values, Type element) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  SmallVector<APInt> bits;
  for (int64_t value : values)
    bits.push_back(APInt(64, static_cast<uint64_t>(value))
                       .trunc(element.getIntOrFloatBitWidth()));
  return constant(DenseElementsAttr::get(type, bits));
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

bool Emitter::folds(RankedTensorType type) const {
  return decompositions.isSample ? isFoldableInSample(type) : isFoldable(type);
}

Value Emitter::folded1(StringRef op, Value value) {
  std::optional<Literal> known =
      folds(typeOf(value)) ? readLiteral(value) : std::nullopt;
  std::optional<Literal> result = known ? foldUnary(op, *known) : std::nullopt;
  return result ? constant(*result) : Value();
}

Value Emitter::folded2(StringRef op, Value lhs, Value rhs) {
  std::optional<Literal> left =
      folds(typeOf(lhs)) ? readLiteral(lhs) : std::nullopt;
  std::optional<Literal> right = left ? readLiteral(rhs) : std::nullopt;
  std::optional<Literal> result =
      right ? foldBinary(op, *left, *right) : std::nullopt;
  return result ? constant(*result) : Value();
}

Value Emitter::moved(Value value, RankedTensorType result,
                     llvm::function_ref<int64_t(Extents)> from) {
  std::optional<Literal> known =
      folds(result) ? readLiteral(value) : std::nullopt;
  if (!known)
    return {};
  Literal values = Literal::zeros(result);
  IndexWalk walk(result.getShape());
  for (int64_t i = 0, e = values.size(); i < e; ++i, walk.advance()) {
    int64_t source = from(walk.index());
    if (source >= 0)
      values.copy(i, *known, source);
  }
  return constant(values);
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
