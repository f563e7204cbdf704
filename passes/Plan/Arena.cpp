#include "passes/Plan/Arena.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace heddle;

ArenaLayout heddle::layOutArena(llvm::ArrayRef<ArenaBuffer> buffers,
                                int64_t alignment) {
  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-buffers[a].size, a) <
           std::make_pair(-buffers[b].size, b);
  });

  // The buffers that have a place, by rising offset.
  std::vector<size_t> placed;
  for (size_t i : order) {
    const ArenaBuffer &buffer = buffers[i];
    int64_t offset = 0;
    for (size_t j : placed) {
      const ArenaBuffer &other = buffers[j];
      if (other.last < buffer.first || buffer.last < other.first)
        continue;
      if (offset + buffer.size <= layout.offsets[j])
        break;
      int64_t end = layout.offsets[j] + other.size;
      offset = std::max<int64_t>(offset, llvm::alignTo(end, alignment));
    }
    layout.offsets[i] = offset;
    layout.size = std::max<int64_t>(
        layout.size, llvm::alignTo(offset + buffer.size, alignment));
    auto position = llvm::upper_bound(placed, i, [&](size_t a, size_t b) {
      return layout.offsets[a] < layout.offsets[b];
    });
    placed.insert(position, i);
  }
  return layout;
}
