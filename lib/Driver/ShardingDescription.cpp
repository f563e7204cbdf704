// Reads the cuts of tensors and the groups of collectives, and names the axes
// of the mesh that they are along.

#include "ShardingDescription.h"

#include "ArtifactTables.h"
#include "runtime/format/Collectives.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/RankWeights.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace heddle;
using namespace llvm;
using format::none;

namespace {
class ShardingDescriber {
public:
  explicit ShardingDescriber(const format::ArtifactReader &artifact)
      : artifact(artifact), manifest(artifact.manifest()),
        ranges(format::expressionRanges(manifest)) {}

  ShardingDescription run();

private:
  /// An axis as a digit of places.
  struct Axis {
    std::string name;
    uint64_t size, stride;
  };

  void readMesh();
  void cut(ShardedTensor &tensor,
           const flatbuffers::Vector<const format::Cut *> *cuts) const;
  template <typename List> void addTensors(const char *kind, const List *list);
  void addWeights(const format::Plan &plan);
  void addCollectives(const format::Plan &plan);
  std::vector<std::string> axesOf(const format::Collective &collective,
                                  ArrayRef<int64_t> value) const;

  const format::ArtifactReader &artifact;
  const format::Manifest &manifest;
  std::vector<format::ValueRange> ranges; ///< Of the manifest's table.
  std::vector<Axis> axes;
  ShardingDescription described;
};
} // namespace

void ShardingDescriber::readMesh() {
  for (const format::MeshAxis *axis : items(manifest.mesh())) {
    described.mesh.emplace_back(text(axis->name()).str(), axis->size());
    axes.push_back({text(axis->name()).str(), axis->size(), 1});
  }
  uint64_t stride = 1;
  for (Axis &axis : reverse(axes)) {
    axis.stride = stride;
    stride *= axis.size;
  }
}

void ShardingDescriber::cut(
    ShardedTensor &tensor,
    const flatbuffers::Vector<const format::Cut *> *cuts) const {
  tensor.axes.resize(tensor.whole.size());
  for (const format::Cut *one : items(cuts))
    if (one->count() > 1)
      tensor.axes[one->dimension()].push_back(format::axisOf(manifest, *one));
}

template <typename List>
void ShardingDescriber::addTensors(const char *kind, const List *list) {
  for (const format::Tensor *tensor : items(list)) {
    ShardedTensor &added = described.tensors.emplace_back();
    added.kind = kind;
    added.name = text(tensor->name()).str();
    added.dtype = format::dataTypeName(tensor->dtype());
    for (uint32_t index : items(tensor->shape()))
      added.part.push_back(ranges[index].greatest);
    added.whole = items(tensor->whole());
    if (added.whole.empty())
      added.whole = added.part;
    cut(added, tensor->cuts());
    auto bytes = [&](const std::vector<int64_t> &shape) {
      return format::denseBytes(tensor->dtype(), shape.data(), shape.size());
    };
    added.wholeBytes = bytes(added.whole);
    added.partBytes = bytes(added.part);
  }
}

/// The constants that the plan's entries read, in the order of the file.
void ShardingDescriber::addWeights(const format::Plan &plan) {
  // By the number of the first rank's: those of all ranks.
  std::map<uint32_t, std::set<uint32_t>> read;
  for (const format::Program *program : items(plan.programs()))
    for (const format::Buffer *buffer : items(program->buffers()))
      for (uint32_t weight : weightsOf(*buffer))
        read[buffer->index()].insert(weight);
  for (const auto &[first, all] : read) {
    const format::Weight &weight = *manifest.weights()->Get(first);
    ShardedTensor &added = described.tensors.emplace_back();
    added.kind = "weight";
    added.name = text(weight.source()).str();
    added.dtype = format::dataTypeName(
        count(weight.logical_shape()) ? weight.format() : weight.dtype());
    added.part = items(count(weight.logical_shape()) ? weight.logical_shape()
                                                     : weight.shape());
    added.whole = added.part;
    if (count(weight.whole())) {
      added.whole = items(weight.whole());
      added.part = added.whole;
      for (const format::Cut *one : items(weight.cuts()))
        added.part[one->dimension()] /= one->count();
    }
    cut(added, weight.cuts());
    added.partBytes = weight.size();
    for (uint32_t number : all)
      added.wholeBytes += manifest.weights()->Get(number)->size();
  }
}

