// Emits where a tile of rows begins, and the branch between its sizes.

#include "passes/Kernel/Cpu/RowTiles.h"

using namespace mlir;

namespace heddle {

/// The first row of a small tile.
static Value firstSmallRow(IndexBuilder &index, const RowSplit &split,
                           Value number) {
  Value afterBig = index.add(number, -split.bigCount);
  return index.add(index.mul(afterBig, split.smallRows()),
                   split.bigCount * split.bigRows);
}

Value firstRowOfTile(IndexBuilder &index, const RowSplit &split, Value number) {
  Value big = index.mul(number, split.bigRows);
  if (split.smallCount == 0)
    return big;
  // Small tiles counted backwards from the big ones start later.
  return index.min(big, firstSmallRow(index, split, number));
}

Value tilesBefore(IndexBuilder &index, const RowSplit &split, Value row) {
  auto count = [&](Value rows, int64_t each) {
    return index.div(index.add(rows, each - 1), each);
  };
  if (split.smallCount == 0)
    return count(row, split.bigRows);
  int64_t inBig = split.bigCount * split.bigRows;
  Value big = index.min(row, index.constant(inBig));
  Value small = index.max(index.add(row, -inBig), index.constant(0));
  return index.add(count(big, split.bigRows), count(small, split.smallRows()));
}

void emitTileOfRows(IndexBuilder &index, const RowSplit &split, Value number,
                    function_ref<void(Value, int64_t)> body) {
  if (split.smallCount == 0) {
    body(index.mul(number, split.bigRows), split.bigRows);
    return;
  }
  index.branch(
      index.less(number, index.constant(split.bigCount)),
      [&] { body(index.mul(number, split.bigRows), split.bigRows); },
      [&] { body(firstSmallRow(index, split, number), split.smallRows()); });
}

Value SizedRows::firstRowOf(IndexBuilder &index, KernelFrame &frame,
                            Value number) const {
  if (rows.isMultipleOf(mostRows))
    return index.mul(number, mostRows);
  return index.div(index.mul(number, frame.numberOf(rows)),
                   frame.numberOf(tiles));
}

/// Emits `body` for the heights up to `most`, one of which `height` is.
static void emitHeights(IndexBuilder &index, int64_t most, Value height,
                        function_ref<void(int64_t)> body) {
  if (most == 1)
    return body(1);
  index.branch(
      index.less(height, index.constant(most)),
      [&] { emitHeights(index, most - 1, height, body); }, [&] { body(most); });
}

void SizedRows::emitTile(IndexBuilder &index, KernelFrame &frame, Value number,
                         function_ref<void(Value, int64_t)> body) const {
  Value first = firstRowOf(index, frame, number);
  if (rows.isMultipleOf(mostRows))
    return body(first, mostRows);
  Value next = firstRowOf(index, frame, index.add(number, 1));
  emitHeights(index, mostRows, index.sub(next, first),
              [&](int64_t height) { body(first, height); });
}

} // namespace heddle
