// Where a register tile of a contraction finds its operands, and where its
// result goes.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "passes/Kernel/Cpu/Grid.h"

using namespace mlir;
using namespace heddle;

TileRhs ContractionEmitter::rhsOf(const Group &group) {
  if (!plan.widens)
    return storedRhsOf(group);
  TileRhs rhs;
  rhs.buffer = widePanel;
  rhs.base = index.constant(0);
  rhs.step = plan.groupColumns();
  for (int64_t v = 0; v < group.vectors; ++v)
    rhs.vectors.push_back(v * plan.lanes);
  return rhs;
}

Number ContractionEmitter::storedStep() {
  Number term = plan.packs ? Number(plan.groupColumns())
                           : frame.numberOf(shape.termStride);
  return index.times(term, shape.perStep);
}

TileRhs ContractionEmitter::restOf(TileRhs stored) {
  stored.step = storedStep();
  if (plan.packs) {
    stored.base = index.constant(restPlace());
    stored.step = 0;
  }
  return stored;
}

TileRhs ContractionEmitter::storedRhsOf(const Group &group) {
  TileRhs rhs;
  if (plan.packs) {
    rhs.buffer = panel;
    rhs.base = index.constant(0);
    for (int64_t v = 0; v < group.vectors; ++v)
      rhs.vectors.push_back(v * plan.lanes * shape.perStep);
    return rhs;
  }
  rhs.buffer = rhsBuffer;
  rhs.isUnsigned = shape.rhsUnsigned;
  if (shape.isPacked) {
    rhs.base =
        index.add(rhsBase, placeInPanels(group, shape.panelStride,
                                         shape.rhsPerStep(), rhs.vectors));
    if (shape.scaled)
      rhs.scales = scalesOf(group);
    return rhs;
  }
  rhs.base = index.add(rhsBase, index.mul(group.number, plan.groupColumns()));
  for (int64_t v = 0; v < group.vectors; ++v)
    rhs.vectors.push_back(v * plan.lanes);
  if (shape.perStep > 1)
    rhs.termStride = frame.numberOf(shape.termStride);
  if (!group.columns.value) {
    rhs.maskLast(
        tailMask(frame.builder, loc, plan.lanes,
                 group.columns.number - (group.vectors - 1) * plan.lanes));
    return rhs;
  }
  for (int64_t v = 0; v < group.vectors; ++v)
    rhs.masks.push_back(
        countMask(frame.builder, loc, plan.lanes,
                  index.add(group.columns.value, -v * plan.lanes)));
  return rhs;
}

Value ContractionEmitter::placeInPanels(const Group &group, int64_t panelStride,
                                        int64_t perStep,
                                        SmallVectorImpl<int64_t> &vectors) {
  // A group is a part of a panel, or several whole ones.
  int64_t panelColumns = frame.machine.panelColumns;
  for (int64_t v = 0; v < group.vectors; ++v)
    vectors.push_back(v * plan.lanes / panelColumns * panelStride +
                      v * plan.lanes % panelColumns * perStep);
  if (plan.groupColumns() >= panelColumns)
    return index.mul(group.number,
                     plan.groupColumns() / panelColumns * panelStride);
  Value first = index.mul(group.number, plan.groupColumns());
  return index.at(index.mul(index.div(first, panelColumns), panelStride),
                  index.rem(first, panelColumns), perStep);
}

TileScales ContractionEmitter::scalesOf(const Group &group) {
  TileScales scales;
  scales.buffer = frame.buffer(shape.scaled->scales);
  if (shape.scaled->zeroPoints)
    scales.zeroPoints = frame.buffer(shape.scaled->zeroPoints);
  scales.base = placeInPanels(group, shape.scaled->panelStride, /*perStep=*/1,
                              scales.vectors);
  scales.stride = frame.machine.panelColumns;
  scales.blockSteps = shape.scaled->blockSteps();
  scales.chainSteps = shape.scaled->chainSteps();
  return scales;
}

PanelSource ContractionEmitter::panelSourceOf(const Group &group) {
  PanelSource source;
  source.source = rhsBuffer;
  source.base = index.at(rhsBase, index.mul(group.number, plan.groupColumns()),
                         frame.numberOf(shape.columnStride()));
  source.columnStride = frame.numberOf(shape.columnStride());
  source.columns = group.columns;
  source.terms = shape.perStep;
  source.termStride = frame.numberOf(shape.termStride);
  return source;
}

