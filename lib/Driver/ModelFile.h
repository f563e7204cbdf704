// The file of one model, between its reading and its import: what options can
// name of it is known by then.

#ifndef HEDDLE_LIB_DRIVER_MODELFILE_H
#define HEDDLE_LIB_DRIVER_MODELFILE_H

#include "heddle/Driver/Session.h"
#include "heddle/Frontend/StableHlo.h"

namespace heddle {

/// What options can name of a model.
struct ModelNames {
  std::vector<ArgumentDescription> inputs;
  std::vector<std::string> dimensions;
};

struct ModelFile {
  ModelOptions options;
  /// Of StableHLO: what the file holds, whatever sizes it is looked at for.
  std::optional<StableHloProgram> program;

  /// None after an error, which has been reported.
  static std::optional<ModelFile> read(Session &session, ModelOptions options);
  std::optional<ModelNames> names(Session &session) const;
  /// The model, whose `program` is used up; null after an error, which has been
  /// reported.
  mlir::OwningOpRef<mlir::ModuleOp> import(Session &session);
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_MODELFILE_H
