// Maps shared memory, and waits at its words by the system's futex.

#include "runtime/SharedRegion.h"

#include "runtime/SystemMemory.h"
#include "runtime/drivers/cpu/Clock.h"

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
  if (Error error = checkMemory(size, what))
    return error;
  void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return noMemory(what, size, std::strerror(errno));
  start = static_cast<char *>(mapped);
  bytes = size;
  return {};
}

void SharedSignal::wait(uint32_t seen, uint64_t spinNs, uint64_t deadlineNs) {
  for (uint64_t begin = spinNs ? monotonicNs() : 0;
       spinNs && monotonicNs() - begin < spinNs;)
    if (value() != seen)
      return;
  timespec until;
  until.tv_sec = static_cast<time_t>(deadlineNs / 1000000000);
  until.tv_nsec = static_cast<long>(deadlineNs % 1000000000);
  // Who wakes changes the word before he looks whether somebody sleeps.
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, seen,
          deadlineNs ? &until : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void SharedSignal::wake() {
  word.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst))
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
