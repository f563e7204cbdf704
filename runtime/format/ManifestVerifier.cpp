// Checks each table of a manifest against the others.

#include "runtime/format/ManifestVerifier.h"

#include "runtime/format/Collectives.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/TensorMemory.h"
#include "runtime/format/WeightVerifier.h"

#include <flatbuffers/util.h>

#include <set>
#include <string>

namespace heddle::format {

static Error checkSectionTable(const Manifest &manifest,
                               uint64_t manifestOffset) {
  if (!isAligned(manifest.sections()))
    return invalidManifest("its sections are not aligned");
  uint64_t end = sizeof(Header);
  for (uint32_t i = 0; i < length(manifest.sections()); ++i) {
    const Section &section = *manifest.sections()->Get(i);
    if (section.offset() % pageBytes || section.offset() < end ||
        section.offset() > manifestOffset ||
        section.size() > manifestOffset - section.offset())
      return invalidManifest("section " + std::to_string(i) + " is misplaced");
    if (section.kind() > SectionKind::MAX)
      return invalidManifest("section " + std::to_string(i) +
                             " is of unknown kind");
    end = section.offset() + section.size();
  }
  return {};
}

static Error checkTensor(const Tensor &tensor, const Entry &entry,
                         const std::vector<int64_t> &values) {
  std::string name = "tensor '" + text(tensor.name()) + "' of entry '" +
                     text(entry.name()) + "'";
  for (const auto *extents : {tensor.shape(), tensor.memory()})
    for (uint32_t i = 0; i < length(extents); ++i)
      if (extents->Get(i) >= values.size())
        return invalidManifest(name + " has an unknown extent");
  if (tensor.memory() && length(tensor.memory()) != length(tensor.shape()))
    return invalidManifest(name + " has memory of another rank");
  if (length(tensor.shape()) > maximumRank)
    return invalidManifest(name + " has more than " +
                           std::to_string(maximumRank) + " dimensions");
  if (!elementBytes(tensor.dtype()) || tensorBytes(tensor, values) < 0)
    return invalidManifest(name + " has no proper type");
  if (tensor.alignment() & (tensor.alignment() - 1) ||
      tensor.alignment() > pageBytes)
    return invalidManifest(name + " has an improper alignment");
  if (tensor.alias() != none && tensor.alias() >= length(entry.inputs()))
    return invalidManifest(name + " is to share memory with an unknown input");
  return {};
}

static bool computesSizes(const Manifest &manifest) {
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i)
    if (manifest.symbols()->Get(i)->source() == SymbolSource::device)
      return true;
  return false;
}

/// Memory of another shape than the tensor's is an output's that replaces no
/// input, of a program that computes sizes: only calls of such have that memory
/// from callers, all others the shape itself.
static Error checkMemories(const Manifest &manifest, const Entry &entry) {
  auto fail = [&](const Tensor &tensor, const std::string &what) {
    return invalidManifest("tensor '" + text(tensor.name()) + "' of entry '" +
                           text(entry.name()) +
                           "' has memory of another shape" + what);
  };
  for (uint32_t i = 0; i < length(entry.inputs()); ++i)
    if (entry.inputs()->Get(i)->memory())
      return fail(*entry.inputs()->Get(i), ", and is an input");
  for (uint32_t i = 0; i < length(entry.outputs()); ++i) {
    const Tensor &output = *entry.outputs()->Get(i);
    if (!output.memory())
      continue;
    if (output.alias() != none)
      return fail(output, " than the input that it replaces");
    if (!computesSizes(manifest))
      return fail(output, ", of a program that computes no size");
    if (length(output.whole()))
      return fail(output, ", and is one rank's part");
    if (!needs(manifest.required_features(), memoryFeature))
      return fail(output,
                  " without saying that it needs a reader that gives it");
  }
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
      return invalidManifest(name +
                             " replaces an input of another type or shape");
    if (replaced[output.alias()])
      return invalidManifest(name +
                             " replaces an input that another output replaces");
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
      return invalidManifest(name + " uses an unknown state");
    if (used[use.state()])
      return invalidManifest(name + " uses a state twice");
    used[use.state()] = true;
    const State &state = *manifest.states()->Get(use.state());
    if (use.shape() && length(use.shape()) != length(state.shape()))
      return invalidManifest(name + " finds a state of another rank");
    for (uint32_t j = 0; j < length(use.shape()); ++j)
      if (use.shape()->Get(j) >= length(manifest.expressions()))
        return invalidManifest(name + " finds a state of an unknown extent");
    if (use.length() == none)
      continue;
    if (use.length() >= length(manifest.expressions()) || !use.writes() ||
        state.length() == none)
      return invalidManifest(name +
                             " gives a length to a state that takes none");
  }
  return {};
}

