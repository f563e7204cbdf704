// Runs the integer part of a kernel for one thread of each warp, and keeps what
// it does with barriers, copies and products.

#include "passes/Kernel/Gpu/ReadProtocol.h"

#include "dialects/Kernel/GridKernels.h"
#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_VERIFYPROTOCOL
#include "passes/Kernel/Gpu/Passes.h.inc"

namespace {

using Step = ws::ProtocolStep;

/// A thread of the first block, which stands for its warp. Values that it
/// cannot follow (floats, memory, what loops and branches without steps
/// compute) have no number.
class ThreadReader {
public:
  /// `known`: how many barriers other threads have made. `mostTiles`: how many
  /// tiles they go through, 0 if this one says it.
  ThreadReader(func::FuncOp kernel, int64_t thread, size_t known,
               int64_t mostTiles)
      : kernel(kernel), thread(thread), known(known), mostTiles(mostTiles) {
    // The producer says once for each channel how many bytes come.
    kernel.walk([&](NVVM::MBarrierArriveExpectTxOp) { ++channels; });
    channels = std::max<int64_t>(channels, 1);
  }

  LogicalResult run() { return runBlock(kernel.getBody().front()); }

  std::vector<Step> steps;
  std::vector<ws::ProtocolBarrier> barriers;
  int64_t tiles = 0;

private:
  using Number = std::optional<int64_t>;

  Number get(Value value) const {
    auto found = numbers.find(value);
    return found == numbers.end() ? std::nullopt : found->second;
  }
  LogicalResult runBlock(Block &block);
  LogicalResult runOp(Operation *op);
  LogicalResult runLoop(scf::ForOp loop);
  LogicalResult runBranch(scf::IfOp branch);
  LogicalResult runBarrier(Operation *op);
  LogicalResult runProduct(Operation *op);
  LogicalResult runText(LLVM::InlineAsmOp op);
  void runFurther(LLVM::GEPOp op);
  LogicalResult need(Operation *op, Value value, int64_t &number);
  void compute(Operation *op);
  void setResults(Operation *op, Operation *yield);
  LogicalResult runCopy(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op);

  func::FuncOp kernel;
  int64_t thread;
  size_t known;
  int64_t mostTiles;
  DenseMap<Value, Number> numbers;
  int64_t channels = 0;
  unsigned loops = 0;
  /// Steps of all tiles so far.
  int64_t rounds = 0;
};

} // namespace

LogicalResult ThreadReader::need(Operation *op, Value value, int64_t &number) {
  Number known = get(value);
  if (!known)
    return op->emitOpError(
        "cannot be checked: it depends on more than threads, "
        "loops and constants");
  number = *known;
  return success();
}

void ThreadReader::setResults(Operation *op, Operation *yield) {
  for (auto [result, operand] :
       llvm::zip_equal(op->getResults(), yield->getOperands()))
    numbers[result] = get(operand);
}

