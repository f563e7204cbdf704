// Hashes what comes in pieces.

#ifndef HEDDLE_RUNTIME_FORMAT_HASHSTREAM_H
#define HEDDLE_RUNTIME_FORMAT_HASHSTREAM_H

#include "runtime/format/Layout.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::format {

/// Gives what hashBytes gives for the concatenation of the pieces.
class HashStream {
public:
  HashStream();
  void reset();
  void append(const void *data, size_t bytes);
  Hash finish() const;

private:
  XXH3_state_t state;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_HASHSTREAM_H
