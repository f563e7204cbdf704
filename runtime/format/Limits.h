// How large a plan may be.
//
// Apart from the schema, for who makes plans without writing artifacts.

#ifndef HEDDLE_RUNTIME_FORMAT_LIMITS_H
#define HEDDLE_RUNTIME_FORMAT_LIMITS_H

#include <cstdint>

namespace heddle::format {

/// How deeply the blocks of a program nest, the outermost included: a walker
/// needs no more frames.
constexpr uint32_t maximumBlockDepth = 32;

/// How many dimensions a tensor has.
constexpr uint32_t maximumRank = 64;

/// How many ranks run one program together.
constexpr uint32_t maximumRanks = 1 << 16;

/// How many simulated devices there can be.
constexpr uint32_t maximumSimDevices = 64;

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_LIMITS_H
