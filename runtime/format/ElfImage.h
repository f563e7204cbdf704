// Checks a kernel image.

#ifndef HEDDLE_RUNTIME_FORMAT_ELFIMAGE_H
#define HEDDLE_RUNTIME_FORMAT_ELFIMAGE_H

#include "runtime/format/Error.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::format {

/// What of an ELF file the loader maps. `parse` accepts exactly what kernel
/// code needs: 64-bit little-endian ET_DYN for x86-64 or AArch64, loaded
/// segments that are not both writable and executable, relative relocations
/// that hit writable (or relro) segments, no undefined symbols, no interpreter,
/// no thread-local storage, no initialisers.
struct ElfImage {
  struct Segment {
    uint64_t address;     ///< In the image.
    uint64_t memoryBytes; ///< At least fileBytes; the rest is zero.
    uint64_t fileOffset;
    uint64_t fileBytes;
    bool writable;
    bool executable;
  };
  /// At `address`, write image base + `addend`.
  struct Relocation {
    uint64_t address;
    uint64_t addend;
  };

  std::vector<Segment> segments; ///< By rising address, on separate pages.
  std::vector<Relocation> relocations;
  uint64_t imageBytes = 0; ///< From address 0 to the end of the last segment.
  bool aarch64 = false;

  static Error parse(const void *data, size_t bytes, ElfImage &image);

  /// Whether [address, address + bytes) lies in an executable segment.
  bool holdsCode(uint64_t address, uint64_t bytes) const;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_ELFIMAGE_H
