// A program while its plan is made: commands in nested blocks, over storages
// that have no place yet.

#ifndef HEDDLE_PASSES_PLAN_COMMANDTREE_H
#define HEDDLE_PASSES_PLAN_COMMANDTREE_H

#include "dialects/Plan/DeviceNames.h"
#include "dialects/Plan/Plan.h"
#include "heddle/Target/Target.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A buffer to be.
struct Storage {
  plan::BufferKind kind = plan::BufferKind::Arena;
  int64_t place = 0;
  /// Its bytes, the most that there can be where calls choose.
  int64_t size = 0;
  std::string name;
  /// The bytes where calls choose their number, else null.
  size::ExpressionAttr bytes = {};
  /// In an arena where calls choose the places: where it is, `place` where they
  /// choose the largest sizes. Else null.
  size::ExpressionAttr offset = {};
  /// The number of its device.
  unsigned device = 0;
  /// Of a state: whether the program writes it.
  bool changed = false;
  /// Of persistent memory: the kernel that makes it of weights, and these, by
  /// name and with their bytes; null where it is a copy of the weight `name`.
  mlir::FlatSymbolRefAttr laidOutBy = {};
  std::vector<std::pair<std::string, int64_t>> laidOutFrom = {};

  /// Whether what it holds at the end is for others to see.
  bool isKept() const {
    return kind == plan::BufferKind::Output || kind == plan::BufferKind::State;
  }
};

/// One command. What `writes` names, the command defines whole.
struct Command {
  enum class Kind {
    Launch,
    Copy,
    Resize,
    Extent,
    Loop,
    Branch,
    Collective,
    Rank,
    Count
  };

  Kind kind;
  mlir::Location loc;
  mlir::FlatSymbolRefAttr kernel = {};
  /// Copy: one source. Loop: the flag, read between its two blocks. Branch: the
  /// selector.
  llvm::SmallVector<unsigned> reads = {}, writes = {};
  /// Positions in reads and writes that may be one storage.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace = {};
  /// Launch: the sizes that the kernel takes, each a function of the symbols.
  llvm::SmallVector<size::ExpressionAttr> sizes = {};
  /// Launch: the bits of the numbers that the kernel takes behind these.
  llvm::SmallVector<int64_t> integers = {};
  /// Loop: condition and body. Branch: the cases.
  llvm::SmallVector<unsigned> blocks = {};
  /// Extent, Count: the symbol's name.
  mlir::StringAttr symbol = {};
  /// Collective: what it is (`kernel.collective`).
  mlir::DictionaryAttr collective = {};
  /// The device that runs it.
  unsigned device = 0;
  /// Count, and a launch that is told one.
  bool isCounted = false;

  // Filled in by assignQueues.
  unsigned queue = 0;

  // Filled in by orderCommands.
  /// Events it waits for, and the one it fires.
  llvm::SmallVector<int64_t> waits = {};
  std::optional<int64_t> signal = {};
  /// How many commands of each queue, in this run of the block, are done before
  /// it starts. Empty when there is one device only.
  llvm::SmallVector<unsigned> before = {};
};

/// Block 0 is the outermost.
struct CommandTree {
  /// Names of devices, the cpu first.
  std::vector<std::string> devices = {plan::kCpu.str()};
  /// The device of each queue: first one for each device, then others.
  std::vector<unsigned> queues = {0};
  std::vector<Storage> storages;
  std::vector<std::vector<Command>> blocks;
};

/// Makes one storage of two wherever that saves a copy, or lets a kernel write
/// over an input that dies with it, and drops the copies that this makes void.
///
/// Two storages may be one when none of them is written while the other is
/// still to be read (a copy from one to the other does not count), around loops
/// and through branches.
void shareStorages(CommandTree &tree);

/// Spreads launches of a device that do not need each other over its queues, as
/// many as `target` says; one where there is none.
void assignQueues(CommandTree &tree, const Target *target);

/// Makes commands of different queues that touch the same storage, not both
/// reading, wait for each other, by as few events as that takes.
void orderCommands(CommandTree &tree);

/// A storage is alive from `first` to `last`, in commands numbered as they
/// stand, blocks in their order. One that is used inside of a loop and outside
/// lives through the whole loop. With several devices it lives on until all
/// commands that come later in the list and use its memory also run later.
struct LiveRange {
  int64_t first = INT64_MAX, last = -1;
};
std::vector<LiveRange> liveRanges(const CommandTree &tree);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_COMMANDTREE_H
