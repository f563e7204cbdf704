//===- Pool.cpp -----------------------------------------------------------===//

#include "runtime/drivers/cpu/Pool.h"

#include "runtime/Memory.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
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
      user(options.user) {
  void *page = mmap(nullptr, systemPageBytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return;
  birthmark = static_cast<volatile char *>(page);
  madvise(page, systemPageBytes(), MADV_WIPEONFORK);
  *birthmark = 1;
}

Pool::~Pool() {
  if (!wasForked()) {
    stopping.store(true);
    wake(INT_MAX);
    for (Thread &thread : workers)
      pthread_join(thread.handle, nullptr);
  }
  if (birthmark)
    munmap(const_cast<char *>(birthmark), systemPageBytes());
}

bool Pool::wasForked() const { return birthmark && !*birthmark; }

Error Pool::start() {
  if (runWorkers || threadCount <= 1)
    return {};
  // Signals are for the program's own threads.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  workers.resize(threadCount - 1);
  Error error;
  for (unsigned i = 0; i < workers.size() && !error; ++i) {
    workers[i] = {this, int64_t(i) + 1, pthread_t()};
    int failed = pthread_create(
        &workers[i].handle, nullptr,
        [](void *argument) -> void * {
          auto *thread = static_cast<Thread *>(argument);
          thread->pool->work(thread->worker);
          return nullptr;
        },
        &workers[i]);
    if (failed) {
      error = {HEDDLE_THREADS_UNAVAILABLE,
               "cannot start thread " + std::to_string(i + 2) + " of " +
                   std::to_string(threadCount) + ": " + std::strerror(failed)};
      workers.resize(i);
    }
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return error;
}

/// In a child process only the thread that forked exists. Whatever the others
/// were doing will not be finished.
void Pool::forgetThreads() {
  workers.clear();
  claim.store(0);
  unfinished.store(0);
  sleepers.store(0);
  running.store(false);
  taken.store(false);
  *birthmark = 1;
}

bool Pool::acquire() {
  if (threadCount <= 1)
    return false;
  if (wasForked()) {
    if (restarting.exchange(true))
      return false;
    forgetThreads();
    // Without threads the caller does all the work, which is still right.
    if (start())
      threadCount = static_cast<unsigned>(workers.size()) + 1;
    restarting.store(false);
  }
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
  syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
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
