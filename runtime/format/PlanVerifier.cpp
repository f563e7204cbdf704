// Checks the tables of a plan, what all its programs name, and those programs
// that run at some sizes.

#include "runtime/format/PlanVerifier.h"

#include "runtime/format/Counts.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ProgramStructure.h"
#include "runtime/format/ProgramVerifier.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace heddle::format;

static constexpr uint32_t maximumQueues = 64;

/// The parts of a plan that its programs share.
static Error verifyTables(const Plan &plan, const Manifest &manifest,
                          const Variant &variant) {
  uint32_t devices = length(variant.devices());
  if (length(plan.queues()) > maximumQueues)
    return invalidPlan("has more than " + std::to_string(maximumQueues) +
                       " queues");
  for (uint32_t i = 0; i < length(plan.queues()); ++i)
    if (plan.queues()->Get(i)->device() >= devices)
      return invalidPlan("queue " + std::to_string(i) +
                         " is on an unknown device");
  if (length(plan.states()) != length(manifest.states()))
    return invalidPlan("places " + std::to_string(length(plan.states())) +
                       " states of " +
                       std::to_string(length(manifest.states())));
  for (uint32_t i = 0; i < length(plan.states()); ++i) {
    const Home &home = *plan.states()->Get(i);
    if (home.device() >= devices ||
        !hasSpace(variant.devices()->Get(home.device())->kind(), home.space()))
      return invalidPlan("state '" + text(manifest.states()->Get(i)->name()) +
                         "' is on an unknown device");
  }
  return {};
}

/// Each entry has programs, of which the last has no guard.
static Error verifyGuards(const Plan &plan, const Manifest &manifest) {
  std::vector<bool> served(length(manifest.entries()), false);
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    if (program.entry() >= served.size())
      return invalidPlan("a program is for an unknown entry");
    if (served[program.entry()])
      return invalidPlan("an entry has a program after one without a guard");
    if (program.guard() != none &&
        program.guard() >= length(plan.expressions()))
      return invalidPlan("a program has an unknown guard");
    served[program.entry()] = program.guard() == none;
  }
  if (std::find(served.begin(), served.end(), false) != served.end())
    return invalidPlan("an entry has no program without a guard");
  return {};
}

/// The caller's tensors lie in one place, whichever program of the entry runs.
static Error verifyHomes(const Plan &plan, const Manifest &manifest) {
  using Home = std::pair<uint32_t, MemorySpace>;
  std::map<std::tuple<uint32_t, bool, uint32_t>, Home> homes;
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    const Entry &entry = *manifest.entries()->Get(program.entry());
    for (uint32_t j = 0; j < length(program.buffers()); ++j) {
      const Buffer &buffer = *program.buffers()->Get(j);
      bool isOutput = buffer.kind() == BufferKind::output;
      uint32_t index = buffer.index();
      if (!isOutput && buffer.kind() != BufferKind::input)
        continue;
      if (isOutput && index < length(entry.outputs()) &&
          entry.outputs()->Get(index)->alias() != none) {
        index = entry.outputs()->Get(index)->alias();
        isOutput = false;
      }
      Home home = {buffer.device(), buffer.space()};
      auto known = homes.try_emplace({program.entry(), isOutput, index}, home);
      if (known.first->second != home)
        return invalidPlan("buffer " + std::to_string(j) + " (" +
                           text(buffer.name()) + ") of '" + text(entry.name()) +
                           "' is on another device than before");
    }
  }
  return {};
}

const Program *
heddle::format::chooseProgram(const Plan &plan, uint32_t entry,
                              const std::vector<int64_t> &values) {
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program *program = plan.programs()->Get(i);
    if (program->entry() == entry &&
        (program->guard() == none || values[program->guard()]))
      return program;
  }
  return nullptr;
}

/// "the plan of 'main': " and what is wrong with it.
static Error ofEntry(const Error &error, const Entry *entry) {
  if (!error)
    return error;
  return invalidPlan(
      "the plan of " +
      (entry ? "'" + text(entry->name()) + "'" : std::string("init")) + ": " +
      error.message());
}

/// Calls `visit` for init, if there is one, and each program, until one fails.
template <typename Visit>
static Error forEachProgram(const Plan &plan, const Manifest &manifest,
                            Visit visit) {
  if (plan.init())
    if (Error error = visit(*plan.init(), nullptr))
      return ofEntry(error, nullptr);
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    const Entry *entry = manifest.entries()->Get(program.entry());
    if (Error error = visit(program, entry))
      return ofEntry(error, entry);
  }
  return {};
}

namespace {
/// The expressions of plan and manifest at one choice of sizes.
struct Values {
  std::vector<int64_t> ofPlan, ofManifest;

