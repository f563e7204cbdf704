// What the files of ranks-launched have in common: the group of which this
// process is one, its ranks, and the tests that are made with it.

#ifndef HEDDLE_TEST_RUNTIME_LAUNCHEDGROUP_H
#define HEDDLE_TEST_RUNTIME_LAUNCHEDGROUP_H

#include "test/runtime/PartedModel.h"

namespace heddle::test {

inline std::string folder; ///< Of test models.
inline std::string engine; ///< Of the group.
inline heddle_group *group = nullptr;
inline uint32_t own = 0, count = 0; ///< This rank, and how many there are.

/// Of MPI. Small, so that tensors of tests go in several.
constexpr uint64_t pieceBytes = 50000;

inline heddle_ranks *ranksOfGroup(heddle_program *program,
                                  int32_t code = HEDDLE_OK,
                                  const char *part = nullptr,
                                  bool hasOwnCalls = false) {
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.group = group;
  options.own_calls = hasOwnCalls;
  heddle_ranks *ranks = nullptr;
  EXPECT(heddle_ranks_create(program, 0, &options, &ranks), code, part);
  return ranks;
}

/// Ranks whose processes all call.
inline heddle_ranks *ownRanksOfGroup(heddle_program *program) {
  return ranksOfGroup(program, HEDDLE_OK, nullptr, /*hasOwnCalls=*/true);
}

/// All ranks, or two groups whose members are not neighbours.
inline std::vector<uint32_t> groupsOf(uint32_t size) {
  std::vector<uint32_t> list;
  for (uint32_t first = 0; first < count / size; ++first)
    for (uint32_t i = 0; i < size; ++i)
      list.push_back((first + i * (count / size) + 1) % count);
  return list;
}

/// Says that this rank has learnt of a trouble. The first rank ends the job
/// when all have had time to say so.
inline void endWithTrouble() {
  std::printf("rank %u: %s\n", own, failures ? "checks failed" : "has learned");
  std::fflush(stdout);
  sleep(2); // by when all have said so
  heddle_group_await_abort(group, 60000000000);
  heddle_group_abort(group, 7);
}

/// The bits of calls that the first rank makes and the others serve.
void testServedCalls();
/// What becomes of such calls where `rank` makes trouble, of which `what` is
/// the name; false: there is no such trouble.
bool testServedTrouble(const std::string &what, uint32_t rank);

/// Calls that each process makes with its own parts.
void testOwnCalls();
/// What becomes of such calls in troubles; false: there is none named `what`.
bool testOwnTrouble(const std::string &what, uint32_t rank);

/// What a group is without any calls: what it counts and what it refuses.
void testGroup();
/// Where `rank` has another file, or none, all learn of it, and can leave.
void testDiffering(uint32_t rank, bool isAbsent);
/// `rank` ends while the others leave.
void testEnding(uint32_t rank);
/// After the group has been left.
void testAgain();

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_LAUNCHEDGROUP_H
