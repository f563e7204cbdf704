// Emits copies of operands into panels, transposed in registers where that
// pays.

#include "passes/Kernel/Cpu/PanelPacking.h"
#include "heddle/Target/Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/StepProducts.h"

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

  /// Elements of a row of the panel: all terms of a step.
  int64_t rowElements() const { return width * from.terms; }
  Value widen(Value value) {
    return convertElements(index.builder, index.loc, value, elementOf(panel),
                           isUnsigned);
  }

  void emit(Value base, Value low, Value high, Value target);
  Value columnsAt(Value position, int64_t first, int64_t lanes);
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
  bool areWords =
      from.terms > 1 ? from.termStride.is(1) : elementOf(from.source).isF32();
  if (areWords && stride.is(from.terms) && from.missingTerms == 0)
    return squares(base, low, high, target);
  elements(base, low, high, target, 0, from.columns);
}

/// The `lanes` columns from `first` on of the row at `position`, zero where
/// there are none.
Value RunCopy::columnsAt(Value position, int64_t first, int64_t lanes) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  auto type = VectorType::get({lanes}, elementOf(from.source));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  position = index.add(position, first);
  auto masked = [&](Value mask) -> Value {
    return vector::MaskedLoadOp::create(builder, loc, type, from.source,
                                        position, mask, zero);
  };
  if (from.columns.value)
    return masked(
        countMask(builder, loc, lanes, index.add(from.columns.value, -first)));
  int64_t valid = std::min(lanes, from.columns.number - first);
  if (valid == lanes)
    return vector::LoadOp::create(builder, loc, type, from.source, position);
  return valid > 0 ? masked(tailMask(builder, loc, lanes, valid)) : zero;
}

void RunCopy::rows(Value base, Value low, Value high, Value target) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  int64_t lanes = accumulatorLanes(elementOf(panel));
  index.loop(low, high, 1, [&](Value k) {
    Value row = index.at(base, k, stride);
    Value to = index.at(target, k, rowElements());
    for (int64_t c = 0; c < width; c += lanes) {
      Value columns = columnsAt(row, c, lanes);
      if (from.terms == 2) {
        Value second = arith::ConstantOp::create(
            builder, loc, builder.getZeroAttr(columns.getType()));
        if (from.missingTerms == 0)
          second = columnsAt(index.at(row, index.constant(1), from.termStride),
                             c, lanes);
        columns = interleavePairs(builder, loc, columns, second);
      }
      vector::StoreOp::create(builder, loc, widen(columns), panel,
                              index.add(to, c * from.terms));
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
  Value zero =
      arith::ConstantOp::create(builder, index.loc,
                                builder.getZeroAttr(VectorType::get(
                                    {lanes * from.terms}, elementOf(panel))));
  auto clear = [&] {
    index.loop(low, high, 1, [&](Value k) {
      for (int64_t c = first; c < width; c += lanes)
        vector::StoreOp::create(
            builder, index.loc, zero, panel,
            index.add(index.at(target, k, rowElements()), c * from.terms));
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
  auto type = VectorType::get({size * from.terms}, elementOf(from.source));
  // A column's terms are a word.
  auto words = VectorType::get({size}, builder.getI32Type());
  auto cast = [&](Value vector, VectorType to) -> Value {
    return from.terms == 1
               ? vector
               : vector::BitCastOp::create(builder, loc, to, vector);
  };
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
          square.push_back(
              cast(vector::LoadOp::create(builder, loc, type, from.source,
                                          index.at(corner, index.constant(row),
                                                   from.columnStride)),
                   words));
        Value to =
            index.at(index.at(target, k, rowElements()), column, from.terms);
        for (auto [row, vector] :
             llvm::enumerate(transposeSquare(builder, loc, std::move(square))))
          vector::StoreOp::create(builder, loc, widen(cast(vector, type)),
                                  panel, index.add(to, row * rowElements()));
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
      Value first =
          index.at(index.at(base, k, stride), column, from.columnStride);
      Value to =
          index.at(index.at(target, k, rowElements()), column, from.terms);
      for (int64_t term = 0; term < from.terms; ++term) {
        Value value;
        if (term < from.terms - from.missingTerms)
          value = widen(memref::LoadOp::create(
              builder, index.loc, from.source,
              index.at(first, index.constant(term), from.termStride)));
        else
          value = arith::ConstantOp::create(
              builder, index.loc, builder.getZeroAttr(elementOf(panel)));
        memref::StoreOp::create(builder, index.loc, value, panel,
                                index.add(to, term));
      }
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
    Value target =
        index.sub(index.constant(0), index.mul(low, copy.rowElements()));
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
              index.mul(run, index.times(inner.extent, copy.rowElements())));
  });
}

void emitPanelStep(IndexBuilder &index, const PanelSource &source, Value panel,
                   Value target, int64_t width) {
  RunCopy copy{index, source, panel, width, /*isUnsigned=*/false, 0};
  copy.emit(source.base, index.constant(0), index.constant(1), target);
}

} // namespace heddle
