// Calls that nobody waits for.

#include "runtime/CallQueue.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/drivers/cpu/Clock.h"

#include <chrono>
#include <sched.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

/// What is wrong with calls of a parent process that nobody is left to do.
static Error lostAtFork() {
  return {HEDDLE_CONTEXT_BUSY,
          "calls that were submitted to the context were not done when this "
          "process was forked: create a context in this process"};
}

Error Completion::wait(uint64_t deadlineNs) const {
  // Before the mutex, which a thread of the parent's may have held.
  if (isDone())
    return {};
  if (owner != getpid())
    return lostAtFork();
  std::unique_lock<std::mutex> lock(mutex);
  auto check = [this] { return isDone(); };
  if (!deadlineNs) {
    changed.wait(lock, check);
    return {};
  }
  std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(
      static_cast<int64_t>(std::min<uint64_t>(deadlineNs, INT64_MAX)))};
  if (changed.wait_until(lock, until, check))
    return {};
  return {HEDDLE_DEADLINE_EXCEEDED, "the call is not done, and goes on"};
}

void Completion::finish(const heddle_status &status) {
  std::lock_guard<std::mutex> lock(mutex);
  outcome = status;
  done.store(true, std::memory_order_release);
  changed.notify_all();
}

//===----------------------------------------------------------------------===//
// SubmittedCall
//===----------------------------------------------------------------------===//

Error SubmittedCall::readList(const char *kind,
                              const std::vector<TensorSpec> &specs,
                              const heddle_tensor *const *given) {
  auto keep = [&](const int64_t *&list, int32_t rank) {
    if (!list || !rank)
      return;
    numbers.push_back(std::make_unique<int64_t[]>(static_cast<size_t>(rank)));
    std::copy_n(list, rank, numbers.back().get());
    list = numbers.back().get();
  };
  for (size_t i = 0; i < specs.size(); ++i) {
    tensors.emplace_back();
    heddle_tensor &tensor = tensors.back();
    if (Error error = readTensor(given[i], kind, specs[i], tensor))
      return error;
    if (Error error = checkRank(specs[i], kind, tensor))
      return error;
    if (tensor.out_shape) {
      tensor.shape = tensor.strides = nullptr;
      continue;
    }
    keep(tensor.shape, tensor.rank);
    keep(tensor.strides, tensor.rank);
  }
  return {};
}

Error SubmittedCall::read(const EntrySpec &entry,
                          const heddle_tensor *const *inputs, size_t inputs_,
                          const heddle_tensor *const *outputs,
                          size_t outputCount, const heddle_call_options &call) {
  if (Error error = checkCounts(entry, inputs_, outputCount))
    return error;
  inputCount = inputs_;
  if (Error error = readList("input", entry.inputs, inputs))
    return error;
  if (Error error = readList("output", entry.outputs, outputs))
    return error;
  for (const heddle_tensor &tensor : tensors)
    pointers.push_back(&tensor);
  callOptions = call;
  if (call.states)
    states.assign(call.states, call.states + call.state_count);
  callOptions.states = states.data();
  if (call.sizes)
    sizes.assign(call.sizes, call.sizes + call.size_count);
  callOptions.sizes = call.sizes ? sizes.data() : nullptr;
  return {};
}

/// How long a call waits for others at once, if somebody may cancel it.
static constexpr uint64_t cancelCheckNs = 1000000;

Error SubmittedCall::awaitOthers() const {
  for (const std::shared_ptr<Completion> &other : waits) {
    while (true) {
      uint64_t until = callOptions.deadline_ns;
      if (callOptions.cancel) {
        uint64_t check = monotonicNs() + cancelCheckNs;
        until = until ? std::min(until, check) : check;
      }
      Error error = other->wait(until);
      if (!error)
        break;
      if (error.code() != HEDDLE_DEADLINE_EXCEEDED)
        return error;
      if (Error over = endOfWait(callOptions.cancel, callOptions.deadline_ns))
        return over;
    }
  }
  return {};
}

