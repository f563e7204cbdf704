// Contractions in matrix registers.
//
// Rows are read where they are and columns from panels, half of which is what a
// register takes, so that weights lie as they do for vectors. What is behind
// the last whole product of a depth that does not come out even is copied, with
// zeros behind it, and multiplied first.
//
// Sums go to memory, and what follows them is done while the next tile's are
// made: vectors and matrix registers work beside each other. So there is one
// loop over the tiles of all groups, which goes one further than these.

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
  matrixConfiguration = frame.allocateScratch(frame.builder.getI8Type(),
                                              MatrixTile::configurationBytes);
  matrixSums = frame.allocateScratch(accumulator, 2 * plan.tileShape.rows *
                                                      plan.groupColumns());
  if (!restSteps())
    return;
  rowRest = frame.allocateScratch(elementOf(lhsBuffer),
                                  plan.tileShape.rows * matrixTerms());
  columnRest = frame.allocateScratch(elementOf(rhsBuffer),
                                     matrixTerms() * plan.groupColumns());
}

static Value select(IndexBuilder &index, Value condition, Value left,
                    Value right) {
  return arith::SelectOp::create(index.builder, index.loc, condition, left,
                                 right);
}

static Value areEqual(IndexBuilder &index, Value left, Value right) {
  return arith::CmpIOp::create(index.builder, index.loc,
                               arith::CmpIPredicate::eq, left, right);
}

ContractionEmitter::MatrixPart ContractionEmitter::matrixPartOf(Group group,
                                                                Value number) {
  Value inner = number;
  if (!shape.outerRowCount().is(1))
    inner = index.rem(number, frame.numberOf(plan.rowTiles));
  Value height = index.constant(plan.split.bigRows);
  if (plan.split.smallCount)
    height =
        select(index, index.less(inner, index.constant(plan.split.bigCount)),
               height, index.constant(plan.split.smallRows()));
  Rows rows{number,
            firstRowOfTile(index, plan.split, inner),
            plan.split.bigRows,
            index.constant(0),
            {}};
  return {group, rows, height};
}

