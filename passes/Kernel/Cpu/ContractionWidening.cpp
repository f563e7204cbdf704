// Pairs of bf16 as f32, in copies: where a machine takes pairs apart and many
// rows meet many columns, each operand is taken apart once. The terms of a pair
// follow each other in the copies, the second one first, so that the tile sums
// them up as FloatPairs does, one by one.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

Value ContractionEmitter::widePlaceOf(const Rows &rows) {
  Value row = index.add(
      index.mul(index.sub(rows.number, firstTile), plan.split.bigRows),
      rows.inTile);
  return index.mul(row, rowTerms());
}

void ContractionEmitter::widenRows(RowRange range) {
  OpBuilder &builder = frame.builder;
  Number stride = frame.numberOf(shape.row.lhs);
  auto widened = [&](Value value) {
    return convertElements(builder, loc, value, accumulator);
  };
  auto copyTerm = [&](Value from, Value to) {
    Value term = memref::LoadOp::create(builder, loc, lhsBuffer, from);
    memref::StoreOp::create(builder, loc, widened(term), wideRows, to);
  };
  SmallVector<int64_t> swapped;
  for (int64_t lane = 0; lane < plan.lanes; ++lane)
    swapped.push_back(lane ^ 1);
  auto type = VectorType::get(
      {plan.lanes}, cast<MemRefType>(lhsBuffer.getType()).getElementType());
  int64_t inPairs = rowTerms() / 2 * 2,
          inVectors = rowTerms() / plan.lanes * plan.lanes;
  auto copyRow = [&](Value from, Value to) {
    index.loop(0, inVectors, plan.lanes, [&](Value k) {
      Value terms = widened(vector::LoadOp::create(
          builder, loc, type, lhsBuffer, index.add(from, k)));
      terms = vector::ShuffleOp::create(builder, loc, terms, terms, swapped);
      vector::StoreOp::create(builder, loc, terms, wideRows, index.add(to, k));
    });
    index.loop(inVectors, inPairs, 2, [&](Value k) {
      Value first = index.add(from, k), place = index.add(to, k);
      copyTerm(index.add(first, 1), place);
      copyTerm(first, index.add(place, 1));
    });
    if (inPairs < rowTerms())
      copyTerm(index.add(from, inPairs), index.add(to, inPairs));
  };
  emitRowTiles(range, [&](Value number, Value inner) {
    emitHeights(number, inner, [&](const Rows &these) {
      Value from = storedLhsOf(these).base, to = widePlaceOf(these);
      index.loop(0, these.height, 1, [&](Value r) {
        copyRow(index.at(from, r, stride), index.at(to, r, rowTerms()));
      });
    });
  });
}

void ContractionEmitter::widenStep(const TileRhs &stored, Value position,
                                   Value target) {
  OpBuilder &builder = frame.builder;
  auto products = StepProducts::of(frame.machine, shape.perStep, accumulator);
  auto type = VectorType::get(
      {plan.lanes * shape.perStep},
      cast<MemRefType>(stored.buffer.getType()).getElementType());
  for (auto [v, offset] : llvm::enumerate(stored.vectors)) {
    Value pairs = vector::LoadOp::create(builder, loc, type, stored.buffer,
                                         index.add(position, offset));
    for (auto [term, vector] :
         llvm::enumerate(products->columns(builder, loc, pairs)))
      vector::StoreOp::create(
          builder, loc, vector, widePanel,
          index.add(target, term * plan.groupColumns() + v * plan.lanes));
  }
}

void ContractionEmitter::widenGroup(const Group &group, Value low, Value high) {
  TileRhs stored = storedRhsOf(group);
  // The copy in pairs holds the current block only.
  Value skipped = plan.packs ? low : index.constant(0);
  index.loop(low, high, 1, [&](Value step) {
    widenStep(
        stored, index.at(stored.base, index.sub(step, skipped), storedStep()),
        index.mul(index.sub(step, low), shape.perStep * plan.groupColumns()));
  });
}

void ContractionEmitter::widenRest(const Group &group) {
  TileRhs rest = restOf(storedRhsOf(group));
  Value position = index.at(rest.base, valueOf(shape.depthCount()), rest.step);
  widenStep(rest, position, index.constant(restPlace()));
}

SmallVector<Value> ContractionEmitter::startOfWide(RegisterTile &tile,
                                                   const Rows &rows,
                                                   TileRhs rhs) {
  TileLhs lhs = lhsOf(rows);
  lhs.base = index.add(lhs.base, rowTerms() - 1);
  // The second term of that step is zero.
  rhs.base = index.constant(restPlace() + plan.groupColumns());
  return tile.accumulate(lhs, rhs, index.constant(0), index.constant(1),
                         tile.zeros());
}
