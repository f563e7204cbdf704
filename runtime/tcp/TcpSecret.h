// What all ranks of a group know, and nobody else.

#ifndef HEDDLE_RUNTIME_TCP_TCPSECRET_H
#define HEDDLE_RUNTIME_TCP_TCPSECRET_H

#include "runtime/format/Error.h"

#include <cstdint>
#include <string>

namespace heddle::runtime {

using format::Error;

/// The secret of HEDDLE_SECRET, or of the file that HEDDLE_SECRET_FILE names,
/// which its owner alone may read; empty: neither is set.
Error readSecret(std::string &secret);

/// Where ranks of one machine are given none, the first makes one, and keeps it
/// for the others in a file that only this user can read, until they are there.
class OwnSecret {
public:
  /// `port`: at which the ranks meet, and which only one group has at a time.
  explicit OwnSecret(uint16_t port);
  ~OwnSecret();
  OwnSecret(const OwnSecret &) = delete;
  OwnSecret &operator=(const OwnSecret &) = delete;

  /// Of the first rank, once it has the port.
  Error make(std::string &secret);
  /// Of the others, once the first has answered at the port.
  Error find(std::string &secret) const;

private:
  std::string folder, file;
  bool isMade = false;
};

/// Bytes that nobody can guess.
Error fillRandom(void *data, size_t bytes);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPSECRET_H
