// failures FOLDER: makes the system refuse what the runtime asks it for: the
// n-th request, for each n, and every n-th. Each function of the interface must
// then say so, give back all it holds, and work when it is called again.
//
// Requests are allocations of C++ and the calls mmap, mprotect, madvise, futex
// (waiting and waking), pthread_create, memfd_create and open; the linker leads
// those of the runtime here (--wrap).

#include "test/runtime/check.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <initializer_list>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

namespace {
enum Kind {
  allocation,
  mapping,
  protection,
  advice,
  waiting,
  threadStart,
  fileOpening,
  kinds
};
const char *const kindNames[kinds] = {"allocation", "mmap",  "mprotect",
                                      "madvise",    "futex", "pthread_create",
                                      "open"};

std::atomic<bool> injecting{false};
Kind injected;             ///< The kind that is refused,
int64_t first = 0;         ///< this one of them,
int64_t period = 0;        ///< and every so many after it; 0: no other.
std::atomic<int64_t> seen; ///< Requests of that kind.
std::atomic<int64_t> refused;

std::atomic<int64_t> liveAllocations, liveMappings;

bool refuses(Kind kind) {
  if (!injecting || kind != injected)
    return false;
  int64_t number = seen++;
  bool refuse = number == first ||
                (period && number > first && (number - first) % period == 0);
  refused += refuse;
  return refuse;
}
} // namespace

// Also the form that gives null: a sanitizer's own would not fit these.
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  void *memory = refuses(allocation) ? nullptr : std::malloc(bytes ? bytes : 1);
  liveAllocations += memory != nullptr;
  return memory;
}
void *operator new(size_t bytes) {
  void *memory = operator new(bytes, std::nothrow);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new[](size_t bytes) { return operator new(bytes); }
void *operator new(size_t bytes, std::align_val_t alignment) {
  void *memory = nullptr;
  if (refuses(allocation) ||
      posix_memalign(&memory, static_cast<size_t>(alignment), bytes) != 0)
    throw std::bad_alloc();
  ++liveAllocations;
  return memory;
}
void operator delete(void *memory) noexcept {
  liveAllocations -= memory != nullptr;
  std::free(memory);
}
void operator delete[](void *memory) noexcept { operator delete(memory); }
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void *memory, size_t) noexcept {
  operator delete(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  operator delete(memory);
}

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
int __real_mprotect(void *, size_t, int);
int __real_madvise(void *, size_t, int);
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __real_memfd_create(const char *, unsigned);
int __real_open(const char *, int, ...);
long __real_syscall(long, ...);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file,
                  off_t offset) {
  if (refuses(mapping)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void *result = __real_mmap(at, bytes, protection, flags, file, offset);
  // One inside of another goes with it.
  liveMappings += result != MAP_FAILED && !(flags & MAP_FIXED);
  return result;
}
int __wrap_munmap(void *at, size_t bytes) {
  --liveMappings;
  return __real_munmap(at, bytes);
}
int __wrap_mprotect(void *at, size_t bytes, int protect) {
  errno = ENOMEM;
  return refuses(protection) ? -1 : __real_mprotect(at, bytes, protect);
}
int __wrap_madvise(void *at, size_t bytes, int what) {
  errno = ENOMEM;
  return refuses(advice) ? -1 : __real_madvise(at, bytes, what);
}
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
  return refuses(threadStart)
             ? EAGAIN
             : __real_pthread_create(thread, attributes, function, argument);
}
int __wrap_memfd_create(const char *name, unsigned flags) {
  errno = EMFILE;
  return refuses(fileOpening) ? -1 : __real_memfd_create(name, flags);
}
int __wrap_open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  errno = EMFILE;
  return refuses(fileOpening) ? -1 : __real_open(path, flags, mode);
}
/// The runtime's are futexes.
long __wrap_syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long &argument : a)
    argument = va_arg(list, long);
  va_end(list);
  errno = EINTR;
  return refuses(waiting)
             ? -1
             : __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
}
// NOLINTEND(bugprone-reserved-identifier)

//===----------------------------------------------------------------------===//
// Scenarios
//===----------------------------------------------------------------------===//

