// Opens a device, and gives out its memory.

#include "runtime/drivers/cuda/CudaDevice.h"

using namespace heddle;
using namespace heddle::runtime;

Error CudaDevice::create() {
  auto failed = [&](const char *function, CudaResult result) {
    return result ? Error(HEDDLE_DEVICE_FAILED,
                          name + ": " + api.describe(function, result))
                  : Error();
  };
  int count = 0;
  if (Error error = failed("cuDeviceGetCount", api.deviceGetCount(&count)))
    return error;
  if (number >= static_cast<uint32_t>(count))
    return {HEDDLE_DEVICE_MISSING, "there is no device '" + name +
                                       "', of 'cuda' there are " +
                                       std::to_string(count)};
  if (Error error = failed("cuDeviceGet",
                           api.deviceGet(&ordinal, static_cast<int>(number))))
    return error;
  char text[128] = {};
  if (Error error = failed("cuDeviceGetName",
                           api.deviceGetName(text, sizeof(text) - 1, ordinal)))
    return error;
  product = text;
  size_t bytes = 0;
  if (Error error =
          failed("cuDeviceTotalMem", api.deviceTotalMem(&bytes, ordinal)))
    return error;
  memoryBytes = bytes;
  return failed("cuDevicePrimaryCtxRetain",
                api.primaryContextRetain(&context, ordinal));
}

CudaDevice::~CudaDevice() {
  if (context)
    api.primaryContextRelease(ordinal);
}

/// Errors of the context, which every later call gets, too: faults of a kernel
/// (CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED), memory that cannot
/// be corrected, a link that is broken.
static bool losesDevice(CudaResult error) {
  return (error >= 700 && error <= 702) || (error >= 709 && error <= 710) ||
         (error >= 714 && error <= 719) || error == 214 || error == 220;
}

Error CudaDevice::check(const char *function, CudaResult result) {
  if (result == cudaSuccess)
    return {};
  Error error(HEDDLE_DEVICE_FAILED,
              name + ": " + api.describe(function, result));
  if (!losesDevice(result))
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  if (!lostBy)
    lostBy = {HEDDLE_DEVICE_FAILED,
              error.message() + "; the device is lost to this process"};
  return lostBy;
}

Error CudaDevice::lost() {
  std::lock_guard<std::mutex> lock(mutex);
  return lostBy;
}

Error CudaDevice::allocate(heddle_driver_space space, uint64_t bytes,
                           void *&address) {
  if (space != HEDDLE_SPACE_DEVICE && space != HEDDLE_SPACE_PINNED)
    return {HEDDLE_ARGUMENT_INVALID, name + " has no memory of this space"};
  CudaCurrent current(*this);
  if (current.error())
    return current.error();
  void *found = nullptr;
  CudaResult result;
  const char *function;
  if (space == HEDDLE_SPACE_DEVICE) {
    CudaAddress place = 0;
    function = "cuMemAlloc";
    result = api.memAlloc(&place, bytes);
    found = reinterpret_cast<void *>(place);
  } else {
    function = "cuMemHostAlloc";
    result = api.memHostAlloc(&found, bytes, 0);
  }
  if (result == cudaErrorOutOfMemory)
    return {space == HEDDLE_SPACE_DEVICE ? HEDDLE_DEVICE_MEMORY
                                         : HEDDLE_OUT_OF_MEMORY,
            name + " has no room for " + std::to_string(bytes) + " bytes"};
  if (Error error = check(function, result))
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  given[found] = space;
  address = found;
  return {};
}

void CudaDevice::free(void *address) {
  heddle_driver_space space;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = given.find(address);
    if (known == given.end())
      return;
    space = known->second;
    given.erase(known);
  }
  CudaCurrent current(*this);
  if (current.error())
    return;
  if (space == HEDDLE_SPACE_DEVICE)
    (void)check("cuMemFree",
                api.memFree(reinterpret_cast<CudaAddress>(address)));
  else
    (void)check("cuMemFreeHost", api.memFreeHost(address));
}

Error CudaDevice::import(void *memory, uint64_t bytes, void *&address) {
  CudaCurrent current(*this);
  if (current.error())
    return current.error();
  if (Error error = check(
          "cuMemHostRegister",
          api.memHostRegister(memory, bytes, cudaMemHostRegisterDeviceMap)))
    return error;
  CudaAddress place = 0;
  if (Error error = check("cuMemHostGetDevicePointer",
                          api.memHostGetDevicePointer(&place, memory, 0))) {
    (void)api.memHostUnregister(memory);
    return error;
  }
  address = reinterpret_cast<void *>(place);
  std::lock_guard<std::mutex> lock(mutex);
  imported[address] = memory;
  return {};
}

void CudaDevice::unimport(void *address) {
  void *memory = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = imported.find(address);
    if (known == imported.end())
      return;
    memory = known->second;
    imported.erase(known);
  }
  CudaCurrent current(*this);
  if (!current.error())
    (void)check("cuMemHostUnregister", api.memHostUnregister(memory));
}
