// Which files a build may write to.

#ifndef HEDDLE_DRIVER_OUTPUTFILES_H
#define HEDDLE_DRIVER_OUTPUTFILES_H

#include "heddle/Driver/Session.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// False, which is reported, if `output` is a file that the build reads.
bool sparesInputs(Session &session, const ModelOptions &model,
                  const BuildOptions &build, llvm::StringRef output);

/// False, which is reported, if the build writes to a file that weights of its
/// module lie in: which files these are is known once a model was imported.
bool sparesWeights(Session &session, mlir::ModuleOp module,
                   const BuildOptions &build);

/// Whether what the build makes may go to `output`: an artifact replaces an
/// artifact, anything else is replaced only if `build.replacesFiles` says so,
/// and what is read never. False has been reported.
bool mayReplace(Session &session, const ModelOptions &model,
                const BuildOptions &build, llvm::StringRef output);

} // namespace heddle

#endif // HEDDLE_DRIVER_OUTPUTFILES_H
