//===- Context.cpp --------------------------------------------------------===//

#include "runtime/Context.h"

#include "runtime/Call.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/ManifestVerifier.h"
#include "runtime/format/PlanVerifier.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

/// The arena of `program` for these extents.
static Error arenaSize(const LoadedProgram &program,
                       const format::Program &entry,
                       const std::vector<int64_t> &symbols, uint64_t &bytes) {
  std::vector<int64_t> values;
  if (Error error = evaluate(program.plan().expressions(), symbols,
                             HEDDLE_PLAN_INVALID, values))
    return error;
  int64_t size = values[entry.arena()];
  if (size < 0 || size > maximumBytes)
    return {HEDDLE_PLAN_INVALID, "the arena has no proper size"};
  bytes = alignUp(static_cast<uint64_t>(size), pageBytes);
  return {};
}

Error Context::memoryBytes(const LoadedProgram &program, size_t entry,
                           unsigned threads, uint64_t &arenaBytes,
                           uint64_t &totalBytes) {
  const format::Program &code = *program.entries()[entry].program;
  if (Error error = arenaSize(program, code, program.symbols(), arenaBytes))
    return error;
  uint64_t scratch = scratchBytes(code, program.variant());
  if (__builtin_mul_overflow(scratch, uint64_t(threads), &totalBytes) ||
      __builtin_add_overflow(totalBytes, arenaBytes, &totalBytes))
    return {HEDDLE_OUT_OF_MEMORY, "scratch for " + std::to_string(threads) +
                                      " threads is more than any memory"};
  return {};
}

Error Context::create(const heddle_context_options &options,
                      std::shared_ptr<Pool> givenPool) {
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
  if (Error error =
          memoryBytes(*program, entryIndex, pool->threads(), arenaBytes, total))
    return error;
  arena = static_cast<char *>(options.arena);
  if (arena) {
    if (options.arena_bytes < total ||
        reinterpret_cast<uintptr_t>(arena) % HEDDLE_KERNEL_ALIGNMENT)
      return {HEDDLE_ARENA_TOO_SMALL,
              "the arena must have " + std::to_string(total) +
                  " bytes and start at a multiple of " +
                  std::to_string(HEDDLE_KERNEL_ALIGNMENT)};
  } else {
    if (Error error = owned.allocate(total, /*touch=*/true, "the arena"))
      return error;
    arena = owned.data();
  }
  scratch = arena + arenaBytes;
  scratchPerWorker = scratchBytes(*entry().program, program->variant());
  dlpackTensors.resize(entry().inputs.size() + entry().outputs.size());
  tensorData.resize(dlpackTensors.size());
  // A dynamic program is prepared by its first call.
  return program->dynamic() ? Error() : prepare({}, /*verify=*/false);
}

Error Context::prepare(const std::vector<int64_t> &symbols, bool verify) {
  const Manifest &manifest = program->manifest();
  if (verify) {
    if (Error error =
            verifyPlan(program->plan(), manifest, program->variant(), symbols))
      return error;
    uint64_t needed = 0;
    if (Error error = arenaSize(*program, *entry().program, symbols, needed))
      return error;
    if (needed > arenaBytes)
      return {HEDDLE_PLAN_INVALID,
              "these extents take more arena than the largest ones"};
  }
  std::vector<int64_t> values, manifestValues;
  if (Error error = evaluate(program->plan().expressions(), symbols,
                             HEDDLE_PLAN_INVALID, values))
    return error;
  if (Error error = evaluate(manifest.expressions(), symbols,
                             HEDDLE_MANIFEST_INVALID, manifestValues))
    return error;
  steps.prepare(*entry().program, manifest, program->variant(),
                {program->code(), program->customCalls()},
                {values, manifestValues},
                static_cast<uint32_t>(entry().inputs.size()),
                {arena, program->persistent(), &program->weights()});
  preparedSymbols = symbols;
  return {};
}

