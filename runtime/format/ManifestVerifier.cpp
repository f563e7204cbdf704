// Checks each table of a manifest against the others.

#include "runtime/format/ManifestVerifier.h"

#include "runtime/format/CustomCalls.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ElfImage.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/Limits.h"
#include "runtime/format/WeightLayout.h"

#include <algorithm>
#include <array>
#include <map>

namespace heddle::format {

static Error invalid(const std::string &what) {
  return {HEDDLE_MANIFEST_INVALID, "its manifest is invalid: " + what};
}

static Error checkSectionTable(const Manifest &manifest,
                               uint64_t manifestOffset) {
  if (!isAligned(manifest.sections()))
    return invalid("its sections are not aligned");
  uint64_t end = sizeof(Header);
  for (uint32_t i = 0; i < length(manifest.sections()); ++i) {
    const Section &section = *manifest.sections()->Get(i);
    if (section.offset() % pageBytes || section.offset() < end ||
        section.offset() > manifestOffset ||
        section.size() > manifestOffset - section.offset())
      return invalid("section " + std::to_string(i) + " is misplaced");
    if (section.kind() > SectionKind::MAX)
      return invalid("section " + std::to_string(i) + " is of unknown kind");
    end = section.offset() + section.size();
  }
  return {};
}

/// Bytes of a row-major tensor, -1 for extents that are negative or too large.
static int64_t denseBytes(DataType type, const int64_t *shape, size_t rank) {
  int64_t bytes = elementBytes(type);
  for (size_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || __builtin_mul_overflow(bytes, shape[i], &bytes) ||
        bytes > maximumBytes)
      return -1;
  return bytes;
}

static std::vector<int64_t> toVector(const flatbuffers::Vector<int64_t> *list) {
  return list ? std::vector<int64_t>(list->begin(), list->end())
              : std::vector<int64_t>();
}

/// Whether the weight lies as its layout says.
static Error checkLayout(const Weight &weight, const std::string &name) {
  if (!length(weight.packing())) {
    if (weight.format() != DataType::none || length(weight.logical_shape()))
      return invalid(name + " has a logical type but no layout");
    return {};
  }
  std::optional<WeightLayout> layout =
      WeightLayout::parse(text(weight.packing()));
  if (!layout)
    return invalid(name + " has no proper layout");
  std::optional<StoredLayout> stored = layout->of(
      toVector(weight.logical_shape()), elementBits(weight.format()));
  if (!stored || stored->shape() != toVector(weight.shape()) ||
      stored->unitBits() != 8 * elementBytes(weight.dtype()) ||
      static_cast<uint64_t>(stored->bytes()) != weight.size() ||
      (!stored->isInWords() && weight.format() != weight.dtype()))
    return invalid(name + " is not stored as its layout says");
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
      return invalid(name + " has scales but no blocks");
    return {};
  }
  std::vector<int64_t> blocks = logical(weight);
  if (block.size() != blocks.size() || weight.scale() == none)
    return invalid(name + " has improper blocks");
  for (size_t i = 0; i < block.size(); ++i) {
    if (block[i] < 1)
      return invalid(name + " has improper blocks");
    blocks[i] = blocks[i] / block[i] + !!(blocks[i] % block[i]);
  }
  for (uint32_t index : {weight.scale(), weight.zero_point()}) {
    if (index == none)
      continue;
    if (index >= length(manifest.weights()))
      return invalid(name + " names an unknown weight");
    const Weight &other = *manifest.weights()->Get(index);
    if (length(other.block()))
      return invalid(name + " has scales that are scaled");
    if (logical(other) != blocks)
      return invalid(name + " has blocks that its scales do not fit");
  }
  return {};
}

