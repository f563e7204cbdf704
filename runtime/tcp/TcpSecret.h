// What all ranks of a group know, and nobody else.

#ifndef HEDDLE_RUNTIME_TCP_TCPSECRET_H
#define HEDDLE_RUNTIME_TCP_TCPSECRET_H

#include "runtime/format/Error.h"

#include <cstdint>
#include <string>

namespace heddle::runtime {

using format::Error;

/// The secret in the file of this name, which its owner alone may read; where
/// the name is empty, that of HEDDLE_SECRET, or of the file that
/// HEDDLE_SECRET_FILE names; empty: neither is set. An error names the option
/// secret_file or the variable.
Error readSecret(const std::string &secretFile, std::string &secret);

/// Where ranks of one machine are given none, the first makes one, and keeps it
/// for the others in a file that only this user can read, until they are there.
/// `place` is the text of the address at which the ranks meet, and which only
/// one group has at a time.
class OwnSecret {
public:
  OwnSecret() = default;
  ~OwnSecret() { remove(); }
  OwnSecret(const OwnSecret &) = delete;
  OwnSecret &operator=(const OwnSecret &) = delete;

  /// Of the first rank, once it has the port.
  Error make(const std::string &place, std::string &secret);
  /// Of the first rank: what it has made, not what another group has put in its
  /// place.
  void remove();
  /// Of the others, once the first has answered at the port.
  static Error find(const std::string &place, std::string &secret);

private:
  std::string file; ///< That was made; empty: none.
  std::string kept; ///< What is in it.
};

/// Bytes that nobody can guess.
Error fillRandom(void *data, size_t bytes);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_TCPSECRET_H
