// Writes StableHLO for ONNX nodes: constants, broadcasts, reductions,
// composites.

#include "Emitter.h"
#include "Limits.h"

#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

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

/// A splat of the type with the value of the splat constant that defines
/// `value`; null if none does.
static ElementsAttr splatOf(Value value, RankedTensorType type) {
  if (!isSplat(value))
    return {};
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  return cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type);
}

/// The same bytes under another shape; null if no constant defines the value.
static ElementsAttr reshapedConstant(Value value, RankedTensorType type) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant)
    return {};
  if (auto handle = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    return DenseResourceElementsAttr::get(type, handle.getRawHandle());
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return cast<ElementsAttr>(dense.reshape(type));
  return {};
}

//===--- Shape ------------------------------------------------------------===//

Value Emitter::reshape(Value value, Extents shape) {
  if (shapeOf(value) == shape)
    return value;
  RankedTensorType result = type(shape, elementOf(value));
  if (result.getNumElements() != typeOf(value).getNumElements()) {
    fault(ErrorCode::OnnxNode,
          "a value of the shape " + spellShape(shapeOf(value)) +
              " cannot take the shape " + spellShape(shape));
    return standIn(result);
  }
  if (ElementsAttr known = reshapedConstant(value, result))
    return constant(known);
  return stablehlo::ReshapeOp::create(builder, loc, result, value);
}

