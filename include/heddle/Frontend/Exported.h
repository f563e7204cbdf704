// Results of jax.export: a program with what must be known to call it.

#ifndef HEDDLE_FRONTEND_EXPORTED_H
#define HEDDLE_FRONTEND_EXPORTED_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What heddle needs of an `Exported`. Views into the file's bytes.
struct ExportedProgram {
  /// A portable artifact.
  llvm::StringRef module;
  /// The number of the platform `cpu` among those that the program is for,
  /// which the module takes as an argument where there are several.
  int32_t platformIndex = 0;
  /// Of each argument of the module, its dimensions: numbers, or expressions of
  /// symbolic dimensions. Empty where the file does not say.
  std::vector<std::vector<std::string>> shapes;
};

/// Whether a file that starts with `head` (4 KiB are enough) can be a
/// serialized Exported. The format has no magic number.
bool looksLikeExported(llvm::StringRef head);

/// Reads what Exported.serialize() wrote. Reports what is damaged, and what
/// heddle does not do: other platforms than cpu, effects,
/// calling conventions that it does not know.
mlir::FailureOr<ExportedProgram> readExported(mlir::Location loc,
                                              llvm::StringRef bytes);

} // namespace heddle

#endif // HEDDLE_FRONTEND_EXPORTED_H
