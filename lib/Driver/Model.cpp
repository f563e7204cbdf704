// Imports a model of any kind, and says which tensors go in and out.

#include "heddle/Driver/Model.h"

#include "Entries.h"
#include "States.h"
#include "heddle/Driver/InputRanges.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Frontend/CustomCallForms.h"
#include "heddle/Frontend/Onnx.h"
#include "heddle/Frontend/RefineShapes.h"
#include "heddle/Frontend/StableHlo.h"
#include "heddle/Support/EntrySizes.h"
#include "lib/Driver/BoundedModel.h"

#include "dialects/StableHlo/TypeInference.h"
#include "passes/Dynamic/SampleSizes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

/// Reads --shape and --dim.
static LogicalResult parseSizes(Session &session, const ModelOptions &options,
                                OnnxImportOptions &import) {
  for (const std::string &text : options.shapes)
    if (failed(parseOnnxShape(text, import))) {
      session.diagnostics.report(ErrorCode::OnnxShapeOption,
                                 "\"" + text +
                                     "\" is no shape: write "
                                     "--shape NAME=1x128");
      return failure();
    }
  for (const std::string &text : options.dims)
    if (failed(parseOnnxDim(text, import))) {
      session.diagnostics.report(ErrorCode::OnnxShapeOption,
                                 "\"" + text +
                                     "\" is no dimension: write "
                                     "--dim NAME=8");
      return failure();
    }
  return success();
}

static OwningOpRef<ModuleOp> importOnnxModel(Session &session,
                                             const ModelOptions &options) {
  OnnxImportOptions import;
  if (failed(parseSizes(session, options, import)))
    return nullptr;
  if (!options.binds.empty()) {
    session.diagnostics.report(ErrorCode::StableHloBind,
                               "--bind is for StableHLO; an ONNX model holds "
                               "its weights");
    return nullptr;
  }
  import.isSample = options.isSample;
  return options.memory
             ? importOnnx(&session.context(), options.memory, "", import)
             : importOnnx(&session.context(), options.path, import);
}

/// What the options say of a StableHLO program; nothing after an error.
static std::optional<StableHloImportOptions>
readStableHloOptions(Session &session, const ModelOptions &options) {
  OnnxImportOptions sizes;
  if (failed(parseSizes(session, options, sizes)))
    return std::nullopt;
  StableHloImportOptions import;
  for (const auto &[name, shape] : sizes.shapes)
    import.shapes[std::string(name)].assign(shape.begin(), shape.end());
  for (const auto &[name, size] : sizes.dims)
    import.dims[std::string(name)] = size;
  import.refine = [isSample = options.isSample](func::FuncOp entry,
                                                TypeRange types) {
    return refineShapes(entry, types, isSample);
  };
  for (const std::string &text : options.binds)
    if (failed(parseBinding(text, import))) {
      session.diagnostics.report(ErrorCode::StableHloBind,
                                 "\"" + text +
                                     "\" binds nothing: write "
                                     "--bind NAME=@FILE");
      return std::nullopt;
    }
  return import;
}

/// What every model must be, whatever file it comes from.
static OwningOpRef<ModuleOp> checkModel(Session &session,
                                        OwningOpRef<ModuleOp> module,
                                        const ModelOptions &options) {
  if (!module)
    return nullptr;
  session.diagnostics.setDefaultCode(ErrorCode::InvalidAfterImport);
  if (failed(verify(*module)))
    return nullptr;
  session.diagnostics.setDefaultCode(ErrorCode::InternalError);
  if (!entryFunction(*module)) {
    session.diagnostics.report(ErrorCode::StableHloEntry,
                               "there is neither @main nor a single public "
                               "function");
    return nullptr;
  }
  if (failed(closeOpenSizes(entryFunction(*module))) ||
      failed(markCustomCalls(*module, options.customCalls)) ||
      failed(modernizeCalls(*module)))
    return nullptr;
  return module;
}

using ImportOne =
    llvm::function_ref<OwningOpRef<ModuleOp>(const ModelOptions &)>;

