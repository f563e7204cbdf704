// What commands do to the bytes of a memory, whatever these hold.

#ifndef HEDDLE_RUNTIME_FORMAT_MEMORYEFFECT_H
#define HEDDLE_RUNTIME_FORMAT_MEMORYEFFECT_H

#include "runtime/format/MemoryMap.h"

namespace heddle::format {

/// A function from what the bytes of a memory hold to what they hold
/// afterwards. Of each byte it is one of four: the byte is left as it is, holds
/// a value of an owner, still does if it did before, or holds nothing. Chains
/// and joins of these are again one of the four, and each done twice does what
/// it does once: so a loop needs no search for what holds at its head.
class MemoryEffect {
public:
  void write(int64_t begin, int64_t end, uint32_t owner) {
    set(begin, end, Kind::written, owner);
  }
  /// This, and then the other.
  void then(const MemoryEffect &next);
  /// What holds after this and after the other.
  void join(const MemoryEffect &other);
  /// What holds after this and without it.
  void maybe();

  void apply(MemoryMap &memory) const;
  /// Gives the bytes that are not left as they are what they hold in `from`.
  void restore(MemoryMap &memory, const MemoryMap &from) const;

private:
  enum class Kind : uint8_t { left, written, kept, lost };
  struct Segment {
    int64_t end;
    Kind kind;
    uint32_t owner; ///< Of what is written or kept.
  };
  using Segments = std::map<int64_t, Segment>;

  void set(int64_t begin, int64_t end, Kind kind, uint32_t owner);
  void split(int64_t at);
  void keep(int64_t begin, int64_t end, uint32_t owner);
  static Segment joined(const Segment &a, const Segment &b);

  /// By where they begin; what is left as it is has none.
  Segments segments;
};

/// By the number of the memory; one that is not here is left as it is.
using MemoryEffects = std::map<uint32_t, MemoryEffect>;

void chain(MemoryEffects &effects, const MemoryEffects &next);
MemoryEffects join(MemoryEffects a, const MemoryEffects &b);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MEMORYEFFECT_H
