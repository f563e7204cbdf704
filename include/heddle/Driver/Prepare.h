// The steps that commands share: a model becomes a module, an artifact, a
// program.

#ifndef HEDDLE_DRIVER_PREPARE_H
#define HEDDLE_DRIVER_PREPARE_H

#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/FileKind.h"
#include "heddle/Driver/Program.h"

namespace heddle {

namespace format {
class ArtifactWriter;
} // namespace format

/// An artifact at a path: the user's, or one that was compiled just now into a
/// file without a name, which goes away with this object.
struct PreparedArtifact {
  std::string path;
  std::shared_ptr<format::ArtifactWriter> holder;
};

/// Whether an artifact can follow what is asked for; false after an error that
/// names an option which only a model that is yet to be compiled can follow.
/// Sizes of dimensions are for the artifact where it is called.
bool artifactCanFollow(Session &session, const ModelOptions &model,
                       const BuildOptions &build, bool isCalled);

/// The artifact at the model's path, or the model compiled. None after an
/// error, which has been reported.
std::optional<PreparedArtifact> prepareArtifact(Session &session,
                                                const ModelOptions &model,
                                                const BuildOptions &build);

/// `module`, a model as imported, compiled. It is used up.
std::optional<PreparedArtifact> prepareModule(Session &session,
                                              mlir::ModuleOp module,
                                              const BuildOptions &build);

/// `graph`, a model that has passed the graph stage, compiled. It is used up.
/// `summary`, if given, gets what became of it.
std::optional<PreparedArtifact> prepareGraph(Session &session,
                                             mlir::ModuleOp graph,
                                             const BuildOptions &build,
                                             CompileSummary *summary = nullptr);

} // namespace heddle

#endif // HEDDLE_DRIVER_PREPARE_H
