// A contraction as code generation sees it: dimensions with strides, by role.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONSHAPE_H
#define HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONSHAPE_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/ScaledWords.h"
#include "passes/Kernel/Cpu/TileChoice.h"
#include <optional>

namespace heddle {

/// An iteration dimension: how far apart its steps are in the operands, in
/// elements, and which dimension of the result it walks.
struct ContractionDim {
  Extent extent = 1;
  Extent lhs = 0;
  Extent rhs = 0;
  std::optional<unsigned> out;
  /// A number of the launch: `limitScale` times so many steps are taken. Null
  /// if all are.
  mlir::Value limit = {};
  int64_t limitScale = 1;
};

/// `lhs` is read by scalars and `rhs` by vectors, whichever of the op's
/// operands they are.
struct ContractionShape {
  /// Picks the roles of the op's dimensions. Dimensions of one iteration are
  /// dropped.
  /// Fails with a diagnostic where sizes make it a shape that has no kernel.
  static mlir::FailureOr<ContractionShape> analyze(kernel::ContractOp op,
                                                   const Machine &machine);
  /// Decides whether `machine` multiplies it in matrix registers, for which
  /// `hasRows` says whether there are rows enough; and of `dims`, the one that
  /// makes the fullest tiles becomes `row`, the others `outerRows`; of equals
  /// the last. In matrix registers it is one of those with enough rows. What is
  /// multiplied is known.
  void setRows(llvm::SmallVector<ContractionDim> dims, const Machine &machine,
               mlir::Type accumulator, bool hasMatrixRows);

  mlir::Value lhs, rhs;
  bool lhsUnsigned = false, rhsUnsigned = false;
  Extent lhsOffset, rhsOffset;
  /// The batch, and of unpacked columns all dimensions but one.
  llvm::SmallVector<ContractionDim> outer;
  /// Rows: the dimension that tiles are cut from, and the others.
  ContractionDim row;
  llvm::SmallVector<ContractionDim> outerRows;
  /// Columns, row-major: one dimension unless rhs is packed; none for a
  /// single column.
  llvm::SmallVector<ContractionDim> columns;
  /// Outermost first; what both operands walk as one is one.
  llvm::SmallVector<ContractionDim> depth;
  /// rhs is in panels of 32 columns, this far apart.
  bool isPacked = false;
  int64_t panelStride = 0;
  /// Elements of the depth that one step takes of each row, next to each other,
  /// and of each column, `termStride` apart where rhs is not packed: four bytes
  /// of panels in quads, two bf16 of pairs, the numbers of a word.
  int64_t perStep = 1;
  /// Elements behind the last whole step, where each sum begins.
  Extent rest = 0;
  /// Elements between neighbouring terms of a column of rhs as it is stored.
  Extent termStride = 0;
  /// Whether it is multiplied in matrix registers.
  bool fillsMatrices = false;
  /// How numbers of rhs follow from words, if it is dequantized.
  std::optional<ScaledWords> scaled;

  /// Elements of rhs that hold what a step takes of a column: one of words.
  int64_t rhsPerStep() const { return scaled ? 1 : perStep; }

  Extent outerCount() const { return count(outer); }
  Extent outerRowCount() const { return count(outerRows); }
  Extent columnCount() const { return count(columns); }
  Extent depthCount() const { return count(depth); }
  /// Elements between neighbouring columns of an unpacked rhs.
  Extent columnStride() const {
    return columns.empty() ? Extent(0) : columns.back().rhs;
  }

  static Extent count(llvm::ArrayRef<ContractionDim> dims);

private:
  /// Counts the depth in steps of as many terms as `op`'s packing has side by
  /// side. Fails with a diagnostic where the sum has no such steps.
  mlir::LogicalResult setTerms(kernel::ContractOp op, int64_t panelColumns);
  /// Counts it in pairs if both operands are activations of bf16.
  void setPairs(kernel::ContractOp op);
  /// Counts the only summed dimension in steps of `terms` elements.
  void countInSteps(int64_t terms);
};

/// Emits the contraction whose result is `root`, its epilogue too, and finishes
/// `frame`.
mlir::LogicalResult emitContraction(KernelFrame &frame, mlir::OpResult root,
                                    ContractionShape shape);

/// Joins neighbours of `dims` (outermost first) that both operands walk as one.
void joinDims(llvm::SmallVectorImpl<ContractionDim> &dims);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONSHAPE_H
