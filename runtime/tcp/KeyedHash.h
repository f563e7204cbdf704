// The hash by which ranks prove to each other that they know a secret.

#ifndef HEDDLE_RUNTIME_TCP_KEYEDHASH_H
#define HEDDLE_RUNTIME_TCP_KEYEDHASH_H

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::runtime {

using Digest = std::array<uint8_t, 32>;

/// HMAC-SHA-256 of the text (RFC 2104 over FIPS 180-4).
Digest keyedHash(std::string_view key, std::string_view text);

/// Takes as long wherever they differ, so that time tells nothing of them.
bool areEqual(const Digest &one, const Digest &other);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_KEYEDHASH_H