static Error checkWeights(const Manifest &manifest) {
  uint32_t sections = length(manifest.sections());
  uint32_t section = 0;
  uint64_t end = 0; // of the weight before, in the same section
  for (uint32_t i = 0; i < length(manifest.weights()); ++i) {
    const Weight &weight = *manifest.weights()->Get(i);
    std::string name = "weight '" + text(weight.symbol()) + "'";
    if (weight.section() >= sections || weight.section() < section ||
        manifest.sections()->Get(weight.section())->kind() !=
            SectionKind::weights)
      return invalid(name + " is in no section of weights");
    if (weight.section() != section)
      end = 0;
    section = weight.section();
    uint64_t bytes = manifest.sections()->Get(section)->size();
    if (weight.offset() % weightAlignment || weight.offset() < end ||
        weight.offset() > bytes || weight.size() > bytes - weight.offset())
      return invalid(name + " is misplaced");
    end = weight.offset() + weight.size();
    if (!weight.hash())
      return invalid(name + " has no hash");
    if (!isAligned(weight.shape()) || !isAligned(weight.logical_shape()) ||
        !isAligned(weight.block()))
      return invalid(name + " has a shape that is not aligned");
    int64_t dense = denseBytes(
        weight.dtype(), weight.shape() ? weight.shape()->data() : nullptr,
        length(weight.shape()));
    if (!elementBytes(weight.dtype()) || dense < 0)
      return invalid(name + " has no proper type");
    if (!length(weight.packing()) &&
        static_cast<uint64_t>(dense) != weight.size())
      return invalid(name + " has " + std::to_string(weight.size()) +
                     " bytes, its type " + std::to_string(dense));
    if (Error error = checkLayout(weight, name))
      return error;
  }
  for (uint32_t i = 0; i < length(manifest.weights()); ++i)
    if (Error error = checkScales(manifest, *manifest.weights()->Get(i)))
      return error;
  return {};
}

int64_t tensorBytes(const Tensor &tensor, const std::vector<int64_t> &values) {
  std::array<int64_t, maximumRank> shape;
  uint32_t rank = length(tensor.shape());
  if (rank > shape.size())
    return -1;
  for (uint32_t i = 0; i < rank; ++i)
    shape[i] = values[tensor.shape()->Get(i)];
  return denseBytes(tensor.dtype(), shape.data(), rank);
}

static int64_t bytesOf(const State &state, const std::vector<int64_t> &values) {
  std::vector<int64_t> shape;
  for (uint32_t i = 0; i < length(state.shape()); ++i) {
    if (state.shape()->Get(i) >= values.size())
      return -1;
    shape.push_back(values[state.shape()->Get(i)]);
  }
  if (!elementBytes(state.dtype()))
    return -1;
  return denseBytes(state.dtype(), shape.data(), shape.size());
}

std::vector<int64_t> stateBytes(const Manifest &manifest) {
  std::vector<int64_t> result(length(manifest.states()), -1), values;
  if (result.empty() ||
      evaluate(manifest.expressions(), largestSymbols(manifest),
               HEDDLE_MANIFEST_INVALID, values))
    return result;
  for (uint32_t i = 0; i < result.size(); ++i)
    result[i] = bytesOf(*manifest.states()->Get(i), values);
  return result;
}

static Error checkTensor(const Tensor &tensor, const Entry &entry,
                         const std::vector<int64_t> &values) {
  std::string name = "tensor '" + text(tensor.name()) + "' of entry '" +
                     text(entry.name()) + "'";
  for (uint32_t i = 0; i < length(tensor.shape()); ++i)
    if (tensor.shape()->Get(i) >= values.size())
      return invalid(name + " has an unknown extent");
  if (length(tensor.shape()) > maximumRank)
    return invalid(name + " has more than " + std::to_string(maximumRank) +
                   " dimensions");
  if (!elementBytes(tensor.dtype()) || tensorBytes(tensor, values) < 0)
    return invalid(name + " has no proper type");
  if (tensor.alignment() & (tensor.alignment() - 1) ||
      tensor.alignment() > pageBytes)
    return invalid(name + " has an improper alignment");
  if (tensor.alias() != none && tensor.alias() >= length(entry.inputs()))
    return invalid(name + " is to share memory with an unknown input");
  return {};
}

