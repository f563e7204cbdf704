// What a child of fork does not take over from its parent.

#ifndef HEDDLE_RUNTIME_PERPROCESS_H
#define HEDDLE_RUNTIME_PERPROCESS_H

#include <atomic>
#include <memory>
#include <unistd.h>

namespace heddle::runtime {

/// A value that each process has of its own: a child finds a new one. For what
/// is behind a mutex of the whole process: of the parent's threads a child has
/// one alone, so that a mutex that another of them held at the fork stays held
/// there, and what it guards may be half changed.
///
/// Nothing ends a value: threads may use it while the process exits, and what
/// threads of a parent wait at cannot be ended in its child.
template <typename Value> class PerProcess {
public:
  /// The calling process's, made at its first use.
  Value &get() {
    Slot *seen = slot.load(std::memory_order_acquire);
    while (!seen || seen->process != getpid()) {
      auto fresh = std::make_unique<Slot>();
      fresh->parents = seen;
      if (slot.compare_exchange_strong(seen, fresh.get()))
        return fresh.release()->value;
    }
    return seen->value;
  }

private:
  struct Slot {
    const pid_t process = getpid();
    Slot *parents = nullptr; ///< At the fork; for searches for leaks.
    Value value;
  };
  std::atomic<Slot *> slot{nullptr};
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PERPROCESS_H
