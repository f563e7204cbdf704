// Places of buffers in one piece of memory, where calls choose how large they
// are.

#ifndef HEDDLE_PASSES_PLAN_SIZEDARENA_H
#define HEDDLE_PASSES_PLAN_SIZEDARENA_H

#include "dialects/Size/Ranges.h"

#include <optional>
#include <vector>

namespace heddle {

/// A buffer that is alive from command `first` to command `last`, both
/// included.
struct SizedBuffer {
  size::Expression bytes;
  int64_t first = 0, last = 0;
};

struct SizedLayout {
  /// Of each buffer, and the same where all sizes are the largest.
  std::vector<size::Expression> offsets;
  std::vector<int64_t> largest;
  size::Expression bytes;
  int64_t largestBytes = 0;
};

/// Places for which it is proved that buffers that are alive at once share no
/// bytes, whatever sizes within `ranges` a call chooses, and that no call takes
/// more memory than one of the largest sizes. Where that cannot be said, or not
/// by expressions as large as they may be, there are none.
///
/// The buffers that can be the largest come first, each at the lowest place of
/// those where others end. What cannot be compared with each other is both
/// left free: a buffer then begins behind the greater of several ends.
std::optional<SizedLayout> layOutSizedArena(llvm::ArrayRef<SizedBuffer> buffers,
                                            int64_t alignment,
                                            const size::Ranges &ranges);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_SIZEDARENA_H
