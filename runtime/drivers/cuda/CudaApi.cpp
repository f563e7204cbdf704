// Opens CUDA's driver library and finds its functions.

#include "runtime/drivers/cuda/CudaApi.h"

#include "runtime/PerProcess.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace heddle;
using namespace heddle::runtime;

namespace {
/// The library is opened once in a process, and stays: devices may be in use
/// until it ends.
struct Opened {
  std::mutex mutex;
  std::string path;
  bool isOpen = false;
  CudaApi api = {};
};
} // namespace

template <typename Function>
static bool find(void *library, const char *name, Function &function,
                 std::string &missing) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    missing = name;
  // What dlsym gives is an address of data by its type only.
  std::memcpy(&function, &symbol, sizeof(symbol));
  return symbol;
}

/// Finds all functions; `missing` is the name of one that is not there.
static bool findAll(void *library, CudaApi &api, std::string &missing) {
  std::string optional;
  find(library, "cuTensorMapEncodeTiled", api.tensorMapEncodeTiled, optional);
  auto get = [&](const char *name, auto &function) {
    return find(library, name, function, missing);
  };
  return get("cuInit", api.init) && get("cuGetErrorName", api.getErrorName) &&
         get("cuGetErrorString", api.getErrorString) &&
         get("cuDeviceGetCount", api.deviceGetCount) &&
         get("cuDeviceGet", api.deviceGet) &&
         get("cuDeviceGetName", api.deviceGetName) &&
         get("cuDeviceGetAttribute", api.deviceGetAttribute) &&
         get("cuDeviceTotalMem_v2", api.deviceTotalMem) &&
         get("cuDevicePrimaryCtxRetain", api.primaryContextRetain) &&
         get("cuDevicePrimaryCtxRelease_v2", api.primaryContextRelease) &&
         get("cuCtxPushCurrent_v2", api.contextPush) &&
         get("cuCtxPopCurrent_v2", api.contextPop) &&
         get("cuCtxSynchronize", api.contextSynchronize) &&
         get("cuMemAlloc_v2", api.memAlloc) &&
         get("cuMemFree_v2", api.memFree) &&
         get("cuMemHostAlloc", api.memHostAlloc) &&
         get("cuMemFreeHost", api.memFreeHost) &&
         get("cuMemHostRegister_v2", api.memHostRegister) &&
         get("cuMemHostUnregister", api.memHostUnregister) &&
         get("cuMemHostGetDevicePointer_v2", api.memHostGetDevicePointer) &&
         get("cuModuleLoadDataEx", api.moduleLoadData) &&
         get("cuModuleUnload", api.moduleUnload) &&
         get("cuModuleGetFunction", api.moduleGetFunction) &&
         get("cuFuncSetAttribute", api.functionSetAttribute) &&
         get("cuStreamCreate", api.streamCreate) &&
         get("cuStreamDestroy_v2", api.streamDestroy) &&
         get("cuStreamQuery", api.streamQuery) &&
         get("cuStreamSynchronize", api.streamSynchronize) &&
         get("cuStreamWaitEvent", api.streamWaitEvent) &&
         get("cuEventCreate", api.eventCreate) &&
         get("cuEventDestroy_v2", api.eventDestroy) &&
         get("cuEventRecord", api.eventRecord) &&
         get("cuEventQuery", api.eventQuery) &&
         get("cuEventSynchronize", api.eventSynchronize) &&
         get("cuMemcpyHtoDAsync_v2", api.copyToDevice) &&
         get("cuMemcpyDtoHAsync_v2", api.copyFromDevice) &&
         get("cuMemcpyDtoDAsync_v2", api.copyOnDevice) &&
         get("cuMemcpyPeerAsync", api.copyBetweenDevices) &&
         get("cuMemsetD8Async", api.fill8) &&
         get("cuMemsetD16Async", api.fill16) &&
         get("cuMemsetD32Async", api.fill32) &&
         get("cuMemsetD2D32Async", api.fillRows32) &&
         get("cuLaunchKernel", api.launchKernel);
}

std::string CudaApi::describe(const char *function, CudaResult error) const {
  const char *name = nullptr, *text = nullptr;
  std::string message = std::string(function) + ": ";
  if (getErrorName(error, &name) != cudaSuccess || !name)
    return message + "error " + std::to_string(error);
  message += name;
  if (getErrorString(error, &text) == cudaSuccess && text)
    message += std::string(" (") + text + ")";
  return message;
}

Error CudaApi::open(const CudaApi *&api) {
  static PerProcess<Opened> all;
  Opened &opened = all.get();
  std::lock_guard<std::mutex> lock(opened.mutex);
  if (!opened.isOpen) {
    // Who starts a program that has more rights than he does is not to choose
    // its code.
    const char *given = secure_getenv("HEDDLE_CUDA_LIBRARY");
    std::string path = given && *given ? given : "libcuda.so.1";
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return {HEDDLE_DEVICE_MISSING,
              "CUDA's driver library cannot be opened: " +
                  std::string(dlerror())};
    std::string missing;
    CudaApi found = {};
    if (!findAll(library, found, missing)) {
      dlclose(library);
      return {HEDDLE_DEVICE_MISSING, "CUDA's driver library '" + path +
                                         "' is too old: it has no '" + missing +
                                         "'"};
    }
    if (CudaResult error = found.init(0))
      return {HEDDLE_DEVICE_MISSING, found.describe("cuInit", error)};
    opened.api = found;
    opened.isOpen = true;
  }
  api = &opened.api;
  return {};
}
