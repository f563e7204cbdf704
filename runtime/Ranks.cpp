// Runs a call on all ranks: cuts the inputs, lets each rank run its program,
// joins the outputs.

#include "runtime/Ranks.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/format/DataTypes.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unistd.h>
#include <utility>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// A box of a whole tensor, and a part whose first elements it is.
struct Box {
  char *whole;
  const std::vector<int64_t> &wholeShape;
  char *part;
  const std::vector<int64_t> &partShape;
  const TensorPart &place;
  int64_t elementBytes;
};
} // namespace

/// Copies the box, from the whole to the part or back, from a dimension on.
static void copyBox(const Box &box, bool toPart, size_t dimension,
                    int64_t wholeOffset, int64_t partOffset) {
  size_t rank = box.partShape.size();
  if (dimension == rank) { // a scalar
    std::memcpy(
        (toPart ? box.part : box.whole) + (toPart ? partOffset : wholeOffset),
        (toPart ? box.whole : box.part) + (toPart ? wholeOffset : partOffset),
        static_cast<size_t>(box.elementBytes));
    return;
  }
  int64_t wholeStep = box.elementBytes, partStep = box.elementBytes;
  for (size_t i = dimension + 1; i < rank; ++i) {
    wholeStep *= box.wholeShape[i];
    partStep *= box.partShape[i];
  }
  wholeOffset += box.place.begin[dimension] * wholeStep;
  int64_t count = box.place.inside[dimension];
  bool isRow = true; // what follows is whole on both sides
  for (size_t i = dimension + 1; i < rank; ++i)
    isRow &= box.wholeShape[i] == box.partShape[i] &&
             box.place.inside[i] == box.partShape[i];
  if (isRow) {
    auto bytes = static_cast<size_t>(count * partStep);
    if (bytes && toPart)
      std::memcpy(box.part + partOffset, box.whole + wholeOffset, bytes);
    else if (bytes)
      std::memcpy(box.whole + wholeOffset, box.part + partOffset, bytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    copyBox(box, toPart, dimension + 1, wholeOffset + i * wholeStep,
            partOffset + i * partStep);
}

//===----------------------------------------------------------------------===//
// Making ranks
//===----------------------------------------------------------------------===//

Ranks::Ranks(std::shared_ptr<LoadedProgram> given, size_t index)
    : program(std::move(given)), entryIndex(index),
      entry(program->entries()[index]), whole(entry),
      meeting(std::make_unique<Meeting>()), owner(getpid()) {
  auto widen = [](std::vector<TensorSpec> &specs) {
    for (TensorSpec &spec : specs) {
      if (!spec.whole.empty())
        spec.leastShape = spec.largestShape = spec.whole;
      // Ranks still read inputs when others have their results.
      spec.alias = none;
    }
  };
  widen(whole.inputs);
  widen(whole.outputs);
}

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

const TensorSpec &Ranks::spec(size_t tensor) const {
  size_t inputs = entry.inputs.size();
  return tensor < inputs ? entry.inputs[tensor]
                         : entry.outputs[tensor - inputs];
}

/// Says whose part of an output the caller gets: of all that have the same
/// part, that of the first.
void Ranks::chooseOwners() {
  for (size_t i = entry.inputs.size(); i < tensors.size(); ++i) {
    std::set<std::vector<int64_t>> known;
    for (Member &member : members)
      member.owns.push_back(known.insert(member.parts[i].begin).second);
  }
}

Error Ranks::createMember(Member &member, uint32_t threads) {
  member.ranks = this;
  member.context = std::make_unique<Context>(program, entryIndex, member.seat);
  heddle_context_options own = {};
  own.size = sizeof(own);
  own.threads = threads;
  if (Error error = member.context->create(own, nullptr))
    return error;
  size_t count = entry.inputs.size() + entry.outputs.size();
  std::vector<uint64_t> offsets(count, 0);
  uint64_t bytes = 0;
  uint32_t place = placeOf(program->manifest(), member.seat.rank);
  for (size_t i = 0; i < count; ++i) {
    bool isInput = i < entry.inputs.size();
    const Tensor &tensor =
        isInput ? *entry.record->inputs()->Get(static_cast<uint32_t>(i))
                : *entry.record->outputs()->Get(
                      static_cast<uint32_t>(i - entry.inputs.size()));
    member.parts.push_back(partAt(tensor, spec(i).leastShape, place));
    offsets[i] = bytes;
    bytes += alignUp(static_cast<uint64_t>(spec(i).largestBytes), pageBytes);
  }
  if (Error error =
          member.memory.allocate(program->host().device(), HEDDLE_SPACE_HOST,
                                 bytes, "the parts of a rank"))
    return error;
  for (size_t i = 0; i < count; ++i) {
    // An input that is whole on all ranks is read where it lies, and rank 0
    // writes such outputs to where they go.
    bool isShared = spec(i).whole.empty() &&
                    (i < entry.inputs.size() || member.seat.rank == 0);
    member.staged.push_back(isShared ? nullptr
                                     : member.memory.data() + offsets[i]);
  }
  member.tensors.resize(count);
  for (heddle_tensor &tensor : member.tensors)
    member.pointers.push_back(&tensor);
  return {};
}

Error Ranks::create(const heddle_ranks_options &given) {
  uint32_t count = program->manifest().ranks();
  if (!entry.states.empty())
    return {HEDDLE_ARGUMENT_INVALID,
            "entry '" + entry.name +
                "' has states, which ranks do not have yet"};
  if (length(program->manifest().symbols()))
    return {HEDDLE_ARGUMENT_INVALID,
            "calls choose sizes of the program, which ranks do not have yet"};
  heddle_status why;
  if (int32_t code = engine.open(count, &world, &why))
    return told(code, why);
  uint32_t threads = given.threads
                         ? given.threads
                         : std::max(1u, Pool::defaultThreads() / count);
  members = std::vector<Member>(count);
  for (uint32_t i = 0; i < count; ++i) {
    members[i].seat = {&engine, world, i, count};
    if (Error error = createMember(members[i], threads))
      return error;
  }
  tensors.resize(entry.inputs.size() + entry.outputs.size());
  chooseOwners();
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
  return {};
}

void Ranks::stopThreads() {
  {
    std::lock_guard<std::mutex> lock(meeting->mutex);
    meeting->stopping = true;
  }
  meeting->changed.notify_all();
  for (Member &member : members)
    if (std::exchange(member.started, false))
      pthread_join(member.thread, nullptr);
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
  if (Error error = startThreads())
    return error;
  owner = getpid();
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Error Ranks::readTensors(const heddle_tensor *const *inputs, size_t inputCount,
                         const heddle_tensor *const *outputs,
                         size_t outputCount) {
  if (Error error = checkCounts(whole, inputCount, outputCount))
    return error;
  for (size_t i = 0; i < inputCount; ++i)
    if (Error error =
            readTensor(inputs[i], "input", whole.inputs[i], tensors[i]))
      return error;
  for (size_t i = 0; i < outputCount; ++i) {
    heddle_tensor &tensor = tensors[inputCount + i];
    if (Error error =
            readTensor(outputs[i], "output", whole.outputs[i], tensor))
      return error;
    if (tensor.out_shape)
      return {HEDDLE_ARGUMENT_INVALID,
              "output '" + whole.outputs[i].name +
                  "' has out_shape; the sizes of ranks are fixed"};
  }
  for (const heddle_tensor &tensor : tensors)
    if (tensor.device)
      return {HEDDLE_TENSOR_DEVICE,
              "ranks take tensors in the process's memory"};
  TensorList ins = {tensors.data(), inputCount},
             outs = {tensors.data() + inputCount, outputCount};
  if (Error error = checkTensors("input", whole.inputs, ins, false))
    return error;
  if (Error error = checkTensors("output", whole.outputs, outs, false))
    return error;
  return checkOverlap(whole, ins, outs);
}

/// Describes the member's parts, and fills those of the inputs.
void Ranks::bindParts(Member &member) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    heddle_tensor &part = member.tensors[i];
    const TensorSpec &own = spec(i);
    part = {};
    part.size = sizeof(part);
    part.dtype = static_cast<heddle_dtype>(own.dtype);
    part.rank = static_cast<int32_t>(own.leastShape.size());
    part.shape = own.leastShape.data();
    part.data = member.staged[i] ? member.staged[i] : tensors[i].data;
    if (i < entry.inputs.size() && member.staged[i])
      copyBox({static_cast<char *>(tensors[i].data), own.whole,
               member.staged[i], own.leastShape, member.parts[i],
               elementBytes(own.dtype)},
              /*toPart=*/true, 0, 0, 0);
  }
}

/// What the ranks have made becomes the caller's outputs.
void Ranks::joinOutputs() {
  for (size_t i = entry.inputs.size(); i < tensors.size(); ++i) {
    const TensorSpec &own = spec(i);
    if (own.whole.empty())
      continue; // rank 0 has written there
    for (Member &member : members)
      if (member.owns[i - entry.inputs.size()])
        copyBox({static_cast<char *>(tensors[i].data), own.whole,
                 member.staged[i], own.leastShape, member.parts[i],
                 elementBytes(own.dtype)},
                /*toPart=*/false, 0, 0, 0);
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
    if (--at.unfinished == 0)
      at.changed.notify_all();
  }
}

/// That of the rank that failed, not of those that waited for it.
Error Ranks::outcome() const {
  const Member *failed = nullptr;
  for (const Member &member : members)
    if (member.outcome.code &&
        (!failed || (failed->outcome.code == HEDDLE_RANK_FAILED &&
                     member.outcome.code != HEDDLE_RANK_FAILED)))
      failed = &member;
  if (!failed)
    return {};
  auto code = static_cast<heddle_code>(failed->outcome.code);
  std::string message = failed->outcome.message;
  return {code,
          code == HEDDLE_RANK_FAILED
              ? message
              : "rank " + std::to_string(failed->seat.rank) + ": " + message};
}

Error Ranks::call(const heddle_tensor *const *inputs, size_t inputCount,
                  const heddle_tensor *const *outputs, size_t outputCount,
                  const heddle_call_options &given) {
  if (busy.exchange(true, std::memory_order_acquire))
    return {HEDDLE_CONTEXT_BUSY, "the ranks are in another call"};
  struct Done {
    std::atomic<bool> &busy;
    ~Done() { busy.store(false, std::memory_order_release); }
  } done{busy};
  if (given.state_count || given.size_count)
    return {HEDDLE_ARGUMENT_INVALID, "ranks take no states and no sizes"};
  if (Error error = adopt())
    return error;
  if (Error error = readTensors(inputs, inputCount, outputs, outputCount))
    return error;
  options = &given;
  engine.begin(world);
  {
    std::lock_guard<std::mutex> lock(meeting->mutex);
    ++meeting->callNumber;
    meeting->unfinished = members.size() - 1;
  }
  meeting->changed.notify_all();
  run(members.front());
  {
    std::unique_lock<std::mutex> lock(meeting->mutex);
    meeting->changed.wait(lock, [&] { return meeting->unfinished == 0; });
  }
  if (Error error = outcome())
    return error;
  joinOutputs();
  return {};
}
