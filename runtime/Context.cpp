// A caller's context: its arena and steps, and one call at a time.

#include "runtime/Context.h"

#include "runtime/Call.h"
#include "runtime/Dlpack.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/PlanVerifier.h"
#include "runtime/format/kernel_abi.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

/// The memories that any program of the entry takes for these symbols, and
/// scratch per worker.
static Error memoriesOf(const LoadedProgram &program, const EntrySpec &entry,
                        const std::vector<int64_t> &symbols, PlanMemory &arenas,
                        uint64_t &scratch) {
  std::vector<int64_t> values;
  if (Error error = evaluate(program.plan().expressions(), symbols,
                             HEDDLE_PLAN_INVALID, values))
    return error;
  scratch = 0;
  for (const format::Program *code : entry.programs) {
    if (Error error = arenas.want(code->arenas(), values))
      return error;
    scratch = std::max(scratch, scratchBytes(*code, program.variant(), values));
  }
  return {};
}

/// What arena and scratch take of the process's memory.
static Error hostMemory(const PlanMemory &arenas, uint64_t scratch,
                        unsigned threads, uint64_t &total) {
  if (__builtin_mul_overflow(scratch, uint64_t(threads), &total) ||
      __builtin_add_overflow(total, arenas.hostBytes(), &total))
    return {HEDDLE_OUT_OF_MEMORY, "scratch for " + std::to_string(threads) +
                                      " threads is more than any memory"};
  return {};
}

Error Context::memoryBytes(const LoadedProgram &program, size_t entry,
                           const int64_t *sizes, size_t sizeCount,
                           unsigned threads, uint64_t &total) {
  std::vector<int64_t> symbols = program.symbols();
  if (Error error = chooseSymbols(program, sizes, sizeCount, symbols))
    return error;
  PlanMemory arenas;
  uint64_t scratch = 0;
  if (Error error = memoriesOf(program, program.entries()[entry], symbols,
                               arenas, scratch))
    return error;
  return hostMemory(arenas, scratch, threads, total);
}

Error Context::create(const heddle_context_options &options,
                      std::shared_ptr<Pool> givenPool) {
  if (uint32_t ranks = program->manifest().ranks(); ranks > 1 && !seat.world)
    return {HEDDLE_RANKS_NEEDED,
            "the program is run by " + std::to_string(ranks) +
                " ranks together: heddle_ranks_create makes them"};
  pool = std::move(givenPool);
  if (!pool && options.threads) {
    Pool::Options poolOptions;
    poolOptions.threads = options.threads;
    pool = std::make_shared<Pool>(poolOptions);
    if (Error error = pool->start())
      return error;
  }
  if (!pool)
    if (Error error = program->sharedPool(pool))
      return error;

  uint64_t total = 0;
  if (Error error = memoriesOf(*program, entry(), program->symbols(), arenas,
                               scratchPerWorker))
    return error;
  if (Error error =
          hostMemory(arenas, scratchPerWorker, pool->threads(), total))
    return error;
  memory = static_cast<char *>(options.arena);
  memoryEnd = total;
  if (memory) {
    // Where calls choose sizes, each is asked what it needs.
    uint64_t least = program->dynamic() ? 0 : total;
    if (options.arena_bytes < least ||
        reinterpret_cast<uintptr_t>(memory) % HEDDLE_KERNEL_ALIGNMENT)
      return {HEDDLE_ARENA_TOO_SMALL,
              "the arena must have " + std::to_string(least) +
                  " bytes and start at a multiple of " +
                  std::to_string(HEDDLE_KERNEL_ALIGNMENT)};
    memoryEnd = std::min<uint64_t>(total, options.arena_bytes);
  } else {
    if (Error error = owned.allocate(program->host().device(),
                                     HEDDLE_SPACE_HOST, total, "the arena"))
      return program->dynamic()
                 ? Error(error.code(),
                         error.message() +
                             "; it is for the largest sizes: calls of others "
                             "do with a smaller one that is brought along")
                 : error;
    memory = owned.data();
  }
  scratch = memory + arenas.hostBytes();
  if (Error error = arenas.allocate(program->devices(), memory))
    return error;
  if (Error error = queues.create(program->plan(), program->devices()))
    return error;
  callTensors.resize(entry().inputs.size() + entry().outputs.size());
  if (Error error = places.create())
    return error;
  states.resize(entry().states.size());
  nextLengths.resize(states.size());
  tensorData.resize(callTensors.size() + states.size());
  size_t extents = 0;
  for (const TensorSpec &output : entry().outputs)
    extents += output.shape.size();
  callShapes.resize(extents);
  sizes.reserve(*program, entry());
  // A dynamic program is prepared by its first call.
  if (program->dynamic())
    return {};
  std::vector<int64_t> values;
  if (Error error = evaluate(program->manifest().expressions(), {},
                             HEDDLE_MANIFEST_INVALID, values))
    return error;
  return prepare({}, values);
}

