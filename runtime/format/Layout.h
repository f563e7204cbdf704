// The fixed part of an artifact.
//
// What must be known before the manifest can be read. All integers are
// little-endian. See artifact.fbs for the rest.

#ifndef HEDDLE_RUNTIME_FORMAT_LAYOUT_H
#define HEDDLE_RUNTIME_FORMAT_LAYOUT_H

#include "runtime/format/Limits.h"
#include "runtime/format/artifact_generated.h"

#include <cstddef>
#include <cstdint>

namespace heddle::format {

/// An index of the schema that names nothing.
constexpr uint32_t none = 0xffffffffu;

/// A reader takes its own major version only, and any minor one whose required
/// features it knows.
constexpr uint16_t majorVersion = 1;
constexpr uint16_t minorVersion = 1;

/// Not text, not valid UTF-8, and broken by any newline conversion.
constexpr char magic[12] = {'\x89', 'H',  'E',  'D',    'D',  'L',
                            'E',    '\r', '\n', '\x1a', '\n', '\0'};

/// Sections start at multiples of this many bytes, so that they can be mapped.
constexpr uint64_t pageBytes = 4096;
/// Weights, and buffers of the arena, start at multiples of this many bytes.
constexpr uint64_t weightAlignment = 64;

/// What no honest file exceeds; keeps sums of two such numbers from
/// overflowing.
constexpr int64_t maximumBytes = int64_t(1) << 50;

/// The first bytes of the file. `hash` covers all that stand before it.
struct Header {
  char magic[12];
  uint16_t major;
  uint16_t minor;
  uint64_t fileBytes;
  uint64_t manifestOffset; ///< A multiple of pageBytes.
  uint64_t manifestBytes;  ///< The manifest ends where the file does.
  uint64_t manifestHash[2];
  char zero[56];
  uint64_t hash[2];
};
static_assert(sizeof(Header) == 128 && offsetof(Header, hash) == 112);

/// XXH3 with 128 bits: it runs at memory speed, so checking costs no more than
/// reading, and finds damage with a chance of error below 2^-64. It is not
/// meant against an enemy, who would replace the hash with the bytes: trust in
/// an artifact comes from where it was got (SECURITY.md).
Hash hashBytes(const void *data, size_t bytes);

inline bool operator==(const Hash &a, const Hash &b) {
  return a.low() == b.low() && a.high() == b.high();
}
inline bool operator!=(const Hash &a, const Hash &b) { return !(a == b); }

/// The least multiple of `alignment` (a power of two) that is not below
/// `value`.
constexpr uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_LAYOUT_H
