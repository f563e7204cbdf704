// What runs a program has it from an artifact or compiles it in memory.

#include "heddle/Driver/Prepare.h"

#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Build.h"
#include "runtime/format/ArtifactWriter.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

/// Builds into a file without a name: weights may be larger than memory.
static std::optional<PreparedArtifact>
prepare(Session &session,
        llvm::function_ref<std::optional<BuildResult>(format::ArtifactWriter &)>
            build) {
  SmallString<64> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/false, folder);
  auto writer = std::make_shared<format::ArtifactWriter>();
  if (format::Error error = writer->openTemporary(folder.c_str())) {
    session.diagnostics.report(toErrorCode(error), error.message());
    return std::nullopt;
  }
  if (!build(*writer))
    return std::nullopt;
  return PreparedArtifact{
      "/proc/self/fd/" + std::to_string(writer->descriptor()), writer};
}

/// What was asked for that an artifact cannot follow; null if it can.
static const char *optionForModels(const ModelOptions &model,
                                   const BuildOptions &build, bool isCalled) {
  if (!build.precision.empty())
    return "--precision";
  if (build.flushSubnormals)
    return "--flush-subnormals";
  if (!build.targets.empty())
    return "--target";
  if (!build.placement.empty())
    return "--place";
  if (build.placement.tensors)
    return "--device-tensors";
  if (build.noHost)
    return "--no-host";
  if (!model.mesh.empty())
    return "--mesh";
  if (!model.shards.empty())
    return "--shard";
  if (!model.states.empty())
    return "--state";
  if (!isCalled && !model.shapes.empty())
    return "--shape";
  if (model.checksSizes)
    return "--check-sizes";
  if (!isCalled && !model.dims.empty())
    return "--dim";
  return model.binds.empty() ? nullptr : "--bind";
}

bool heddle::artifactCanFollow(Session &session, const ModelOptions &model,
                               const BuildOptions &build, bool isCalled) {
  const char *option = optionForModels(model, build, isCalled);
  if (option)
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        Twine(option) + " is for a model that is compiled; this is an "
                        "artifact, compiled already");
  return !option;
}

std::optional<PreparedArtifact>
heddle::prepareArtifact(Session &session, const ModelOptions &model,
                        const BuildOptions &build) {
  if (fileKindOf(model.path) == FileKind::Artifact) {
    if (!artifactCanFollow(session, model, build, /*isCalled=*/true))
      return std::nullopt;
    return PreparedArtifact{model.path, nullptr};
  }
  return prepare(session, [&](format::ArtifactWriter &writer) {
    return buildInto(session, model, build, writer);
  });
}

std::optional<PreparedArtifact>
heddle::prepareModule(Session &session, ModuleOp module,
                      const BuildOptions &build) {
  return prepare(session, [&](format::ArtifactWriter &writer) {
    return buildModuleInto(session, module, build, writer);
  });
}

std::optional<PreparedArtifact> heddle::prepareGraph(Session &session,
                                                     ModuleOp graph,
                                                     const BuildOptions &build,
                                                     CompileSummary *summary) {
  return prepare(session, [&](format::ArtifactWriter &writer) {
    std::optional<BuildResult> built =
        buildGraphInto(session, graph, build, writer);
    if (built && summary)
      *summary = built->summary;
    return built;
  });
}
