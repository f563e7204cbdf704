// VHLO's encoding of types and attributes. Files hold these codes and fields;
// here they are builtin and stablehlo types and attributes.

#include "dialects/Vhlo/BytecodeFields.h"
#include "dialects/Vhlo/BytecodeWriting.h"
#include "dialects/Vhlo/Encoding.h"
#include "dialects/Vhlo/Vhlo.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::vhlo {
namespace {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Type readQuantized(Fields &fields, bool perAxis) {
  uint64_t flags = fields.number();
  Type storage = fields.type(), expressed = fields.type();
  if (!perAxis) {
    double scale = fields.real();
    int64_t zeroPoint = fields.integer();
    int64_t low = fields.integer(), high = fields.integer();
    return fields.ok ? quant::UniformQuantizedType::getChecked(
                           [&] { return fields.reader.emitError(); }, flags,
                           storage, expressed, scale, zeroPoint, low, high)
                     : Type();
  }
  uint64_t axis = fields.number();
  int64_t low = fields.integer(), high = fields.integer();
  SmallVector<double> scales = fields.reals();
  SmallVector<int64_t> zeroPoints = fields.integers();
  if (fields.ok && axis > INT32_MAX)
    return fields.refuse("a quantized dimension is out of range");
  return fields.ok ? quant::UniformQuantizedPerAxisType::getChecked(
                         [&] { return fields.reader.emitError(); }, flags,
                         storage, expressed, scales, zeroPoints,
                         static_cast<int32_t>(axis), low, high)
                   : Type();
}

Type readTensor(Fields &fields, bool encoded) {
  Attribute encoding = encoded ? fields.attribute() : Attribute();
  SmallVector<int64_t> shape = fields.integers();
  Type element = fields.type();
  return fields.ok ? RankedTensorType::getChecked(
                         [&] { return fields.reader.emitError(); }, shape,
                         element, encoding)
                   : Type();
}

Type readTypeOf(uint64_t code, Fields &fields) {
  MLIRContext *context = fields.reader.getContext();
  auto emitError = [&] { return fields.reader.emitError(); };
  for (const PlainType &plain : plainTypes())
    if (plain.code == code)
      return plain.get(context);
  switch (code) {
  case ComplexCode: {
    Type element = fields.type();
    return fields.ok ? ComplexType::getChecked(emitError, element) : Type();
  }
  case FunctionCode: {
    SmallVector<Type> inputs = fields.types(), results = fields.types();
    return fields.ok ? FunctionType::get(context, inputs, results) : Type();
  }
  case RankedTensorCode:
    return readTensor(fields, /*encoded=*/false);
  case RankedTensorWithEncodingCode:
    return readTensor(fields, /*encoded=*/true);
  case TupleCode: {
    SmallVector<Type> types = fields.types();
    return fields.ok ? TupleType::get(context, types) : Type();
  }
  case QuantizedCode:
    return readQuantized(fields, /*perAxis=*/false);
  case QuantizedPerAxisCode:
    return readQuantized(fields, /*perAxis=*/true);
  case UnrankedTensorCode: {
    Type element = fields.type();
    return fields.ok ? UnrankedTensorType::getChecked(emitError, element)
                     : Type();
  }
  case WitnessCode:
    return fields.refuse("shape constraints (witnesses) are not read");
  case BufferCode: {
    SmallVector<int64_t> shape = fields.integers();
    Type element = fields.type();
    return fields.ok ? MemRefType::getChecked(emitError, shape, element,
                                              MemRefLayoutAttrInterface(),
                                              Attribute())
                     : Type();
  }
  case FutureCode: {
    SmallVector<Type> types = fields.types();
    return fields.ok ? stablehlo::FutureType::get(context, types) : Type();
  }
  }
  return fields.refuse("unknown type of the vhlo dialect: " + Twine(code));
}

Attribute readInteger(Fields &fields) {
  Type type = fields.type();
  if (!fields.ok)
    return {};
  if (!type.isIntOrIndex())
    return fields.refuse("an integer is of another type");
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  FailureOr<APInt> value = fields.reader.readAPIntWithKnownWidth(width);
  return succeeded(value) ? IntegerAttr::get(type, *value) : Attribute();
}

Attribute readFloat(Fields &fields) {
  auto type = fields.typeAs<FloatType>();
  if (!fields.ok)
    return {};
  FailureOr<APFloat> value =
      fields.reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  return succeeded(value) ? FloatAttr::get(type, *value) : Attribute();
}

Attribute readDictionary(Fields &fields) {
  NamedAttrList list;
  for (uint64_t i = 0, count = fields.number(); fields.ok && i < count; ++i) {
    auto name = fields.attributeAs<StringAttr>();
    Attribute value = fields.attribute();
    if (fields.ok && name.empty())
      return fields.refuse("a dictionary has an entry without a name");
    if (fields.ok)
      list.set(name, value);
  }
  return list.getDictionary(fields.reader.getContext());
}

Attribute readMeshAxes(Fields &fields) {
  Attribute mesh = fields.attribute();
  auto axes = fields.attributeAs<ArrayAttr>();
  if (!fields.ok)
    return {};
  // The name of a mesh.
  if (auto name = dyn_cast<StringAttr>(mesh))
    mesh = FlatSymbolRefAttr::get(name);
  return stablehlo::ReplicaGroupMeshAxesAttr::get(fields.reader.getContext(),
                                                  mesh, axes);
}

Attribute readMesh(Fields &fields) {
  auto axes = fields.attributeAs<ArrayAttr>();
  auto ids = fields.optionalAttributeAs<DenseIntElementsAttr>();
  if (!fields.ok)
    return {};
  SmallVector<stablehlo::MeshAxisAttr> each;
  for (Attribute axis : axes)
    each.push_back(dyn_cast<stablehlo::MeshAxisAttr>(axis));
  if (llvm::is_contained(each, nullptr))
    return fields.refuse("a mesh has an axis of another kind");
  return stablehlo::MeshAttr::get(fields.reader.getContext(), each, ids);
}

Attribute readAccuracy(Fields &fields) {
  APFloat absolute(fields.real()), relative(fields.real());
  int64_t ulps = fields.integer();
  auto mode = fields.attributeAs<stablehlo::ResultAccuracyModeAttr>();
  return fields.ok
             ? stablehlo::ResultAccuracyAttr::getChecked(
                   [&] { return fields.reader.emitError(); },
                   fields.reader.getContext(), absolute, relative, ulps, mode)
             : Attribute();
}

Attribute readAttributeOf(uint64_t code, Fields &fields) {
  MLIRContext *context = fields.reader.getContext();
  for (const EnumRow &row : enumRows())
    if (row.code == code) {
      uint64_t number = fields.number();
      Attribute value = row.fromNumber(context, number);
      return value ? value
                   : Attribute(fields.refuse("unknown value " + Twine(number) +
                                             " of " + row.name));
    }
  // Fields are read in this order, which the order of evaluating arguments
  // would not guarantee: hence the names.
  switch (code) {
  case ArrayCode:
    return ArrayAttr::get(context, fields.attributes());
  case BooleanCode:
    return BoolAttr::get(context, fields.number() != 0);
  case DictionaryCode:
    return readDictionary(fields);
  case FloatCode:
    return readFloat(fields);
  case IntegerCode:
    return readInteger(fields);
  case OutputOperandAliasCode: {
    SmallVector<int64_t> output = fields.integers();
    int64_t operand = fields.integer();
    SmallVector<int64_t> indices = fields.integers();
    return stablehlo::OutputOperandAliasAttr::get(context, output, operand,
                                                  indices);
  }
  case StringCode:
    return StringAttr::get(context, fields.string());
  case TensorCode: {
    auto type = fields.typeAs<RankedTensorType>();
    ArrayRef<char> blob = fields.blob();
    if (!fields.ok)
      return {};
    DenseElementsAttr data = tensorFromBlob(type, blob);
    return data ? Attribute(data)
                : Attribute(fields.refuse(Twine(blob.size()) +
                                          " bytes do not fit a tensor's type"));
  }
  case TypeAttributeCode: {
    Type type = fields.type();
    return fields.ok ? TypeAttr::get(type) : Attribute();
  }
  case TypeExtensionsCode:
    return stablehlo::TypeExtensionsAttr::get(context, fields.integers());
  case ResultAccuracyCode:
    return readAccuracy(fields);
  case SubAxisInfoCode: {
    int64_t preSize = fields.integer(), size = fields.integer();
    return stablehlo::SubAxisInfoAttr::get(context, preSize, size);
  }
  case AxisRefCode: {
    auto name = fields.attributeAs<StringAttr>();
    stablehlo::SubAxisInfoAttr part;
    if (fields.number() != 0)
      part = fields.attributeAs<stablehlo::SubAxisInfoAttr>();
    return fields.ok ? stablehlo::AxisRefAttr::get(context, name, part)
                     : Attribute();
  }
  case ReplicaGroupMeshAxesCode:
    return readMeshAxes(fields);
  case MeshAxisCode: {
    auto name = fields.attributeAs<StringAttr>();
    int64_t size = fields.integer();
    return fields.ok ? stablehlo::MeshAxisAttr::get(context, name, size)
                     : Attribute();
  }
  case MeshCode:
    return readMesh(fields);
  }
  return fields.refuse("unknown attribute of the vhlo dialect: " + Twine(code));
}

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    Fields fields(reader);
    uint64_t code = fields.number();
    Attribute attribute =
        fields.ok ? readAttributeOf(code, fields) : Attribute();
    return fields.ok ? attribute : Attribute();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    Fields fields(reader);
    uint64_t code = fields.number();
    Type type = fields.ok ? readTypeOf(code, fields) : Type();
    return fields.ok ? type : Type();
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    auto versioned = cast<VersionedAttr>(attribute);
    return writeVersioned(versioned.getCode(), versioned.getValue(), writer);
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    return writeVersioned(cast<VersionedType>(type).getType(), writer);
  }
};

} // namespace

void VhloDialect::registerBytecode() { addInterfaces<BytecodeInterface>(); }

} // namespace heddle::vhlo
