// Events between queues: each command that touches what an earlier command of
// another queue touches, and does not read as that one does, comes after it.
// Within a queue commands are in order anyway.

#include "passes/Plan/CommandTree.h"
#include "passes/Plan/StorageUses.h"

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

  /// Orders the commands of a block; gives what they touch.
  StorageUses orderBlock(unsigned block);
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

StorageUses Ordering::orderBlock(unsigned block) {
  std::vector<Command> &commands = tree.blocks[block];
  std::vector<Clock> queues(queueCount, Clock(queueCount, 0));
  LastUses last;
  for (unsigned i = 0; i < commands.size(); ++i) {
    StorageUses uses = usesOf(
        commands[i], [this](unsigned inner) { return orderBlock(inner); });
    unsigned queue = commands[i].queue;
    llvm::SmallVector<unsigned> conflicts;
    last.forEachConflict(uses, [&](unsigned other) {
      if (commands[other].queue != queue)
        conflicts.push_back(other);
    });
    order(commands, i, conflicts, queues);
    last.record(i, uses, [&](unsigned reader) {
      return commands[reader].queue == queue;
    });
  }
  return last.takeAll();
}

void heddle::orderCommands(CommandTree &tree) {
  if (tree.devices.size() > 1)
    Ordering(tree).run();
}
