// Checks the weights of a manifest: places, types, layouts, scales.

#include "runtime/format/WeightVerifier.h"

#include "runtime/format/Collectives.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/WeightLayout.h"

#include <optional>

namespace heddle::format {

static std::vector<int64_t> toVector(const flatbuffers::Vector<int64_t> *list) {
  return list ? std::vector<int64_t>(list->begin(), list->end())
              : std::vector<int64_t>();
}

/// Whether the weight lies as its layout says.
static Error checkLayout(const Weight &weight, const std::string &name) {
  if (!length(weight.packing())) {
    if (weight.format() != DataType::none || length(weight.logical_shape()))
      return invalidManifest(name + " has a logical type but no layout");
    return {};
  }
  std::optional<WeightLayout> layout =
      WeightLayout::parse(text(weight.packing()));
  if (!layout)
    return invalidManifest(name + " has no proper layout");
  std::optional<StoredLayout> stored = layout->of(
      toVector(weight.logical_shape()), elementBits(weight.format()));
  if (!stored || stored->shape() != toVector(weight.shape()) ||
      stored->unitBits() != 8 * elementBytes(weight.dtype()) ||
      static_cast<uint64_t>(stored->bytes()) != weight.size() ||
      (!stored->isInWords() && weight.format() != weight.dtype()))
    return invalidManifest(name + " is not stored as its layout says");
  return {};
}

/// Whether the weights exist that hold its scales and zero points, one for each
/// block. All layouts have been checked.
static Error checkScales(const Manifest &manifest, const Weight &weight) {
  auto logical = [](const Weight &weight) {
    return toVector(length(weight.packing()) ? weight.logical_shape()
                                             : weight.shape());
  };
  std::string name = "weight '" + text(weight.symbol()) + "'";
  std::vector<int64_t> block = toVector(weight.block());
  if (block.empty()) {
    if (weight.scale() != none || weight.zero_point() != none)
      return invalidManifest(name + " has scales but no blocks");
    return {};
  }
  std::vector<int64_t> blocks = logical(weight);
  if (block.size() != blocks.size() || weight.scale() == none)
    return invalidManifest(name + " has improper blocks");
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] < 1)
      return invalidManifest(name + " has improper blocks");
    blocks[i] = blocks[i] / block[i] + !!(blocks[i] % block[i]);
  }
  for (uint32_t index : {weight.scale(), weight.zero_point()}) {
    if (index == none)
      continue;
    if (index >= length(manifest.weights()))
      return invalidManifest(name + " names an unknown weight");
    const Weight &other = *manifest.weights()->Get(index);
    if (length(other.block()))
      return invalidManifest(name + " has scales that are scaled");
    if (logical(other) != blocks)
      return invalidManifest(name + " has blocks that its scales do not fit");
  }
  return {};
}

Error verifyWeights(const Manifest &manifest) {
  uint32_t sections = length(manifest.sections());
  uint32_t section = 0;
  uint64_t end = 0; // of the weight before, in the same section
  for (uint32_t i = 0; i < length(manifest.weights()); ++i) {
    const Weight &weight = *manifest.weights()->Get(i);
    std::string name = "weight '" + text(weight.symbol()) + "'";
    if (weight.section() >= sections || weight.section() < section ||
        manifest.sections()->Get(weight.section())->kind() !=
            SectionKind::weights)
      return invalidManifest(name + " is in no section of weights");
    if (weight.section() != section)
      end = 0;
    section = weight.section();
    uint64_t bytes = manifest.sections()->Get(section)->size();
    if (weight.offset() % weightAlignment || weight.offset() < end ||
        weight.offset() > bytes || weight.size() > bytes - weight.offset())
      return invalidManifest(name + " is misplaced");
    end = weight.offset() + weight.size();
    if (!weight.hash())
      return invalidManifest(name + " has no hash");
    if (!isAligned(weight.shape()) || !isAligned(weight.logical_shape()) ||
        !isAligned(weight.block()) || !isAligned(weight.whole()))
      return invalidManifest(name + " has a shape that is not aligned");
    int64_t dense = denseBytes(
        weight.dtype(), weight.shape() ? weight.shape()->data() : nullptr,
        length(weight.shape()));
    if (!elementBytes(weight.dtype()) || dense < 0)
      return invalidManifest(name + " has no proper type");
    if (!length(weight.packing()) &&
        static_cast<uint64_t>(dense) != weight.size())
      return invalidManifest(name + " has " + std::to_string(weight.size()) +
                             " bytes, its type " + std::to_string(dense));
    if (Error error = checkLayout(weight, name))
      return error;
    for (uint32_t cut = 0; cut < length(weight.cuts()); ++cut)
      if (!isCut(*weight.cuts()->Get(cut), length(weight.whole()),
                 manifest.ranks()))
        return invalidManifest(name + " is cut where it cannot be");
  }
  for (uint32_t i = 0; i < length(manifest.weights()); ++i)
    if (Error error = checkScales(manifest, *manifest.weights()->Get(i)))
      return error;
  return {};
}

} // namespace heddle::format
