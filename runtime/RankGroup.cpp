// Makes the ranks of a program, and makes their calls one by one.

#include "runtime/RankGroup.h"

#include "runtime/LaunchedRanks.h"
#include "runtime/ProcessRanks.h"
#include "runtime/Ranks.h"
#include "runtime/drivers/cpu/Pool.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

RankGroup::RankGroup(std::shared_ptr<LoadedProgram> given, size_t index)
    : program(std::move(given)), entryIndex(index),
      entry(program->entries()[index]), parts(*program, entry),
      tensors(entry, program->manifest().ranks()) {}

/// What ranks do not have yet.
static Error checkProgram(const LoadedProgram &program,
                          const EntrySpec &entry) {
  if (!entry.states.empty())
    return {HEDDLE_ARGUMENT_INVALID,
            "entry '" + entry.name +
                "' has states, which ranks do not have yet"};
  if (length(program.manifest().symbols()))
    return {HEDDLE_ARGUMENT_INVALID,
            "calls choose sizes of the program, which ranks do not have yet"};
  return {};
}

/// How long others wait for a rank until it is slow, unless somebody says it.
static constexpr uint64_t usualSlowSeconds = 5;

Error RankGroup::make(std::shared_ptr<LoadedProgram> program, size_t entry,
                      const heddle_ranks_options &options,
                      std::unique_ptr<RankGroup> &group) {
  Error problem = checkProgram(*program, program->entries()[entry]);
  if (problem && !options.group)
    return problem;
  if (options.group && options.engine)
    return {HEDDLE_ARGUMENT_INVALID, "ranks of a group have its engine"};
  if (!options.group && options.own_calls)
    return {HEDDLE_ARGUMENT_INVALID,
            "only the processes of a group have parts of their own"};
  uint32_t sharers = options.group ? options.group->group->transport->sharers()
                                   : program->manifest().ranks();
  uint32_t threads = options.threads
                         ? options.threads
                         : std::max(1u, Pool::defaultThreads() / sharers);
  const char *engine = options.engine ? options.engine : "threads";
  std::unique_ptr<RankGroup> made;
  if (options.group)
    made = std::make_unique<LaunchedRanks>(
        std::move(program), entry, options.group->group, options.own_calls,
        std::move(problem));
  else if (!std::strcmp(engine, "threads"))
    made = std::make_unique<Ranks>(std::move(program), entry);
  else if (!std::strcmp(engine, "processes"))
    made = std::make_unique<ProcessRanks>(std::move(program), entry);
  else
    return {HEDDLE_ARGUMENT_INVALID, std::string("there is no engine '") +
                                         engine +
                                         "'; there are: threads, processes"};
  uint64_t seconds =
      options.slow_seconds ? options.slow_seconds : usualSlowSeconds;
  made->slow = {seconds * 1000000000, options.on_slow, options.user};
  if (Error error = made->create(threads))
    return error;
  group = std::move(made);
  return {};
}

Error RankGroup::serveCalls() {
  return {HEDDLE_ARGUMENT_INVALID,
          "only ranks of a group serve the calls of its first process"};
}

Error RankGroup::call(const RankTensorList &inputs,
                      const RankTensorList &outputs,
                      const heddle_call_options &options) {
  return callOnce(options, [&]() -> Error {
    if (Error error = checkReady(options))
      return error;
    if (Error error = tensors.read(inputs, outputs))
      return error;
    return run(options);
  });
}

Error RankGroup::callOwn(const heddle_tensor *const *inputs, size_t inputCount,
                         const heddle_tensor *const *outputs,
                         size_t outputCount,
                         const heddle_call_options &options) {
  return callOnce(options, [&] {
    return runOwn(inputs, inputCount, outputs, outputCount, options);
  });
}

Error RankGroup::runOwn(const heddle_tensor *const *, size_t,
                        const heddle_tensor *const *, size_t,
                        const heddle_call_options &) {
  return {HEDDLE_ARGUMENT_INVALID,
          "only the processes of a group have parts of their own"};
}
