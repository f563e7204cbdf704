// Values that follow each other share a storage: what a loop carries from round
// to round, what a branch returns, what a kernel updates in place.

#include "passes/Plan/CommandTree.h"
#include "passes/Plan/Interference.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>
#include <tuple>

using namespace heddle;

namespace {
class Sharing {
public:
  explicit Sharing(CommandTree &tree) : tree(tree) {}

  void run() {
    numberCommands();
    findUses();
    // What the innermost blocks copy is copied most often.
    std::vector<unsigned> order(tree.blocks.size());
    for (unsigned i = 0; i < order.size(); ++i)
      order[i] = i;
    llvm::sort(order, [&](unsigned x, unsigned y) {
      return std::make_pair(depths[y], x) < std::make_pair(depths[x], y);
    });
    for (unsigned block : order)
      for (unsigned i = 0; i < tree.blocks[block].size(); ++i) {
        const Command &command = tree.blocks[block][i];
        if (command.kind == Command::Kind::Copy)
          tryMerge(command.reads[0], command.writes[0]);
      }
    for (unsigned block : order)
      for (unsigned i = 0; i < tree.blocks[block].size(); ++i)
        overwrite(block, i);
    for (std::vector<Command> &block : tree.blocks)
      llvm::erase_if(block, [](const Command &command) {
        return command.kind == Command::Kind::Copy &&
               command.reads[0] == command.writes[0];
      });
  }

private:
  static constexpr unsigned nowhere = ~0u, everywhere = ~0u - 1;

  /// Where a storage is used, when that is in one block only.
  struct Span {
    unsigned block = nowhere;
    unsigned first = 0, last = 0;
  };

  void numberCommands() {
    depths.resize(tree.blocks.size(), 0);
    parents.resize(tree.blocks.size());
    starts.resize(tree.blocks.size());
    unsigned next = 0;
    numberBlock(0, next);
  }

  void numberBlock(unsigned block, unsigned &next) {
    for (auto [i, command] : llvm::enumerate(tree.blocks[block])) {
      starts[block].push_back(next++);
      for (unsigned inner : command.blocks) {
        depths[inner] = depths[block] + 1;
        parents[inner] = {block, unsigned(i)};
        numberBlock(inner, next);
      }
    }
    starts[block].push_back(next);
  }

  void findUses() {
    spans.resize(tree.storages.size());
    homes.resize(tree.storages.size(), nowhere);
    users.resize(tree.storages.size());
    for (unsigned block = 0; block < tree.blocks.size(); ++block)
      for (auto [i, command] : llvm::enumerate(tree.blocks[block]))
        for (unsigned id :
             llvm::concat<const unsigned>(command.reads, command.writes)) {
          extend(spans[id], {block, unsigned(i), unsigned(i)});
          homes[id] = commonBlock(homes[id], block);
          users[id].insert({starts[block][i], {block, unsigned(i)}});
        }
    for (auto [storage, span] : llvm::zip_equal(tree.storages, spans))
      if (storage.isKept())
        extend(span, {0, nowhere, nowhere});
  }

  /// The innermost block that holds both.
  unsigned commonBlock(unsigned x, unsigned y) const {
    if (x == nowhere || y == nowhere)
      return std::min(x, y);
    while (x != y) {
      unsigned &deeper = depths[x] > depths[y] ? x : y;
      deeper = parents[deeper].first;
    }
    return x;
  }

  /// The position in `block` of the command with that number, or of the one
  /// that holds it.
  unsigned positionIn(unsigned block, unsigned number) const {
    return llvm::upper_bound(starts[block], number) - starts[block].begin() - 1;
  }

  static void extend(Span &span, Span by) {
    if (by.block == nowhere)
      return;
    if (span.block == nowhere) {
      span = by;
    } else if (span.block != by.block) {
      span.block = everywhere;
    } else {
      span.first = std::min(span.first, by.first);
      span.last = std::max(span.last, by.last);
    }
  }

  bool mayMerge(unsigned a, unsigned b) const {
    const Storage &x = tree.storages[a], &y = tree.storages[b];
    auto arena = plan::BufferKind::Arena;
    auto takes = [&](const Storage &storage) {
      return storage.kind == arena ||
             storage.kind == plan::BufferKind::Output || storage.changed;
    };
    bool kinds = (x.kind == arena && takes(y)) || (y.kind == arena && takes(x));
    return a != b && kinds && x.size == y.size && x.bytes == y.bytes &&
           x.device == y.device;
  }

  /// Sure not to interfere: one follows the other in one block.
  bool follows(unsigned a, unsigned b) const {
    const Span &x = spans[a], &y = spans[b];
    return x.block == y.block && x.block < everywhere &&
           (x.last < y.first || y.last < x.first);
  }

  /// The commands of one block outside of which a storage holds nothing and is
  /// not written. What others see may hold a value always, and what one round
  /// of a loop leaves to the next one through the whole loop.
  Span rangeOf(unsigned id) const {
    if (tree.storages[id].isKept())
      return {0, 0, unsigned(tree.blocks[0].size()) - 1};
    unsigned block = homes[id];
    while (block != 0 &&
           isReadNext(id, block, starts[block].front()).value_or(false))
      block = parents[block].first;
    return {block, positionIn(block, users[id].begin()->first),
            positionIn(block, users[id].rbegin()->first)};
  }

