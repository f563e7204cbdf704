// Reads counts, and gives launches what follows from them.

#include "runtime/CountedSteps.h"

#include "runtime/CallSizes.h"
#include "runtime/LoadedProgram.h"
#include "runtime/Steps.h"
#include "runtime/drivers/Status.h"
#include "runtime/format/Counts.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

CountedSteps::CountedSteps(const Program &program, const LoadedProgram &from,
                           uint32_t device, Steps &steps)
    : loaded(from),
      launches(launchesByLastCount(from.plan(), program, device)) {
  numbers.findCounted(program, from, device,
                      followFromCounts(from.plan(), program), steps);
  symbols.reserve(length(from.manifest().symbols()));
  counted.reserve(length(from.plan().expressions()));
}

void CountedSteps::begin(const std::vector<int64_t> &sizes,
                         const std::vector<int64_t> &values) {
  symbols.assign(sizes.begin(), sizes.end());
  largest = &values;
  numbers.update(values);
}

/// The verifier has seen the numbers for the largest counts alone.
Error CountedSteps::check(const Launch &launch) const {
  int64_t tiles = counted[launch.tiles()], chunk = counted[launch.chunk()];
  if (tiles < 0 || tiles > maximumBytes || chunk < 1 || chunk > maximumBytes)
    return {HEDDLE_PLAN_INVALID,
            "a launch has no proper tile count behind a count: " +
                std::to_string(tiles) + " in chunks of " +
                std::to_string(chunk)};
  if (launch.scratch() == none)
    return {};
  int64_t bytes = counted[launch.scratch()];
  if (bytes < 0 || bytes > (*largest)[launch.scratch()])
    return {HEDDLE_PLAN_INVALID, "a launch has no proper number of bytes of "
                                 "scratch behind a count: " +
                                     std::to_string(bytes)};
  return {};
}

Error CountedSteps::count(uint32_t symbol, const void *from) {
  int32_t value;
  std::memcpy(&value, from, sizeof(value));
  if (Error error =
          checkCount(*loaded.manifest().symbols()->Get(symbol), value))
    return error;
  symbols[symbol] = value;
  if (Error error = evaluate(loaded.plan().expressions(), symbols,
                             HEDDLE_TENSOR_SHAPE, counted))
    return error;
  if (auto behind = launches.find(symbol); behind != launches.end())
    for (const Launch *launch : behind->second)
      if (Error error = check(*launch))
        return error;
  numbers.update(counted);
  return {};
}

int32_t QueueCount::read(void *user, const void *integer, heddle_status *why) {
  return guarded(why, [&] {
    const auto &counted = *static_cast<const QueueCount *>(user);
    return tellIf(counted.steps.count(counted.symbol, integer), why);
  });
}
