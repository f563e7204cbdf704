// Opens a device for a program, and loads its code there.

#include "runtime/ProgramDevice.h"

#include "runtime/drivers/Status.h"
#include "runtime/format/ManifestTables.h"

using namespace heddle;
using namespace heddle::runtime;
using format::length;

/// The tensor maps of a launch, which the artifact's verifier has checked.
static std::vector<heddle_driver_tensor_map>
readMaps(const format::GpuLaunch &launch) {
  std::vector<heddle_driver_tensor_map> maps(length(launch.descriptors()));
  for (uint32_t i = 0; i < maps.size(); ++i) {
    const format::Descriptor &from = *launch.descriptors()->Get(i);
    heddle_driver_tensor_map &map = maps[i];
    map = {};
    map.buffer = from.binding();
    map.dtype = static_cast<uint32_t>(from.dtype());
    map.rank = length(from.extents());
    map.swizzle_bytes = from.swizzle();
    map.offset = from.offset();
    for (uint32_t dim = 0; dim < map.rank; ++dim) {
      map.extents[dim] = from.extents()->Get(dim);
      map.box[dim] = from.box()->Get(dim);
      if (dim)
        map.strides[dim - 1] = from.strides()->Get(dim - 1);
    }
  }
  return maps;
}

ProgramDevice::~ProgramDevice() {
  if (loaded)
    opened->driver().image_unload(loaded);
}

Error ProgramDevice::open(const heddle_driver &driver, uint32_t number) {
  return Device::open(driver, number, opened);
}

Error ProgramDevice::loadCode(const heddle_driver_code &code,
                              const format::Variant &variant, uint32_t image) {
  const heddle_driver &driver = opened->driver();
  heddle_status why;
  if (int32_t failed =
          driver.image_load(opened->handle(), &code, &loaded, &why))
    return told(failed, why);
  found.resize(length(variant.kernels()));
  for (uint32_t i = 0; i < found.size(); ++i) {
    const format::Kernel &kernel = *variant.kernels()->Get(i);
    if (kernel.custom_call() || kernel.image() != image)
      continue;
    heddle_driver_kernel_info info = {};
    std::vector<heddle_driver_tensor_map> maps;
    info.name = kernel.name() ? kernel.name()->c_str() : "";
    if (const format::CpuLaunch *launch = kernel.launch_as_CpuLaunch()) {
      info.offset = launch->offset();
      info.scratch = launch->scratch();
    }
    if (const format::GpuLaunch *launch = kernel.launch_as_GpuLaunch()) {
      for (uint32_t dim = 0; dim < length(launch->block()); ++dim)
        info.block[dim] = launch->block()->Get(dim);
      info.shared_bytes = launch->shared_bytes();
      maps = readMaps(*launch);
      info.maps = maps.data();
      info.map_count = static_cast<uint32_t>(maps.size());
    }
    if (int32_t failed = driver.image_kernel(loaded, &info, &found[i], &why))
      return told(failed, why);
  }
  return {};
}
