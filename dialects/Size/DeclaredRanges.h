// The ranges of the sizes that calls of a program choose.

#ifndef HEDDLE_DIALECTS_SIZE_DECLAREDRANGES_H
#define HEDDLE_DIALECTS_SIZE_DECLAREDRANGES_H

#include "dialects/Size/Ranges.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle::size {

/// What `heddle.symbols` of `module` says; nothing is known of other symbols.
Ranges declaredRanges(mlir::ModuleOp module);

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_DECLAREDRANGES_H
