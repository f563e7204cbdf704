// Emits sums of products of bytes by what a machine has for them. LLVM finds
// none of the instructions in loops of such sums, so the machine names them.

#include "passes/Kernel/Cpu/IntegerQuads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

IntegerQuads::IntegerQuads(const Machine &machine)
    : way(Way::Single), product(machine.byteQuadProduct()),
      vectorBits(machine.vectorBits) {
  if (!product.empty()) {
    way = Way::Quads;
    return;
  }
  product = machine.wordPairProduct();
  if (!product.empty())
    way = Way::Pairs;
}

int64_t IntegerQuads::rowsOf(int64_t rows, TileShape tile) const {
  if (way == Way::Quads)
    return tile.rows;
  return splitRows(rows, std::max<int64_t>(1, tile.rows * 2 / 3)).bigRows;
}

IntegerQuads::Factor IntegerQuads::takeApart(OpBuilder &builder, Location loc,
                                             Value lanes, bool isSigned) const {
  unsigned bits = way == Way::Quads ? 8 : way == Way::Pairs ? 16 : 32;
  VectorType type = lanesOf(builder.getIntegerType(bits));
  Value all = vector::BitCastOp::create(builder, loc, type, lanes);
  if (bits == 8)
    return {all};
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), value)));
  };
  // Each byte of a part of `bits` by itself, in all of its bits.
  Factor parts;
  for (unsigned low = 0; low < bits; low += 8) {
    Value part = all;
    if (isSigned) {
      if (low + 8 < bits)
        part =
            arith::ShLIOp::create(builder, loc, part, number(bits - 8 - low));
      part = arith::ShRSIOp::create(builder, loc, part, number(bits - 8));
    } else {
      if (low)
        part = arith::ShRUIOp::create(builder, loc, part, number(low));
      if (low + 8 < bits)
        part = arith::AndIOp::create(builder, loc, part, number(255));
    }
    parts.push_back(part);
  }
  return parts;
}

IntegerQuads::Factor IntegerQuads::columns(OpBuilder &builder, Location loc,
                                           ValueRange loaded) const {
  assert(loaded.size() == 1 && "quads are stored");
  return takeApart(builder, loc, loaded[0], /*isSigned=*/true);
}

IntegerQuads::Factor IntegerQuads::row(OpBuilder &builder, Location loc,
                                       Value buffer, Value position,
                                       int64_t count) const {
  return takeApart(builder, loc, spread(builder, loc, buffer, position, count),
                   /*isSigned=*/false);
}

Value IntegerQuads::inRegisters(OpBuilder &builder, Location loc, Value left,
                                Value right, Value sum) const {
  int64_t lanes = vectorBits / 32;
  auto type = VectorType::get({lanes}, builder.getI32Type());
  // What a register has of a logical vector, of elements of any width.
  auto part = [&](Value whole, int64_t begin) -> Value {
    int64_t perLane =
        cast<VectorType>(whole.getType()).getDimSize(0) / logicalLanes;
    if (lanes == logicalLanes)
      return whole;
    return vector::ExtractStridedSliceOp::create(
        builder, loc, whole, ArrayRef<int64_t>{perLane * begin},
        ArrayRef<int64_t>{perLane * lanes}, ArrayRef<int64_t>{1});
  };
  Value result = sum;
  for (int64_t begin = 0; begin < logicalLanes; begin += lanes) {
    Value l = part(left, begin), r = part(right, begin), s = part(sum, begin);
    Value some;
    if (way == Way::Quads)
      some = call(builder, loc, product, type, {s, l, r});
    else
      some = arith::AddIOp::create(builder, loc, s,
                                   call(builder, loc, product, type, {l, r}));
    if (lanes == logicalLanes)
      return some;
    result = vector::InsertStridedSliceOp::create(builder, loc, some, result,
                                                  ArrayRef<int64_t>{begin},
                                                  ArrayRef<int64_t>{1});
  }
  return result;
}

Value IntegerQuads::multiplyAdd(OpBuilder &builder, Location loc,
                                const Factor &row, const Factor &columns,
                                Value sum) const {
  for (auto [left, right] : llvm::zip_equal(row, columns)) {
    if (way != Way::Single) {
      sum = inRegisters(builder, loc, left, right, sum);
      continue;
    }
    Value product = arith::MulIOp::create(builder, loc, left, right);
    sum = arith::AddIOp::create(builder, loc, sum, product);
  }
  return sum;
}
