// include/heddle/compiler.h over the driver.

#define HEDDLE_COMPILER_BUILD
#include "heddle/compiler.h"

#include "KeptContext.h"
#include "heddle/Driver/Build.h"
#include "heddle/Driver/InspectDocument.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace heddle;

static_assert(HEDDLE_BAD_INPUT == int(ExitCode::BadInput) &&
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

/// Programs up to this size compile in one context, one after the other.
static constexpr uint64_t kSmallProgramBytes = 64 << 10;

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

heddle_outcome heddle_compile_file(const char *modelPath,
                                   const char *artifactPath,
                                   const heddle_compile_options *options,
                                   char **outJson) {
  std::string lines;
  llvm::raw_string_ostream errors(lines);
  // What a larger program leaves in a context is worth more than the context.
  std::optional<KeptContext> kept;
  uint64_t bytes = 0;
  if (!llvm::sys::fs::file_size(modelPath, bytes) &&
      bytes <= kSmallProgramBytes)
    kept.emplace();
  Session session(quietJson(), modelPath, errors);
  ModelOptions model;
  model.path = modelPath;
  BuildOptions build;
  if (options) {
    model.shapes = toStrings(options->shapes);
    model.dims = toStrings(options->dims);
    model.binds = toStrings(options->binds);
    // Callers from before these fields have a shorter struct.
    if (options->size > offsetof(heddle_compile_options, custom_calls))
      model.customCalls = toStrings(options->custom_calls);
    if (options->size > offsetof(heddle_compile_options, flush_subnormals))
      build.flushSubnormals = options->flush_subnormals != 0;
    if (options->targets && *options->targets)
      build.targets = toStrings(options->targets);
  }
  bool good = buildArtifact(session, model, build, artifactPath).has_value();
  session.phases.end();
  if (good && kept)
    kept->leave();
  return finish(session, good,
                llvm::json::Object{{"phases", session.phases.toJson()}}, lines,
                outJson);
}

heddle_outcome heddle_inspect_file(const char *path, char **outJson) {
  std::string lines;
  llvm::raw_string_ostream errors(lines);
  Session session(quietJson(), path, errors);
  ModelOptions model;
  model.path = path;
  std::optional<llvm::json::Object> document = inspectDocument(session, model);
  bool good = document.has_value();
  return finish(session, good,
                good ? std::move(*document) : llvm::json::Object(), lines,
                outJson);
}

const char *heddle_compiler_version(void) { return HEDDLE_VERSION; }

void heddle_string_free(char *string) { std::free(string); }
