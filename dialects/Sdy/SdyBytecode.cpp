// MLIR bytecode of the dialect's attributes, as JAX's exports hold it.
//
// Codes and fields are those that Shardy's writer produces: a list is its
// length and its elements, a number a signed variable-length integer, a name an
// owned string, a flag a byte. What has no code (reductions other than sums,
// edges along which axes went) is kept as text by MLIR.

#include "dialects/Sdy/Sdy.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::sdy {
namespace {

/// Never renumbered: files hold these.
enum AttributeCode : uint64_t {
  ManualAxesCode = 0,
  MeshAxisCode = 1,
  MeshCode = 2,
  AxisPartCode = 3, // the sizes of a sub-axis, within an AxisRef only
  AxisRefCode = 4,
  DimensionShardingCode = 5,
  TensorShardingCode = 6,
  PerValueCode = 7,
  DimMappingCode = 8,
  TensorMappingCode = 9,
  RuleCode = 10,
  AxisRefListCode = 11,
  ListOfAxisRefListsCode = 12,
  AllToAllParamCode = 13,
  AllToAllParamListCode = 14,
  UnreducedShardingCode = 15, // a TensorSharding that has unreduced axes
};

/// Reads fields one after the other; remembers the first failure.
class Fields {
public:
  explicit Fields(DialectBytecodeReader &reader) : reader(reader) {}

  int64_t integer() {
    int64_t value = 0;
    note(reader.readSignedVarInt(value));
    return value;
  }
  SmallVector<int64_t> integers() {
    SmallVector<int64_t> values;
    note(reader.readSignedVarInts(values));
    return values;
  }
  bool flag() {
    bool value = false;
    note(reader.readBool(value));
    return value;
  }
  /// Twice the number and one, or zero for none.
  std::optional<int64_t> optionalInteger() {
    uint64_t value = 0;
    note(reader.readVarInt(value));
    if (value & 1)
      return static_cast<int64_t>(value >> 1);
    return std::nullopt;
  }
  StringAttr name(MLIRContext *context) {
    StringRef text;
    note(reader.readString(text));
    return StringAttr::get(context, text);
  }
  template <typename Attr> Attr attribute() {
    Attr value;
    note(reader.readAttribute(value));
    return value;
  }
  template <typename Attr> Attr optionalAttribute() {
    Attr value;
    note(reader.readOptionalAttribute(value));
    return value;
  }
  template <typename Attr> SmallVector<Attr> attributes() {
    SmallVector<Attr> values;
    note(reader.readAttributes(values));
    return values;
  }

  bool failed = false;

private:
  void note(LogicalResult result) { failed |= llvm::failed(result); }

  DialectBytecodeReader &reader;
};

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    Fields fields(reader);
    Attribute attribute = read(code, fields, reader);
    return fields.failed ? Attribute() : attribute;
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<MeshAxisAttr, MeshAttr, AxisRefAttr, DimensionShardingAttr,
              TensorShardingAttr, TensorShardingPerValueAttr, ManualAxesAttr,
              DimMappingAttr, TensorMappingAttr, OpShardingRuleAttr,
              AxisRefListAttr, ListOfAxisRefListsAttr, AllToAllParamAttr,
              AllToAllParamListAttr>(
            [&](auto known) { return write(known, writer); })
        .Default(failure());
  }