namespace {
const char *folder;

/// Whether a refusal may end like this.
bool allowed(int32_t code) {
  switch (code) {
  case HEDDLE_OUT_OF_MEMORY:
    return true;
  case HEDDLE_THREADS_UNAVAILABLE:
    return injected == threadStart;
  case HEDDLE_FILE_UNREADABLE:
    return injected == fileOpening;
  default:
    return false;
  }
}

/// Does `work` with refusals; once more without if it ended by one.
template <typename Work> void attempt(const char *what, int wanted, Work work) {
  int64_t before = refused;
  heddle_status status = work();
  if (status.code == wanted)
    return;
  if (!injecting || refused == before || !allowed(status.code)) {
    std::fprintf(stderr, "%s (%s %lld/%lld): %s %s\n", what,
                 kindNames[injected], static_cast<long long>(first),
                 static_cast<long long>(period), heddle_code_name(status.code),
                 status.message);
    ++failures;
  }
  CHECK(*status.message);
  bool still = injecting.exchange(false);
  EXPECT(work(), wanted, nullptr);
  injecting = still;
}

template <typename T> T defaults() {
  T options = {};
  options.size = sizeof(T);
  return options;
}

constexpr int64_t square[] = {10, 100};

struct Addition {
  float left[1000], right[1000], sum[1000];
  heddle_tensor inputs[2] = {make_tensor(left, HEDDLE_F32, 2, square),
                             make_tensor(right, HEDDLE_F32, 2, square)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, square);

  Addition() {
    for (int i = 0; i < 1000; ++i) {
      left[i] = float(i);
      right[i] = 2;
    }
  }
  void clear() {
    for (float &value : sum)
      value = 0;
  }
  bool isRight() const {
    for (int i = 0; i < 1000; ++i)
      if (sum[i] != (left[i] + 2) + 0.5f * float(i) + left[i])
        return false;
    return true;
  }
};

heddle_program *loaded(const char *name, const heddle_load_options *options) {
  heddle_program *program = nullptr;
  attempt("load", HEDDLE_OK, [&] {
    return heddle_program_load_file(model_path(folder, name), options,
                                    &program);
  });
  return program;
}

void callAddition() {
  heddle_program *program = loaded("addition", nullptr);
  auto poolOptions = defaults<heddle_pool_options>();
  poolOptions.threads = 3;
  poolOptions.spin_us = 1;
  heddle_pool *pool = nullptr;
  attempt("pool", HEDDLE_OK,
          [&] { return heddle_pool_create(&poolOptions, &pool); });
  auto options = defaults<heddle_context_options>();
  options.pool = pool;
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK, [&] {
    return heddle_context_create(program, 0, &options, &context);
  });
  Addition sum;
  for (int i = 0; i < 3; ++i) {
    sum.clear();
    attempt("call", HEDDLE_OK, [&] {
      return call_entry(context, sum.inputs, 2, &sum.output, 1, nullptr);
    });
    CHECK(sum.isRight());
    usleep(100); // the threads go to sleep
  }
  heddle_context_destroy(context);
  heddle_pool_destroy(pool);
  heddle_program_destroy(program);
}

/// Pools of the program's and of the context's own, default numbers.
void createContexts() {
  heddle_program *program = loaded("control", nullptr);
  heddle_context *shared = nullptr, *own = nullptr;
  attempt("shared", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, nullptr, &shared); });
  auto options = defaults<heddle_context_options>();
  options.threads = 2;
  attempt("own", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, &options, &own); });
  size_t bytes = 0;
  attempt("arena", HEDDLE_OK, [&] {
    return heddle_program_arena_bytes(program, 0, NULL, 0, 0, &bytes);
  });
  heddle_context_destroy(shared);
  heddle_context_destroy(own);
  heddle_program_destroy(program);
}

