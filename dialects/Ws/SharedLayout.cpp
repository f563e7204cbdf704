// Swizzles of tiles in shared memory, and the bank conflicts that are left.

#include "dialects/Ws/SharedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>

namespace heddle::ws {

/// All banks together: 32 of 4 bytes.
static constexpr int64_t kBanks = 32, kBankBytes = 4;

SharedLayout SharedLayout::withoutConflicts(int64_t rowBytes) {
  // Rows that fill the banks need another chunk each; of shorter ones several
  // fill them together, and only then the chunk has to change.
  int64_t chunks = rowBytes / kChunkBytes;
  int64_t perPass = kBanks * kBankBytes / kChunkBytes;
  SharedLayout layout;
  layout.rowBytes = rowBytes;
  layout.bits = llvm::Log2_64(std::min(chunks, perPass));
  layout.shift = llvm::Log2_64(perPass) - layout.bits;
  return layout;
}

bool SharedLayout::isValid() const {
  return rowBytes >= kChunkBytes && llvm::isPowerOf2_64(rowBytes) &&
         bits >= 0 && bits <= 3 && shift >= 0 && shift <= 3 &&
         (kChunkBytes << bits) <= rowBytes;
}

int64_t SharedLayout::addressOf(int64_t row, int64_t byte) const {
  int64_t moved = ((row >> shift) & ((int64_t(1) << bits) - 1)) * kChunkBytes;
  return row * rowBytes + (byte ^ moved);
}

int64_t countBankPasses(llvm::ArrayRef<int64_t> addresses) {
  std::array<llvm::SmallVector<int64_t, 8>, kBanks> words;
  for (int64_t address : addresses)
    for (int64_t byte = 0; byte < kChunkBytes; byte += kBankBytes) {
      int64_t word = (address + byte) / kBankBytes;
      auto &bank = words[word % kBanks];
      if (!llvm::is_contained(bank, word))
        bank.push_back(word);
    }
  size_t most = 0;
  for (const auto &bank : words)
    most = std::max(most, bank.size());
  return static_cast<int64_t>(most);
}

} // namespace heddle::ws