static Error checkAssumptions(const Manifest &manifest, const Entry &entry) {
  for (uint32_t i = 0; i < length(entry.assumptions()); ++i) {
    const Assumption &assumption = *entry.assumptions()->Get(i);
    if (assumption.zero() >= length(manifest.expressions()) ||
        (assumption.node() != none &&
         assumption.node() >= length(manifest.nodes())))
      return invalidManifest("entry '" + text(entry.name()) +
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
      return invalidManifest(name + "wants a symbol that no call gives");
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
      return invalidManifest(name + "has an improper solution for a symbol");
  }
  return {};
}

static Error checkEntries(const Manifest &manifest) {
  std::vector<int64_t> values;
  if (Error error = evaluate(manifest.expressions(), leastSymbols(manifest),
                             HEDDLE_MANIFEST_INVALID, values))
    return error;
  auto check = [&](const Tensor &tensor, const Entry &entry) -> Error {
    if (Error error = checkTensor(tensor, entry, values))
      return error;
    return verifyCuts(tensor, manifest.ranks(), values);
  };
  for (uint32_t i = 0; i < length(manifest.entries()); ++i) {
    const Entry &entry = *manifest.entries()->Get(i);
    for (uint32_t j = 0; j < length(entry.inputs()); ++j)
      if (Error error = check(*entry.inputs()->Get(j), entry))
        return error;
    for (uint32_t j = 0; j < length(entry.outputs()); ++j)
      if (Error error = check(*entry.outputs()->Get(j), entry))
        return error;
    if (Error error = checkMemories(manifest, entry))
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
    return invalidManifest(name + " is counted by no output");
  const Tensor &output = *outputs->Get(symbol.index());
  if (output.dtype() != DataType::i32 || length(output.shape()))
    return invalidManifest(name +
                           " is counted by an output that is no scalar of i32");
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
      return invalidManifest(name + " is the length of no state");
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
      return invalidManifest("symbol '" + text(symbol.name()) +
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
    return invalidManifest(name + " has an unknown length");
  const Symbol &symbol = *manifest.symbols()->Get(state.length());
  // Whether that state has the symbol is checked with the symbol.
  if (symbol.source() != SymbolSource::state || symbol.minimum() != 0 ||
      symbol.multiple() != 1)
    return invalidManifest(name + " has a length that is no state's from 0 on");
  if (state.dimension() == none)
    return {};
  if (state.dimension() >= length(state.shape()) ||
      largest[state.shape()->Get(state.dimension())] < symbol.maximum())
    return invalidManifest(name +
                           " has a length of more than its dimension holds");
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
      return invalidManifest(name + " has more than 64 dimensions");
    if (bytes[i] < 0)
      return invalidManifest(name + " has no proper type");
    if (state.length() == none && state.dimension() != none)
      return invalidManifest(name +
                             " has a dimension for a length that it lacks");
    if (state.length() != none)
      if (Error error = checkLength(manifest, state, largest, name))
        return error;
  }
  return {};
}

static Error checkVariants(const Manifest &manifest) {
  if (!length(manifest.variants()))
    return invalidManifest("it holds no program for any machine");
  // Callers choose a variant by its name.
  std::set<std::string> names;
  for (uint32_t i = 0; i < length(manifest.variants()); ++i) {
    const Variant &variant = *manifest.variants()->Get(i);
    if (variant.plan() >= length(manifest.sections()) ||
        manifest.sections()->Get(variant.plan())->kind() != SectionKind::plan)
      return invalidManifest("variant '" + text(variant.name()) +
                             "' lacks a plan");
    if (!names.insert(text(variant.name())).second)
      return invalidManifest("two variants are called '" +
                             text(variant.name()) + "'");
  }
  return {};
}

static Error checkName(const char *what, const flatbuffers::String *name) {
  const char *at = name ? name->c_str() : "", *end = at + text(name).size();
  while (at < end)
    if (flatbuffers::FromUTF8(&at) < 0)
      return invalidManifest("the name of " + std::string(what) + " '" +
                             text(name) + "' is no UTF-8");
  return {};
}

/// Names are shown to people, and languages ask for what they name by strings
/// of Unicode's.
static Error checkNames(const Manifest &manifest) {
  auto check = [](const char *what, const auto *list) -> Error {
    for (uint32_t i = 0; i < length(list); ++i)
      if (Error error = checkName(what, list->Get(i)->name()))
        return error;
    return {};
  };
  if (Error error = check("entry", manifest.entries()))
    return error;
  for (uint32_t i = 0; i < length(manifest.entries()); ++i) {
    if (Error error = check("input", manifest.entries()->Get(i)->inputs()))
      return error;
    if (Error error = check("output", manifest.entries()->Get(i)->outputs()))
      return error;
  }
  if (Error error = check("state", manifest.states()))
    return error;
  if (Error error = check("symbol", manifest.symbols()))
    return error;
  return check("variant", manifest.variants());
}

Error verifyManifest(const Manifest &manifest, uint64_t manifestOffset) {
  for (uint32_t i = 0; i < length(manifest.required_features()); ++i)
    if (std::string name = text(manifest.required_features()->Get(i));
        name != flushFeature && name != assumptionsFeature &&
        name != ranksFeature && name != memoryFeature)
      return {HEDDLE_FEATURE_UNSUPPORTED,
              "needs '" + name +
                  "', which this version of heddle does not have"};
  if (manifest.flush_subnormals() &&
      !needs(manifest.required_features(), flushFeature))
    return invalidManifest(
        "it flushes subnormal numbers without saying that it needs "
        "a reader that can");
  for (uint32_t i = 0; i < length(manifest.entries()); ++i)
    if (length(manifest.entries()->Get(i)->assumptions()) &&
        !needs(manifest.required_features(), assumptionsFeature))
      return invalidManifest(
          "it takes sizes for granted without saying that it needs "
          "a reader that checks them");
  if (Error error = checkNames(manifest))
    return error;
  if (Error error = checkSectionTable(manifest, manifestOffset))
    return error;
  if (Error error = verifyWeights(manifest))
    return error;
  if (Error error = checkSymbols(manifest))
    return error;
  if (Error error = checkStates(manifest))
    return error;
  if (Error error = verifyRanks(manifest))
    return error;
  if (Error error = checkEntries(manifest))
    return error;
  return checkVariants(manifest);
}

} // namespace heddle::format
