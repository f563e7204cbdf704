// Threads that walk a plan together.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_POOL_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_POOL_H

#include "runtime/format/Error.h"

#include <atomic>
#include <pthread.h>
#include <string>
#include <vector>

namespace heddle::runtime {

using format::Error;

/// Work that comes as a sequence of tasks, each cut into chunks that can run in
/// any order on any thread.
class Job {
public:
  /// Runs chunk `chunk` of the current task.
  virtual void runChunk(int64_t worker, uint32_t chunk) = 0;
  /// Called by whoever finished the last chunk of a task (and at first), by one
  /// thread at a time: does what needs no company, makes the next task current
  /// and returns the number of its chunks; 0 when all is done.
  virtual uint32_t advance(int64_t worker) = 0;

  /// Whether its arithmetic takes subnormal numbers for zeros.
  const bool flushesSubnormals;

protected:
  explicit Job(bool flushesSubnormals = false)
      : flushesSubnormals(flushesSubnormals) {}
  ~Job() = default;
};

/// Threads that spin a little and then sleep. There is no barrier: chunks are
/// claimed from a counter, and the thread that finishes a task's last chunk
/// opens the next one. So a thread that does not run at the moment is never
/// waited for, unless it sleeps on a chunk it has claimed.
class Pool {
public:
  struct Options {
    unsigned threads = 0; ///< With the caller's; 0: defaultThreads().
    unsigned spinUs = 50;
    heddle_run_workers run = nullptr;
    void *user = nullptr;
  };

  explicit Pool(const Options &options);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  /// Starts the threads.
  Error start();

  unsigned threads() const { return threadCount; }

  /// Whether a job can have the pool now; false while another one has it, or
  /// when there is but one thread: then the caller runs the job by itself.
  bool acquire();
  /// Runs all of `job`, with the calling thread as worker 0; after acquire.
  void run(Job &job);

  /// CPUs that affinity mask and cgroup quota give to this process.
  static unsigned defaultThreads();
  /// CPUs that the control groups' quotas leave, rounded up; the largest
  /// unsigned without one. /proc and /sys are looked for below `root`.
  static unsigned cgroupQuota(const std::string &root = "");

private:
  struct Thread {
    Pool *pool;
    int64_t worker;
    pthread_t handle;
  };

  void publish(uint32_t chunks);
  void finish();
  bool takeChunk(uint32_t &chunk);
  bool workOnTask(int64_t worker);
  void work(int64_t worker);
  void sleep(bool own);
  void wake(int count);
  int32_t thisProcess() const;
  Error mapOwner();
  /// Those that are not the caller's.
  unsigned ownThreads() const { return runWorkers ? 0 : threadCount - 1; }
  int startThreads();
  void forgetThreads();
  bool adopt();

  unsigned threadCount;
  uint64_t spinNs;
  heddle_run_workers runWorkers;
  void *user;

  // One line each for what is written by different threads at different times.
  /// The task's number in the high half, its unclaimed chunks in the low one.
  alignas(64) std::atomic<uint64_t> claim{0};
  alignas(64) std::atomic<uint32_t> unfinished{0}; ///< Chunks of the task.
  alignas(64) std::atomic<uint32_t> epoch{0};      ///< What sleepers wait on.
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> running{false}; ///< A job is not done yet.
  std::atomic<bool> stopping{false};
  std::atomic<bool> taken{false}; ///< Between acquire and the end of run.
  Job *job = nullptr;
  uint32_t taskNumber = 0;

  std::vector<Thread> workers;
  /// Which process the threads are of, on a page of its own that a child
  /// process finds zeroed: then 1 stands for this process, and where the system
  /// does not zero it, its number does. Negative while the threads are started
  /// anew. Null for one thread.
  std::atomic<int32_t> *owner = nullptr;
  bool wipedOnFork = false;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_POOL_H
