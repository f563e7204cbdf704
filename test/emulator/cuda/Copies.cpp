// Memory of the emulated driver: allocation, host memory, copies, fills.

#include "test/emulator/cuda/Device.h"

#include <cstring>

using namespace heddle::emulator;

namespace {

/// Takes the lock and finds the current context; `code` says why not.
struct Call {
  explicit Call(const char *name)
      : driver(Driver::get()), lock(driver.mutex), name(name) {
    context = driver.current(name, code);
  }
  int wrong(int number, const std::string &what) {
    return driver.error(name, number, what);
  }
  Driver &driver;
  std::lock_guard<std::mutex> lock;
  const char *name;
  int code = 0;
  Context *context = nullptr;
};

bool isPinned(const Driver &driver, const void *memory, size_t bytes) {
  auto *start = static_cast<uint8_t *>(const_cast<void *>(memory));
  auto after = driver.pinned.upper_bound(start);
  if (after == driver.pinned.begin())
    return false;
  auto [base, size] = *std::prev(after);
  return start >= base && size_t(start - base) + bytes <= size;
}

/// Where one end of a copy lies; the allocation is looked up when it runs.
using Place = std::function<uint8_t *(std::string &wrong)>;

Place onDevice(uint64_t address, size_t bytes) {
  return [=](std::string &wrong) {
    return Driver::get().deviceBytes(address, bytes, wrong);
  };
}

Place onHost(void *memory) {
  return [=](std::string &) { return static_cast<uint8_t *>(memory); };
}

Fault copyNow(const Place &to, const Place &from, size_t bytes) {
  std::string wrong;
  uint8_t *target = to(wrong), *source = from(wrong);
  if (!target || !source)
    return {FaultKind::IllegalAddress, "a copy uses " + wrong};
  std::memmove(target, source, bytes);
  return {};
}

int copy(const char *name, Stream *given, Place to, Place from, size_t bytes,
         bool wait) {
  Call call(name);
  if (!call.context)
    return call.code;
  Stream *stream = call.driver.stream(name, given, call.context, call.code);
  if (!stream)
    return call.code;
  // What is wrong already is said at the call.
  std::string wrong;
  if (bytes && (!to(wrong) || !from(wrong)))
    return call.wrong(kInvalidValue, wrong);
  if (bytes)
    call.driver.submit(*stream, [=] { return copyNow(to, from, bytes); });
  return wait ? call.driver.drain(stream) : kSuccess;
}

int fill(const char *name, uint64_t address, size_t pitch, unsigned value,
         unsigned size, size_t width, size_t height, Stream *given,
         bool wait = false) {
  Call call(name);
  if (!call.context)
    return call.code;
  Stream *stream = call.driver.stream(name, given, call.context, call.code);
  if (!stream)
    return call.code;
  if (address % size)
    return call.wrong(kInvalidValue, "the address is not aligned");
  if (!width || !height)
    return kSuccess;
  size_t bytes = pitch * (height - 1) + width * size;
  std::string wrong;
  if (!call.driver.deviceBytes(address, bytes, wrong))
    return call.wrong(kInvalidValue, wrong);
  call.driver.submit(*stream, [=]() -> Fault {
    std::string bad;
    uint8_t *at = Driver::get().deviceBytes(address, bytes, bad);
    if (!at)
      return {FaultKind::IllegalAddress, "a fill uses " + bad};
    for (size_t row = 0; row < height; ++row)
      for (size_t i = 0; i < width; ++i)
        std::memcpy(at + row * pitch + i * size, &value, size);
    return {};
  });
  return wait ? call.driver.drain(stream) : kSuccess;
}

} // namespace

HEDDLE_EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  Call call("cuMemAlloc_v2");
  if (!call.context)
    return call.code;
  if (!bytes)
    return call.wrong(kInvalidValue, "0 bytes");
  Allocation *made = call.driver.memory.used() + bytes > (size_t(80) << 30)
                         ? nullptr
                         : call.driver.memory.allocate(bytes);
  if (!made)
    return call.wrong(kOutOfMemory, std::to_string(bytes) + " bytes");
  *address = made->address;
  return kSuccess;
}

HEDDLE_EXPORT int cuMemFree_v2(uint64_t address) {
  Call call("cuMemFree_v2");
  if (!call.context)
    return call.code;
  if (!address)
    return kSuccess;
  int code = call.driver.drain(nullptr);
  Allocation *found = call.driver.memory.find(address);
  if (!found || found->isHost || !call.driver.memory.release(address))
    return call.wrong(kInvalidValue, "no allocation starts here: " +
                                         call.driver.memory.describe(address));
  return code;
}

HEDDLE_EXPORT int cuMemGetInfo_v2(size_t *unused, size_t *total) {
  *total = size_t(80) << 30;
  *unused = *total - Driver::get().memory.used();
  return kSuccess;
}

HEDDLE_EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  if (!call.context)
    return call.code;
  if (!bytes)
    return call.wrong(kInvalidValue, "0 bytes");
  std::unique_ptr<uint8_t[]> owned(new uint8_t[bytes + 4096]);
  auto start = (reinterpret_cast<uintptr_t>(owned.get()) + 4095) / 4096 * 4096;
  auto *at = reinterpret_cast<uint8_t *>(start);
  call.driver.memory.mapHost(at, bytes);
  call.driver.pinned[at] = bytes;
  call.driver.hostOwned[at] = std::move(owned);
  *memory = at;
  return kSuccess;
}

