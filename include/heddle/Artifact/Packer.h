// Makes the bytes of weights from their programs, piece by piece.

#ifndef HEDDLE_ARTIFACT_PACKER_H
#define HEDDLE_ARTIFACT_PACKER_H

#include "dialects/Kernel/Kernel.h"

#include <functional>

namespace heddle {

/// Takes the next bytes of a weight; failure ends the packing.
using ByteSink = llvm::function_ref<mlir::LogicalResult(llvm::ArrayRef<char>)>;

/// Evaluates the program of `weight`, on the rank at `place` of the mesh, and
/// gives its stored form to `sink`, in order, in pieces of a few MiB: no tensor
/// is ever held as a whole, however large. Fails with a diagnostic if the
/// program holds an op that is not one of the packer's, or a handle without
/// bytes.
mlir::LogicalResult packWeight(kernel::WeightOp weight, ByteSink sink,
                               int64_t place = 0);

/// A number for the weight's bytes: equal programs over equal inputs, stored
/// the same way, have the same. Reads every input once.
std::string weightIdentity(kernel::WeightOp weight);

} // namespace heddle

#endif // HEDDLE_ARTIFACT_PACKER_H