/// An input is replaced by one output at most, of its type and shape.
static Error checkReplaced(const Entry &entry,
                           const std::vector<int64_t> &values) {
  std::vector<bool> replaced(length(entry.inputs()), false);
  for (uint32_t i = 0; i < length(entry.outputs()); ++i) {
    const Tensor &output = *entry.outputs()->Get(i);
    if (output.alias() == none)
      continue;
    const Tensor &input = *entry.inputs()->Get(output.alias());
    std::string name = "output '" + text(output.name()) + "'";
    bool same = output.dtype() == input.dtype() &&
                length(output.shape()) == length(input.shape());
    for (uint32_t j = 0; same && j < length(output.shape()); ++j)
      same = values[output.shape()->Get(j)] == values[input.shape()->Get(j)];
    if (!same)
      return invalid(name + " replaces an input of another type or shape");
    if (replaced[output.alias()])
      return invalid(name + " replaces an input that another output replaces");
    replaced[output.alias()] = true;
  }
  return {};
}

static Error checkUses(const Manifest &manifest, const Entry &entry) {
  std::vector<bool> used(length(manifest.states()), false);
  for (uint32_t i = 0; i < length(entry.states()); ++i) {
    const StateUse &use = *entry.states()->Get(i);
    std::string name = "entry '" + text(entry.name()) + "'";
    if (use.state() >= used.size())
      return invalid(name + " uses an unknown state");
    if (used[use.state()])
      return invalid(name + " uses a state twice");
    used[use.state()] = true;
    if (use.length() == none)
      continue;
    const State &state = *manifest.states()->Get(use.state());
    if (use.length() >= length(manifest.expressions()) || !use.writes() ||
        state.length() == none)
      return invalid(name + " gives a length to a state that takes none");
  }
  return {};
}

uint64_t extentCount(const Entry &entry) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < length(entry.inputs()); ++i)
    count += length(entry.inputs()->Get(i)->shape());
  return count;
}

static Error checkAssumptions(const Manifest &manifest, const Entry &entry) {
  for (uint32_t i = 0; i < length(entry.assumptions()); ++i) {
    const Assumption &assumption = *entry.assumptions()->Get(i);
    if (assumption.zero() >= length(manifest.expressions()) ||
        (assumption.node() != none &&
         assumption.node() >= length(manifest.nodes())))
      return invalid("entry '" + text(entry.name()) +
                     "' assumes what is not there");
  }
  return {};
}

/// Each symbol is told once, and by whom its source says. `values` are those of
/// the manifest's expressions for the least symbols.
static Error checkSolutions(const Manifest &manifest, const Entry &entry,
                            const std::vector<int64_t> &values) {
  std::string name = "entry '" + text(entry.name()) + "' ";
  std::vector<bool> told(length(manifest.symbols()), false);
  auto tell = [&](uint32_t symbol, SymbolSource other) {
    if (symbol >= told.size() || told[symbol])
      return false;
    SymbolSource source = manifest.symbols()->Get(symbol)->source();
    told[symbol] = source == SymbolSource::caller || source == other;
    return bool(told[symbol]);
  };
  for (uint32_t i = 0; i < length(entry.given()); ++i)
    if (!tell(entry.given()->Get(i), SymbolSource::caller))
      return invalid(name + "wants a symbol that no call gives");
  std::vector<int64_t> known = leastSymbols(manifest), solved;
  for (uint32_t i = 0; i < length(entry.inputs()); ++i)
    for (uint32_t j = 0; j < length(entry.inputs()->Get(i)->shape()); ++j)
      known.push_back(values[entry.inputs()->Get(i)->shape()->Get(j)]);
  if (Error error =
          evaluate(entry.solving(), known, HEDDLE_MANIFEST_INVALID, solved))
    return error;
  for (uint32_t i = 0; i < length(entry.solutions()); ++i) {
    const Solution &solution = *entry.solutions()->Get(i);
    if (!tell(solution.symbol(), SymbolSource::input) ||
        solution.value() >= solved.size() ||
        solution.input() >= length(entry.inputs()) ||
        solution.dimension() >=
            length(entry.inputs()->Get(solution.input())->shape()))
      return invalid(name + "has an improper solution for a symbol");
  }
  return {};
}

