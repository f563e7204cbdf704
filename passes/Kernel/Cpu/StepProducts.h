// Products of several terms that one step of a register tile sums up: terms
// that lie side by side, 32 bits of them in each row and in each column.

#ifndef HEDDLE_PASSES_KERNEL_CPU_STEPPRODUCTS_H
#define HEDDLE_PASSES_KERNEL_CPU_STEPPRODUCTS_H

#include "heddle/Target/Machine.h"
#include "passes/Kernel/Cpu/TileChoice.h"

#include "mlir/IR/Builders.h"

#include <memory>
#include <optional>

namespace heddle {

/// What a step takes of operands whose right-hand side has several terms side
/// by side.
struct StepTerms {
  int64_t count;
  /// What messages call them, and what they must be products of.
  llvm::StringRef name, types;
  /// Whether the operands are of these types.
  bool areFactors;
};

/// The terms of a step of `lhs` times `rhs`, which is packed as `packing`;
/// nothing if that is neither `quads` nor `pairs`.
std::optional<StepTerms> stepTerms(llvm::StringRef packing,
                                   llvm::StringRef quads, llvm::StringRef pairs,
                                   mlir::Type lhs, mlir::Type rhs);

/// The lanes of both by turns, of 16 bits each.
mlir::Value interleavePairs(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value first, mlir::Value second);

class StepProducts {
public:
  virtual ~StepProducts() = default;

  /// Those of `perStep` terms that are summed up in `accumulator`, as `machine`
  /// multiplies them; null where steps take one term.
  static std::shared_ptr<const StepProducts>
  of(const Machine &machine, int64_t perStep, mlir::Type accumulator);

  /// How many terms a step has.
  virtual int64_t perStep() const = 0;

  /// The height of tiles of `rows` rows, for which single floats would have
  /// that of `tile`: factors that are taken apart fill more registers.
  virtual int64_t rowsOf(int64_t rows, TileShape tile) const = 0;

  /// The terms of one step for each lane, as the machine multiplies them.
  using Factor = llvm::SmallVector<mlir::Value, 4>;

  /// Columns of which lane n has the terms of column n: `loaded` is a vector of
  /// all terms, those of a column side by side, or one vector for each term.
  virtual Factor columns(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange loaded) const = 0;
  /// `count` terms from `position` on for all lanes; of fewer than a step has
  /// the others are zero.
  virtual Factor row(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value buffer, mlir::Value position,
                     int64_t count) const = 0;
  /// `sum` and the products of the terms.
  virtual mlir::Value multiplyAdd(mlir::OpBuilder &builder, mlir::Location loc,
                                  const Factor &row, const Factor &columns,
                                  mlir::Value sum) const = 0;

protected:
  /// A logical vector of elements of `element`.
  static mlir::VectorType lanesOf(mlir::Type element);
  /// The bits of `count` elements of `buffer` from `position` on, in the low
  /// bits of all lanes of i32.
  static mlir::Value spread(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value buffer, mlir::Value position,
                            int64_t count);
  /// A call of LLVM's intrinsic `name`.
  static mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::StringRef name, mlir::Type type,
                          mlir::ValueRange operands);
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_STEPPRODUCTS_H