/// Verifies the plan for sizes that it was not verified for, and makes steps.
Error Context::prepareAnew(const format::Program &code,
                           const std::vector<int64_t> &symbols,
                           const std::vector<int64_t> &manifestValues) {
  const Plan &plan = program->plan();
  const Manifest &manifest = program->manifest();
  bool dynamic = program->dynamic();
  if (dynamic)
    if (Error error = verifyPlanAt(plan, manifest, program->variant(), symbols))
      return error;
  prepared = nullptr; // if memory runs out on the way
  checks.reset();
  if (Error error = steps.prepare(code, *program, {planValues, manifestValues},
                                  &entry(), arenaStarts, queues, seat))
    return error;
  if (!dynamic)
    return {};
  std::vector<int64_t> bytesOfStates = stateBytes(manifest);
  checks =
      SizeChecks::make({plan, manifest, program->variant(), code, planValues,
                        manifestValues, bytesOfStates, entry().record});
  if (checks)
    sizedSteps.find(code, *program, arenaStarts, steps);
  prepared = &code;
  return {};
}

/// Scratch follows what the program takes of the arena at these sizes.
Error Context::placeScratch(const format::Program &code, uint64_t perWorker) {
  uint64_t used = PlanMemory::hostBytes(code.arenas(), planValues),
           wanted = used + perWorker * pool->threads();
  if (wanted > memoryEnd)
    return {HEDDLE_ARENA_TOO_SMALL, "a call of these sizes takes an arena of " +
                                        std::to_string(wanted) +
                                        " bytes, there are " +
                                        std::to_string(memoryEnd)};
  scratch = memory + used;
  scratchPerWorker = perWorker;
  return {};
}

Error Context::prepare(const std::vector<int64_t> &symbols,
                       const std::vector<int64_t> &manifestValues) {
  // From here on nothing is prepared until all is: a call at the sizes before
  // finds their numbers replaced, also when this one is refused.
  preparedSymbols.clear();
  if (Error error = evaluate(program->plan().expressions(), symbols,
                             HEDDLE_PLAN_INVALID, planValues))
    return error;
  const format::Program &code = *chooseProgram(
      program->plan(), static_cast<uint32_t>(entryIndex), planValues);
  if (Error error = arenas.find(code.arenas(), planValues, arenaStarts))
    return error;
  bool isKnown =
      prepared == &code && checks && checks->hold(planValues, manifestValues);
  if (!isKnown)
    if (Error error = prepareAnew(code, symbols, manifestValues))
      return error;
  if (program->dynamic())
    if (Error error = placeScratch(
            code, isKnown ? sizedSteps.scratchBytes(planValues)
                          : scratchBytes(code, program->variant(), planValues)))
      return error;
  if (isKnown)
    sizedSteps.update(planValues);
  preparedSymbols = symbols;
  return {};
}

