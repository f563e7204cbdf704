// Numbers in the registers of lanes: what is loaded, computed at each place,
// combined by rows, and rounded for the next product.

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

int64_t countNumbers(Type type) {
  if (auto rows = dyn_cast<ws::RowsType>(type))
    return warpM(rows) / 8;
  auto sums = cast<ws::AccumulatorType>(type);
  return warpM(sums) * warpN(sums) / kWarpThreads;
}

/// Which of a lane's rows its number `i` is of.
static int64_t rowOf(Type type, int64_t i) {
  if (isa<ws::RowsType>(type))
    return i;
  int64_t matrix = i / 4, part = i % 4;
  int64_t columns = warpN(cast<ws::AccumulatorType>(type)) / kMmaN;
  return matrix / columns * 2 + part / 2;
}

/// Of a place, the lane's first one and how far it is behind that; null for
/// other numbers.
static std::pair<Value, Value> splitPlace(Value number) {
  auto narrowed = number.getDefiningOp<arith::IndexCastOp>();
  auto widened = narrowed
                     ? narrowed.getIn().getDefiningOp<arith::IndexCastUIOp>()
                     : nullptr;
  auto sum = widened ? widened.getIn().getDefiningOp<arith::AddIOp>() : nullptr;
  if (!sum || !matchPattern(sum.getRhs(), m_Constant()))
    return {};
  return {sum.getLhs(), sum.getRhs()};
}

/// A difference that does not overflow, of a place and another number, as that
/// of the lane's first place and that number, which all places of the lane have
/// in common, and a constant; null for others.
static Value subtractPlace(OpBuilder &builder, arith::SubIOp op,
                           const IRMapping &values) {
  constexpr auto exact = arith::IntegerOverflowFlags::nsw;
  if (op.getOverflowFlags() != exact)
    return {};
  Location loc = op.getLoc();
  Value left = values.lookupOrDefault(op.getLhs()),
        right = values.lookupOrDefault(op.getRhs());
  if (auto [first, behind] = splitPlace(right); first)
    return arith::SubIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, left, first), behind,
        exact);
  if (auto [first, behind] = splitPlace(left); first)
    return arith::AddIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, first, right), behind,
        exact);
  return {};
}

SmallVector<Value> RoleLowering::inlineRegion(Region &region,
                                              ValueRange arguments,
                                              const IRMapping &outside) {
  IRMapping values(outside);
  Block &body = region.front();
  values.map(body.getArguments(), arguments);
  for (Operation &inner : body.without_terminator()) {
    auto difference = dyn_cast<arith::SubIOp>(inner);
    if (Value split =
            difference ? subtractPlace(builder, difference, values) : Value())
      values.map(difference.getResult(), split);
    else
      builder.clone(inner, values);
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return values.lookupOrDefault(value); });
}

SmallVector<Value> RoleLowering::placeOf(Type type, int64_t i) {
  int64_t row = rowOf(type, i);
  auto sums = dyn_cast<ws::AccumulatorType>(type);
  int64_t height = sums ? warpM(sums) : warpM(cast<ws::RowsType>(type));
  Value firstOfWarp = binary<arith::MulIOp>(warpRow, height);
  Value first = add(firstOfWarp, laneRow());
  SmallVector<Value> place = {widen(add(first, row / 2 * kMmaM + row % 2 * 8))};
  if (!sums)
    return place;
  int64_t column = i / 4 % (warpN(sums) / kMmaN) * kMmaN + i % 2;
  Value startOfWarp = binary<arith::MulIOp>(warpColumn, warpN(sums));
  Value start = add(startOfWarp, laneColumn());
  place.push_back(widen(add(start, column)));
  return place;
}

Value RoleLowering::globalAddress(Value source, Value position,
                                  int64_t elementBytes) {
  Location loc = index.loc;
  Type i64 = builder.getI64Type();
  Value start = arith::IndexCastOp::create(
      builder, loc, i64,
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, source));
  Value bytes = arith::IndexCastOp::create(builder, loc, i64,
                                           index.mul(position, elementBytes));
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace);
  return advance(LLVM::IntToPtrOp::create(builder, loc, pointer, start), bytes);
}

RoleLowering::Source RoleLowering::sourceAt(Region &place, Value row,
                                            Value column,
                                            const IRMapping &outside) {
  Value wideRow = widen(row);
  SmallVector<Value> found =
      inlineRegion(place, {wideRow, widen(column)}, outside);
  Value position = found[0], inside = found[1];
  if (matchPattern(inside, m_One()))
    return {position, {}};
  return {arith::SelectOp::create(builder, index.loc, inside, position,
                                  index.constant(0)),
          inside};
}

/// The two elements at `row` from `column` on, as one register.
Value RoleLowering::loadPair(ws::LoadOp op, const IRMapping &outside, Value row,
                             Value column) {
  Location loc = index.loc;
  int64_t chunk = op.getChunk();
  Type element = op.getResult().getType().getElement();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  Value pair;
  for (int64_t at = 0; at < 2; at += chunk) {
    auto [position, inside] =
        sourceAt(op.getPlace(), row, add(column, at), outside);
    Type word = builder.getIntegerType(chunk * bytes * 8);
    Value loaded = LLVM::LoadOp::create(
        builder, loc, word, globalAddress(op.getSource(), position, bytes),
        static_cast<unsigned>(chunk * bytes));
    if (inside)
      loaded = arith::SelectOp::create(
          builder, loc, inside, loaded,
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(word)));
    if (chunk == 2)
      return loaded;
    loaded = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), loaded);
    pair = at == 0 ? loaded
                   : arith::OrIOp::create(builder, loc, pair,
                                          binary<arith::ShLIOp>(loaded, 16))
                         .getResult();
  }
  return pair;
}

