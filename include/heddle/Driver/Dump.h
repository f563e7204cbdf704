// Dumps: a module as text that a build can go on from.

#ifndef HEDDLE_DRIVER_DUMP_H
#define HEDDLE_DRIVER_DUMP_H

#include "heddle/Driver/Session.h"

namespace heddle {

/// Whether a command may write text to `path`: not to a standard stream where
/// these hold JSON. False after an error, which has been reported.
bool mayWriteTo(Session &session, llvm::StringRef path);

/// Whether both paths name one file, which may not be there yet.
bool isSameFile(llvm::StringRef one, llvm::StringRef other);

/// Writes `module` to the file `path`, below a first line `header` if there is
/// one. False after an error, which has been reported.
///
/// Weights are named, not printed: `heddle.weights` says where their bytes are.
/// Files below the dump's folder are named from there, others from the root, so
/// that a dump reads back from anywhere. Bytes that are in memory only go into
/// a file beside the dump, with `.weights` in place of its extension.
bool writeDump(Session &session, mlir::ModuleOp module, llvm::StringRef path,
               llvm::StringRef header = "");

/// Reads IR that a stage dumped, and gives its weights their bytes again; null
/// after an error, which has been reported.
mlir::OwningOpRef<mlir::ModuleOp> readDump(Session &session,
                                           llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_DRIVER_DUMP_H
