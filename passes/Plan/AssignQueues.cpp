// Queues for the commands of a device that can run several beside each other:
// launches that do not need each other's results go to different ones.
//
// A launch stands in the queue of what it waits for, or in one whose commands
// are all done by then anyway: another would gain nothing. Only where all
// queues are busy with something else does it take a queue of its own. Copies
// go with the launch that they are for.

#include "passes/Plan/CommandTree.h"
#include "passes/Plan/StorageUses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle;

namespace {
class QueueAssignment {
public:
  QueueAssignment(CommandTree &tree, const std::vector<unsigned> &limits);

  void run() {
    assignBlock(0);
    dropUnused();
  }

private:
  using Clock = llvm::SmallVector<unsigned>;

  /// Gives what the commands of the block touch.
  StorageUses assignBlock(unsigned block);
  unsigned choose(unsigned device, std::optional<unsigned> latest,
                  const Clock &clock, const Clock &counts);
  void placeCopies(std::vector<Command> &commands);
  void dropUnused();
  /// No event says when numbers of launches change: with the counts that they
  /// follow from they are in the first queue of their device.
  bool hasChoice(const Command &command) const {
    return queuesOf[command.device].size() > 1 && !command.isCounted;
  }

  CommandTree &tree;
  /// By device.
  std::vector<llvm::SmallVector<unsigned>> queuesOf;
};
} // namespace

QueueAssignment::QueueAssignment(CommandTree &tree,
                                 const std::vector<unsigned> &limits)
    : tree(tree), queuesOf(tree.devices.size()) {
  for (unsigned device = 0; device < limits.size(); ++device)
    queuesOf[device].push_back(device);
  for (unsigned device = 0; device < limits.size(); ++device)
    for (unsigned i = 1; i < limits[device]; ++i) {
      queuesOf[device].push_back(tree.queues.size());
      tree.queues.push_back(device);
    }
}

/// The queue of a launch that starts when `clock` is reached; `latest` is that
/// of the last command of the device that it waits for.
unsigned QueueAssignment::choose(unsigned device,
                                 std::optional<unsigned> latest,
                                 const Clock &clock, const Clock &counts) {
  auto isDone = [&](unsigned queue) { return clock[queue] >= counts[queue]; };
  if (latest && isDone(*latest))
    return *latest;
  llvm::ArrayRef<unsigned> queues = queuesOf[device];
  auto used = llvm::find_if(queues, [&](unsigned queue) {
    return counts[queue] != 0 && isDone(queue);
  });
  if (used != queues.end())
    return *used;
  if (const auto *fresh = llvm::find_if(
          queues, [&](unsigned queue) { return counts[queue] == 0; });
      fresh != queues.end())
    return *fresh;
  if (latest)
    return *latest;
  return *llvm::min_element(
      queues, [&](unsigned a, unsigned b) { return counts[a] < counts[b]; });
}

StorageUses QueueAssignment::assignBlock(unsigned block) {
  std::vector<Command> &commands = tree.blocks[block];
  std::vector<Clock> done(commands.size());
  Clock counts(tree.queues.size(), 0);
  LastUses last;
  for (unsigned i = 0; i < commands.size(); ++i) {
    StorageUses uses = usesOf(
        commands[i], [this](unsigned inner) { return assignBlock(inner); });
    Command &command = commands[i];
    Clock clock(tree.queues.size(), 0);
    std::optional<unsigned> latest;
    last.forEachConflict(uses, [&](unsigned other) {
      for (auto [mine, theirs] : llvm::zip_equal(clock, done[other]))
        mine = std::max(mine, theirs);
      if (commands[other].device == command.device &&
          commands[other].kind == Command::Kind::Launch &&
          (!latest || *latest < other))
        latest = other;
    });
    // A copy takes no time from those that do not need it.
    bool passes = command.kind == Command::Kind::Copy && hasChoice(command);
    command.queue = command.device;
    if (hasChoice(command) && !passes)
      command.queue =
          choose(command.device,
                 latest ? std::optional(commands[*latest].queue) : std::nullopt,
                 clock, counts);
    if (!passes)
      clock[command.queue] = ++counts[command.queue];
    done[i] = std::move(clock);
    last.record(i, uses);
  }
  placeCopies(commands);
  return last.takeAll();
}

/// To a device with the first launch that reads what they bring, from it with
/// the launch that made it.
void QueueAssignment::placeCopies(std::vector<Command> &commands) {
  llvm::DenseMap<unsigned, unsigned> writer, reader;
  auto isOutgoing = [&](const Command &copy) {
    return tree.storages[copy.reads[0]].device == copy.device;
  };
  for (Command &command : commands) {
    if (command.kind == Command::Kind::Copy && hasChoice(command) &&
        isOutgoing(command))
      if (auto made = writer.find(command.reads[0]); made != writer.end())
        command.queue = made->second;
    if (command.kind == Command::Kind::Launch)
      for (unsigned id : command.writes)
        writer[id] = command.queue;
  }
  for (Command &command : llvm::reverse(commands)) {
    if (command.kind == Command::Kind::Copy && hasChoice(command) &&
        !isOutgoing(command))
      if (auto wants = reader.find(command.writes[0]); wants != reader.end())
        command.queue = wants->second;
    if (command.kind == Command::Kind::Launch)
      for (unsigned id : command.reads)
        reader[id] = command.queue;
  }
}

/// Takes away the queues beyond the first of each device that nothing uses.
void QueueAssignment::dropUnused() {
  std::vector<bool> used(tree.queues.size(), false);
  std::fill_n(used.begin(), tree.devices.size(), true);
  for (const std::vector<Command> &block : tree.blocks)
    for (const Command &command : block)
      used[command.queue] = true;
  std::vector<unsigned> numbers(used.size()), kept;
  for (unsigned i = 0; i < used.size(); ++i) {
    numbers[i] = kept.size();
    if (used[i])
      kept.push_back(tree.queues[i]);
  }
  tree.queues = std::move(kept);
  for (std::vector<Command> &block : tree.blocks)
    for (Command &command : block)
      command.queue = numbers[command.queue];
}

void heddle::assignQueues(CommandTree &tree, const Target *target) {
  if (tree.devices.size() == 1)
    return;
  tree.queues.clear();
  std::vector<unsigned> limits;
  for (const std::string &name : tree.devices) {
    tree.queues.push_back(limits.size());
    limits.push_back(target ? target->queues(plan::parseDeviceName(name)->kind)
                            : 1);
  }
  QueueAssignment(tree, limits).run();
}
