// Maps an image of kernels as memory that is executable and never writable.

#include "runtime/drivers/cpu/CodeImage.h"

#include "runtime/Memory.h"
#include "runtime/format/ElfImage.h"
#include "runtime/format/Layout.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;
using format::alignUp;
using format::ElfImage;

namespace {
/// Where the image's bytes are: in memory, and maybe in a file that can be
/// mapped executable.
struct Source {
  const char *data;
  int file;            ///< -1: none.
  uint64_t fileOffset; ///< Of `data` in the file.
  std::string where;   ///< For messages.
};

/// A descriptor that is closed at the end.
struct OwnedFile {
  int descriptor = -1;
  ~OwnedFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
};
} // namespace

CodeImage::~CodeImage() {
  if (base)
    munmap(base, alignUp(imageBytes, systemPageBytes()));
}

static Error notExecutable(const std::string &where) {
  if (errno == ENOMEM)
    return {HEDDLE_OUT_OF_MEMORY, "no memory for kernels"};
  std::string reason = std::strerror(errno);
  return {HEDDLE_CODE_NOT_EXECUTABLE,
          "the system does not let code be mapped from " + where + ": " +
              reason +
              " (mounted noexec, or forbidden by policy; move the artifact to "
              "a place that allows code)"};
}

/// A file without a name that holds `bytes`; -1 where there are none.
static int copyToMemoryFile(const char *data, uint64_t bytes) {
  int file = memfd_create("heddle-kernels", MFD_CLOEXEC);
  for (uint64_t done = 0; file >= 0 && done < bytes;) {
    ssize_t count = write(file, data + done, bytes - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      close(file);
      return -1;
    }
    done += static_cast<uint64_t>(count);
  }
  return file;
}

/// Maps an executable or read-only segment.
static Error mapConstant(char *target, const ElfImage::Segment &segment,
                         const Source &source) {
  size_t page = systemPageBytes();
  uint64_t lead = segment.address % page;
  uint64_t offset = source.fileOffset + segment.fileOffset;
  int protection = PROT_READ | (segment.executable ? PROT_EXEC : 0);
  if (source.file >= 0 && offset % page == lead) {
    void *mapped = mmap(target - lead, segment.fileBytes + lead, protection,
                        MAP_PRIVATE | MAP_FIXED, source.file,
                        static_cast<off_t>(offset - lead));
    return mapped != MAP_FAILED ? Error() : notExecutable(source.where);
  }
  // Pages larger than the image was laid out for, or no file: copy, then
  // change from writable to executable.
  size_t bytes = segment.fileBytes + lead;
  if (mprotect(target - lead, bytes, PROT_READ | PROT_WRITE) != 0)
    return {HEDDLE_OUT_OF_MEMORY, "no memory for kernels"};
  std::memcpy(target, source.data + segment.fileOffset, segment.fileBytes);
  if (mprotect(target - lead, bytes, protection) != 0)
    return notExecutable("memory");
  __builtin___clear_cache(target, target + segment.fileBytes);
  return {};
}

/// Maps a segment that relocations change; it is read-only afterwards.
static Error mapRelocated(char *base, const ElfImage::Segment &segment,
                          const ElfImage &image, const Source &source) {
  size_t page = systemPageBytes();
  char *target = base + segment.address;
  uint64_t lead = segment.address % page;
  size_t bytes = segment.memoryBytes + lead;
  if (mprotect(target - lead, bytes, PROT_READ | PROT_WRITE) != 0)
    return {HEDDLE_OUT_OF_MEMORY, "no memory for kernels"};
  std::memcpy(target, source.data + segment.fileOffset, segment.fileBytes);
  for (const ElfImage::Relocation &relocation : image.relocations)
    if (relocation.address >= segment.address &&
        relocation.address - segment.address < segment.memoryBytes) {
      uint64_t value = reinterpret_cast<uintptr_t>(base) + relocation.addend;
      std::memcpy(base + relocation.address, &value, sizeof(value));
    }
  if (mprotect(target - lead, bytes, PROT_READ) != 0)
    return {HEDDLE_OUT_OF_MEMORY, "the kernels' tables cannot be protected: " +
                                      std::string(std::strerror(errno))};
  return {};
}

/// Whether two segments share a page of this system, larger than 4 KiB.
static bool sharePages(const ElfImage &image) {
  size_t page = systemPageBytes();
  uint64_t end = 0;
  for (const ElfImage::Segment &segment : image.segments) {
    if (segment.address / page * page < end)
      return true;
    end = alignUp(segment.address + segment.memoryBytes, page);
  }
  return false;
}

Error CodeImage::load(const heddle_driver_code &code) {
  const auto *data = static_cast<const char *>(code.data);
  ElfImage image;
  if (Error error = ElfImage::parse(data, code.bytes, image))
    return error;
  if (sharePages(image))
    return {HEDDLE_CODE_INVALID,
            "kernel code is laid out for smaller pages than this system's"};
  for (const ElfImage::Segment &segment : image.segments)
    if (!segment.writable && segment.memoryBytes != segment.fileBytes)
      return {HEDDLE_CODE_INVALID,
              "kernel code has a constant segment without contents"};

  Source source = {data, code.file, code.file_offset, "the artifact's file"};
  OwnedFile memory;
  if (source.file < 0) {
    memory.descriptor = copyToMemoryFile(data, code.bytes);
    source.file = memory.descriptor;
    source.fileOffset = 0;
    source.where = "memory";
  }

  size_t total = alignUp(image.imageBytes, systemPageBytes());
  void *reserved =
      mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED)
    return {HEDDLE_OUT_OF_MEMORY, "no memory for kernels"};
  base = static_cast<char *>(reserved);
  imageBytes = image.imageBytes;
  for (const ElfImage::Segment &segment : image.segments) {
    Error error = segment.writable
                      ? mapRelocated(base, segment, image, source)
                      : mapConstant(base + segment.address, segment, source);
    if (error)
      return error;
  }
  return {};
}
