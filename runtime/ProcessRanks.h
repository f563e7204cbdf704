// Ranks that are processes, which the caller's process forks.

#ifndef HEDDLE_RUNTIME_PROCESSRANKS_H
#define HEDDLE_RUNTIME_PROCESSRANKS_H

#include "runtime/Context.h"
#include "runtime/RankGroup.h"
#include "runtime/SharedRegion.h"
#include "runtime/SlowRankFinder.h"

#include <poll.h>
#include <sys/types.h>

namespace heddle::runtime {

/// All ranks of an entry, each a process with memory of its own. What they give
/// each other, arenas and tensors of calls, lies in memory that all share.
class ProcessRanks final : public RankGroup {
public:
  ProcessRanks(std::shared_ptr<LoadedProgram> program, size_t entry);
  ~ProcessRanks() override;

  size_t threads() const override { return reported[0].threads; }

private:
  /// What the caller's process tells those of the ranks.
  struct Orders {
    SharedSignal wanted;           ///< Number of a call; ranks wait here.
    std::atomic<uint32_t> missing; ///< How many have not reported it.
    std::atomic<uint32_t> stops;
    int32_t cancel;
    uint64_t deadlineNs;
    uint32_t flags;
  };
  /// What a rank's process tells of the call that it did last.
  struct Report {
    std::atomic<uint32_t> call;
    uint32_t threads;              ///< That the rank has.
    std::atomic<uint64_t> endedNs; ///< When the call ended.
    heddle_status outcome;
  };
  /// A rank as the caller's process knows it.
  struct Member {
    int process = -1; ///< A descriptor of it, which names no other process when
                      ///< it has ended; -1: there is none.
    std::vector<char *> staged; ///< Its parts of tensors, in shared memory,
    char *arena = nullptr;      ///< and what its context computes in.
  };
  /// What a rank's process calls with.
  struct Calls {
    std::unique_ptr<Context> context;
    std::vector<heddle_tensor> tensors;
    std::vector<const heddle_tensor *> pointers;
  };

  Error create(uint32_t threads) override;
  Error checkReady(const heddle_call_options &options) override;
  Error run(const heddle_call_options &options) override;

  Error placeMemory(uint32_t threads);
  Error forkMembers(uint32_t threads);
  void stop();
  void killAll();
  void fillInputs();
  void giveOutputs();
  void order(const heddle_call_options &options);
  Error awaitReports(const heddle_call_options &options);
  bool awaitChange(uint64_t untilNs);
  uint32_t firstMissing() const;
  void findEnded();
  void findSlow();
  void fail(uint32_t rank, const std::string &how);
  Error outcome() const;

  [[noreturn]] void serve(uint32_t rank, uint32_t threads);
  Error prepare(uint32_t rank, uint32_t threads, Calls &made);
  heddle_status callOnce(Calls &with);
  void report(uint32_t rank, uint32_t call, const heddle_status &outcome);

  const heddle_collective_engine &engine = heddle_process_engine;
  heddle_collective_world *world = nullptr;
  SharedRegion shared;
  Orders *orders = nullptr;
  Report *reported = nullptr; ///< Of each rank.
  uint64_t arenaBytes = 0;    ///< Of a rank.
  std::vector<Member> members;
  /// What the caller's process waits for: `lastReport`, which the last rank
  /// that reports writes, and the ends of processes.
  std::vector<pollfd> awaited;
  int lastReport = -1;
  heddle_status failure = {}; ///< Of the rank whose process ended first, since
                              ///< when there is none any more.
  uint32_t calls = 0;         ///< Making the ranks is the first.
  SlowRankFinder finder;
  bool looksForSlow = false; ///< In calls, once the ranks are made.
  pid_t owner;               ///< Whose processes the ranks are.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PROCESSRANKS_H
