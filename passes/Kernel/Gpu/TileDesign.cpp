// Says how the roles of a kernel are laid out.

#include "passes/Kernel/Gpu/TileDesign.h"

#include "dialects/Kernel/GridKernels.h"
#include "passes/Kernel/Gpu/RoleLowering.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

/// One line of text, made of parts.
template <typename... Parts> static std::string line(Parts &&...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

static std::string tileText(Type type) {
  auto tile = cast<ws::TileType>(type);
  return line(tile.getRows(), " by ", tile.getColumns(), " of ",
              tile.getElement());
}

static SmallVector<std::string> linesOf(ws::RolesOp roles,
                                        ws::ChannelType channel, int64_t blocks,
                                        int64_t threads, int64_t budget,
                                        const GpuMachine &machine) {
  auto sums = cast<ws::AccumulatorType>(roles.getResult(0).getType());
  int64_t warps = sums.getWarpRows() * sums.getWarpColumns();
  int64_t depth = channel.getDepth(), slot = channel.getSlotBytes();
  int64_t rounds = llvm::divideCeilSigned(blocks, machine.multiprocessors);
  bool isByWarpgroups = threads > warps * machine.warpThreads;
  SmallVector<std::string> lines;
  std::string slots = line("channel: ", depth, " slots of ", slot,
                           " bytes: ", tileText(channel.getTiles()[0]), " and ",
                           tileText(channel.getTiles()[1]));
  lines.push_back(line("tile: ", sums.getRows(), " by ", sums.getColumns(),
                       " sums, ", blocks, " blocks in ", rounds,
                       rounds == 1 ? " round over " : " rounds over ",
                       machine.multiprocessors, " multiprocessors"));
  if (!isByWarpgroups) {
    StringRef copies = "loads and stores";
    roles.getProduce().walk([&](ws::PutExitOp exit) {
      if (exit.getCompletion() == ws::Completion::CpAsync)
        copies = "cp.async";
    });
    lines.push_back(line("roles: ", warps, " warps do both, they copy (",
                         copies, ") ", depth - 1,
                         " steps ahead of what they multiply (mma.sync)"));
    lines.push_back(slots + line("; at most ", kMostSlots, ", in ", budget,
                                 " bytes of a block"));
    lines.push_back(line("barriers: the block's, once a step; shared memory: ",
                         depth * slot, " bytes"));
    return lines;
  }
  int64_t groups = warps * machine.warpThreads / machine.warpgroupThreads;
  lines.push_back(line("roles: 1 warpgroup of which one thread copies boxes "
                       "(cp.async.bulk.tensor), ",
                       groups, " that multiply (wgmma m64n", sums.getColumns(),
                       "k16), one step under way behind the next"));
  lines.push_back(slots + line("; at most ", kMostBoxedSlots, ", in ", budget,
                               " bytes of a block"));
  lines.push_back(line(
      "barriers: ", 2 * depth, ", full and empty of each slot (1 and ", warps,
      " arrivals); shared memory: ", depth * (slot + kBarrierBytesOfSlot),
      " bytes"));
  if (auto registers = roles.getRegisters())
    lines.push_back(line("registers: ", (*registers)[0],
                         " of a thread that copies, ", (*registers)[1],
                         " of one that multiplies, of ", machine.registers));
  return lines;
}

void describeDesign(func::FuncOp function, ws::RolesOp roles,
                    ws::ChannelType channel, int64_t blocks, int64_t threads,
                    int64_t budget, const GpuMachine &machine) {
  Builder builder(function.getContext());
  SmallVector<Attribute> design;
  for (const std::string &line :
       linesOf(roles, channel, blocks, threads, budget, machine))
    design.push_back(builder.getStringAttr(line));
  function->setAttr(kernel::kDesignAttrName, builder.getArrayAttr(design));
}

} // namespace heddle
