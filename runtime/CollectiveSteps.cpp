// Finds a rank's group in a collective.

#include "runtime/CollectiveSteps.h"

#include "runtime/format/DataTypes.h"

#include <algorithm>

using namespace heddle::runtime;
using namespace heddle::format;

static_assert(uint32_t(CollectiveKind::permute) == HEDDLE_COLLECTIVE_PERMUTE &&
              uint32_t(ReductionKind::disjunction) == HEDDLE_REDUCE_OR);

CollectiveStep::CollectiveStep(const Collective &collective,
                               const std::vector<int64_t> &values,
                               const RankSeat &seat, int64_t sourceBytes,
                               uint32_t site) {
  auto at = [&](uint32_t i) {
    return static_cast<uint32_t>(values[collective.group()->Get(i)]);
  };
  uint32_t size = collective.group_size(),
           count = collective.group() ? collective.group()->size() : 0;
  command.kind = static_cast<uint32_t>(collective.kind());
  command.reduction = static_cast<uint32_t>(collective.reduction());
  command.dtype = static_cast<uint32_t>(collective.dtype());
  command.site = site;
  command.name = EnumNameCollectiveKind(collective.kind());
  command.elements = sourceBytes / elementBytes(collective.dtype());
  command.from = command.to = UINT32_MAX;
  if (collective.kind() == CollectiveKind::permute) {
    // Pairs tie ranks to each other all over the mesh: all meet.
    for (uint32_t i = 0; i < seat.count; ++i)
      members.push_back(i);
    command.place = seat.rank;
    for (uint32_t i = 0; i < count; i += 2) {
      if (at(i + 1) == seat.rank)
        command.from = at(i);
      if (at(i) == seat.rank)
        command.to = at(i + 1);
    }
  } else {
    for (uint32_t first = 0; first < count; first += size)
      for (uint32_t i = 0; i < size; ++i)
        if (at(first + i) == seat.rank) {
          command.place = i;
          for (uint32_t j = 0; j < size; ++j)
            members.push_back(at(first + j));
        }
  }
  command.members = members.data();
  command.member_count = static_cast<uint32_t>(members.size());
}
