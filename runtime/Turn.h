// One caller at a time.

#ifndef HEDDLE_RUNTIME_TURN_H
#define HEDDLE_RUNTIME_TURN_H

#include <atomic>

namespace heddle::runtime {

/// Takes what `busy` guards for as long as it lives, unless somebody has it.
class Turn {
public:
  explicit Turn(std::atomic<bool> &busy)
      : busy(busy), isTaken(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (isTaken)
      busy.store(false, std::memory_order_release);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  explicit operator bool() const { return isTaken; }

private:
  std::atomic<bool> &busy;
  const bool isTaken;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TURN_H
