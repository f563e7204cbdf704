// Damaged copies of a file, for tests of readers.

#ifndef HEDDLE_TEST_UNIT_MUTATE_H
#define HEDDLE_TEST_UNIT_MUTATE_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <random>
#include <vector>

namespace heddle {

/// The damaged copy that `number` alone decides: cut off, with bits or bytes
/// changed, pieces moved, left out or replaced by a huge number.
inline std::vector<char> mutate(llvm::ArrayRef<char> seed, uint64_t number) {
  std::mt19937_64 random(number);
  std::vector<char> bytes(seed.begin(), seed.end());
  auto below = [&](size_t bound) { return random() % bound; };
  switch (number % 6) {
  case 0:
    bytes.resize(below(bytes.size()));
    break;
  case 1:
    bytes[below(bytes.size())] ^= char(1 << below(8));
    break;
  case 2:
    for (size_t i = 0, e = 1 + below(8); i < e; ++i)
      bytes[below(bytes.size())] = char(random());
    break;
  case 3: {
    // One piece over another place.
    size_t from = below(bytes.size()), to = below(bytes.size());
    size_t length =
        std::min({below(64) + 1, bytes.size() - from, bytes.size() - to});
    std::copy_n(seed.begin() + from, length, bytes.begin() + to);
    break;
  }
  case 4: {
    size_t from = below(bytes.size());
    size_t length = std::min(below(32) + 1, bytes.size() - from);
    bytes.erase(bytes.begin() + from, bytes.begin() + from + length);
    break;
  }
  default: {
    // A huge number where one was: ten bytes of a varint.
    size_t at = below(bytes.size());
    std::vector<char> huge(9, char(0xff));
    huge.push_back(1);
    bytes.insert(bytes.begin() + at, huge.begin(),
                 huge.begin() + 1 + below(huge.size()));
    break;
  }
  }
  return bytes;
}

} // namespace heddle

#endif // HEDDLE_TEST_UNIT_MUTATE_H
