// Finds a register tile's columns in a filter, in panels or as it is.

#include "passes/Kernel/Cpu/FilterTiles.h"

#include "passes/Kernel/Cpu/Lanes.h"

using namespace mlir;

namespace heddle {

void forEachFilterTile(IndexBuilder &index, const ConvolutionShape &shape,
                       int64_t vectors, int64_t lanes, Value begin, Value end,
                       bool isAll,
                       function_ref<void(const FilterColumns &)> body) {
  int64_t width = vectors * lanes;
  int64_t whole = shape.groupOutput / width, tail = shape.groupOutput % width;
  if (whole) {
    Value wholeEnd = tail ? index.min(end, index.constant(whole)) : end;
    index.loop(begin, wholeEnd, 1, [&](Value number) {
      body({number, width, width, vectors, lanes});
    });
  }
  if (!tail)
    return;
  Value number = index.constant(whole);
  int64_t tailVectors = llvm::divideCeil(tail, lanes);
  auto emitTail = [&] { body({number, width, tail, tailVectors, lanes}); };
  if (isAll)
    emitTail();
  else
    index.branch(index.less(number, end), emitTail);
}

TileRhs filterOf(KernelFrame &frame, IndexBuilder &index,
                 const ConvolutionShape &shape, Value weights,
                 Value channelGroup, const FilterColumns &columns) {
  TileRhs rhs;
  rhs.buffer = weights;
  int64_t lanes = columns.lanes;
  Value first = index.mul(columns.number, columns.width);
  for (int64_t v = 0; v < columns.vectors; ++v)
    rhs.vectors.push_back(v * lanes);
  if (!shape.isPacked) {
    rhs.step = shape.outputChannels();
    rhs.base = index.at(first, channelGroup, shape.groupOutput);
    rhs.maskLast(tailMask(frame.builder, index.loc, lanes,
                          columns.columns - (columns.vectors - 1) * lanes));
    return rhs;
  }
  int64_t panelColumns = frame.machine.panelColumns;
  int64_t panelSize = shape.taps() * shape.groupInput * panelColumns;
  int64_t panels = llvm::divideCeil(shape.groupOutput, panelColumns);
  rhs.step = panelColumns * shape.perStep;
  rhs.base = index.mul(channelGroup, panels * panelSize);
  if (columns.width < panelColumns) {
    rhs.base = index.at(rhs.base, index.div(first, panelColumns), panelSize);
    rhs.base =
        index.at(rhs.base, index.rem(first, panelColumns), shape.perStep);
    for (int64_t &offset : rhs.vectors)
      offset *= shape.perStep;
    return rhs;
  }
  rhs.base = index.at(rhs.base, columns.number,
                      columns.width / panelColumns * panelSize);
  for (auto [v, offset] : llvm::enumerate(rhs.vectors))
    offset = v * lanes / panelColumns * panelSize +
             v * lanes % panelColumns * shape.perStep;
  return rhs;
}

} // namespace heddle
