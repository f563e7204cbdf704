// Threads that sleep, wake and share chunks of work; and what a fork leaves of
// them.

#include "runtime/drivers/cpu/Pool.h"

#include "runtime/Memory.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <linux/futex.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

static_assert(std::atomic<uint32_t>::is_always_lock_free &&
              sizeof(std::atomic<uint32_t>) == 4);

static uint32_t chunksOf(uint64_t claim) {
  return static_cast<uint32_t>(claim);
}

/// A hint that this thread spins.
static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

Pool::Pool(const Options &options)
    : threadCount(options.threads ? options.threads : defaultThreads()),
      spinNs(uint64_t(options.spinUs) * 1000), runWorkers(options.run),
      user(options.user) {}

Pool::~Pool() {
  // In a child process that has not restarted the pool there is nobody to join.
  if (owner && owner->load() == thisProcess()) {
    stopping.store(true);
    wake(INT_MAX);
    for (Thread &thread : workers)
      pthread_join(thread.handle, nullptr);
  }
  if (owner)
    munmap(owner, systemPageBytes());
}

/// What `owner` holds in this process.
int32_t Pool::thisProcess() const {
  return wipedOnFork ? 1 : static_cast<int32_t>(getpid());
}

/// Maps the page that tells a child process that it is one.
Error Pool::mapOwner() {
  void *page = mmap(nullptr, systemPageBytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return {HEDDLE_OUT_OF_MEMORY,
            "no memory for a pool: " + std::string(std::strerror(errno))};
  // Without it (before Linux 4.14) each call asks for the process's number.
  wipedOnFork = madvise(page, systemPageBytes(), MADV_WIPEONFORK) == 0;
  owner = new (page) std::atomic<int32_t>(thisProcess());
  return {};
}

Error Pool::start() {
  if (threadCount <= 1)
    return {};
  if (Error error = mapOwner())
    return error;
  workers.resize(ownThreads());
  int failed = startThreads();
  if (!failed)
    return {};
  return {HEDDLE_THREADS_UNAVAILABLE,
          "cannot start thread " + std::to_string(workers.size() + 2) + " of " +
              std::to_string(threadCount) + ": " + std::strerror(failed)};
}

/// Starts `workers`, or as many of them as the system lets: then says why there
/// are no more. Allocates nothing.
int Pool::startThreads() {
  BlockedSignals blocked;
  int failed = 0;
  size_t started = 0;
  while (started < workers.size()) {
    Thread &thread = workers[started];
    thread = {this, int64_t(started) + 1, pthread_t()};
    failed = pthread_create(
        &thread.handle, nullptr,
        [](void *argument) -> void * {
          auto *thread = static_cast<Thread *>(argument);
          thread->pool->work(thread->worker);
          return nullptr;
        },
        &thread);
    if (failed)
      break;
    ++started;
  }
  workers.resize(started);
  return failed;
}

/// In a child process only the thread that forked exists. Whatever the others
/// were doing will not be finished.
void Pool::forgetThreads() {
  workers.resize(ownThreads()); // for which there was room
  claim.store(0);
  unfinished.store(0);
  sleepers.store(0);
  running.store(false);
  taken.store(false);
}

/// Makes the pool that of this process if it is still its parent's; false when
/// another thread is doing so. The page is of the parent's until the new
/// threads run, so that nobody takes a pool that is half forgotten; and a child
/// that is forked meanwhile finds a page that is not its own.
bool Pool::adopt() {
  int32_t mine = thisProcess(), seen = owner->load(std::memory_order_acquire);
  if (seen == mine)
    return true;
  if (seen == -mine || !owner->compare_exchange_strong(seen, -mine))
    return false;
  forgetThreads();
  // With fewer threads, or none, the caller does more of the work, which is
  // still right.
  (void)startThreads();
  owner->store(mine, std::memory_order_release);
  return true;
}

bool Pool::acquire() {
  if (threadCount <= 1 || !adopt())
    return false;
  return !taken.exchange(true, std::memory_order_acquire);
}

void Pool::publish(uint32_t chunks) {
  unfinished.store(chunks, std::memory_order_relaxed);
  // Sequentially consistent with sleep(): either this sees the sleeper, or the
  // sleeper sees the chunks.
  claim.store(uint64_t(++taskNumber) << 32 | chunks);
  if (chunks > 1 && sleepers.load())
    wake(static_cast<int>(std::min<uint32_t>(chunks - 1, INT_MAX)));
}

void Pool::wake(int count) {
  epoch.fetch_add(1);
  // A thread that is not woken sleeps for ever, hence more than one try. A
  // system that never does has put none to sleep either.
  for (int tries = 0; tries < 100; ++tries) {
    if (syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr,
                0) >= 0)
      return;
    relax();
  }
}

void Pool::finish() {
  running.store(false);
  if (sleepers.load())
    wake(INT_MAX);
}

/// Takes one chunk of the current task; false when there is none.
bool Pool::takeChunk(uint32_t &chunk) {
  uint64_t seen = claim.load(std::memory_order_relaxed);
  do {
    if (!chunksOf(seen))
      return false;
  } while (!claim.compare_exchange_weak(
      seen, seen - 1, std::memory_order_acquire, std::memory_order_relaxed));
  chunk = chunksOf(seen) - 1;
  return true;
}

/// Runs chunks of one task while there are any; false when there were none.
bool Pool::workOnTask(int64_t worker) {
  uint32_t chunk = 0, done = 1;
  if (!takeChunk(chunk))
    return false;
  // From the first chunk to the subtraction below the task cannot end, so that
  // `job` and all it points to stay, and all chunks are of this task.
  FloatEnvironment environment(job->flushesSubnormals);
  for (job->runChunk(worker, chunk); takeChunk(chunk); ++done)
    job->runChunk(worker, chunk);
  if (unfinished.fetch_sub(done, std::memory_order_acq_rel) != done)
    return true;
  if (uint32_t chunks = job->advance(worker))
    publish(chunks);
  else
    finish();
  return true;
}

void Pool::sleep(bool own) {
  sleepers.fetch_add(1);
  uint32_t seen = epoch.load();
  // What it returns does not matter: the caller looks again for what it waits
  // for.
  if (!chunksOf(claim.load()) && !(own ? stopping.load() : !running.load()))
    syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
  sleepers.fetch_sub(1);
}

/// What each thread does: worker 0, and those of a caller's own threads, until
/// the job is done, the pool's own until the pool goes.
void Pool::work(int64_t worker) {
  bool own = worker > 0 && !runWorkers;
  uint64_t idleSince = 0;
  for (;;) {
    if (workOnTask(worker)) {
      idleSince = 0;
      continue;
    }
    if (own ? stopping.load() : !running.load())
      return;
    for (int i = 0; i < 32; ++i) {
      if (chunksOf(claim.load(std::memory_order_relaxed)) ||
          (!own && !running.load(std::memory_order_relaxed)))
        break;
      relax();
    }
    uint64_t now = monotonicNs();
    if (!idleSince)
      idleSince = now;
    else if (now - idleSince > spinNs) {
      sleep(own);
      idleSince = 0;
    }
  }
}

void Pool::run(Job &newJob) {
  job = &newJob;
  if (uint32_t chunks = newJob.advance(0)) {
    running.store(true);
    publish(chunks);
    if (runWorkers)
      runWorkers(
          user, threadCount,
          [](void *pool, int64_t worker) {
            static_cast<Pool *>(pool)->work(worker);
          },
          this);
    else
      work(0);
  }
  taken.store(false, std::memory_order_release);
}
