// The sizes of a program while it is imported: what its operations want of
// them, and the types that follow.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_IMPORTEDSIZES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_IMPORTEDSIZES_H

#include "dialects/StableHlo/SizeAssumptions.h"
#include "heddle/Support/Diagnostics.h"
#include "lib/Frontend/StableHlo/SizeContents.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace heddle {

/// Numbers are expressions that are constant, so that a program without sizes
/// that calls choose is read in the same way.
class ImportedSizes : public SizeAssumptions {
public:
  explicit ImportedSizes(size::Ranges &ranges)
      : SizeAssumptions(ranges), contents(ranges), ranges(ranges) {}

  /// Two symbols that must be equal are one: the import stops without an error,
  /// and begins again with `tie()` as one symbol. Their tensors have one bound
  /// then.
  size::Expression meet(size::Expression a, size::Expression b,
                        mlir::Operation *op) override;
  const std::optional<size::SymbolPair> &tie() const { return found; }

  /// Takes for granted that `expression` is not negative, if that is not known;
  /// `text` says it for people. Fails, after an error, if it always is.
  mlir::LogicalResult wantNotNegative(size::Expression expression,
                                      mlir::Operation *op,
                                      const llvm::Twine &text);
  /// The same of a condition, which is 0 or 1; `code` is that of the error.
  mlir::LogicalResult wantTrue(size::Expression condition, mlir::Operation *op,
                               const llvm::Twine &text, ErrorCode code);
  /// Each of `parts` is from 0 to the extent beside it.
  mlir::LogicalResult wantWithin(llvm::ArrayRef<size::Expression> parts,
                                 llvm::ArrayRef<size::Expression> extents,
                                 mlir::Operation *op);

  /// The tensor type of these extents, with the element type and the known
  /// sizes and bounds of `declared`. Null after an error, or at a tie.
  mlir::RankedTensorType typeOf(mlir::Operation *op,
                                mlir::RankedTensorType declared,
                                llvm::ArrayRef<size::Expression> extents);

  /// The greatest value.
  int64_t bound(size::Expression expression) const {
    return ranges.interval(expression).high;
  }
  llvm::SmallVector<int64_t>
  bounds(llvm::ArrayRef<size::Expression> expressions) const {
    return llvm::map_to_vector(
        expressions, [&](size::Expression each) { return bound(each); });
  }

  /// What small tensors of integers hold.
  SizeContents contents;

  /// A size that the program computes.
  struct Computed {
    std::string name;
    int64_t maximum;
    mlir::Value count; ///< A scalar of 32 bits.
  };
  /// Whether sizes may be computed: whoever imports records them then.
  bool mayCompute = false;
  /// One from 0 to `maximum`, which `op` has.
  size::Expression addComputed(mlir::Operation *op, int64_t maximum,
                               mlir::Value count);
  /// Takes for granted that `misfit`, a scalar of 32 bits, is 0: a call in
  /// which it is not ends in an error.
  void wantAtCall(mlir::Operation *op, mlir::Value misfit);
  llvm::ArrayRef<Computed> computed() const { return computedSizes; }

private:
  /// A name for `what` of `op` that nothing has yet, declared to be from 0 to
  /// `maximum`.
  std::string declare(mlir::Operation *op, llvm::StringRef what,
                      int64_t maximum);
  /// Fails, after an error, if the program computes a size that the expression
  /// names: no call can be asked for what only its end tells.
  mlir::LogicalResult checkChosen(size::Expression expression,
                                  mlir::Operation *op, const llvm::Twine &text);

  size::Ranges &ranges;
  std::vector<Computed> computedSizes;
  std::optional<size::SymbolPair> found;
};

/// Puts `expressions` beside the attribute `name` of `op`, if one of them is no
/// number.
void setSized(mlir::Operation *op, llvm::StringRef name,
              llvm::ArrayRef<size::Expression> expressions);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_IMPORTEDSIZES_H