heddle_status SubmittedCall::run(Context &context) noexcept {
  return guarded([&]() -> heddle_status {
    if (Error error = awaitOthers())
      return toStatus(error);
    for (const std::shared_ptr<Completion> &other : waits)
      if (other->status().code)
        return other->status();
    return toStatus(context.call(pointers.data(), inputCount,
                                 pointers.data() + inputCount,
                                 pointers.size() - inputCount, callOptions));
  });
}

//===----------------------------------------------------------------------===//
// CallQueue
//===----------------------------------------------------------------------===//

CallQueue::CallQueue() : shared(std::make_unique<Shared>()), owner(getpid()) {}

CallQueue::~CallQueue() {
  if (owner.load() != getpid()) {
    // The thread is the parent's. What it held at the fork stays held, and a
    // condition that it waits for cannot be ended.
    (void)shared.release();
    return;
  }
  // Without a thread, or on it.
  if (!shared->started || shared->left)
    return;
  {
    std::lock_guard<std::mutex> lock(shared->mutex);
    shared->stopping = true;
    shared->changed.notify_all();
  }
  pthread_join(shared->thread, nullptr);
}

bool CallQueue::leave(heddle_context &context) {
  // Nobody runs a parent's calls here, and nobody submits to what is destroyed.
  if (owner.load() != getpid())
    return false;
  std::lock_guard<std::mutex> lock(shared->mutex);
  if (!shared->started || !(pthread_equal(shared->thread, pthread_self()) ||
                            served->isInsideCall()))
    return false;
  shared->left = &context;
  shared->stopping = true;
  shared->changed.notify_all();
  return true;
}

Error CallQueue::checkIdle() const {
  if (!unfinished.load(std::memory_order_acquire))
    return {};
  if (owner.load(std::memory_order_acquire) != getpid())
    return lostAtFork();
  return {HEDDLE_CONTEXT_BUSY,
          "the context has calls that were submitted and are not done"};
}

/// Makes the queue one of this process, if it is still its parent's.
Error CallQueue::adopt() {
  pid_t mine = getpid(), seen = owner.load(std::memory_order_acquire);
  if (seen == mine)
    return {};
  if (Error error = checkIdle())
    return error;
  auto fresh = std::make_unique<Shared>();
  while (seen != mine) {
    if (seen != -mine && owner.compare_exchange_strong(seen, -mine)) {
      (void)shared.release();
      shared = std::move(fresh);
      owner.store(mine, std::memory_order_release);
      return {};
    }
    sched_yield(); // Another thread of this process is making it.
    seen = owner.load(std::memory_order_acquire);
  }
  return {};
}

Error CallQueue::start(Context &context) {
  if (shared->started)
    return {};
  served = &context;
  BlockedSignals blocked;
  int failed = pthread_create(&shared->thread, nullptr, serve, this);
  if (failed)
    return {HEDDLE_THREADS_UNAVAILABLE,
            std::string("cannot start a thread for submitted calls: ") +
                std::strerror(failed)};
  shared->started = true;
  return {};
}

Error CallQueue::submit(Context &context, std::unique_ptr<SubmittedCall> call) {
  // Before the mutex, which a thread of the parent's may have held.
  if (Error error = adopt())
    return error;
  std::lock_guard<std::mutex> lock(shared->mutex);
  if (Error error = start(context))
    return error;
  shared->calls.push_back(std::move(call));
  ++unfinished;
  shared->changed.notify_all();
  return {};
}

void *CallQueue::serve(void *queue) {
  if (heddle_context *left = static_cast<CallQueue *>(queue)->work()) {
    // Nobody will wait for this thread.
    pthread_detach(pthread_self());
    delete left;
  }
  return nullptr;
}

heddle_context *CallQueue::work() {
  std::unique_lock<std::mutex> lock(shared->mutex);
  while (true) {
    shared->changed.wait(
        lock, [this] { return shared->stopping || !shared->calls.empty(); });
    if (shared->calls.empty())
      return shared->left;
    std::unique_ptr<SubmittedCall> call = std::move(shared->calls.front());
    shared->calls.pop_front();
    lock.unlock();
    heddle_status status = call->run(*served);
    // Whoever learns that it is done may call the context.
    --unfinished;
    call->completion->finish(status);
    if (call->options.on_done)
      call->options.on_done(call->options.user, &status);
    call.reset();
    lock.lock();
  }
}
