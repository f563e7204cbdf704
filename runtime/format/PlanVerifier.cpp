//===- PlanVerifier.cpp ---------------------------------------------------===//

#include "runtime/format/PlanVerifier.h"

#include "runtime/format/Expressions.h"
#include "runtime/format/ProgramVerifier.h"

#include <algorithm>

using namespace heddle::format;

static constexpr uint32_t maximumQueues = 64;

/// The parts of a plan that its programs share.
static Error verifyTables(const Plan &plan,
                          const std::vector<int64_t> &values) {
  for (uint32_t i = 0; i < length(plan.devices()); ++i)
    if (plan.devices()->Get(i)->kind() > DeviceKind::MAX)
      return invalidPlan("device " + std::to_string(i) + " is of unknown kind");
  if (length(plan.queues()) > maximumQueues)
    return invalidPlan("has more than " + std::to_string(maximumQueues) +
                       " queues");
  for (uint32_t i = 0; i < length(plan.queues()); ++i)
    if (plan.queues()->Get(i)->device() >= length(plan.devices()))
      return invalidPlan("queue " + std::to_string(i) +
                         " is on an unknown device");
  if (plan.persistent() != none &&
      (plan.persistent() >= values.size() || values[plan.persistent()] < 0 ||
       values[plan.persistent()] > maximumBytes))
    return invalidPlan("has no proper size of persistent memory");
  return {};
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
  if (Error error = verifyTables(plan, values))
    return error;

  MemoryMap persistent;
  auto run = [&](const Program &program, bool isInit) {
    if (!isInit && program.entry() >= length(manifest.entries()))
      return invalidPlan("a program is for an unknown entry");
    const Entry *entry =
        isInit ? nullptr : manifest.entries()->Get(program.entry());
    ProgramView view = {plan,   manifest,       variant, program,
                        values, manifestValues, entry};
    Error error = ProgramVerifier(view).verify(persistent);
    if (!error)
      return error;
    return invalidPlan(
        "the plan of " +
        (entry ? "'" + text(entry->name()) + "'" : std::string("init")) + ": " +
        error.message());
  };
  if (plan.init())
    if (Error error = run(*plan.init(), true))
      return error;
  std::vector<bool> served(length(manifest.entries()), false);
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    if (Error error = run(program, false))
      return error;
    if (served[program.entry()])
      return invalidPlan("an entry has two programs");
    served[program.entry()] = true;
  }
  if (std::find(served.begin(), served.end(), false) != served.end())
    return invalidPlan("an entry has no program");
  return {};
}

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant) {
  return verifyPlan(plan, manifest, variant, leastSymbols(manifest));
}
