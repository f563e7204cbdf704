// Sums up the weights of ranks.

#include "runtime/format/RankWeights.h"

#include "runtime/format/ManifestTables.h"

#include <set>

namespace heddle::format {

std::vector<uint64_t> rankWeightBytes(const Manifest &manifest,
                                      const Plan &plan) {
  std::set<uint32_t> shared;
  std::vector<std::set<uint32_t>> own(manifest.ranks());
  auto add = [&](const Program *program) {
    for (uint32_t i = 0; program && i < length(program->buffers()); ++i) {
      const Buffer &buffer = *program->buffers()->Get(i);
      if (buffer.kind() != BufferKind::weight)
        continue;
      if (!length(buffer.weights()))
        shared.insert(buffer.index());
      for (uint32_t rank = 0; rank < length(buffer.weights()); ++rank)
        own[rank].insert(buffer.weights()->Get(rank));
    }
  };
  for (uint32_t i = 0; i < length(plan.programs()); ++i)
    add(plan.programs()->Get(i));
  add(plan.init());
  auto size = [&](uint32_t weight) {
    return manifest.weights()->Get(weight)->size();
  };
  uint64_t ofAll = 0;
  for (uint32_t weight : shared)
    ofAll += size(weight);
  std::vector<uint64_t> bytes(manifest.ranks(), ofAll);
  for (size_t rank = 0; rank < own.size(); ++rank)
    for (uint32_t weight : own[rank])
      if (!shared.count(weight))
        bytes[rank] += size(weight);
  return bytes;
}

} // namespace heddle::format