static Error checkEntries(const Manifest &manifest) {
  std::vector<int64_t> values;
  if (Error error = evaluate(manifest.expressions(), leastSymbols(manifest),
                             HEDDLE_MANIFEST_INVALID, values))
    return error;
  for (uint32_t i = 0; i < length(manifest.entries()); ++i) {
    const Entry &entry = *manifest.entries()->Get(i);
    for (uint32_t j = 0; j < length(entry.inputs()); ++j)
      if (Error error = checkTensor(*entry.inputs()->Get(j), entry, values))
        return error;
    for (uint32_t j = 0; j < length(entry.outputs()); ++j)
      if (Error error = checkTensor(*entry.outputs()->Get(j), entry, values))
        return error;
    if (Error error = checkReplaced(entry, values))
      return error;
    if (Error error = checkUses(manifest, entry))
      return error;
    if (Error error = checkAssumptions(manifest, entry))
      return error;
    if (Error error = checkSolutions(manifest, entry, values))
      return error;
  }
  return {};
}

/// The least multiple in bounds.
static int64_t leastValue(const Symbol &symbol) {
  int64_t rest = symbol.minimum() % symbol.multiple();
  return symbol.minimum() + (rest ? symbol.multiple() - rest : 0);
}

/// What the program computes is a scalar output that counts any number. Its
/// index is that of the file's one entry.
static Error checkCount(const Manifest &manifest, const Symbol &symbol,
                        const std::string &name) {
  if (length(manifest.entries()) != 1)
    return {HEDDLE_FEATURE_UNSUPPORTED,
            name + " is computed, which this version of heddle takes in files "
                   "of one entry only"};
  const auto *outputs = manifest.entries()->Get(0)->outputs();
  if (symbol.index() >= length(outputs) || symbol.multiple() != 1)
    return invalid(name + " is counted by no output");
  const Tensor &output = *outputs->Get(symbol.index());
  if (output.dtype() != DataType::i32 || length(output.shape()))
    return invalid(name + " is counted by an output that is no scalar of i32");
  return {};
}

/// Values that calls cannot tell the kernels yet are refused, by name.
static Error checkSource(const Manifest &manifest, uint32_t index) {
  const Symbol &symbol = *manifest.symbols()->Get(index);
  std::string name = "symbol '" + text(symbol.name()) + "'";
  switch (symbol.source()) {
  case SymbolSource::input:
  case SymbolSource::caller:
    return {};
  case SymbolSource::state:
    if (symbol.index() >= length(manifest.states()) ||
        manifest.states()->Get(symbol.index())->length() != index)
      return invalid(name + " is the length of no state");
    return {};
  case SymbolSource::device:
    return checkCount(manifest, symbol, name);
  default:
    if (symbol.source() > SymbolSource::MAX)
      return {HEDDLE_FEATURE_UNSUPPORTED,
              name + " has a source that this version of heddle does not have"};
    return {HEDDLE_FEATURE_UNSUPPORTED,
            name + " comes from '" + EnumNameSymbolSource(symbol.source()) +
                "', which this version of heddle does not have"};
  }
}

static Error checkSymbols(const Manifest &manifest) {
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    if (symbol.minimum() < 0 || symbol.maximum() > maximumBytes ||
        symbol.multiple() < 1 || symbol.multiple() > maximumBytes ||
        leastValue(symbol) > symbol.maximum())
      return invalid("symbol '" + text(symbol.name()) +
                     "' has improper bounds");
    if (Error error = checkSource(manifest, i))
      return error;
  }
  return {};
}

/// `largest` are the manifest's expressions for the largest symbols.
static Error checkLength(const Manifest &manifest, const State &state,
                         const std::vector<int64_t> &largest,
                         const std::string &name) {
  if (state.length() >= length(manifest.symbols()))
    return invalid(name + " has an unknown length");
  const Symbol &symbol = *manifest.symbols()->Get(state.length());
  // Whether that state has the symbol is checked with the symbol.
  if (symbol.source() != SymbolSource::state || symbol.minimum() != 0 ||
      symbol.multiple() != 1)
    return invalid(name + " has a length that is no state's from 0 on");
  if (state.dimension() == none)
    return {};
  if (state.dimension() >= length(state.shape()) ||
      largest[state.shape()->Get(state.dimension())] < symbol.maximum())
    return invalid(name + " has a length of more than its dimension holds");
  return {};
}

