// The operations of programs that compute a weight.

#include "lib/Frontend/Bindings/WeightProgram.h"

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/HostTensor.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Support/Weights.h"

using namespace mlir;
using namespace heddle;

static SmallVector<int64_t> extentsOf(Value value) {
  return SmallVector<int64_t>(typeOf(value).getShape());
}

IntegerType WeightProgram::unsignedType(unsigned bits) {
  return builder.getIntegerType(bits, /*isSigned=*/false);
}

IntegerType WeightProgram::signedType(unsigned bits) {
  return builder.getIntegerType(bits);
}

FloatType WeightProgram::f32() { return builder.getF32Type(); }

Value WeightProgram::view(ArrayRef<int64_t> shape, Type element,
                          uint64_t offset) {
  auto type = RankedTensorType::get(shape, element);
  uint64_t bytes = *HostTensor::byteSize(type);
  ElementsAttr value;
  if (bytes > kHandleThresholdBytes)
    value = makeWeight(type, name, file, offset, bytes);
  else
    value = HostTensor::view(type, file->bytes().slice(offset, bytes), file)
                .toAttribute();
  return stablehlo::ConstantOp::create(builder, loc, value);
}

Value WeightProgram::splat(ArrayRef<int64_t> shape, Type element,
                           int64_t value) {
  auto type = RankedTensorType::get(shape, element);
  APInt bits = APInt(64, static_cast<uint64_t>(value))
                   .trunc(element.getIntOrFloatBitWidth());
  return stablehlo::ConstantOp::create(
      builder, loc, cast<ElementsAttr>(DenseElementsAttr::get(type, bits)));
}

Value WeightProgram::split(Value bytes, unsigned bits) {
  SmallVector<int64_t> shape = extentsOf(bytes);
  shape.push_back(8 / bits);
  return stablehlo::BitcastConvertOp::create(
      builder, loc, RankedTensorType::get(shape, unsignedType(bits)), bytes);
}

Value WeightProgram::bits(Value bytes, int64_t weight) {
  // The packer splits bytes into pairs of bits, no further.
  Value pairs = convert(split(bytes, 2), unsignedType(8));
  SmallVector<int64_t> shape = extentsOf(pairs);
  shape.push_back(1);
  Value low = times(masked(pairs, 1), weight),
        high = times(masked(pairs, 2), weight / 2);
  Value both = concatenate({reshape(low, shape), reshape(high, shape)});
  shape = extentsOf(bytes);
  shape.push_back(8);
  return reshape(both, shape);
}

Value WeightProgram::slice(Value value, int64_t begin, int64_t size) {
  SmallVector<int64_t> limits = extentsOf(value);
  SmallVector<int64_t> starts(limits.size(), 0), strides(limits.size(), 1);
  starts.back() = begin;
  limits.back() = begin + size;
  return stablehlo::SliceOp::create(builder, loc, value, starts, limits,
                                    strides);
}

Value WeightProgram::firstOf(Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
  return stablehlo::SliceOp::create(builder, loc, value, starts,
                                    SmallVector<int64_t>(shape), strides);
}

Value WeightProgram::reshape(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  return stablehlo::ReshapeOp::create(builder, loc, type.clone(shape), value);
}

Value WeightProgram::transpose(Value value, ArrayRef<int64_t> permutation) {
  return stablehlo::TransposeOp::create(builder, loc, value, permutation);
}

Value WeightProgram::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  return stablehlo::ConvertOp::create(builder, loc, value, element);
}

Value WeightProgram::concatenate(ValueRange values) {
  return stablehlo::ConcatenateOp::create(builder, loc, values,
                                          typeOf(values[0]).getRank() - 1);
}

Value WeightProgram::repeat(Value value, int64_t count) {
  SmallVector<int64_t> shape = extentsOf(value), dimensions;
  for (size_t i = 0; i < shape.size(); ++i)
    dimensions.push_back(static_cast<int64_t>(i));
  shape.push_back(count);
  Value repeated = stablehlo::BroadcastInDimOp::create(
      builder, loc, typeOf(value).clone(shape), value, dimensions);
  shape.pop_back();
  shape.back() *= count;
  return reshape(repeated, shape);
}

Value WeightProgram::add(Value left, Value right) {
  return stablehlo::AddOp::create(builder, loc, left, right);
}

Value WeightProgram::subtract(Value left, Value right) {
  return stablehlo::SubtractOp::create(builder, loc, left, right);
}

Value WeightProgram::negate(Value value) {
  return stablehlo::NegOp::create(builder, loc, value);
}

Value WeightProgram::multiply(Value left, Value right) {
  return stablehlo::MulOp::create(builder, loc, left, right);
}

Value WeightProgram::times(Value value, int64_t factor) {
  return multiply(value, splat(extentsOf(value), elementOf(value), factor));
}

Value WeightProgram::timesReal(Value value, double factor) {
  RankedTensorType type = typeOf(value);
  Value factors = stablehlo::ConstantOp::create(
      builder, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(
          type, builder.getFloatAttr(type.getElementType(), factor))));
  return multiply(value, factors);
}

Value WeightProgram::divide(Value left, Value right) {
  return stablehlo::DivOp::create(builder, loc, left, right);
}

Value WeightProgram::eightTimesFloats(Value codes) {
  // Of the bits s, e, d, m the value is m / 2, 1 + m / 2, 2 + m, 4 + 2 m: with
  // d = 0 or 2 and e = 0 or 4, eight times that is
  // 4 (d + e) + d e + m (4 + e + d e).
  Value bytes = convert(codes, signedType(8));
  Value m = masked(bytes, 1), d = masked(bytes, 2), e = masked(bytes, 4);
  Value both = multiply(d, e);
  Value least = splat(extentsOf(codes), signedType(8), 4);
  Value size = add(add(times(add(d, e), 4), both),
                   multiply(m, add(least, add(e, both))));
  Value isBelow = stablehlo::CompareOp::create(
      builder, loc, codes, splat(extentsOf(codes), elementOf(codes), 8),
      stablehlo::ComparisonDirection::GE);
  return stablehlo::SelectOp::create(builder, loc, isBelow, negate(size), size);
}

Value WeightProgram::masked(Value value, int64_t mask) {
  return stablehlo::AndOp::create(
      builder, loc, value, splat(extentsOf(value), elementOf(value), mask));
}

Value WeightProgram::dequantize(Value numbers, Value scales, Value zeros,
                                int64_t zero, int64_t axis, int64_t block,
                                FloatType result) {
  RankedTensorType type = typeOf(numbers);
  if (!zeros)
    zeros = splat(extentsOf(scales), type.getElementType(), zero);
  return prec::DequantizeOp::create(
      builder, loc, type.clone(result), numbers, scales, zeros,
      builder.getI64IntegerAttr(axis), builder.getI64IntegerAttr(block),
      /*storage_type=*/TypeAttr());
}
