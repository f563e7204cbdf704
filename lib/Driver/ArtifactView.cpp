// What is in an artifact, as text and as JSON.

#include "heddle/Driver/ArtifactView.h"

#include "WeightUse.h"
#include "heddle/Driver/PhaseLog.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/Devices.h"
#include "runtime/format/Expressions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <set>

using namespace heddle;
using namespace llvm;
using format::none;

ErrorCode heddle::toErrorCode(const format::Error &error) {
  // The format's own number is for programs that write artifacts themselves.
  if (error.code() == HEDDLE_FILE_UNWRITABLE)
    return ErrorCode::FileUnwritable;
  return parseErrorName(std::to_string(unsigned(error.code())))
      .value_or(ErrorCode::InternalError);
}

static StringRef text(const flatbuffers::String *string) {
  return string ? StringRef(string->c_str(), string->size()) : StringRef();
}

template <typename T> static size_t count(const flatbuffers::Vector<T> *list) {
  return list ? list->size() : 0;
}

/// The elements of a list that may be absent.
template <typename T> static auto items(const flatbuffers::Vector<T> *list) {
  std::vector<typename flatbuffers::Vector<T>::return_type> result;
  for (uint32_t i = 0; i < count(list); ++i)
    result.push_back(list->Get(i));
  return result;
}

/// Values of an expression table, symbols at their largest or least.
static std::vector<int64_t> values(const format::Manifest &manifest,
                                   const format::ExpressionTable *table,
                                   bool largest = true) {
  std::vector<int64_t> symbols, result;
  for (const format::Symbol *symbol : items(manifest.symbols()))
    symbols.push_back(largest ? symbol->maximum() : symbol->minimum());
  // The reader has evaluated the same table before.
  (void)bool(format::evaluate(table, symbols, HEDDLE_MANIFEST_INVALID, result));
  return result;
}

namespace {
/// What a variant's plan does, counted.
struct PlanCounts {
  struct PerKernel {
    unsigned launches = 0;
    int64_t operations = 0, traffic = 0;
  };
  std::map<uint32_t, PerKernel> kernels;
  unsigned launches = 0, copies = 0, fills = 0, branches = 0, loops = 0;
  int64_t operations = 0, traffic = 0, arenaBytes = 0, persistentBytes = 0;
};
} // namespace

/// Counts the programs of all entries, or of the one that is given.
static PlanCounts countPlan(const format::Manifest &manifest,
                            const format::Plan &plan,
                            std::optional<uint32_t> entry = {}) {
  PlanCounts counts;
  std::vector<int64_t> value = values(manifest, plan.expressions());
  auto get = [&](uint32_t index) { return index == none ? 0 : value[index]; };
  auto sum = [&](const auto *memories) {
    int64_t bytes = 0;
    for (const format::Memory *memory : items(memories))
      bytes += get(memory->size());
    return bytes;
  };
  for (const format::Program *program : items(plan.programs())) {
    if (entry && program->entry() != *entry)
      continue;
    counts.arenaBytes = std::max(counts.arenaBytes, sum(program->arenas()));
    for (const format::Block *block : items(program->blocks()))
      for (const format::Command *command : items(block->commands())) {
        switch (command->action_type()) {
        case format::Action::Launch: {
          const format::Launch *launch = command->action_as_Launch();
          PlanCounts::PerKernel &kernel = counts.kernels[launch->kernel()];
          ++kernel.launches;
          ++counts.launches;
          kernel.operations += get(launch->operations());
          kernel.traffic += get(launch->traffic());
          counts.operations += get(launch->operations());
          counts.traffic += get(launch->traffic());
          break;
        }
        case format::Action::Copy:
          ++counts.copies;
          break;
        case format::Action::Fill:
          ++counts.fills;
          break;
        case format::Action::Branch:
          ++counts.branches;
          break;
        case format::Action::Loop:
          ++counts.loops;
          break;
        default:
          break;
        }
      }
  }
  counts.persistentBytes = sum(plan.persistent());
  return counts;
}

