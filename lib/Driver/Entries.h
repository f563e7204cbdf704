// Several entries of one artifact, as --entry says.

#ifndef HEDDLE_LIB_DRIVER_ENTRIES_H
#define HEDDLE_LIB_DRIVER_ENTRIES_H

#include "heddle/Driver/Session.h"

namespace heddle {

/// One module of the models of all entries: its public functions are the
/// entries, called by their names and in their order. What the options say of
/// an input or a dimension holds for the entries that have it, and one of them
/// must. Null after an error, which has been reported.
mlir::OwningOpRef<mlir::ModuleOp> importEntries(Session &session,
                                                const ModelOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_ENTRIES_H
