// The ranks that run one program together, and the whole tensors of a call.

#ifndef HEDDLE_RUNTIME_RANKS_H
#define HEDDLE_RUNTIME_RANKS_H

#include "runtime/Context.h"
#include "runtime/format/Collectives.h"

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sys/types.h>

namespace heddle::runtime {

/// All ranks of an entry, as threads of this process: the caller's is rank 0.
class Ranks {
public:
  Ranks(std::shared_ptr<LoadedProgram> program, size_t entry);
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  Error create(const heddle_ranks_options &options);
  Error call(const heddle_tensor *const *inputs, size_t inputCount,
             const heddle_tensor *const *outputs, size_t outputCount,
             const heddle_call_options &options);

private:
  /// A rank: its context, and its parts of the call's tensors.
  struct Member {
    Ranks *ranks = nullptr;
    RankSeat seat;
    std::unique_ptr<Context> context;
    DeviceMemory memory;                   ///< Of the parts.
    std::vector<char *> staged;            ///< Inputs, then outputs; null: the
                                           ///< caller's own memory is used.
    std::vector<format::TensorPart> parts; ///< The same.
    std::vector<bool> owns;                ///< Outputs that it gives.
    std::vector<heddle_tensor> tensors;    ///< Of a call.
    std::vector<const heddle_tensor *> pointers;
    heddle_status outcome;
    pthread_t thread;
    bool started = false;
  };

  /// By what the threads of the ranks and the caller wait for each other.
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t callNumber = 0; ///< What the threads wait for.
    size_t unfinished = 0;   ///< Threads that have not done the call.
    bool stopping = false;
  };

  Error createMember(Member &member, uint32_t threads);
  void chooseOwners();
  Error startThreads();
  void stopThreads();
  Error adopt();
  Error readTensors(const heddle_tensor *const *inputs, size_t inputCount,
                    const heddle_tensor *const *outputs, size_t outputCount);
  const TensorSpec &spec(size_t tensor) const;
  void bindParts(Member &member);
  void joinOutputs();
  void run(Member &member);
  void serve(Member &member);
  Error outcome() const;

  std::shared_ptr<LoadedProgram> program;
  size_t entryIndex;
  const EntrySpec &entry;
  EntrySpec whole; ///< The entry on whole tensors.
  const heddle_collective_engine &engine = heddle_thread_engine;
  heddle_collective_world *world = nullptr;
  std::vector<Member> members;
  std::vector<heddle_tensor> tensors; ///< Of a call: inputs, outputs.
  const heddle_call_options *options = nullptr;
  std::atomic<bool> busy{false};
  std::unique_ptr<Meeting> meeting;
  /// The process that the threads are of. Only the call that is `busy` writes
  /// it.
  pid_t owner;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_RANKS_H
