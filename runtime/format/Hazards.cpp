// Finds conflicts between commands, by clocks of their queues.

#include "runtime/format/Hazards.h"

#include <algorithm>
#include <iterator>

using namespace heddle::format;

void Hazards::start(uint32_t queue, const Clock *const *waits, size_t count) {
  current = queue;
  Clock &clock = queues[queue];
  for (size_t wait = 0; wait < count; ++wait)
    for (size_t i = 0; i < clock.size(); ++i)
      clock[i] = std::max(clock[i], (*waits[wait])[i]);
  startClock = clock;
  ++clock[queue];
}

void Hazards::reset() {
  for (Clock &clock : queues)
    std::fill(clock.begin(), clock.end(), 0);
  memories.clear();
}

/// Makes a segment begin at `at` if one covers it.
void Hazards::split(Segments &segments, int64_t at) {
  auto next = segments.upper_bound(at);
  if (next == segments.begin())
    return;
  auto segment = std::prev(next);
  if (segment->first == at || segment->second.end <= at)
    return;
  Segment rest = segment->second;
  segment->second.end = at;
  segments.emplace(at, std::move(rest));
}

bool Hazards::touch(const MemoryAccess &access) {
  if (access.begin >= access.end)
    return true;
  Segments &segments = memories[access.memory];
  split(segments, access.begin);
  split(segments, access.end);
  Moment now = {current, queues[current][current]};

  // Segments inside the range, and the gaps between them.
  int64_t at = access.begin;
  auto segment = segments.lower_bound(at);
  while (at < access.end) {
    if (segment == segments.end() || segment->first > at) {
      int64_t end = segment == segments.end()
                        ? access.end
                        : std::min(access.end, segment->first);
      segment = segments.emplace(at, Segment{end, {0, 0}, {}}).first;
    }
    Segment &touched = segment->second;
    // On its own queue everything is before, or the command itself.
    if (!before(touched.writer) && touched.writer.queue != now.queue)
      return false;
    if (access.writes) {
      for (Moment reader : touched.readers)
        if (!before(reader) && reader.queue != now.queue)
          return false;
      touched.writer = now;
      touched.readers.clear();
    } else {
      auto same = std::find_if(
          touched.readers.begin(), touched.readers.end(),
          [&](Moment reader) { return reader.queue == now.queue; });
      if (same == touched.readers.end())
        touched.readers.push_back(now);
      else
        *same = now;
    }
    at = touched.end;
    ++segment;
  }
  return true;
}