/// On simulated devices, whose threads find no memory either.
void callPlaced() {
  heddle_program *program = loaded("placed", nullptr);
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, nullptr, &context); });
  Addition sum;
  for (int i = 0; i < 2; ++i) {
    sum.clear();
    attempt("call", HEDDLE_OK, [&] {
      return call_entry(context, sum.inputs, 2, &sum.output, 1, nullptr);
    });
    for (int j = 0; j < 1000; ++j)
      CHECK(sum.sum[j] == ((sum.left[j] + 2) + 0.5f * float(j)) +
                              (sum.left[j] + sum.left[j]) + 2);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/// A state on a simulated device, whose length each call changes.
void callState() {
  heddle_program *program = loaded("placed-state", nullptr);
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, nullptr, &context); });
  heddle_state *states[2] = {nullptr, nullptr};
  for (heddle_state *&state : states)
    attempt("state", HEDDLE_OK,
            [&] { return heddle_state_create(program, 0, &state); });
  const int64_t row[] = {8};
  int32_t now[8];
  heddle_tensor output = make_tensor(now, HEDDLE_I32, 1, row);
  auto options = defaults<heddle_call_options>();
  options.states = states;
  options.state_count = 1;
  for (int i = 0; i < 2; ++i) {
    // A call that failed may have counted.
    attempt("reset", HEDDLE_OK, [&] { return heddle_state_reset(states[0]); });
    attempt("call", HEDDLE_OK, [&] {
      heddle_status status =
          call_entry(context, nullptr, 0, &output, 1, &options);
      if (status.code)
        CHECK(heddle_state_length(states[0]) == 0);
      return status;
    });
    CHECK(heddle_state_length(states[0]) == 1);
  }
  attempt("copy", HEDDLE_OK,
          [&] { return heddle_state_copy(states[1], states[0]); });
  attempt("read", HEDDLE_OK,
          [&] { return heddle_state_read(states[1], 4, 8, now); });
  CHECK(heddle_state_length(states[1]) == 1 && now[0] > 0 && now[0] == now[1]);
  for (heddle_state *state : states)
    heddle_state_destroy(state);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/// On a thread of the context's, which has nobody to tell but its event.
void submitAddition() {
  heddle_program *program = loaded("addition", nullptr);
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, nullptr, &context); });
  Addition sum;
  const heddle_tensor *inputs[] = {&sum.inputs[0], &sum.inputs[1]};
  const heddle_tensor *outputs[] = {&sum.output};
  heddle_event *before = nullptr;
  for (int i = 0; i < 3; ++i) {
    sum.clear();
    auto options = defaults<heddle_submit_options>();
    attempt("submit", HEDDLE_OK, [&] {
      options.waits = &before;
      options.wait_count = before != nullptr;
      heddle_event *event = nullptr;
      heddle_status status = heddle_context_submit(
          context, inputs, 2, outputs, 1, nullptr, &options, &event);
      if (!status.code)
        status = heddle_event_wait(event, 0);
      // The next one waits for a call that went well.
      if (!status.code)
        std::swap(event, before);
      heddle_event_destroy(event);
      return status;
    });
    CHECK(sum.isRight());
  }
  heddle_event_destroy(before);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/// Sizes that follow from shapes, and one that is given: for such as were
/// prepared, finding them allocates nothing.
void callSolved() {
  heddle_program *program = loaded("solved", nullptr);
  auto options = defaults<heddle_context_options>();
  options.threads = 1;
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK, [&] {
    return heddle_context_create(program, 0, &options, &context);
  });
  static float left[32 * 4], right[32 * 4], sum[32 * 4];
  static int8_t ones[64];
  for (int64_t past : {2, 2, 4}) {
    const int64_t shape[] = {32, 4}, mask = 3 * past + 33;
    const int64_t sizes[] = {-1, -1, past};
    heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                              make_tensor(right, HEDDLE_F32, 2, shape),
                              make_tensor(ones, HEDDLE_I8, 1, &mask)};
    heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
    auto call = defaults<heddle_call_options>();
    call.sizes = sizes;
    call.size_count = 3;
    attempt("call", HEDDLE_OK,
            [&] { return call_entry(context, inputs, 3, &output, 1, &call); });
    int64_t before = seen;
    OK(call_entry(context, inputs, 3, &output, 1, &call));
    CHECK(injected != allocation || seen == before);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/// Other sizes than before: with what the first call made, they allocate