/// Whether anything in `op` waits, copies or multiplies.
static bool hasSteps(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<NVVM::NVVMDialect>(inner->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult ThreadReader::runLoop(scf::ForOp loop) {
  if (!hasSteps(loop)) {
    compute(loop);
    return success();
  }
  int64_t low, high, step;
  if (failed(need(loop, loop.getLowerBound(), low)) ||
      failed(need(loop, loop.getUpperBound(), high)) ||
      failed(need(loop, loop.getStep(), step)))
    return failure();
  // The rounds of a ring are alike: in each tile one step more than there are
  // slots, whatever the number of the first one, and as many tiles as let the
  // producer go twice through the ring and further go through all parities.
  auto slots = static_cast<int64_t>(known + barriers.size()) / 2 / channels;
  bool isOverTiles = loops == 0;
  if (!isOverTiles)
    high = std::min(high, (slots + 1) * step);
  SmallVector<Number> carried;
  for (Value init : loop.getInitArgs())
    carried.push_back(get(init));
  ++loops;
  Block *body = loop.getBody();
  for (int64_t at = low; at < high; at += step) {
    if (isOverTiles) {
      if (mostTiles ? tiles == mostTiles : tiles >= 2 && rounds > 2 * slots)
        break;
      ++tiles;
    } else {
      ++rounds;
    }
    numbers[loop.getInductionVar()] = at;
    for (auto [argument, value] :
         llvm::zip_equal(loop.getRegionIterArgs(), carried))
      numbers[argument] = value;
    if (failed(runBlock(*body)))
      return failure();
    for (auto [value, operand] :
         llvm::zip_equal(carried, body->getTerminator()->getOperands()))
      value = get(operand);
  }
  --loops;
  for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
    numbers[result] = value;
  return success();
}

LogicalResult ThreadReader::runBranch(scf::IfOp branch) {
  if (!hasSteps(branch)) {
    compute(branch);
    return success();
  }
  int64_t condition;
  if (failed(need(branch, branch.getCondition(), condition)))
    return failure();
  Region &region = condition ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return success();
  if (failed(runBlock(region.front())))
    return failure();
  setResults(branch, region.front().getTerminator());
  return success();
}

/// The arithmetic of places, parities and threads.
void ThreadReader::compute(Operation *op) {
  for (Value result : op->getResults())
    numbers[result] = std::nullopt;
  if (op->getNumResults() != 1)
    return;
  SmallVector<uint64_t> given;
  for (Value operand : op->getOperands()) {
    Number number = get(operand);
    if (!number)
      return;
    bool isNarrow = operand.getType().isInteger(32);
    given.push_back(isNarrow ? static_cast<uint32_t>(*number)
                             : static_cast<uint64_t>(*number));
  }
  auto set = [&](uint64_t number) {
    bool isNarrow = op->getResult(0).getType().isInteger(32);
    numbers[op->getResult(0)] =
        isNarrow ? static_cast<int32_t>(number) : static_cast<int64_t>(number);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::ConstantOp) {
        APInt constant;
        if (matchPattern(op, m_ConstantInt(&constant)))
          set(constant.getBitWidth() == 1
                  ? constant.getZExtValue()
                  : static_cast<uint64_t>(constant.getSExtValue()));
      })
      .Case([&](arith::AddIOp) { set(given[0] + given[1]); })
      .Case([&](arith::SubIOp) { set(given[0] - given[1]); })
      .Case([&](arith::MulIOp) { set(given[0] * given[1]); })
      .Case([&](arith::XOrIOp) { set(given[0] ^ given[1]); })
      .Case([&](arith::AndIOp) { set(given[0] & given[1]); })
      .Case([&](arith::OrIOp) { set(given[0] | given[1]); })
      .Case([&](arith::ShRUIOp) {
        set(given[1] < 64 ? given[0] >> given[1] : 0);
      })
      .Case([&](arith::DivUIOp) {
        if (given[1])
          set(given[0] / given[1]);
      })
      .Case([&](arith::RemUIOp) {
        if (given[1])
          set(given[0] % given[1]);
      })
      .Case([&](arith::MinSIOp) {
        set(static_cast<uint64_t>(std::min(static_cast<int64_t>(given[0]),
                                           static_cast<int64_t>(given[1]))));
      })
      .Case([&](arith::MaxSIOp) {
        set(static_cast<uint64_t>(std::max(static_cast<int64_t>(given[0]),
                                           static_cast<int64_t>(given[1]))));
      })
      .Case([&](arith::SelectOp) { set(given[0] ? given[1] : given[2]); })
      .Case([&](arith::CmpIOp compare) {
        unsigned width = compare.getLhs().getType().isInteger(32) ? 32 : 64;
        set(arith::applyCmpPredicate(compare.getPredicate(),
                                     APInt(width, given[0]),
                                     APInt(width, given[1])));
      })
      .Case<arith::IndexCastOp>([&](Operation *) {
        // From 32 bits to an index with its sign, and back.
        set(static_cast<uint64_t>(*get(op->getOperand(0))));
      })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp, LLVM::PtrToIntOp,
            LLVM::AddrSpaceCastOp>([&](Operation *) { set(given[0]); });
}

/// A copy of a box, of as many bytes as the map has that the host makes.
LogicalResult
ThreadReader::runCopy(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  int64_t slot = 0, barrier = 0;
  if (failed(need(op, op.getDstMem(), slot)) ||
      failed(need(op, op.getMbar(), barrier)))
    return failure();
  auto map = dyn_cast<BlockArgument>(op.getTmaDescriptor());
  auto descriptors =
      kernel->getAttrOfType<ArrayAttr>(kernel::kDescriptorsAttrName);
  size_t behind = map ? kernel.getNumArguments() - map.getArgNumber() : 0;
  if (!descriptors || behind == 0 || behind > descriptors.size())
    return op.emitOpError("copies by a map that 'kernel.descriptors' lacks");
  auto wanted = cast<DictionaryAttr>(descriptors[descriptors.size() - behind]);
  int64_t bytes =
      wanted.getAs<TypeAttr>("element").getValue().getIntOrFloatBitWidth() / 8;
  for (int64_t extent : wanted.getAs<DenseI64ArrayAttr>("box").asArrayRef())
    bytes *= extent;
  steps.push_back({Step::Copy, static_cast<uint64_t>(barrier),
                   static_cast<uint64_t>(slot), bytes});
  return success();
}

LogicalResult ThreadReader::runBarrier(Operation *op) {
  int64_t address = 0, number = 0;
  if (failed(need(op, op->getOperand(0), address)))
    return failure();
  auto barrier = static_cast<uint64_t>(address);
  if (isa<NVVM::MBarrierArriveOp>(op)) {
    steps.push_back({Step::Arrive, barrier, 0, 0});
    return success();
  }
  if (failed(need(op, op->getOperand(1), number)))
    return failure();
  if (isa<NVVM::MBarrierInitOp>(op))
    barriers.push_back({barrier, number});
  else if (isa<NVVM::MBarrierTryWaitParityOp>(op))
    steps.push_back({Step::Wait, barrier, 0, number});
  else
    steps.push_back({Step::Arrive, barrier, 0, number});
  return success();
}

/// The products of a step, which are one group, read one slot: what has 64 bits
/// describes a matrix there.
LogicalResult ThreadReader::runProduct(Operation *op) {
  for (Value matrix : op->getOperands()) {
    if (!matrix.getType().isInteger(64))
      continue;
    int64_t bits = 0;
    if (failed(need(op, matrix, bits)))
      return failure();
    steps.push_back(
        {Step::Read, 0, static_cast<uint64_t>(bits & 0x3fff) << 4, 0});
  }
  return success();
}

/// An instruction that NVVM has no operation of: a product of registers, or a
/// wait for all but the last groups of products.
LogicalResult ThreadReader::runText(LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  int64_t pending = 0;
  if (text.consume_front("wgmma.wait_group.sync.aligned ")) {
    if (text.consumeInteger(10, pending))
      return op.emitOpError("waits for no number of groups");
    steps.push_back({Step::FinishReads, 0, 0, pending});
  } else if (text.contains("wgmma.mma_async")) {
    return runProduct(op);
  }
  compute(op);
  return success();
}

LogicalResult ThreadReader::runOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runBranch(branch);
  if (isa<NVVM::MBarrierInitOp, NVVM::MBarrierTryWaitParityOp,
          NVVM::MBarrierArriveOp, NVVM::MBarrierArriveExpectTxOp>(op))
    return runBarrier(op);
  if (auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op))
    return runProduct(product);
  if (auto text = dyn_cast<LLVM::InlineAsmOp>(op))
    return runText(text);
  if (auto copy = dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op))
    return runCopy(copy);
  if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
    steps.push_back({Step::FinishReads, 0, 0, int64_t(wait.getGroup())});
  } else if (isa<NVVM::ElectSyncOp>(op)) {
    numbers[op->getResult(0)] = 1;
  } else if (isa<memref::LoadOp>(op) &&
             op->getResult(0).getType().isIntOrIndex()) {
    // Lengths reach to the last key, so that there are all steps.
    numbers[op->getResult(0)] = std::numeric_limits<int32_t>::max();
  } else if (isa<gpu::ThreadIdOp>(op)) {
    numbers[op->getResult(0)] = thread;
  } else if (isa<gpu::BlockIdOp>(op)) {
    numbers[op->getResult(0)] = 0;
  } else if (isa<gpu::GridDimOp>(op)) {
    numbers[op->getResult(0)] = 1;
  } else if (isa<LLVM::AddressOfOp>(op)) {
    numbers[op->getResult(0)] = 0; // where the block's shared memory begins
  } else if (auto further = dyn_cast<LLVM::GEPOp>(op)) {
    runFurther(further);
  } else {
    compute(op);
  }
  return success();
}

