// Moves bytes from where they lie to where they are wanted, once.
//
// A collective is a few phases; between two of them the ranks of a group meet.
// In all_reduce each rank joins a part of its own into its target, and then
// takes the other parts from the others' targets.

#include "runtime/collectives/InPlace.h"

#include "runtime/collectives/Reductions.h"
#include "runtime/format/DataTypes.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

namespace {
/// One rank's part in a collective, and where those of all lie.
struct Part {
  const InPlaceRank *ranks;
  const CollectivePart &given;
  Meeting &meeting;

  const heddle_collective &collective = given.collective;
  const InPlaceRank &own() const { return ranks[given.rank]; }
  const InPlaceRank &member(uint32_t number) const {
    return ranks[collective.members[number]];
  }
};

/// The sources of a group, from an offset on.
struct Sources {
  const InPlaceRank *ranks;
  const heddle_collective &collective;
  int64_t offset; ///< Bytes.

  Terms terms() const {
    return {[](const void *user, uint32_t i) -> const void * {
              const auto &own = *static_cast<const Sources *>(user);
              return own.ranks[own.collective.members[i]].source + own.offset;
            },
            this, collective.member_count};
  }
};
} // namespace

static void copy(void *target, const void *source, int64_t bytes) {
  if (bytes)
    std::memcpy(target, source, static_cast<size_t>(bytes));
}

/// Each rank joins a part, and takes the others' parts when they are there.
static int32_t allReduce(const Part &part) {
  const heddle_collective &collective = part.collective;
  int64_t count = collective.member_count,
          bytes = format::elementBytes(format::DataType(collective.dtype));
  auto begin = [&](int64_t number) {
    return collective.elements / count * number +
           std::min(number, collective.elements % count);
  };
  int64_t first = begin(collective.place);
  Sources sources{part.ranks, collective, first * bytes};
  char *target = part.own().target;
  reduce(collective.dtype, collective.reduction, target + first * bytes,
         sources.terms(), begin(collective.place + 1) - first);
  if (int32_t code = part.meeting.meet(part.given, 1))
    return code;
  for (uint32_t i = 0; i < collective.member_count; ++i)
    if (i != collective.place)
      copy(target + begin(i) * bytes, part.member(i).target + begin(i) * bytes,
           (begin(i + 1) - begin(i)) * bytes);
  return HEDDLE_OK;
}

/// What takes no meeting between the first and the last.
static void exchange(const Part &part) {
  const heddle_collective &collective = part.collective;
  int64_t element = format::elementBytes(format::DataType(collective.dtype)),
          bytes = collective.elements * element,
          piece = bytes / collective.member_count;
  char *target = part.own().target;
  switch (collective.kind) {
  case HEDDLE_COLLECTIVE_ALL_GATHER:
    for (uint32_t i = 0; i < collective.member_count; ++i)
      copy(target + i * bytes, part.member(i).source, bytes);
    return;
  case HEDDLE_COLLECTIVE_ALL_TO_ALL:
    for (uint32_t i = 0; i < collective.member_count; ++i)
      copy(target + i * piece, part.member(i).source + collective.place * piece,
           piece);
    return;
  case HEDDLE_COLLECTIVE_REDUCE_SCATTER: {
    Sources sources{part.ranks, collective, collective.place * piece};
    reduce(collective.dtype, collective.reduction, target, sources.terms(),
           piece / element);
    return;
  }
  case HEDDLE_COLLECTIVE_BROADCAST:
    return copy(target, part.member(0).source, bytes);
  case HEDDLE_COLLECTIVE_PERMUTE:
    if (collective.from < collective.member_count)
      copy(target, part.member(collective.from).source, bytes);
    else if (bytes)
      std::memset(target, 0, static_cast<size_t>(bytes));
    return;
  default:
    return;
  }
}

int32_t runtime::runInPlace(InPlaceRank *ranks, const CollectivePart &given,
                            Meeting &meeting) {
  // The others read it when all have met.
  ranks[given.rank] = {static_cast<const char *>(given.source),
                       static_cast<char *>(given.target)};
  if (int32_t code = meeting.meet(given, 0))
    return code;
  Part part = {ranks, given, meeting};
  if (given.collective.kind == HEDDLE_COLLECTIVE_ALL_REDUCE) {
    if (int32_t code = allReduce(part))
      return code;
  } else {
    exchange(part);
  }
  return meeting.meet(given, 2);
}