Value Emitter::transpose(Value value, Extents permutation) {
  Extents from = shapeOf(value);
  OwnedExtents sorted(permutation), identity, shape;
  llvm::sort(sorted);
  for (int64_t i = 0, e = from.size(); i < e; ++i)
    identity.push_back(i);
  if (sorted != identity) {
    fault(ErrorCode::OnnxNode, "[" + spellShape(permutation) +
                                   "] is no permutation of the dimensions of " +
                                   spellShape(from));
    return value;
  }
  if (permutation == Extents(identity))
    return value;
  for (int64_t dim : permutation)
    shape.push_back(from[dim]);
  auto result = RankedTensorType::get(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  OwnedExtents source(from.size());
  if (Value folded = moved(value, result, [&](Extents index) {
        for (size_t i = 0; i < source.size(); ++i)
          source[permutation[i]] = index[i];
        return linearIndex(source, from);
      }))
    return folded;
  return stablehlo::TransposeOp::create(builder, loc, result, value,
                                        list(permutation));
}

Value Emitter::broadcastInDim(Value value, Extents shape, Extents dims) {
  Extents from = shapeOf(value);
  RankedTensorType result = type(shape, elementOf(value));
  if (from == result.getShape() && llvm::is_sorted(dims))
    return value;
  bool fits = from.size() == dims.size();
  for (size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] >= 0 && dims[i] < result.getRank() &&
           (from[i] == 1 || from[i] == result.getDimSize(dims[i]));
  if (!fits) {
    fault(ErrorCode::OnnxNode, "a value of the shape " + spellShape(from) +
                                   " cannot be broadcast to " +
                                   spellShape(shape));
    return standIn(result);
  }
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  // Floats copied along the first dimension, a batch, are no shape computation.
  // Folded, they would make a program of few another one than that of many.
  const int64_t *first = llvm::find(dims, 0);
  bool grows = result.getRank() > 0 && result.getDimSize(0) != 1 &&
               (first == dims.end() || from[first - dims.begin()] == 1);
  bool isData = isa<FloatType>(result.getElementType()) && grows;
  OwnedExtents source(from.size());
  Value folded;
  if (!isData)
    folded = moved(value, result, [&](Extents index) {
      for (size_t i = 0; i < source.size(); ++i)
        source[i] = from[i] == 1 ? 0 : index[dims[i]];
      return linearIndex(source, from);
    });
  if (folded)
    return folded;
  return stablehlo::BroadcastInDimOp::create(builder, loc, result, value,
                                             list(dims));
}

Value Emitter::broadcastTo(Value value, Extents shape) {
  int64_t lead = int64_t(shape.size()) - typeOf(value).getRank();
  if (lead < 0) {
    fault(ErrorCode::OnnxNode,
          "a value of the shape " + spellShape(shapeOf(value)) +
              " cannot be broadcast to " + spellShape(shape));
    return standIn(type(shape, elementOf(value)));
  }
  OwnedExtents dims;
  for (int64_t i = 0; i < typeOf(value).getRank(); ++i)
    dims.push_back(lead + i);
  return broadcastInDim(value, shape, dims);
}

OwnedExtents Emitter::broadcastShape(Extents lhs, Extents rhs) {
  OwnedExtents shape(std::max(lhs.size(), rhs.size()), 1);
  auto extentAt = [&](Extents side, size_t i) {
    size_t lead = shape.size() - side.size();
    return i < lead ? 1 : side[i - lead];
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = extentAt(lhs, i), right = extentAt(rhs, i);
    if (left != right && left != 1 && right != 1)
      fault(ErrorCode::OnnxNode, "the shapes " + spellShape(lhs) + " and " +
                                     spellShape(rhs) +
                                     " cannot be broadcast together");
    shape[i] = left == 1 ? right : left;
  }
  return shape;
}

Value Emitter::slice(Value value, Extents starts, Extents limits,
                     Extents strides) {
  OwnedExtents shape;
  Extents from = shapeOf(value);
  bool whole = true;
  for (size_t i = 0; i < from.size(); ++i) {
    if (starts[i] < 0 || starts[i] > limits[i] || limits[i] > from[i] ||
        strides[i] < 1) {
      fault(ErrorCode::OnnxNode,
            "the slice [" + Twine(starts[i]) + ":" + Twine(limits[i]) +
                "] leaves a dimension of extent " + Twine(from[i]));
      return value;
    }
    shape.push_back(llvm::divideCeil(limits[i] - starts[i], strides[i]));
    whole &= shape.back() == from[i];
  }
  if (whole)
    return value;
  auto result = RankedTensorType::get(shape, elementOf(value));
  if (ElementsAttr known = splatOf(value, result))
    return constant(known);
  OwnedExtents source(from.size());
  if (Value folded = moved(value, result, [&](Extents index) {
        for (size_t i = 0; i < source.size(); ++i)
          source[i] = starts[i] + index[i] * strides[i];
        return linearIndex(source, from);
      }))
    return folded;
  return stablehlo::SliceOp::create(builder, loc, result, value, list(starts),
                                    list(limits), list(strides));
}

Value Emitter::sliceDim(Value value, int64_t dimension, int64_t start,
                        int64_t limit) {
  OwnedExtents starts(typeOf(value).getRank(), 0), limits(shapeOf(value)),
      strides(typeOf(value).getRank(), 1);
  starts[dimension] = start;
  limits[dimension] = limit;
  return slice(value, starts, limits, strides);
}

Value Emitter::foldedConcatenation(ValueRange values, int64_t dimension,
                                   RankedTensorType result) {
  if (!folds(result))
    return {};
  SmallVector<Literal> parts;
  for (Value value : values) {
    std::optional<Literal> known = readLiteral(value);
    if (!known)
      return {};
    parts.push_back(std::move(*known));
  }
  Literal joined = Literal::zeros(result);
  IndexWalk walk(result.getShape());
  for (int64_t i = 0, e = joined.size(); i < e; ++i, walk.advance()) {
    OwnedExtents index(walk.index());
    size_t part = 0;
    while (index[dimension] >= parts[part].type.getDimSize(dimension))
      index[dimension] -= parts[part++].type.getDimSize(dimension);
    joined.copy(i, parts[part],
                linearIndex(index, parts[part].type.getShape()));
  }
  return constant(joined);
}

Value Emitter::concatenate(ValueRange values, int64_t dimension) {
  if (values.size() == 1)
    return values.front();
  OwnedExtents shape(shapeOf(values.front()));
  shape[dimension] = 0;
  for (Value value : values) {
    OwnedExtents other(shapeOf(value));
    bool fits = other.size() == shape.size() &&
                elementOf(value) == elementOf(values.front());
    if (fits) {
      shape[dimension] += other[dimension];
      other[dimension] = shape[dimension];
    }
    if (!fits || other != shape) {
      fault(ErrorCode::OnnxNode,
            "values of the shapes " + spellShape(shapeOf(values.front())) +
                " and " + spellShape(shapeOf(value)) +
                " cannot be concatenated along dimension " + Twine(dimension));
      return values.front();
    }
  }
  RankedTensorType result = type(shape, elementOf(values.front()));
  if (hasFault())
    return values.front();
  if (Value known = foldedConcatenation(values, dimension, result))
    return known;
  return stablehlo::ConcatenateOp::create(builder, loc, result, values,
                                          dimension);
}

Value Emitter::pad(Value value, Value fill, Extents low, Extents high,
                   Extents interior) {
  OwnedExtents inner(interior);
  inner.resize(low.size(), 0);
  OwnedExtents shape(shapeOf(value));
  bool nothing = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] +=
        low[i] + high[i] + std::max<int64_t>(shape[i] - 1, 0) * inner[i];
    nothing &= low[i] == 0 && high[i] == 0 && inner[i] == 0;
  }
  if (nothing)
    return value;
  return stablehlo::PadOp::create(builder, loc, type(shape, elementOf(value)),
                                  value, fill, list(low), list(high),
                                  list(inner));
}

