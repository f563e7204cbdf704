// Writes types, attributes and the data of tensors as VHLO's bytecode has them.

#include "dialects/Vhlo/BytecodeWriting.h"

#include "dialects/Vhlo/Encoding.h"
#include "dialects/Vhlo/Vhlo.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::vhlo {

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// All elements are true: bits of one byte, so that it is no list of 8.
constexpr char kAllTrue = static_cast<char>(0xFF);

/// The number of elements; nothing if it is unknown or beyond what a file can
/// hold.
static std::optional<uint64_t> countOf(RankedTensorType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  uint64_t count = 1;
  for (int64_t size : type.getShape()) {
    if (size != 0 && count > (uint64_t(1) << 40) / size)
      return std::nullopt;
    count *= size;
  }
  return count;
}

DenseElementsAttr tensorFromBlob(RankedTensorType type, ArrayRef<char> blob) {
  std::optional<uint64_t> count = countOf(type);
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!count || !element.isIntOrIndexOrFloat())
    return {};
  if (type.getElementType().isInteger(1)) {
    if (blob.size() == 1 && blob.front() == kAllTrue)
      return DenseElementsAttr::get(type, true);
    if (blob.size() == llvm::divideCeil(*count, 8) && blob.size() != *count) {
      SmallVector<bool> values;
      for (uint64_t i = 0; i < *count; ++i)
        values.push_back(blob[i / 8] >> (i % 8) & 1);
      return DenseElementsAttr::get(type, values);
    }
    if (blob.size() != 1 && blob.size() != *count)
      return {};
    if (blob.size() == 1)
      return DenseElementsAttr::get(type, blob.front() != 0);
    SmallVector<bool> values =
        llvm::map_to_vector(blob, [](char byte) { return byte != 0; });
    return DenseElementsAttr::get(type, values);
  }
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, blob, splat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, blob);
}

/// Booleans are one to a bit. The writer keeps the bytes for later, so the
/// context owns them.
static ArrayRef<char> packed(DenseElementsAttr tensor) {
  SmallVector<char> bytes;
  if (tensor.isSplat() && tensor.getNumElements() > 1) {
    bytes.push_back(tensor.getSplatValue<bool>() ? kAllTrue : char(0));
  } else {
    bytes.resize(llvm::divideCeil(tensor.getNumElements(), 8));
    for (auto [i, value] : llvm::enumerate(tensor.getValues<bool>()))
      bytes[i / 8] |= static_cast<char>(value << (i % 8));
  }
  StringRef owned = StringAttr::get(tensor.getContext(),
                                    StringRef(bytes.data(), bytes.size()))
                        .getValue();
  return ArrayRef<char>(owned.data(), owned.size());
}

