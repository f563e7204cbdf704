// Where the buffers of an arena lie.

#include "passes/Plan/Arena.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>
#include <tuple>

using namespace heddle;

namespace {
/// Bytes that are taken, as intervals that do not touch.
class Taken {
public:
  void add(int64_t begin, int64_t end) {
    auto next = intervals.upper_bound(begin);
    if (next != intervals.begin())
      if (auto before = std::prev(next); before->second >= begin)
        next = before;
    while (next != intervals.end() && next->first <= end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = intervals.erase(next);
    }
    intervals.emplace_hint(next, begin, end);
  }

  /// The least place from `at` on with `size` free bytes.
  int64_t findFree(int64_t at, int64_t size) const {
    auto next = intervals.upper_bound(at);
    if (next != intervals.begin())
      at = std::max(at, std::prev(next)->second);
    while (next != intervals.end() && next->first < at + size) {
      at = std::max(at, next->second);
      ++next;
    }
    return at;
  }

private:
  std::map<int64_t, int64_t> intervals;
};

/// What is taken at each time: a tree over the times, in which a buffer stands
/// at the few nodes that make up its life. So finding a place looks at a
/// handful of nodes, not at all buffers.
class Occupancy {
public:
  explicit Occupancy(size_t times) {
    while (leaves < times)
      leaves *= 2;
    nodes.resize(2 * leaves);
  }

  void add(size_t first, size_t last, int64_t begin, int64_t end) {
    Cover cover = coverOf(first, last);
    for (size_t node : cover.parts) {
      nodes[node].whole.add(begin, end);
      nodes[node].any.add(begin, end);
    }
    for (size_t node : cover.above)
      nodes[node].any.add(begin, end);
  }

  /// The least place of `size` bytes that are free from `first` to `last`.
  int64_t findFree(size_t first, size_t last, int64_t size) const {
    // Whoever stands above a part lives all its time; whoever stands at it or
    // below meets it somewhere.
    Cover cover = coverOf(first, last);
    int64_t at = 0, before = 0;
    do {
      before = at;
      for (size_t node : cover.parts)
        at = nodes[node].any.findFree(at, size);
      for (size_t node : cover.above)
        at = nodes[node].whole.findFree(at, size);
    } while (at != before);
    return at;
  }

private:
  struct Node {
    Taken whole; ///< By those who live all the time of the node.
    Taken any;   ///< By those who stand at the node or below it.
  };

  /// The nodes that make up a life, and those above them.
  struct Cover {
    llvm::SmallVector<size_t> parts, above;
  };

  Cover coverOf(size_t first, size_t last) const {
    Cover cover;
    size_t low = first + leaves, high = last + leaves + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2)
        cover.parts.push_back(low++);
      if (high % 2)
        cover.parts.push_back(--high);
    }
    for (size_t part : cover.parts)
      for (size_t node = part / 2; node; node /= 2)
        cover.above.push_back(node);
    llvm::sort(cover.above);
    cover.above.erase(llvm::unique(cover.above), cover.above.end());
    return cover;
  }

  size_t leaves = 1;
  std::vector<Node> nodes;
};
} // namespace

/// The times at which a life begins or ends, by rising number.
static std::vector<int64_t> times(llvm::ArrayRef<ArenaBuffer> buffers) {
  std::vector<int64_t> result;
  for (const ArenaBuffer &buffer : buffers) {
    result.push_back(buffer.first);
    result.push_back(buffer.last);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

#ifndef NDEBUG
/// Whether places are aligned, inside the arena, and never shared by buffers
/// that are alive at once: a walk through time over the places in use.
static bool isSound(const ArenaLayout &layout,
                    llvm::ArrayRef<ArenaBuffer> buffers, int64_t alignment) {
  struct Event {
    int64_t time;
    bool begins;
    size_t buffer;
  };
  std::vector<Event> events;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    if (!buffer.size)
      continue;
    if (layout.offsets[i] < 0 || layout.offsets[i] % alignment != 0 ||
        layout.offsets[i] + buffer.size > layout.size)
      return false;
    events.push_back({buffer.first, true, i});
    events.push_back({buffer.last + 1, false, i});
  }
  // What ends makes room for what begins then.
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::make_tuple(a.time, a.begins, a.buffer) <
           std::make_tuple(b.time, b.begins, b.buffer);
  });
  std::map<int64_t, size_t> inUse;
  for (const Event &event : events) {
    int64_t begin = layout.offsets[event.buffer];
    if (!event.begins) {
      inUse.erase(begin);
      continue;
    }
    auto [place, isNew] = inUse.try_emplace(begin, event.buffer);
    auto next = std::next(place);
    if (!isNew || (next != inUse.end() &&
                   begin + buffers[event.buffer].size > next->first))
      return false;
    if (place != inUse.begin())
      if (auto before = std::prev(place);
          before->first + buffers[before->second].size > begin)
        return false;
  }
  return true;
}
#endif

ArenaLayout heddle::layOutArena(llvm::ArrayRef<ArenaBuffer> buffers,
                                int64_t alignment) {
  assert(llvm::isPowerOf2_64(alignment) && "places have an alignment");
  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-buffers[a].size, a) <
           std::make_pair(-buffers[b].size, b);
  });

  std::vector<int64_t> known = times(buffers);
  auto timeOf = [&](int64_t time) {
    return size_t(llvm::lower_bound(known, time) - known.begin());
  };
  Occupancy occupancy(known.size());
  for (size_t i : order) {
    const ArenaBuffer &buffer = buffers[i];
    assert(buffer.size >= 0 && buffer.first <= buffer.last &&
           "a buffer has bytes and a life");
    if (!buffer.size)
      continue;
    // Places are multiples of the alignment, so what is left of the last one
    // is nobody's.
    int64_t size = llvm::alignTo(buffer.size, alignment);
    size_t first = timeOf(buffer.first), last = timeOf(buffer.last);
    int64_t offset = occupancy.findFree(first, last, size);
    occupancy.add(first, last, offset, offset + size);
    layout.offsets[i] = offset;
    layout.size = std::max(layout.size, offset + size);
  }
  assert(isSound(layout, buffers, alignment) &&
         "buffers that are alive at once share no bytes");
  return layout;
}
