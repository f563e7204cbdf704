// Emits where a tile of rows begins, and the branch between its two sizes.

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

static void emitRest(IndexBuilder &index, ArrayRef<int64_t> heights,
                     Value count, function_ref<void(int64_t)> body) {
  if (heights.size() == 1)
    return body(heights.front());
  index.branch(
      index.less(index.constant(heights.front()), count),
      [&] { emitRest(index, heights.drop_front(), count, body); },
      [&] { body(heights.front()); });
}

void emitSizedTileOfRows(IndexBuilder &index, int64_t height,
                         ArrayRef<int64_t> lastHeights, const Number &rows,
                         Value number,
                         function_ref<void(Value, int64_t, Value)> body) {
  Value first = index.mul(number, height);
  Value left = index.sub(index.valueOf(rows), first);
  index.branch(
      index.less(left, index.constant(height)),
      [&] {
        emitRest(index, lastHeights, left,
                 [&](int64_t lastHeight) { body(first, lastHeight, left); });
      },
      [&] { body(first, height, Value()); });
}

} // namespace heddle
