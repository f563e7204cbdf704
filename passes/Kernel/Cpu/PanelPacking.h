// Copies of operands into panels, in the worker's scratch memory.

#ifndef HEDDLE_PASSES_KERNEL_CPU_PANELPACKING_H
#define HEDDLE_PASSES_KERNEL_CPU_PANELPACKING_H

#include "passes/Kernel/Cpu/IndexBuilder.h"

namespace heddle {

/// A dimension that a packed panel is deep in, and how far apart its steps are
/// in the source.
struct PanelDim {
  Number extent = 1;
  Number stride = 0;
};

/// The part of a matrix that becomes a panel: element (k, c) is at
/// `base + k's strides + c * columnStride` of `source`. With more than one term
/// k counts steps of so many, which lie `termStride` apart.
struct PanelSource {
  mlir::Value source;
  mlir::Value base;
  /// Outermost first; k runs over them row-major.
  llvm::SmallVector<PanelDim> depth;
  Number columnStride = 1;
  /// Columns that exist; the panel's others become zero.
  Number columns = 0;
  /// Terms of a step, one or two, and how many of them are missing: the last
  /// ones, which become zero.
  int64_t terms = 1;
  int64_t missingTerms = 0;
  Number termStride = 0;
};

/// Emits the copy of steps [low, high) into `panel`, row-major
/// `[high - low][width][terms]` from its start, widened to its element type;
/// two terms, of 16 bits each, stay as they are. With more than one depth
/// dimension low and high are those of the whole depth.
void emitPanelCopy(IndexBuilder &index, const PanelSource &source,
                   mlir::Value low, mlir::Value high, mlir::Value panel,
                   int64_t width, bool isUnsigned);

/// Emits the copy of the single step at `base`, of which some terms may be
/// missing, to element `target` of `panel` on.
void emitPanelStep(IndexBuilder &index, const PanelSource &source,
                   mlir::Value panel, mlir::Value target, int64_t width);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_PANELPACKING_H
