// Ranks that are the processes of a group.

#ifndef HEDDLE_RUNTIME_LAUNCHEDRANKS_H
#define HEDDLE_RUNTIME_LAUNCHEDRANKS_H

#include "runtime/Context.h"
#include "runtime/LaunchedGroup.h"
#include "runtime/PartMemory.h"
#include "runtime/RankGroup.h"

#include <sys/types.h>

namespace heddle::runtime {

/// All ranks of an entry, of which this process is one. The first calls: it
/// sends the others what they are to do, and their parts of the inputs, and
/// gets theirs of the outputs.
class LaunchedRanks final : public RankGroup {
public:
  /// `hasOwnCalls`: each process calls with its own parts, and nobody serves
  /// the first. `problem`: why this process cannot be a rank, which all are
  /// told.
  LaunchedRanks(std::shared_ptr<LoadedProgram> program, size_t entry,
                std::shared_ptr<LaunchedGroup> group, bool hasOwnCalls,
                Error problem);
  ~LaunchedRanks() override;

  size_t threads() const override { return context ? context->threads() : 0; }
  Error serveCalls() override;

private:
  /// What the first rank tells the others to do.
  struct Order {
    enum Kind : uint32_t { Call, Stop };
    Kind kind;
    uint32_t flags;
    uint64_t remainingNs; ///< Until the call's deadline; 0: it has none.
    uint64_t gathersAll;  ///< Whether it wants each rank's outputs, or of equal
                          ///< parts one.
  };

  Error create(uint32_t threads) override;
  Error checkReady(const heddle_call_options &options) override;
  Error run(const heddle_call_options &options) override;
  Error runOwn(const heddle_tensor *const *inputs, size_t inputCount,
               const heddle_tensor *const *outputs, size_t outputCount,
               const heddle_call_options &options) override;

  Error prepare(uint32_t threads);
  Error exchange(const Message *messages, size_t count);
  Error exchange(const Message &message) { return exchange(&message, 1); }
  Error order(const Order &order);
  Error giveInput(size_t tensor);
  Error giveToAll(size_t tensor, const char *source);
  Error takeOutput(size_t tensor);
  Error takeReports();
  bool wantsAll() const;
  Error takePart(const Order &order);
  Error callPlaced(const heddle_call_options &options);
  Error runPart(const heddle_tensor *const *inputs, size_t inputCount,
                const heddle_tensor *const *outputs, size_t outputCount,
                const heddle_call_options &options);
  Error callAll(const heddle_call_options &options);
  Error serveAll();
  Error checkOwner() const;
  Error checkGroup() const;
  template <typename Body> Error inTurn(Body body);
  Error conclude(Error error);

  uint32_t rank() const { return group->rank(); }
  /// Where this rank's part lies in a call.
  char *place(size_t tensor) const;

  std::shared_ptr<LaunchedGroup> group;
  const bool hasOwnCalls;
  Error problem;
  std::unique_ptr<Context> context;
  PartMemory memory;
  PartMemory passing; ///< Of the first rank: parts on their way.
  std::vector<heddle_tensor> described;
  std::vector<const heddle_tensor *> pointers;
  std::vector<uint32_t> everybody;
  std::vector<Message> messages; ///< Of the first rank, one to each other.
  std::vector<char> reports;     ///< Of each rank.
  Patience patience;             ///< Of the call.
  bool isReady = false;
  pid_t owner;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_LAUNCHEDRANKS_H
