// Booleans as newer MLIR writes them in hex.

#ifndef HEDDLE_FRONTEND_BOOLEANBYTES_H
#define HEDDLE_FRONTEND_BOOLEANBYTES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// MLIR after release 22 gives each element of a constant a byte in the hex
/// form, also booleans; the parser of release 22 wants eight booleans in a
/// byte. Returns `text` with such constants in the older form, each followed by
/// as many spaces as it became shorter, so that every other character stays in
/// its line and column; nothing where there are none. Other element types are
/// written alike by both.
std::optional<std::string> packBooleanBytes(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_FRONTEND_BOOLEANBYTES_H
