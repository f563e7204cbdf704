// Which signals the runtime's own threads get.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_BLOCKEDSIGNALS_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_BLOCKEDSIGNALS_H

#include <csignal>
#include <initializer_list>

namespace heddle::runtime {

/// Threads that are started while one lives get no signals: these are for the
/// program's own threads, but for what a thread does itself. A fault that is
/// blocked ends the process past its handler.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &old);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &old, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t old;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_BLOCKEDSIGNALS_H
