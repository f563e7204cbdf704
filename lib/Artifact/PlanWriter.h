// The plan dialect as the tables of an artifact.

#ifndef HEDDLE_LIB_ARTIFACT_PLANWRITER_H
#define HEDDLE_LIB_ARTIFACT_PLANWRITER_H

#include "lib/Artifact/ExpressionTable.h"

#include "dialects/Plan/Plan.h"

#include <map>

namespace heddle {

/// What the plan says of a kernel beside its name.
struct KernelFacts {
  uint32_t index = 0;
  /// The records for kinds of devices that run it beside or instead of the one
  /// at `index`.
  std::map<format::DeviceKind, uint32_t> others;
  /// What a launch passes behind the numbers that the function takes.
  std::vector<size::Expression> sizeArguments;
  size::Expression tiles;
  int64_t chunk = 1;
  /// Bytes of a worker's scratch where calls choose them; null elsewhere.
  size::Expression scratch;
  /// Arithmetic operations of one launch; null if nobody knows.
  size::Expression operations;
};

/// The programs of a module's entries; what fills persistent memory is none.
llvm::SmallVector<plan::ProgramOp> entryPrograms(mlir::ModuleOp module);

/// A device by its name in a plan.
format::DeviceT toDevice(llvm::StringRef name);

/// The artifact's number of a weight; of each rank's, where ranks have several.
using WeightNumbers = llvm::SmallVector<uint32_t, 1>;

/// The plan of one variant: that of each entry, in their order. `weights` gives
/// the artifact's numbers for the module's weight of the same position.
format::PlanT writePlan(mlir::ModuleOp module,
                        const llvm::StringMap<KernelFacts> &kernels,
                        llvm::ArrayRef<WeightNumbers> weights,
                        NodeTable &nodes);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_PLANWRITER_H
