// Chains and joins what commands do to the bytes of a memory.

#include "runtime/format/MemoryEffect.h"

#include <algorithm>
#include <iterator>

using namespace heddle::format;

/// Makes a segment begin at `at` if one covers it.
void MemoryEffect::split(int64_t at) {
  auto next = segments.lower_bound(at);
  if (next == segments.begin())
    return;
  Segment &before = std::prev(next)->second;
  if (before.end <= at)
    return;
  segments.emplace(at, before);
  before.end = at;
}

void MemoryEffect::set(int64_t begin, int64_t end, Kind kind, uint32_t owner) {
  if (begin >= end)
    return;
  split(begin);
  split(end);
  auto same = [&](const Segment &segment) {
    return segment.kind == kind && segment.owner == owner;
  };
  auto at =
      segments.erase(segments.lower_bound(begin), segments.lower_bound(end));
  if (at != segments.end() && at->first == end && same(at->second)) {
    end = at->second.end;
    at = segments.erase(at);
  }
  if (at != segments.begin()) {
    Segment &before = std::prev(at)->second;
    if (before.end == begin && same(before)) {
      before.end = end;
      return;
    }
  }
  segments.emplace_hint(at, begin, Segment{end, kind, owner});
}

/// Then the bytes that hold no value of `owner` hold nothing.
void MemoryEffect::keep(int64_t begin, int64_t end, uint32_t owner) {
  split(begin);
  split(end);
  auto at = segments.lower_bound(begin);
  while (begin < end) {
    if (at == segments.end() || at->first > begin) { // left as it was
      int64_t gap = at == segments.end() ? end : std::min(end, at->first);
      segments.emplace_hint(at, begin, Segment{gap, Kind::kept, owner});
      begin = gap;
      continue;
    }
    if (at->second.owner != owner)
      at->second = {at->second.end, Kind::lost, 0};
    begin = at->second.end;
    ++at;
  }
}

void MemoryEffect::then(const MemoryEffect &next) {
  for (const auto &[begin, segment] : next.segments) {
    if (segment.kind == Kind::kept)
      keep(begin, segment.end, segment.owner);
    else
      set(begin, segment.end, segment.kind, segment.owner);
  }
}

/// What is left as it is has no owner to compare: the other decides.
MemoryEffect::Segment MemoryEffect::joined(const Segment &a, const Segment &b) {
  int64_t end = std::min(a.end, b.end);
  if (a.kind == Kind::left || b.kind == Kind::left) {
    const Segment &other = a.kind == Kind::left ? b : a;
    Kind kind = other.kind == Kind::written ? Kind::kept : other.kind;
    return {end, kind, other.owner};
  }
  if (a.kind == Kind::lost || b.kind == Kind::lost || a.owner != b.owner)
    return {end, Kind::lost, 0};
  return {end, a.kind == b.kind ? a.kind : Kind::kept, a.owner};
}

void MemoryEffect::join(const MemoryEffect &other) {
  // Each step ends where a segment of either begins or ends.
  auto next = [](const Segments &of, Segments::const_iterator &at,
                 int64_t begin) -> Segment {
    while (at != of.end() && at->second.end <= begin)
      ++at;
    if (at == of.end())
      return {INT64_MAX, Kind::left, 0};
    if (at->first > begin)
      return {at->first, Kind::left, 0};
    return at->second;
  };
  MemoryEffect both;
  auto a = segments.cbegin(), b = other.segments.cbegin();
  for (int64_t begin = INT64_MIN; begin < INT64_MAX;) {
    Segment segment =
        joined(next(segments, a, begin), next(other.segments, b, begin));
    if (segment.kind != Kind::left)
      both.set(begin, segment.end, segment.kind, segment.owner);
    begin = segment.end;
  }
  segments = std::move(both.segments);
}

void MemoryEffect::maybe() {
  for (auto &[begin, segment] : segments)
    if (segment.kind == Kind::written)
      segment.kind = Kind::kept;
}

void MemoryEffect::apply(MemoryMap &memory) const {
  for (const auto &[begin, segment] : segments) {
    if (segment.kind == Kind::written)
      memory.write(begin, segment.end, segment.owner);
    else if (segment.kind == Kind::kept)
      memory.keep(begin, segment.end, segment.owner);
    else
      memory.erase(begin, segment.end);
  }
}

void MemoryEffect::restore(MemoryMap &memory, const MemoryMap &from) const {
  for (const auto &[begin, segment] : segments)
    memory.take(from, begin, segment.end);
}

void heddle::format::chain(MemoryEffects &effects, const MemoryEffects &next) {
  for (const auto &[memory, effect] : next)
    effects[memory].then(effect);
}

MemoryEffects heddle::format::join(MemoryEffects a, const MemoryEffects &b) {
  for (const auto &[memory, effect] : b)
    a[memory].join(effect);
  for (auto &[memory, effect] : a)
    if (!b.count(memory))
      effect.maybe();
  return a;
}
