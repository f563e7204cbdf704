// The products whose factors may be rounded, and what each type is estimated
// to take.

#ifndef HEDDLE_DRIVER_PRECISION_CANDIDATES_H
#define HEDDLE_DRIVER_PRECISION_CANDIDATES_H

#include "Assignment.h"
#include "heddle/Support/Precision.h"
#include "passes/Precision/FactorBytes.h"

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <string>
#include <vector>

namespace heddle {

class Target;

/// A product in a module that has passed the graph stage. Its place in the list
/// names it in each copy of that module.
struct PrecisionCandidate {
  mlir::Operation *op = nullptr;
  /// Names of the model's nodes that it comes from.
  std::vector<std::string> nodes;
  /// These for people, or where it stands in the file.
  std::string label;
  /// "contraction" or "convolution".
  std::string kind;
  /// Of each type, estimated, without casts; infinite where the product cannot
  /// have it.
  std::array<double, kFactorTypes.size()> nanoseconds;
};

struct PrecisionCandidates {
  std::vector<PrecisionCandidate> products;
  /// What is written in a narrower type for one or several of them: values that
  /// are not known when compiling.
  std::vector<SharedCast> casts;
  /// All contractions and convolutions of f32.
  int64_t all = 0;
};

PrecisionCandidates findCandidates(mlir::ModuleOp graph, const Target &target);

/// Gives each product the types that `choices` say, as places in
/// `kFactorTypes`, and those of bytes their `scales`, in a copy of the module
/// that candidates were found in.
void assignFactors(mlir::ModuleOp copy, llvm::ArrayRef<unsigned> choices,
                   llvm::ArrayRef<ByteScale> scales);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_CANDIDATES_H