Value Emitter::reverse(Value value, Extents dimensions) {
  if (dimensions.empty())
    return value;
  Extents shape = shapeOf(value);
  if (Value folded = moved(value, typeOf(value), [&](Extents index) {
        OwnedExtents source(index);
        for (int64_t dim : dimensions)
          source[dim] = shape[dim] - 1 - source[dim];
        return linearIndex(source, shape);
      }))
    return folded;
  return stablehlo::ReverseOp::create(builder, loc, value.getType(), value,
                                      list(dimensions));
}

//===--- Elementwise ------------------------------------------------------===//

bool Emitter::unify(Value &lhs, Value &rhs) {
  if (elementOf(lhs) != elementOf(rhs)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "the operands have different types, " << elementOf(lhs) << " and "
        << elementOf(rhs);
    fault(ErrorCode::OnnxNode, text);
    return false;
  }
  OwnedExtents shape = broadcastShape(shapeOf(lhs), shapeOf(rhs));
  if (hasFault())
    return false;
  lhs = broadcastTo(lhs, shape);
  rhs = broadcastTo(rhs, shape);
  return !hasFault();
}

template <typename T>
static bool holds(stablehlo::ComparisonDirection direction, T lhs, T rhs) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return lhs == rhs;
  case stablehlo::ComparisonDirection::NE:
    return lhs != rhs;
  case stablehlo::ComparisonDirection::LT:
    return lhs < rhs;
  case stablehlo::ComparisonDirection::LE:
    return lhs <= rhs;
  case stablehlo::ComparisonDirection::GT:
    return lhs > rhs;
  case stablehlo::ComparisonDirection::GE:
    return lhs >= rhs;
  }
  return false;
}

Value Emitter::foldedComparison(Value lhs, Value rhs,
                                stablehlo::ComparisonDirection direction,
                                RankedTensorType result) {
  std::optional<Literal> left = readLiteral(lhs);
  std::optional<Literal> right = left ? readLiteral(rhs) : std::nullopt;
  if (!right)
    return {};
  Literal values = Literal::zeros(result);
  bool isUnsigned = elementOf(lhs).isUnsignedInteger();
  for (int64_t i = 0, e = values.size(); i < e; ++i) {
    if (left->isFloat())
      values.integers[i] = holds(direction, left->floats[i], right->floats[i]);
    else if (isUnsigned)
      values.integers[i] =
          holds<uint64_t>(direction, left->integers[i], right->integers[i]);
    else
      values.integers[i] =
          holds(direction, left->integers[i], right->integers[i]);
  }
  return constant(values);
}

