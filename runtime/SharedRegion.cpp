// Maps shared memory, and waits at its words by the system's futex.

#include "runtime/SharedRegion.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "the system looks at the word");

SharedRegion::~SharedRegion() {
  if (start)
    munmap(start, bytes);
}

Error SharedRegion::allocate(size_t size, const char *what) {
  void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return {HEDDLE_OUT_OF_MEMORY, "no memory for " + std::string(what) + " (" +
                                      std::to_string(size) +
                                      " bytes): " + std::strerror(errno)};
  start = static_cast<char *>(mapped);
  bytes = size;
  return {};
}

bool runtime::waitShared(std::atomic<uint32_t> &word, uint32_t seen,
                         uint64_t nanoseconds) {
  timespec span;
  span.tv_sec = static_cast<time_t>(nanoseconds / 1000000000);
  span.tv_nsec = static_cast<long>(nanoseconds % 1000000000);
  return syscall(SYS_futex, &word, FUTEX_WAIT, seen, &span, nullptr, 0) == 0 ||
         errno != ETIMEDOUT;
}

void runtime::wakeShared(std::atomic<uint32_t> &word) {
  word.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
