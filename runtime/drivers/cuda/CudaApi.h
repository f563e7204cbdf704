// The part of CUDA's driver interface that is used here, by own prototypes, so
// that nothing of CUDA is needed to build; the library is opened when devices
// are asked for.
//
// Names, numbers and meanings are those of the CUDA Driver API 12; functions
// are called by the names that the library exports, with the suffix of their
// version.

#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H

#include "runtime/format/Error.h"

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

using format::Error;

/// CUresult, CUdevice, CUdeviceptr, and handles that only the library looks
/// into.
using CudaResult = int;
using CudaOrdinal = int;
using CudaAddress = uint64_t;
struct CudaContextHandle;
struct CudaModuleHandle;
struct CudaFunctionHandle;
struct CudaStreamHandle;
struct CudaEventHandle;

enum : CudaResult {
  cudaSuccess = 0,
  cudaErrorOutOfMemory = 2,
  cudaErrorNoDevice = 100,
  cudaErrorNotReady = 600,
};

/// CUdevice_attribute.
enum : int {
  cudaCapabilityMajor = 75,
  cudaCapabilityMinor = 76,
};

/// CUjit_option.
enum : int {
  cudaJitErrorLogBuffer = 5,
  cudaJitErrorLogBufferBytes = 6,
};

/// CUfunction_attribute.
enum : int { cudaMaxDynamicSharedBytes = 8 };

/// CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
enum : int {
  cudaMapUInt8 = 0,
  cudaMapFloat16 = 6,
  cudaMapFloat32 = 7,
  cudaMapBFloat16 = 9,
  cudaMapSwizzleNone = 0,
  cudaMapSwizzle32 = 1,
  cudaMapSwizzle64 = 2,
  cudaMapSwizzle128 = 3,
  cudaMapPromote128 = 2,
};

constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDisableTiming = 2;
constexpr unsigned cudaMemHostRegisterDeviceMap = 2;

/// The functions, found by name.
struct CudaApi {
  CudaResult (*init)(unsigned flags);
  CudaResult (*getErrorName)(CudaResult error, const char **name);
  CudaResult (*getErrorString)(CudaResult error, const char **text);
  CudaResult (*deviceGetCount)(int *count);
  CudaResult (*deviceGet)(CudaOrdinal *device, int ordinal);
  CudaResult (*deviceGetName)(char *name, int bytes, CudaOrdinal device);
  CudaResult (*deviceGetAttribute)(int *value, int attribute,
                                   CudaOrdinal device);
  CudaResult (*deviceTotalMem)(size_t *bytes, CudaOrdinal device);
  CudaResult (*primaryContextRetain)(CudaContextHandle **context,
                                     CudaOrdinal device);
  CudaResult (*primaryContextRelease)(CudaOrdinal device);
  CudaResult (*contextPush)(CudaContextHandle *context);
  CudaResult (*contextPop)(CudaContextHandle **context);
  CudaResult (*contextSynchronize)();
  CudaResult (*memAlloc)(CudaAddress *address, size_t bytes);
  CudaResult (*memFree)(CudaAddress address);
  CudaResult (*memHostAlloc)(void **address, size_t bytes, unsigned flags);
  CudaResult (*memFreeHost)(void *address);
  CudaResult (*memHostRegister)(void *memory, size_t bytes, unsigned flags);
  CudaResult (*memHostUnregister)(void *memory);
  CudaResult (*memHostGetDevicePointer)(CudaAddress *address, void *memory,
                                        unsigned flags);
  CudaResult (*moduleLoadData)(CudaModuleHandle **module, const void *image,
                               unsigned count, int *options, void **values);
  CudaResult (*moduleUnload)(CudaModuleHandle *module);
  CudaResult (*moduleGetFunction)(CudaFunctionHandle **function,
                                  CudaModuleHandle *module, const char *name);
  CudaResult (*functionSetAttribute)(CudaFunctionHandle *function,
                                     int attribute, int value);
  /// Null where the library is older than tensor maps (CUDA 12.0).
  CudaResult (*tensorMapEncodeTiled)(
      void *map, int dtype, unsigned rank, CudaAddress address,
      const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
      const uint32_t *elementStrides, int interleave, int swizzle,
      int promotion, int fill);
  CudaResult (*streamCreate)(CudaStreamHandle **stream, unsigned flags);
  CudaResult (*streamDestroy)(CudaStreamHandle *stream);
  CudaResult (*streamQuery)(CudaStreamHandle *stream);
  CudaResult (*streamSynchronize)(CudaStreamHandle *stream);
  CudaResult (*streamWaitEvent)(CudaStreamHandle *stream,
                                CudaEventHandle *event, unsigned flags);
  CudaResult (*eventCreate)(CudaEventHandle **event, unsigned flags);
  CudaResult (*eventDestroy)(CudaEventHandle *event);
  CudaResult (*eventRecord)(CudaEventHandle *event, CudaStreamHandle *stream);
  CudaResult (*eventQuery)(CudaEventHandle *event);
  CudaResult (*eventSynchronize)(CudaEventHandle *event);
  CudaResult (*copyToDevice)(CudaAddress target, const void *source,
                             size_t bytes, CudaStreamHandle *stream);
  CudaResult (*copyFromDevice)(void *target, CudaAddress source, size_t bytes,
                               CudaStreamHandle *stream);
  CudaResult (*copyOnDevice)(CudaAddress target, CudaAddress source,
                             size_t bytes, CudaStreamHandle *stream);
  CudaResult (*copyBetweenDevices)(CudaAddress target, CudaContextHandle *to,
                                   CudaAddress source, CudaContextHandle *from,
                                   size_t bytes, CudaStreamHandle *stream);
  CudaResult (*fill8)(CudaAddress target, unsigned char value, size_t count,
                      CudaStreamHandle *stream);
  CudaResult (*fill16)(CudaAddress target, unsigned short value, size_t count,
                       CudaStreamHandle *stream);
  CudaResult (*fill32)(CudaAddress target, unsigned value, size_t count,
                       CudaStreamHandle *stream);
  CudaResult (*fillRows32)(CudaAddress target, size_t pitch, unsigned value,
                           size_t width, size_t height,
                           CudaStreamHandle *stream);
  CudaResult (*launchKernel)(CudaFunctionHandle *function, unsigned gridX,
                             unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ,
                             unsigned sharedBytes, CudaStreamHandle *stream,
                             void **parameters, void **extra);

  /// The interface, opened and initialized at the first call that succeeds; an
  /// error says what is missing. The environment variable HEDDLE_CUDA_LIBRARY
  /// names another library than the system's, for tests.
  static Error open(const CudaApi *&api);

  /// "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(const char *function, CudaResult error) const;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
