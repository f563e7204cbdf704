// include/heddle/compiler.h over the driver.

#define HEDDLE_COMPILER_BUILD
#include "heddle/compiler.h"

#include "heddle/Driver/Build.h"
#include "heddle/Driver/ContextKeeper.h"
#include "heddle/Driver/InspectDocument.h"
#include "heddle/Support/MappedFile.h"
#include "runtime/format/SizedStructs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

using namespace heddle;

static_assert(HEDDLE_COMPILED == int(ExitCode::Ok) &&
              HEDDLE_BAD_INPUT == int(ExitCode::BadInput) &&
              HEDDLE_USAGE == int(ExitCode::Usage) &&
              HEDDLE_UNSUPPORTED == int(ExitCode::Unsupported) &&
              HEDDLE_BUDGET_UNMET == int(ExitCode::CheckFailed) &&
              HEDDLE_TARGET_UNAVAILABLE == int(ExitCode::TargetMismatch) &&
              HEDDLE_RESOURCE_LIMIT == int(ExitCode::ResourceLimit) &&
              HEDDLE_ARTIFACT_REJECTED == int(ExitCode::ArtifactRejected) &&
              HEDDLE_INTERNAL_ERROR == int(ExitCode::Internal));

static std::vector<std::string> toStrings(const char *const *list) {
  std::vector<std::string> strings;
  for (; list && *list; ++list)
    strings.push_back(*list);
  return strings;
}

static CommonOptions quietJson() {
  CommonOptions options;
  options.json = options.quiet = true;
  return options;
}

/// Programs up to this size compile in one context, one after the other: a
/// larger one leaves more in the context than a new context costs.
static constexpr uint64_t kSmallProgramBytes = 64 << 10;

struct heddle_compiler {
  ContextKeeper contexts;
  TrialKeeper trials;
};

heddle_compiler *heddle_compiler_create(void) {
  return new (std::nothrow) heddle_compiler;
}

void heddle_compiler_destroy(heddle_compiler *compiler) { delete compiler; }

/// Adds the diagnostics, printed one per line, and hands the document out.
static heddle_outcome finish(Session &session, bool good,
                             llvm::json::Object document,
                             const std::string &lines, char **outJson) {
  int outcome = good ? 0 : int(session.diagnostics.failureCode());
  llvm::json::Array diagnostics;
  llvm::SmallVector<llvm::StringRef> split;
  llvm::StringRef(lines).split(split, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : split)
    if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(line))
      diagnostics.push_back(std::move(*value));
    else
      llvm::consumeError(value.takeError());
  document["diagnostics"] = std::move(diagnostics);
  if (outJson)
    *outJson =
        strdup(llvm::formatv("{0:2}", llvm::json::Value(std::move(document)))
                   .str()
                   .c_str());
  return heddle_outcome(outcome);
}

static uint64_t sizeOf(const std::string &path, const MappedFile *memory) {
  uint64_t bytes = 0;
  if (memory)
    return memory->bytes().size();
  return llvm::sys::fs::file_size(path, bytes) ? UINT64_MAX : bytes;
}

static bool isSmall(const ModelOptions &model) {
  auto fits = [](const auto &one) {
    return sizeOf(one.path, one.memory.get()) <= kSmallProgramBytes;
  };
  return model.entries.empty() ? fits(model)
                               : llvm::all_of(model.entries, fits);
}

static ModelOptions whereIs(const heddle_model &given) {
  ModelOptions model;
  model.path = given.path ? given.path : "model";
  if (given.data)
    model.memory = MappedFile::ofMemory(
        {static_cast<const char *>(given.data), given.bytes}, model.path);
  model.function = given.function ? given.function : "";
  return model;
}

/// Reads what the caller says of a model; what is wrong with it, or "".
static std::string readModel(const heddle_model *given, ModelOptions &model) {
  if (!given)
    return "model is a null pointer";
  heddle_model known;
  if (!readOptions(given, known))
    return std::string("model: ") + badSize;
  if (!known.path && !known.data)
    return "model: there is neither a path nor data";
  model = whereIs(known);
  return "";
}

/// The same for the models of entries, or the one model where there are none.
static std::string readModels(const heddle_model *given,
                              const heddle_entry *const *entries,
                              ModelOptions &model) {
  if (!entries || !*entries)
    return readModel(given, model);
  if (given)
    return "there are entries, so that model must be a null pointer";
  for (; *entries; ++entries) {
    heddle_entry known;
    if (!readOptions(*entries, known))
      return std::string("entry: ") + badSize;
    if (!known.name)
      return "entry: name is a null pointer";
    ModelOptions one;
    std::string wrong = readModel(known.model, one);
    if (!wrong.empty())
      return std::string("entry \"") + known.name + "\": " + wrong;
    model.entries.push_back({known.name, one.path, one.memory, one.function});
  }
  model.path = model.entries.front().path;
  return "";
}

