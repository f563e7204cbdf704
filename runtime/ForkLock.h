// Locks for which a fork waits.

#ifndef HEDDLE_RUNTIME_FORKLOCK_H
#define HEDDLE_RUNTIME_FORKLOCK_H

#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>

namespace heddle::runtime {

/// Holds the one mutex of the process that is of `What`, for moments only: a
/// fork waits for who has it, so that a child finds what it guards whole, and
/// the mutex free.
///
/// The mutex is there before any code runs. A variable of a function, which is
/// made when the function is first called, would be half made for ever in a
/// child that is forked meanwhile.
template <typename What> class ForkLock {
public:
  /// Throws std::bad_alloc where `prepare` was not called before.
  ForkLock() {
    prepare();
    mutex.lock();
  }
  ~ForkLock() { mutex.unlock(); }
  ForkLock(const ForkLock &) = delete;
  ForkLock &operator=(const ForkLock &) = delete;

  /// Lets forks wait from now on; throws std::bad_alloc. Two threads that call
  /// this at once may both register the handlers: `forks` counts how often they
  /// run in one fork, so that the mutex is locked once.
  static void prepare() {
    if (isPrepared.load(std::memory_order_acquire))
      return;
    if (pthread_atfork(begin, end, end))
      throw std::bad_alloc();
    isPrepared.store(true, std::memory_order_release);
  }

private:
  static void begin() {
    if (forks++ == 0)
      mutex.lock();
  }
  static void end() {
    if (--forks == 0)
      mutex.unlock();
  }

  static inline std::mutex mutex;
  static inline std::atomic<bool> isPrepared{false};
  /// How often the fork that this thread makes has been told to wait.
  static inline thread_local unsigned forks = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_FORKLOCK_H
