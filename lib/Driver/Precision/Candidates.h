// The products whose factors may be rounded, and what each type is estimated
// to take.

#ifndef HEDDLE_DRIVER_PRECISION_CANDIDATES_H
#define HEDDLE_DRIVER_PRECISION_CANDIDATES_H

#include "Assignment.h"

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <string>
#include <vector>

namespace heddle {

class Target;

/// What factors may become, the model's own type first: a choice is a place in
/// this list, and so is a number of `heddle.rounding`. Of `w8a16` and `w4a16`
/// the second factor is a weight of integers with scales by blocks.
inline constexpr std::array<llvm::StringLiteral, 5> kFactorTypes = {
    "f32", "bf16", "f16", "w8a16", "w4a16"};

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
/// `kFactorTypes`, in a copy of the module that candidates were found in.
void assignFactors(mlir::ModuleOp copy, llvm::ArrayRef<unsigned> choices);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_CANDIDATES_H
