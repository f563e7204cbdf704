// How much of an artifact's weights its targets share.

#ifndef HEDDLE_LIB_DRIVER_WEIGHTUSE_H
#define HEDDLE_LIB_DRIVER_WEIGHTUSE_H

#include <cstdint>
#include <set>
#include <vector>

namespace heddle::format {
class ArtifactReader;
} // namespace heddle::format

namespace heddle {

/// Bytes of weights, by who reads them. What only a variant reads that the
/// reader skips is part of the total alone.
struct WeightUse {
  struct PerVariant {
    /// Of all weights that the variant's plan names, and of those that no other
    /// variant's does.
    uint64_t bytes = 0, ownBytes = 0;
    /// The weights of which kernels make another order when the artifact is
    /// loaded, in the order of their numbers.
    std::set<uint32_t> laidOut;
  };
  /// One for each variant of the manifest.
  std::vector<PerVariant> variants;
  /// Of weights that at least two variants read.
  uint64_t sharedBytes = 0;
  /// Of all weights in the file.
  uint64_t totalBytes = 0;
};

WeightUse weightUse(const format::ArtifactReader &artifact);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_WEIGHTUSE_H
