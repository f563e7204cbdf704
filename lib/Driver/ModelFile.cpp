// Reads the file of a model of any kind, and imports it.

#include "ModelFile.h"

#include "BoundedOptions.h"
#include "Meshes.h"
#include "Shards.h"
#include "dialects/Size/Size.h"
#include "heddle/Driver/BoundedModel.h"
#include "heddle/Driver/FileKind.h"
#include "heddle/Driver/Model.h"
#include "heddle/Frontend/CustomCallForms.h"
#include "heddle/Frontend/Onnx.h"
#include "heddle/Frontend/RefineShapes.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

/// What is wrong with `NAME=past+new`, where no size has a range; nothing if it
/// is no such text.
static std::optional<std::string>
problemOfDerived(Session &session, StringRef text, const SizeOptions &options) {
  StringRef value = text.rsplit('=').second;
  if (!llvm::any_of(value, llvm::isAlpha) || value.size() == text.size())
    return std::nullopt;
  session.context().loadDialect<size::SizeDialect>();
  std::string problem;
  llvm::StringSet<> used;
  if (readExtent(&session.context(), value, options, {}, used, problem))
    return std::nullopt;
  return "--dim " + text.str() + ": " + problem + ": --dim NAME=1..8 gives one";
}

/// Reads --shape and --dim.
static LogicalResult parseSizes(Session &session, const ModelOptions &options,
                                SizeOptions &import) {
  for (const std::string &text : options.shapes)
    if (failed(parseShapeOption(text, import))) {
      session.diagnostics.report(ErrorCode::OnnxShapeOption,
                                 "\"" + text +
                                     "\" is no shape: write "
                                     "--shape NAME=1x128");
      return failure();
    }
  if (auto problem = findSaidTwice(options)) {
    session.diagnostics.report(ErrorCode::OnnxShapeOption, *problem);
    return failure();
  }
  for (const std::string &text : options.dims) {
    if (failed(parseDimOption(text, import))) {
      if (auto problem = problemOfDerived(session, text, import)) {
        session.diagnostics.report(ErrorCode::OnnxShapeOption, *problem);
        return failure();
      }
      session.diagnostics.report(ErrorCode::OnnxShapeOption,
                                 "\"" + text +
                                     "\" is no dimension: write "
                                     "--dim NAME=8");
      return failure();
    }
  }
  return success();
}

/// Reads --bind.
static LogicalResult parseBinds(Session &session, const ModelOptions &options,
                                std::vector<ArgumentBinding> &bindings) {
  for (const std::string &text : options.binds) {
    std::optional<ArgumentBinding> binding = parseBinding(text);
    if (!binding) {
      session.diagnostics.report(ErrorCode::StableHloBind,
                                 "\"" + text +
                                     "\" binds nothing: write "
                                     "--bind NAME=@FILE[:TENSOR][^T]");
      return failure();
    }
    bindings.push_back(std::move(*binding));
  }
  return success();
}

static OwningOpRef<ModuleOp> importOnnxModel(Session &session,
                                             const ModelOptions &options,
                                             const SizeOptions &sizes,
                                             OnnxValueHook onValue = nullptr) {
  OnnxImportOptions import;
  static_cast<SizeOptions &>(import) = sizes;
  import.onValue = std::move(onValue);
  if (failed(parseBinds(session, options, import.bindings)))
    return nullptr;
  return options.memory
             ? importOnnx(&session.context(), options.memory, "", import)
             : importOnnx(&session.context(), options.path, import);
}

/// What the options say of a StableHLO program; nothing after an error.
static std::optional<StableHloImportOptions>
readStableHloOptions(Session &session, const ModelOptions &options,
                     const SizeOptions &sizes) {
  StableHloImportOptions import;
  static_cast<SizeOptions &>(import) = sizes;
  if (failed(parseBinds(session, options, import.bindings)))
    return std::nullopt;
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
    llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)>;

/// Imports a model that `import` reads with what the options say of sizes.
static OwningOpRef<ModuleOp> importWithSizes(Session &session,
                                             const ModelOptions &options,
                                             ErrorCode code, ImportOne import) {
  auto checked = [&](const SizeOptions &sizes) {
    // Until the model is read, what MLIR's own code reports is about the model.
    session.diagnostics.setDefaultCode(code);
    return checkModel(session, import(sizes), options);
  };
  if (hasBoundedSizes(options))
    return importBoundedModel(session, options, checked);
  SizeOptions sizes;
  if (failed(parseSizes(session, options, sizes)))
    return nullptr;
  return checked(sizes);
}

static OwningOpRef<ModuleOp> importStableHloModel(Session &session,
                                                  const ModelOptions &options,
                                                  StableHloProgram program) {
  // What is imported once need not be kept.
  ModelOptions ranged = withDeclaredRanges(options, program);
  bool isAgain = hasBoundedSizes(ranged);
  return importWithSizes(
      session, ranged, ErrorCode::StableHloParse,
      [&](const SizeOptions &sizes) -> OwningOpRef<ModuleOp> {
        auto import = readStableHloOptions(session, options, sizes);
        if (!import)
          return nullptr;
        return importStableHlo(isAgain ? program.clone() : std::move(program),
                               *import);
      });
}

/// False, which is reported, for what a later stage makes of a model.
static bool checkIsModel(Session &session, ModuleOp module) {
  std::optional<StageInfo> stage = otherStage(module, Stage::Import);
  if (!stage)
    return true;
  StringRef name = stage->name;
  session.diagnostics.report(
      ErrorCode::UnknownStage,
      "the file holds IR as it is after " + name + ", and no model; " +
          (stage->onTensors
               ? "--start-from " + name + " compiles it"
               : "no build goes on from there, but one does from dumps after " +
                     listStages(/*onTensors=*/true)));
  return false;
}

