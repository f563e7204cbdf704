// Lets the processes of a group run the calls of the first of them.
//
// What the first rank sends each other rank, in this order: an order, its parts
// of the inputs that are cut, while those that are not go from rank to rank;
// and what it gets back: the parts of the outputs that are cut, and a byte that
// says that the call went well there. Where one did not, all are told otherwise
// (Transport.h), whatever they wait for.

#include "runtime/LaunchedRanks.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"

#include <cstring>
#include <unistd.h>
#include <utility>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

LaunchedRanks::LaunchedRanks(std::shared_ptr<LoadedProgram> given, size_t index,
                             std::shared_ptr<LaunchedGroup> joined,
                             bool hasOwnCalls, Error why)
    : RankGroup(std::move(given), index), group(std::move(joined)),
      hasOwnCalls(hasOwnCalls), problem(std::move(why)), owner(getpid()) {}

LaunchedRanks::~LaunchedRanks() {
  if (!isReady || rank() || hasOwnCalls || owner != getpid() ||
      group->transport->failure().code)
    return;
  group->transport->expectEnds(true);
  patience = {};
  // Who does not hear it is ended by the launcher.
  (void)order({Order::Stop, 0, 0, 0});
}

//===----------------------------------------------------------------------===//
// Making ranks
//===----------------------------------------------------------------------===//

Error LaunchedRanks::prepare(uint32_t threads) {
  if (problem)
    return problem;
  if (parts.ranks() != group->count())
    return {HEDDLE_ARGUMENT_INVALID,
            "the program is for " + std::to_string(parts.ranks()) +
                " devices, and the group has " +
                std::to_string(group->count()) +
                (group->count() == 1 ? " process" : " processes")};
  RankSeat seat = {&heddle_message_engine, group->world->handle(), rank(),
                   group->count()};
  context = std::make_unique<Context>(program, entryIndex, seat);
  heddle_context_options options = {};
  options.size = sizeof(options);
  options.threads = threads;
  if (Error error = context->create(options, nullptr))
    return error;
  for (uint32_t i = 0; i < group->count(); ++i)
    everybody.push_back(i);
  messages.resize(group->count());
  reports.resize(group->count());
  described.resize(tensors.count());
  for (const heddle_tensor &tensor : described)
    pointers.push_back(&tensor);
  if (!rank())
    if (Error error = passing.allocate(*program, tensors))
      return error;
  return memory.allocate(*program, tensors);
}

