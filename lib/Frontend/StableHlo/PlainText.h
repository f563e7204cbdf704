// Text of which can be told at a glance that parsing it costs little.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_PLAINTEXT_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_PLAINTEXT_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Whether `text` is a short StableHLO program of the usual kind: little
/// nesting, no large sizes, no aliases but for locations, and operations of
/// StableHLO, CHLO and `func` alone. MLIR's parser takes milliseconds, little
/// memory and little stack for such a text, right or wrong, so that it needs no
/// trial. False says nothing about a text.
bool isPlainText(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_PLAINTEXT_H
