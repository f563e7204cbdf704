// Sizes that are known when running, and the programs for some of their values.

#ifndef HEDDLE_PASSES_GRAPH_BOUNDED_SAMPLESIZES_H
#define HEDDLE_PASSES_GRAPH_BOUNDED_SAMPLESIZES_H

#include "mlir/IR/AffineExpr.h"
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

/// The points at which a program with bounded sizes is looked at. The first is
/// the largest sizes. A size of the program is found as the function of the
/// symbols that is linear in each and goes through all points; there are more
/// points than such a function has coefficients.
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
  /// Values of the symbols, point by point.
  llvm::ArrayRef<llvm::SmallVector<int64_t>> points() const {
    return pointList;
  }

  /// The function with these values at the points; null if there is none.
  mlir::AffineExpr fit(llvm::ArrayRef<int64_t> values) const;

  /// The least and the largest value that `expr` takes at the corners of the
  /// symbols' ranges.
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expr) const;

  mlir::MLIRContext *context() const { return mlirContext; }

private:
  mlir::MLIRContext *mlirContext;
  std::vector<BoundedSymbol> symbolList;
  llvm::SmallVector<llvm::SmallVector<int64_t>> pointList;
  llvm::SmallVector<int64_t> steps; ///< From the maximum to the next point.
};

/// The value of `expr` when the symbols have the values `symbols`.
int64_t evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> symbols);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_BOUNDED_SAMPLESIZES_H