/// An address so many bytes further on.
void ThreadReader::runFurther(LLVM::GEPOp op) {
  Number base = get(op.getBase());
  if (!base || !op.getElemType().isInteger(8) || op.getIndices().size() != 1)
    return;
  auto index = op.getIndices()[0];
  Number bytes;
  if (auto constant = dyn_cast<IntegerAttr>(index))
    bytes = constant.getInt();
  else
    bytes = get(cast<Value>(index));
  if (bytes)
    numbers[op.getResult()] = *base + *bytes;
}

LogicalResult ThreadReader::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

/// Copies that the same barrier counts, one after another, fill one slot: they
/// become one copy, and what reads any of their bytes reads that slot. Reads of
/// a group that lie in one slot become one.
static LogicalResult joinSlots(func::FuncOp kernel,
                               MutableArrayRef<ws::ProtocolRole> roles) {
  struct Slot {
    uint64_t first, end;
  };
  SmallVector<Slot> slots;
  for (ws::ProtocolRole &role : roles) {
    std::vector<Step> joined;
    for (const Step &step : role.steps) {
      if (step.kind != Step::Copy) {
        joined.push_back(step);
        continue;
      }
      uint64_t end = step.slot + static_cast<uint64_t>(step.number);
      if (!joined.empty() && joined.back().kind == Step::Copy &&
          joined.back().barrier == step.barrier) {
        joined.back().number += step.number;
        for (Slot &slot : slots)
          if (slot.first == joined.back().slot)
            slot.end = std::max(slot.end, end);
        continue;
      }
      joined.push_back(step);
      slots.push_back({step.slot, end});
    }
    role.steps = std::move(joined);
  }
  for (ws::ProtocolRole &role : roles) {
    std::vector<Step> joined;
    for (Step step : role.steps) {
      if (step.kind == Step::Read) {
        auto found = llvm::find_if(slots, [&](const Slot &slot) {
          return slot.first <= step.slot && step.slot < slot.end;
        });
        if (found == slots.end())
          return kernel.emitError("multiplies what nobody copies, at shared "
                                  "address ")
                 << step.slot;
        step.slot = found->first;
        // The products of a step are one group.
        if (!joined.empty() && joined.back().kind == Step::Read &&
            joined.back().slot == step.slot)
          continue;
      }
      joined.push_back(step);
    }
    role.steps = std::move(joined);
  }
  return success();
}

