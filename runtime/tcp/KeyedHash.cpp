// SHA-256, and HMAC over it. Hashes a few hundred bytes for each connection, so
// that it is written to be read.

#include "runtime/tcp/KeyedHash.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace heddle::runtime;

/// Of a block, as both algorithms see the text.
static constexpr size_t blockBytes = 64;

/// The first 32 bits of the fractions of the cube roots of the first 64 primes
/// (FIPS 180-4, 4.2.2).
static constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

namespace {
using State = std::array<uint32_t, 8>;
} // namespace

/// Those of the square roots of the first 8 (5.3.3).
static constexpr State firstState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                     0xa54ff53a, 0x510e527f, 0x9b05688c,
                                     0x1f83d9ab, 0x5be0cd19};

static uint32_t rotated(uint32_t word, int bits) {
  return word >> bits | word << (32 - bits);
}

/// The 64 words that the rounds of a block add (6.2.2, step 1).
static std::array<uint32_t, 64> schedule(const uint8_t *block) {
  std::array<uint32_t, 64> words;
  for (size_t i = 0; i < 16; ++i)
    words[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 |
               uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (size_t i = 16; i < 64; ++i) {
    uint32_t near = words[i - 2], far = words[i - 15];
    words[i] = (rotated(near, 17) ^ rotated(near, 19) ^ near >> 10) +
               words[i - 7] + (rotated(far, 7) ^ rotated(far, 18) ^ far >> 3) +
               words[i - 16];
  }
  return words;
}

/// Takes a block into the state (6.2.2, steps 2 to 4).
static void takeBlock(State &state, const uint8_t *block) {
  std::array<uint32_t, 64> words = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    uint32_t chosen = (e & f) ^ (~e & g), most = (a & b) ^ (a & c) ^ (b & c),
             one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                   chosen + roundConstants[i] + words[i],
             two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + most;
    h = g, g = f, f = e, e = d + one;
    d = c, c = b, b = a, a = one + two;
  }
  State added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i)
    state[i] += added[i];
}

static Digest sha256(std::string text) {
  uint64_t bits = uint64_t(text.size()) * 8;
  text.push_back('\x80');
  while (text.size() % blockBytes != blockBytes - 8)
    text.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    text.push_back(static_cast<char>(bits >> shift));
  State state = firstState;
  for (size_t begin = 0; begin < text.size(); begin += blockBytes)
    takeBlock(state, reinterpret_cast<const uint8_t *>(text.data() + begin));
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

static std::string_view textOf(const Digest &digest) {
  return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

Digest heddle::runtime::keyedHash(std::string_view key, std::string_view text) {
  std::string padded(key);
  if (key.size() > blockBytes)
    padded = textOf(sha256(std::move(padded)));
  padded.resize(blockBytes, '\0');
  std::string inner = padded, outer = padded;
  for (size_t i = 0; i < blockBytes; ++i) {
    inner[i] = static_cast<char>(inner[i] ^ 0x36);
    outer[i] = static_cast<char>(outer[i] ^ 0x5c);
  }
  outer += textOf(sha256(inner.append(text)));
  return sha256(std::move(outer));
}

bool heddle::runtime::areEqual(const Digest &one, const Digest &other) {
  uint8_t differing = 0;
  for (size_t i = 0; i < one.size(); ++i)
    differing |= one[i] ^ other[i];
  return !differing;
}
