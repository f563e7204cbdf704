// Ranks that are threads of this process.

#ifndef HEDDLE_RUNTIME_RANKS_H
#define HEDDLE_RUNTIME_RANKS_H

#include "runtime/Context.h"
#include "runtime/PartMemory.h"
#include "runtime/RankGroup.h"
#include "runtime/SlowRankFinder.h"

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sys/types.h>

namespace heddle::runtime {

/// All ranks of an entry, as threads of this process: the caller's is rank 0.
class Ranks final : public RankGroup {
public:
  Ranks(std::shared_ptr<LoadedProgram> program, size_t entry);
  ~Ranks() override;

  size_t threads() const override { return members.front().context->threads(); }

private:
  /// A rank: its context, and its parts of the call's tensors.
  struct Member {
    Ranks *ranks = nullptr;
    RankSeat seat;
    std::unique_ptr<Context> context;
    PartMemory memory;
    std::vector<char *> staged;         ///< Inputs, then outputs; null: the
                                        ///< caller's own memory is used.
    std::vector<heddle_tensor> tensors; ///< Of a call.
    std::vector<const heddle_tensor *> pointers;
    heddle_status outcome;
    std::atomic<uint64_t> endedNs{0}; ///< Its call; 0: it has not.
    pthread_t thread;
    bool started = false;
  };

  /// By what the threads of the ranks and the caller wait for each other.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable stopped; ///< That `stopping` is said.
    uint64_t callNumber = 0;         ///< What the threads wait for.
    size_t unfinished = 0;           ///< Ranks that have not done the call.
    bool isLooking = false;          ///< Who looks for slow ranks does so.
    bool stopping = false;
  };

  Error create(uint32_t threads) override;
  Error checkReady(const heddle_call_options &options) override;
  Error run(const heddle_call_options &options) override;
  Error createMember(Member &member, uint32_t threads);
  Error startThreads();
  void stopThreads();
  Error adopt();
  void bindParts(Member &member);
  void joinOutputs();
  void run(Member &member);
  void serve(Member &member);
  void end(Member &member);
  void lookForSlow();

  const heddle_collective_engine &engine = heddle_thread_engine;
  heddle_collective_world *world = nullptr;
  std::vector<Member> members;
  SlowRankFinder finder;
  pthread_t looker; ///< A thread that looks for slow ranks.
  bool hasLooker = false;
  const heddle_call_options *options = nullptr;
  std::unique_ptr<Meeting> meeting;
  /// The process that the threads are of. Only the call that is `busy` writes
  /// it.
  pid_t owner;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_RANKS_H