Error Context::checkAndPrepare(TensorList inputs, TensorList outputs) {
  bool dynamic = program->dynamic();
  if (Error error = checkTensors(entry(), inputs, outputs, dynamic))
    return error;
  if (!dynamic)
    return checkOverlap(entry(), inputs, outputs);
  const Manifest &manifest = program->manifest();
  std::vector<int64_t> symbols, values;
  if (Error error = bindSymbols(manifest, entry(), inputs, symbols))
    return error;
  if (Error error = evaluate(manifest.expressions(), symbols,
                             HEDDLE_TENSOR_SHAPE, values))
    return error;
  if (Error error = checkShapes(entry(), inputs, outputs, values))
    return error;
  if (Error error = checkOverlap(entry(), inputs, outputs))
    return error;
  return symbols == preparedSymbols ? Error()
                                    : prepare(symbols, /*verify=*/true);
}

/// An output that replaces an input is one memory with it in the plan: the
/// output's, which begins with the input's value. Where the caller gives two,
/// his input stays as it is and is copied.
void Context::bindTensors(TensorList inputs, TensorList outputs) {
  for (size_t i = 0; i < inputs.count; ++i)
    tensorData[i] = inputs.tensors[i].data;
  for (size_t i = 0; i < outputs.count; ++i) {
    void *data = outputs.tensors[i].data;
    tensorData[inputs.count + i] = data;
    uint32_t replaced = entry().outputs[i].alias;
    if (replaced == none)
      continue;
    const heddle_tensor &input = inputs.tensors[replaced];
    uint64_t bytes = elementBytes(entry().outputs[i].dtype);
    for (int32_t j = 0; j < input.rank; ++j)
      bytes *= static_cast<uint64_t>(input.shape[j]);
    if (input.data != data && bytes)
      std::memcpy(data, input.data, bytes);
    tensorData[replaced] = data;
  }
  for (const Steps::Patch &patch : steps.patches)
    steps.slots[patch.slot] =
        static_cast<char *>(tensorData[patch.tensor]) + patch.offset;
}

Error Context::call(TensorList inputs, TensorList outputs,
                    const heddle_call_options &options) {
  if (busy.exchange(true, std::memory_order_acquire))
    return {HEDDLE_CONTEXT_BUSY, "the context is in another call: make one "
                                 "context for each thread"};
  Error error = checkAndPrepare(inputs, outputs);
  if (!error) {
    bindTensors(inputs, outputs);
    bool flush = program->manifest().flush_subnormals();
    FloatEnvironment environment(flush);
    bool together = pool->acquire();
    Call walk(steps, scratch, scratchPerWorker, options, /*alone=*/!together,
              flush);
    if (together)
      pool->run(walk);
    else
      walk.runAlone();
    error = walk.outcome();
  }
  busy.store(false, std::memory_order_release);
  return error;
}

Error Context::callDlpack(const void *const *inputs, size_t inputCount,
                          const void *const *outputs, size_t outputCount,
                          const heddle_call_options &options) {
  // A wrong number of tensors is for the checks of call to tell.
  if (inputCount != entry().inputs.size() ||
      outputCount != entry().outputs.size())
    return call({nullptr, inputCount}, {nullptr, outputCount}, options);
  if (busy.load(std::memory_order_acquire))
    return {HEDDLE_CONTEXT_BUSY, "the context is in another call"};
  for (size_t i = 0; i < inputCount; ++i)
    if (Error error =
            readDlpack(inputs[i], "input", entry().inputs[i], dlpackTensors[i]))
      return error;
  heddle_tensor *converted = dlpackTensors.data() + inputCount;
  for (size_t i = 0; i < outputCount; ++i)
    if (Error error =
            readDlpack(outputs[i], "output", entry().outputs[i], converted[i]))
      return error;
  return call({dlpackTensors.data(), inputCount}, {converted, outputCount},
              options);
}
