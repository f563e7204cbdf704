// What a consumer multiplies: matrices of slots as registers of a warp, and the
// products of these.

#include "passes/Kernel/Gpu/RoleLowering.h"

using namespace mlir;

namespace heddle {

/// A struct of four, as instructions on matrices give.
static Type fourOf(Type element) {
  return LLVM::LLVMStructType::getLiteral(element.getContext(),
                                          {element, element, element, element});
}

/// The four of such a struct.
static SmallVector<Value> takeApart(OpBuilder &builder, Location loc,
                                    Value four) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < 4; ++i)
    values.push_back(LLVM::ExtractValueOp::create(builder, loc, four, i));
  return values;
}

SmallVector<Value> UniformRoles::loadMatrices(ws::TileType type, Value tile,
                                              Value row, int64_t rowOffset,
                                              Value column, bool transposed) {
  Location loc = index.loc;
  // The layout repeats every 8 rows, so that an offset of 8 is one of bytes.
  Value address = addressOf(type, row, binary<arith::MulIOp>(column, 2));
  address = add(address, rowOffset * type.getLayout().rowBytes);
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, fourOf(builder.getI32Type()), advance(tile, address), 4,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  return takeApart(builder, loc, loaded);
}

/// Registers of the 16 rows from `m` on and the 16 columns from `k` on: the
/// matrices (0, 0), (8, 0), (0, 8), (8, 8), by row and k.
SmallVector<Value> UniformRoles::loadLhs(ws::MmaOp op, Value tile, int64_t m,
                                         int64_t k) {
  auto type = cast<ws::TileType>(op.getLhs().getType());
  Value first =
      binary<arith::MulIOp>(warpRow, warpM(op.getAccumulator().getType()));
  Value low = binary<arith::RemUIOp>(lane, 16);
  Value high = binary<arith::MulIOp>(binary<arith::DivUIOp>(lane, 16), 8);
  if (!op.getTransposeLhs())
    return loadMatrices(type, tile, add(first, low), m, add(high, k), false);
  // Lanes 8 to 15 point to the second eight rows, which are columns here.
  Value eighth = binary<arith::MulIOp>(binary<arith::DivUIOp>(low, 8), 8);
  return loadMatrices(type, tile, add(binary<arith::RemUIOp>(lane, 8), high), k,
                      add(add(first, eighth), m), true);
}

/// Registers of the 16 rows from `k` on and the 16 columns from `n` on: the
/// matrices (0, 0), (8, 0), (0, 8), (8, 8), by k and column.
SmallVector<Value> UniformRoles::loadRhs(ws::MmaOp op, Value tile, int64_t n,
                                         int64_t k) {
  ws::TileType type = op.getRhs().getType();
  Value first =
      binary<arith::MulIOp>(warpColumn, warpN(op.getAccumulator().getType()));
  Value low = binary<arith::RemUIOp>(lane, 16);
  Value high = binary<arith::MulIOp>(binary<arith::DivUIOp>(lane, 16), 8);
  // Registers hold pairs along k: rows of the tile that are those of k have to
  // be transposed while they are loaded.
  if (!op.getTransposeRhs())
    return loadMatrices(type, tile, low, k, add(add(first, high), n), true);
  Value eighth = binary<arith::MulIOp>(binary<arith::DivUIOp>(low, 8), 8);
  Value row = add(add(first, high), binary<arith::RemUIOp>(lane, 8));
  return loadMatrices(type, tile, row, n, add(eighth, k), false);
}

SmallVector<Value> UniformRoles::multiplyMatrices(Type element, ValueRange lhs,
                                                  ValueRange rhs,
                                                  ValueRange sums) {
  Location loc = index.loc;
  bool isHalf = element.isF16();
  auto asOperands = [&](ValueRange words) {
    return llvm::map_to_vector(words, [&](Value word) -> Value {
      if (!isHalf)
        return word;
      return LLVM::BitcastOp::create(
          builder, loc, VectorType::get({2}, builder.getF16Type()), word);
    });
  };
  NVVM::MMATypes type = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      builder, loc, fourOf(builder.getF32Type()), asOperands(lhs),
      asOperands(rhs), sums, ArrayRef<int64_t>{kMmaM, kMmaN, kMmaK},
      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  return takeApart(builder, loc, product);
}

/// Sums are in the order: rows of matrices, columns of matrices, the four of a
/// lane.
SmallVector<Value> UniformRoles::multiply(ws::MmaOp op, Value lhs, Value rhs) {
  ws::AccumulatorType type = op.getAccumulator().getType();
  SmallVector<Value> sums = held.lookup(op.getAccumulator());
  SmallVector<Value> given = held.lookup(op.getLhs());
  ws::TileType rhsType = op.getRhs().getType();
  int64_t depth =
      op.getTransposeRhs() ? rhsType.getColumns() : rhsType.getRows();
  int64_t rows = warpM(type) / kMmaM, columns = warpN(type) / kMmaN;
  for (int64_t k = 0; k < depth; k += kMmaK) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t m = 0; m < rows; ++m)
      left.push_back(lhs ? loadLhs(op, lhs, m * kMmaM, k)
                         : SmallVector<Value>(ArrayRef(given).slice(
                               4 * (m * depth + k) / kMmaK, 4)));
    for (int64_t n = 0; n < columns; n += 2)
      right.push_back(loadRhs(op, rhs, n * kMmaN, k));
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < columns; ++n) {
        int64_t first = 4 * (m * columns + n);
        SmallVector<Value> added =
            multiplyMatrices(rhsType.getElement(), left[m],
                             ArrayRef(right[n / 2]).slice(2 * (n % 2), 2),
                             ArrayRef(sums).slice(first, 4));
        llvm::copy(added, sums.begin() + first);
      }
  }
  return sums;
}

SmallVector<Value> UniformRoles::consume(ws::RolesOp op, Value step,
                                         Value stage, ValueRange carried) {
  IRMapping values;
  Block &body = op.getConsume().front();
  values.map(body.getArgument(0), step);
  for (Value taken : body.getArguments().drop_front()) {
    int64_t count = countNumbers(taken.getType());
    held[taken] = carried.take_front(count);
    carried = carried.drop_front(count);
  }
  for (Operation &inner : body.without_terminator()) {
    index.loc = inner.getLoc();
    if (auto enter = dyn_cast<ws::GetEnterOp>(inner))
      values.map(enter.getTiles(),
                 tilesAt(enter.getChannel().getType(),
                         channels.lookup(enter.getChannel()), stage));
    else if (auto clear = dyn_cast<ws::ClearOp>(inner))
      index.branch(values.lookupOrDefault(clear.getWhere()), [&] {
        clearRows(clear.getTile().getType(), values.lookup(clear.getTile()),
                  values.lookupOrDefault(clear.getRow()), threads);
        barrier();
      });
    else if (auto mma = dyn_cast<ws::MmaOp>(inner))
      held[mma] = multiply(mma, values.lookupOrNull(mma.getLhs()),
                           values.lookup(mma.getRhs()));
    else if (auto wait = dyn_cast<ws::MmaWaitOp>(inner))
      held[wait] = held.lookup(wait.getStarted()); // mma.sync has ended
    else if (!isa<ws::GetExitOp>(inner) && !lowerNumbers(inner, values))
      builder.clone(inner, values);
  }
  SmallVector<Value> results;
  for (Value result : body.getTerminator()->getOperands())
    llvm::append_range(results, held.lookup(result));
  return results;
}

} // namespace heddle
