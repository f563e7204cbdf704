// Scratch memory that launches ask for.

#include "runtime/format/Scratch.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::format;

static uint64_t scratchOf(uint32_t index, const Variant &variant) {
  const Kernel &kernel = *variant.kernels()->Get(index);
  const CpuLaunch *launch = kernel.launch_as_CpuLaunch();
  bool isHosts =
      launch &&
      variant.images()->Get(kernel.image())->device() == DeviceKind::cpu;
  return isHosts ? launch->scratch() : 0;
}

uint64_t format::mostScratch(const Launch &launch, const Variant &variant) {
  uint64_t most = scratchOf(launch.kernel(), variant);
  for (uint32_t i = 0; i < length(launch.alternatives()); ++i)
    most = std::max(most, scratchOf(launch.alternatives()->Get(i), variant));
  return most;
}
