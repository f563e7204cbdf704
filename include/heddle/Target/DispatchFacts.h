// What must be known of a target before its kernels: which types they take, how
// their weights lie, how much one of them may hold.

#ifndef HEDDLE_TARGET_DISPATCHFACTS_H
#define HEDDLE_TARGET_DISPATCHFACTS_H

#include "heddle/Support/ElementKind.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Families of kernels whose types a target limits.
enum class KernelFamily : uint8_t { Contraction, Convolution, Attention };

/// Types that one kernel of a family takes as they are.
struct KernelTypes {
  KernelFamily family;
  ElementKind lhs, rhs, accumulator;
  /// What it multiplies where that is less exact than the operands: "tf32" if
  /// they are rounded to that, "bf16x3" if each is split in parts of bf16, of
  /// whose products it adds three. Empty: the operands as they are.
  std::string factors = {};

  bool operator==(const KernelTypes &other) const;
};

/// Options of an attention that not every kernel has.
enum class AttentionOption : uint8_t { Lengths, Window, Sink, LogSumExp };

/// How right-hand sides and filters that are weights are stored.
struct PackingFacts {
  /// The packing of a contraction's right-hand side and of a convolution's
  /// filter, the latter for one group (dialects/Kernel/Packing.h). Empty: they
  /// lie as the model has them.
  std::string matrix;
  std::string filter;
  /// The packing of right-hand sides of bytes that `quantizedProducts` reads in
  /// fours of rows; empty if no kernel does.
  std::string quads;
  /// The same of a convolution's filter, in fours of input channels.
  std::string filterQuads;
  /// Those of bf16, in twos.
  std::string pairs;
  std::string filterPairs;
  /// Output channels per group of a convolution below which a panel would be
  /// mostly padding.
  int64_t leastChannels = 1;

  bool operator==(const PackingFacts &other) const;
};

/// How much is computed in one kernel.
struct FusionFacts {
  /// Inputs of one fused elementwise operation.
  int64_t maximumInputs = 0;
  /// Arithmetic of one such operation, counted as instructions of a lane.
  int64_t maximumCost = 0;
  /// Instructions that may be computed twice to save a read of memory.
  int64_t maximumRecomputed = 0;
  /// Parts of one concatenation.
  int64_t maximumParts = 0;
  /// Operations of one kernel that goes through tensors row by row.
  int64_t maximumRowOperations = 0;

  bool operator==(const FusionFacts &other) const;
};

/// When a convolution whose input has zeros between its points is taken apart
/// into dense ones, one for each phase of its result.
struct DilationFacts {
  /// Products of points of the input in a phase, below which kernels rather
  /// step over the zeros.
  int64_t leastProducts = 0;
  /// Output channels below which a kernel does not step over zeros well.
  int64_t leastChannels = 0;
  /// Dense convolutions that one becomes at most.
  int64_t maximumPhases = 0;

  bool operator==(const DilationFacts &other) const;
};

/// Everything `heddle-dispatch` asks of a target. Targets whose facts are equal
/// share one dispatched module.
struct DispatchFacts {
  /// Every combination of types that there is a kernel for; others are
  /// converted first.
  std::vector<KernelTypes> kernels;
  /// Those of `kernels` that multiply integers faster than f32 is multiplied:
  /// there a product of quantized operands is one of what is stored.
  std::vector<KernelTypes> quantizedProducts;
  /// Names of composites of StableHLO that it has kernels for: these are kept,
  /// beside their operations, until it is known whether one takes the whole.
  std::vector<std::string> composites;
  /// Those floats of a byte or less and integers of less than a byte that
  /// tensors of kernels hold; others become the bytes that hold their bits.
  std::vector<ElementKind> narrowElements;
  /// What else kernels of attention can do.
  std::vector<AttentionOption> attentionOptions;
  /// Reads of an element of a 16-bit float from which on it is worth widening
  /// in memory, once for all, before a contraction whose kernel widens each
  /// time it reads.
  int64_t readsWorthWidening = 0;
  PackingFacts packing;
  FusionFacts fusion;
  DilationFacts dilation;

  /// Whether a kernel of `family` multiplies elements of `lhs` and `rhs` as
  /// `factors` (`KernelTypes`) and sums in `accumulator`. Types are as the
  /// model has them: an unsigned integer is legal where kernels read it as one.
  /// For an attention, `lhs` is the type of queries and keys, `rhs` that of
  /// values.
  bool isLegal(KernelFamily family, mlir::Type lhs, mlir::Type rhs,
               mlir::Type accumulator, llvm::StringRef factors = "") const;
  /// Whether there is a kernel for these types that is less exact than they
  /// are, so that a model's wishes make a difference.
  bool roundsFactors(KernelFamily family, mlir::Type lhs, mlir::Type rhs,
                     mlir::Type accumulator) const;

  /// Whether tensors of kernels hold elements of this type, of those that
  /// lowered programs have.
  bool holds(mlir::Type element) const;

  /// Whether a quantized product of `family` is one of stored integers of these
  /// types, summed in i32.
  bool multipliesStored(KernelFamily family, mlir::Type lhs,
                        mlir::Type rhs) const;

  /// The facts as a dictionary, and back; nothing if an entry is missing or of
  /// another kind.
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  static std::optional<DispatchFacts> fromAttr(mlir::DictionaryAttr dictionary);

  bool operator==(const DispatchFacts &other) const;
  bool operator!=(const DispatchFacts &other) const {
    return !(*this == other);
  }
};

} // namespace heddle

#endif // HEDDLE_TARGET_DISPATCHFACTS_H
