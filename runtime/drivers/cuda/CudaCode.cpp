// Loads PTX, which CUDA's driver compiles for its device, and finds kernels in
// it by name.

#include "runtime/drivers/cuda/CudaCode.h"

#include "runtime/drivers/Status.h"
#include "runtime/drivers/cuda/CudaDevice.h"

#include <cstdlib>

using namespace heddle;
using namespace heddle::runtime;

static CudaImage &cast(heddle_driver_image *image) {
  return *reinterpret_cast<CudaImage *>(image);
}

/// Whether PTX for `architecture` ("sm_80", "sm_90a", "sm_100f") runs on
/// devices of this compute capability. PTX ISA, directive .target: code without
/// a letter runs on all newer ones, that of a family (f) on newer ones with the
/// same first number, that of one architecture (a) on that alone.
static bool runsOn(const std::string &architecture, int major, int minor) {
  if (architecture.compare(0, 3, "sm_") != 0)
    return false;
  char *end = nullptr;
  long wanted = std::strtol(architecture.c_str() + 3, &end, 10);
  long own = major * 10 + minor;
  std::string letter = end;
  if (letter == "a")
    return own == wanted;
  if (letter == "f")
    return own >= wanted && own / 10 == wanted / 10;
  return letter.empty() && own >= wanted;
}

int32_t runtime::runsCudaCode(uint32_t number, const char *architecture,
                              heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    const CudaApi *api = nullptr;
    if (Error error = CudaApi::open(api))
      return tell(error, why);
    CudaOrdinal device = 0;
    int major = 0, minor = 0;
    CudaResult result = api->deviceGet(&device, static_cast<int>(number));
    if (!result)
      result = api->deviceGetAttribute(&major, cudaCapabilityMajor, device);
    if (!result)
      result = api->deviceGetAttribute(&minor, cudaCapabilityMinor, device);
    std::string name = "cuda:" + std::to_string(number);
    if (result)
      return tell({HEDDLE_DEVICE_FAILED,
                   name + ": " + api->describe("cuDeviceGetAttribute", result)},
                  why);
    if (runsOn(architecture, major, minor))
      return HEDDLE_OK;
    return tell({HEDDLE_TARGET_MISMATCH,
                 "'" + name + "' is sm_" + std::to_string(10 * major + minor) +
                     " and does not run code for " + architecture},
                why);
  });
}

int32_t runtime::loadCudaImage(heddle_driver_device *device,
                               const heddle_driver_code *code,
                               heddle_driver_image **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    auto image = std::make_unique<CudaImage>();
    image->device = reinterpret_cast<CudaDevice *>(device);
    const CudaApi &api = image->device->api;
    // Text is read up to its zero.
    if (!code->bytes ||
        static_cast<const char *>(code->data)[code->bytes - 1] != '\0')
      return tell({HEDDLE_CODE_INVALID, "the PTX does not end in a zero"}, why);
    CudaCurrent current(*image->device);
    if (current.error())
      return tell(current.error(), why);
    char log[256] = {};
    int options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
    CudaResult result =
        api.moduleLoadData(&image->module, code->data, 2, options, values);
    if (Error error = image->device->check("cuModuleLoadDataEx", result))
      return tell({HEDDLE_CODE_INVALID,
                   error.message() + (*log ? ": " + std::string(log) : "")},
                  why);
    *out = reinterpret_cast<heddle_driver_image *>(image.release());
    return HEDDLE_OK;
  });
}

void runtime::unloadCudaImage(heddle_driver_image *given) {
  CudaImage &image = cast(given);
  {
    CudaCurrent current(*image.device);
    if (!current.error())
      (void)image.device->check("cuModuleUnload",
                                image.device->api.moduleUnload(image.module));
  }
  delete &image;
}

int32_t runtime::findCudaKernel(heddle_driver_image *given,
                                const heddle_driver_kernel_info *info,
                                const heddle_driver_kernel **out,
                                heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaImage &image = cast(given);
    CudaImage::Kernel kernel = {};
    for (int i = 0; i < 3; ++i)
      kernel.block[i] = std::max(info->block[i], 1u);
    kernel.sharedBytes = info->shared_bytes;
    kernel.maps.assign(info->maps, info->maps + info->map_count);
    CudaCurrent current(*image.device);
    if (current.error())
      return tell(current.error(), why);
    if (Error error = image.device->check(
            "cuModuleGetFunction",
            image.device->api.moduleGetFunction(&kernel.function, image.module,
                                                info->name)))
      return tell({HEDDLE_CODE_INVALID, "kernel '" + std::string(info->name) +
                                            "': " + error.message()},
                  why);
    // A launch gives more than 48 KiB only to who has asked before.
    if (kernel.sharedBytes)
      if (Error error = image.device->check(
              "cuFuncSetAttribute",
              image.device->api.functionSetAttribute(
                  kernel.function, cudaMaxDynamicSharedBytes,
                  static_cast<int>(kernel.sharedBytes))))
        return tell({HEDDLE_CODE_INVALID,
                     "kernel '" + std::string(info->name) + "' wants " +
                         std::to_string(kernel.sharedBytes) +
                         " bytes of shared memory: " + error.message()},
                    why);
    std::lock_guard<std::mutex> lock(image.mutex);
    image.kernels.push_back(std::move(kernel));
    *out =
        reinterpret_cast<const heddle_driver_kernel *>(&image.kernels.back());
    return HEDDLE_OK;
  });
}
