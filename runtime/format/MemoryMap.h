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
  /// Then the bytes hold no value.
  void erase(int64_t begin, int64_t end);
  /// Then those bytes hold no value that held none of `owner`.
  void keep(int64_t begin, int64_t end, uint32_t owner);
  /// Then the bytes hold what they hold in `other`.
  void take(const MemoryMap &other, int64_t begin, int64_t end);

private:
  struct Segment {
    int64_t end;
    uint32_t owner;
  };
  using Segments = std::map<int64_t, Segment>;
  /// The first segment that reaches beyond `begin`.
  Segments::const_iterator reaching(int64_t begin) const;
  /// By where they begin; touching ones of one owner are joined.
  Segments segments;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MEMORYMAP_H
