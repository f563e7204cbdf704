// Groups without their calls: what they count, what they refuse, ranks that
// have other files, and how groups are left and joined again.

#include "test/runtime/LaunchedGroup.h"

#include <csignal>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static heddle_traffic trafficOf(int ofThisMachine) {
  heddle_traffic traffic = {};
  traffic.size = sizeof(traffic);
  OK(heddle_group_traffic(group, ofThisMachine, &traffic));
  return traffic;
}

/// Each message is counted where it is sent and where it is received. All ranks
/// of tests are of this machine.
static void testTraffic() {
  heddle_traffic before = trafficOf(1);
  OK(heddle_group_agree(group, nullptr));
  heddle_traffic after = trafficOf(1);
  uint64_t messages = own ? 1 : count - 1;
  CHECK(after.sent - before.sent == messages &&
        after.received - before.received == messages);
  // A status goes back, and more comes.
  uint64_t least = messages * sizeof(heddle_status);
  CHECK(after.sent_bytes - before.sent_bytes >= least &&
        after.received_bytes - before.received_bytes >= least);
  CHECK(after.waited_ns > before.waited_ns);
  CHECK(!trafficOf(0).sent && !trafficOf(0).waited_ns);
  EXPECT(heddle_group_traffic(nullptr, 1, &after), HEDDLE_ARGUMENT_INVALID,
         "null pointer");
  after.size = 0;
  EXPECT(heddle_group_traffic(group, 1, &after), HEDDLE_ARGUMENT_INVALID,
         "size");
}

/// What cannot be is said, and the group goes on.
static void testRefusals() {
  Parted parted(count + 1, DataType::i32, 1, 1);
  parted.rank(parted.output);
  heddle_program *program = parted.load(folder);
  std::string wanted =
      "rank 0: the program is for " + std::to_string(count + 1) +
      " devices, and the group has " + std::to_string(count) + " processes";
  ranksOfGroup(program, HEDDLE_ARGUMENT_INVALID, wanted.c_str());
  heddle_program_destroy(program);
  heddle_group_options options = {};
  options.size = sizeof(options);
  heddle_group *joined = nullptr;
  options.engine = "pigeons";
  EXPECT(heddle_group_join(&options, &joined), HEDDLE_ARGUMENT_INVALID,
         "there are no groups of engine 'pigeons'; there are: mpi, tcp");
  options.engine = "tcp";
  options.piece_bytes = pieceBytes;
  EXPECT(heddle_group_join(&options, &joined), HEDDLE_ARGUMENT_INVALID,
         "a library and pieces are of the engine mpi, not of tcp");
  options.engine = "mpi";
  options.library = "libmpi-of-nobody.so.1";
  EXPECT(heddle_group_join(&options, &joined), HEDDLE_LIBRARY_MISSING,
         "libmpi-of-nobody.so.1");
  options.library = "libm.so.6";
  EXPECT(heddle_group_join(&options, &joined), HEDDLE_LIBRARY_MISSING,
         "libm.so.6 has no MPI_Initialized");
}

void heddle::test::testGroup() {
  testTraffic();
  testRefusals();
}

void heddle::test::testDiffering(uint32_t rank, bool isAbsent) {
  Parted parted(count, DataType::f32, 2, 2);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::f32, groupsOf(count), count,
      own == rank ? ReductionKind::maximum : ReductionKind::sum));
  heddle_program *program = parted.load(folder);
  std::string name = "rank " + std::to_string(rank);
  if (isAbsent && own == rank) {
    heddle_status missing = {HEDDLE_FILE_UNREADABLE, "it is not there"};
    EXPECT(heddle_group_agree(group, &missing), HEDDLE_FILE_UNREADABLE,
           (name + ": it is not there").c_str());
  } else if (isAbsent) {
    ranksOfGroup(program, HEDDLE_FILE_UNREADABLE,
                 (name + ": it is not there").c_str());
  } else {
    ranksOfGroup(program, HEDDLE_RANK_FAILED,
                 ("the artifact of " + name + " (hash ").c_str());
  }
  heddle_program_destroy(program);
}

void heddle::test::testEnding(uint32_t rank) {
  if (own == rank)
    kill(getpid(), SIGKILL);
  EXPECT(heddle_group_leave(group), HEDDLE_RANK_FAILED,
         ("rank " + std::to_string(rank) + " failed: its process ").c_str());
}

/// A group of TCP can be joined again, MPI not.
void heddle::test::testAgain() {
  heddle_group_options options = {};
  options.size = sizeof(options);
  options.engine = engine.c_str();
  heddle_group *again = nullptr;
  if (engine == "mpi") {
    EXPECT(heddle_group_join(&options, &again), HEDDLE_ARGUMENT_INVALID,
           "MPI has been ended in this process");
    return;
  }
  OK(heddle_group_join(&options, &again));
  CHECK(heddle_group_rank(again) == own && heddle_group_count(again) == count);
  OK(heddle_group_agree(again, nullptr));
  OK(heddle_group_leave(again));
}