/// Keeps two of the roles that do the same.
static void dropAlike(ws::Protocol &protocol) {
  std::vector<ws::ProtocolRole> kept;
  for (ws::ProtocolRole &role : protocol.roles) {
    if (role.steps.empty())
      continue;
    if (llvm::count(kept, role) < 2) {
      kept.push_back(std::move(role));
      continue;
    }
    for (ws::ProtocolBarrier &barrier : protocol.barriers)
      if (llvm::any_of(role.steps, [&](const Step &step) {
            return step.kind == Step::Arrive && step.barrier == barrier.address;
          }))
        --barrier.arrivals;
  }
  protocol.roles = std::move(kept);
}

FailureOr<ws::Protocol> readProtocol(func::FuncOp kernel) {
  ws::Protocol protocol;
  WalkResult made =
      kernel.walk([](NVVM::MBarrierInitOp) { return WalkResult::interrupt(); });
  if (!made.wasInterrupted())
    return protocol;
  auto threads = kernel->getAttrOfType<IntegerAttr>(kernel::kThreadsAttrName);
  int64_t tiles = 0;
  for (int64_t thread = 0; threads && thread < threads.getInt();
       thread += kWarpThreads) {
    ThreadReader reader(kernel, thread, protocol.barriers.size(), tiles);
    if (failed(reader.run()))
      return failure();
    tiles = std::max(tiles, reader.tiles);
    llvm::append_range(protocol.barriers, reader.barriers);
    protocol.roles.push_back({"warp " + std::to_string(thread / kWarpThreads),
                              std::move(reader.steps)});
    if (protocol.barriers.empty())
      return protocol;
  }
  if (failed(joinSlots(kernel, protocol.roles)))
    return failure();
  dropAlike(protocol);
  return protocol;
}

LogicalResult ProtocolVerifier::verify(func::FuncOp kernel) {
  FailureOr<ws::Protocol> protocol = readProtocol(kernel);
  if (failed(protocol))
    return failure();
  std::lock_guard<std::mutex> lock(mutex);
  if (llvm::is_contained(sound, *protocol))
    return success();
  std::string wrong = ws::checkProtocol(*protocol);
  if (wrong.empty()) {
    sound.push_back(std::move(*protocol));
    return success();
  }
  return kernel.emitError("has barriers of which the warps go wrong: ")
         << wrong;
}

namespace {
struct VerifyProtocol : impl::VerifyProtocolBase<VerifyProtocol> {
  void runOnOperation() override {
    ProtocolVerifier verifier;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(verifier.verify(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace heddle