SmallVector<Value> RoleLowering::load(ws::LoadOp op, const IRMapping &outside) {
  ws::OperandType type = op.getResult().getType();
  Value firstOfWarp = binary<arith::MulIOp>(warpRow, warpM(type));
  Value firstRow = add(firstOfWarp, laneRow()), firstColumn = laneColumn();
  SmallVector<Value> registers;
  for (int64_t m = 0; m < warpM(type); m += kMmaM)
    for (int64_t k = 0; k < type.getColumns(); k += kMmaK)
      for (auto [row, column] :
           {std::pair(0, 0), std::pair(8, 0), {0, 8}, {8, 8}}) {
        Value here = add(firstRow, m + row);
        registers.push_back(
            loadPair(op, outside, here, add(firstColumn, k + column)));
      }
  return registers;
}

/// Whether `op` multiplies each number by that of its row.
static bool isScaling(ws::MapOp op) {
  ValueRange numbers = op.getNumbers();
  if (op.getWhere() || numbers.size() != 2 ||
      numbers[0].getType() != op.getResult().getType() ||
      !isa<ws::RowsType>(numbers[1].getType()))
    return false;
  Block &body = op.getBody().front();
  auto product =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  return product && product.getLhs() == body.getArgument(0) &&
         product.getRhs() == body.getArgument(1);
}

/// Whether some of `factors`, of any lane of the warp, is not 1.
static Value changesAny(OpBuilder &builder, Location loc, ValueRange factors) {
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
  Value changes;
  for (Value factor : factors) {
    Value isOther = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, factor, one);
    changes =
        changes
            ? arith::OrIOp::create(builder, loc, changes, isOther).getResult()
            : isOther;
  }
  Value allLanes =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(), allLanes,
                                  changes, NVVM::VoteSyncKind::any);
}

SmallVector<Value> RoleLowering::map(ws::MapOp op, const IRMapping &outside) {
  Type type = op.getResult().getType();
  auto computeAll = [&] {
    SmallVector<Value> results;
    for (int64_t i = 0; i < countNumbers(type); ++i) {
      SmallVector<Value> arguments;
      for (Value operand : op.getNumbers())
        arguments.push_back(held.lookup(
            operand)[operand.getType() == type ? i : rowOf(type, i)]);
      llvm::append_range(arguments, placeOf(type, i));
      results.append(inlineRegion(op.getBody(), arguments, outside));
    }
    return results;
  };
  Value where;
  if (op.getWhere())
    where = outside.lookupOrDefault(op.getWhere());
  else if (isScaling(op))
    // Once the largest score of a row is found its sums stay as they are.
    where = changesAny(builder, index.loc, held.lookup(op.getNumbers()[1]));
  if (!where)
    return computeAll();
  SmallVector<Value> elsewhere = held.lookup(op.getNumbers()[0]);
  auto branch =
      scf::IfOp::create(builder, index.loc, ValueRange(elsewhere).getTypes(),
                        where, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, index.loc, computeAll());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, index.loc, elsewhere);
  return branch.getResults();
}

SmallVector<Value> RoleLowering::reduce(ws::ReduceOp op,
                                        const IRMapping &outside) {
  SmallVector<Value> results(countNumbers(op.getResult().getType()));
  auto combine = [&](Value left, Value right) {
    return inlineRegion(op.getBody(), {left, right}, outside)[0];
  };
  Type type = op.getNumbers().getType();
  for (auto [i, number] : llvm::enumerate(held.lookup(op.getNumbers()))) {
    Value &result = results[rowOf(type, static_cast<int64_t>(i))];
    result = result ? combine(result, number) : number;
  }
  // The four lanes of a row are neighbours.
  constexpr int64_t allLanes = -1, lastLane = kWarpThreads - 1;
  for (Value &result : results)
    for (int64_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(
          builder, index.loc, result.getType(), i32(allLanes), result,
          i32(distance), i32(lastLane), NVVM::ShflKind::bfly, UnitAttr());
      result = combine(result, other);
    }
  return results;
}

/// The sums of two matrices of 16 by 8 beside each other are, two by two, the
/// registers of one of 16 by 16.
SmallVector<Value> RoleLowering::narrow(ws::NarrowOp op) {
  Location loc = index.loc;
  Type element = op.getResult().getType().getElement();
  StringRef name =
      element.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  SmallVector<Value> numbers = held.lookup(op.getNumbers()), registers;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    // The first operand is the upper half.
    Value pair =
        LLVM::CallIntrinsicOp::create(
            builder, loc, VectorType::get({2}, element),
            builder.getStringAttr(name), ValueRange{numbers[i + 1], numbers[i]})
            .getResults();
    registers.push_back(
        LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair));
  }
  return registers;
}

bool RoleLowering::lowerNumbers(Operation &op, const IRMapping &outside) {
  if (auto zero = dyn_cast<ws::ZeroOp>(op)) {
    Value value = arith::ConstantOp::create(builder, index.loc,
                                            builder.getF32FloatAttr(0));
    held[zero].assign(countNumbers(zero.getResult().getType()), value);
  } else if (auto load = dyn_cast<ws::LoadOp>(op)) {
    held[load] = this->load(load, outside);
  } else if (auto map = dyn_cast<ws::MapOp>(op)) {
    held[map] = this->map(map, outside);
  } else if (auto reduce = dyn_cast<ws::ReduceOp>(op)) {
    held[reduce] = this->reduce(reduce, outside);
  } else if (auto narrow = dyn_cast<ws::NarrowOp>(op)) {
    held[narrow] = this->narrow(narrow);
  } else {
    return false;
  }
  return true;
}

} // namespace heddle
