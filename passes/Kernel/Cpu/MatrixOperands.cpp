// What products in matrix registers read of a contraction: rows where they are
// or in copies, columns in panels, and what is behind the last whole product of
// both.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Lanes.h"

using namespace mlir;
using namespace heddle;

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

void ContractionEmitter::allocateMatrixScratch() {
  Type element = elementOf(lhsBuffer);
  matrixConfiguration = frame.allocateScratch(frame.builder.getI8Type(),
                                              MatrixTile::configurationBytes);
  matrixSums = frame.allocateScratch(
      accumulator,
      (depthBlocks() > 1 ? plan.blocks.rowTiles + 1 : 2) * sumsOfTile());
  if (plan.copiesRows)
    rowCopies = frame.allocateScratch(
        element, plan.blocks.rowTiles * plan.split.bigRows * wholeProducts() *
                     matrixTerms());
  if (!restSteps())
    return;
  rowRest = frame.allocateScratch(element, plan.tileShape.rows * matrixTerms());
  columnRest = frame.allocateScratch(elementOf(rhsBuffer),
                                     matrixTerms() * plan.groupColumns());
}

void ContractionEmitter::copyRowRest(const MatrixPart &part) {
  OpBuilder &builder = frame.builder;
  auto type = VectorType::get({matrixTerms()}, elementOf(lhsBuffer));
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  int64_t whole = wholeProducts() * matrixTerms();
  Value mask = tailMask(builder, loc, matrixTerms(), rowTerms() - whole);
  Value from = index.add(storedLhsOf(part.rows).base, whole);
  index.loop(index.constant(0), part.height, 1, [&](Value r) {
    Value copied = vector::MaskedLoadOp::create(
        builder, loc, type, lhsBuffer,
        index.at(from, r, frame.numberOf(shape.row.lhs)), mask, zeros);
    vector::StoreOp::create(builder, loc, copied, rowRest,
                            index.mul(r, matrixTerms()));
  });
}

void ContractionEmitter::copyColumnRest(const Group &group) {
  OpBuilder &builder = frame.builder;
  TileRhs stored = storedRhsOf(group);
  auto type =
      VectorType::get({plan.lanes * shape.perStep}, elementOf(rhsBuffer));
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  int64_t panelColumns = frame.machine.panelColumns;
  Value first =
      index.add(stored.base, wholeProducts() * matrixTerms() * panelColumns);
  for (int64_t step = 0; step < matrixSteps; ++step)
    for (int64_t v = 0; v < group.vectors; ++v) {
      Value columns = zeros;
      if (step < restSteps())
        columns = vector::LoadOp::create(
            builder, loc, type, rhsBuffer,
            index.add(first,
                      step * shape.perStep * panelColumns + stored.vectors[v]));
      int64_t place = (step * group.vectors + v) * plan.lanes * shape.perStep;
      vector::StoreOp::create(builder, loc, columns, columnRest,
                              index.constant(place));
    }
}

void ContractionEmitter::multiplyRest(MatrixTile &tile, const MatrixPart &part,
                                      RowRange rows) {
  Value isFirst =
      arith::CmpIOp::create(frame.builder, loc, arith::CmpIPredicate::eq,
                            part.rows.number, rows.begin);
  index.branch(isFirst, [&] { copyColumnRest(part.group); });
  copyRowRest(part);
  MatrixRhs rhs;
  rhs.buffer = columnRest;
  rhs.base = index.constant(0);
  for (int64_t v = 0; v < part.group.vectors; ++v)
    rhs.vectors.push_back(v * plan.lanes * shape.perStep);
  rhs.stepStride = part.group.vectors * plan.lanes * shape.perStep;
  tile.multiplyAdd({rowRest, index.constant(0), matrixTerms()}, rhs);
}

MatrixLhs ContractionEmitter::copiesOf(const MatrixPart &part, RowRange rows,
                                       Value product) {
  int64_t perProduct = plan.split.bigRows * matrixTerms();
  Value place = index.mul(index.sub(part.rows.number, rows.begin),
                          perProduct * wholeProducts());
  return {rowCopies, index.at(place, product, perProduct), matrixTerms(),
          plan.passesBy};
}

void ContractionEmitter::multiplyMatrices(MatrixTile &tile,
                                          const MatrixPart &part, RowRange rows,
                                          Value product, Value copiesNow) {
  TileRhs stored = storedRhsOf(part.group);
  int64_t panelColumns = frame.machine.panelColumns;
  MatrixRhs rhs;
  rhs.buffer = stored.buffer;
  rhs.base = index.at(stored.base, product, matrixTerms() * panelColumns);
  rhs.vectors = stored.vectors;
  rhs.stepStride = panelColumns * shape.perStep;
  rhs.passesBy = plan.passesBy && plan.blocks.rowsOutside;
  MatrixLhs lhs{
      lhsBuffer, index.at(storedLhsOf(part.rows).base, product, matrixTerms()),
      frame.numberOf(shape.row.lhs), plan.passesBy && !plan.blocks.rowsOutside};
  if (!copiesNow)
    return tile.multiplyAdd(lhs, rhs);
  MatrixLhs copies = copiesOf(part, rows, product);
  index.branch(
      copiesNow,
      [&] {
        tile.multiplyAdd(lhs, rhs);
        tile.storeRows(copies);
      },
      [&] { tile.multiplyAdd(copies, rhs); });
}

void ContractionEmitter::fetchNextPanel(const MatrixPart &part, RowRange rows,
                                        Value product) {
  TileRhs next = storedRhsOf(part.group);
  int64_t perProduct = matrixTerms() * frame.machine.panelColumns;
  int64_t perLine = matrixTerms();
  int64_t lines = llvm::divideCeil(perProduct / perLine, plan.blocks.rowTiles);
  // The products of the panel before this one: those of all rows for whole
  // blocks of the depth, and of rows before these for this block.
  Value passes = index.sub(part.rows.number, rows.begin);
  Value before = index.mul(passes, part.products);
  Value first = index.add(before, product);
  if (depthBlocks() > 1) {
    Value others = index.add(index.sub(rows.end, rows.begin), -1);
    first = index.at(first, part.firstProduct, others);
  }
  Value place =
      index.at(index.add(next.base, shape.panelStride), first, lines * perLine);
  for (int64_t line = 0; line < lines; ++line)
    memref::PrefetchOp::create(frame.builder, loc, next.buffer,
                               index.add(place, line * perLine),
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
}
