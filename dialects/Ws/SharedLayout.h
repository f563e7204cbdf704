// Where the elements of a tile lie in shared memory: a linear map over GF(2)
// from the bits of row and column to the bits of an address, and what reads
// through it cost.

#ifndef HEDDLE_DIALECTS_WS_SHAREDLAYOUT_H
#define HEDDLE_DIALECTS_WS_SHAREDLAYOUT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle::ws {

/// Bytes that one lane copies or hands to ldmatrix at once: a chunk.
inline constexpr int64_t kChunkBytes = 16;

/// A row-major tile whose chunks are exchanged within their rows: chunk `c` of
/// row `r` lies at c xor ((r >> shift) mod 2^bits). Row and chunk enter by
/// exclusive or alone, so that the map is linear over GF(2); it is one-to-one
/// as long as a row has at least 2^bits chunks, since a row is mapped to
/// itself.
struct SharedLayout {
  int64_t rowBytes = 0;
  int64_t bits = 0;
  int64_t shift = 0;

  /// The layout of rows of `rowBytes`, a power of two of at least a chunk, in
  /// which eight chunks of one column lie in all 32 banks.
  static SharedLayout withoutConflicts(int64_t rowBytes);
  /// Whether the map is one-to-one on rows of this length.
  bool isValid() const;
  /// The place of byte `byte` of row `row`, in bytes from the tile's start.
  int64_t addressOf(int64_t row, int64_t byte) const;
};

/// How often shared memory has to be read for chunks at `addresses` that lanes
/// ask for at once: each of its 32 banks of 4 bytes gives one word a time, and
/// one word to all who ask for it (CUDA C++ Programming Guide, "Shared
/// Memory"). 1 is the best there is for up to eight chunks.
int64_t countBankPasses(llvm::ArrayRef<int64_t> addresses);

} // namespace heddle::ws

#endif // HEDDLE_DIALECTS_WS_SHAREDLAYOUT_H
