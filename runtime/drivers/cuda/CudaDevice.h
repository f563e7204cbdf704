// A device of CUDA: its primary context, memory, streams and events.

#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H

#include "runtime/drivers/cuda/CudaApi.h"
#include "runtime/drivers/driver.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::runtime {

class CudaDevice {
public:
  CudaDevice(const CudaApi &api, uint32_t number)
      : api(api), name("cuda:" + std::to_string(number)), number(number) {}
  ~CudaDevice();

  Error create();

  /// What a call of `function` returned. An error after which nothing of the
  /// context works loses the device for good.
  Error check(const char *function, CudaResult result);
  /// What lost the device; success as long as it is there.
  Error lost();

  Error allocate(heddle_driver_space space, uint64_t bytes, void *&address);
  void free(void *address);

  /// Lets the device use `bytes` of the process's memory at `address`.
  Error import(void *memory, uint64_t bytes, void *&address);
  void unimport(void *address);

  const CudaApi &api;
  const std::string name;
  const uint32_t number;
  CudaOrdinal ordinal = 0;
  CudaContextHandle *context = nullptr;
  std::string product;
  uint64_t memoryBytes = 0;

private:
  std::mutex mutex;
  Error lostBy;
  /// Of the memory that was given: in which space it lies.
  std::map<void *, heddle_driver_space> given;
  /// The process's memory by the device's address of it.
  std::map<void *, void *> imported;
};

/// Makes a device's context the calling thread's, and restores the thread's own
/// afterwards.
class CudaCurrent {
public:
  explicit CudaCurrent(CudaDevice &device) : device(device) {
    failure = device.check("cuCtxPushCurrent",
                           device.api.contextPush(device.context));
  }
  ~CudaCurrent() {
    CudaContextHandle *popped = nullptr;
    if (!failure)
      device.api.contextPop(&popped);
  }
  CudaCurrent(const CudaCurrent &) = delete;
  CudaCurrent &operator=(const CudaCurrent &) = delete;

  const Error &error() const { return failure; }

private:
  CudaDevice &device;
  Error failure;
};

struct CudaImage {
  CudaDevice *device;
  CudaModuleHandle *module = nullptr;
  std::mutex mutex;
  struct Kernel {
    CudaFunctionHandle *function;
    uint32_t block[3];
    uint32_t sharedBytes;
    std::vector<heddle_driver_tensor_map> maps;
  };
  /// Addresses stay. Two may be of one function: each has its own launch data.
  std::deque<Kernel> kernels;
};

struct CudaQueue {
  CudaDevice *device;
  CudaStreamHandle *stream = nullptr;
  /// The first since somebody waited for the queue: all behind it is left out.
  Error error = {};
};

struct CudaEvent {
  CudaDevice *device;
  CudaEventHandle *event = nullptr;
  /// Of the latest submission that was to signal it.
  Error error = {};
};

/// A tensor map as devices read it: CUtensorMap.
struct alignas(64) CudaTensorMap {
  uint64_t words[16];
};

/// Makes the map that `wanted` describes of the buffer at `address`.
/// CudaTensorMaps.cpp.
Error encodeTensorMap(CudaDevice &device,
                      const heddle_driver_tensor_map &wanted,
                      CudaAddress address, CudaTensorMap &map);

/// Hands the commands of `submission` to the queue's stream.
/// CudaCommands.cpp.
Error submitCommands(CudaQueue &queue,
                     const heddle_driver_submission &submission);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADEVICE_H
