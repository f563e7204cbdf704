// Each rank sends what others need of it and receives what it needs, directly,
// but for a broadcast, which goes along a tree. Sums go piece by piece, so that
// what is received of them has a bounded size.

#include "runtime/collectives/MessageWorld.h"

#include "runtime/collectives/Reductions.h"
#include "runtime/drivers/Status.h"
#include "runtime/format/DataTypes.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

/// The bytes that are received at once to be joined, and the least of one
/// member: the largest element has 16.
static constexpr uint64_t termsLimit = 8 << 20, leastRow = 64;

/// An all_reduce of so few bytes of all members goes in one exchange, in which
/// each joins everything: fewer messages count for more than fewer bytes.
static constexpr int64_t smallBytes = 16 << 10;

Error MessageWorld::open() {
  uint64_t count = transport.count();
  rowBytes = std::max(leastRow, termsLimit / count / leastRow * leastRow);
  terms.resize(rowBytes * count);
  messages.reserve(2 * count);
  return transport.reserve(2 * count);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void MessageWorld::send(const Part &part, uint32_t place, const char *data,
                        int64_t bytes) {
  if (bytes && place != part.collective.place)
    messages.push_back({Message::Way::Send, part.collective.members[place],
                        const_cast<char *>(data),
                        static_cast<uint64_t>(bytes)});
}

void MessageWorld::receive(const Part &part, uint32_t place, char *data,
                           int64_t bytes) {
  if (bytes && place != part.collective.place)
    messages.push_back({Message::Way::Receive, part.collective.members[place],
                        data, static_cast<uint64_t>(bytes)});
}

/// Exchanges what was noted.
int32_t MessageWorld::exchange(const Part &part) {
  int32_t code = transport.exchange(messages.data(), messages.size(),
                                    part.patience, part.why);
  messages.clear();
  return code;
}

static void copy(char *target, const char *source, int64_t bytes) {
  if (bytes && target != source)
    std::memcpy(target, source, static_cast<size_t>(bytes));
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

int32_t MessageWorld::gather(const Part &part) {
  for (uint32_t i = 0; i < part.collective.member_count; ++i) {
    receive(part, i, part.target + i * part.bytes, part.bytes);
    send(part, i, part.source, part.bytes);
  }
  copy(part.target + part.collective.place * part.bytes, part.source,
       part.bytes);
  return exchange(part);
}

int32_t MessageWorld::allToAll(const Part &part) {
  int64_t share = part.bytes / part.collective.member_count;
  for (uint32_t i = 0; i < part.collective.member_count; ++i) {
    receive(part, i, part.target + i * share, share);
    send(part, i, part.source + i * share, share);
  }
  copy(part.target + part.collective.place * share,
       part.source + part.collective.place * share, share);
  return exchange(part);
}

/// Along a binomial tree: each member gets all from the one whose place lacks
/// its lowest bit, and gives it to those whose places have one bit below.
int32_t MessageWorld::broadcast(const Part &part) {
  uint32_t place = part.collective.place, count = part.collective.member_count,
           lowest = 1;
  while (lowest < count && !(place & lowest))
    lowest <<= 1;
  if (!place) {
    copy(part.target, part.source, part.bytes);
  } else {
    receive(part, place - lowest, part.target, part.bytes);
    if (int32_t code = exchange(part))
      return code;
  }
  for (uint32_t bit = lowest >> 1; bit; bit >>= 1)
    if (place + bit < count)
      send(part, place + bit, part.target, part.bytes);
  return exchange(part);
}

int32_t MessageWorld::permute(const Part &part) {
  const heddle_collective &collective = part.collective;
  if (collective.from == collective.place)
    copy(part.target, part.source, part.bytes);
  else if (collective.from < collective.member_count)
    receive(part, collective.from, part.target, part.bytes);
  else if (part.bytes)
    std::memset(part.target, 0, static_cast<size_t>(part.bytes));
  if (collective.to < collective.member_count)
    send(part, collective.to, part.source, part.bytes);
  return exchange(part);
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Joins this rank's own term and those that were received.
void MessageWorld::join(const Part &part, const char *own, char *target,
                        int64_t bytes) {
  struct User {
    MessageWorld &world;
    uint32_t place;
    const char *own;
  } user = {*this, part.collective.place, own};
  Terms all = {[](const void *given, uint32_t i) -> const void * {
                 const auto &user = *static_cast<const User *>(given);
                 return i == user.place ? user.own : user.world.row(i);
               },
               &user, part.collective.member_count};
  reduce(part.collective.dtype, part.collective.reduction, target, all,
         bytes / part.elementBytes);
}

int32_t MessageWorld::reduceScatter(const Part &part) {
  int64_t share = part.bytes / part.collective.member_count,
          step = static_cast<int64_t>(rowBytes) / part.elementBytes *
                 part.elementBytes;
  for (int64_t begin = 0; begin < share; begin += step) {
    int64_t bytes = std::min(step, share - begin);
    for (uint32_t i = 0; i < part.collective.member_count; ++i) {
      receive(part, i, row(i), bytes);
      send(part, i, part.source + i * share + begin, bytes);
    }
    if (int32_t code = exchange(part))
      return code;
    join(part, part.source + part.collective.place * share + begin,
         part.target + begin, bytes);
  }
  return HEDDLE_OK;
}

int32_t MessageWorld::reduceSmall(const Part &part) {
  for (uint32_t i = 0; i < part.collective.member_count; ++i) {
    receive(part, i, row(i), part.bytes);
    send(part, i, part.source, part.bytes);
  }
  if (int32_t code = exchange(part))
    return code;
  join(part, part.source, part.target, part.bytes);
  return HEDDLE_OK;
}

/// Each rank joins a share, and gives it to the others.
int32_t MessageWorld::reducePiece(const Part &part, int64_t first,
                                  int64_t elements) {
  int64_t count = part.collective.member_count;
  auto begin = [&](int64_t number) {
    return (first + elements / count * number +
            std::min(number, elements % count)) *
           part.elementBytes;
  };
  uint32_t place = part.collective.place;
  int64_t own = begin(place), bytes = begin(place + 1) - own;
  for (uint32_t i = 0; i < count; ++i) {
    receive(part, i, row(i), bytes);
    send(part, i, part.source + begin(i), begin(i + 1) - begin(i));
  }
  if (int32_t code = exchange(part))
    return code;
  join(part, part.source + own, part.target + own, bytes);
  for (uint32_t i = 0; i < count; ++i) {
    receive(part, i, part.target + begin(i), begin(i + 1) - begin(i));
    send(part, i, part.target + own, bytes);
  }
  return exchange(part);
}

int32_t MessageWorld::allReduce(const Part &part) {
  int64_t count = part.collective.member_count;
  if (part.bytes * count <= smallBytes &&
      part.bytes <= static_cast<int64_t>(rowBytes))
    return reduceSmall(part);
  int64_t step = static_cast<int64_t>(rowBytes) / part.elementBytes * count;
  for (int64_t first = 0; first < part.collective.elements; first += step)
    if (int32_t code = reducePiece(
            part, first, std::min(step, part.collective.elements - first)))
      return code;
  return HEDDLE_OK;
}

int32_t MessageWorld::runPart(const Part &part) {
  switch (part.collective.kind) {
  case HEDDLE_COLLECTIVE_ALL_REDUCE:
    return allReduce(part);
  case HEDDLE_COLLECTIVE_ALL_GATHER:
    return gather(part);
  case HEDDLE_COLLECTIVE_REDUCE_SCATTER:
    return reduceScatter(part);
  case HEDDLE_COLLECTIVE_ALL_TO_ALL:
    return allToAll(part);
  case HEDDLE_COLLECTIVE_BROADCAST:
    return broadcast(part);
  default:
    return permute(part);
  }
}

int32_t MessageWorld::run(const heddle_collective &collective,
                          const char *source, char *target,
                          const Patience &patience, heddle_status *why) {
  int64_t element = format::elementBytes(format::DataType(collective.dtype));
  // Outside of calls it stands beside other messages, at which ranks are not at
  // the same time.
  transport.enter(isInCall ? Position{number, collective.kind, collective.site}
                           : Position{number});
  int32_t code = runPart({collective, source, target, patience, why, element,
                          collective.elements * element});
  transport.enter({number});
  return code;
}

void MessageWorld::beginCall() {
  isInCall = true;
  transport.enter({++number});
}

void MessageWorld::endCall() {
  isInCall = false;
  transport.enter({++number});
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static MessageWorld &toWorld(heddle_collective_world *world) {
  return *reinterpret_cast<MessageWorld *>(world);
}

const heddle_collective_engine heddle_message_engine = {
    "messages",
    [](uint32_t, heddle_collective_world **, heddle_status *why) {
      return tell({HEDDLE_ARGUMENT_INVALID, "a group opens its world itself"},
                  why);
    },
    [](heddle_collective_world *) {},
    [](heddle_collective_world *) {},
    [](heddle_collective_world *world, uint32_t,
       const heddle_collective *collective, const void *source, void *target,
       uint64_t deadlineNs, const int32_t *cancel, heddle_status *why) {
      return toWorld(world).run(*collective, static_cast<const char *>(source),
                                static_cast<char *>(target),
                                {deadlineNs, cancel}, why);
    },
    [](heddle_collective_world *world, uint32_t, int32_t code,
       const char *message) {
      if (code)
        toWorld(world).fail({static_cast<heddle_code>(code), message});
    },
    [](heddle_collective_world *) {},
    /*watch=*/nullptr,
    /*slow_since=*/nullptr,
    /*waits=*/nullptr};
