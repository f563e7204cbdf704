// The steps that commands share: a model becomes a module, an artifact, a
// program.

#ifndef HEDDLE_DRIVER_PREPARE_H
#define HEDDLE_DRIVER_PREPARE_H

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

/// The artifact at the model's path, or the model compiled. None after an
/// error, which has been reported.
std::optional<PreparedArtifact> prepareArtifact(Session &session,
                                                const ModelOptions &model,
                                                const BuildOptions &build);

/// `module`, a model as imported, compiled. It is used up.
std::optional<PreparedArtifact> prepareModule(Session &session,
                                              mlir::ModuleOp module,
                                              const BuildOptions &build);

} // namespace heddle

#endif // HEDDLE_DRIVER_PREPARE_H