StringRef heddle::findRecord(const format::ArtifactReader &artifact,
                             StringRef key) {
  if (const auto *records = artifact.manifest().records())
    for (const format::KeyValue *pair : *records)
      if (text(pair->key()) == key)
        return text(pair->value());
  return {};
}

PlanCost heddle::planCost(const format::ArtifactReader &artifact,
                          StringRef variant, uint32_t entry) {
  const auto *variants = artifact.manifest().variants();
  for (uint32_t i = 0; i < count(variants); ++i)
    if (text(variants->Get(i)->name()) == variant &&
        artifact.skipped(i).empty()) {
      PlanCounts counts =
          countPlan(artifact.manifest(), artifact.plan(i), entry);
      return {counts.operations, counts.traffic};
    }
  return {};
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string result;
  raw_string_ostream os(result);
  interleave(shape, os, "x");
  return result;
}

static std::vector<int64_t> tensorShape(const format::Tensor &tensor,
                                        ArrayRef<int64_t> value) {
  std::vector<int64_t> shape;
  for (uint32_t index : items(tensor.shape()))
    shape.push_back(value[index]);
  return shape;
}

std::string heddle::rangeText(ArrayRef<int64_t> least,
                              ArrayRef<int64_t> largest) {
  if (least == largest)
    return shapeText(largest);
  std::string result;
  raw_string_ostream os(result);
  interleave(
      llvm::zip_equal(least, largest), os,
      [&](auto pair) {
        auto [low, high] = pair;
        if (low != high)
          os << low << "..";
        os << high;
      },
      "x");
  return result;
}

static void printTensors(
    raw_ostream &os, const char *kind, ArrayRef<int64_t> least,
    ArrayRef<int64_t> value,
    const flatbuffers::Vector<flatbuffers::Offset<format::Tensor>> *list) {
  if (!list)
    return;
  for (const format::Tensor *tensor : *list) {
    os << "  " << left_justify(kind, 7)
       << left_justify(text(tensor->name()), 24) << " "
       << left_justify(format::dataTypeName(tensor->dtype()), 5) << " "
       << rangeText(tensorShape(*tensor, least), tensorShape(*tensor, value));
    if (tensor->alias() != none)
      os << "  (may take the memory of input " << tensor->alias() << ")";
    os << "\n";
  }
}

static std::vector<int64_t> stateShape(const format::State &state,
                                       ArrayRef<int64_t> value) {
  std::vector<int64_t> shape;
  for (uint32_t index : items(state.shape()))
    shape.push_back(value[index]);
  return shape;
}

static void printStates(raw_ostream &os, const format::Manifest &manifest,
                        ArrayRef<int64_t> value, const format::Entry &entry) {
  for (const format::StateUse *use : items(entry.states())) {
    const format::State *state = manifest.states()->Get(use->state());
    os << "  state  " << left_justify(text(state->name()), 24) << " "
       << left_justify(format::dataTypeName(state->dtype()), 5) << " "
       << shapeText(stateShape(*state, value))
       << (use->writes() ? "  (changed)" : "  (read only)") << "\n";
  }
}

static void printWeights(raw_ostream &os, const format::Manifest &manifest) {
  if (!manifest.weights())
    return;
  for (const format::Weight *weight : *manifest.weights()) {
    std::vector<int64_t> shape = items(weight->shape());
    os << "  " << left_justify(text(weight->symbol()), 16) << " "
       << left_justify(format::dataTypeName(weight->dtype()), 5) << " "
       << left_justify(shapeText(shape), 18)
       << right_justify(formatBytes(weight->size()), 12) << "  ";
    if (!text(weight->packing()).empty())
      os << "packed " << text(weight->packing()) << "  ";
    os << text(weight->source()) << "\n";
  }
}

/// The first variant that the reader knows; there is one.
static uint32_t firstKnown(const format::ArtifactReader &artifact) {
  uint32_t variant = 0;
  while (!artifact.skipped(variant).empty())
    ++variant;
  return variant;
}

