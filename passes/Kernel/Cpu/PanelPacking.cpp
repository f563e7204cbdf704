// Emits copies of operands into panels, transposed in registers where that
// pays.

#include "passes/Kernel/Cpu/PanelPacking.h"
#include "heddle/Target/Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// Transposes `rows`, a square of vectors, by swapping ever smaller blocks:
/// log2(n) rounds of two-operand shuffles, all in registers.
static SmallVector<Value> transposeSquare(OpBuilder &builder, Location loc,
                                          SmallVector<Value> rows) {
  int64_t size = rows.size();
  for (int64_t block = size / 2; block >= 1; block /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool upper = lane & block;
      low.push_back(upper ? size + lane - block : lane);
      high.push_back(upper ? size + lane : lane + block);
    }
    SmallVector<Value> next(size);
    for (int64_t row = 0; row < size; ++row) {
      if (row & block)
        continue;
      next[row] = vector::ShuffleOp::create(builder, loc, rows[row],
                                            rows[row + block], low);
      next[row + block] = vector::ShuffleOp::create(builder, loc, rows[row],
                                                    rows[row + block], high);
    }
    rows = std::move(next);
  }
  return rows;
}

namespace {
/// Copies steps [low, high) of the innermost depth dimension, whose first step
/// is at `base`, to `target` on.
struct RunCopy {
  IndexBuilder &index;
  const PanelSource &from;
  Value panel;
  int64_t width;
  bool isUnsigned;
  Number stride;

  Value widen(Value value) {
    return convertElements(index.builder, index.loc, value, elementOf(panel),
                           isUnsigned);
  }

  void emit(Value base, Value low, Value high, Value target);
  void rows(Value base, Value low, Value high, Value target);
  void squares(Value base, Value low, Value high, Value target);
  void elements(Value base, Value low, Value high, Value target,
                const Number &firstColumn, const Number &endColumn);
  void zeros(Value low, Value high, Value target);
};
} // namespace

void RunCopy::emit(Value base, Value low, Value high, Value target) {
  if (from.columnStride.is(1))
    return rows(base, low, high, target);
  zeros(low, high, target);
  if (stride.is(1) && elementOf(from.source).isF32())
    return squares(base, low, high, target);
  elements(base, low, high, target, 0, from.columns);
}

void RunCopy::rows(Value base, Value low, Value high, Value target) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  int64_t lanes = accumulatorLanes(elementOf(panel));
  auto type = VectorType::get({lanes}, elementOf(from.source));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  index.loop(low, high, 1, [&](Value k) {
    Value row = index.at(base, k, stride);
    Value to = index.at(target, k, width);
    for (int64_t c = 0; c < width; c += lanes) {
      int64_t valid = std::min(lanes, from.columns.number - c);
      Value loaded = zero;
      if (from.columns.value)
        loaded = vector::MaskedLoadOp::create(
            builder, loc, type, from.source, index.add(row, c),
            countMask(builder, loc, lanes, index.add(from.columns.value, -c)),
            zero);
      else if (valid == lanes)
        loaded = vector::LoadOp::create(builder, loc, type, from.source,
                                        index.add(row, c));
      else if (valid > 0)
        loaded = vector::MaskedLoadOp::create(
            builder, loc, type, from.source, index.add(row, c),
            tailMask(builder, loc, lanes, valid), zero);
      vector::StoreOp::create(builder, loc, widen(loaded), panel,
                              index.add(to, c));
    }
  });
}

void RunCopy::zeros(Value low, Value high, Value target) {
  int64_t lanes = accumulatorLanes(elementOf(panel));
  // All of them where a call says how many columns there are.
  int64_t first = from.columns.number / lanes * lanes;
  if (from.columns.is(width))
    return;
  OpBuilder &builder = index.builder;
  Value zero = arith::ConstantOp::create(
      builder, index.loc,
      builder.getZeroAttr(VectorType::get({lanes}, elementOf(panel))));
  auto clear = [&] {
    index.loop(low, high, 1, [&](Value k) {
      for (int64_t c = first; c < width; c += lanes)
        vector::StoreOp::create(builder, index.loc, zero, panel,
                                index.add(index.at(target, k, width), c));
    });
  };
  if (!from.columns.value)
    return clear();
  index.branch(index.less(from.columns.value, index.constant(width)), clear);
}

