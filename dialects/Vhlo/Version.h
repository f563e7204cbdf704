// Versions of StableHLO.

#ifndef HEDDLE_DIALECTS_VHLO_VERSION_H
#define HEDDLE_DIALECTS_VHLO_VERSION_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace heddle::vhlo {

struct Version {
  uint32_t major = 0, minor = 0, patch = 0;

  /// `1.10.0`, or `1.10` for the same.
  static std::optional<Version> parse(llvm::StringRef text);
  std::string str() const;

  friend constexpr bool operator<(Version a, Version b) {
    return a.major != b.major   ? a.major < b.major
           : a.minor != b.minor ? a.minor < b.minor
                                : a.patch < b.patch;
  }
  friend constexpr bool operator>=(Version a, Version b) { return !(a < b); }
};

/// The versions that heddle reads and writes.
constexpr Version kOldest{0, 9, 0}, kNewest{1, 20, 0};

/// The version of MLIR's bytecode that files of this version are written in.
int64_t bytecodeVersionOf(Version version);

/// What stands in front of the version in a file.
constexpr llvm::StringLiteral kProducerPrefix("StableHLO_v");

/// The producer that a bytecode file names; empty if these bytes are none.
llvm::StringRef producerOf(llvm::StringRef bytes);

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_VERSION_H
