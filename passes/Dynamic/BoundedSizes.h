// The sizes that calls of a program choose.

#ifndef HEDDLE_PASSES_DYNAMIC_BOUNDEDSIZES_H
#define HEDDLE_PASSES_DYNAMIC_BOUNDEDSIZES_H

#include "dialects/Size/Ranges.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace heddle {

/// A size that each call chooses.
struct BoundedSymbol {
  std::string name;
  int64_t minimum;
  int64_t maximum;
  int64_t multiple = 1;    ///< Every choice is a multiple of it.
  bool isComputed = false; ///< By the program, not chosen by calls.
};

/// The symbols of a module, as its `heddle.symbols` declares them.
class BoundedSizes {
public:
  explicit BoundedSizes(mlir::ModuleOp module);

  llvm::ArrayRef<BoundedSymbol> symbols() const { return symbolList; }
  /// What the symbols' ranges say.
  const size::Ranges &ranges() const { return symbolRanges; }
  /// What these and all that calls are checked for say.
  const size::Ranges &checkedRanges() const { return withAssumptions; }
  mlir::MLIRContext *context() const { return mlirContext; }
  /// Whether the program computes the size of that name.
  bool isComputed(llvm::StringRef symbol) const;
  /// Whether the program computes a size that the expression names.
  bool isComputed(size::Expression expression) const;
  /// The same of an extent of `type`.
  bool isComputed(mlir::RankedTensorType type) const;
  /// What a message says of them: "give one size in place of a range (batch =
  /// 1..8, length = 2..64)".
  std::string remedy() const;

private:
  mlir::MLIRContext *mlirContext;
  std::vector<BoundedSymbol> symbolList;
  size::Ranges symbolRanges, withAssumptions;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_BOUNDEDSIZES_H
