// Code for this processor, as drivers see it.

#include "runtime/drivers/cpu/CpuImage.h"

#include "runtime/drivers/Status.h"

#include <memory>
#include <string>

using namespace heddle;
using namespace heddle::runtime;

static CpuImage &cast(heddle_driver_image *image) {
  return *reinterpret_cast<CpuImage *>(image);
}

int32_t runtime::loadCpuImage(heddle_driver_device *,
                              const heddle_driver_code *code,
                              heddle_driver_image **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    auto image = std::make_unique<CpuImage>();
    if (Error error = image->code.load(*code))
      return tell(error, why);
    image->flushesSubnormals = code->flush_subnormals;
    *out = reinterpret_cast<heddle_driver_image *>(image.release());
    return HEDDLE_OK;
  });
}

void runtime::unloadCpuImage(heddle_driver_image *image) {
  delete &cast(image);
}

int32_t runtime::findCpuKernel(heddle_driver_image *given,
                               const heddle_driver_kernel_info *info,
                               const heddle_driver_kernel **out,
                               heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CpuImage &image = cast(given);
    if (info->offset >= image.code.size())
      return tell({HEDDLE_CODE_INVALID, "kernel '" + std::string(info->name) +
                                            "' lies outside its image"},
                  why);
    std::lock_guard<std::mutex> lock(image.mutex);
    image.kernels.push_back({image.code.kernel(info->offset), info->scratch,
                             image.flushesSubnormals});
    *out =
        reinterpret_cast<const heddle_driver_kernel *>(&image.kernels.back());
    return HEDDLE_OK;
  });
}
