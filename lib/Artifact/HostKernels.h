// What a program leaves to the cpu where its target is another device.

#ifndef HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H
#define HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H

#include "heddle/Target/Placement.h"
#include "heddle/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Whether the code for `target` runs on devices other than the cpu, which then
/// has code of its own.
bool hasOwnDevices(const Target &target);

/// What was asked for. Where nothing was, and the cpu does not run the target's
/// code, everything that may goes to the first device of the target's kind.
Placement placementFor(const Target &target, const Placement &asked);

/// For a target with devices of its own: places the launches of `module`, and
/// gives those that stay on the cpu kernel functions of their own, so that each
/// kernel has one kind of code.
mlir::LogicalResult separateHostKernels(mlir::ModuleOp module,
                                        const Target &target,
                                        const Placement &placement);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H
