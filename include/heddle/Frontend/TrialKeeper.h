// The process in which files are tried, kept from one file to the next.

#ifndef HEDDLE_FRONTEND_TRIALKEEPER_H
#define HEDDLE_FRONTEND_TRIALKEEPER_H

#include <atomic>
#include <memory>

namespace heddle {

class TrialProcess;

/// Belongs to whoever reads one file after the other: a command, a compiler.
/// Any thread may use it, and none waits for another, so that a fork at any
/// moment leaves nothing locked: who finds no process starts one.
class TrialKeeper {
public:
  TrialKeeper() = default;
  TrialKeeper(const TrialKeeper &) = delete;
  TrialKeeper &operator=(const TrialKeeper &) = delete;
  ~TrialKeeper();

  /// The process that is kept; null if there is none.
  std::unique_ptr<TrialProcess> take();
  /// Keeps it, unless there is one already.
  void give(std::unique_ptr<TrialProcess> other);

private:
  std::atomic<TrialProcess *> process{nullptr};
};

/// Kills all of this process's, kept or at work, for when it ends at once.
/// Makes system calls alone.
void killTrialProcesses();

} // namespace heddle

#endif // HEDDLE_FRONTEND_TRIALKEEPER_H
