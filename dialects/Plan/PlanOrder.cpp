// Verifies that commands of several queues touch the same memory only in an
// order that events give. Where calls choose sizes, it looks at a call of the
// largest ones.

#include "dialects/Plan/PlanOrder.h"

#include "runtime/format/Hazards.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir;
using namespace heddle;
using namespace heddle::plan;
using format::Hazards;
using format::MemoryAccess;

namespace {
/// What a command does with a buffer. Copies reach the memory of the process
/// from every device, kernels, fills and flags only what is their device's.
struct Use {
  Value buffer;
  bool reads, writes, byCopy;
};

class OrderVerifier {
public:
  OrderVerifier(ProgramOp program, const size::Ranges &ranges)
      : program(program), devices(program.deviceNames()),
        queues(program.queueDevices()), ranges(ranges) {}

  LogicalResult run() {
    SmallVector<MemoryAccess> touched;
    return verifyBlock(program.getBody().front(), touched);
  }

private:
  using Memory = std::tuple<BufferKind, int64_t, MemorySpace, int64_t>;

  LogicalResult verifyBlock(Block &block,
                            SmallVectorImpl<MemoryAccess> &touched);
  LogicalResult verifyReach(Operation *op, const Use &use, int64_t device);
  MemoryAccess access(const Use &use);

  ProgramOp program;
  SmallVector<StringRef> devices;
  SmallVector<int64_t> queues;
  const size::Ranges &ranges;
  std::map<Memory, uint32_t> memories; ///< Their numbers.
};
} // namespace

/// What `op` itself touches, not what the commands within it do.
static SmallVector<Use> usesOf(Operation *op) {
  SmallVector<Use> uses;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LaunchOp launch) {
        for (Value buffer : launch.getReads())
          uses.push_back({buffer, true, false, false});
        for (Value buffer : launch.getWrites())
          uses.push_back({buffer, false, true, false});
      })
      .Case([&](CopyOp copy) {
        uses.push_back({copy.getSource(), true, false, true});
        uses.push_back({copy.getTarget(), false, true, true});
      })
      .Case([&](ResizeOp resize) {
        // What is left of a larger target is filled.
        auto source = resize.getSource().getDefiningOp<BufferOp>();
        uses.push_back({resize.getSource(), true, false, true});
        uses.push_back({resize.getTarget(), false, true, !source.getBytes()});
      })
      .Case([&](ExtentOp extent) {
        uses.push_back({extent.getTarget(), false, true, false});
      })
      .Case([&](CollectiveOp collective) {
        uses.push_back({collective.getSource(), true, false, false});
        uses.push_back({collective.getTarget(), false, true, false});
      })
      .Case([&](RankOp rank) {
        uses.push_back({rank.getTarget(), false, true, false});
      })
      .Case([&](CountOp count) {
        uses.push_back({count.getSource(), true, false, false});
      })
      .Case([&](LoopOp loop) {
        uses.push_back({loop.getFlag(), true, false, false});
      })
      .Case([&](BranchOp branch) {
        if (branch.getSelector())
          uses.push_back({branch.getSelector(), true, false, false});
      });
  return uses;
}

LogicalResult OrderVerifier::verifyReach(Operation *op, const Use &use,
                                         int64_t device) {
  auto buffer = use.buffer.getDefiningOp<BufferOp>();
  if (use.writes && !buffer.isWritable()) {
    InFlightDiagnostic error =
        op->emitOpError() << "writes to an input, a weight or a state that the "
                             "program does not change";
    error.attachNote(buffer.getLoc()) << "the buffer";
    return error;
  }
  auto lies = static_cast<int64_t>(buffer.getDevice());
  bool shared = buffer.getSpace() == MemorySpace::Pinned ||
                buffer.getSpace() == MemorySpace::Managed;
  if (lies == device || (device == 0 && shared) || (use.byCopy && lies == 0))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "runs on " << devices[device]
                             << ", which cannot reach a buffer in "
                             << stringifyMemorySpace(buffer.getSpace())
                             << " memory of " << devices[lies];
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

/// Whether several buffers lie in one memory.
static bool isShared(BufferOp buffer) {
  return buffer.getKind() == BufferKind::Arena ||
         buffer.getKind() == BufferKind::Persistent;
}

int64_t heddle::plan::bytesAtLargest(BufferOp buffer,
                                     const size::Ranges &ranges) {
  int64_t most = buffer.getSize();
  bool isPlacedBySizes =
      buffer.getKind() == BufferKind::Arena && buffer.getDevice() == 0;
  if (!isPlacedBySizes || !buffer.getBytes())
    return most;
  size::Expression bytes = ranges.withLargest(
      size::Expression(*buffer.getBytes()), [](StringRef) { return true; });
  std::optional<int64_t> value = bytes ? bytes.asConstant() : std::nullopt;
  return value ? std::clamp<int64_t>(*value, 0, most) : most;
}

MemoryAccess OrderVerifier::access(const Use &use) {
  auto buffer = use.buffer.getDefiningOp<BufferOp>();
  int64_t place = buffer.getPlace(), begin = isShared(buffer) ? place : 0;
  Memory memory = {buffer.getKind(), buffer.getDevice(), buffer.getSpace(),
                   place - begin};
  auto number = memories.try_emplace(memory, memories.size()).first->second;
  return {number,      begin,     begin + bytesAtLargest(buffer, ranges),
          /*owner=*/0, use.reads, use.writes};
}

/// Adds what the block's commands touch to `touched`.
LogicalResult
OrderVerifier::verifyBlock(Block &block,
                           SmallVectorImpl<MemoryAccess> &touched) {
  Hazards hazards(queues.size());
  std::map<int64_t, Hazards::Clock> fired;
  for (Operation &op : block) {
    auto command = dyn_cast<CommandOpInterface>(op);
    if (!command)
      continue;
    if (command.getQueue() >= queues.size())
      return op.emitOpError() << "is in queue " << command.getQueue()
                              << ", and there are " << queues.size();
    std::vector<const Hazards::Clock *> waits;
    for (int64_t event : command.getAfter().value_or(ArrayRef<int64_t>())) {
      auto known = fired.find(event);
      if (known == fired.end())
        return op.emitOpError() << "waits for event " << event
                                << ", which no command before it signals";
      waits.push_back(&known->second);
    }
    hazards.start(command.getQueue(), waits);
    size_t first = touched.size();
    for (const Use &use : usesOf(&op)) {
      if (failed(verifyReach(&op, use, queues[command.getQueue()])))
        return failure();
      touched.push_back(access(use));
    }
    for (Region &region : op.getRegions())
      if (failed(verifyBlock(region.front(), touched)))
        return failure();
    if (queues.size() > 1)
      for (const MemoryAccess &access :
           llvm::ArrayRef(touched).drop_front(first))
        if (!hazards.touch(access))
          return op.emitOpError()
                 << "touches bytes [" << access.begin << ", " << access.end
                 << ") of a memory while a command that it "
                    "does not wait for may";
    for (int64_t event : command.getSignals().value_or(ArrayRef<int64_t>()))
      if (!fired.try_emplace(event, hazards.done()).second)
        return op.emitOpError() << "signals event " << event << " again";
  }
  return success();
}

LogicalResult heddle::plan::verifyOrder(ProgramOp program,
                                        const size::Ranges &ranges) {
  return OrderVerifier(program, ranges).run();
}
