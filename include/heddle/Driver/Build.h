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

/// The same into a file at `output`.
std::optional<BuildResult> buildArtifact(Session &session,
                                         const ModelOptions &model,
                                         const BuildOptions &build,
                                         llvm::StringRef output);

} // namespace heddle

#endif // HEDDLE_DRIVER_BUILD_H