void RunCopy::squares(Value base, Value low, Value high, Value target) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  constexpr int64_t size = logicalLanes;
  auto type = VectorType::get({size}, builder.getF32Type());
  Number wholeColumns =
      from.columns.value
          ? Number(index.mul(index.div(from.columns.value, size), size))
          : Number(from.columns.number / size * size);
  // The steps that fill whole squares.
  Value steps = index.mul(index.div(index.sub(high, low), size), size);
  Value middle = index.add(low, steps);
  if (!wholeColumns.is(0))
    index.loop(low, middle, size, [&](Value k) {
      Value first = index.constant(0);
      index.loop(first, index.valueOf(wholeColumns), size, [&](Value column) {
        Value corner =
            index.at(index.at(base, k, stride), column, from.columnStride);
        SmallVector<Value> square;
        for (int64_t row = 0; row < size; ++row)
          square.push_back(vector::LoadOp::create(
              builder, loc, type, from.source,
              from.columnStride.value
                  ? index.at(corner, index.constant(row), from.columnStride)
                  : index.add(corner, row * from.columnStride.number)));
        Value to = index.add(index.at(target, k, width), column);
        for (auto [row, vector] :
             llvm::enumerate(transposeSquare(builder, loc, std::move(square))))
          vector::StoreOp::create(builder, loc, widen(vector), panel,
                                  index.add(to, row * width));
      });
    });
  else
    middle = low;
  elements(base, low, middle, target, wholeColumns, from.columns);
  elements(base, middle, high, target, 0, from.columns);
}

void RunCopy::elements(Value base, Value low, Value high, Value target,
                       const Number &firstColumn, const Number &endColumn) {
  if (!firstColumn.value && endColumn.is(firstColumn.number))
    return;
  OpBuilder &builder = index.builder;
  index.loop(low, high, 1, [&](Value k) {
    Value first = index.valueOf(firstColumn);
    index.loop(first, index.valueOf(endColumn), 1, [&](Value column) {
      Value loaded = memref::LoadOp::create(
          builder, index.loc, from.source,
          index.at(index.at(base, k, stride), column, from.columnStride));
      memref::StoreOp::create(builder, index.loc, widen(loaded), panel,
                              index.add(index.at(target, k, width), column));
    });
  });
}

void emitPanelCopy(IndexBuilder &index, const PanelSource &source, Value low,
                   Value high, Value panel, int64_t width, bool isUnsigned) {
  ArrayRef<PanelDim> outer =
      ArrayRef(source.depth).drop_back(source.depth.empty() ? 0 : 1);
  PanelDim inner = source.depth.empty() ? PanelDim() : source.depth.back();
  RunCopy copy{index, source, panel, width, isUnsigned, inner.stride};
  if (outer.empty()) {
    // The panel starts at step `low`.
    Value target = index.sub(index.constant(0), index.mul(low, width));
    copy.emit(source.base, low, high, target);
    return;
  }
  SmallVector<Number> extents;
  Number count = 1;
  for (const PanelDim &dim : outer) {
    extents.push_back(dim.extent);
    count = index.times(count, dim.extent);
  }
  Value first = index.constant(0);
  index.loop(first, index.valueOf(count), 1, [&](Value run) {
    Value base = source.base;
    for (auto [at, dim] : llvm::zip_equal(index.indicesAt(run, extents), outer))
      base = index.at(base, at, dim.stride);
    Value begin = index.constant(0), end = index.valueOf(inner.extent);
    copy.emit(base, begin, end,
              index.mul(run, index.times(inner.extent, width)));
  });
}

} // namespace heddle