static void writeTensor(DenseElementsAttr tensor,
                        DialectBytecodeWriter &writer) {
  writer.writeType(wrap(Type(tensor.getType())));
  if (tensor.getElementType().isInteger(1))
    writer.writeOwnedBlob(packed(tensor));
  else
    writer.writeOwnedBlob(tensor.getRawData());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static void writeAttributes(ArrayRef<Attribute> attributes,
                            DialectBytecodeWriter &writer) {
  writer.writeList(attributes,
                   [&](Attribute each) { writer.writeAttribute(wrap(each)); });
}

LogicalResult writeVersioned(unsigned code, Attribute attribute,
                             DialectBytecodeWriter &writer) {
  MLIRContext *context = attribute.getContext();
  writer.writeVarInt(code);
  for (const EnumRow &row : enumRows())
    if (auto value = row.read(attribute)) {
      writer.writeVarInt(value->first);
      return success();
    }
  llvm::TypeSwitch<Attribute>(attribute)
      .Case([&](ArrayAttr array) { writeAttributes(array.getValue(), writer); })
      .Case([&](BoolAttr boolean) { writer.writeVarInt(boolean.getValue()); })
      .Case([&](DictionaryAttr dictionary) {
        writer.writeList(dictionary, [&](NamedAttribute each) {
          writer.writeAttribute(wrap(each.getName()));
          writer.writeAttribute(wrap(each.getValue()));
        });
      })
      .Case([&](FloatAttr number) {
        writer.writeType(wrap(number.getType()));
        writer.writeAPFloatWithKnownSemantics(number.getValue());
      })
      .Case([&](IntegerAttr number) {
        if (code == ApiVersionCode)
          return writer.writeVarInt(number.getValue().getZExtValue());
        writer.writeType(wrap(number.getType()));
        writer.writeAPIntWithKnownWidth(number.getValue());
      })
      .Case([&](stablehlo::OutputOperandAliasAttr alias) {
        writer.writeSignedVarInts(alias.getOutputTupleIndices());
        writer.writeSignedVarInt(alias.getOperandIndex());
        writer.writeSignedVarInts(alias.getOperandTupleIndices());
      })
      .Case([&](StringAttr text) { writer.writeOwnedString(text.getValue()); })
      .Case([&](FlatSymbolRefAttr symbol) {
        writer.writeOwnedString(symbol.getValue());
      })
      .Case([&](DenseElementsAttr tensor) { writeTensor(tensor, writer); })
      .Case([&](DenseI64ArrayAttr array) {
        writeTensor(Builder(context).getI64TensorAttr(array.asArrayRef()),
                    writer);
      })
      .Case([&](DenseBoolArrayAttr array) {
        writeTensor(DenseElementsAttr::get(
                        RankedTensorType::get({array.size()},
                                              IntegerType::get(context, 1)),
                        array.asArrayRef()),
                    writer);
      })
      .Case([&](TypeAttr type) { writer.writeType(wrap(type.getValue())); })
      .Case([&](stablehlo::TypeExtensionsAttr bounds) {
        writer.writeSignedVarInts(bounds.getBounds());
      })
      .Case([&](stablehlo::ResultAccuracyAttr accuracy) {
        writer.writeAPFloatWithKnownSemantics(accuracy.getAtol());
        writer.writeAPFloatWithKnownSemantics(accuracy.getRtol());
        writer.writeSignedVarInt(accuracy.getUlps());
        writer.writeAttribute(wrap(accuracy.getMode()));
      })
      .Case([&](stablehlo::SubAxisInfoAttr part) {
        writer.writeSignedVarInt(part.getPreSize());
        writer.writeSignedVarInt(part.getSize());
      })
      .Case([&](stablehlo::AxisRefAttr axis) {
        writer.writeAttribute(wrap(axis.getName()));
        writer.writeVarInt(axis.getSubAxisInfo() ? 1 : 0);
        if (axis.getSubAxisInfo())
          writer.writeAttribute(wrap(axis.getSubAxisInfo()));
      })
      .Case([&](stablehlo::ReplicaGroupMeshAxesAttr groups) {
        writer.writeAttribute(wrap(groups.getMesh()));
        writer.writeAttribute(wrap(groups.getAxes()));
      })
      .Case([&](stablehlo::MeshAxisAttr axis) {
        writer.writeAttribute(wrap(axis.getName()));
        writer.writeSignedVarInt(axis.getSize());
      })
      .Case([&](stablehlo::MeshAttr mesh) {
        SmallVector<Attribute> axes(mesh.getAxes().begin(),
                                    mesh.getAxes().end());
        writer.writeAttribute(wrap(ArrayAttr::get(context, axes)));
        writer.writeOptionalAttribute(
            mesh.getDeviceIds() ? wrap(mesh.getDeviceIds()) : Attribute());
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void writeTypes(TypeRange types, DialectBytecodeWriter &writer) {
  writer.writeVarInt(types.size());
  for (Type each : types)
    writer.writeType(wrap(each));
}

static void writeQuantized(quant::QuantizedType type,
                           DialectBytecodeWriter &writer) {
  writer.writeVarInt(type.getFlags());
  writer.writeType(wrap(type.getStorageType()));
  writer.writeType(wrap(type.getExpressedType()));
}

LogicalResult writeVersioned(Type type, DialectBytecodeWriter &writer) {
  auto real = [&](double value) {
    writer.writeAPFloatWithKnownSemantics(APFloat(value));
  };
  for (const PlainType &plain : plainTypes())
    if (type == plain.get(type.getContext())) {
      writer.writeVarInt(plain.code);
      return success();
    }
  return llvm::TypeSwitch<Type, LogicalResult>(type)
      .Case([&](ComplexType type) {
        writer.writeVarInt(ComplexCode);
        writer.writeType(wrap(type.getElementType()));
        return success();
      })
      .Case([&](FunctionType type) {
        writer.writeVarInt(FunctionCode);
        writeTypes(type.getInputs(), writer);
        writeTypes(type.getResults(), writer);
        return success();
      })
      .Case([&](RankedTensorType type) {
        Attribute encoding = type.getEncoding();
        writer.writeVarInt(encoding ? RankedTensorWithEncodingCode
                                    : RankedTensorCode);
        if (encoding)
          writer.writeAttribute(wrap(encoding));
        writer.writeSignedVarInts(type.getShape());
        writer.writeType(wrap(type.getElementType()));
        return success();
      })
      .Case([&](UnrankedTensorType type) {
        writer.writeVarInt(UnrankedTensorCode);
        writer.writeType(wrap(type.getElementType()));
        return success();
      })
      .Case([&](TupleType type) {
        writer.writeVarInt(TupleCode);
        writeTypes(type.getTypes(), writer);
        return success();
      })
      .Case([&](quant::UniformQuantizedType type) {
        writer.writeVarInt(QuantizedCode);
        writeQuantized(type, writer);
        real(type.getScale());
        writer.writeSignedVarInt(type.getZeroPoint());
        writer.writeSignedVarInt(type.getStorageTypeMin());
        writer.writeSignedVarInt(type.getStorageTypeMax());
        return success();
      })
      .Case([&](quant::UniformQuantizedPerAxisType type) {
        writer.writeVarInt(QuantizedPerAxisCode);
        writeQuantized(type, writer);
        writer.writeVarInt(type.getQuantizedDimension());
        writer.writeSignedVarInt(type.getStorageTypeMin());
        writer.writeSignedVarInt(type.getStorageTypeMax());
        writer.writeList(type.getScales(), real);
        writer.writeSignedVarInts(type.getZeroPoints());
        return success();
      })
      .Case([&](MemRefType type) {
        writer.writeVarInt(BufferCode);
        writer.writeSignedVarInts(type.getShape());
        writer.writeType(wrap(type.getElementType()));
        return success();
      })
      .Case([&](stablehlo::FutureType type) {
        writer.writeVarInt(FutureCode);
        writeTypes(type.getTypes(), writer);
        return success();
      })
      .Default([](Type) { return failure(); });
}

} // namespace heddle::vhlo
