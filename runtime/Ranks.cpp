// Runs a call on all ranks as threads: cuts the inputs, lets each rank run its
// program, joins the outputs.

#include "runtime/Ranks.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/drivers/cpu/Clock.h"

#include <chrono>
#include <cstring>
#include <unistd.h>
#include <utility>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

//===----------------------------------------------------------------------===//
// Making ranks
//===----------------------------------------------------------------------===//

Ranks::Ranks(std::shared_ptr<LoadedProgram> given, size_t index)
    : RankGroup(std::move(given), index), meeting(std::make_unique<Meeting>()),
      owner(getpid()) {}

Ranks::~Ranks() {
  bool isForked = owner != getpid();
  if (isForked) {
    // The threads are the parent's. What they held at the fork stays held, and
    // conditions that they wait for cannot be ended.
    (void)meeting.release();
  } else {
    stopThreads();
  }
  members.clear();
  // In a child, a world that a call of the parent's was in stays open: ranks
  // may have waited in it at the fork, and a condition that has waiters cannot
  // be ended.
  if (world && !(isForked && busy))
    engine.close(world);
}

Error Ranks::createMember(Member &member, uint32_t threads) {
  member.ranks = this;
  member.context = std::make_unique<Context>(program, entryIndex, member.seat);
  heddle_context_options own = {};
  own.size = sizeof(own);
  own.threads = threads;
  if (Error error = member.context->create(own, nullptr))
    return error;
  if (Error error = member.memory.allocate(*program, tensors))
    return error;
  size_t count = tensors.count();
  for (size_t i = 0; i < count; ++i) {
    // An input that is whole on all ranks is read where it lies, and rank 0
    // writes such outputs to where they go.
    bool isShared =
        parts.isUncut(i) && (tensors.isInput(i) || member.seat.rank == 0);
    member.staged.push_back(isShared ? nullptr : member.memory.at(i));
  }
  member.tensors.resize(count);
  for (heddle_tensor &tensor : member.tensors)
    member.pointers.push_back(&tensor);
  return {};
}

Error Ranks::create(uint32_t threads) {
  uint32_t count = parts.ranks();
  heddle_status why;
  if (int32_t code = engine.open(count, &world, &why))
    return told(code, why);
  finder.open(engine, world, count, slow);
  members = std::vector<Member>(count);
  for (uint32_t i = 0; i < count; ++i) {
    members[i].seat = {&engine, world, i, count};
    if (Error error = createMember(members[i], threads))
      return error;
  }
  return startThreads();
}

Error Ranks::startThreads() {
  auto work = [](void *given) -> void * {
    auto &member = *static_cast<Member *>(given);
    member.ranks->serve(member);
    return nullptr;
  };
  BlockedSignals blocked;
  for (size_t i = 1; i < members.size(); ++i) {
    if (int failed =
            pthread_create(&members[i].thread, nullptr, work, &members[i])) {
      stopThreads();
      return {HEDDLE_THREADS_UNAVAILABLE,
              "no thread could be started for rank " + std::to_string(i) +
                  ": " + std::strerror(failed)};
    }
    members[i].started = true;
  }
  if (!finder.looks())
    return {};
  auto look = [](void *given) -> void * {
    static_cast<Ranks *>(given)->lookForSlow();
    return nullptr;
  };
  if (int failed = pthread_create(&looker, nullptr, look, this)) {
    stopThreads();
    return {HEDDLE_THREADS_UNAVAILABLE,
            std::string("no thread could be started to look for slow ranks: ") +
                std::strerror(failed)};
  }
  hasLooker = true;
  return {};
}

void Ranks::stopThreads() {
  {
    std::lock_guard<std::mutex> lock(meeting->mutex);
    meeting->stopping = true;
  }
  meeting->changed.notify_all();
  meeting->stopped.notify_all();
  for (Member &member : members)
    if (std::exchange(member.started, false))
      pthread_join(member.thread, nullptr);
  if (std::exchange(hasLooker, false))
    pthread_join(looker, nullptr);
}

