// Reads the tables of an artifact into what is told of it.

#include "heddle/Driver/ArtifactDescription.h"

#include "ArtifactTables.h"
#include "PlanCounts.h"
#include "WeightUse.h"
#include "heddle/Target/Machine.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/Devices.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/TensorMemory.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <set>

using namespace heddle;
using namespace llvm;
using format::none;

std::vector<int64_t> heddle::tableValues(const format::Manifest &manifest,
                                         const format::ExpressionTable *table) {
  std::vector<int64_t> result;
  // The reader has evaluated the same table before.
  (void)bool(format::evaluate(table, format::largestSymbols(manifest),
                              HEDDLE_MANIFEST_INVALID, result));
  return result;
}

uint32_t heddle::firstKnown(const format::ArtifactReader &artifact) {
  uint32_t variant = 0;
  while (!artifact.skipped(variant).empty())
    ++variant;
  return variant;
}

/// The values of an attribute, as JSON.
static json::Value describe(const format::Attribute &attribute) {
  json::Array values;
  for (int64_t integer : items(attribute.integers())) {
    if (attribute.kind() == format::AttributeKind::boolean)
      values.push_back(integer != 0);
    else
      values.push_back(integer);
  }
  for (double real : items(attribute.reals())) {
    // JSON has neither infinities nor NaN.
    if (std::isfinite(real))
      values.push_back(real);
    else
      values.push_back(std::isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
  }
  for (const flatbuffers::String *string : items(attribute.texts()))
    values.push_back(json::fixUTF8(text(string)));
  if (attribute.is_array())
    return values;
  return std::move(values.front());
}

/// The bytes of a variant's code; images may be one section.
static uint64_t codeBytes(const format::ArtifactReader &artifact,
                          const format::Variant &variant) {
  std::set<uint32_t> sections;
  for (const format::Image *image : items(variant.images()))
    sections.insert(image->section());
  uint64_t bytes = 0;
  for (uint32_t section : sections)
    bytes += artifact.section(section).size;
  return bytes;
}

static uint64_t codeBytes(const format::Kernel &kernel) {
  const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch();
  return launch ? launch->size() : 0;
}

static uint64_t scratchBytes(const format::Kernel &kernel) {
  if (const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch())
    return launch->scratch();
  const format::GpuLaunch *launch = kernel.launch_as_GpuLaunch();
  return launch ? launch->scratch() : 0;
}

/// 32 digits, the high half first; none of a hash that the record lacks.
static std::string text(const format::Hash *hash) {
  std::string digits;
  if (hash)
    llvm::raw_string_ostream(digits)
        << llvm::format_hex_no_prefix(hash->high(), 16)
        << llvm::format_hex_no_prefix(hash->low(), 16);
  return digits;
}

namespace {
/// Describes the parts of one artifact.
class Describer {
public:
  Describer(const format::ArtifactReader &artifact, StringRef entryName,
            bool withPrograms)
      : artifact(artifact), manifest(artifact.manifest()), entryName(entryName),
        withPrograms(withPrograms), ranges(format::expressionRanges(manifest)) {
  }

  ArtifactDescription run() const;

private:
  using Tensors = flatbuffers::Vector<flatbuffers::Offset<format::Tensor>>;

  /// A shape with the least, or the greatest, of each extent.
  template <typename List>
  std::vector<int64_t> shapeOf(const List *extents,
                               int64_t format::ValueRange::*end) const;
  std::vector<TensorDescription> describe(const Tensors *list) const;
  EntryDescription describe(const format::Entry &entry) const;
  WeightDescription describe(const format::Weight &weight) const;
  CustomCallDescription describe(const format::CustomCall &call) const;
  std::vector<CustomCallDescription> describeCalls() const;
  std::vector<KernelDescription>
  describeKernels(const format::Variant &variant,
                  const PlanCounts &counts) const;
  TargetDescription describe(uint32_t variant, const WeightUse &use) const;

  const format::ArtifactReader &artifact;
  const format::Manifest &manifest;
  StringRef entryName;
  bool withPrograms;
  std::vector<format::ValueRange> ranges; ///< Of the manifest's table.
};
} // namespace

template <typename List>
std::vector<int64_t>
Describer::shapeOf(const List *extents,
                   int64_t format::ValueRange::*end) const {
  std::vector<int64_t> shape;
  for (uint32_t index : items(extents))
    shape.push_back(ranges[index].*end);
  return shape;
}

std::vector<TensorDescription> Describer::describe(const Tensors *list) const {
  std::vector<TensorDescription> tensors;
  for (const format::Tensor *tensor : items(list)) {
    TensorDescription &described = tensors.emplace_back();
    described.name = text(tensor->name()).str();
    described.dtype = format::dataTypeName(tensor->dtype());
    described.least = shapeOf(tensor->shape(), &format::ValueRange::least);
    described.shape =
        shapeOf(format::memoryShape(*tensor), &format::ValueRange::greatest);
    described.whole = items(tensor->whole());
    if (tensor->alias() != none)
      described.alias = tensor->alias();
  }
  return tensors;
}

EntryDescription Describer::describe(const format::Entry &entry) const {
  EntryDescription described;
  described.name = text(entry.name()).str();
  described.inputs = describe(entry.inputs());
  described.outputs = describe(entry.outputs());
  for (const format::StateUse *use : items(entry.states())) {
    const format::State *state = manifest.states()->Get(use->state());
    StateDescription &one = described.states.emplace_back();
    one.name = text(state->name()).str();
    one.dtype = format::dataTypeName(state->dtype());
    one.shape = shapeOf(state->shape(), &format::ValueRange::greatest);
    one.isChanged = use->writes() != 0;
    if (state->length() != none)
      one.length = text(manifest.symbols()->Get(state->length())->name()).str();
    if (state->dimension() != none)
      one.dimension = state->dimension();
  }
  for (uint32_t symbol : items(entry.given()))
    described.given.push_back(
        text(manifest.symbols()->Get(symbol)->name()).str());
  for (const format::Assumption *assumption : items(entry.assumptions()))
    described.assumptions.push_back(
        {text(assumption->text()).str(),
         assumption->node() == none
             ? std::string()
             : text(manifest.nodes()->Get(assumption->node())).str()});
  return described;
}

CustomCallDescription
Describer::describe(const format::CustomCall &call) const {
  CustomCallDescription described;
  described.target = text(call.target()).str();
  described.operands = describe(call.operands());
  described.results = describe(call.results());
  described.hasSideEffect = call.has_side_effect();
  described.apiVersion = call.api_version();
  for (const format::Attribute *attribute : items(call.attributes()))
    described.attributes[json::fixUTF8(text(attribute->name()))] =
        ::describe(*attribute);
  described.backendConfig = text(call.backend_config()).str();
  return described;
}

std::vector<CustomCallDescription> Describer::describeCalls() const {
  uint32_t known = firstKnown(artifact);
  PlanCounts counts = countPlan(manifest, artifact.plan(known));
  std::vector<CustomCallDescription> calls;
  const auto *kernels = manifest.variants()->Get(known)->kernels();
  for (auto [i, kernel] : llvm::enumerate(items(kernels)))
    if (const format::CustomCall *call = kernel->custom_call()) {
      calls.push_back(describe(*call));
      calls.back().steps = counts.kernels[i].launches;
    }
  return calls;
}

/// The kernels that are code, each once, in their order.
std::vector<KernelDescription>
Describer::describeKernels(const format::Variant &variant,
                           const PlanCounts &counts) const {
  MapVector<StringRef, KernelDescription> kernels;
  for (auto [i, kernel] : llvm::enumerate(items(variant.kernels()))) {
    if (kernel->custom_call())
      continue;
    KernelDescription &described = kernels[text(kernel->name())];
    if (described.devices.empty()) {
      described.name = text(kernel->name()).str();
      described.identity = text(kernel->identity());
      described.codeBytes = codeBytes(*kernel);
      described.scratchBytes = scratchBytes(*kernel);
    }
    if (const format::GpuLaunch *launch = kernel->launch_as_GpuLaunch()) {
      described.threads = 1;
      for (uint32_t extent : items(launch->block()))
        described.threads *= extent;
      for (const flatbuffers::String *line : items(launch->design()))
        described.design.push_back(text(line).str());
    }
    described.devices.push_back(format::EnumNameDeviceKind(
        variant.images()->Get(kernel->image())->device()));
    auto found = counts.kernels.find(i);
    if (found == counts.kernels.end())
      continue;
    described.launches += found->second.launches;
    described.operations += found->second.operations;
    described.traffic += found->second.traffic;
    for (uint32_t node : found->second.nodes)
      described.nodes.push_back(text(manifest.nodes()->Get(node)).str());
  }
  std::vector<KernelDescription> list;
  for (auto &entry : kernels)
    list.push_back(std::move(entry.second));
  return list;
}

TargetDescription Describer::describe(uint32_t number,
                                      const WeightUse &use) const {
  const format::Variant &variant = *manifest.variants()->Get(number);
  TargetDescription described;
  described.name = text(variant.name()).str();
  described.needs = artifact.skipped(number);
  if (!described.needs.empty())
    return described;
  const format::Plan &plan = artifact.plan(number);
  PlanCounts counts = countPlan(manifest, plan);
  described.kernels = describeKernels(variant, counts);
  for (uint32_t i = 0; i < count(variant.devices()); ++i)
    described.devices.push_back(format::deviceName(variant, i));
  for (const format::Queue *queue : items(plan.queues()))
    described.queues.push_back(text(queue->name()).str());
  for (auto [state, home] :
       llvm::zip_equal(items(manifest.states()), items(plan.states())))
    described.stateHomes.emplace_back(
        text(state->name()).str(), format::deviceName(variant, home->device()));
  described.codeBytes = codeBytes(artifact, variant);
  described.weightBytes = use.variants[number].bytes;
  described.ownWeightBytes = use.variants[number].ownBytes;
  for (uint32_t weight : use.variants[number].laidOut)
    described.laidOut.push_back(
        text(manifest.weights()->Get(weight)->symbol()).str());
  described.launches = counts.launches;
  described.copies = counts.copies;
  described.fills = counts.fills;
  described.branches = counts.branches;
  described.loops = counts.loops;
  described.collectives = counts.collectives;
  described.operations = counts.operations;
  described.arenaBytes = counts.arenaBytes;
  described.persistentBytes = counts.persistentBytes;
  for (const format::Image *image : items(variant.images())) {
    described.hasGpuCode |= image->format() != format::CodeFormat::elf;
    for (const flatbuffers::String *feature : items(image->features()))
      described.pairsFlushSubnormals |= text(feature) == kPairFeature;
  }
  if (withPrograms)
    described.programs = listPlan(manifest, variant, plan, entryName);
  return described;
}

WeightDescription Describer::describe(const format::Weight &weight) const {
  WeightDescription described;
  described.symbol = text(weight.symbol()).str();
  described.dtype = format::dataTypeName(weight.dtype());
  described.shape = items(weight.shape());
  described.bytes = weight.size();
  described.packing = text(weight.packing()).str();
  described.source = text(weight.source()).str();
  if (!described.packing.empty()) {
    described.format = format::dataTypeName(weight.format());
    described.logicalShape = items(weight.logical_shape());
  }
  auto symbol = [&](uint32_t index) {
    return index == none ? std::string()
                         : text(manifest.weights()->Get(index)->symbol()).str();
  };
  described.block = items(weight.block());
  described.scale = symbol(weight.scale());
  described.zeroPoint = symbol(weight.zero_point());
  return described;
}

ArtifactDescription Describer::run() const {
  ArtifactDescription described;
  described.model = text(manifest.name()).str();
  described.major = artifact.header().major;
  described.minor = artifact.header().minor;
  described.bytes = artifact.file().size;
  described.flushesSubnormals = manifest.flush_subnormals();
  described.ranks = manifest.ranks();
  for (const format::Symbol *symbol : items(manifest.symbols()))
    described.sizes.push_back(
        {text(symbol->name()).str(), symbol->minimum(), symbol->maximum(),
         symbol->multiple(), symbol->source() == format::SymbolSource::device});
  for (const format::Entry *entry : items(manifest.entries()))
    if (entryName.empty() || text(entry->name()) == entryName)
      described.entries.push_back(describe(*entry));
  described.customCalls = describeCalls();
  WeightUse use = weightUse(artifact);
  for (auto [i, weight] : llvm::enumerate(items(manifest.weights()))) {
    described.weights.push_back(describe(*weight));
    for (auto [variant, uses] :
         llvm::zip_equal(items(manifest.variants()), use.variants))
      if (uses.laidOut.count(i))
        described.weights.back().laidOutBy.push_back(
            text(variant->name()).str());
  }
  described.weightBytes = use.totalBytes;
  described.sharedWeightBytes = use.sharedBytes;
  for (uint32_t i = 0; i < count(manifest.variants()); ++i)
    described.targets.push_back(describe(i, use));
  for (const flatbuffers::String *node : items(manifest.nodes()))
    described.nodes.push_back(text(node).str());
  auto pairs = [](const auto *list, auto &described) {
    for (const format::KeyValue *pair : items(list))
      described.emplace_back(text(pair->key()).str(),
                             text(pair->value()).str());
  };
  pairs(manifest.provenance(), described.provenance);
  pairs(manifest.records(), described.records);
  return described;
}

ArtifactDescription
heddle::describeArtifact(const format::ArtifactReader &artifact,
                         StringRef entryName, bool withPrograms) {
  return Describer(artifact, entryName, withPrograms).run();
}
