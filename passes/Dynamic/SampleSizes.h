// Sizes that are known when running, and the programs for some of their values.

#ifndef HEDDLE_PASSES_DYNAMIC_SAMPLESIZES_H
#define HEDDLE_PASSES_DYNAMIC_SAMPLESIZES_H

#include "dialects/Size/Ranges.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace heddle {

/// A size that each call chooses, from `minimum` to `maximum`.
struct BoundedSymbol {
  std::string name;
  int64_t minimum;
  int64_t maximum;
};

/// The largest size of each symbol.
llvm::SmallVector<int64_t> maxima(llvm::ArrayRef<BoundedSymbol> symbols);

/// The least sizes of each symbol beside the largest of the others, and of all;
/// and sizes of 1, because many programs do not take 0, unless these are
/// special.
llvm::SmallVector<llvm::SmallVector<int64_t>>
leastPoints(llvm::ArrayRef<BoundedSymbol> symbols, bool oneIsSpecial);

/// The points at which a program with bounded sizes is looked at. The first is
/// the largest sizes. A size of the program is found as the function of the
/// symbols that is linear in each and goes through all points; there are more
/// points than such a function has coefficients. With many points it may also
/// be a quotient: a * floor((symbol + b) / c) + d * symbol + e.
class SampleSizes {
public:
  /// `above`: symbols of fewer than five values are looked at beyond their
  /// maximum, not near 0, where sizes of 1 change what a program means. `more`:
  /// points that a function is tested at besides. With the least size of a
  /// symbol among them, no function that bends one way only along it (the least
  /// or the greatest of several that do not bend) is taken for one that does
  /// not.
  SampleSizes(mlir::MLIRContext *context, std::vector<BoundedSymbol> symbols,
              bool above, llvm::ArrayRef<llvm::SmallVector<int64_t>> more = {});

  llvm::ArrayRef<BoundedSymbol> symbols() const { return symbolList; }
  /// What a message says of them: "give one size in place of a range (batch =
  /// 1..8, length = 2..64)".
  std::string remedy() const;
  /// Values of the symbols, point by point.
  llvm::ArrayRef<llvm::SmallVector<int64_t>> points() const {
    return pointList;
  }

  /// The function with these values at the points; null if there is none.
  size::Expression fit(llvm::ArrayRef<int64_t> values) const;
  /// Whether there was none for some values.
  bool wantsMore() const { return missed; }
  /// For quotients: a symbol's sizes one after the other beside the largest of
  /// the others, all or those next to both ends and some between. `above`: none
  /// near 0, and fewer.
  llvm::SmallVector<llvm::SmallVector<int64_t>> densePoints(bool above) const;

  /// What is known of the symbols.
  const size::Ranges &ranges() const { return symbolRanges; }

  mlir::MLIRContext *context() const { return mlirContext; }

private:
  size::Expression fitLinear(llvm::ArrayRef<int64_t> values) const;
  size::Expression fitQuotient(llvm::ArrayRef<int64_t> values,
                               unsigned symbol) const;
  /// How many sizes of a symbol follow each other among the points.
  int64_t longestRun(unsigned symbol) const;
  mlir::MLIRContext *mlirContext;
  std::vector<BoundedSymbol> symbolList;
  size::Ranges symbolRanges;
  llvm::SmallVector<llvm::SmallVector<int64_t>> pointList;
  llvm::SmallVector<int64_t> steps; ///< From the maximum to the next point.
  mutable bool missed = false;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_SAMPLESIZES_H
