// Checks the tables of a plan, and then each of its programs.

#include "runtime/format/PlanVerifier.h"

#include "runtime/format/Expressions.h"
#include "runtime/format/ProgramVerifier.h"

#include <algorithm>
#include <map>
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

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant,
                                 const std::vector<int64_t> &symbols) {
  std::vector<int64_t> values, manifestValues;
  if (Error error =
          evaluate(plan.expressions(), symbols, HEDDLE_PLAN_INVALID, values))
    return error;
  if (Error error = evaluate(manifest.expressions(), symbols,
                             HEDDLE_MANIFEST_INVALID, manifestValues))
    return error;
  if (Error error = verifyTables(plan, manifest, variant))
    return error;
  if (Error error = verifyGuards(plan, manifest))
    return error;
  if (Error error = verifyHomes(plan, manifest))
    return error;

  std::vector<int64_t> states = stateBytes(manifest);
  std::vector<MemoryMap> persistent(length(plan.persistent()));
  auto run = [&](const Program &program, const Entry *entry) {
    ProgramView view = {plan,   manifest,       variant, program,
                        values, manifestValues, states,  entry};
    Error error = verifyMemories(view, plan.persistent(), "persistent memory");
    if (!error)
      error = ProgramVerifier(view).verify(persistent);
    if (!error)
      return error;
    return invalidPlan(
        "the plan of " +
        (entry ? "'" + text(entry->name()) + "'" : std::string("init")) + ": " +
        error.message());
  };
  if (plan.init())
    if (Error error = run(*plan.init(), nullptr))
      return error;
  std::vector<bool> chosen(length(manifest.entries()), false);
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    if (chosen[program.entry()] ||
        (program.guard() != none && !values[program.guard()]))
      continue;
    chosen[program.entry()] = true;
    if (Error error = run(program, manifest.entries()->Get(program.entry())))
      return error;
  }
  return {};
}

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant) {
  return verifyPlan(plan, manifest, variant, leastSymbols(manifest));
}
