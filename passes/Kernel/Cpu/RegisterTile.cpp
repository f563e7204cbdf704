// Emits the sums of a block of results that stays in registers.

#include "passes/Kernel/Cpu/RegisterTile.h"
#include "heddle/Target/Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;

namespace heddle {

int64_t accumulatorLanes(Type accumulator) {
  return accumulator.getIntOrFloatBitWidth() > 32 ? logicalLanes / 2
                                                  : logicalLanes;
}

Value convertElements(OpBuilder &builder, Location loc, Value value,
                      Type elementType, bool isUnsigned) {
  Type from = getElementTypeOrSelf(value);
  if (from == elementType)
    return value;
  Type to = elementType;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    to = VectorType::get(vector.getShape(), elementType);
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(builder, loc, to, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, to, value);
  return arith::ExtSIOp::create(builder, loc, to, value);
}

// Rounded once where there is an instruction for it, and a product and a sum
// where there is none. vector.fma would not do: its lowering leaves the choice
// to LLVM.
Value multiplyAdd(OpBuilder &builder, Location loc, Value left, Value right,
                  Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return math::FmaOp::create(builder, loc, left, right, sum,
                               arith::FastMathFlags::contract);
  Value product = arith::MulIOp::create(builder, loc, left, right);
  return arith::AddIOp::create(builder, loc, sum, product);
}

void TileLhs::setRows(IndexBuilder &index, int64_t height, const Number &stride,
                      Value count) {
  for (int64_t r = 0; r < height; ++r) {
    Value row = index.constant(r);
    bool mayBeBeyond = count && r == height - 1;
    if (mayBeBeyond)
      row = index.min(row, index.add(count, -1));
    if (stride.value) {
      starts.push_back(index.at(base, row, stride));
    } else if (mayBeBeyond) {
      rows.push_back(0);
      lastRow = index.mul(row, stride.number);
    } else {
      rows.push_back(r * stride.number);
    }
  }
}

RegisterTile::RegisterTile(OpBuilder &builder, Location loc, Type accumulator,
                           int64_t rows, int64_t vectors)
    : vectorType(VectorType::get({accumulatorLanes(accumulator)}, accumulator)),
      rows(rows), vectors(vectors), lanes(accumulatorLanes(accumulator)),
      builder(builder), loc(loc), index(builder, loc) {}

SmallVector<Value> RegisterTile::zeros() {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  return SmallVector<Value>(rows * vectors, zero);
}

SmallVector<Value> RegisterTile::load(Value buffer, Value base) {
  SmallVector<Value> accumulators;
  for (int64_t i = 0; i < rows * vectors; ++i)
    accumulators.push_back(vector::LoadOp::create(
        builder, loc, vectorType, buffer, index.add(base, i * lanes)));
  return accumulators;
}

void RegisterTile::store(ValueRange accumulators, Value buffer, Value base) {
  for (auto [i, accumulator] : llvm::enumerate(accumulators))
    vector::StoreOp::create(builder, loc, accumulator, buffer,
                            index.add(base, i * lanes));
}

SmallVector<Value> RegisterTile::accumulate(const TileLhs &lhs,
                                            const TileRhs &rhs, Value low,
                                            Value high, ValueRange accumulators,
                                            const TilePrefetch *prefetch) {
  auto constantLow = getConstantIntValue(low);
  auto constantHigh = getConstantIntValue(high);
  std::optional<int64_t> most = mostSteps;
  int64_t multiple = stepsMultiple;
  if (constantLow && constantHigh)
    most = multiple = *constantHigh - *constantLow;
  if (rhs.scales)
    return accumulateScaled(lhs, rhs, low, high, accumulators, prefetch,
                            multiple);
  if (isa<IntegerType>(vectorType.getElementType()) ||
      (most && *most <= chainSteps + chainSteps / 2))
    return accumulateChain(lhs, rhs, low, high, accumulators, prefetch,
                           multiple);
  Value chain = index.constant(chainSteps);
  return index.loop(
      low, high, chainSteps, accumulators, [&](Value begin, ValueRange totals) {
        Value end = index.min(index.add(begin, chain), high);
        SmallVector<Value> sums =
            accumulateChain(lhs, rhs, begin, end, zeros(), prefetch,
                            std::gcd(multiple, chainSteps));
        for (auto [sum, total] : llvm::zip(sums, totals))
          sum = arith::AddFOp::create(builder, loc, total, sum);
        return sums;
      });
}

/// How many steps fetch one vector's worth of bytes, a cache line: one of so
/// many asks for it.
static int64_t stepsPerFetch(const TilePrefetch &prefetch) {
  auto type = cast<MemRefType>(prefetch.buffer.getType());
  int64_t bytes = prefetch.step.known().value_or(logicalVectorBytes) *
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return std::max<int64_t>(1, logicalVectorBytes / std::max<int64_t>(1, bytes));
}

SmallVector<Value> RegisterTile::runSteps(const TileLhs &lhs,
                                          const TileRhs &rhs, Value k,
                                          int64_t count,
                                          ValueRange accumulators,
                                          const TilePrefetch *prefetch) {
  SmallVector<Value> sums(accumulators);
  if (prefetch) {
    Value ahead = index.at(prefetch->base, k, prefetch->step);
    for (int64_t i = 0; i < count; i += stepsPerFetch(*prefetch))
      memref::PrefetchOp::create(
          builder, loc, prefetch->buffer,
          index.at(ahead, index.constant(i), prefetch->step),
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
  Value lhsPosition = lhsPositionAt(lhs, k);
  Value rhsPosition = index.at(rhs.base, k, rhs.step);
  for (int64_t i = 0; i < count; ++i) {
    Value number = index.constant(i);
    Value lhsNow = index.at(lhsPosition, number, lhs.step);
    step(lhs, lhsNow, rhs, index.at(rhsPosition, number, rhs.step), sums);
  }
  return sums;
}

/// The most terms of each sum that are written without a loop.
static constexpr int64_t straightTerms = 32;

Value RegisterTile::loadScales(const TileScales &scales, int64_t v,
                               Value block) {
  Type element = cast<MemRefType>(scales.buffer.getType()).getElementType();
  Value loaded = vector::LoadOp::create(
      builder, loc, VectorType::get({lanes}, element), scales.buffer,
      index.add(block, scales.vectors[v]));
  return convertElements(builder, loc, loaded, vectorType.getElementType());
}

SmallVector<Value>
RegisterTile::accumulateScaled(const TileLhs &lhs, const TileRhs &rhs,
                               Value low, Value high, ValueRange accumulators,
                               const TilePrefetch *prefetch, int64_t multiple) {
  const TileScales &scales = *rhs.scales;
  int64_t steps = scales.chainSteps;
  return index.loop(
      low, high, steps, accumulators, [&](Value begin, ValueRange totals) {
        Value block = index.at(scales.base, index.div(begin, scales.blockSteps),
                               scales.stride);
        TileRhs part = rhs;
        if (scales.zeroPoints)
          for (int64_t offset : scales.vectors)
            part.zeroPoints.push_back(words->zeroPoints(
                builder, loc, scales.zeroPoints, index.add(block, offset)));
        bool areWhole = multiple % steps == 0;
        SmallVector<Value> sums;
        if (areWhole && stepsPerIteration > 1 &&
            steps * words->terms <= straightTerms) {
          sums = runSteps(lhs, part, begin, steps, zeros(), prefetch);
        } else {
          Value end = index.add(begin, steps);
          if (!areWhole)
            end = index.min(end, high);
          sums = accumulateChain(lhs, part, begin, end, zeros(), prefetch,
                                 std::gcd(multiple, steps));
        }
        for (int64_t v = 0; v < vectors; ++v) {
          Value scale = loadScales(scales, v, block);
          for (int64_t r = 0; r < rows; ++r) {
            Value &sum = sums[r * vectors + v];
            sum =
                multiplyAdd(builder, loc, sum, scale, totals[r * vectors + v]);
          }
        }
        return sums;
      });
}

SmallVector<Value>
RegisterTile::accumulateChain(const TileLhs &lhs, const TileRhs &rhs, Value low,
                              Value high, ValueRange accumulators,
                              const TilePrefetch *prefetch, int64_t multiple) {
  auto steps = [&](Value k, ValueRange carried, int64_t count) {
    return runSteps(lhs, rhs, k, count, carried, prefetch);
  };
  auto single = [&](Value k, ValueRange carried) {
    return steps(k, carried, 1);
  };
  auto constantLow = getConstantIntValue(low);
  auto constantHigh = getConstantIntValue(high);
  if (stepsPerIteration == 1 ||
      (constantLow && constantHigh &&
       *constantHigh - *constantLow < 2 * stepsPerIteration))
    return index.loop(low, high, 1, accumulators, single);
  auto run = [&](Value k, ValueRange carried) {
    return steps(k, carried, stepsPerIteration);
  };
  if (multiple % stepsPerIteration == 0)
    return index.loop(low, high, stepsPerIteration, accumulators, run);
  // Runs of steps, then what is left over one by one.
  Value runs = index.div(index.sub(high, low), stepsPerIteration);
  Value middle = index.at(low, runs, stepsPerIteration);
  SmallVector<Value> sums =
      index.loop(low, middle, stepsPerIteration, accumulators, run);
  return index.loop(middle, high, 1, sums, single);
}

Value RegisterTile::lhsPositionAt(const TileLhs &lhs, Value k) {
  return lhs.starts.empty() ? index.at(lhs.base, k, lhs.step)
                            : index.mul(k, lhs.step);
}

SmallVector<Value> RegisterTile::accumulateRest(const TileLhs &lhs,
                                                const TileRhs &rhs, Value k,
                                                int64_t count,
                                                ValueRange accumulators) {
  SmallVector<Value> sums(accumulators);
  stepTerms(lhs, lhsPositionAt(lhs, k), rhs, index.at(rhs.base, k, rhs.step),
            count, sums);
  return sums;
}

Value RegisterTile::positionOf(const TileLhs &lhs, int64_t r, Value position) {
  if (!lhs.starts.empty())
    return index.add(lhs.starts[r], position);
  if (!lhs.rows[r])
    return {};
  position = index.add(position, *lhs.rows[r]);
  return lhs.lastRow && r == rows - 1 ? index.add(position, lhs.lastRow)
                                      : position;
}

Value RegisterTile::loadColumns(const TileRhs &rhs, int64_t v, Value position,
                                int64_t count) {
  Type element = cast<MemRefType>(rhs.buffer.getType()).getElementType();
  auto type = VectorType::get({count}, element);
  position = index.add(position, rhs.vectors[v]);
  if (rhs.masks.empty() || !rhs.masks[v])
    return vector::LoadOp::create(builder, loc, type, rhs.buffer, position);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, rhs.buffer, position,
                                      rhs.masks[v], zero);
}

void RegisterTile::stepTerms(const TileLhs &lhs, Value lhsPosition,
                             const TileRhs &rhs, Value rhsPosition,
                             int64_t count,
                             MutableArrayRef<Value> accumulators) {
  SmallVector<StepProducts::Factor> factors;
  for (int64_t v = 0; v < vectors; ++v) {
    SmallVector<Value> loaded;
    if (!rhs.termStride) {
      loaded = {loadColumns(rhs, v, rhsPosition, lanes * products->perStep())};
    } else {
      for (int64_t term = 0; term < count; ++term)
        loaded.push_back(loadColumns(
            rhs, v,
            index.at(rhsPosition, index.constant(term), *rhs.termStride),
            lanes));
      while (int64_t(loaded.size()) < products->perStep())
        loaded.push_back(arith::ConstantOp::create(
            builder, loc, builder.getZeroAttr(loaded.front().getType())));
    }
    factors.push_back(products->columns(builder, loc, loaded));
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value position = positionOf(lhs, r, lhsPosition);
    if (!position)
      continue;
    Value buffer = lhs.buffers.empty() ? lhs.buffer : lhs.buffers[r];
    StepProducts::Factor row =
        products->row(builder, loc, buffer, position, count);
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = accumulators[r * vectors + v];
      sum = products->multiplyAdd(builder, loc, row, factors[v], sum);
    }
  }
}

void RegisterTile::multiplyRows(const TileLhs &lhs, Value lhsPosition,
                                ArrayRef<Value> factors,
                                MutableArrayRef<Value> accumulators) {
  for (int64_t r = 0; r < rows; ++r) {
    Value position = positionOf(lhs, r, lhsPosition);
    if (!position)
      continue;
    Value buffer = lhs.buffers.empty() ? lhs.buffer : lhs.buffers[r];
    Value scalar = memref::LoadOp::create(builder, loc, buffer, position);
    Value spread = vector::BroadcastOp::create(
        builder, loc, vectorType,
        convertElements(builder, loc, scalar, vectorType.getElementType(),
                        lhs.isUnsigned));
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = accumulators[r * vectors + v];
      sum = multiplyAdd(builder, loc, spread, factors[v], sum);
    }
  }
}