/// The axes whose digit differs within the first group, or between the ends of
/// a pair.
std::vector<std::string>
ShardingDescriber::axesOf(const format::Collective &collective,
                          ArrayRef<int64_t> value) const {
  std::vector<uint32_t> places;
  for (uint32_t rank : items(collective.group()))
    places.push_back(format::placeOf(manifest, uint32_t(value[rank])));
  uint32_t size = collective.group_size();
  bool isPermute = collective.kind() == format::CollectiveKind::permute;
  if (!isPermute)
    places.resize(std::min<size_t>(places.size(), size));
  std::vector<std::string> along;
  for (const Axis &axis : axes) {
    auto digit = [&](uint32_t place) {
      return place / axis.stride % axis.size;
    };
    bool differs = false;
    for (size_t i = 0; i < places.size(); ++i)
      differs |= digit(places[i]) != digit(places[i - i % size]);
    if (differs)
      along.push_back(axis.name);
  }
  return along;
}

/// What a rank sends to the others of its group, of `n`, which give `bytes`
/// each.
static int64_t sentBytes(format::CollectiveKind kind, int64_t bytes,
                         int64_t n) {
  switch (kind) {
  case format::CollectiveKind::all_reduce:
    return 2 * (n - 1) * bytes / n;
  case format::CollectiveKind::reduce_scatter:
  case format::CollectiveKind::all_to_all:
    return (n - 1) * bytes / n;
  case format::CollectiveKind::all_gather:
    return (n - 1) * bytes;
  default: // broadcast, permute
    return n > 1 ? bytes : 0;
  }
}

void ShardingDescriber::addCollectives(const format::Plan &plan) {
  std::vector<int64_t> value = tableValues(manifest, plan.expressions());
  for (const format::Program *program : items(plan.programs()))
    for (auto [number, block] : enumerate(items(program->blocks())))
      for (const format::Command *command : items(block->commands())) {
        const format::Collective *collective = command->action_as_Collective();
        if (!collective)
          continue;
        ShardedCollective &added = described.collectives.emplace_back();
        added.entry =
            text(manifest.entries()->Get(program->entry())->name()).str();
        added.kind = format::EnumNameCollectiveKind(collective->kind());
        if (format::joins(collective->kind()))
          added.reduction =
              format::EnumNameReductionKind(collective->reduction());
        added.dtype = format::dataTypeName(collective->dtype());
        added.axes = axesOf(*collective, value);
        added.groupSize = collective->group_size();
        added.isNested = number != program->body();
        const format::Binding &source = *collective->source();
        const format::Buffer &buffer =
            *program->buffers()->Get(source.buffer());
        added.sourceBytes = source.size() == none
                                ? value[buffer.size()] - value[source.offset()]
                                : value[source.size()];
        added.sentBytes =
            sentBytes(collective->kind(), added.sourceBytes, added.groupSize);
        for (uint32_t node : items(command->nodes()))
          added.nodes.push_back(text(manifest.nodes()->Get(node)).str());
      }
}

ShardingDescription ShardingDescriber::run() {
  described.ranks = manifest.ranks();
  readMesh();
  for (const format::Entry *entry : items(manifest.entries())) {
    addTensors("input", entry->inputs());
    addTensors("output", entry->outputs());
  }
  const format::Plan &plan = artifact.plan(firstKnown(artifact));
  addWeights(plan);
  addCollectives(plan);
  described.weightBytes = format::rankWeightBytes(manifest, plan);
  return std::move(described);
}

ShardingDescription
heddle::describeSharding(const format::ArtifactReader &artifact) {
  return ShardingDescriber(artifact).run();
}