private:
  Attribute read(uint64_t code, Fields &fields,
                 DialectBytecodeReader &reader) const;
  TensorShardingAttr readSharding(Fields &fields, bool hasUnreduced) const;

  LogicalResult write(MeshAxisAttr axis, DialectBytecodeWriter &writer) const;
  LogicalResult write(MeshAttr mesh, DialectBytecodeWriter &writer) const;
  LogicalResult write(AxisRefAttr axis, DialectBytecodeWriter &writer) const;
  LogicalResult write(DimensionShardingAttr dim,
                      DialectBytecodeWriter &writer) const;
  LogicalResult write(TensorShardingAttr sharding,
                      DialectBytecodeWriter &writer) const;
  LogicalResult write(TensorShardingPerValueAttr shardings,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(PerValueCode);
    writer.writeAttributes(shardings.getShardings());
    return success();
  }
  LogicalResult write(ManualAxesAttr axes,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(ManualAxesCode);
    writer.writeAttributes(axes.getAxes());
    return success();
  }
  LogicalResult write(DimMappingAttr mapping,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(DimMappingCode);
    writer.writeSignedVarInts(mapping.getFactors());
    return success();
  }
  LogicalResult write(TensorMappingAttr mapping,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(TensorMappingCode);
    writer.writeAttributes(mapping.getDims());
    return success();
  }
  LogicalResult write(OpShardingRuleAttr rule,
                      DialectBytecodeWriter &writer) const;
  LogicalResult write(AxisRefListAttr list,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(AxisRefListCode);
    writer.writeAttributes(list.getAxes());
    return success();
  }
  LogicalResult write(ListOfAxisRefListsAttr list,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(ListOfAxisRefListsCode);
    writer.writeAttributes(list.getLists());
    return success();
  }
  LogicalResult write(AllToAllParamAttr param,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(AllToAllParamCode);
    writer.writeAttributes(param.getAxes());
    writer.writeSignedVarInt(param.getSourceDim());
    writer.writeSignedVarInt(param.getTargetDim());
    return success();
  }
  LogicalResult write(AllToAllParamListAttr list,
                      DialectBytecodeWriter &writer) const {
    writer.writeVarInt(AllToAllParamListCode);
    writer.writeAttributes(list.getParams());
    return success();
  }
};

/// The sizes of a sub-axis, which are an attribute of their own in bytecode:
/// an array of two numbers here.
DenseI64ArrayAttr partSizes(MLIRContext *context, int64_t preSize,
                            int64_t size) {
  return DenseI64ArrayAttr::get(context, {preSize, size});
}

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TensorShardingAttr BytecodeInterface::readSharding(Fields &fields,
                                                   bool hasUnreduced) const {
  auto meshOrRef = fields.attribute<Attribute>();
  auto dims = fields.attributes<DimensionShardingAttr>();
  auto replicated = fields.attributes<AxisRefAttr>();
  SmallVector<AxisRefAttr> unreduced;
  if (hasUnreduced)
    unreduced = fields.attributes<AxisRefAttr>();
  if (fields.failed || !isa<MeshAttr, FlatSymbolRefAttr>(meshOrRef)) {
    fields.failed = true;
    return {};
  }
  return TensorShardingAttr::get(getContext(), meshOrRef, dims, replicated,
                                 unreduced, Reduction::Sum);
}