void RegisterTile::stepWords(const TileLhs &lhs, Value lhsPosition,
                             const TileRhs &rhs, Value rhsPosition,
                             MutableArrayRef<Value> accumulators) {
  SmallVector<Value> held;
  for (int64_t offset : rhs.vectors)
    held.push_back(
        words->load(builder, loc, rhs.buffer, index.add(rhsPosition, offset)));
  // Term by term, so that few of them are in registers.
  for (int64_t term = 0; term < words->terms; ++term) {
    SmallVector<Value> factors;
    for (auto [v, word] : llvm::enumerate(held))
      factors.push_back(
          words->number(builder, loc, word, term,
                        rhs.zeroPoints.empty() ? Value() : rhs.zeroPoints[v]));
    multiplyRows(lhs, index.add(lhsPosition, term), factors, accumulators);
  }
}

void RegisterTile::step(const TileLhs &lhs, Value lhsPosition,
                        const TileRhs &rhs, Value rhsPosition,
                        MutableArrayRef<Value> accumulators) {
  if (words)
    return stepWords(lhs, lhsPosition, rhs, rhsPosition, accumulators);
  if (products)
    return stepTerms(lhs, lhsPosition, rhs, rhsPosition, products->perStep(),
                     accumulators);
  SmallVector<Value> factors;
  for (int64_t v = 0; v < vectors; ++v)
    factors.push_back(
        convertElements(builder, loc, loadColumns(rhs, v, rhsPosition, lanes),
                        vectorType.getElementType(), rhs.isUnsigned));
  multiplyRows(lhs, lhsPosition, factors, accumulators);
}

} // namespace heddle
