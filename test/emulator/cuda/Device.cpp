// Streams of the emulated driver and the thread that does their work.

#include "test/emulator/cuda/Device.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace heddle::emulator {

static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<Context *> &contextStack() {
  static thread_local std::vector<Context *> stack;
  return stack;
}

// Never destroyed: programs end with work under way.
Driver &Driver::get() {
  static Driver *driver = new Driver;
  return *driver;
}

Driver::Driver() : random(setting("HEDDLE_EMULATOR_SEED", 1)) {
  seed = setting("HEDDLE_EMULATOR_SEED", 1);
  sm = unsigned(setting("HEDDLE_EMULATOR_SM", 90));
  findRaces = setting("HEDDLE_EMULATOR_RACES", 0) != 0;
  devices = int(setting("HEDDLE_EMULATOR_DEVICES", 1));
  for (int i = 0; i < devices; ++i) {
    primaries.push_back(std::make_unique<Context>());
    primaries.back()->device = i;
    primaries.back()->primary = true;
  }
  worker = std::thread([this] { work(); });
  worker.detach();
}

int Driver::error(const char *call, int code, const std::string &what) {
  std::fprintf(stderr, "emulated CUDA: %s: %s\n", call, what.c_str());
  return code;
}

Context *Driver::current(const char *call, int &code) {
  code = kSuccess;
  if (!initialized)
    code = error(call, kNotInitialized, "cuInit was not called");
  else if (sticky)
    code = sticky;
  else if (contextStack().empty() || !contextStack().back())
    code = error(call, kInvalidContext, "the thread has no current context");
  else if (!contexts.count(contextStack().back()))
    code = error(call, kInvalidContext, "the current context was destroyed");
  return code ? nullptr : contextStack().back();
}

Stream *Driver::stream(const char *call, Stream *given, Context *context,
                       int &code) {
  // 0 and 1 are the default stream, 2 would be one for each thread.
  if (reinterpret_cast<uintptr_t>(given) <= 1) {
    auto &own = defaults[context];
    if (!own) {
      own = std::make_unique<Stream>();
      own->context = context;
    }
    return own.get();
  }
  if (!streams.count(given)) {
    code = error(call, kInvalidHandle, "this is no stream, or was destroyed");
    return nullptr;
  }
  if (given->context != context) {
    code = error(call, kInvalidContext, "the stream is of another context");
    return nullptr;
  }
  return given;
}

void Driver::submit(Stream &stream, std::function<Fault()> run,
                    std::function<bool()> ready) {
  stream.work.push_back({nextSequence++, std::move(ready), std::move(run)});
  changed.notify_all();
}

/// Work in order; the default stream and blocking streams wait for each other.
bool Driver::mayRun(Stream &stream) const {
  if (stream.busy || stream.work.empty())
    return false;
  const Work &head = stream.work.front();
  if (head.ready && !head.ready())
    return false;
  auto earlier = [&](const Stream &other) {
    return &other != &stream && !other.work.empty() &&
           other.work.front().sequence < head.sequence;
  };
  auto own = defaults.find(stream.context);
  if (own == defaults.end())
    return true;
  if (own->second.get() != &stream)
    return stream.nonBlocking || !earlier(*own->second);
  for (const auto &[handle, other] : streams)
    if (other->context == stream.context && !other->nonBlocking &&
        earlier(*other))
      return false;
  return true;
}

Stream *Driver::pick() {
  std::vector<Stream *> able;
  for (auto *table : {&streams})
    for (auto &[handle, stream] : *table)
      if (mayRun(*stream))
        able.push_back(stream.get());
  for (auto &[context, stream] : defaults)
    if (mayRun(*stream))
      able.push_back(stream.get());
  return able.empty() ? nullptr : able[random.below(uint32_t(able.size()))];
}

void Driver::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    Stream *stream = pick();
    if (!stream) {
      changed.wait(lock);
      continue;
    }
    stream->busy = true;
    // Work is late: who does not wait for it, sees that it is not done.
    unsigned late = random.below(200);
    auto &run = stream->work.front().run;
    bool dead = sticky != 0;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(late));
    Fault fault = dead ? Fault{} : run();
    lock.lock();
    if (fault && !sticky) {
      sticky = codeOfFault(fault.kind);
      error(errorName(sticky), sticky, fault.message);
    }
    stream->work.pop_front();
    stream->busy = false;
    changed.notify_all();
  }
}

int Driver::drain(Stream *stream, Context *context) {
  std::unique_lock<std::mutex> lock(mutex, std::adopt_lock);
  changed.wait(lock, [&] {
    if (stream)
      return stream->work.empty();
    for (auto &[handle, each] : streams)
      if ((!context || each->context == context) && !each->work.empty())
        return false;
    for (auto &[owner, each] : defaults)
      if ((!context || owner == context) && !each->work.empty())
        return false;
    return true;
  });
  lock.release();
  return sticky;
}

uint8_t *Driver::deviceBytes(uint64_t address, uint64_t bytes,
                             std::string &wrong) {
  Allocation *found = memory.find(address);
  if (found && found->holds(address, bytes))
    return found->pointer(address);
  char text[64];
  std::snprintf(text, sizeof text, "%llu bytes at 0x%llx, ",
                (unsigned long long)bytes, (unsigned long long)address);
  wrong = text + (found ? "of an allocation of " +
                              std::to_string(found->bytes) + " bytes"
                        : memory.describe(address));
  return nullptr;
}

int codeOfFault(FaultKind kind) {
  switch (kind) {
  case FaultKind::None:
    return kSuccess;
  case FaultKind::IllegalAddress:
    return kIllegalAddress;
  case FaultKind::Misaligned:
    return kMisaligned;
  case FaultKind::IllegalInstruction:
    return kIllegalInstruction;
  case FaultKind::Deadlock:
  case FaultKind::Instructions:
    return kTimeout;
  case FaultKind::Assertion:
    return kAssert;
  case FaultKind::Trap:
  case FaultKind::Undefined:
  case FaultKind::Race:
    break;
  }
  return kLaunchFailed;
}

const char *errorName(int code) {
  static const std::map<int, const char *> kNames = {
      {kSuccess, "CUDA_SUCCESS"},
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kNoBinary, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kNotReady, "CUDA_ERROR_NOT_READY"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {kTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {kAssert, "CUDA_ERROR_ASSERT"},
      {kHostRegistered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
      {kHostNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
      {kIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {kMisaligned, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED"}};
  auto found = kNames.find(code);
  return found == kNames.end() ? nullptr : found->second;
}

} // namespace heddle::emulator