/// Outputs whose shape and maybe memory are left to the call get them.
Error Context::placeOutputs(heddle_tensor *outputs,
                            const std::vector<int64_t> &values) {
  int64_t *shape = callShapes.data();
  for (size_t i = 0; i < entry().outputs.size(); ++i) {
    heddle_tensor &output = outputs[i];
    if (!output.out_shape)
      continue;
    const TensorSpec &spec = entry().outputs[i];
    output.shape = shape;
    output.strides = nullptr;
    if (Error error = checkRank(spec, "output", output))
      return error;
    size_t bytes = elementBytes(spec.dtype);
    bool fits = true;
    for (size_t j = 0; j < spec.shape.size(); ++j) {
      shape[j] =
          program->dynamic() ? values[spec.shape[j]] : spec.leastShape[j];
      fits &=
          shape[j] >= 0 &&
          !__builtin_mul_overflow(bytes, static_cast<size_t>(shape[j]), &bytes);
    }
    shape += spec.shape.size();
    // What is no size is for the checks to tell.
    if (output.data || !output.allocate || !fits)
      continue;
    heddle_tensor wanted = {};
    wanted.size = sizeof(wanted);
    wanted.dtype = static_cast<heddle_dtype>(spec.dtype);
    wanted.rank = output.rank;
    wanted.shape = output.shape;
    wanted.bytes = output.bytes = bytes;
    output.data = output.allocate(output.user, i, &wanted, spec.alignment);
    if (!output.data && bytes)
      return {HEDDLE_OUT_OF_MEMORY,
              "output '" + spec.name + "': there are no " +
                  std::to_string(bytes) + " bytes for it"};
  }
  return {};
}

/// What the states' lengths are when the call is done.
Error Context::findLengths(const std::vector<int64_t> &values) {
  for (size_t i = 0; i < states.size(); ++i) {
    uint32_t expression = entry().states[i]->length();
    if (expression == none)
      continue;
    nextLengths[i] = values[expression];
    const StateSpec &spec = states[i]->spec();
    if (nextLengths[i] < 0 || nextLengths[i] > spec.longest)
      return {HEDDLE_STATE_LENGTH,
              "state '" + spec.name + "' would have the length " +
                  std::to_string(nextLengths[i]) + ", its largest is " +
                  std::to_string(spec.longest)};
  }
  return {};
}

Error Context::checkAndPrepare(TensorList inputs, heddle_tensor *outputs,
                               const heddle_call_options &options) {
  bool dynamic = program->dynamic();
  const EntrySpec &spec = entry();
  TensorList results = {outputs, spec.outputs.size()};
  if (Error error = checkTensors("input", spec.inputs, inputs, dynamic))
    return error;
  if (dynamic || options.size_count) {
    if (Error error = sizes.find(*program, spec, inputs, states, options.sizes,
                                 options.size_count))
      return error;
    if (Error error = findLengths(sizes.values()))
      return error;
  }
  const std::vector<int64_t> &values = sizes.values();
  if (Error error = placeOutputs(outputs, values))
    return error;
  if (Error error = checkTensors("output", spec.outputs, results, dynamic))
    return error;
  if (dynamic)
    if (Error error = checkShapes("output", spec.outputs, results, values))
      return error;
  if (Error error = checkOverlap(spec, inputs, results))
    return error;
  return !dynamic || sizes.symbols() == preparedSymbols
             ? Error()
             : prepare(sizes.symbols(), values);
}

/// An output that replaces an input is one memory with it in the plan: the
/// output's, which begins with the input's value. Where the caller gives two,
/// his input stays as it is and is copied.
Error Context::bindTensors(TensorList inputs, TensorList outputs) {
  const heddle_tensor *all = inputs.tensors;
  for (size_t i = 0; i < inputs.count; ++i)
    tensorData[i] = places.data(all, i);
  for (size_t i = 0; i < outputs.count; ++i) {
    size_t output = inputs.count + i;
    tensorData[output] = places.data(all, output);
    uint32_t replaced = entry().outputs[i].alias;
    if (replaced == none)
      continue;
    const heddle_tensor &input = inputs.tensors[replaced];
    uint64_t bytes = elementBytes(entry().outputs[i].dtype);
    for (int32_t j = 0; j < input.rank; ++j)
      bytes *= static_cast<uint64_t>(input.shape[j]);
    if (Error error = places.begin(all, output, replaced, bytes))
      return error;
    tensorData[replaced] = tensorData[output];
  }
  for (size_t i = 0; i < states.size(); ++i)
    tensorData[callTensors.size() + i] = states[i]->data();
  for (const Steps::Patch &patch : steps.patches)
    steps.slots[patch.slot] =
        static_cast<char *>(tensorData[patch.tensor]) + patch.offset;
  return {};
}

