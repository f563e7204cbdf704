// Conflicts between unordered commands.

#ifndef HEDDLE_RUNTIME_FORMAT_HAZARDS_H
#define HEDDLE_RUNTIME_FORMAT_HAZARDS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace heddle::format {

/// A range of bytes that a command touches.
struct MemoryAccess {
  uint32_t memory; ///< Its number, see BufferPlaces.h.
  int64_t begin;
  int64_t end;
  uint32_t owner; ///< The buffer it goes through.
  bool reads;
  bool writes;
};

/// Follows the commands of one block, by vector clocks: `clock[q]` of a command
/// counts the commands of queue q that are certainly done before it starts.
class Hazards {
public:
  explicit Hazards(uint32_t queues)
      : queues(queues, Clock(queues, 0)), startClock(queues, 0) {}

  using Clock = std::vector<uint32_t>;

  /// A command on `queue` starts after the commands behind `waits`, of which
  /// there are `count`. Allocates nothing after the first time.
  void start(uint32_t queue, const Clock *const *waits, size_t count);
  void start(uint32_t queue, const std::vector<const Clock *> &waits) {
    start(queue, waits.data(), waits.size());
  }
  /// False when the current command may run at once with an earlier one that
  /// writes these bytes, or reads them while it writes.
  bool touch(const MemoryAccess &access);
  /// As it was at first, without any allocation.
  void reset();
  /// What is done once the current command is.
  const Clock &done() const { return queues[current]; }

private:
  struct Moment {
    uint32_t queue;
    uint32_t number; ///< 0: never.
  };
  struct Segment {
    int64_t end;
    Moment writer;
    std::vector<Moment> readers; ///< The latest of each queue.
  };
  using Segments = std::map<int64_t, Segment>;

  bool before(Moment moment) const {
    return moment.number <= startClock[moment.queue];
  }
  void split(Segments &segments, int64_t at);

  std::vector<Clock> queues;
  Clock startClock;
  uint32_t current = 0;
  std::map<uint32_t, Segments> memories;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_HAZARDS_H
