// Imports a model, or several that become one, and says which tensors go in
// and out.

#include "heddle/Driver/Model.h"

#include "Entries.h"
#include "ModelFile.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/InputRanges.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Driver/States.h"
#include "heddle/Support/EntrySizes.h"

using namespace mlir;
using namespace heddle;

OwningOpRef<ModuleOp> heddle::importModel(Session &session,
                                          const ModelOptions &options) {
  setCrashStage("import");
  std::optional<std::vector<StateOption>> states = readStates(session, options);
  if (!states)
    return nullptr;
  OwningOpRef<ModuleOp> module;
  if (!options.shards.empty() && options.mesh.empty()) {
    session.diagnostics.report(ErrorCode::BadCommandLine,
                               "--shard says how tensors lie over a mesh: add "
                               "--mesh, as in --mesh data=2");
    return nullptr;
  }
  if (!options.entries.empty() && !options.mesh.empty()) {
    session.diagnostics.report(ErrorCode::BadCommandLine,
                               "--mesh and --entry exclude each other: one "
                               "program is partitioned");
    return nullptr;
  }
  if (!options.entries.empty())
    module = importEntries(session, options);
  else if (auto file = ModelFile::read(session, options))
    module = file->import(session);
  // A model's file may have such attributes, too.
  if (!module || failed(checkSizeAttributes(*module)) ||
      !markStates(session, *module, *states))
    return nullptr;
  return module;
}

func::FuncOp heddle::entryFunction(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  func::FuncOp only;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (only)
      return nullptr;
    only = function;
  }
  return only;
}

/// The name that the front end gave, or the position's.
static std::string nameOr(Attribute attribute, StringRef prefix, unsigned i) {
  if (auto name = dyn_cast_or_null<StringAttr>(attribute))
    return name.str();
  return (prefix + Twine(i)).str();
}

/// Quantized tensors are in memory as their integers.
static RankedTensorType storedTensor(RankedTensorType type) {
  return type.clone(stablehlo::storedType(type.getElementType()));
}

/// The sizes that a caller sees, where a call chooses some.
static TensorSignature withRange(TensorSignature signature, func::FuncOp entry,
                                 Attribute shape) {
  auto symbols = entry->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
      kSymbolsAttrName);
  auto extents = dyn_cast_or_null<size::ExtentsAttr>(shape);
  if (!extents || !symbols)
    return signature;
  auto sizesAt = [&](StringRef end) {
    llvm::StringMap<int64_t> values;
    for (auto symbol : symbols.getAsRange<DictionaryAttr>()) {
      int64_t value = symbol.getAs<IntegerAttr>(end).getInt(), multiple = 1;
      if (auto known = symbol.getAs<IntegerAttr>("multiple"))
        multiple = known.getInt();
      values[symbol.getAs<StringAttr>("name").getValue()] =
          (end == "minimum" ? llvm::divideCeil(value, multiple)
                            : value / multiple) *
          multiple;
    }
    return llvm::map_to_vector(
        extents.getExtents(), [&](size::ExpressionAttr extent) {
          return size::Expression(extent)
              .evaluated([&](StringRef name) -> std::optional<int64_t> {
                return values.lookup(name);
              })
              .value_or(0);
        });
  };
  signature.type = RankedTensorType::get(sizesAt("maximum"),
                                         signature.type.getElementType());
  signature.least = sizesAt("minimum");
  return signature;
}

SmallVector<TensorSignature> heddle::inputSignatures(func::FuncOp entry) {
  SmallVector<TensorSignature> list;
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (entry.getArgAttr(i, kExtentAttrName))
      continue;
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      list.push_back(
          withRange({nameOr(entry.getArgAttr(i, "heddle.name"), "arg", i),
                     storedTensor(type),
                     indexRange(argument),
                     {}},
                    entry, entry.getArgAttr(i, kShapeAttrName)));
  }
  return list;
}

SmallVector<TensorSignature> heddle::outputSignatures(func::FuncOp entry) {
  SmallVector<TensorSignature> list;
  for (auto [i, result] : llvm::enumerate(entry.getResultTypes()))
    if (auto type = dyn_cast<RankedTensorType>(result))
      list.push_back(
          withRange({nameOr(entry.getResultAttr(i, "heddle.name"), "out", i),
                     storedTensor(type),
                     std::nullopt,
                     {}},
                    entry, entry.getResultAttr(i, kShapeAttrName)));
  return list;
}
