// The functions of include/heddle/runtime.h that no other file here has.
//
// Turns C arguments into C++ ones and back; what is decided here is only which
// arguments are wrong. No exception leaves: the only ones there are, those of
// the standard library when memory runs out, become a status.

#include "runtime/Border.h"
#include "runtime/CallQueue.h"
#include "runtime/LoadedProgram.h"
#include "runtime/State.h"
#include "runtime/Tensors.h"
#include "runtime/drivers/cpu/Features.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/SizedStructs.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

using namespace heddle;
using namespace heddle::runtime;

struct heddle_pool {
  std::shared_ptr<Pool> pool;
};

static_assert(static_cast<int>(format::DataType::f32) == HEDDLE_F32 &&
              static_cast<int>(format::DataType::c128) == HEDDLE_C128 &&
              static_cast<int>(format::DataType::f8e8m0fnu) ==
                  HEDDLE_F8E8M0FNU);

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

uint32_t heddle_runtime_version(void) { return HEDDLE_RUNTIME_VERSION; }

const char *heddle_code_name(int32_t code) {
  switch (static_cast<heddle_code>(code)) {
#define HEDDLE_CASE(name)                                                      \
  case name:                                                                   \
    return #name;
    HEDDLE_CASE(HEDDLE_OK)
    HEDDLE_CASE(HEDDLE_FILE_UNREADABLE)
    HEDDLE_CASE(HEDDLE_FILE_UNWRITABLE)
    HEDDLE_CASE(HEDDLE_NOT_AN_ARTIFACT)
    HEDDLE_CASE(HEDDLE_VERSION_UNSUPPORTED)
    HEDDLE_CASE(HEDDLE_FEATURE_UNSUPPORTED)
    HEDDLE_CASE(HEDDLE_ARTIFACT_TRUNCATED)
    HEDDLE_CASE(HEDDLE_ARTIFACT_DAMAGED)
    HEDDLE_CASE(HEDDLE_MANIFEST_INVALID)
    HEDDLE_CASE(HEDDLE_PLAN_INVALID)
    HEDDLE_CASE(HEDDLE_CODE_INVALID)
    HEDDLE_CASE(HEDDLE_WEIGHT_DAMAGED)
    HEDDLE_CASE(HEDDLE_TARGET_MISMATCH)
    HEDDLE_CASE(HEDDLE_VARIANT_UNKNOWN)
    HEDDLE_CASE(HEDDLE_CODE_NOT_EXECUTABLE)
    HEDDLE_CASE(HEDDLE_CUSTOM_CALL_MISSING)
    HEDDLE_CASE(HEDDLE_DEVICE_MISSING)
    HEDDLE_CASE(HEDDLE_ARGUMENT_INVALID)
    HEDDLE_CASE(HEDDLE_ENTRY_UNKNOWN)
    HEDDLE_CASE(HEDDLE_INPUT_MISSING)
    HEDDLE_CASE(HEDDLE_INPUT_EXTRA)
    HEDDLE_CASE(HEDDLE_TENSOR_DTYPE)
    HEDDLE_CASE(HEDDLE_TENSOR_RANK)
    HEDDLE_CASE(HEDDLE_TENSOR_SHAPE)
    HEDDLE_CASE(HEDDLE_TENSOR_UNALIGNED)
    HEDDLE_CASE(HEDDLE_TENSOR_LAYOUT)
    HEDDLE_CASE(HEDDLE_OUTPUT_MISSING)
    HEDDLE_CASE(HEDDLE_OUTPUT_EXTRA)
    HEDDLE_CASE(HEDDLE_OUTPUT_TOO_SMALL)
    HEDDLE_CASE(HEDDLE_TENSOR_OVERLAP)
    HEDDLE_CASE(HEDDLE_TENSOR_DEVICE)
    HEDDLE_CASE(HEDDLE_DEADLINE_EXCEEDED)
    HEDDLE_CASE(HEDDLE_CANCELLED)
    HEDDLE_CASE(HEDDLE_CONTEXT_BUSY)
    HEDDLE_CASE(HEDDLE_OUT_OF_MEMORY)
    HEDDLE_CASE(HEDDLE_ARENA_TOO_SMALL)
    HEDDLE_CASE(HEDDLE_THREADS_UNAVAILABLE)
    HEDDLE_CASE(HEDDLE_CUSTOM_CALL_FAILED)
    HEDDLE_CASE(HEDDLE_DEVICE_FAILED)
    HEDDLE_CASE(HEDDLE_STATE_MISSING)
    HEDDLE_CASE(HEDDLE_STATE_BUSY)
    HEDDLE_CASE(HEDDLE_STATE_LENGTH)
    HEDDLE_CASE(HEDDLE_DEVICE_MEMORY)
    HEDDLE_CASE(HEDDLE_RANK_FAILED)
    HEDDLE_CASE(HEDDLE_RANKS_NEEDED)
    HEDDLE_CASE(HEDDLE_LIBRARY_MISSING)
    HEDDLE_CASE(HEDDLE_PRECISION_TIER)
#undef HEDDLE_CASE
  }
  return "?";
}