/// Imports a model that `importOne` reads for sizes that are fixed.
static OwningOpRef<ModuleOp> importWithSizes(Session &session,
                                             const ModelOptions &options,
                                             ErrorCode code,
                                             ImportOne importOne) {
  auto checked = [&](const ModelOptions &one) {
    // Until the model is read, what MLIR's own code reports is about the model.
    session.diagnostics.setDefaultCode(code);
    return checkModel(session, importOne(one), one);
  };
  return hasBoundedSizes(options)
             ? importBoundedModel(session, options, checked)
             : checked(options);
}

/// Reads the program once, whatever sizes it is looked at for.
static OwningOpRef<ModuleOp> importStableHloModel(Session &session,
                                                  const ModelOptions &options) {
  session.diagnostics.setDefaultCode(ErrorCode::StableHloParse);
  std::optional<StableHloProgram> program =
      options.memory ? parseStableHlo(&session.context(), *options.memory,
                                      /*trialFirst=*/true, &session.trials(),
                                      options.function)
                     : parseStableHlo(&session.context(), options.path,
                                      /*trialFirst=*/true, &session.trials(),
                                      options.function);
  if (!program)
    return nullptr;
  return importWithSizes(
      session, withDeclaredRanges(options, *program), ErrorCode::StableHloParse,
      [&](const ModelOptions &one) -> OwningOpRef<ModuleOp> {
        auto import = readStableHloOptions(session, one);
        if (!import)
          return nullptr;
        return importStableHlo(
            one.isSample ? program->clone() : std::move(*program), *import);
      });
}

/// False after an error, which has been reported.
static bool checkFile(Session &session, StringRef path) {
  if (!llvm::sys::fs::exists(path)) {
    session.diagnostics.report(ErrorCode::FileUnreadable,
                               "there is no such file");
    return false;
  }
  if (!llvm::sys::fs::is_regular_file(path)) {
    session.diagnostics.report(ErrorCode::FileUnreadable,
                               "this is no regular file: models are mapped, "
                               "not read from pipes or devices");
    return false;
  }
  return true;
}

static OwningOpRef<ModuleOp> importFile(Session &session,
                                        const ModelOptions &options) {
  if (!options.memory && !checkFile(session, options.path))
    return nullptr;
  switch (fileKindOf(options)) {
  case FileKind::Onnx:
    if (!options.function.empty()) {
      session.diagnostics.report(ErrorCode::StableHloEntry,
                                 "an ONNX model has one graph and no function "
                                 "@" +
                                     options.function);
      return nullptr;
    }
    return importWithSizes(
        session, options, ErrorCode::OnnxNode,
        [&](const ModelOptions &one) { return importOnnxModel(session, one); });
  case FileKind::MlirText:
  case FileKind::MlirBytecode:
    return importStableHloModel(session, options);
  case FileKind::Artifact:
    session.diagnostics.report(ErrorCode::UnknownFileKind,
                               "this is an artifact; a model is wanted");
    return nullptr;
  case FileKind::Unknown:
    session.diagnostics.report(ErrorCode::UnknownFileKind,
                               "the content is of no known kind");
    return nullptr;
  }
  return nullptr;
}

OwningOpRef<ModuleOp> heddle::importModel(Session &session,
                                          const ModelOptions &options) {
  setCrashStage("import");
  std::optional<std::vector<StateOption>> states = readStates(session, options);
  if (!states)
    return nullptr;
  OwningOpRef<ModuleOp> module =
      options.entries.empty()
          ? importFile(session, options)
          : importEntries(session, options, [&](const ModelOptions &one) {
              return importFile(session, one);
            });
  if (!module || !markStates(session, *module, *states))
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
  auto map = dyn_cast_or_null<AffineMapAttr>(shape);
  if (!map || !symbols)
    return signature;
  auto sizesAt = [&](StringRef end) {
    SmallVector<int64_t> values;
    for (auto symbol : symbols.getAsRange<DictionaryAttr>())
      values.push_back(symbol.getAs<IntegerAttr>(end).getInt());
    return llvm::map_to_vector(
        map.getValue().getResults(),
        [&](AffineExpr extent) { return evaluate(extent, values); });
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