static Error checkStates(const Manifest &manifest) {
  std::vector<int64_t> bytes = stateBytes(manifest), largest;
  if (Error error = evaluate(manifest.expressions(), largestSymbols(manifest),
                             HEDDLE_MANIFEST_INVALID, largest))
    return error;
  for (uint32_t i = 0; i < length(manifest.states()); ++i) {
    const State &state = *manifest.states()->Get(i);
    std::string name = "state '" + text(state.name()) + "'";
    if (length(state.shape()) > 64)
      return invalid(name + " has more than 64 dimensions");
    if (bytes[i] < 0)
      return invalid(name + " has no proper type");
    if (state.length() == none && state.dimension() != none)
      return invalid(name + " has a dimension for a length that it lacks");
    if (state.length() != none)
      if (Error error = checkLength(manifest, state, largest, name))
        return error;
  }
  return {};
}

static Error checkVariants(const Manifest &manifest) {
  if (!length(manifest.variants()))
    return invalid("it holds no program for any machine");
  for (uint32_t i = 0; i < length(manifest.variants()); ++i) {
    const Variant &variant = *manifest.variants()->Get(i);
    if (variant.plan() >= length(manifest.sections()) ||
        manifest.sections()->Get(variant.plan())->kind() != SectionKind::plan)
      return invalid("variant '" + text(variant.name()) + "' lacks a plan");
  }
  return {};
}

using Features = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

static bool needsFeature(const Features *features, const char *feature) {
  for (uint32_t i = 0; i < length(features); ++i)
    if (text(features->Get(i)) == feature)
      return true;
  return false;
}

std::vector<int64_t> leastSymbols(const Manifest &manifest) {
  std::vector<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i)
    // What is computed is known when a call is done: until then it is planned
    // for the most.
    if (const Symbol &symbol = *manifest.symbols()->Get(i);
        symbol.source() == SymbolSource::device)
      symbols.push_back(symbol.maximum());
    else
      symbols.push_back(leastValue(symbol));
  return symbols;
}

std::vector<int64_t> largestSymbols(const Manifest &manifest) {
  std::vector<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i) {
    const Symbol &symbol = *manifest.symbols()->Get(i);
    symbols.push_back(symbol.maximum() / symbol.multiple() * symbol.multiple());
  }
  return symbols;
}

std::vector<ValueRange> expressionRanges(const Manifest &manifest) {
  // So many symbols are at one end or the other by themselves; more share it.
  constexpr size_t alone = 8;
  std::vector<int64_t> least = leastSymbols(manifest),
                       greatest = largestSymbols(manifest), symbols, values;
  size_t bits = std::min(least.size(), alone);
  std::vector<ValueRange> ranges;
  for (size_t corner = 0; corner < size_t(1) << bits; ++corner) {
    symbols = least;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (corner >> (i % alone) & 1)
        symbols[i] = greatest[i];
    // Where a number is beyond 64 bits, no call can be.
    if (evaluate(manifest.expressions(), symbols, HEDDLE_MANIFEST_INVALID,
                 values))
      continue;
    if (ranges.empty())
      ranges.assign(values.size(), {INT64_MAX, 0});
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t value = std::max<int64_t>(values[i], 0);
      ranges[i].least = std::min(ranges[i].least, value);
      ranges[i].greatest = std::max(ranges[i].greatest, value);
    }
  }
  return ranges;
}

