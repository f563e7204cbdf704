// Kernels in memory.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_CODEIMAGE_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_CODEIMAGE_H

#include "runtime/drivers/driver.h"
#include "runtime/format/Error.h"
#include "runtime/format/kernel_abi.h"

namespace heddle::runtime {

using format::Error;

/// The loaded code of one variant. Its pages are never writable and executable
/// at once, and never become executable after having been writable where that
/// can be avoided: code is mapped straight from the artifact's file, or from an
/// anonymous file when it came from memory, so that systems that forbid the
/// change (MemoryDenyWriteExecute) load it too.
class CodeImage {
public:
  CodeImage() = default;
  ~CodeImage();
  CodeImage(const CodeImage &) = delete;
  CodeImage &operator=(const CodeImage &) = delete;

  /// Maps an image whose shape has been checked (ElfImage.h).
  Error load(const heddle_driver_code &code);

  heddle_kernel kernel(uint64_t offset) const {
    return reinterpret_cast<heddle_kernel>(base + offset);
  }
  const char *data() const { return base; }
  uint64_t size() const { return imageBytes; }

private:
  char *base = nullptr;
  uint64_t imageBytes = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_CODEIMAGE_H
