// Whose value each byte holds.

#ifndef HEDDLE_RUNTIME_FORMAT_MEMORYMAP_H
#define HEDDLE_RUNTIME_FORMAT_MEMORYMAP_H

#include <cstdint>
#include <map>

namespace heddle::format {

/// Which bytes of one memory hold a value, and by way of which buffer it was
/// put there. A byte that another buffer wrote later no longer holds the first
/// one's value.
class MemoryMap {
public:
  void write(int64_t begin, int64_t end, uint32_t owner);
  /// Whether every byte holds a value of `owner`.
  bool holds(int64_t begin, int64_t end, uint32_t owner) const;
  /// Whether every byte holds some value.
  bool covers(int64_t begin, int64_t end) const;
  /// Keeps what both hold: the state after a branch.
  void intersect(const MemoryMap &other);

  bool operator==(const MemoryMap &other) const {
    return segments == other.segments;
  }

private:
  struct Segment {
    int64_t end;
    uint32_t owner;
    bool operator==(const Segment &other) const {
      return end == other.end && owner == other.owner;
    }
  };
  void erase(int64_t begin, int64_t end);
  /// By where they begin; touching ones of one owner are joined.
  std::map<int64_t, Segment> segments;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MEMORYMAP_H
