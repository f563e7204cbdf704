// The hash of sections and weights.

#include "runtime/format/HashStream.h"

namespace heddle::format {

static Hash toHash(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

Hash hashBytes(const void *data, size_t bytes) {
  return toHash(XXH3_128bits(data, bytes));
}

HashStream::HashStream() { reset(); }
void HashStream::reset() { XXH3_128bits_reset(&state); }
void HashStream::append(const void *data, size_t bytes) {
  XXH3_128bits_update(&state, data, bytes);
}
Hash HashStream::finish() const { return toHash(XXH3_128bits_digest(&state)); }

} // namespace heddle::format