/// What a variant calls outside of itself, by kernel.
static std::vector<std::pair<uint32_t, const format::CustomCall *>>
customCalls(const format::Variant *variant) {
  std::vector<std::pair<uint32_t, const format::CustomCall *>> calls;
  for (uint32_t i = 0; i < count(variant->kernels()); ++i)
    if (const auto *call = variant->kernels()->Get(i)->custom_call())
      calls.emplace_back(i, call);
  return calls;
}

/// The values of an attribute, as JSON.
static json::Value attributeAsJson(const format::Attribute &attribute) {
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

static json::Object attributesAsJson(const format::CustomCall &call) {
  json::Object object;
  for (const format::Attribute *attribute : items(call.attributes()))
    object[json::fixUTF8(text(attribute->name()))] =
        attributeAsJson(*attribute);
  return object;
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

static void printCustomCalls(raw_ostream &os, const format::Variant *variant,
                             const PlanCounts &counts,
                             ArrayRef<int64_t> value) {
  auto calls = customCalls(variant);
  if (calls.empty())
    return;
  os << "custom calls, registered by the program that loads this:\n";
  for (auto [kernel, call] : calls) {
    auto print = [&](const auto *tensors) {
      os << "(";
      ListSeparator comma;
      for (const format::Tensor *tensor : items(tensors)) {
        os << comma << format::dataTypeName(tensor->dtype()) << " "
           << shapeText(tensorShape(*tensor, value));
        if (tensor->alias() != none)
          os << " in place of operand " << tensor->alias();
      }
      os << ")";
    };
    os << "  " << text(call->target()) << " ";
    print(call->operands());
    os << " -> ";
    print(call->results());
    auto use = counts.kernels.find(kernel);
    unsigned launches = use == counts.kernels.end() ? 0 : use->second.launches;
    os << ", " << launches << (launches == 1 ? " step" : " steps");
    if (call->has_side_effect())
      os << ", has side effects";
    if (count(call->attributes()))
      os << ", " << json::Value(attributesAsJson(*call));
    if (!text(call->backend_config()).empty())
      os << ", " << json::Value(json::fixUTF8(text(call->backend_config())));
    os << "\n";
  }
}

namespace {
/// A kernel with all its records: it has one for each kind of device that runs
/// it.
struct KernelUse {
  const format::Kernel *kernel;
  std::vector<std::string> devices;
  PlanCounts::PerKernel counts;
};
} // namespace

/// The kernels that are code, each once, in their order.
static std::vector<KernelUse> kernelUses(const format::Variant &variant,
                                         const PlanCounts &counts) {
  MapVector<StringRef, KernelUse> uses;
  uint32_t index = 0;
  for (const format::Kernel *kernel : items(variant.kernels())) {
    auto found = counts.kernels.find(index++);
    if (kernel->custom_call())
      continue;
    KernelUse &use = uses[text(kernel->name())];
    if (use.devices.empty())
      use.kernel = kernel;
    use.devices.push_back(format::EnumNameDeviceKind(
        variant.images()->Get(kernel->image())->device()));
    if (found == counts.kernels.end())
      continue;
    use.counts.launches += found->second.launches;
    use.counts.operations += found->second.operations;
    use.counts.traffic += found->second.traffic;
  }
  std::vector<KernelUse> list;
  for (auto &entry : uses)
    list.push_back(std::move(entry.second));
  return list;
}

static uint64_t codeBytesOf(const format::Kernel &kernel) {
  const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch();
  return launch ? launch->size() : 0;
}

static uint64_t scratchBytesOf(const format::Kernel &kernel) {
  if (const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch())
    return launch->scratch();
  const format::GpuLaunch *launch = kernel.launch_as_GpuLaunch();
  return launch ? launch->scratch() : 0;
}

static void printKernels(raw_ostream &os, ArrayRef<KernelUse> kernels) {
  os << "  launches      code   scratch    MFLOP  kernel\n";
  for (const KernelUse &use : kernels)
    os << llvm::format("  %8u", use.counts.launches)
       << right_justify(formatBytes(codeBytesOf(*use.kernel)), 10)
       << right_justify(formatBytes(scratchBytesOf(*use.kernel)), 10)
       << llvm::format("%9.1f", double(use.counts.operations) * 1e-6) << "  "
       << text(use.kernel->name()) << "\n";
}

/// The queue and the events of a command, where there is more than one queue.
static void printOrder(raw_ostream &os, const format::Plan &plan,
                       const format::Command &command) {
  if (count(plan.queues()) < 2)
    return;
  StringRef name = text(plan.queues()->Get(command.queue())->name());
  os << " on "
     << (name.empty() ? "queue " + std::to_string(command.queue())
                      : name.str());
  auto events = [&](const char *what, const auto *list) {
    if (!count(list))
      return;
    os << " " << what << " ";
    interleaveComma(items(list), os);
  };
  events("after", command.waits());
  events("signals", command.signals());
}

static void printCommand(raw_ostream &os, const format::Manifest &manifest,
                         const format::Variant &variant,
                         const format::Plan &plan,
                         const format::Program &program,
                         const format::Command &command,
                         ArrayRef<int64_t> value) {
  auto buffer = [&](const format::Binding *binding) {
    const format::Buffer *target = program.buffers()->Get(binding->buffer());
    StringRef name = text(target->name());
    return name.empty() ? "%" + std::to_string(binding->buffer()) : name.str();
  };
  switch (command.action_type()) {
  case format::Action::Launch: {
    const format::Launch *launch = command.action_as_Launch();
    const format::Kernel *kernel = variant.kernels()->Get(launch->kernel());
    os << (kernel->custom_call() ? "call " : "launch ") << text(kernel->name());
    if (!kernel->custom_call())
      os << " tiles " << value[launch->tiles()];
    os << " (";
    ListSeparator comma;
    for (const format::Binding *binding : items(launch->bindings()))
      os << comma << (binding->access() == format::Access::read ? "" : "out ")
         << buffer(binding);
    os << ")";
    if (count(launch->integers())) {
      os << " integers ";
      interleaveComma(items(launch->integers()), os,
                      [&](uint32_t integer) { os << value[integer]; });
    }
    break;
  }
  case format::Action::Copy:
    os << "copy " << buffer(command.action_as_Copy()->source()) << " to "
       << buffer(command.action_as_Copy()->target());
    break;
  case format::Action::Fill:
    os << "fill " << buffer(command.action_as_Fill()->target());
    break;
  case format::Action::Branch:
    if (const format::Binding *selector =
            command.action_as_Branch()->selector())
      os << "branch on " << buffer(selector);
    else
      os << "branch " << value[command.action_as_Branch()->value()];
    break;
  case format::Action::Loop:
    os << "loop over block " << command.action_as_Loop()->body();
    break;
  default:
    break;
  }
  printOrder(os, plan, command);
  std::vector<uint32_t> nodes = items(command.nodes());
  if (!nodes.empty()) {
    os << "  ; ";
    interleaveComma(nodes, os, [&](uint32_t node) {
      os << text(manifest.nodes()->Get(node));
    });
  }
  os << "\n";
}

/// Whether `entry` is the one of that name; all are without a name.
static bool isShown(StringRef name, const format::Entry &entry) {
  return name.empty() || text(entry.name()) == name;
}

static void printPlan(raw_ostream &os, const format::Manifest &manifest,
                      const format::Variant &variant, const format::Plan &plan,
                      StringRef entryName) {
  std::vector<int64_t> value = values(manifest, plan.expressions());
  for (const format::Program *program : items(plan.programs())) {
    if (!isShown(entryName, *manifest.entries()->Get(program->entry())))
      continue;
    os << "  program of entry "
       << text(manifest.entries()->Get(program->entry())->name());
    for (const format::Memory *arena : items(program->arenas()))
      if (count(variant.devices()) > 1)
        os << ", " << formatBytes(value[arena->size()]) << " of "
           << format::deviceName(variant, arena->device());
    os << "\n";
    unsigned number = 0;
    for (const format::Block *block : items(program->blocks())) {
      os << "   block " << number++ << "\n";
      for (const format::Command *command : items(block->commands())) {
        os << "    ";
        printCommand(os, manifest, variant, plan, *program, *command, value);
      }
    }
  }
}

bool heddle::hasEntry(const format::ArtifactReader &artifact, StringRef name) {
  return llvm::any_of(
      items(artifact.manifest().entries()),
      [&](const format::Entry *entry) { return text(entry->name()) == name; });
}

void heddle::printArtifact(raw_ostream &os, StringRef path,
                           const format::ArtifactReader &artifact,
                           StringRef show, StringRef entryName) {
  const format::Manifest &manifest = artifact.manifest();
  os << path << ": " << formatBytes(artifact.file().size)
     << ", artifact format " << artifact.header().major << "."
     << artifact.header().minor << "\n";
  if (!text(manifest.name()).empty())
    os << "model " << text(manifest.name()) << "\n";
  if (manifest.flush_subnormals())
    os << "subnormal numbers are flushed to zero\n";
  std::vector<int64_t> value = values(manifest, manifest.expressions());
  std::vector<int64_t> least =
      values(manifest, manifest.expressions(), /*largest=*/false);
  for (const format::Entry *entry : items(manifest.entries())) {
    if (!isShown(entryName, *entry))
      continue;
    os << "entry " << text(entry->name()) << "\n";
    printTensors(os, "input", least, value, entry->inputs());
    printTensors(os, "output", least, value, entry->outputs());
    printStates(os, manifest, value, *entry);
  }
  uint32_t known = firstKnown(artifact);
  printCustomCalls(os, manifest.variants()->Get(known),
                   countPlan(manifest, artifact.plan(known)), value);

  WeightUse use = weightUse(artifact);
  bool hasSeveral = use.variants.size() > 1;
  os << "weights: " << count(manifest.weights()) << ", "
     << formatBytes(use.totalBytes);
  if (hasSeveral && use.totalBytes)
    os << ", of which targets share " << formatBytes(use.sharedBytes);
  os << "\n";
  if (show == "weights")
    printWeights(os, manifest);

  bool gpu = false;
  uint32_t index = 0;
  for (const format::Variant *variant : items(manifest.variants())) {
    uint32_t number = index++;
    if (!artifact.skipped(number).empty()) {
      os << "target " << text(variant->name()) << ": needs "
         << artifact.skipped(number)
         << ", which this version of heddle does not know\n";
      continue;
    }
    const format::Plan &plan = artifact.plan(number);
    PlanCounts counts = countPlan(manifest, plan);
    std::vector<KernelUse> kernels = kernelUses(*variant, counts);
    os << "target " << text(variant->name()) << ": " << kernels.size()
       << " kernels in " << formatBytes(codeBytes(artifact, *variant)) << ", "
       << counts.launches << " launches";
    if (counts.copies)
      os << ", " << counts.copies << " copies";
    if (counts.fills)
      os << ", " << counts.fills << " fills";
    if (counts.branches + counts.loops)
      os << ", " << counts.branches << " branches, " << counts.loops
         << " loops";
    os << ", arena " << formatBytes(counts.arenaBytes);
    if (counts.persistentBytes)
      os << ", persistent " << formatBytes(counts.persistentBytes);
    if (hasSeveral && use.variants[number].bytes)
      os << ", weights " << formatBytes(use.variants[number].bytes) << " ("
         << formatBytes(use.variants[number].ownBytes) << " its own)";
    if (counts.operations)
      os << llvm::format(", %.3f GFLOP", double(counts.operations) * 1e-9);
    if (count(variant->devices()) > 1) {
      os << ", on ";
      ListSeparator comma;
      for (uint32_t i = 0; i < count(variant->devices()); ++i)
        os << comma << format::deviceName(*variant, i);
    }
    if (count(plan.queues()) > count(variant->devices()))
      os << ", " << count(plan.queues()) << " queues";
    os << "\n";
    if (show == "kernels")
      printKernels(os, kernels);
    if (show == "plan")
      printPlan(os, manifest, *variant, plan, entryName);
    for (const format::Image *image : items(variant->images()))
      gpu |= image->format() != format::CodeFormat::elf;
  }
  os << (gpu ? "" : "no GPU code included\n");
  os << "source map: " << count(manifest.nodes()) << " nodes\n";
  if (show == "nodes")
    for (const flatbuffers::String *node : items(manifest.nodes()))
      os << "  " << text(node) << "\n";
  for (const format::KeyValue *pair : items(manifest.provenance()))
    os << text(pair->key()) << ": " << text(pair->value()) << "\n";
  if (show == "records")
    for (const format::KeyValue *pair : items(manifest.records()))
      os << "  " << text(pair->key()) << ": " << text(pair->value()) << "\n";
}

/// A document outlives the artifact, and json::Value does not copy a StringRef.
static std::string owned(const flatbuffers::String *string) {
  return json::fixUTF8(text(string));
}

static json::Array tensorsAsJson(
    ArrayRef<int64_t> least, ArrayRef<int64_t> value,
    const flatbuffers::Vector<flatbuffers::Offset<format::Tensor>> *list) {
  json::Array array;
  if (!list)
    return array;
  for (const format::Tensor *tensor : *list) {
    json::Object object{{"name", owned(tensor->name())},
                        {"dtype", format::dataTypeName(tensor->dtype())},
                        {"shape", json::Array(tensorShape(*tensor, value))}};
    if (tensorShape(*tensor, least) != tensorShape(*tensor, value))
      object["shape_min"] = json::Array(tensorShape(*tensor, least));
    array.push_back(std::move(object));
  }
  return array;
}

static json::Array statesAsJson(const format::Manifest &manifest,
                                ArrayRef<int64_t> value,
                                const format::Entry &entry) {
  json::Array array;
  for (const format::StateUse *use : items(entry.states())) {
    const format::State *state = manifest.states()->Get(use->state());
    array.push_back(
        json::Object{{"name", owned(state->name())},
                     {"dtype", format::dataTypeName(state->dtype())},
                     {"shape", json::Array(stateShape(*state, value))},
                     {"changed", use->writes()}});
  }
  return array;
}

static json::Object pairsAsJson(
    const flatbuffers::Vector<flatbuffers::Offset<format::KeyValue>> *list) {
  json::Object object;
  for (const format::KeyValue *pair : items(list))
    object[owned(pair->key())] = owned(pair->value());
  return object;
}

json::Object heddle::artifactAsJson(const format::ArtifactReader &artifact,
                                    StringRef entryName) {
  const format::Manifest &manifest = artifact.manifest();
  std::vector<int64_t> value = values(manifest, manifest.expressions());
  std::vector<int64_t> least =
      values(manifest, manifest.expressions(), /*largest=*/false);
  json::Array entries, weights, variants, nodes;
  for (const format::Entry *entry : items(manifest.entries()))
    if (isShown(entryName, *entry))
      entries.push_back(json::Object{
          {"name", owned(entry->name())},
          {"inputs", tensorsAsJson(least, value, entry->inputs())},
          {"outputs", tensorsAsJson(least, value, entry->outputs())},
          {"states", statesAsJson(manifest, value, *entry)}});
  for (const format::Weight *weight : items(manifest.weights()))
    weights.push_back(
        json::Object{{"symbol", owned(weight->symbol())},
                     {"dtype", format::dataTypeName(weight->dtype())},
                     {"shape", json::Array(items(weight->shape()))},
                     {"bytes", int64_t(weight->size())},
                     {"packing", owned(weight->packing())},
                     {"source", owned(weight->source())}});
  WeightUse use = weightUse(artifact);
  uint32_t index = 0;
  for (const format::Variant *variant : items(manifest.variants())) {
    uint32_t number = index++;
    if (!artifact.skipped(number).empty()) {
      variants.push_back(json::Object{{"name", owned(variant->name())},
                                      {"needs", artifact.skipped(number)}});
      continue;
    }
    PlanCounts counts = countPlan(manifest, artifact.plan(number));
    json::Array devices;
    for (uint32_t i = 0; i < count(variant->devices()); ++i)
      devices.push_back(format::deviceName(*variant, i));
    json::Array kernels;
    for (const KernelUse &known : kernelUses(*variant, counts))
      kernels.push_back(json::Object{
          {"name", owned(known.kernel->name())},
          {"code_bytes", int64_t(codeBytesOf(*known.kernel))},
          {"scratch_bytes", int64_t(scratchBytesOf(*known.kernel))},
          {"devices", json::Array(known.devices)},
          {"launches", int64_t(known.counts.launches)},
          {"operations", known.counts.operations},
          {"traffic_bytes", known.counts.traffic}});
    json::Array queues;
    for (const format::Queue *queue : items(artifact.plan(number).queues()))
      queues.push_back(owned(queue->name()));
    variants.push_back(json::Object{
        {"name", owned(variant->name())},
        {"kernels", std::move(kernels)},
        {"devices", std::move(devices)},
        {"queues", std::move(queues)},
        {"code_bytes", int64_t(codeBytes(artifact, *variant))},
        {"weight_bytes", int64_t(use.variants[number].bytes)},
        {"own_weight_bytes", int64_t(use.variants[number].ownBytes)},
        {"launches", int64_t(counts.launches)},
        {"copies", int64_t(counts.copies)},
        {"fills", int64_t(counts.fills)},
        {"operations", counts.operations},
        {"arena_bytes", counts.arenaBytes},
        {"persistent_bytes", counts.persistentBytes}});
  }
  for (const flatbuffers::String *node : items(manifest.nodes()))
    nodes.push_back(owned(node));
  json::Array calls;
  uint32_t known = firstKnown(artifact);
  PlanCounts steps = countPlan(manifest, artifact.plan(known));
  for (auto [kernel, call] : customCalls(manifest.variants()->Get(known))) {
    auto tensors = [&](const auto *list) {
      json::Array array;
      for (const format::Tensor *tensor : items(list)) {
        json::Object object{
            {"dtype", format::dataTypeName(tensor->dtype())},
            {"shape", json::Array(tensorShape(*tensor, value))}};
        if (tensor->alias() != none)
          object["operand"] = int64_t(tensor->alias());
        array.push_back(std::move(object));
      }
      return array;
    };
    calls.push_back(
        json::Object{{"name", owned(call->target())},
                     {"operands", tensors(call->operands())},
                     {"results", tensors(call->results())},
                     {"side_effect", call->has_side_effect()},
                     {"api_version", int64_t(call->api_version())},
                     {"attributes", attributesAsJson(*call)},
                     {"backend_config", owned(call->backend_config())},
                     {"steps", int64_t(steps.kernels[kernel].launches)}});
  }
  return json::Object{{"kind", "artifact"},
                      {"flushes_subnormals", manifest.flush_subnormals()},
                      {"bytes", int64_t(artifact.file().size)},
                      {"model", owned(manifest.name())},
                      {"entries", std::move(entries)},
                      {"custom_calls", std::move(calls)},
                      {"weights", std::move(weights)},
                      {"weight_bytes", int64_t(use.totalBytes)},
                      {"shared_weight_bytes", int64_t(use.sharedBytes)},
                      {"targets", std::move(variants)},
                      {"nodes", std::move(nodes)},
                      {"provenance", pairsAsJson(manifest.provenance())},
                      {"records", pairsAsJson(manifest.records())}};
}
