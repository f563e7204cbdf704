// What the files that ranges are made of share: ends of intervals, and values
// of one symbol.

#ifndef HEDDLE_DIALECTS_SIZE_INTERVALENDS_H
#define HEDDLE_DIALECTS_SIZE_INTERVALENDS_H

#include "dialects/Size/Ranges.h"

namespace heddle::size {

/// Whether an end of an interval stands for what lies beyond 64 bits.
inline bool isEnd(int64_t value) {
  return value == INT64_MIN || value == INT64_MAX;
}

/// The values of a sum with products of one symbol that has few: n * (9 - n) is
/// never negative, which its terms do not say. Nothing for any other.
std::optional<Interval> oneByOne(Expression expression, const Ranges &ranges);

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_INTERVALENDS_H