Attribute BytecodeInterface::read(uint64_t code, Fields &fields,
                                  DialectBytecodeReader &reader) const {
  MLIRContext *context = getContext();
  auto emitError = [&] { return reader.emitError(); };
  llvm::function_ref<InFlightDiagnostic()> error = emitError;
  switch (code) {
  case ManualAxesCode:
    return ManualAxesAttr::get(context, fields.attributes<StringAttr>());
  case MeshAxisCode: {
    StringAttr name = fields.name(context);
    int64_t size = fields.integer();
    if (fields.failed)
      return {};
    return MeshAxisAttr::getChecked(error, context, name, size);
  }
  case MeshCode: {
    auto axes = fields.attributes<MeshAxisAttr>();
    auto devices = fields.integers();
    if (fields.failed)
      return {};
    return MeshAttr::getChecked(error, context, ArrayRef(axes),
                                ArrayRef(devices));
  }
  case AxisPartCode: {
    int64_t preSize = fields.integer();
    return partSizes(context, preSize, fields.integer());
  }
  case AxisRefCode: {
    StringAttr name = fields.name(context);
    auto part = fields.optionalAttribute<DenseI64ArrayAttr>();
    if (!part)
      return AxisRefAttr::whole(name);
    if (part.size() != 2 || part[1] < 1) {
      reader.emitError() << "a part of axis " << name << " has no size";
      return {};
    }
    return AxisRefAttr::get(context, name, part[0], part[1]);
  }
  case DimensionShardingCode: {
    auto axes = fields.attributes<AxisRefAttr>();
    bool isClosed = fields.flag();
    return DimensionShardingAttr::get(context, axes, isClosed,
                                      fields.optionalInteger());
  }
  case TensorShardingCode:
    return readSharding(fields, /*hasUnreduced=*/false);
  case UnreducedShardingCode:
    return readSharding(fields, /*hasUnreduced=*/true);
  case PerValueCode:
    return TensorShardingPerValueAttr::get(
        context, fields.attributes<TensorShardingAttr>());
  case DimMappingCode:
    return DimMappingAttr::get(context, fields.integers());
  case TensorMappingCode:
    return TensorMappingAttr::get(context, fields.attributes<DimMappingAttr>());
  case RuleCode: {
    auto sizes = fields.integers();
    auto operands = fields.attributes<TensorMappingAttr>();
    auto results = fields.attributes<TensorMappingAttr>();
    auto reduction = fields.integers(), replication = fields.integers();
    auto permutation = fields.integers(), blocked = fields.integers();
    return OpShardingRuleAttr::get(context, sizes, operands, results, reduction,
                                   replication, permutation, blocked,
                                   fields.flag());
  }
  case AxisRefListCode:
    return AxisRefListAttr::get(context, fields.attributes<AxisRefAttr>());
  case ListOfAxisRefListsCode:
    return ListOfAxisRefListsAttr::get(context,
                                       fields.attributes<AxisRefListAttr>());
  case AllToAllParamCode: {
    auto axes = fields.attributes<AxisRefAttr>();
    int64_t source = fields.integer();
    return AllToAllParamAttr::get(context, axes, source, fields.integer());
  }
  case AllToAllParamListCode:
    return AllToAllParamListAttr::get(context,
                                      fields.attributes<AllToAllParamAttr>());
  default:
    reader.emitError() << "unknown attribute " << code
                       << " of the sdy dialect: it is newer than this reader";
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

LogicalResult BytecodeInterface::write(MeshAxisAttr axis,
                                       DialectBytecodeWriter &writer) const {
  writer.writeVarInt(MeshAxisCode);
  writer.writeOwnedString(axis.getName().getValue());
  writer.writeSignedVarInt(axis.getSize());
  return success();
}

LogicalResult BytecodeInterface::write(MeshAttr mesh,
                                       DialectBytecodeWriter &writer) const {
  writer.writeVarInt(MeshCode);
  writer.writeAttributes(mesh.getAxes());
  writer.writeSignedVarInts(mesh.getDeviceIds());
  return success();
}

/// A sub-axis has its sizes in an attribute that is none here: as text.
LogicalResult BytecodeInterface::write(AxisRefAttr axis,
                                       DialectBytecodeWriter &writer) const {
  if (!axis.isWhole())
    return failure();
  writer.writeVarInt(AxisRefCode);
  writer.writeOwnedString(axis.getName().getValue());
  writer.writeOptionalAttribute({});
  return success();
}

LogicalResult BytecodeInterface::write(DimensionShardingAttr dim,
                                       DialectBytecodeWriter &writer) const {
  writer.writeVarInt(DimensionShardingCode);
  writer.writeAttributes(dim.getAxes());
  writer.writeOwnedBool(dim.getIsClosed());
  writer.writeVarInt(dim.getPriority() ? *dim.getPriority() * 2 + 1 : 0);
  return success();
}

LogicalResult BytecodeInterface::write(TensorShardingAttr sharding,
                                       DialectBytecodeWriter &writer) const {
  bool hasUnreduced = !sharding.getUnreducedAxes().empty();
  if (hasUnreduced && sharding.getReduction() != Reduction::Sum)
    return failure();
  writer.writeVarInt(hasUnreduced ? UnreducedShardingCode : TensorShardingCode);
  writer.writeAttribute(sharding.getMeshOrRef());
  writer.writeAttributes(sharding.getDimShardings());
  writer.writeAttributes(sharding.getReplicatedAxes());
  if (hasUnreduced)
    writer.writeAttributes(sharding.getUnreducedAxes());
  return success();
}

LogicalResult BytecodeInterface::write(OpShardingRuleAttr rule,
                                       DialectBytecodeWriter &writer) const {
  writer.writeVarInt(RuleCode);
  writer.writeSignedVarInts(rule.getFactorSizes());
  writer.writeAttributes(rule.getOperandMappings());
  writer.writeAttributes(rule.getResultMappings());
  writer.writeSignedVarInts(rule.getReductionFactors());
  writer.writeSignedVarInts(rule.getNeedReplicationFactors());
  writer.writeSignedVarInts(rule.getPermutationFactors());
  writer.writeSignedVarInts(rule.getBlockedPropagationFactors());
  writer.writeOwnedBool(rule.getIsCustom());
  return success();
}

void SdyDialect::registerBytecode() { addInterfaces<BytecodeInterface>(); }

} // namespace heddle::sdy
