// When each storage is in use.

#include "passes/Plan/CommandTree.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace heddle;

namespace {
/// Numbers the commands and notes who uses what.
class RangeFinder {
public:
  explicit RangeFinder(const CommandTree &tree)
      : tree(tree), ranges(tree.storages.size()), spans(tree.blocks.size()) {}

  std::vector<LiveRange> run() {
    touched.emplace_back();
    walk(0);
    std::vector<LiveRange> wide = ranges;
    for (const Interval &loop : loops)
      for (unsigned id : loop.touched)
        if (ranges[id].first < loop.first || ranges[id].last > loop.last) {
          wide[id].first = std::min(wide[id].first, loop.first);
          wide[id].last = std::max(wide[id].last, loop.last);
        }
    return wide;
  }

  /// The time of each command of a block, and then that of the block's end.
  llvm::ArrayRef<int64_t> times(unsigned block) const { return spans[block]; }

private:
  struct Interval {
    int64_t first, last;
    llvm::SmallVector<unsigned> touched;
  };

  void touch(unsigned id) {
    ranges[id].first = std::min(ranges[id].first, now);
    ranges[id].last = std::max(ranges[id].last, now);
    touched.back().push_back(id);
  }

  void walk(unsigned block) {
    for (const Command &command : tree.blocks[block]) {
      bool loop = command.kind == Command::Kind::Loop;
      int64_t first = ++now;
      spans[block].push_back(first);
      if (loop)
        touched.emplace_back();
      for (unsigned id :
           llvm::concat<const unsigned>(command.reads, command.writes))
        touch(id);
      for (auto [i, inner] : llvm::enumerate(command.blocks)) {
        walk(inner);
        // The flag is read after the condition's block.
        if (loop && i == 0) {
          ++now;
          for (unsigned id : command.reads)
            touch(id);
        }
      }
      if (!loop)
        continue;
      loops.push_back({first, ++now, touched.pop_back_val()});
      llvm::sort(loops.back().touched);
      loops.back().touched.erase(llvm::unique(loops.back().touched),
                                 loops.back().touched.end());
      llvm::append_range(touched.back(), loops.back().touched);
    }
    spans[block].push_back(now);
  }

  const CommandTree &tree;
  std::vector<LiveRange> ranges;
  std::vector<Interval> loops;
  llvm::SmallVector<llvm::SmallVector<unsigned>> touched;
  std::vector<std::vector<int64_t>> spans;
  int64_t now = 0;
};

/// Widens ranges where queues run beside each other. A place is free once all
/// commands that still come and use its memory start after its last use: by
/// their clocks, not by the list.
class RangeWidener {
public:
  RangeWidener(const CommandTree &tree, const RangeFinder &finder,
               std::vector<LiveRange> &ranges)
      : tree(tree), finder(finder), ranges(ranges) {}

  void run() { walk(0); }

private:
  using Clock = llvm::SmallVector<unsigned>;
  /// The last uses of a storage within a block: the numbers of the commands by
  /// queue, and the position of the last one.
  struct Use {
    Clock numbers;
    unsigned last = 0;
  };
  using Uses = llvm::MapVector<unsigned, Use>;
  /// The commands of a block that use a memory; `least` of one is what all from
  /// it on start after.
  struct Memory {
    std::vector<unsigned> positions;
    std::vector<Clock> least;
  };

  llvm::SetVector<unsigned> walk(unsigned block);
  void keepWithin(unsigned block, unsigned position, unsigned id,
                  const Use &before);
  void widen(unsigned block, const Uses &uses, llvm::ArrayRef<Memory> memories);

  const CommandTree &tree;
  const RangeFinder &finder;
  std::vector<LiveRange> &ranges;
};
} // namespace

/// Gives the storages that the block's commands use, those within them
/// included.
llvm::SetVector<unsigned> RangeWidener::walk(unsigned block) {
  Uses uses;
  std::vector<Memory> memories(tree.devices.size());
  llvm::SetVector<unsigned> all;
  const std::vector<Command> &commands = tree.blocks[block];
  for (auto [i, command] : llvm::enumerate(commands)) {
    llvm::SetVector<unsigned> touched;
    touched.insert_range(command.reads);
    touched.insert_range(command.writes);
    for (unsigned inner : command.blocks)
      touched.insert_range(walk(inner));
    for (unsigned id : touched) {
      const Storage &storage = tree.storages[id];
      if (storage.kind != plan::BufferKind::Arena)
        continue;
      Use &use = uses[id];
      use.numbers.resize(tree.queues.size(), 0);
      if (!command.blocks.empty())
        keepWithin(block, i, id, use);
      use.numbers[command.queue] = command.before[command.queue] + 1;
      use.last = i;
      std::vector<unsigned> &positions = memories[storage.device].positions;
      if (positions.empty() || positions.back() != i)
        positions.push_back(i);
      all.insert(id);
    }
  }
  for (Memory &memory : memories) {
    memory.least.resize(memory.positions.size());
    for (size_t k = memory.positions.size(); k-- > 0;) {
      memory.least[k] = commands[memory.positions[k]].before;
      if (k + 1 < memory.positions.size())
        for (auto [mine, later] :
             llvm::zip_equal(memory.least[k], memory.least[k + 1]))
          mine = std::min(mine, later);
    }
  }
  widen(block, uses, memories);
  return all;
}

/// A storage that a loop or branch uses, and that a command `before` uses which
/// need not be done when that begins, is kept to its end: no event says when
/// its place is free within.
void RangeWidener::keepWithin(unsigned block, unsigned position, unsigned id,
                              const Use &before) {
  const std::vector<Command> &commands = tree.blocks[block];
  bool isDone = llvm::all_of(
      llvm::zip_equal(before.numbers, commands[position].before),
      [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); });
  if (isDone)
    return;
  llvm::ArrayRef<int64_t> times = finder.times(block);
  bool isLast = position + 1 == commands.size();
  int64_t end = isLast ? times.back() : times[position + 1] - 1;
  ranges[id].last = std::max(ranges[id].last, end);
}

void RangeWidener::widen(unsigned block, const Uses &uses,
                         llvm::ArrayRef<Memory> memories) {
  llvm::ArrayRef<int64_t> times = finder.times(block);
  for (auto &[id, use] : uses) {
    const Memory &memory = memories[tree.storages[id].device];
    size_t next = llvm::upper_bound(memory.positions, use.last) -
                  memory.positions.begin();
    if (next == memory.positions.size())
      continue;
    // Clocks only grow along `least`.
    auto free = std::partition_point(
        memory.least.begin() + next, memory.least.end(),
        [&, &use = use](const Clock &least) {
          return llvm::any_of(
              llvm::zip_equal(use.numbers, least),
              [](auto pair) { return std::get<0>(pair) > std::get<1>(pair); });
        });
    size_t position = free == memory.least.end()
                          ? times.size() - 1
                          : memory.positions[free - memory.least.begin()];
    int64_t until =
        free == memory.least.end() ? times[position] : times[position] - 1;
    ranges[id].last = std::max(ranges[id].last, until);
  }
}

std::vector<LiveRange> heddle::liveRanges(const CommandTree &tree) {
  RangeFinder finder(tree);
  std::vector<LiveRange> ranges = finder.run();
  if (tree.devices.size() > 1)
    RangeWidener(tree, finder, ranges).run();
  return ranges;
}
