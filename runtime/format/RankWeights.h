// What each of several ranks reads of the weights.

#ifndef HEDDLE_RUNTIME_FORMAT_RANKWEIGHTS_H
#define HEDDLE_RUNTIME_FORMAT_RANKWEIGHTS_H

#include "runtime/format/artifact_generated.h"

#include <vector>

namespace heddle::format {

/// Bytes of all weights that a plan's programs read, for each rank: each weight
/// counts once, whoever reads it. The plan has been verified.
std::vector<uint64_t> rankWeightBytes(const Manifest &manifest,
                                      const Plan &plan);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_RANKWEIGHTS_H
