// Slips that someone could make in a rule, of what the right one gives.

#ifndef HEDDLE_TEST_UNIT_DYNAMIC_WRONGRULES_H
#define HEDDLE_TEST_UNIT_DYNAMIC_WRONGRULES_H

#include "test/unit/Dynamic/SizedProgram.h"

namespace heddle::sized {

using Results = llvm::SmallVectorImpl<TrueShape>;
using Change = std::function<bool(mlir::Operation *, Results &)>;

/// Whether `extent` became `wrong`.
inline bool change(Expression &extent, Expression wrong) {
  bool differs = wrong && wrong != extent;
  if (differs)
    extent = wrong;
  return differs;
}

// Each tells whether it changed anything.
bool addOne(mlir::Operation *op, Results &results);
bool swapDimensions(mlir::Operation *op, Results &results);
/// The shape of the bound in place of an extent.
bool atBound(mlir::Operation *op, Results &results);
bool sliceRoundsDown(mlir::Operation *op, Results &results);
bool sliceForgetsStart(mlir::Operation *op, Results &results);
bool sliceForgetsStride(mlir::Operation *op, Results &results);
bool sliceIgnoresSizes(mlir::Operation *op, Results &results);
bool concatenateTakesFirst(mlir::Operation *op, Results &results);
bool concatenateForgetsLast(mlir::Operation *op, Results &results);
bool transposeInverts(mlir::Operation *op, Results &results);
bool reduceKeepsFirst(mlir::Operation *op, Results &results);
bool dotSwapsSides(mlir::Operation *op, Results &results);
bool windowIgnoresSizes(mlir::Operation *op, Results &results);
bool convolutionKeepsBatch(mlir::Operation *op, Results &results);
bool convolutionGivesInputs(mlir::Operation *op, Results &results);
bool gatherMixesOffsets(mlir::Operation *op, Results &results);
bool gatherTakesAll(mlir::Operation *op, Results &results);
bool transformForgetsOne(mlir::Operation *op, Results &results);
bool inverseGivesHalf(mlir::Operation *op, Results &results);
bool exchangeOnlySplits(mlir::Operation *op, Results &results);
/// As if the operand of that number gave the extents.
Change ofOperand(unsigned number);
/// A pad with some of its numbers forgotten; of `interior` 0 forgets it, 2 adds
/// something behind the last element.
Change wrongPad(bool low, bool high, int64_t interior, bool clamp);

/// Which numbers of a window are forgotten.
struct WindowSlip {
  bool stride = false, base = false, window = false, low = false, high = false,
       ceil = false, size = false, one = false, clamp = false;
};
Change wrongConvolution(WindowSlip slip);
Change wrongWindow(WindowSlip slip);

} // namespace heddle::sized

#endif // HEDDLE_TEST_UNIT_DYNAMIC_WRONGRULES_H
