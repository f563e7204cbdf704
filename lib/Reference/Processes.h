// Several processes of one program, as threads that send each other tensors.

#ifndef HEDDLE_LIB_REFERENCE_PROCESSES_H
#define HEDDLE_LIB_REFERENCE_PROCESSES_H

#include "Evaluator.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace heddle::reference {

/// A grid of replicas by partitions. Processes talk through mailboxes: what is
/// put under a key comes out in order. When every thread waits, none ever gets
/// anything: then all waits fail.
class ProcessGrid {
public:
  using Values = std::vector<HostTensor>;

  ProcessGrid(int64_t replicas, int64_t partitions)
      : numReplicas(replicas), numPartitions(partitions) {}

  const int64_t numReplicas, numPartitions;

  void put(const std::string &key, Values values);
  /// Waits for what another thread puts; nothing when it never comes.
  std::optional<Values> take(const std::string &key);

  /// Every thread that may put or take is counted from before it starts.
  void enter();
  void leave();

  /// The next function of the infeed queue; null when it is empty.
  mlir::func::FuncOp nextInfeed();
  std::deque<mlir::func::FuncOp> infeed;

  /// What `interpreter.probe` has seen, by id.
  void probe(llvm::StringRef id, const HostTensor &value);
  HostTensor probed(llvm::StringRef id, int64_t iteration);

private:
  /// Ends all waits if nobody is left who could end one.
  void checkProgress();

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::deque<Values>> mailboxes;
  /// Threads that wait, by the key; a thread whose mail has come is none.
  std::map<std::string, unsigned> waiting;
  unsigned threads = 1, blocked = 0;
  bool stuck = false;
  std::map<std::string, Values> probes;
};

} // namespace heddle::reference

namespace heddle {

/// What `async_start` began: a thread of its own.
struct PendingResults {
  explicit PendingResults(reference::ProcessGrid &grid) : grid(grid) {}
  ~PendingResults() { wait(); }

  /// Who waits here is no thread that could send.
  void wait() {
    if (!thread.joinable())
      return;
    grid.leave();
    thread.join();
    grid.enter();
  }

  reference::ProcessGrid &grid;

  InterpreterOptions options;
  reference::ValueVector results;
  bool failed = false;
  std::thread thread;
};

} // namespace heddle

#endif // HEDDLE_LIB_REFERENCE_PROCESSES_H