static void fill(const heddle_compile_options &options, ModelOptions &model,
                 BuildOptions &build) {
  build.targets = toStrings(options.targets);
  model.shapes = toStrings(options.shapes);
  model.dims = toStrings(options.dims);
  model.binds = toStrings(options.binds);
  model.customCalls = toStrings(options.custom_calls);
  model.states = toStrings(options.states);
  model.mesh = options.mesh ? options.mesh : "";
  model.shards = toStrings(options.shards);
  build.placement.devices = toStrings(options.places);
  build.placement.rules = toStrings(options.place_rules);
  build.placement.by = options.place_by ? options.place_by : "";
  build.placement.tensors = options.device_tensors != 0;
  build.precision = options.precision ? options.precision : "";
  build.budget = {options.max_error,
                  options.error_metric ? options.error_metric : "",
                  options.calibration ? options.calibration : "",
                  options.precision_policy ? options.precision_policy : ""};
  build.flushSubnormals = options.flush_subnormals != 0;
  build.replacesFiles = options.force != 0;
  if (options.on_phase)
    build.onPhase = [call = options.on_phase, data = options.on_phase_data](
                        const char *phase) { call(data, phase); };
  if (options.cancel)
    build.isCancelled = [flag = options.cancel] {
      return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
    };
}

/// The outcome of a call whose arguments cannot be used.
static heddle_outcome refuse(const llvm::Twine &why, char **outJson) {
  std::string lines;
  llvm::raw_string_ostream errors(lines);
  Session session(quietJson(), "", errors);
  session.diagnostics.report(ErrorCode::ArgumentInvalid, why);
  return finish(session, /*good=*/false, {}, lines, outJson);
}

/// Reads everything that the caller says; what is wrong with it, or "". Throws
/// where memory runs out, and leaves nothing behind then.
static std::string readWishes(const heddle_model *model,
                              const heddle_compile_options *options,
                              ModelOptions &where, BuildOptions &build) {
  heddle_compile_options wishes;
  if (!readOptions(options, wishes))
    return std::string("options: ") + badSize;
  std::string wrong = readModels(model, wishes.entries, where);
  if (wrong.empty())
    fill(wishes, where, build);
  return wrong;
}

// The compiler is built without exceptions: one that reaches its frames ends
// the process here.
static heddle_outcome compile(heddle_compiler *compiler,
                              const heddle_model *model,
                              const char *artifactPath,
                              const heddle_compile_options *options,
                              char **outJson) noexcept {
  if (!compiler || !artifactPath)
    return refuse("compiler or artifact_path is a null pointer", outJson);
  ModelOptions where;
  BuildOptions build;
  std::string wrong;
  try {
    wrong = readWishes(model, options, where, build);
  } catch (const std::bad_alloc &) {
    if (outJson)
      *outJson = nullptr; // there is no memory for it either
    return HEDDLE_RESOURCE_LIMIT;
  }
  if (!wrong.empty())
    return refuse(wrong, outJson);
  std::string lines;
  llvm::raw_string_ostream errors(lines);
  Session session(quietJson(), where.path, errors,
                  isSmall(where) ? &compiler->contexts : nullptr,
                  &compiler->trials);
  bool good = buildArtifact(session, where, build, artifactPath).has_value();
  session.phases.end();
  if (good)
    session.leaveContext();
  return finish(session, good,
                llvm::json::Object{{"phases", session.phases.toJson()}}, lines,
                outJson);
}

heddle_outcome heddle_compiler_compile(heddle_compiler *compiler,
                                       const heddle_model *model,
                                       const char *artifactPath,
                                       const heddle_compile_options *options,
                                       char **outJson) {
  return compile(compiler, model, artifactPath, options, outJson);
}

static heddle_outcome inspect(heddle_compiler *compiler, const char *path,
                              char **outJson) noexcept {
  if (!compiler || !path)
    return refuse("compiler or path is a null pointer", outJson);
  std::string lines;
  llvm::raw_string_ostream errors(lines);
  ModelOptions model;
  model.path = path;
  Session session(quietJson(), path, errors,
                  isSmall(model) ? &compiler->contexts : nullptr,
                  &compiler->trials);
  std::optional<llvm::json::Object> document = inspectDocument(session, model);
  bool good = document.has_value();
  if (good)
    session.leaveContext();
  return finish(session, good,
                good ? std::move(*document) : llvm::json::Object(), lines,
                outJson);
}

heddle_outcome heddle_compiler_inspect(heddle_compiler *compiler,
                                       const char *path, char **outJson) {
  return inspect(compiler, path, outJson);
}

const char *heddle_compiler_version(void) { return HEDDLE_VERSION; }

void heddle_string_free(char *string) { std::free(string); }
