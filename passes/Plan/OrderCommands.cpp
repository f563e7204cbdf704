// Events between queues: each command that touches what an earlier command of
// another queue touches, and does not read as that one does, comes after it.
// Within a queue commands are in order anyway.

#include "passes/Plan/CommandTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle;

namespace {
class Ordering {
public:
  explicit Ordering(CommandTree &tree)
      : tree(tree), queueCount(tree.queues.size()) {}

  void run() { orderBlock(0); }

private:
  using Clock = llvm::SmallVector<unsigned>;
  struct Use {
    bool reads = false, writes = false;
  };
  using Uses = llvm::MapVector<unsigned, Use>;
  /// Who touched a storage last, by positions in the block.
  struct Touched {
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned> readers; ///< Since then, the last per queue.
  };

  /// Orders the commands of a block; gives what they touch.
  Uses orderBlock(unsigned block);
  Uses usesOf(Command &command);
  void order(std::vector<Command> &commands, unsigned position,
             llvm::ArrayRef<unsigned> conflicts, std::vector<Clock> &queues);
  /// What is done when this command is.
  Clock doneClock(const Command &command) const {
    Clock clock = command.before;
    ++clock[command.queue];
    return clock;
  }

  CommandTree &tree;
  unsigned queueCount;
  int64_t events = 0;
};
} // namespace

/// Of the command and of those in its blocks, which run while it does.
Ordering::Uses Ordering::usesOf(Command &command) {
  Uses uses;
  for (unsigned id : command.reads)
    uses[id].reads = true;
  for (unsigned id : command.writes)
    uses[id].writes = true;
  for (unsigned block : command.blocks)
    for (auto &[id, use] : orderBlock(block)) {
      uses[id].reads |= use.reads;
      uses[id].writes |= use.writes;
    }
  return uses;
}

/// Makes the command at `position` wait for those at `conflicts`, of other
/// queues: for the last one of each, unless that is done before anyway.
void Ordering::order(std::vector<Command> &commands, unsigned position,
                     llvm::ArrayRef<unsigned> conflicts,
                     std::vector<Clock> &queues) {
  Command &command = commands[position];
  Clock &clock = queues[command.queue];
  llvm::SmallVector<std::optional<unsigned>> last(queueCount);
  for (unsigned conflict : conflicts) {
    assert(conflict < position && "commands wait for earlier ones only");
    std::optional<unsigned> &known = last[commands[conflict].queue];
    if (!known || *known < conflict)
      known = conflict;
  }
  auto isDone = [&](unsigned other, const Clock &by) {
    unsigned queue = commands[other].queue;
    return commands[other].before[queue] + 1 <= by[queue];
  };
  llvm::SmallVector<unsigned> wanted;
  for (const std::optional<unsigned> &other : last)
    if (other && !isDone(*other, clock))
      wanted.push_back(*other);
  llvm::sort(wanted);
  for (unsigned other : wanted) {
    bool implied = llvm::any_of(wanted, [&](unsigned third) {
      return third != other && isDone(other, commands[third].before);
    });
    if (implied)
      continue;
    if (!commands[other].signal)
      commands[other].signal = events++;
    command.waits.push_back(*commands[other].signal);
  }
  for (unsigned other : wanted)
    for (auto [mine, theirs] :
         llvm::zip_equal(clock, doneClock(commands[other])))
      mine = std::max(mine, theirs);
  command.before = clock;
  ++clock[command.queue];
}

Ordering::Uses Ordering::orderBlock(unsigned block) {
  std::vector<Command> &commands = tree.blocks[block];
  std::vector<Clock> queues(queueCount, Clock(queueCount, 0));
  llvm::DenseMap<unsigned, Touched> state;
  Uses all;
  for (unsigned i = 0; i < commands.size(); ++i) {
    Uses uses = usesOf(commands[i]);
    unsigned queue = commands[i].queue;
    llvm::SmallVector<unsigned> conflicts;
    auto add = [&](unsigned other) {
      if (commands[other].queue != queue)
        conflicts.push_back(other);
    };
    for (auto &[id, use] : uses) {
      Touched &touched = state[id];
      if (touched.writer)
        add(*touched.writer);
      if (use.writes)
        llvm::for_each(touched.readers, add);
    }
    order(commands, i, conflicts, queues);
    for (auto &[id, use] : uses) {
      Touched &touched = state[id];
      if (use.writes) {
        touched = {i, {}};
      } else {
        llvm::erase_if(touched.readers, [&](unsigned reader) {
          return commands[reader].queue == queue;
        });
        touched.readers.push_back(i);
      }
      all[id].reads |= use.reads;
      all[id].writes |= use.writes;
    }
  }
  return all;
}

void heddle::orderCommands(CommandTree &tree) {
  if (tree.devices.size() > 1)
    Ordering(tree).run();
}