const char *heddle_dtype_name(heddle_dtype dtype) {
  return format::dataTypeName(readDataType(dtype));
}

size_t heddle_dtype_bytes(heddle_dtype dtype) {
  return format::elementBytes(readDataType(dtype));
}

int heddle_cpu_has(const char *feature) {
  return feature && cpuHas(feature) ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

template <typename Load>
static heddle_status loadProgram(const heddle_load_options *given,
                                 heddle_program **out, Load load) {
  heddle_load_options options;
  if (!out)
    return invalid("out_program is a null pointer");
  if (!readOptions(given, options))
    return invalid(badSize);
  constexpr uint32_t known = HEDDLE_VERIFY_WEIGHTS | HEDDLE_WEIGHTS_HUGE |
                             HEDDLE_WEIGHTS_PREFAULT | HEDDLE_SYMBOLS_PERF |
                             HEDDLE_SYMBOLS_GDB | HEDDLE_WEIGHTS_LAZY;
  if (options.flags & ~known)
    return invalid(unknownFlag);
  auto program = std::make_shared<LoadedProgram>();
  if (Error error = load(*program, options))
    return toStatus(error);
  *out = new heddle_program{std::move(program)};
  return toStatus({});
}

heddle_status heddle_program_load_file(const char *path,
                                       const heddle_load_options *options,
                                       heddle_program **out_program) {
  return guarded([&]() -> heddle_status {
    if (!path)
      return invalid("path is a null pointer");
    return loadProgram(
        options, out_program,
        [&](LoadedProgram &program, const heddle_load_options &read) {
          return program.loadFile(path, read);
        });
  });
}

heddle_status heddle_program_load_memory(const void *data, size_t bytes,
                                         const heddle_load_options *options,
                                         heddle_program **out_program) {
  return guarded([&]() -> heddle_status {
    if (!data)
      return invalid("data is a null pointer");
    return loadProgram(
        options, out_program,
        [&](LoadedProgram &program, const heddle_load_options &read) {
          return program.loadMemory(data, bytes, read);
        });
  });
}

void heddle_program_destroy(heddle_program *program) { delete program; }

heddle_status heddle_program_report(const heddle_program *program,
                                    heddle_load_report *out_report) {
  return guarded([&]() -> heddle_status {
    if (!program || !writeResult(program->program->report(), out_report))
      return invalid(program ? badSize : "program is a null pointer");
    return toStatus({});
  });
}

size_t heddle_program_entry_count(const heddle_program *program) {
  return program ? program->program->entries().size() : 0;
}

/// Null for an entry that is none.
static const EntrySpec *findEntry(const heddle_program *program, size_t entry) {
  return entry < heddle_program_entry_count(program)
             ? &program->program->entries()[entry]
             : nullptr;
}

static heddle_status unknownEntry(size_t entry) {
  return toStatus({HEDDLE_ENTRY_UNKNOWN,
                   "there is no entry number " + std::to_string(entry)});
}

const char *heddle_program_device(const heddle_program *program,
                                  size_t number) {
  if (!program || number >= program->program->devices().size())
    return nullptr;
  // The driver has a number for it, too; there is never a second one.
  return number == 0 ? "cpu"
                     : program->program->devices()[number]
                           ->device()
                           ->description()
                           .name;
}

const char *heddle_program_entry_name(const heddle_program *program,
                                      size_t entry) {
  const EntrySpec *spec = findEntry(program, entry);
  return spec ? spec->name.c_str() : nullptr;
}

heddle_status heddle_program_find_entry(const heddle_program *program,
                                        const char *name, size_t *out_entry) {
  return guarded([&]() -> heddle_status {
    if (!program || !name || !out_entry)
      return invalid(nullPointer);
    std::string known;
    for (const EntrySpec &spec : program->program->entries()) {
      if (spec.name == name) {
        *out_entry =
            static_cast<size_t>(&spec - program->program->entries().data());
        return toStatus({});
      }
      known += " '" + spec.name + "'";
    }
    return toStatus(
        {HEDDLE_ENTRY_UNKNOWN,
         "there is no entry '" + std::string(name) + "', only" + known});
  });
}

size_t heddle_program_input_count(const heddle_program *program, size_t entry) {
  const EntrySpec *spec = findEntry(program, entry);
  return spec ? spec->inputs.size() : 0;
}

size_t heddle_program_output_count(const heddle_program *program,
                                   size_t entry) {
  const EntrySpec *spec = findEntry(program, entry);
  return spec ? spec->outputs.size() : 0;
}

static heddle_status describe(const std::vector<TensorSpec> &specs,
                              size_t index, heddle_tensor_info *out) {
  if (index >= specs.size())
    return invalid("there is no tensor of that number");
  const TensorSpec &spec = specs[index];
  heddle_tensor_info info = {};
  info.name = spec.name.c_str();
  info.dtype = static_cast<heddle_dtype>(spec.dtype);
  info.rank = static_cast<int32_t>(spec.shape.size());
  info.shape = spec.largestShape.data();
  info.shape_min = spec.leastShape.data();
  info.bytes =
      spec.largestBytes < 0 ? 0 : static_cast<size_t>(spec.largestBytes);
  info.alignment = spec.alignment;
  info.device = spec.deviceName.c_str();
  info.whole = spec.whole.empty() ? info.shape : spec.whole.data();
  info.sharding = spec.sharding.empty() ? nullptr : spec.sharding.c_str();
  info.replaces = spec.alias == format::none ? -1 : int64_t(spec.alias);
  return writeResult(info, out) ? toStatus({}) : invalid(badSize);
}

heddle_status heddle_program_input_info(const heddle_program *program,
                                        size_t entry, size_t index,
                                        heddle_tensor_info *out_info) {
  return guarded([&]() -> heddle_status {
    const EntrySpec *spec = findEntry(program, entry);
    return spec ? describe(spec->inputs, index, out_info) : unknownEntry(entry);
  });
}

heddle_status heddle_program_output_info(const heddle_program *program,
                                         size_t entry, size_t index,
                                         heddle_tensor_info *out_info) {
  return guarded([&]() -> heddle_status {
    const EntrySpec *spec = findEntry(program, entry);
    return spec ? describe(spec->outputs, index, out_info)
                : unknownEntry(entry);
  });
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static constexpr uint32_t maximumThreads = 4096;

heddle_status heddle_pool_create(const heddle_pool_options *given,
                                 heddle_pool **out_pool) {
  return guarded([&]() -> heddle_status {
    heddle_pool_options options;
    if (!out_pool)
      return invalid("out_pool is a null pointer");
    if (!readOptions(given, options))
      return invalid(badSize);
    if (options.run && !options.threads)
      return invalid(
          "threads must say how many threads of the caller's there are");
    if (options.threads > maximumThreads)
      return invalid("more than 4096 threads");
    Pool::Options poolOptions;
    poolOptions.threads = options.threads;
    if (options.spin_us)
      poolOptions.spinUs = options.spin_us;
    poolOptions.run = options.run;
    poolOptions.user = options.user;
    auto pool = std::make_shared<Pool>(poolOptions);
    if (Error error = pool->start())
      return toStatus(error);
    *out_pool = new heddle_pool{std::move(pool)};
    return toStatus({});
  });
}

void heddle_pool_destroy(heddle_pool *pool) { delete pool; }

size_t heddle_pool_threads(const heddle_pool *pool) {
  return pool ? pool->pool->threads() : 0;
}

//===----------------------------------------------------------------------===//
// Contexts and calls
//===----------------------------------------------------------------------===//

heddle_status heddle_program_arena_bytes(const heddle_program *program,
                                         size_t entry, const int64_t *sizes,
                                         size_t size_count, uint32_t threads,
                                         size_t *out_bytes) {
  return guarded([&]() -> heddle_status {
    if (!program || !out_bytes)
      return invalid(nullPointer);
    if (!findEntry(program, entry))
      return unknownEntry(entry);
    uint64_t total = 0;
    if (Error error = Context::memoryBytes(
            *program->program, entry, sizes, size_count,
            threads ? threads : Pool::defaultThreads(), total))
      return toStatus(error);
    *out_bytes = total;
    return toStatus({});
  });
}

heddle_status heddle_context_create(heddle_program *program, size_t entry,
                                    const heddle_context_options *given,
                                    heddle_context **out_context) {
  return guarded([&]() -> heddle_status {
    heddle_context_options options;
    if (!program || !out_context)
      return invalid(nullPointer);
    if (!readOptions(given, options))
      return invalid(badSize);
    if (!findEntry(program, entry))
      return unknownEntry(entry);
    if (options.pool && options.threads)
      return invalid("both a pool and a number of threads");
    if (options.threads > maximumThreads)
      return invalid("more than 4096 threads");
    std::unique_ptr<heddle_context> context(
        new heddle_context{Context(program->program, entry), {}});
    if (Error error = context->context.create(
            options, options.pool ? options.pool->pool : nullptr))
      return toStatus(error);
    *out_context = context.release();
    return toStatus({});
  });
}

void heddle_context_destroy(heddle_context *context) {
  if (context && context->calls.leave(*context))
    return;
  delete context;
}

size_t heddle_context_threads(const heddle_context *context) {
  return context ? context->context.threads() : 0;
}

/// A call that is done when this returns: what every form of tensors has in
/// common. `call` takes the options as they were read. A call beside those that
/// were submitted would not be in their order.
template <typename Tensors, typename Function>
static heddle_status callNow(heddle_context *context, const Tensors *inputs,
                             size_t inputCount, const Tensors *outputs,
                             size_t outputCount,
                             const heddle_call_options *given, Function call) {
  return guarded([&]() -> heddle_status {
    heddle_call_options options;
    if (!context || (inputCount && !inputs) || (outputCount && !outputs))
      return invalid(nullPointer);
    if (Error error = readCallOptions(given, options))
      return toStatus(error);
    if (Error error = context->calls.checkIdle())
      return toStatus(error);
    return toStatus(call(options));
  });
}

heddle_status
heddle_context_call(heddle_context *context, const heddle_tensor *const *inputs,
                    size_t input_count, const heddle_tensor *const *outputs,
                    size_t output_count, const heddle_call_options *given) {
  return callNow(context, inputs, input_count, outputs, output_count, given,
                 [&](const heddle_call_options &options) {
                   return context->context.call(inputs, input_count, outputs,
                                                output_count, options);
                 });
}

heddle_status heddle_context_call_dlpack(heddle_context *context,
                                         const void *const *inputs,
                                         size_t input_count,
                                         const void *const *outputs,
                                         size_t output_count,
                                         const heddle_call_options *given) {
  return callNow(context, inputs, input_count, outputs, output_count, given,
                 [&](const heddle_call_options &options) {
                   return context->context.callDlpack(
                       inputs, input_count, outputs, output_count, options);
                 });
}
