// Keeps, for stretches of a memory, the value that lies there.

#include "runtime/format/MemoryMap.h"

#include <algorithm>
#include <iterator>

using namespace heddle::format;

void MemoryMap::erase(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  auto at = segments.lower_bound(begin);
  if (at != segments.begin()) {
    auto before = std::prev(at);
    Segment old = before->second;
    if (old.end > begin) {
      before->second.end = begin;
      if (old.end > end) {
        segments.emplace(end, old);
        return;
      }
    }
  }
  while (at != segments.end() && at->first < end) {
    Segment old = at->second;
    at = segments.erase(at);
    if (old.end > end) {
      segments.emplace(end, old);
      return;
    }
  }
}

void MemoryMap::write(int64_t begin, int64_t end, uint32_t owner) {
  if (begin >= end)
    return;
  erase(begin, end);
  auto after = segments.find(end);
  if (after != segments.end() && after->second.owner == owner) {
    end = after->second.end;
    segments.erase(after);
  }
  auto at = segments.lower_bound(begin);
  if (at != segments.begin()) {
    auto before = std::prev(at);
    if (before->second.end == begin && before->second.owner == owner) {
      before->second.end = end;
      return;
    }
  }
  segments.emplace(begin, Segment{end, owner});
}

bool MemoryMap::holds(int64_t begin, int64_t end, uint32_t owner) const {
  if (begin >= end)
    return true;
  auto at = segments.upper_bound(begin);
  if (at == segments.begin())
    return false;
  const Segment &segment = std::prev(at)->second;
  return segment.owner == owner && segment.end >= end;
}

bool MemoryMap::covers(int64_t begin, int64_t end) const {
  auto at = segments.upper_bound(begin);
  if (begin < end && at != segments.begin())
    for (--at; at != segments.end() && at->first <= begin; ++at) {
      begin = std::max(begin, at->second.end);
      if (begin >= end)
        break;
    }
  return begin >= end;
}

MemoryMap::Segments::const_iterator MemoryMap::reaching(int64_t begin) const {
  auto at = segments.upper_bound(begin);
  if (at != segments.begin() && std::prev(at)->second.end > begin)
    --at;
  return at;
}

void MemoryMap::keep(int64_t begin, int64_t end, uint32_t owner) {
  for (auto at = reaching(begin); at != segments.end() && at->first < end;) {
    int64_t first = std::max(begin, at->first);
    Segment segment = at->second;
    ++at; // which erasing this one leaves valid
    if (segment.owner != owner)
      erase(first, std::min(end, segment.end));
  }
}

void MemoryMap::take(const MemoryMap &other, int64_t begin, int64_t end) {
  erase(begin, end);
  for (auto at = other.reaching(begin);
       at != other.segments.end() && at->first < end; ++at)
    write(std::max(begin, at->first), std::min(end, at->second.end),
          at->second.owner);
}
