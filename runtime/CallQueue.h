// Calls that nobody waits for.

#ifndef HEDDLE_RUNTIME_CALLQUEUE_H
#define HEDDLE_RUNTIME_CALLQUEUE_H

#include "runtime/Context.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

struct heddle_context;

namespace heddle::runtime {

/// How a submitted call ended, once it has.
class Completion {
public:
  Completion() : owner(getpid()) {}

  /// HEDDLE_DEADLINE_EXCEEDED when CLOCK_MONOTONIC passes `deadlineNs`, if that
  /// is not 0, before it is done. HEDDLE_CONTEXT_BUSY in a child process whose
  /// parent had not done it at the fork.
  Error wait(uint64_t deadlineNs) const;
  bool isDone() const { return done.load(std::memory_order_acquire); }
  /// Once it is done.
  const heddle_status &status() const { return outcome; }

  void finish(const heddle_status &status);

private:
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::atomic<bool> done{false};
  heddle_status outcome;
  const pid_t owner; ///< The process whose thread finishes it.
};

/// A call with copies of all that describes it; memory, states and the cancel
/// flag stay the caller's.
class SubmittedCall {
public:
  SubmittedCall() : completion(std::make_shared<Completion>()) {}

  Error read(const EntrySpec &entry, const heddle_tensor *const *inputs,
             size_t inputCount, const heddle_tensor *const *outputs,
             size_t outputCount, const heddle_call_options &call);

  /// After what it waits for, which it takes the failure of.
  heddle_status run(Context &context) noexcept;

  std::vector<std::shared_ptr<Completion>> waits;
  std::shared_ptr<Completion> completion;
  heddle_submit_options options = {};

private:
  Error readList(const char *kind, const std::vector<TensorSpec> &specs,
                 const heddle_tensor *const *given);
  Error awaitOthers() const;

  size_t inputCount = 0;
  std::vector<heddle_tensor> tensors; ///< Inputs, then outputs.
  std::vector<const heddle_tensor *> pointers;
  std::vector<std::unique_ptr<int64_t[]>> numbers; ///< Shapes and strides.
  std::vector<heddle_state *> states;
  std::vector<int64_t> sizes;
  heddle_call_options callOptions = {};
};

/// The calls that were submitted to a context: they run in order, on a thread
/// that the first one starts.
class CallQueue {
public:
  CallQueue();
  /// Waits for them.
  ~CallQueue();
  CallQueue(const CallQueue &) = delete;
  CallQueue &operator=(const CallQueue &) = delete;

  /// A child process starts a thread of its own. HEDDLE_CONTEXT_BUSY if calls
  /// were not done when it was forked: nobody will finish them there.
  Error submit(Context &context, std::unique_ptr<SubmittedCall> call);
  /// HEDDLE_CONTEXT_BUSY if any is not done.
  Error checkIdle() const;
  /// Where nobody can wait for the calls, because this thread is inside of one
  /// or of what is called when one is done: lets the queue's thread destroy
  /// `context`, which the queue is of, once they are done. False elsewhere.
  bool leave(heddle_context &context);

private:
  /// What the thread and those who submit share.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::unique_ptr<SubmittedCall>> calls;
    bool stopping = false;
    bool started = false;
    heddle_context *left = nullptr; ///< What the thread is to destroy.
    pthread_t thread;
  };

  Error adopt();
  Error start(Context &context);
  /// The calls, until the queue is at its end; what was left to the thread.
  heddle_context *work();
  static void *serve(void *queue);

  std::unique_ptr<Shared> shared;
  std::atomic<size_t> unfinished{0};
  Context *served = nullptr;
  /// The process that `shared` is of; negative while it is being made.
  std::atomic<pid_t> owner;
};

} // namespace heddle::runtime

/// What the C interface hands out.
struct heddle_context {
  heddle::runtime::Context context;
  heddle::runtime::CallQueue calls;
};

struct heddle_event {
  std::shared_ptr<heddle::runtime::Completion> completion;
};

#endif // HEDDLE_RUNTIME_CALLQUEUE_H