Error verifyManifest(const Manifest &manifest, uint64_t manifestOffset) {
  for (uint32_t i = 0; i < length(manifest.required_features()); ++i)
    if (std::string name = text(manifest.required_features()->Get(i));
        name != flushFeature && name != assumptionsFeature)
      return {HEDDLE_FEATURE_UNSUPPORTED,
              "needs '" + name +
                  "', which this version of heddle does not have"};
  if (manifest.flush_subnormals() &&
      !needsFeature(manifest.required_features(), flushFeature))
    return invalid("it flushes subnormal numbers without saying that it needs "
                   "a reader that can");
  for (uint32_t i = 0; i < length(manifest.entries()); ++i)
    if (length(manifest.entries()->Get(i)->assumptions()) &&
        !needsFeature(manifest.required_features(), assumptionsFeature))
      return invalid("it takes sizes for granted without saying that it needs "
                     "a reader that checks them");
  if (Error error = checkSectionTable(manifest, manifestOffset))
    return error;
  if (Error error = checkWeights(manifest))
    return error;
  if (Error error = checkSymbols(manifest))
    return error;
  if (Error error = checkStates(manifest))
    return error;
  if (Error error = checkEntries(manifest))
    return error;
  return checkVariants(manifest);
}

/// Of an image of ELF code: the kernel is a function in it.
static Error verifyLaunchData(const Kernel &kernel, const std::string &name,
                              const ElfImage *image) {
  if (!image) {
    const GpuLaunch *launch = kernel.launch_as_GpuLaunch();
    if (!launch || length(launch->block()) > 3 || length(launch->cluster()) > 3)
      return {HEDDLE_CODE_INVALID, name + " has no proper launch data"};
    for (uint32_t i = 0; i < length(launch->descriptors()); ++i)
      if (launch->descriptors()->Get(i)->binding() >= kernel.bindings())
        return {HEDDLE_CODE_INVALID, name + " names unknown buffers"};
    return {};
  }
  const CpuLaunch *launch = kernel.launch_as_CpuLaunch();
  if (!launch || !launch->size() ||
      !image->holdsCode(launch->offset(), launch->size()))
    return {HEDDLE_CODE_INVALID, name + " lies outside the code"};
  if (launch->scratch() > static_cast<uint64_t>(maximumBytes))
    return {HEDDLE_CODE_INVALID, name + " asks for too much scratch"};
  return {};
}

Error verifyKernels(const Manifest &manifest, const Variant &variant,
                    Bytes file) {
  std::map<uint32_t, ElfImage> parsed; // by section
  for (uint32_t i = 0; i < length(variant.images()); ++i) {
    const Image &image = *variant.images()->Get(i);
    if (image.format() != CodeFormat::elf)
      continue;
    const Section &code = *manifest.sections()->Get(image.section());
    ElfImage &elf = parsed[image.section()];
    if (Error error =
            ElfImage::parse(file.data + code.offset(), code.size(), elf))
      return error;
    if (text(image.architecture()) != (elf.aarch64 ? "aarch64" : "x86-64"))
      return {HEDDLE_CODE_INVALID, "kernel code is for another architecture"};
  }
  for (uint32_t i = 0; i < length(variant.kernels()); ++i) {
    const Kernel &kernel = *variant.kernels()->Get(i);
    std::string name = "kernel '" + text(kernel.name()) + "'";
    if (kernel.custom_call()) {
      if (!needsFeature(variant.required_features(), customCallsFeature))
        return {HEDDLE_MANIFEST_INVALID,
                "has custom calls without saying that it needs them"};
      if (Error error = verifyCustomCall(kernel, manifest))
        return error;
    } else if (kernel.image() >= length(variant.images())) {
      return {HEDDLE_CODE_INVALID, name + " is in an unknown image"};
    } else {
      const Image &image = *variant.images()->Get(kernel.image());
      auto elf = parsed.find(image.section());
      bool isElf = image.format() == CodeFormat::elf;
      if (Error error =
              verifyLaunchData(kernel, name, isElf ? &elf->second : nullptr))
        return error;
    }
    for (uint32_t j = 0; j < length(kernel.in_place()); ++j) {
      const InPlace &pair = *kernel.in_place()->Get(j);
      if (pair.output() >= kernel.bindings() ||
          pair.input() >= kernel.bindings())
        return {HEDDLE_CODE_INVALID, name + " names unknown buffers"};
    }
  }
  return {};
}

} // namespace heddle::format