/// One call at a time: the holder is the one that the context is in.
class Context::Turn {
public:
  explicit Turn(Context &context)
      : context(context),
        mine(!context.busy.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (mine)
      context.busy.store(false, std::memory_order_release);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  Error check() const {
    if (mine)
      return {};
    return {HEDDLE_CONTEXT_BUSY, "the context is in another call: make one "
                                 "context for each thread"};
  }

private:
  Context &context;
  bool mine;
};

Error Context::callInTurn(const heddle_call_options &options) {
  StateHolds holds(entry(), states);
  if (Error error = holds.acquire(*program, options))
    return error;
  TensorList inputs = {callTensors.data(), entry().inputs.size()};
  TensorList outputs = {inputs.tensors + inputs.count, entry().outputs.size()};
  if (Error error =
          checkAndPrepare(inputs, callTensors.data() + inputs.count, options))
    return error;
  if (Error error = places.arrive(inputs.tensors, options.flags))
    return error;
  if (Error error = bindTensors(inputs, outputs))
    return error;
  for (const std::unique_ptr<CountedSteps> &counts : steps.counts)
    if (counts)
      counts->begin(sizes.symbols(), planValues);
  bool flush = program->manifest().flush_subnormals();
  FloatEnvironment environment(flush);
  bool together = pool->acquire();
  Call walk(steps, program->host().device()->driver(), scratch,
            scratchPerWorker, options, /*alone=*/!together, flush);
  if (together)
    pool->run(walk);
  else
    walk.runAlone();
  if (walk.failed())
    queues.drain();
  if (Error error = walk.outcome())
    return error;
  if (Error error = places.leave(inputs.tensors))
    return error;
  bool dynamic = program->dynamic();
  if (dynamic)
    if (Error error = sizes.readCounts(*program, outputs))
      return error;
  for (size_t i = 0; i < outputs.count; ++i) {
    const heddle_tensor &output = outputs.tensors[i];
    if (!output.out_shape)
      continue;
    if (!dynamic)
      std::copy_n(output.shape, output.rank, output.out_shape);
    else if (Error error = sizes.finalShape(
                 entry().outputs[i],
                 *entry().record->outputs()->Get(static_cast<uint32_t>(i)),
                 output.out_shape))
      return error;
  }
  for (size_t i = 0; i < states.size(); ++i)
    if (entry().states[i]->length() != none)
      states[i]->finishLength(nextLengths[i]);
  return {};
}

template <typename Pointer, typename Read>
Error Context::callWith(const Pointer *inputs, size_t inputCount,
                        const Pointer *outputs, size_t outputCount,
                        const heddle_call_options &options, Read read) {
  Turn turn(*this);
  if (Error error = turn.check())
    return error;
  if (Error error = checkCounts(entry(), inputCount, outputCount))
    return error;
  heddle_tensor *tensors = callTensors.data();
  for (size_t i = 0; i < inputCount; ++i)
    if (Error error = read(inputs[i], "input", entry().inputs[i], tensors[i]))
      return error;
  tensors += inputCount;
  for (size_t i = 0; i < outputCount; ++i)
    if (Error error =
            read(outputs[i], "output", entry().outputs[i], tensors[i]))
      return error;
  return callInTurn(options);
}

Error Context::call(const heddle_tensor *const *inputs, size_t inputCount,
                    const heddle_tensor *const *outputs, size_t outputCount,
                    const heddle_call_options &options) {
  return callWith(inputs, inputCount, outputs, outputCount, options,
                  readTensor);
}

Error Context::callDlpack(const void *const *inputs, size_t inputCount,
                          const void *const *outputs, size_t outputCount,
                          const heddle_call_options &options) {
  auto read = [&](const void *given, const char *kind, const TensorSpec &spec,
                  heddle_tensor &tensor) {
    return readDlpack(given, kind, spec, places.wantedBy(spec), tensor);
  };
  return callWith(inputs, inputCount, outputs, outputCount, options, read);
}
