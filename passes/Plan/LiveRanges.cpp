// When each storage is in use.

#include "passes/Plan/CommandTree.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;

namespace {
/// Numbers the commands and notes who uses what.
class RangeFinder {
public:
  explicit RangeFinder(const CommandTree &tree)
      : tree(tree), ranges(tree.storages.size()) {}

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
  }

  const CommandTree &tree;
  std::vector<LiveRange> ranges;
  std::vector<Interval> loops;
  llvm::SmallVector<llvm::SmallVector<unsigned>> touched;
  int64_t now = 0;
};
} // namespace

std::vector<LiveRange> heddle::liveRanges(const CommandTree &tree) {
  return RangeFinder(tree).run();
}
