// One walk over the steps of a program.

#ifndef HEDDLE_RUNTIME_CALL_H
#define HEDDLE_RUNTIME_CALL_H

#include "runtime/Steps.h"
#include "runtime/drivers/cpu/Pool.h"

namespace heddle::runtime {

/// Walks the steps. Small ones are done on the spot by whoever finished the one
/// before; the others are given to all workers. `host` is the CPU's driver.
/// Whoever walks also gives other devices their commands and waits for them.
class Call final : public Job {
public:
  /// `scratch` holds `scratchBytes` for each of the workers.
  Call(const Steps &steps, const heddle_driver &host, char *scratch,
       uint64_t scratchBytes, const heddle_call_options &options, bool alone,
       bool flushSubnormals)
      : Job(flushSubnormals), steps(steps), runPiece(host.run),
        scratch(scratch), scratchBytes(scratchBytes), options(options),
        alone(alone), watched(options.cancel || options.deadline_ns) {
    enter(steps.body);
  }

  /// Runs on the calling thread by itself, in its float environment.
  void runAlone();

  /// Whether the walk ended early. Devices may still be at work then.
  bool failed() const { return stopped.load() != HEDDLE_OK; }
  /// Why it did.
  Error outcome() const;

  void runChunk(int64_t worker, uint32_t chunk) override;
  uint32_t advance(int64_t worker) override;

private:
  /// A block that is being walked.
  struct Frame {
    uint32_t next; ///< Step.
    uint32_t end;
    uint32_t block;
    int64_t trips;    ///< Left to run after this one; -1: until the flag is 0.
    const Step *loop; ///< Null when the block is not of a loop.
    bool condition;   ///< The block computes the loop's flag.
  };

  void enter(uint32_t block, const Step *loop = nullptr, int64_t trips = 0,
             bool condition = false);
  void leave();
  void control(const Step &step);
  void useDevice(const Step &step);
  void meetRanks(const Step &step);
  void count(const Step &step);
  int32_t submit(const Step &step, heddle_status *why);
  template <typename Wait> int32_t await(Wait wait);
  void run(const Step &step, int64_t worker, int64_t begin, int64_t end);
  bool mustStop();
  void report(const Step &step);

  const Steps &steps;
  decltype(heddle_driver::run) runPiece;
  char *scratch;
  uint64_t scratchBytes;
  const heddle_call_options &options;
  bool alone;
  bool watched; ///< There is a deadline or a flag to look at.
  std::atomic<heddle_code> stopped{HEDDLE_OK};

  Frame frames[format::maximumBlockDepth];
  uint32_t depth = 0;
  const Step *current = nullptr; ///< Given to all workers.
  int64_t currentChunk = 1;      ///< Its tiles per chunk.
  uint32_t currentChunks = 0;
  uint64_t startNs = 0; ///< Of the step, when somebody wants to know.
  uint64_t number = 0;
  const Step *failedCall = nullptr; ///< A custom call that went wrong.
  int32_t failedCode = 0;           ///< What it returned.
  char message[400];                ///< And what it said.
  heddle_status deviceStatus;       ///< What other steps said that went wrong.
  bool isToldInStatus = false; ///< Whether that is more than the code says.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_CALL_H
