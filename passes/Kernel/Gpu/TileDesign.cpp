// Says how the roles of a kernel are laid out.

#include "passes/Kernel/Gpu/TileDesign.h"

#include "dialects/Kernel/GridKernels.h"
#include "passes/Kernel/Gpu/RoleLowering.h"

#include "llvm/ADT/StringExtras.h"
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

/// The types of the channels of `roles`, in the order in which slots are
/// filled.
static SmallVector<ws::ChannelType> channelsOf(ws::RolesOp roles) {
  return llvm::map_to_vector(
      roles.getProduce().getOps<ws::PutEnterOp>(),
      [](ws::PutEnterOp enter) { return enter.getChannel().getType(); });
}

static std::string slotsText(ws::ChannelType channel, int64_t most,
                             int64_t budget) {
  std::string text = line("channel: ", channel.getDepth(), " slots of ",
                          channel.getSlotBytes(), " bytes: ");
  text += llvm::join(llvm::map_range(channel.getTiles(), tileText), " and ");
  return text + line("; at most ", most, ", in ", budget, " bytes of a block");
}

/// The instructions of warpgroups that multiply, each kind once.
static std::string productsText(ws::RolesOp roles) {
  SmallVector<std::string> kinds;
  for (auto product : roles.getConsume().getOps<ws::MmaOp>()) {
    std::string kind =
        line("m64n", product.getAccumulator().getType().getColumns(), "k16");
    if (!llvm::is_contained(kinds, kind))
      kinds.push_back(kind);
  }
  return "wgmma " + llvm::join(kinds, " and ");
}

static SmallVector<std::string> linesOf(ws::RolesOp roles, int64_t blocks,
                                        int64_t threads, int64_t budget,
                                        const GpuMachine &machine) {
  auto sums = cast<ws::AccumulatorType>(roles.getResult(0).getType());
  int64_t warps = sums.getWarpRows() * sums.getWarpColumns();
  SmallVector<ws::ChannelType> channels = channelsOf(roles);
  int64_t depth = channels[0].getDepth(), slot = 0;
  for (ws::ChannelType channel : channels)
    slot += channel.getSlotBytes();
  int64_t rounds = llvm::divideCeilSigned(blocks, machine.multiprocessors);
  bool isByWarpgroups = threads > warps * machine.warpThreads;
  SmallVector<std::string> lines;
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
    for (ws::ChannelType channel : channels)
      lines.push_back(slotsText(channel, kMostSlots, budget));
    lines.push_back(line("barriers: the block's, once a step; shared memory: ",
                         depth * slot, " bytes"));
    return lines;
  }
  int64_t groups = warps * machine.warpThreads / machine.warpgroupThreads;
  lines.push_back(line("roles: 1 warpgroup of which one thread copies boxes "
                       "(cp.async.bulk.tensor), ",
                       groups, " that multiply (", productsText(roles),
                       "), one step under way behind the next"));
  auto count = static_cast<int64_t>(channels.size());
  for (ws::ChannelType channel : channels)
    lines.push_back(slotsText(channel, kMostBoxedSlots / count, budget));
  lines.push_back(line("barriers: ", 2 * count * depth,
                       ", full and empty of each slot (1 and ", warps,
                       " arrivals); shared memory: ",
                       depth * (slot + count * kBarrierBytesOfSlot), " bytes"));
  if (auto registers = roles.getRegisters())
    lines.push_back(line("registers: ", (*registers)[0],
                         " of a thread that copies, ", (*registers)[1],
                         " of one that multiplies, of ", machine.registers));
  return lines;
}

void describeDesign(func::FuncOp function, ws::RolesOp roles, int64_t blocks,
                    int64_t threads, int64_t budget,
                    const GpuMachine &machine) {
  Builder builder(function.getContext());
  SmallVector<Attribute> design;
  for (const std::string &line :
       linesOf(roles, blocks, threads, budget, machine))
    design.push_back(builder.getStringAttr(line));
  function->setAttr(kernel::kDesignAttrName, builder.getArrayAttr(design));
}

} // namespace heddle
