// Contractions in matrix registers.
//
// Columns are read from panels, half of which is what a register takes, so that
// weights lie as they do for vectors. Rows go by for a block of a panel's depth
// that stays in the first cache: the first group of columns reads them where
// they are and leaves copies, of which a product's rows lie in one piece, for
// the others. Where rows are short and many, panels go by for a tile of rows.
// What is behind the last whole product of a depth that does not come out even
// is copied, with zeros behind it, and multiplied first.
//
// Sums go to memory, whose next block of the depth begins with them, to the
// bit. What follows the last block is done while the next tile's sums are made:
// vectors and matrix registers work beside each other. So there is one loop
// over the tiles of all groups and blocks, which goes one further than these.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

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
  return {group, rows, height, index.constant(0),
          index.constant(wholeProducts())};
}

void ContractionEmitter::takeBlock(MatrixPart &part, Value block) {
  part.firstProduct = index.mul(block, blockProducts());
  part.products =
      index.min(index.constant(blockProducts()),
                index.sub(index.constant(wholeProducts()), part.firstProduct));
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

void ContractionEmitter::beginMatrices(MatrixTile &tile, const MatrixPart &part,
                                       RowRange rows, Value place) {
  auto begin = [&] {
    tile.zero();
    if (restSteps())
      multiplyRest(tile, part, rows);
  };
  if (depthBlocks() == 1)
    return begin();
  index.branch(areEqual(index, part.firstProduct, index.constant(0)), begin,
               [&] { tile.load(matrixSums, nextResting(place, rows)); });
}

int64_t ContractionEmitter::rowsBesideProduct() const {
  int64_t lastProducts =
      wholeProducts() - (depthBlocks() - 1) * blockProducts();
  int64_t height = plan.split.bigRows,
          least = llvm::divideCeil(height, std::max<int64_t>(1, lastProducts));
  // Loops of one length are predicted.
  for (int64_t rows = least; rows < 2 * least && haveOneHeight(); ++rows)
    if (height % rows == 0)
      return rows;
  return least;
}

LogicalResult ContractionEmitter::finishRows(const MatrixPart &part, Value base,
                                             Value first) {
  LogicalResult status = success();
  int64_t most = rowsBesideProduct();
  auto finish = [&](Value count) {
    RestingTile resting{matrixSums,
                        index.at(base, first, part.group.vectors * plan.lanes),
                        count};
    Rows rows = part.rows;
    rows.first = index.add(rows.first, first);
    status = output->store(tileOf(part.group, plan.split.bigRows), resting,
                           placeOf(part.group, rows));
  };
  if (haveOneHeight() && plan.split.bigRows % most == 0) {
    index.branch(index.less(first, part.height),
                 [&] { finish(index.constant(most)); });
    return status;
  }
  Value left = index.max(index.sub(part.height, first), index.constant(0));
  finish(index.min(left, index.constant(most)));
  return status;
}

ContractionEmitter::MatrixPart
ContractionEmitter::matrixPartAt(Value visit, Value begin, Value groups,
                                 Group like, RowRange rows) {
  Value rowTiles = index.sub(rows.end, rows.begin);
  if (plan.blocks.rowsOutside) {
    // Of no groups nothing is visited.
    Value inner = index.max(groups, index.constant(1));
    like.number = index.add(begin, index.rem(visit, inner));
    return matrixPartOf(like, index.add(rows.begin, index.div(visit, inner)));
  }
  Value ofGroup = index.mul(rowTiles, depthBlocks());
  like.number = index.add(begin, index.div(visit, ofGroup));
  Value inGroup = index.rem(visit, ofGroup);
  MatrixPart part =
      matrixPartOf(like, index.add(rows.begin, index.rem(inGroup, rowTiles)));
  if (depthBlocks() > 1)
    takeBlock(part, index.div(inGroup, rowTiles));
  return part;
}

Value ContractionEmitter::nextResting(Value place, RowRange rows) {
  if (depthBlocks() == 1)
    return index.sub(index.constant(sumsOfTile()), place);
  // A place more than there are tiles of rows: the one after this is of the
  // same rows, a block of the depth ago.
  Value last = index.mul(index.sub(rows.end, rows.begin), sumsOfTile());
  return select(index, index.less(place, last), index.add(place, sumsOfTile()),
                index.constant(0));
}

LogicalResult ContractionEmitter::emitInMatrices(Value begin, Value end,
                                                 Group like, RowRange rows) {
  LogicalResult status = success();
  int64_t registers = plan.split.bigRows > matrixRegisterRows ? 2 : 1;
  // A group that is cut off comes alone.
  bool copiesRows = plan.copiesRows && like.columns.is(plan.groupColumns());
  Value zero = index.constant(0), rowTiles = index.sub(rows.end, rows.begin),
        groups = index.max(index.sub(end, begin), zero);
  Value total = index.mul(index.mul(groups, rowTiles), depthBlocks());
  // Carried are the last part's group, rows, height and place of sums, and how
  // many rows of it are to be finished.
  auto emitPart = [&](Value visit, ValueRange last) -> SmallVector<Value> {
    Group group = like;
    group.number = last[0];
    MatrixPart finished = matrixPartOf(group, last[1]);
    finished.height = last[4];
    MatrixPart part = matrixPartAt(visit, begin, groups, like, rows);
    MatrixTile tile(frame.builder, loc, frame.machine, accumulator, registers,
                    like.vectors);
    tile.firstRegisterRows =
        index.div(index.add(part.height, registers - 1), registers);
    Value isThere = index.less(visit, total),
          place = nextResting(last[3], rows);
    index.branch(isThere, [&] {
      configureFor(tile, part, last[2]);
      beginMatrices(tile, part, rows, place);
    });
    Value copiesNow;
    if (copiesRows)
      copiesNow = areEqual(index, part.group.number, begin);
    Value products = wholeProducts() ? part.products : index.constant(1);
    index.loop(zero, products, 1, [&](Value number) {
      Value product = index.add(part.firstProduct, number);
      if (wholeProducts())
        index.branch(isThere, [&] {
          multiplyMatrices(tile, part, rows, product, copiesNow);
          if (!plan.blocks.rowsOutside)
            fetchNextPanel(part, rows, product);
        });
      if (failed(finishRows(finished, last[3],
                            index.mul(number, rowsBesideProduct()))))
        status = failure();
    });
    index.branch(isThere, [&] { tile.store(matrixSums, place); });
    Value left = part.height;
    if (depthBlocks() > 1) {
      Value endProduct = index.add(part.firstProduct, part.products);
      left = select(
          index, areEqual(index, endProduct, index.constant(wholeProducts())),
          left, zero);
    }
    return {part.group.number, part.rows.number, part.height, place, left};
  };
  index.loop(zero, index.add(total, 1), 1,
             {begin, rows.begin, zero, zero, zero}, emitPart);
  return status;
}