void ContractionEmitter::configureFor(MatrixTile &tile, const MatrixPart &part,
                                      Value configured) {
  auto configure = [&](int64_t height) {
    tile.configure(matrixConfiguration, height);
  };
  Value changes = arith::CmpIOp::create(
      index.builder, loc, arith::CmpIPredicate::ne, part.height, configured);
  index.branch(changes, [&] {
    if (!plan.split.smallCount)
      return configure(plan.split.bigRows);
    index.branch(
        areEqual(index, part.height, index.constant(plan.split.bigRows)),
        [&] { configure(plan.split.bigRows); },
        [&] { configure(plan.split.smallRows()); });
  });
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

void ContractionEmitter::beginMatrices(MatrixTile &tile, const MatrixPart &part,
                                       RowRange rows) {
  tile.zero();
  if (!restSteps())
    return;
  index.branch(areEqual(index, part.rows.number, rows.begin),
               [&] { copyColumnRest(part.group); });
  copyRowRest(part);
  MatrixRhs rhs;
  rhs.buffer = columnRest;
  rhs.base = index.constant(0);
  for (int64_t v = 0; v < part.group.vectors; ++v)
    rhs.vectors.push_back(v * plan.lanes * shape.perStep);
  rhs.stepStride = part.group.vectors * plan.lanes * shape.perStep;
  tile.multiplyAdd({rowRest, index.constant(0), matrixTerms()}, rhs);
}

void ContractionEmitter::fetchNextPanel(const MatrixPart &part, RowRange rows,
                                        Value product) {
  TileRhs next = storedRhsOf(part.group);
  int64_t perProduct = matrixTerms() * frame.machine.panelColumns;
  int64_t perLine = matrixTerms();
  int64_t lines = llvm::divideCeil(perProduct / perLine, plan.blocks.rowTiles);
  Value pass = index.sub(part.rows.number, rows.begin);
  Value first = index.at(index.mul(pass, wholeProducts()), product, 1);
  Value place =
      index.at(index.add(next.base, shape.panelStride), first, lines * perLine);
  for (int64_t line = 0; line < lines; ++line)
    memref::PrefetchOp::create(frame.builder, loc, next.buffer,
                               index.add(place, line * perLine),
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
}

void ContractionEmitter::multiplyMatrices(MatrixTile &tile,
                                          const MatrixPart &part,
                                          Value product) {
  TileRhs stored = storedRhsOf(part.group);
  int64_t panelColumns = frame.machine.panelColumns;
  MatrixRhs rhs;
  rhs.buffer = stored.buffer;
  rhs.base = index.at(stored.base, product, matrixTerms() * panelColumns);
  rhs.vectors = stored.vectors;
  rhs.stepStride = panelColumns * shape.perStep;
  Value base = storedLhsOf(part.rows).base;
  tile.multiplyAdd({lhsBuffer, index.at(base, product, matrixTerms()),
                    frame.numberOf(shape.row.lhs)},
                   rhs);
}

LogicalResult ContractionEmitter::finishRows(const MatrixPart &part, Value base,
                                             Value first, int64_t count) {
  Value left = index.max(index.sub(part.height, first), index.constant(0));
  RestingTile resting{matrixSums,
                      index.at(base, first, part.group.vectors * plan.lanes),
                      index.min(left, index.constant(count))};
  Rows rows = part.rows;
  rows.first = index.add(rows.first, first);
  return output->store(tileOf(part.group, plan.split.bigRows), resting,
                       placeOf(part.group, rows));
}

bool ContractionEmitter::areRowsOutside() const {
  int64_t elementBits = elementOf(lhsBuffer).getIntOrFloatBitWidth();
  int64_t rowBytes = wholeProducts() * matrixTerms() * elementBits / 8;
  return !restSteps() &&
         2 * plan.split.bigRows * rowBytes <= frame.machine.l1Bytes;
}

LogicalResult ContractionEmitter::emitInMatrices(Value begin, Value end,
                                                 Group like, RowRange rows) {
  LogicalResult status = success();
  int64_t registers = plan.split.bigRows > matrixRegisterRows ? 2 : 1;
  int64_t tileElements = plan.split.bigRows * plan.groupColumns();
  int64_t products = std::max<int64_t>(1, wholeProducts());
  int64_t rowsAtOnce = llvm::divideCeil(plan.split.bigRows, products);
  Value zero = index.constant(0), rowTiles = index.sub(rows.end, rows.begin),
        groups = index.max(index.sub(end, begin), zero);
  Value total = index.mul(groups, rowTiles);
  auto partAt = [&](Value group, Value number) {
    Group its = like;
    its.number = group;
    return matrixPartOf(its, number);
  };
  auto emitTile = [&](Value t, ValueRange last) -> SmallVector<Value> {
    MatrixPart finished = partAt(last[0], last[1]);
    finished.height = last[2];
    Value inner =
        areRowsOutside() ? index.max(groups, index.constant(1)) : rowTiles;
    Value outside = index.div(t, inner), inside = index.rem(t, inner);
    if (areRowsOutside())
      std::swap(outside, inside);
    MatrixPart part =
        partAt(index.add(begin, outside), index.add(rows.begin, inside));
    MatrixTile tile(frame.builder, loc, frame.machine, accumulator, registers,
                    like.vectors);
    tile.firstRegisterRows =
        index.div(index.add(part.height, registers - 1), registers);
    Value isThere = index.less(t, total);
    index.branch(isThere, [&] {
      configureFor(tile, part, last[2]);
      beginMatrices(tile, part, rows);
    });
    index.loop(0, products, 1, [&](Value product) {
      if (wholeProducts())
        index.branch(isThere, [&] {
          multiplyMatrices(tile, part, product);
          if (!areRowsOutside())
            fetchNextPanel(part, rows, product);
        });
      if (failed(finishRows(finished, last[3], index.mul(product, rowsAtOnce),
                            rowsAtOnce)))
        status = failure();
    });
    Value place = index.sub(index.constant(tileElements), last[3]);
    index.branch(isThere, [&] { tile.store(matrixSums, place); });
    return {part.group.number, part.rows.number, part.height, place};
  };
  index.loop(zero, index.add(total, 1), 1, {begin, rows.begin, zero, zero},
             emitTile);
  return status;
}
