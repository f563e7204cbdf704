// Hashes that bind a certificate to what it speaks of: SHA-256, so that any
// other program can compute them.

#ifndef HEDDLE_DRIVER_PRECISION_FINGERPRINT_H
#define HEDDLE_DRIVER_PRECISION_FINGERPRINT_H

#include "heddle/Driver/Options.h"
#include "runtime/format/ArtifactReader.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

/// In hexadecimal digits.
std::string sha256(llvm::ArrayRef<char> bytes);

/// Of a file its bytes'. Of a folder that of the lines "<hash>  <name>\n" of
/// all files in it, by names relative to it with "/" in between, in their
/// order.
llvm::Expected<std::string> sha256OfPath(llvm::StringRef path);

/// Of a model without bound tensors its file's; else that of the lines
/// "<hash>\n" of its file and of the files of its bindings, in their order.
llvm::Expected<std::string> sha256OfModel(const ModelOptions &model);

/// Of all that an artifact computes with, weights, code and plans: its bytes
/// between the header and the manifest.
std::string sha256OfProgram(const format::ArtifactReader &artifact);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_FINGERPRINT_H
