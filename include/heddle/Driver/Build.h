// The way from a model file to an artifact, stage by stage.

#ifndef HEDDLE_DRIVER_BUILD_H
#define HEDDLE_DRIVER_BUILD_H

#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/Session.h"

namespace heddle {

/// What a build came to.
struct BuildResult {
  /// False when --stop-after ended it before there was an artifact.
  bool complete = false;
  CompileSummary summary;
  /// Of a program in mixed precision within an error budget: what is known of
  /// its errors.
  std::optional<llvm::json::Object> certificate = std::nullopt;
};

/// Compiles the model into an artifact that `writer`, just opened, takes; none
/// after an error, which has been reported.
std::optional<BuildResult> buildInto(Session &session,
                                     const ModelOptions &model,
                                     const BuildOptions &build,
                                     format::ArtifactWriter &writer);

/// The same for a module that has been imported, or cut out of such a one. It
/// is used up.
std::optional<BuildResult> buildModuleInto(Session &session,
                                           mlir::ModuleOp module,
                                           const BuildOptions &build,
                                           format::ArtifactWriter &writer);

/// Brings a module that has been imported through the graph stage; false after
/// an error, which has been reported.
bool makeGraphStage(Session &session, mlir::ModuleOp module,
                    const BuildOptions &build);

/// The same as `buildModuleInto` for a module that has passed the graph stage.
std::optional<BuildResult> buildGraphInto(Session &session,
                                          mlir::ModuleOp graph,
                                          const BuildOptions &build,
                                          format::ArtifactWriter &writer);

/// The same as `buildInto` into a file at `output`, if that may be replaced
/// (OutputFiles.h).
std::optional<BuildResult> buildArtifact(Session &session,
                                         const ModelOptions &model,
                                         const BuildOptions &build,
                                         llvm::StringRef output);

} // namespace heddle

#endif // HEDDLE_DRIVER_BUILD_H
