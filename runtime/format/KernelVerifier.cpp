// Checks the kernels of a variant against the code images that they lie in.

#include "runtime/format/KernelVerifier.h"

#include "runtime/format/CustomCalls.h"
#include "runtime/format/ElfImage.h"
#include "runtime/format/ManifestTables.h"

#include <map>

namespace heddle::format {

/// Limits: CUDA Driver API, cuTensorMapEncodeTiled.
static Error verifyDescriptor(const Descriptor &map, const Kernel &kernel,
                              const std::string &name) {
  if (map.binding() >= kernel.bindings())
    return {HEDDLE_CODE_INVALID, name + " names unknown buffers"};
  uint32_t rank = length(map.extents());
  bool isSound = isAligned(map.extents()) && isAligned(map.strides()) &&
                 rank >= 1 && rank <= 5 && length(map.box()) == rank &&
                 length(map.strides()) == rank - 1 && map.offset() % 16 == 0 &&
                 (map.swizzle() == 0 || map.swizzle() == 32 ||
                  map.swizzle() == 64 || map.swizzle() == 128);
  for (uint32_t i = 0; isSound && i < rank; ++i)
    isSound = map.extents()->Get(i) >= 1 &&
              map.extents()->Get(i) <= uint64_t(1) << 32 &&
              map.box()->Get(i) >= 1 && map.box()->Get(i) <= 256;
  for (uint32_t i = 0; isSound && i + 1 < rank; ++i)
    isSound = map.strides()->Get(i) % 16 == 0 &&
              map.strides()->Get(i) < uint64_t(1) << 40;
  if (!isSound)
    return {HEDDLE_CODE_INVALID, name + " has no proper tensor map"};
  return {};
}

/// Limits: CUDA C++ Programming Guide, technical specifications by compute
/// capability, the same for all: threads of a block, and its extents.
static bool isBlock(const flatbuffers::Vector<uint32_t> *block) {
  constexpr uint32_t mostThreads = 1024, mostIn[] = {1024, 1024, 64};
  if (length(block) > 3)
    return false;
  uint32_t threads = 1;
  for (uint32_t i = 0; i < length(block); ++i) {
    uint32_t extent = block->Get(i);
    if (extent < 1 || extent > mostIn[i])
      return false;
    threads *= extent;
  }
  return threads <= mostThreads;
}

/// Of an image of ELF code: the kernel is a function in it.
static Error verifyLaunchData(const Kernel &kernel, const std::string &name,
                              const ElfImage *image) {
  if (!image) {
    const GpuLaunch *launch = kernel.launch_as_GpuLaunch();
    if (!launch)
      return {HEDDLE_CODE_INVALID, name + " has no proper launch data"};
    if (!isBlock(launch->block()))
      return {HEDDLE_CODE_INVALID, name + " has no proper block of threads"};
    if (launch->shared_bytes() > INT32_MAX)
      return {HEDDLE_CODE_INVALID, name + " asks for too much shared memory"};
    for (uint32_t i = 0; i < length(launch->descriptors()); ++i)
      if (Error error =
              verifyDescriptor(*launch->descriptors()->Get(i), kernel, name))
        return error;
    return {};
  }
  const CpuLaunch *launch = kernel.launch_as_CpuLaunch();
  if (!launch || !launch->size() ||
      !image->holdsCode(launch->offset(), launch->size()))
    return {HEDDLE_CODE_INVALID, name + " lies outside the code"};
  if (launch->scratch() > static_cast<uint64_t>(maximumBytes))
    return {HEDDLE_CODE_INVALID, name + " asks for too much scratch"};
  return {};
}

Error verifyKernels(const Manifest &manifest, const Variant &variant,
                    Bytes file) {
  std::map<uint32_t, ElfImage> parsed; // by section
  for (uint32_t i = 0; i < length(variant.images()); ++i) {
    const Image &image = *variant.images()->Get(i);
    if (image.format() != CodeFormat::elf)
      continue;
    const Section &code = *manifest.sections()->Get(image.section());
    ElfImage &elf = parsed[image.section()];
    if (Error error =
            ElfImage::parse(file.data + code.offset(), code.size(), elf))
      return error;
    if (text(image.architecture()) != (elf.aarch64 ? "aarch64" : "x86-64"))
      return {HEDDLE_CODE_INVALID, "kernel code is for another architecture"};
  }
  for (uint32_t i = 0; i < length(variant.kernels()); ++i) {
    const Kernel &kernel = *variant.kernels()->Get(i);
    std::string name = "kernel '" + text(kernel.name()) + "'";
    if (kernel.custom_call()) {
      if (!needs(variant.required_features(), customCallsFeature))
        return {HEDDLE_MANIFEST_INVALID,
                "has custom calls without saying that it needs them"};
      if (Error error = verifyCustomCall(kernel, manifest))
        return error;
    } else if (kernel.image() >= length(variant.images())) {
      return {HEDDLE_CODE_INVALID, name + " is in an unknown image"};
    } else {
      const Image &image = *variant.images()->Get(kernel.image());
      auto elf = parsed.find(image.section());
      bool isElf = image.format() == CodeFormat::elf;
      if (Error error =
              verifyLaunchData(kernel, name, isElf ? &elf->second : nullptr))
        return error;
    }
    for (uint32_t j = 0; j < length(kernel.in_place()); ++j) {
      const InPlace &pair = *kernel.in_place()->Get(j);
      if (pair.output() >= kernel.bindings() ||
          pair.input() >= kernel.bindings())
        return {HEDDLE_CODE_INVALID, name + " names unknown buffers"};
    }
  }
  return {};
}

} // namespace heddle::format
