// What a file is, by its content.

#ifndef HEDDLE_DRIVER_FILEKIND_H
#define HEDDLE_DRIVER_FILEKIND_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

struct ModelOptions;

enum class FileKind { Unknown, Onnx, MlirText, MlirBytecode, Artifact };

/// The kind of a file that starts with `head` (4 KiB are enough). Where the
/// content is not decisive (ONNX has no magic number) the name helps.
FileKind fileKind(llvm::StringRef path, llvm::StringRef head);

/// The same for a model, wherever it is.
FileKind fileKindOf(const ModelOptions &model);

/// The same for a file on disk; Unknown if it cannot be read.
FileKind fileKindOf(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_DRIVER_FILEKIND_H