Error LaunchedRanks::create(uint32_t threads) {
  const Header &header = program->header();
  return inTurn([&]() -> Error {
    Error own = prepare(threads);
    if (Error error = group->agree(own, Hash(header.hash[0], header.hash[1]),
                                   entryIndex, hasOwnCalls))
      return error;
    group->transport->expectEnds(false);
    isReady = true;
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Calls, as all ranks see them
//===----------------------------------------------------------------------===//

/// Calls `body` unless other ranks of the group, or the group itself, exchange
/// messages on another thread.
template <typename Body> Error LaunchedRanks::inTurn(Body body) {
  Turn turn(group->busy);
  return turn ? body() : LaunchedGroup::inUse();
}

Error LaunchedRanks::exchange(const Message *list, size_t number) {
  heddle_status why;
  return told(group->transport->exchange(list, number, patience, &why), why);
}

char *LaunchedRanks::place(size_t tensor) const {
  if (rank())
    return memory.at(tensor);
  // The first rank uses the caller's memory where it has all of a tensor, or is
  // given its part.
  if (!tensors.isWhole(tensor))
    return static_cast<char *>(tensors.data(tensor, 0));
  return parts.isUncut(tensor) ? static_cast<char *>(tensors.data(tensor))
                               : memory.at(tensor);
}

/// An input that is not cut goes from the first rank to all.
Error LaunchedRanks::giveToAll(size_t tensor, const char *source) {
  heddle_status why;
  heddle_collective broadcast = {};
  broadcast.kind = HEDDLE_COLLECTIVE_BROADCAST;
  broadcast.dtype = HEDDLE_UI8;
  broadcast.members = everybody.data();
  broadcast.member_count = group->count();
  broadcast.place = rank();
  broadcast.elements = tensors.spec(tensor).largestBytes;
  return told(
      group->world->run(broadcast, source, place(tensor), patience, &why), why);
}

Error LaunchedRanks::callPlaced(const heddle_call_options &options) {
  for (size_t i = 0; i < tensors.count(); ++i) {
    described[i] = parts.partTensor(i);
    described[i].data = place(i);
  }
  size_t inputs = entry.inputs.size();
  return runPart(pointers.data(), inputs, pointers.data() + inputs,
                 entry.outputs.size(), options);
}

namespace {
/// While it lives this rank is in a call.
class Watch {
public:
  Watch(Transport &transport, const SlowReport &report) : transport(transport) {
    transport.watchSlow(&report);
  }
  ~Watch() { transport.watchSlow(nullptr); }
  Watch(const Watch &) = delete;

private:
  Transport &transport;
};
} // namespace

Error LaunchedRanks::runPart(const heddle_tensor *const *inputs,
                             size_t inputCount,
                             const heddle_tensor *const *outputs,
                             size_t outputCount,
                             const heddle_call_options &options) {
  group->world->beginCall();
  Error error =
      context->call(inputs, inputCount, outputs, outputCount, options);
  group->world->endCall();
  return error;
}

/// Where a call has not gone well on this rank, all are told; the error is that
/// of the rank which failed first.
Error LaunchedRanks::conclude(Error error) {
  if (error)
    group->transport->fail(error);
  const heddle_status &failure = group->transport->failure();
  return told(failure.code, failure);
}

//===----------------------------------------------------------------------===//
// The first rank
//===----------------------------------------------------------------------===//

static Error madeForOwnCalls() {
  return {HEDDLE_ARGUMENT_INVALID,
          "the ranks were made for calls of each process with its own parts "
          "(heddle_ranks_options.own_calls)"};
}

Error LaunchedRanks::checkReady(const heddle_call_options &) {
  if (rank())
    return {HEDDLE_ARGUMENT_INVALID,
            "calls are made by rank 0, and this process is rank " +
                std::to_string(rank()) + ": it serves them"};
  if (hasOwnCalls)
    return madeForOwnCalls();
  return checkOwner();
}

Error LaunchedRanks::checkOwner() const {
  if (owner != getpid())
    return {HEDDLE_RANK_FAILED, "the rank is the process that made it, not "
                                "this one, which was forked from it"};
  return {};
}

/// Once nobody else uses the group.
Error LaunchedRanks::checkGroup() const {
  const heddle_status &failure = group->transport->failure();
  return told(failure.code, failure);
}

Error LaunchedRanks::order(const Order &order) {
  auto *data = const_cast<Order *>(&order);
  for (uint32_t i = 1; i < group->count(); ++i)
    messages[i - 1] = {Message::Way::Send, i, reinterpret_cast<char *>(data),
                       sizeof(Order)};
  return exchange(messages.data(), group->count() - 1);
}

Error LaunchedRanks::giveInput(size_t tensor) {
  bool isWhole = tensors.isWhole(tensor);
  if (parts.isUncut(tensor))
    return giveToAll(tensor, place(tensor));
  if (isWhole)
    parts.cut(tensor, 0, tensors.data(tensor), place(tensor));
  auto bytes = static_cast<uint64_t>(tensors.spec(tensor).largestBytes);
  for (uint32_t i = 1; i < group->count(); ++i) {
    char *part = isWhole ? passing.at(tensor)
                         : static_cast<char *>(tensors.data(tensor, i));
    if (isWhole)
      parts.cut(tensor, i, tensors.data(tensor), part);
    if (Error error = exchange({Message::Way::Send, i, part, bytes}))
      return error;
  }
  return {};
}

/// Whether some output is wanted of each rank, also where several have the
/// same.
bool LaunchedRanks::wantsAll() const {
  for (size_t i = entry.inputs.size(); i < tensors.count(); ++i)
    if (!tensors.isWhole(i))
      return true;
  return false;
}

Error LaunchedRanks::takeOutput(size_t tensor) {
  bool isWhole = tensors.isWhole(tensor), all = wantsAll();
  auto bytes = static_cast<uint64_t>(tensors.spec(tensor).largestBytes);
  if (isWhole && !parts.isUncut(tensor))
    parts.join(tensor, 0, place(tensor), tensors.data(tensor));
  for (uint32_t i = 1; i < group->count(); ++i) {
    if (parts.isUncut(tensor)) { // it is the same everywhere
      if (!isWhole && bytes)
        std::memcpy(tensors.data(tensor, i), place(tensor), bytes);
      continue;
    }
    if (!all && !parts.owns(tensor, i))
      continue;
    char *part = isWhole ? passing.at(tensor)
                         : static_cast<char *>(tensors.data(tensor, i));
    if (Error error = exchange({Message::Way::Receive, i, part, bytes}))
      return error;
    if (isWhole && parts.owns(tensor, i))
      parts.join(tensor, i, part, tensors.data(tensor));
  }
  return {};
}

/// All ranks have done the call when each has reported.
Error LaunchedRanks::takeReports() {
  for (uint32_t i = 1; i < group->count(); ++i)
    messages[i - 1] = {Message::Way::Receive, i, &reports[i], 1};
  return exchange(messages.data(), group->count() - 1);
}

Error LaunchedRanks::run(const heddle_call_options &options) {
  return inTurn([&] { return callAll(options); });
}

Error LaunchedRanks::callAll(const heddle_call_options &options) {
  if (Error error = checkGroup())
    return error;
  Watch watch(*group->transport, slow);
  patience = {options.deadline_ns, options.cancel};
  uint64_t now = monotonicNs(), remaining = 0;
  if (options.deadline_ns)
    remaining = options.deadline_ns > now ? options.deadline_ns - now : 1;
  Error error = order({Order::Call, options.flags, remaining, wantsAll()});
  for (size_t i = 0; i < entry.inputs.size() && !error; ++i)
    error = giveInput(i);
  if (!error)
    error = callPlaced(options);
  for (size_t i = entry.inputs.size(); i < tensors.count() && !error; ++i)
    error = takeOutput(i);
  if (!error)
    error = takeReports();
  return conclude(error);
}

Error LaunchedRanks::runOwn(const heddle_tensor *const *inputs,
                            size_t inputCount,
                            const heddle_tensor *const *outputs,
                            size_t outputCount,
                            const heddle_call_options &options) {
  if (!hasOwnCalls)
    return {HEDDLE_ARGUMENT_INVALID,
            "the ranks were made for calls of rank 0: set "
            "heddle_ranks_options.own_calls for all processes"};
  if (Error error = checkOwner())
    return error;
  return inTurn([&]() -> Error {
    if (Error error = checkGroup())
      return error;
    Watch watch(*group->transport, slow);
    return conclude(runPart(inputs, inputCount, outputs, outputCount, options));
  });
}

//===----------------------------------------------------------------------===//
// The other ranks
//===----------------------------------------------------------------------===//

Error LaunchedRanks::takePart(const Order &order) {
  heddle_call_options options = {};
  options.size = sizeof(options);
  options.flags = order.flags;
  if (order.remainingNs)
    options.deadline_ns = monotonicNs() + order.remainingNs;
  patience = {options.deadline_ns, nullptr};
  auto bytes = [&](size_t tensor) {
    return static_cast<uint64_t>(tensors.spec(tensor).largestBytes);
  };
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    Message part = {Message::Way::Receive, 0, place(i), bytes(i)};
    if (Error error = parts.isUncut(i) ? giveToAll(i, nullptr) : exchange(part))
      return error;
  }
  if (Error error = callPlaced(options))
    return error;
  for (size_t i = entry.inputs.size(); i < tensors.count(); ++i)
    if (!parts.isUncut(i) && (order.gathersAll || parts.owns(i, rank())))
      if (Error error = exchange({Message::Way::Send, 0, place(i), bytes(i)}))
        return error;
  char done = 1;
  return exchange({Message::Way::Send, 0, &done, 1});
}

Error LaunchedRanks::serveCalls() {
  if (!rank())
    return {HEDDLE_ARGUMENT_INVALID,
            "rank 0 makes the calls that other ranks serve"};
  if (hasOwnCalls)
    return madeForOwnCalls();
  return inTurn([&] { return serveAll(); });
}

Error LaunchedRanks::serveAll() {
  while (true) {
    Order order = {};
    patience = {};
    Error error = exchange({Message::Way::Receive, 0,
                            reinterpret_cast<char *>(&order), sizeof(order)});
    if (!error && order.kind == Order::Stop) {
      group->transport->expectEnds(true);
      return {};
    }
    if (!error) {
      Watch watch(*group->transport, slow);
      error = takePart(order);
    }
    if (Error failed = conclude(error))
      return failed;
  }
}