HEDDLE_EXPORT int cuMemFreeHost(void *memory) {
  Call call("cuMemFreeHost");
  if (!call.context)
    return call.code;
  auto *at = static_cast<uint8_t *>(memory);
  if (!call.driver.hostOwned.count(at))
    return call.wrong(kInvalidValue, "not from cuMemHostAlloc");
  int code = call.driver.drain(nullptr);
  call.driver.memory.release(reinterpret_cast<uint64_t>(memory));
  call.driver.pinned.erase(at);
  call.driver.hostOwned.erase(at);
  return code;
}

HEDDLE_EXPORT int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned) {
  Call call("cuMemHostRegister_v2");
  if (!call.context)
    return call.code;
  if (!bytes)
    return call.wrong(kInvalidValue, "0 bytes");
  if (isPinned(call.driver, memory, 1))
    return call.wrong(kHostRegistered, "registered already");
  call.driver.memory.mapHost(memory, bytes);
  call.driver.pinned[static_cast<uint8_t *>(memory)] = bytes;
  return kSuccess;
}

HEDDLE_EXPORT int cuMemHostUnregister(void *memory) {
  Call call("cuMemHostUnregister");
  if (!call.context)
    return call.code;
  auto *at = static_cast<uint8_t *>(memory);
  if (!call.driver.pinned.count(at) || call.driver.hostOwned.count(at))
    return call.wrong(kHostNotRegistered, "not registered");
  int code = call.driver.drain(nullptr);
  call.driver.memory.release(reinterpret_cast<uint64_t>(memory));
  call.driver.pinned.erase(at);
  return code;
}

HEDDLE_EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory,
                                               unsigned flags) {
  Call call("cuMemHostGetDevicePointer_v2");
  if (!call.context)
    return call.code;
  if (flags)
    return call.wrong(kInvalidValue, "flags that are not 0");
  if (!isPinned(call.driver, memory, 1))
    return call.wrong(kInvalidValue, "memory that is not pinned");
  *address = reinterpret_cast<uint64_t>(memory);
  return kSuccess;
}

HEDDLE_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from,
                                       size_t bytes, Stream *stream) {
  // Memory that is not pinned is read before the call returns.
  Driver &driver = Driver::get();
  driver.mutex.lock();
  bool pinned = isPinned(driver, from, bytes);
  driver.mutex.unlock();
  Place source = onHost(const_cast<void *>(from));
  if (!pinned) {
    auto *start = static_cast<const uint8_t *>(from);
    auto staged = std::make_shared<std::vector<uint8_t>>(start, start + bytes);
    source = [staged](std::string &) { return staged->data(); };
  }
  return copy("cuMemcpyHtoDAsync_v2", stream, onDevice(to, bytes), source,
              bytes, false);
}

HEDDLE_EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD_v2", nullptr, onDevice(to, bytes),
              onHost(const_cast<void *>(from)), bytes, true);
}

HEDDLE_EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                                       Stream *stream) {
  Driver &driver = Driver::get();
  driver.mutex.lock();
  bool pinned = isPinned(driver, to, bytes);
  driver.mutex.unlock();
  return copy("cuMemcpyDtoHAsync_v2", stream, onHost(to), onDevice(from, bytes),
              bytes, !pinned);
}

HEDDLE_EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copy("cuMemcpyDtoH_v2", nullptr, onHost(to), onDevice(from, bytes),
              bytes, true);
}

HEDDLE_EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                                       Stream *stream) {
  return copy("cuMemcpyDtoDAsync_v2", stream, onDevice(to, bytes),
              onDevice(from, bytes), bytes, false);
}

HEDDLE_EXPORT int cuMemcpyPeerAsync(uint64_t to, Context *, uint64_t from,
                                    Context *, size_t bytes, Stream *stream) {
  return copy("cuMemcpyPeerAsync", stream, onDevice(to, bytes),
              onDevice(from, bytes), bytes, false);
}

HEDDLE_EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value,
                                  size_t count, Stream *stream) {
  return fill("cuMemsetD8Async", to, 0, value, 1, count, 1, stream);
}

HEDDLE_EXPORT int cuMemsetD16Async(uint64_t to, unsigned short value,
                                   size_t count, Stream *stream) {
  return fill("cuMemsetD16Async", to, 0, value, 2, count, 1, stream);
}

HEDDLE_EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t count,
                                   Stream *stream) {
  return fill("cuMemsetD32Async", to, 0, value, 4, count, 1, stream);
}

HEDDLE_EXPORT int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value,
                                     size_t width, size_t height,
                                     Stream *stream) {
  return fill("cuMemsetD2D32Async", to, pitch, value, 4, width, height, stream);
}

HEDDLE_EXPORT int cuMemsetD8_v2(uint64_t to, unsigned char value,
                                size_t count) {
  return fill("cuMemsetD8_v2", to, 0, value, 1, count, 1, nullptr, true);
}
