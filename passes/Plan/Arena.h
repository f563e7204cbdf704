// Places of buffers in one piece of memory.

#ifndef HEDDLE_PASSES_PLAN_ARENA_H
#define HEDDLE_PASSES_PLAN_ARENA_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace heddle {

/// A buffer that is alive from command `first` to command `last`, both
/// included.
struct ArenaBuffer {
  int64_t size = 0;
  int64_t first = 0, last = 0;
};

struct ArenaLayout {
  std::vector<int64_t> offsets;
  int64_t size = 0;
};

/// The largest buffers first, each at the lowest place that is free while it
/// lives (greedy by size, arXiv 2001.03288). Offsets are multiples of
/// `alignment`; buffers of the same size go in their order, so equal inputs
/// give equal layouts.
ArenaLayout layOutArena(llvm::ArrayRef<ArenaBuffer> buffers, int64_t alignment);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_ARENA_H