Value Emitter::compare(Value lhs, Value rhs,
                       stablehlo::ComparisonDirection direction) {
  bool fits = unify(lhs, rhs);
  auto result = RankedTensorType::get(shapeOf(lhs), builder.getI1Type());
  if (!fits)
    return standIn(result);
  if (Value known = foldedComparison(lhs, rhs, direction, result))
    return known;
  Type element = elementOf(lhs);
  auto kind = isa<FloatType>(element) ? stablehlo::ComparisonType::FLOAT
              : element.isUnsignedInteger() || element.isInteger(1)
                  ? stablehlo::ComparisonType::UNSIGNED
                  : stablehlo::ComparisonType::SIGNED;
  return stablehlo::CompareOp::create(
      builder, loc, result, lhs, rhs,
      stablehlo::ComparisonDirectionAttr::get(builder.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(builder.getContext(), kind));
}

Value Emitter::holdsExtreme(Value x, Value extreme) {
  using Direction = stablehlo::ComparisonDirection;
  Value isExtreme = compare(x, extreme, Direction::EQ);
  if (!isa<FloatType>(elementOf(x)))
    return isExtreme;
  // No NaN equals the extreme that it makes.
  return binary<stablehlo::OrOp>(isExtreme, compare(x, x, Direction::NE));
}

Value Emitter::select(Value predicate, Value onTrue, Value onFalse) {
  if (!unify(onTrue, onFalse))
    return onTrue;
  OwnedExtents shape = broadcastShape(shapeOf(predicate), shapeOf(onTrue));
  if (!elementOf(predicate).isInteger(1))
    fault(ErrorCode::OnnxNode, "the condition is not of type bool");
  if (hasFault())
    return onTrue;
  predicate = broadcastTo(predicate, shape);
  onTrue = broadcastTo(onTrue, shape);
  onFalse = broadcastTo(onFalse, shape);
  std::optional<Literal> which =
      folds(typeOf(onTrue)) ? readLiteral(predicate) : std::nullopt;
  std::optional<Literal> chosen = which ? readLiteral(onTrue) : std::nullopt;
  std::optional<Literal> other = chosen ? readLiteral(onFalse) : std::nullopt;
  if (other) {
    for (int64_t i = 0, e = which->size(); i < e; ++i)
      if (!which->integers[i])
        chosen->copy(i, *other, i);
    return constant(*chosen);
  }
  return stablehlo::SelectOp::create(builder, loc, onTrue.getType(), predicate,
                                     onTrue, onFalse);
}

Value Emitter::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  auto result = RankedTensorType::get(shapeOf(value), element);
  std::optional<Literal> known =
      folds(result) ? readLiteral(value) : std::nullopt;
  if (known && element.isIntOrFloat())
    if (std::optional<Literal> converted = foldConvert(*known, result))
      return constant(*converted);
  return stablehlo::ConvertOp::create(builder, loc, result, value);
}

Value Emitter::add(Value lhs, Value rhs) {
  return binary<stablehlo::AddOp>(lhs, rhs);
}
Value Emitter::subtract(Value lhs, Value rhs) {
  return binary<stablehlo::SubtractOp>(lhs, rhs);
}
Value Emitter::multiply(Value lhs, Value rhs) {
  return binary<stablehlo::MulOp>(lhs, rhs);
}
Value Emitter::divide(Value lhs, Value rhs) {
  return binary<stablehlo::DivOp>(lhs, rhs);
}
Value Emitter::maximum(Value lhs, Value rhs) {
  return binary<stablehlo::MaxOp>(lhs, rhs);
}
Value Emitter::minimum(Value lhs, Value rhs) {
  return binary<stablehlo::MinOp>(lhs, rhs);
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
