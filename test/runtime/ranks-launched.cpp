// ranks-launched MODELS ENGINE WHAT [RANK]: ranks that are processes which a
// launcher has started, of which this is one. WHAT is a test (LaunchedGroup.h),
// RANK who makes trouble there; after that the first rank ends the job with
// exit code 7.

#include "test/runtime/LaunchedGroup.h"

using namespace heddle::test;

/// Joins the group, or says why not.
static bool joins() {
  heddle_group_options options = {};
  options.size = sizeof(options);
  options.engine = engine.c_str();
  options.piece_bytes = engine == "mpi" ? pieceBytes : 0;
  heddle_status status = heddle_group_join(&options, &group);
  if (!status.code)
    return true;
  std::printf("%s: %s\n", heddle_code_name(status.code), status.message);
  return false;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  folder = argv[1];
  engine = argv[2];
  std::string what = argv[3];
  uint32_t rank = argc > 4 ? uint32_t(std::atoi(argv[4])) : 0;
  if (!joins())
    return 1;
  own = heddle_group_rank(group);
  count = heddle_group_count(group);
  bool leaves = true;
  if (what == "same") {
    testServedCalls();
    testOwnCalls();
    testGroup();
  } else if (what == "differing" || what == "absent") {
    testDiffering(rank, what == "absent");
  } else if (what == "ending") {
    testEnding(rank);
    leaves = false;
  } else if (testServedTrouble(what, rank)) {
    // Troubles that end the group do not return.
  } else if (testOwnTrouble(what, rank)) {
    leaves = what == "busy";
  } else if (what != "join") {
    return 2;
  }
  if (leaves) {
    OK(heddle_group_leave(group));
    testAgain();
  }
  return finish();
}