  /// Looks at the commands at which both may hold something.
  bool interfere(unsigned a, unsigned b) const {
    Span range = rangeOf(a), other = rangeOf(b);
    if (depths[range.block] < depths[other.block])
      std::swap(range, other);
    if (commonBlock(range.block, other.block) != other.block)
      return false;
    unsigned first = other.first, last = other.last;
    if (range.block != other.block) {
      unsigned holder = positionIn(other.block, starts[range.block].front());
      if (holder < first || holder > last)
        return false;
    } else {
      range.first = std::max(range.first, first);
      range.last = std::min(range.last, last);
      if (range.first > range.last)
        return false;
    }
    const std::vector<unsigned> &numbers = starts[range.block];
    std::vector<Place> places;
    for (unsigned id : {a, b})
      for (auto at = users[id].lower_bound(numbers[range.first]),
                end = users[id].lower_bound(numbers[range.last + 1]);
           at != end; ++at)
        places.push_back(at->second);
    unsigned alive = (isAliveAfter(a, range.block, range.last) ? 1 : 0) |
                     (isAliveAfter(b, range.block, range.last) ? 2 : 0);
    return Interference(tree, parents, range.block, a, b, places).exists(alive);
  }

  /// Whether the commands of `block` from that number on read what storage `id`
  /// holds before them; unknown when they neither read nor define it.
  std::optional<bool> isReadNext(unsigned id, unsigned block,
                                 unsigned number) const {
    auto at = users[id].lower_bound(number);
    while (at != users[id].end() && at->first < starts[block].back()) {
      unsigned next = starts[block][positionIn(block, at->first) + 1];
      std::vector<Place> places;
      for (; at != users[id].end() && at->first < next; ++at)
        places.push_back(at->second);
      if (std::optional<bool> alive =
              Interference(tree, parents, block, id, id, places)
                  .isAliveBefore())
        return alive;
    }
    return std::nullopt;
  }

  /// Whether what storage `id` holds behind a command is read.
  bool isAliveAfter(unsigned id, unsigned block, unsigned position) const {
    while (true) {
      if (auto read = isReadNext(id, block, starts[block][position + 1]))
        return *read;
      if (block == 0)
        return tree.storages[id].isKept();
      Place holder = parents[block];
      const Command &command = tree.blocks[holder.first][holder.second];
      if (command.kind == Command::Kind::Loop)
        if (auto read = isReadByLoop(id, command, block))
          return *read;
      std::tie(block, position) = holder;
    }
  }

  /// The same behind the condition or the body of a loop, but for what follows
  /// the loop.
  std::optional<bool> isReadByLoop(unsigned id, const Command &loop,
                                   unsigned block) const {
    auto isReadBy = [&](unsigned inner) {
      return isReadNext(id, inner, starts[inner].front());
    };
    std::optional<bool> condition = isReadBy(loop.blocks[0]);
    if (block == loop.blocks[1] && condition)
      return condition;
    if (llvm::is_contained(loop.reads, id))
      return true;
    // Another round, which may not come.
    std::optional<bool> body = isReadBy(loop.blocks[1]);
    if (body ? *body : condition.value_or(false))
      return true;
    return std::nullopt;
  }

  bool tryMerge(unsigned a, unsigned b) {
    if (!mayMerge(a, b) || (!follows(a, b) && interfere(a, b)))
      return false;
    merge(std::min(a, b), std::max(a, b));
    return true;
  }

  void merge(unsigned kept, unsigned gone) {
    assert(mayMerge(kept, gone) && "only storages of one kind become one");
    Storage &to = tree.storages[kept], &from = tree.storages[gone];
    if (from.isKept())
      to = from;
    extend(spans[kept], spans[gone]);
    homes[kept] = commonBlock(homes[kept], homes[gone]);
    for (const auto &[number, place] : users[gone]) {
      Command &command = tree.blocks[place.first][place.second];
      llvm::replace(command.reads, gone, kept);
      llvm::replace(command.writes, gone, kept);
    }
    users[kept].merge(users[gone]);
    users[gone].clear();
    homes[gone] = nowhere;
    spans[gone] = {};
    from = {};
  }

  /// Lets a kernel write over what it reads last.
  void overwrite(unsigned block, unsigned position) {
    const Command &command = tree.blocks[block][position];
    if (command.kind != Command::Kind::Launch)
      return;
    for (auto [read, write] :
         llvm::SmallVector<std::pair<unsigned, unsigned>>(command.inPlace))
      tryOverwrite(command, block, position, read, write);
  }

  void tryOverwrite(const Command &command, unsigned block, unsigned position,
                    unsigned read, unsigned write) {
    unsigned from = command.reads[read], to = command.writes[write];
    if (!mayMerge(from, to))
      return;
    const Span &x = spans[from], &y = spans[to];
    // Read again later: the common case, known without a walk.
    if (x.block == block && x.last > position)
      return;
    bool plain = x.block == block && y.block == block && x.last == position &&
                 y.first == position && llvm::count(command.reads, from) == 1 &&
                 llvm::count(command.writes, to) == 1;
    if (plain || !interfere(from, to))
      merge(std::min(from, to), std::max(from, to));
  }

  CommandTree &tree;
  std::vector<Span> spans;
  /// Of each storage the innermost block that holds all its uses.
  std::vector<unsigned> homes;
  /// By the numbers of commands.
  std::vector<std::map<unsigned, Place>> users;
  std::vector<Place> parents;
  std::vector<unsigned> depths;
  /// Commands are numbered as they stand, each before those within it. Of each
  /// block the numbers of its commands, and the one behind all of them.
  std::vector<std::vector<unsigned>> starts;
};
} // namespace

void heddle::shareStorages(CommandTree &tree) { Sharing(tree).run(); }
