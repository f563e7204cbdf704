// What --check-sizes does: a model of ranges against itself at fixed sizes.

#ifndef HEDDLE_LIB_DRIVER_CHECKSIZES_H
#define HEDDLE_LIB_DRIVER_CHECKSIZES_H

#include "heddle/Driver/Session.h"
#include "heddle/Frontend/SizeOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// Imports the model by `import` at the least and the largest sizes of
/// `options`, at mixtures of these and at some between them, and compares with
/// `module`, the program for all sizes: its results and, where a node became
/// the same operations, all types of these must be what their extents say.
/// What the data decides is open at each of these, too, and types are compared
/// where programs count the least, the most and mixtures of these.
/// Sizes that `module` does not take (see `heddle.size_assumptions`) are passed
/// over. False after an error, which has been reported.
bool checkSizes(
    Session &session, mlir::ModuleOp module, const SizeOptions &options,
    llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(const SizeOptions &)>
        import);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_CHECKSIZES_H
