// Emits where a tile of rows begins, and the branch between its sizes.

#include "passes/Kernel/Cpu/RowTiles.h"

#include "llvm/Support/MathExtras.h"

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

/// The lowest of the tiles that so many rows make, at least `least` and a
/// multiple of `step`; as well of pairs of rows.
static int64_t lowestTile(int64_t least, int64_t most, int64_t step,
                          int64_t mostRows) {
  if (step % mostRows == 0)
    return mostRows;
  // That many and more make tiles of two heights, the highest ones.
  int64_t many = (mostRows - 1) * (mostRows - 1), lowest = mostRows;
  if (most >= many)
    lowest = std::max<int64_t>(mostRows - 1, 1);
  int64_t first = std::max(llvm::divideCeilSigned(least, step), int64_t(1));
  for (int64_t rows = first * step; rows <= std::min(most, many); rows += step)
    lowest = std::min(lowest, rows / int64_t(llvm::divideCeil(rows, mostRows)));
  return lowest;
}

SizedRows::SizedRows(const Extent &rows, int64_t mostRows, int64_t least,
                     int64_t divisor)
    : rows(rows), tiles(rows.ceilDiv(mostRows)), mostRows(mostRows),
      step(mostRows % 2 ? 1 : 2), divisor(divisor) {
  mayLack = divisor % step != 0;
  mayBeOne = mayLack && least <= 1;
  leastRows = step * lowestTile(llvm::divideCeil(least, step),
                                llvm::divideCeil(rows.bound(), step),
                                mayLack ? 1 : divisor / step, mostRows / step);
}

SizedRows SizedRows::part(IndexBuilder &index, Value count) const {
  SizedRows result = *this;
  result.partRows = count;
  result.partTiles = index.div(index.add(count, mostRows - 1), mostRows);
  return result;
}

Value SizedRows::firstRowOf(IndexBuilder &index, KernelFrame &frame,
                            Value number) const {
  if (divisor % mostRows == 0)
    return index.mul(number, mostRows);
  Value all = partRows ? partRows : index.valueOf(frame.numberOf(rows));
  Value steps = index.div(index.add(all, step - 1), step);
  Number count = partTiles ? Number(partTiles) : frame.numberOf(tiles);
  Value first = index.mul(index.div(index.mul(number, steps), count), step);
  return mayLack ? index.min(first, all) : first;
}

std::pair<Value, Value>
SizedRows::rowsOf(IndexBuilder &index, KernelFrame &frame, Value number) const {
  Value first = firstRowOf(index, frame, number);
  if (haveOneHeight())
    return {first, index.constant(mostRows)};
  Value next = firstRowOf(index, frame, index.add(number, 1));
  return {first, index.sub(next, first)};
}

/// Emits `body` for the heights from `least` to `most` in these steps, the
/// lowest of which that `count` rows fit in.
static void emitHeights(IndexBuilder &index, int64_t least, int64_t most,
                        int64_t step, Value count,
                        function_ref<void(int64_t)> body) {
  if (most == least)
    return body(most);
  int64_t lower = most - step;
  index.branch(
      index.less(count, index.constant(lower + 1)),
      [&] { emitHeights(index, least, lower, step, count, body); },
      [&] { body(most); });
}

void SizedRows::emitTile(IndexBuilder &index, KernelFrame &frame, Value number,
                         function_ref<void(const SizedTile &)> body) const {
  auto [first, count] = rowsOf(index, frame, number);
  Value given = mayLack ? count : Value();
  auto emitHeight = [&, first = first, count = count](int64_t height) {
    auto emit = [&] { body({first, height, given}); };
    if (height != leastRows || !mayBeOne)
      return emit();
    index.branch(
        index.less(count, index.constant(2)), [&] { body({first, 1, {}}); },
        emit);
  };
  emitHeights(index, leastRows, mostRows, step, count, emitHeight);
}

} // namespace heddle