  Error find(const Plan &plan, const Manifest &manifest,
             const std::vector<int64_t> &symbols) {
    if (Error error =
            evaluate(plan.expressions(), symbols, HEDDLE_PLAN_INVALID, ofPlan))
      return error;
    return evaluate(manifest.expressions(), symbols, HEDDLE_MANIFEST_INVALID,
                    ofManifest);
  }
};
} // namespace

/// Of each expression of the plan whether any symbol has a part in it.
static std::vector<bool> followsSymbols(const Plan &plan,
                                        const Manifest &manifest) {
  std::set<int64_t> symbols;
  for (uint32_t i = 0; i < length(manifest.symbols()); ++i)
    symbols.insert(i);
  return follow(plan, symbols);
}

/// What holds at all sizes or at none, of all programs: which of them is run is
/// known at a call only, but all of them are looked at before.
static Error verifyStructure(const Plan &plan, const Manifest &manifest,
                             const Variant &variant, const Values &values) {
  if (Error error = verifyTables(plan, manifest, variant))
    return error;
  if (Error error = verifyGuards(plan, manifest))
    return error;
  std::vector<int64_t> states = stateBytes(manifest);
  std::vector<bool> sized = followsSymbols(plan, manifest);
  // Persistent memory is made once, at load, for all sizes.
  if (Error error = verifyMemoryPlaces(plan, variant, plan.persistent(),
                                       "persistent memory"))
    return error;
  for (uint32_t i = 0; i < length(plan.persistent()); ++i)
    if (uint32_t size = plan.persistent()->Get(i)->size();
        size < sized.size() && sized[size])
      return invalidPlan("has persistent memory whose size follows from a size "
                         "that calls choose");
  if (Error error = forEachProgram(
          plan, manifest, [&](const Program &program, const Entry *entry) {
            ProgramView view = {plan,    manifest,      variant,
                                program, values.ofPlan, values.ofManifest,
                                states,  entry};
            return ProgramStructure(view, sized).verify();
          }))
    return error;
  return verifyHomes(plan, manifest);
}

/// An output that replaces an input begins as a copy of it, whether or not a
/// plan has a buffer for either.
static Error verifyReplaced(const Manifest &manifest, const Values &values) {
  for (uint32_t i = 0; i < length(manifest.entries()); ++i) {
    const Entry &entry = *manifest.entries()->Get(i);
    for (uint32_t j = 0; j < length(entry.outputs()); ++j) {
      const Tensor &output = *entry.outputs()->Get(j);
      if (output.alias() == none)
        continue;
      const Tensor &input = *entry.inputs()->Get(output.alias());
      int64_t bytes = tensorBytes(output, values.ofManifest),
              replaced = tensorBytes(input, values.ofManifest);
      if (bytes != replaced)
        return invalidManifest(
            "output '" + text(output.name()) + "' of '" + text(entry.name()) +
            "' has " + std::to_string(bytes) + " bytes, the input '" +
            text(input.name()) + "', which it replaces, has " +
            std::to_string(replaced));
    }
  }
  return {};
}

static Error verifySizes(const Plan &plan, const Manifest &manifest,
                         const Variant &variant, const Values &values) {
  if (Error error = verifyReplaced(manifest, values))
    return error;
  std::vector<int64_t> states = stateBytes(manifest);
  std::vector<MemoryMap> persistent(length(plan.persistent()));
  std::vector<bool> chosen(length(manifest.entries()), false);
  return forEachProgram(
      plan, manifest, [&](const Program &program, const Entry *entry) -> Error {
        if (entry) {
          if (chosen[program.entry()] ||
              (program.guard() != none && !values.ofPlan[program.guard()]))
            return {};
          chosen[program.entry()] = true;
        }
        ProgramView view = {plan,          manifest,          variant, program,
                            values.ofPlan, values.ofManifest, states,  entry};
        if (Error error =
                verifyMemories(view, plan.persistent(), "persistent memory"))
          return error;
        return ProgramVerifier(view).verify(persistent);
      });
}

Error heddle::format::verifyPlanAt(const Plan &plan, const Manifest &manifest,
                                   const Variant &variant,
                                   const std::vector<int64_t> &symbols) {
  Values values;
  if (Error error = values.find(plan, manifest, symbols))
    return error;
  return verifySizes(plan, manifest, variant, values);
}

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant) {
  Values values;
  if (Error error = values.find(plan, manifest, leastSymbols(manifest)))
    return error;
  if (Error error = verifyStructure(plan, manifest, variant, values))
    return error;
  return verifySizes(plan, manifest, variant, values);
}