/// In a child process, whose only thread is the one that forked: starts the
/// threads of the ranks anew. No rank was in a call, as nobody is busy but who
/// calls this.
Error Ranks::adopt() {
  if (owner == getpid())
    return {};
  auto fresh = std::make_unique<Meeting>();
  (void)meeting.release(); // a thread of the parent may hold it
  meeting = std::move(fresh);
  for (Member &member : members)
    member.started = false;
  hasLooker = false;
  if (Error error = startThreads())
    return error;
  owner = getpid();
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Error Ranks::checkReady(const heddle_call_options &) { return adopt(); }

/// Describes the member's parts, and fills those of inputs that are whole.
void Ranks::bindParts(Member &member) {
  uint32_t rank = member.seat.rank;
  for (size_t i = 0; i < tensors.count(); ++i) {
    heddle_tensor &part = member.tensors[i];
    part = parts.partTensor(i);
    if (!tensors.isWhole(i)) {
      part.data = tensors.data(i, rank);
      continue;
    }
    part.data = member.staged[i] ? member.staged[i] : tensors.data(i);
    if (tensors.isInput(i) && member.staged[i])
      parts.cut(i, rank, tensors.data(i), member.staged[i]);
  }
}

/// What the ranks have made becomes the caller's outputs.
void Ranks::joinOutputs() {
  for (size_t i = entry.inputs.size(); i < tensors.count(); ++i) {
    // Each rank has written its part, or rank 0 all of it, where it goes.
    if (!tensors.isWhole(i) || parts.isUncut(i))
      continue;
    for (Member &member : members)
      if (parts.owns(i, member.seat.rank))
        parts.join(i, member.seat.rank, member.staged[i], tensors.data(i));
  }
}

/// One rank's share of a call.
void Ranks::run(Member &member) {
  heddle_call_options own = *options;
  if (member.seat.rank)
    own.on_step = nullptr;
  member.outcome = runtime::guarded([&] {
    bindParts(member);
    size_t inputs = entry.inputs.size();
    return toStatus(member.context->call(member.pointers.data(), inputs,
                                         member.pointers.data() + inputs,
                                         entry.outputs.size(), own));
  });
  engine.end(world, member.seat.rank, member.outcome.code,
             member.outcome.message);
}

/// What the thread of a rank does.
void Ranks::serve(Member &member) {
  uint64_t done = 0;
  Meeting &at = *meeting;
  std::unique_lock<std::mutex> lock(at.mutex);
  while (true) {
    at.changed.wait(lock, [&] { return at.stopping || at.callNumber != done; });
    if (at.stopping)
      return;
    done = at.callNumber;
    lock.unlock();
    run(member);
    lock.lock();
    end(member);
  }
}

/// A rank has done its call; the meeting's mutex is held.
void Ranks::end(Member &member) {
  if (finder.looks())
    member.endedNs = monotonicNs();
  if (--meeting->unfinished == 0)
    meeting->changed.notify_all();
}

/// What the thread that looks for slow ranks does: it wakes once a step while
/// there are calls, and not for each of them.
void Ranks::lookForSlow() {
  Meeting &at = *meeting;
  std::unique_lock<std::mutex> lock(at.mutex);
  while (true) {
    at.changed.wait(lock, [&] { return at.stopping || at.unfinished; });
    at.stopped.wait_for(lock, std::chrono::nanoseconds(finder.stepNs()),
                        [&] { return at.stopping; });
    if (at.stopping)
      return;
    if (!at.unfinished)
      continue;
    at.isLooking = true;
    lock.unlock();
    finder.look(
        [&](uint32_t rank) -> uint64_t { return members[rank].endedNs; });
    lock.lock();
    at.isLooking = false;
    at.changed.notify_all();
  }
}

Error Ranks::run(const heddle_call_options &given) {
  options = &given;
  engine.begin(world);
  {
    std::lock_guard<std::mutex> lock(meeting->mutex);
    ++meeting->callNumber;
    meeting->unfinished = members.size();
    for (Member &member : members)
      member.endedNs = 0;
    finder.begin();
  }
  meeting->changed.notify_all();
  run(members.front());
  {
    std::unique_lock<std::mutex> lock(meeting->mutex);
    end(members.front());
    meeting->changed.wait(
        lock, [&] { return !meeting->unfinished && !meeting->isLooking; });
  }
  if (Error error = outcomeOfAll([&](uint32_t rank) -> const heddle_status & {
        return members[rank].outcome;
      }))
    return error;
  joinOutputs();
  return {};
}
