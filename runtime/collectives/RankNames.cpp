// Names a few ranks, and counts the rest.

#include "runtime/collectives/RankNames.h"

std::string heddle::runtime::rankNames(const std::vector<uint32_t> &ranks) {
  constexpr size_t named = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  size_t shown = ranks.size() > named ? named - 1 : ranks.size();
  for (size_t i = 0; i < shown; ++i) {
    bool isLast = i + 1 == ranks.size();
    text += (i == 0 ? "" : isLast ? " and " : ", ") + std::to_string(ranks[i]);
  }
  if (shown < ranks.size())
    text += " and " + std::to_string(ranks.size() - shown) + " others";
  return text;
}
