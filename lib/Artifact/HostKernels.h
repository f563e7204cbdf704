// What a program leaves to the cpu where its target is another device.

#ifndef HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H
#define HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H

#include "heddle/Target/Placement.h"
#include "heddle/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace heddle {

/// Whether the code for `target` runs on devices other than the cpu, which then
/// has code of its own.
bool hasOwnDevices(const Target &target);

/// What was asked for. Where nothing was, and the cpu does not run the target's
/// code, everything that may goes to the first device of the target's kind.
Placement placementFor(const Target &target, const Placement &asked);

/// A launch that stays on the cpu though nobody asked for that.
struct HostLaunch {
  /// The node that it computes, or the kernel's name where it has none.
  std::string node;
  std::string reason;
};

/// For a target with devices of its own: places the launches of `module`, and
/// gives those that stay on the cpu kernel functions of their own, so that each
/// kernel has one kind of code. Gives those that stay there because the device
/// has nothing that runs them; with `noHost` these are errors.
mlir::FailureOr<std::vector<HostLaunch>>
separateHostKernels(mlir::ModuleOp module, const Target &target,
                    const Placement &placement, bool noHost);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_HOSTKERNELS_H
