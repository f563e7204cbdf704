// Emits sums of products of pairs of bf16 by what a machine has for them. LLVM
// does not find the instruction in loops of such sums, so it is named here.

#include "passes/Kernel/Cpu/FloatPairs.h"

#include "passes/Kernel/Cpu/RegisterTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

FloatPairs::FloatPairs(const Machine &machine)
    : machine(machine),
      areMultipliedAtOnce(!machine.floatPairProduct().empty()) {}

int64_t FloatPairs::rowsOf(int64_t rows, TileShape tile) const {
  // Beside the sums both terms of each column and of a row, and the mask.
  return areMultipliedAtOnce ? tile.rows : rowsOfWidened(machine, rows, tile);
}

FloatPairs::Factor FloatPairs::takeApart(OpBuilder &builder, Location loc,
                                         Value bits) const {
  if (areMultipliedAtOnce)
    return {vector::BitCastOp::create(builder, loc,
                                      lanesOf(builder.getBF16Type()), bits)};
  VectorType words = lanesOf(builder.getI32Type()),
             floats = lanesOf(builder.getF32Type());
  Value all = vector::BitCastOp::create(builder, loc, words, bits);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(words, APInt(32, static_cast<uint64_t>(value))));
  };
  // The bits of bf16 are the upper ones of f32.
  Value second = arith::AndIOp::create(builder, loc, all, number(0xffff0000));
  Value first = arith::ShLIOp::create(builder, loc, all, number(16));
  return {arith::BitcastOp::create(builder, loc, floats, second),
          arith::BitcastOp::create(builder, loc, floats, first)};
}

FloatPairs::Factor FloatPairs::columns(OpBuilder &builder, Location loc,
                                       ValueRange loaded) const {
  if (loaded.size() == 1)
    return takeApart(builder, loc, loaded[0]);
  if (areMultipliedAtOnce)
    return takeApart(builder, loc,
                     interleavePairs(builder, loc, loaded[0], loaded[1]));
  Type f32 = builder.getF32Type();
  return {convertElements(builder, loc, loaded[1], f32),
          convertElements(builder, loc, loaded[0], f32)};
}

FloatPairs::Factor FloatPairs::row(OpBuilder &builder, Location loc,
                                   Value buffer, Value position,
                                   int64_t count) const {
  return takeApart(builder, loc, spread(builder, loc, buffer, position, count));
}

Value FloatPairs::multiplyAdd(OpBuilder &builder, Location loc,
                              const Factor &row, const Factor &columns,
                              Value sum) const {
  if (areMultipliedAtOnce)
    return call(builder, loc, machine.floatPairProduct(), sum.getType(),
                {sum, row[0], columns[0]});
  for (auto [left, right] : llvm::zip_equal(row, columns))
    sum = ::heddle::multiplyAdd(builder, loc, left, right, sum);
  return sum;
}