static std::optional<StableHloProgram>
parseProgram(Session &session, const ModelOptions &options) {
  session.diagnostics.setDefaultCode(ErrorCode::StableHloParse);
  bool isSharded = !options.mesh.empty();
  auto isModel = [&](ModuleOp module) {
    return checkIsModel(session, module) &&
           (!isSharded || partitionOver(session, module, options.mesh));
  };
  return options.memory ? parseStableHlo(&session.context(), *options.memory,
                                         /*trialFirst=*/true, &session.trials(),
                                         options.function, isModel, isSharded)
                        : parseStableHlo(&session.context(), options.path,
                                         /*trialFirst=*/true, &session.trials(),
                                         options.function, isModel, isSharded);
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

/// What is wrong with --mesh for an ONNX model; "" if nothing is.
static std::string problemOfMesh(const ModelOptions &options) {
  if (options.mesh.empty())
    return "";
  if (options.shards.empty())
    return "--mesh: an ONNX model does not say where its tensors lie: name "
           "some "
           "by --shard, as in --shard 'x=[{\"data\"}, {}]'";
  if (hasBoundedSizes(options))
    return "--mesh wants sizes that are fixed: programs whose calls choose "
           "sizes are not partitioned yet";
  return "";
}

std::optional<ModelFile> ModelFile::read(Session &session,
                                         ModelOptions options) {
  if (!options.memory && !checkFile(session, options.path))
    return std::nullopt;
  auto fail = [&](ErrorCode code, const Twine &message) {
    session.diagnostics.report(code, message);
    return std::nullopt;
  };
  if (!options.mesh.empty() && !options.states.empty())
    return fail(ErrorCode::BadCommandLine,
                "--mesh and --state exclude each other: ranks have no states "
                "yet");
  ModelFile file{std::move(options), std::nullopt};
  switch (fileKindOf(file.options)) {
  case FileKind::Onnx:
    if (!file.options.function.empty())
      return fail(ErrorCode::StableHloEntry,
                  "an ONNX model has one graph and no function @" +
                      file.options.function);
    if (std::string problem = problemOfMesh(file.options); !problem.empty())
      return fail(ErrorCode::BadCommandLine, problem);
    return file;
  case FileKind::MlirText:
  case FileKind::MlirBytecode:
    if (!file.options.shards.empty())
      return fail(ErrorCode::BadCommandLine,
                  "--shard is for ONNX models; a StableHLO program says itself "
                  "where its tensors lie");
    file.program = parseProgram(session, file.options);
    if (!file.program)
      return std::nullopt;
    return file;
  case FileKind::Artifact:
    return fail(ErrorCode::UnknownFileKind,
                "this is an artifact; a model is wanted");
  case FileKind::Unknown:
    return fail(ErrorCode::UnknownFileKind, "the content is of no known kind");
  }
  return std::nullopt;
}

/// The sizes that an ONNX model declares of an input; none if even their number
/// is open.
static std::optional<std::vector<int64_t>>
sizesOf(const OnnxDeclaration &input) {
  std::vector<int64_t> sizes;
  for (StringRef text : input.shape) {
    if (text == "*")
      return std::nullopt;
    int64_t size;
    sizes.push_back(text.getAsInteger(10, size) ? ShapedType::kDynamic : size);
  }
  return sizes;
}

std::optional<ModelNames> ModelFile::names(Session &session) const {
  if (program)
    return ModelNames{describeArguments(*program), dimensionNames(*program)};
  auto described = options.memory
                       ? describeOnnx(&session.context(), *options.memory)
                       : describeOnnx(&session.context(), options.path);
  if (!described)
    return std::nullopt;
  ModelNames names;
  for (const OnnxDeclaration &input : described->inputs) {
    names.inputs.push_back({{input.name}, sizesOf(input)});
    llvm::append_range(names.dimensions, input.shape);
  }
  return names;
}

/// Imports an ONNX model and makes of it the program that each device of its
/// mesh runs.
static OwningOpRef<ModuleOp> importOverMesh(Session &session,
                                            const ModelOptions &options) {
  sdy::MeshAttr mesh = readMesh(session, options.mesh);
  auto rules =
      mesh ? ShardRules::read(session, options.shards, mesh) : std::nullopt;
  if (!rules)
    return nullptr;
  OwningOpRef<ModuleOp> module = importWithSizes(
      session, options, ErrorCode::OnnxNode, [&](const SizeOptions &sizes) {
        return importOnnxModel(
            session, options, sizes,
            [&](OpBuilder &builder, StringRef name, Value value) {
              return rules->apply(builder, name, value);
            });
      });
  if (!module || !rules->checkApplied(*module))
    return nullptr;
  session.diagnostics.setDefaultCode(ErrorCode::OnnxOperator);
  if ((*module)->hasAttr(kSymbolsAttrName)) {
    session.diagnostics.report(ErrorCode::OnnxOperator,
                               "--mesh: the model computes sizes of its "
                               "tensors; such models are not partitioned yet");
    return nullptr;
  }
  if (!partition(*module))
    return nullptr;
  session.diagnostics.setDefaultCode(ErrorCode::InternalError);
  return module;
}

OwningOpRef<ModuleOp> ModelFile::import(Session &session) {
  if (program)
    return importStableHloModel(session, options, std::move(*program));
  if (!options.mesh.empty())
    return importOverMesh(session, options);
  return importWithSizes(session, options, ErrorCode::OnnxNode,
                         [&](const SizeOptions &sizes) {
                           return importOnnxModel(session, options, sizes);
                         });
}