void ContractionEmitter::packGroup(const Group &group, Value low, Value high) {
  PanelSource source = panelSourceOf(group);
  for (const ContractionDim &dim : shape.depth)
    source.depth.push_back(
        {frame.numberOf(dim.extent), frame.numberOf(dim.rhs)});
  emitPanelCopy(index, source, low, high, panel, plan.groupColumns(),
                shape.rhsUnsigned);
}

void ContractionEmitter::prepareGroup(const Group &group, Value low,
                                      Value high) {
  if (plan.packs)
    packGroup(group, low, high);
  if (plan.widens)
    widenGroup(group, low, high);
}

void ContractionEmitter::prepareRest(const Group &group) {
  if (shape.rest.is(0))
    return;
  if (plan.packs)
    packRest(group);
  if (plan.widens)
    widenRest(group);
}

void ContractionEmitter::packRest(const Group &group) {
  Value target = index.constant(restPlace());
  // Of pairs it is one term at most.
  index.loop(index.constant(0), valueOf(shape.rest), 1, [&](Value) {
    PanelSource source = panelSourceOf(group);
    source.base =
        index.at(source.base, valueOf(shape.depthCount()),
                 index.times(source.termStride, Number(shape.perStep)));
    source.missingTerms = shape.perStep - 1;
    emitPanelStep(index, source, panel, target, plan.groupColumns());
  });
}

SmallVector<Value> ContractionEmitter::startOf(RegisterTile &tile,
                                               const Rows &rows, TileRhs rhs) {
  SmallVector<Value> zeros = tile.zeros();
  if (shape.rest.is(0))
    return zeros;
  if (plan.widens)
    return startOfWide(tile, rows, rhs);
  Value steps = valueOf(shape.depthCount());
  TileLhs lhs = lhsOf(rows);
  lhs.step = shape.perStep;
  rhs = restOf(rhs);
  if (std::optional<int64_t> count = shape.rest.known())
    return tile.accumulateRest(lhs, rhs, steps, *count, zeros);
  // Of pairs it is one term at most.
  return index.loop(index.constant(0), valueOf(shape.rest), 1, zeros,
                    [&](Value, ValueRange sums) {
                      return tile.accumulateRest(lhs, rhs, steps, 1, sums);
                    });
}

SmallVector<Value> ContractionEmitter::outerRowsAt(Value number) {
  // There are none to divide into.
  if (shape.outerRows.empty() && plan.rowTiles.isSized())
    return {};
  SmallVector<Extent> extents;
  for (const ContractionDim &dim : shape.outerRows)
    extents.push_back(dim.extent);
  return indicesAt(frame, index,
                   index.div(number, frame.numberOf(plan.rowTiles)), extents);
}

TileLhs ContractionEmitter::lhsOf(const Rows &rows) {
  if (!plan.widens)
    return storedLhsOf(rows);
  TileLhs lhs;
  lhs.buffer = wideRows;
  lhs.base = widePlaceOf(rows);
  lhs.setRows(index, rows.height, rowTerms());
  return lhs;
}

TileLhs ContractionEmitter::storedLhsOf(const Rows &rows) {
  TileLhs lhs;
  lhs.buffer = lhsBuffer;
  lhs.isUnsigned = shape.lhsUnsigned;
  Number stride = frame.numberOf(shape.row.lhs);
  lhs.base = index.at(lhsBase, rows.first, stride);
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(rows.number)))
    lhs.base = index.at(lhs.base, position, frame.numberOf(dim.lhs));
  lhs.setRows(index, rows.height, stride, rows.count);
  return lhs;
}

TilePlace ContractionEmitter::placeOf(const Group &group, const Rows &rows) {
  TilePlace place;
  place.coords = coords;
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(rows.number)))
    place.coords[*dim.out] = position;
  if (shape.row.out) {
    place.coords[*shape.row.out] = rows.first;
    place.rowDim = shape.row.out;
  }
  // Of several none is sized.
  for (const ContractionDim &dim : shape.columns) {
    place.columnDims.push_back(*dim.out);
    place.columnExtents.push_back(dim.extent.bound());
  }
  place.firstColumn = index.mul(group.number, plan.groupColumns());
  place.columns = group.columns;
  return place;
}
