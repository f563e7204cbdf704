// Several entries of one artifact, as --entry says.

#ifndef HEDDLE_LIB_DRIVER_ENTRIES_H
#define HEDDLE_LIB_DRIVER_ENTRIES_H

#include "heddle/Driver/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// `--entry prefill=model.mlir:forward`.
struct EntryOption {
  std::string name, path;
  /// Of the file; empty for its @main, or its only public function.
  std::string function;
};

/// Reads each; none after an error, which has been reported.
std::optional<std::vector<EntryOption>>
readEntries(Session &session, llvm::ArrayRef<std::string> texts);

/// One module of the models of all entries, each imported by `importOne`: its
/// public functions are the entries, called by their names and in their order.
/// Null after an error, which has been reported.
mlir::OwningOpRef<mlir::ModuleOp> importEntries(
    Session &session, const ModelOptions &options,
    llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(const ModelOptions &)>
        importOne);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_ENTRIES_H
