// Regions of memory of the process, and the touching of pages ahead of use.

#include "runtime/Memory.h"

#include "runtime/SystemMemory.h"
#include "runtime/format/Layout.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

// Since Linux 5.14; older headers do not name them, older kernels refuse them.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static constexpr size_t hugePageBytes = size_t(2) << 20;

size_t runtime::systemPageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Region::~Region() {
  if (mapping)
    munmap(mapping, mappedBytes);
}

Error Region::allocate(size_t wanted, bool touch, const char *what) {
  if (!wanted)
    return {};
  // Whoever allocates it touches it, sooner or later.
  if (Error error = checkMemory(wanted, what))
    return error;
  bool huge = wanted >= hugePageBytes;
  size_t total = wanted + (huge ? hugePageBytes : 0);
  void *base = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return noMemory(what, wanted, std::strerror(errno));
  mapping = base;
  mappedBytes = total;
  bytes = wanted;
  start = static_cast<char *>(base);
  if (huge) {
    uintptr_t address = reinterpret_cast<uintptr_t>(base);
    start += format::alignUp(address, hugePageBytes) - address;
    // A wish: where huge pages are turned off, small ones do.
    madvise(start, wanted, MADV_HUGEPAGE);
  }
  return touch ? prefault(start, wanted, /*forWriting=*/true, what) : Error();
}

Error runtime::prefault(const void *data, size_t bytes, bool forWriting,
                        const char *what) {
  if (!bytes)
    return {};
  size_t page = systemPageBytes();
  uintptr_t begin = reinterpret_cast<uintptr_t>(data) & ~(page - 1);
  uintptr_t end;
  // Such a range, too, is invalid to the system, as the advice is to an old
  // one.
  if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(data), bytes, &end) ||
      bytes > static_cast<size_t>(format::maximumBytes))
    return noMemory(what, bytes, "it ends beyond all memory");
  while (madvise(reinterpret_cast<void *>(begin), end - begin,
                 forWriting ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) != 0) {
    int problem = errno;
    if (problem == EINTR || problem == EAGAIN)
      continue;
    // Before Linux 5.14: the pages come at their first use.
    if (problem == EINVAL)
      return {};
    // A page beyond the end of a file that was cut short, or a damaged disk.
    bool file = !forWriting && (problem == EFAULT || problem == EIO);
    return {file ? HEDDLE_FILE_UNREADABLE : HEDDLE_OUT_OF_MEMORY,
            (file ? "cannot read " : "no memory for ") + std::string(what) +
                " (" + std::to_string(bytes) +
                " bytes): " + std::strerror(problem)};
  }
  return {};
}

void runtime::prefaultCached(const void *data, size_t bytes) {
  size_t page = systemPageBytes();
  uintptr_t begin = reinterpret_cast<uintptr_t>(data) & ~(page - 1);
  uintptr_t end = reinterpret_cast<uintptr_t>(data) + bytes;
  // A byte for each page; 16 MiB of a file at a time with pages of 4 KiB.
  unsigned char cached[4096];
  while (begin < end) {
    size_t span = std::min<size_t>(end - begin, sizeof(cached) * page);
    size_t pages = (span + page - 1) / page;
    if (mincore(reinterpret_cast<void *>(begin), span, cached) != 0)
      return;
    for (size_t first = 0; first < pages;) {
      size_t last = first;
      while (last < pages && (cached[last] & 1))
        ++last;
      // What is not mapped now is mapped at its first use.
      if (last != first)
        madvise(reinterpret_cast<void *>(begin + first * page),
                (last - first) * page, MADV_POPULATE_READ);
      first = last + 1;
    }
    begin += span;
  }
}