/// nothing.
void callOtherSizes() {
  for (const char *model : {"dynamic", "sized-arena"}) {
    heddle_program *program = loaded(model, nullptr);
    auto options = defaults<heddle_context_options>();
    options.threads = 1;
    heddle_context *context = nullptr;
    attempt("context", HEDDLE_OK, [&] {
      return heddle_context_create(program, 0, &options, &context);
    });
    static float left[64 * 4], right[64 * 4], sum[64 * 4];
    for (int64_t batch : {3, 64, 1, 17}) {
      const int64_t shape[] = {batch, 4};
      heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                                make_tensor(right, HEDDLE_F32, 2, shape)};
      heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
      auto call = [&] {
        return call_entry(context, inputs, 2, &output, 1, nullptr);
      };
      int64_t before = seen;
      if (batch == 3)
        attempt("call", HEDDLE_OK, call);
      else
        OK(call());
      CHECK(injected != allocation || batch == 3 || seen == before);
    }
    heddle_context_destroy(context);
    heddle_program_destroy(program);
  }
}

/// Sizes that the program computes: after the first call reading them, and
/// telling the launches behind, allocates nothing.
void callCounted() {
  heddle_program *program = loaded("counted", nullptr);
  auto options = defaults<heddle_context_options>();
  options.threads = 1;
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK, [&] {
    return heddle_context_create(program, 0, &options, &context);
  });
  static float x[64], sum[64];
  for (int32_t n : {3, 64, 0, 17}) {
    const int64_t all[] = {64};
    int32_t count = -1;
    int64_t shape = -1;
    heddle_tensor inputs[] = {make_tensor(x, HEDDLE_F32, 1, all),
                              make_tensor(&n, HEDDLE_I32, 0, nullptr)};
    heddle_tensor outputs[] = {make_tensor(&count, HEDDLE_I32, 0, nullptr),
                               make_tensor(sum, HEDDLE_F32, 1, all)};
    outputs[1].out_shape = &shape;
    outputs[1].bytes = sizeof(sum);
    auto call = [&] {
      return call_entry(context, inputs, 2, outputs, 2, nullptr);
    };
    int64_t before = seen;
    if (n == 3)
      attempt("call", HEDDLE_OK, call);
    else
      OK(call());
    CHECK(injected != allocation || n == 3 || seen == before);
    CHECK(count == n && shape == n);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/// Extents that change.
void callDynamic() {
  heddle_program *program = loaded("dynamic", nullptr);
  auto options = defaults<heddle_context_options>();
  options.threads = 1;
  heddle_context *context = nullptr;
  attempt("context", HEDDLE_OK, [&] {
    return heddle_context_create(program, 0, &options, &context);
  });
  float left[64 * 4], right[64 * 4], sum[64 * 4];
  for (int i = 0; i < 64 * 4; ++i) {
    left[i] = float(i);
    right[i] = 7;
  }
  for (int64_t batch : {3, 64, 3, 3, 1}) {
    const int64_t shape[] = {batch, 4};
    heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                              make_tensor(right, HEDDLE_F32, 2, shape)};
    heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
    for (float &value : sum)
      value = 0;
    // What was prepared before serves again when preparing fails.
    attempt("call", HEDDLE_OK, [&] {
      return call_entry(context, inputs, 2, &output, 1, nullptr);
    });
    for (int64_t i = 0; i < 64 * 4; ++i)
      CHECK(sum[i] == (i < batch * 4 ? left[i] + 7 : 0));
    int64_t told[2];
    attempt("shape", HEDDLE_OK,
            [&] { return output_shape(program, 0, inputs, 2, 0, told); });
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

int32_t fails(const heddle_custom_call_frame *frame) {
  std::snprintf(frame->message, frame->message_bytes,
                "a message that is too long for a string without memory of "
                "its own");
  return 1;
}
int32_t throws(const heddle_custom_call_frame *) { throw 1; }

void callCustom() {
  for (heddle_custom_call_function function : {fails, throws}) {
    heddle_custom_call calls[3];
    const heddle_custom_call *pointers[3];
    const char *const names[] = {"affine", "step", "finish"};
    for (int i = 0; i < 3; ++i) {
      calls[i] = {sizeof(calls[i]), names[i], function, nullptr};
      pointers[i] = &calls[i];
    }
    auto options = defaults<heddle_load_options>();
    options.custom_calls = pointers;
    options.custom_call_count = 3;
    heddle_program *program = loaded("custom", &options);
    heddle_context *context = nullptr;
    attempt("context", HEDDLE_OK, [&] {
      return heddle_context_create(program, 0, nullptr, &context);
    });
    float x[6] = {};
    double sum = 0;
    bool signs[6];
    const int64_t shape[] = {2, 3};
    heddle_tensor in = make_tensor(x, HEDDLE_F32, 2, shape);
    heddle_tensor out[] = {make_tensor(&sum, HEDDLE_F64, 0, nullptr),
                           make_tensor(signs, HEDDLE_I1, 2, shape)};
    attempt("call", HEDDLE_CUSTOM_CALL_FAILED,
            [&] { return call_entry(context, &in, 1, out, 2, nullptr); });
    heddle_context_destroy(context);
    heddle_program_destroy(program);
  }
  heddle_program *none = nullptr;
  attempt("missing", HEDDLE_CUSTOM_CALL_MISSING, [&] {
    return heddle_program_load_file(model_path(folder, "custom"), nullptr,
                                    &none);
  });
}

/// Devices by themselves: found, opened, their memory filled and read back.
void useDevices() {
  for (const char *kind : {"cpu", "sim"}) {
    size_t count = 0;
    attempt("count", HEDDLE_OK,
            [&] { return heddle_device_count(kind, &count); });
    CHECK(count > 0);
    heddle_device *device = nullptr;
    attempt("device", HEDDLE_OK,
            [&] { return heddle_device_open(kind, &device); });
    auto info = defaults<heddle_device_info>();
    attempt("describe", HEDDLE_OK,
            [&] { return heddle_device_describe(device, &info); });
    void *memory[2] = {nullptr, nullptr};
    for (void *&each : memory)
      attempt("allocate", HEDDLE_OK,
              [&] { return heddle_device_allocate(device, 5000, &each); });
    char given[5000], got[5000] = {};
    for (size_t i = 0; i < sizeof(given); ++i)
      given[i] = static_cast<char>(i % 101);
    attempt("in", HEDDLE_OK, [&] {
      return heddle_device_copy(device, memory[0], nullptr, given,
                                sizeof(given));
    });
    attempt("within", HEDDLE_OK, [&] {
      return heddle_device_copy(device, memory[1], device, memory[0],
                                sizeof(given));
    });
    attempt("out", HEDDLE_OK, [&] {
      return heddle_device_copy(nullptr, got, device, memory[1], sizeof(got));
    });
    CHECK(std::memcmp(given, got, sizeof(got)) == 0);
    for (void *each : memory)
      heddle_device_free(device, each);
    heddle_device_close(device);
  }
  heddle_device *none = nullptr;
  attempt("no kind", HEDDLE_DEVICE_MISSING, [&] {
    return heddle_device_open("a kind of device that nobody makes", &none);
  });
  attempt("no number", HEDDLE_DEVICE_MISSING,
          [&] { return heddle_device_open("sim:77", &none); });
}

/// All options of loading; from memory that must be copied, too.
void loadOtherwise() {
  auto options = defaults<heddle_load_options>();
  for (uint32_t flags :
       {uint32_t(HEDDLE_VERIFY_WEIGHTS | HEDDLE_WEIGHTS_HUGE |
                 HEDDLE_SYMBOLS_PERF | HEDDLE_SYMBOLS_GDB),
        uint32_t(HEDDLE_WEIGHTS_PREFAULT), uint32_t(HEDDLE_WEIGHTS_LAZY)}) {
    options.flags = flags;
    heddle_program_destroy(loaded("addition", &options));
  }
  static char bytes[1 << 20];
  FILE *file = std::fopen(model_path(folder, "addition"), "rb");
  size_t size = std::fread(bytes + 1, 1, sizeof(bytes) - 1, file);
  std::fclose(file);
  heddle_program *program = nullptr;
  attempt("memory", HEDDLE_OK, [&] {
    return heddle_program_load_memory(bytes + 1, size, nullptr, &program);
  });
  heddle_program_destroy(program);
}

/// Messages take memory, too.
void makeMistakes() {
  heddle_program *program = loaded("addition", nullptr), *other = nullptr;
  heddle_context *context = nullptr;
  size_t entry = 0;
  attempt("context", HEDDLE_OK,
          [&] { return heddle_context_create(program, 0, nullptr, &context); });
  Addition sum;
  auto call = [&] {
    return call_entry(context, sum.inputs, 2, &sum.output, 1, nullptr);
  };
  sum.inputs[0].dtype = HEDDLE_F64;
  attempt("type", HEDDLE_TENSOR_DTYPE, call);
  sum.inputs[0] = make_tensor(sum.left, HEDDLE_F32, 1, square);
  attempt("rank", HEDDLE_TENSOR_RANK, call);
  constexpr int64_t wrong[] = {100, 10};
  sum.inputs[0] = make_tensor(sum.left, HEDDLE_F32, 2, wrong);
  attempt("shape", HEDDLE_TENSOR_SHAPE, call);
  sum.inputs[0] = make_tensor(sum.sum, HEDDLE_F32, 2, square);
  attempt("overlap", HEDDLE_TENSOR_OVERLAP, call);
  attempt("entry", HEDDLE_ENTRY_UNKNOWN, [&] {
    return heddle_program_find_entry(
        program, "an entry that this artifact does not have", &entry);
  });
  attempt("number", HEDDLE_ENTRY_UNKNOWN, [&] {
    return heddle_context_create(program, 77, nullptr, &context);
  });
  attempt("file", HEDDLE_FILE_UNREADABLE, [&] {
    return heddle_program_load_file("a file that is nowhere", nullptr, &other);
  });
  auto options = defaults<heddle_load_options>();
  options.variant = "of some other machine";
  attempt("variant", HEDDLE_VARIANT_UNKNOWN, [&] {
    return heddle_program_load_file(model_path(folder, "addition"), &options,
                                    &other);
  });
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

int openFiles() {
  DIR *folder = opendir("/proc/self/fd");
  int count = 0;
  while (folder && readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

struct Scenario {
  const char *name;
  void (*run)();
};

/// Returns how many refusals there were.
int64_t runOnce(const Scenario &scenario) {
  int files = openFiles();
  int64_t allocations = liveAllocations, mappings = liveMappings;
  seen = refused = 0;
  injecting = true;
  scenario.run();
  injecting = false;
  if (liveAllocations != allocations || liveMappings != mappings ||
      openFiles() != files) {
    std::fprintf(stderr,
                 "%s keeps what it had (%s %lld/%lld): %lld allocations, %lld "
                 "mappings, %d files\n",
                 scenario.name, kindNames[injected],
                 static_cast<long long>(first), static_cast<long long>(period),
                 static_cast<long long>(liveAllocations - allocations),
                 static_cast<long long>(liveMappings - mappings),
                 openFiles() - files);
    ++failures;
  }
  return refused;
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  setenv("HEDDLE_SIM", "memory=8,delay=0", 1);
  const Scenario scenarios[] = {
      {"callAddition", callAddition}, {"createContexts", createContexts},
      {"callDynamic", callDynamic},   {"callOtherSizes", callOtherSizes},
      {"callCounted", callCounted},   {"callPlaced", callPlaced},
      {"callState", callState},       {"submitAddition", submitAddition},
      {"callSolved", callSolved},     {"callCustom", callCustom},
      {"useDevices", useDevices},     {"loadOtherwise", loadOtherwise},
      {"makeMistakes", makeMistakes}};
  // What the standard library and this test make once for all.
  for (const Scenario &scenario : scenarios)
    scenario.run();
  for (const Scenario &scenario : scenarios)
    for (int kind = 0; kind < kinds; ++kind) {
      injected = static_cast<Kind>(kind);
      int64_t total = 0;
      period = 0;
      for (first = 0; runOnce(scenario) > 0; ++first)
        ++total;
      for (period = 1; period < 20; period += period < 7 ? 1 : 4)
        for (first = 0; first < period && first < 3; ++first)
          total += runOnce(scenario);
      std::printf("%s: %lld times no %s\n", scenario.name,
                  static_cast<long long>(total), kindNames[kind]);
      if (failures > 20)
        return finish();
    }
  return finish();
}
