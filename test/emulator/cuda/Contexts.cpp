// Devices, their attributes and contexts; names of errors.

#include "test/emulator/cuda/Device.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace heddle::emulator;

HEDDLE_EXPORT int cuInit(unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (flags)
    return driver.error("cuInit", kInvalidValue, "flags must be 0");
  driver.initialized = true;
  return driver.devices ? kSuccess : kNoDevice;
}

HEDDLE_EXPORT int cuDriverGetVersion(int *version) {
  *version = 12080;
  return kSuccess;
}

HEDDLE_EXPORT int cuGetErrorName(int error, const char **name) {
  *name = errorName(error);
  return *name ? kSuccess : kInvalidValue;
}

HEDDLE_EXPORT int cuGetErrorString(int error, const char **text) {
  return cuGetErrorName(error, text);
}

static int checkDevice(const char *call, int device) {
  Driver &driver = Driver::get();
  if (!driver.initialized)
    return driver.error(call, kNotInitialized, "cuInit was not called");
  return device < 0 || device >= driver.devices
             ? driver.error(call, kInvalidDevice, "no such device")
             : kSuccess;
}

HEDDLE_EXPORT int cuDeviceGetCount(int *count) {
  *count = Driver::get().devices;
  return checkDevice("cuDeviceGetCount", 0);
}

HEDDLE_EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return checkDevice("cuDeviceGet", ordinal);
}

HEDDLE_EXPORT int cuDeviceGetName(char *name, int bytes, int device) {
  std::snprintf(name, size_t(bytes), "emulated sm_%u",
                Driver::get().capability());
  return checkDevice("cuDeviceGetName", device);
}

HEDDLE_EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  std::memset(uuid, 0xed, 16);
  uuid[15] = static_cast<unsigned char>(device);
  return checkDevice("cuDeviceGetUuid_v2", device);
}

HEDDLE_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = size_t(80) << 30;
  return checkDevice("cuDeviceTotalMem_v2", device);
}

HEDDLE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  Driver &driver = Driver::get();
  if (int code = checkDevice("cuDeviceGetAttribute", device))
    return code;
  int sm = int(driver.capability());
  switch (attribute) {
  case 1: // threads of a block
  case 2:
  case 3:
    *value = 1024;
    return kSuccess;
  case 4: // z of a block
    *value = 64;
    return kSuccess;
  case 5: // x of a grid
    *value = 0x7fffffff;
    return kSuccess;
  case 6:
  case 7:
    *value = 65535;
    return kSuccess;
  case 8: // shared memory of a block without asking for more
    *value = 48 * 1024;
    return kSuccess;
  case 10: // warp size
    *value = 32;
    return kSuccess;
  case 12: // registers of a block
  case 82:
    *value = 65536;
    return kSuccess;
  case 16: // multiprocessors
    *value = sm == 80 ? 108 : 132;
    return kSuccess;
  case 38: // bytes of the L2 cache
    *value = (sm == 80 ? 40 : 50) << 20;
    return kSuccess;
  case 39: // threads of a multiprocessor
    *value = 2048;
    return kSuccess;
  case 40: // engines that copy
    *value = 3;
    return kSuccess;
  case 41: // unified addresses
  case 83: // managed memory
  case 95: // cooperative launch
    *value = 1;
    return kSuccess;
  case 75:
    *value = sm / 10;
    return kSuccess;
  case 76:
    *value = sm % 10;
    return kSuccess;
  case 81: // shared memory of a multiprocessor
    *value = driver.sharedLimit() + 1024;
    return kSuccess;
  case 97: // shared memory of a block that asks
    *value = driver.sharedLimit();
    return kSuccess;
  case 106: // blocks of a multiprocessor
    *value = 32;
    return kSuccess;
  case 115: // memory pools
    *value = 0;
    return kSuccess;
  default:
    return driver.error("cuDeviceGetAttribute", kInvalidValue,
                        "attribute " + std::to_string(attribute) +
                            " is not known here");
  }
}

HEDDLE_EXPORT int cuDevicePrimaryCtxRetain(Context **context, int device) {
  if (int code = checkDevice("cuDevicePrimaryCtxRetain", device))
    return code;
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  *context = driver.primaries[size_t(device)].get();
  ++(*context)->references;
  driver.contexts.insert(*context);
  return kSuccess;
}

HEDDLE_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  if (int code = checkDevice("cuDevicePrimaryCtxRelease_v2", device))
    return code;
  Driver &driver = Driver::get();
  driver.mutex.lock();
  Context *context = driver.primaries[size_t(device)].get();
  int code = kSuccess;
  if (context->references == 0) {
    code = driver.error("cuDevicePrimaryCtxRelease_v2", kInvalidContext,
                        "the context was not retained");
  } else if (--context->references == 0) {
    driver.drain(nullptr, context);
    driver.contexts.erase(context);
  }
  driver.mutex.unlock();
  return code;
}

HEDDLE_EXPORT int cuCtxCreate_v2(Context **context, unsigned, int device) {
  if (int code = checkDevice("cuCtxCreate_v2", device))
    return code;
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  *context = new Context; // contexts are few; destroyed ones stay known
  (*context)->device = device;
  driver.contexts.insert(*context);
  contextStack().push_back(*context);
  return kSuccess;
}

HEDDLE_EXPORT int cuCtxDestroy_v2(Context *context) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.contexts.count(context) || context->primary)
    return driver.error("cuCtxDestroy_v2", kInvalidContext,
                        "this context cannot be destroyed");
  driver.drain(nullptr, context);
  driver.contexts.erase(context);
  if (!contextStack().empty() && contextStack().back() == context)
    contextStack().pop_back();
  return kSuccess;
}

HEDDLE_EXPORT int cuCtxPushCurrent_v2(Context *context) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.contexts.count(context))
    return driver.error("cuCtxPushCurrent_v2", kInvalidContext,
                        "no live context");
  contextStack().push_back(context);
  return kSuccess;
}

HEDDLE_EXPORT int cuCtxPopCurrent_v2(Context **context) {
  if (contextStack().empty())
    return Driver::get().error("cuCtxPopCurrent_v2", kInvalidContext,
                               "the thread has no current context");
  if (context)
    *context = contextStack().back();
  contextStack().pop_back();
  return kSuccess;
}

HEDDLE_EXPORT int cuCtxSetCurrent(Context *context) {
  if (!contextStack().empty())
    contextStack().pop_back();
  return context ? cuCtxPushCurrent_v2(context) : kSuccess;
}

HEDDLE_EXPORT int cuCtxGetCurrent(Context **context) {
  *context = contextStack().empty() ? nullptr : contextStack().back();
  return kSuccess;
}

HEDDLE_EXPORT int cuCtxSynchronize() {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  int code = kSuccess;
  Context *context = driver.current("cuCtxSynchronize", code);
  return context ? driver.drain(nullptr, context) : code;
}

HEDDLE_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int,
                                      uint64_t, int *status) {
  static void *self = dlopen(nullptr, RTLD_NOW);
  Dl_info where;
  if (dladdr(reinterpret_cast<void *>(&cuInit), &where))
    self = dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  std::string second = std::string(name) + "_v2";
  *function = dlsym(self, second.c_str());
  if (!*function)
    *function = dlsym(self, name);
  if (status)
    *status = *function ? 0 : 1;
  return *function
             ? kSuccess
             : Driver::get().error("cuGetProcAddress_v2", kNotFound,
                                   std::string(name) + " is not emulated");
}
