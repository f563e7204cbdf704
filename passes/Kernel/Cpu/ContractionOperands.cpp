// Where a register tile of a contraction finds its operands, and where its
// result goes.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "passes/Kernel/Cpu/PanelPacking.h"

using namespace mlir;
using namespace heddle;

TileRhs ContractionEmitter::rhsOf(const Group &group) {
  TileRhs rhs;
  rhs.isUnsigned = shape.rhsUnsigned;
  Value first = index.mul(group.number, plan.groupColumns());
  for (int64_t v = 0; v < group.vectors; ++v)
    rhs.vectors.push_back(v * plan.lanes);
  if (plan.packs) {
    rhs.buffer = panel;
    rhs.base = index.constant(0);
    rhs.isUnsigned = false;
    return rhs;
  }
  rhs.buffer = rhsBuffer;
  if (!shape.isPacked) {
    rhs.base = index.add(rhsBase, first);
    rhs.lastMask = tailMask(frame.builder, loc, plan.lanes,
                            group.columns - (group.vectors - 1) * plan.lanes);
    return rhs;
  }
  // A group is a part of a panel, or several whole ones.
  int64_t panelColumns = frame.machine.panelColumns;
  rhs.base = rhsBase;
  if (plan.groupColumns() < panelColumns) {
    rhs.base =
        index.at(rhs.base, index.div(first, panelColumns), shape.panelStride);
    rhs.base = index.add(rhs.base, index.rem(first, panelColumns));
    return rhs;
  }
  rhs.base = index.at(rhs.base, group.number,
                      plan.groupColumns() / panelColumns * shape.panelStride);
  for (auto [v, offset] : llvm::enumerate(rhs.vectors))
    offset = v * plan.lanes / panelColumns * shape.panelStride +
             v * plan.lanes % panelColumns;
  return rhs;
}

void ContractionEmitter::packGroup(const Group &group, Value low, Value high) {
  PanelSource source;
  source.source = rhsBuffer;
  source.base = index.at(rhsBase, index.mul(group.number, plan.groupColumns()),
                         shape.columnStride());
  for (const ContractionDim &dim : shape.depth)
    source.depth.push_back({dim.extent, dim.rhs});
  source.columnStride = shape.columnStride();
  source.columns = group.columns;
  emitPanelCopy(index, source, low, high, panel, plan.groupColumns(),
                shape.rhsUnsigned);
}

SmallVector<Value> ContractionEmitter::outerRowsAt(Value number) {
  SmallVector<int64_t> extents;
  for (const ContractionDim &dim : shape.outerRows)
    extents.push_back(dim.extent);
  return index.delinearize(index.div(number, plan.split.count()), extents);
}

TileLhs ContractionEmitter::lhsOf(Value number, Value row, int64_t height) {
  TileLhs lhs;
  lhs.buffer = lhsBuffer;
  lhs.isUnsigned = shape.lhsUnsigned;
  lhs.base = index.at(lhsBase, row, shape.row.lhs);
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(number)))
    lhs.base = index.at(lhs.base, position, dim.lhs);
  for (int64_t r = 0; r < height; ++r)
    lhs.rows.push_back(r * shape.row.lhs);
  return lhs;
}

TilePlace ContractionEmitter::placeOf(const Group &group, Value number,
                                      Value row) {
  TilePlace place;
  place.coords = coords;
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(number)))
    place.coords[*dim.out] = position;
  if (shape.row.out) {
    place.coords[*shape.row.out] = row;
    place.rowDim = shape.row.out;
  }
  for (const ContractionDim &dim : shape.columns) {
    place.columnDims.push_back(*dim.out);
    place.columnExtents.push_back(dim.extent);
  }
  place.firstColumn = index.mul(group.number, plan.groupColumns());
  place.columns = group.columns;
  return place;
}
