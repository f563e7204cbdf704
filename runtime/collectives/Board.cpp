// Notes who waits where, and finds out that nobody can go on.

#include "runtime/collectives/Board.h"

#include "runtime/collectives/SlowRanks.h"
#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

using namespace heddle;
using namespace heddle::runtime;

void Board::open(Place *given, uint32_t ranks) {
  places = given;
  count = ranks;
  begin();
}

void Board::begin() {
  for (uint32_t i = 0; i < count; ++i) {
    Place &place = places[i];
    place.name = nullptr;
    place.site = place.phase = 0;
    place.waits = place.gaveUp = place.ended = false;
    place.slowSinceNs = 0;
    place.metNs = 0;
  }
  waiting = ended = 0;
  begunNs = leastSlowNs ? monotonicNs() : 0;
  problem.code = HEDDLE_OK;
  *problem.message = '\0';
}

void Board::fail(const char *format, ...) {
  if (problem.code)
    return;
  problem.code = HEDDLE_RANK_FAILED;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(problem.message, sizeof(problem.message), format, arguments);
  va_end(arguments);
}

/// Where each rank has ended its call or waits, nobody can come any more.
void Board::failIfStuck() {
  if (!waiting || waiting + ended < count || problem.code)
    return;
  uint32_t one = 0, other = 0;
  while (!places[one].waits)
    ++one;
  while (other < count && !places[other].ended)
    ++other;
  if (other < count)
    fail("rank %u waits in %s (command %u), but rank %u has ended its call",
         one, places[one].name, places[one].site, other);
  else
    fail("rank %u waits in %s (command %u), but others of its group wait "
         "elsewhere",
         one, places[one].name, places[one].site);
}

/// Whether all members of the group wait where `rank` does.
bool Board::isComplete(uint32_t rank,
                       const heddle_collective &collective) const {
  const Place &own = places[rank];
  for (uint32_t i = 0; i < collective.member_count; ++i) {
    const Place &other = places[collective.members[i]];
    if (!other.waits || other.site != own.site || other.phase != own.phase)
      return false;
  }
  return true;
}

bool Board::arrive(uint32_t rank, const heddle_collective &collective,
                   uint32_t phase) {
  Place &own = places[rank];
  own.name = collective.name;
  own.site = collective.site;
  own.phase = phase;
  own.waits = true;
  ++waiting;
  if (!isComplete(rank, collective)) {
    failIfStuck();
    return false;
  }
  uint64_t now = leastSlowNs ? monotonicNs() : 0;
  for (uint32_t i = 0; i < collective.member_count; ++i) {
    places[collective.members[i]].waits = false;
    places[collective.members[i]].metNs = now;
  }
  waiting -= collective.member_count;
  return true;
}

void Board::leave(uint32_t rank) {
  if (!places[rank].waits)
    return;
  places[rank].waits = false;
  places[rank].gaveUp = true;
  --waiting;
}

uint64_t Board::blameNs(uint32_t rank, uint64_t sinceNs) const {
  if (!leastSlowNs)
    return 0;
  uint64_t workedNs = sinceNs - std::max(places[rank].metNs, begunNs);
  return sinceNs + slowAfterNs(leastSlowNs, workedNs);
}

uint64_t Board::blame(uint32_t rank, const heddle_collective &collective,
                      uint64_t sinceNs) {
  for (uint32_t i = 0; i < collective.member_count; ++i) {
    uint32_t member = collective.members[i];
    if (member != rank && isAwaited(member) && !places[member].slowSinceNs)
      places[member].slowSinceNs = sinceNs;
  }
  uint64_t now = monotonicNs();
  return now + (now - sinceNs);
}

format::Error Board::whileWaiting(const format::Error &over, uint32_t rank,
                                  const heddle_collective &collective) const {
  for (uint32_t i = 0; i < collective.member_count; ++i)
    if (collective.members[i] != rank && isAwaited(collective.members[i]))
      return whileWaitingFor(collective.members[i], over);
  return over;
}

void Board::end(uint32_t rank, int32_t code, const char *message) {
  if (!places[rank].ended) {
    places[rank].ended = true;
    ++ended;
  }
  if (code)
    fail("rank %u failed: %s", rank, message);
  else
    failIfStuck();
}
