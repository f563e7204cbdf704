// Models with sizes that are known when running, up to a bound.

#ifndef HEDDLE_DRIVER_BOUNDEDMODEL_H
#define HEDDLE_DRIVER_BOUNDEDMODEL_H

#include "heddle/Driver/Model.h"
#include "heddle/Frontend/SizeOptions.h"
#include "heddle/Frontend/StableHlo.h"

namespace heddle {

/// Whether the options give a range of sizes: `--dim batch=1..8`, `--shape
/// x=1..8x128`.
bool hasBoundedSizes(const ModelOptions &options);

/// Whether `dim`, a size, stands beside a range for the same dimension.
bool isRanged(const ModelOptions &options, llvm::StringRef dim);
/// Whether `shape`, one without ranges, stands beside a shape with ranges for
/// the same input.
bool isRangedShape(const ModelOptions &options, llvm::StringRef shape);

/// Imports the model with extents that follow from the sizes, by `import`, and
/// makes it a program on tensors of the bounds. `NAME=3`, or a shape, beside a
/// range for NAME says what to run, not what to compile: it is passed over
/// here. Null after an error, which has been reported.
mlir::OwningOpRef<mlir::ModuleOp> importBoundedModel(
    Session &session, const ModelOptions &options,
    llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(const SizeOptions &)>
        import);

/// The options with a range for each argument whose type has bounds and whose
/// sizes they do not give.
ModelOptions withDeclaredRanges(const ModelOptions &options,
                                const StableHloProgram &program);

/// The options with the ranges of sizes that `module`, an imported model, has
/// for arguments of which they say nothing.
ModelOptions withRangesOf(const ModelOptions &options, mlir::ModuleOp module);

/// The options with the sizes that a call with `inputs` chooses.
ModelOptions withSizes(const ModelOptions &options, const Program &program,
                       llvm::ArrayRef<HostTensor> inputs);

/// The same of a model that `program` was compiled from elsewhere: the call
/// says all of its sizes.
ModelOptions withSizesOfCall(const ModelOptions &options,
                             const Program &program,
                             llvm::ArrayRef<HostTensor> inputs);

} // namespace heddle

#endif // HEDDLE_DRIVER_BOUNDEDMODEL_H
