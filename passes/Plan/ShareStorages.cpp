// Values that follow each other share a storage: what a loop carries from round
// to round, what a branch returns, what a kernel updates in place.

#include "passes/Plan/CommandTree.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <optional>
#include <set>

using namespace heddle;

namespace {
/// Where a command stands: its block, and its position in it.
using Place = std::pair<unsigned, unsigned>;

/// Whether two storages get into each other's way: a backward walk that knows
/// of each whether its value is still to be read (bit 0 and bit 1). Commands
/// that name neither, with all in their blocks, change nothing: the walk knows
/// of the others alone, which are few.
class Interference {
public:
  /// `users` are commands that name either, `parents` the command that each
  /// block is of.
  Interference(const CommandTree &tree, llvm::ArrayRef<Place> parents,
               unsigned a, unsigned b, llvm::ArrayRef<Place> users)
      : tree(tree), a(a), b(b) {
    for (Place user : users)
      while (named[user.first].insert(user.second).second && user.first != 0)
        user = parents[user.first];
  }

  /// Given those alive behind the commands.
  bool exists(unsigned alive) {
    walkBlock(0, alive);
    return found;
  }

  /// Whether `a` is alive before the commands; unknown when they neither read
  /// nor define it.
  std::optional<bool> isAliveBefore() {
    Transfer transfer = transferOf(0u);
    if (transfer.read & 1)
      return true;
    return transfer.left & 1 ? std::nullopt : std::optional(false);
  }

private:
  unsigned maskOf(unsigned id) const {
    return (id == a ? 1 : 0) | (id == b ? 2 : 0);
  }
  unsigned maskOf(llvm::ArrayRef<unsigned> ids) const {
    unsigned mask = 0;
    for (unsigned id : ids)
      mask |= maskOf(id);
    return mask;
  }

  /// The values alive before commands as a function of those alive after them:
  /// what they read first, and what they leave.
  struct Transfer {
    unsigned read = 0, left = 3;
    unsigned operator()(unsigned alive) const { return read | (alive & left); }
    Transfer before(Transfer next) const {
      return {(*this)(next.read), left & next.left};
    }
  };

  Transfer transferOf(const Command &command) {
    unsigned read = maskOf(command.reads);
    switch (command.kind) {
    case Command::Kind::Launch:
    case Command::Kind::Resize:
    case Command::Kind::Extent:
      return {read, 3 & ~maskOf(command.writes)};
    case Command::Kind::Copy: {
      unsigned written = maskOf(command.writes);
      return written == read ? Transfer() : Transfer{read, 3 & ~written};
    }
    case Command::Kind::Loop: {
      // Another round reads what the first one does, or what it leaves.
      Transfer flag{read, 3};
      unsigned again = transferOf(command.blocks[1]).read;
      return transferOf(command.blocks[0]).before(flag).before({again, 3});
    }
    case Command::Kind::Branch: {
      Transfer any{0, 0};
      for (unsigned block : command.blocks) {
        Transfer one = transferOf(block);
        any = {any.read | one.read, any.left | one.left};
      }
      return Transfer{read, 3}.before(any);
    }
    }
    return {};
  }

  /// Of a block, which is composed once however blocks nest.
  Transfer transferOf(unsigned block) {
    auto positions = named.find(block);
    if (positions == named.end())
      return {};
    auto known = transfers.find(block);
    if (known != transfers.end())
      return known->second;
    Transfer transfer;
    for (unsigned position : llvm::reverse(positions->second))
      transfer = transferOf(tree.blocks[block][position]).before(transfer);
    return transfers[block] = transfer;
  }

  /// The values alive before the block, given those alive after it.
  unsigned walkBlock(unsigned block, unsigned alive) {
    auto positions = named.find(block);
    if (positions == named.end())
      return alive;
    for (unsigned position : llvm::reverse(positions->second)) {
      if (found)
        return alive;
      const Command &command = tree.blocks[block][position];
      check(command, alive);
      alive = transferOf(command)(alive);
    }
    return alive;
  }

  void check(const Command &command, unsigned alive) {
    switch (command.kind) {
    case Command::Kind::Launch:
    case Command::Kind::Resize:
    case Command::Kind::Extent:
      return checkLaunch(command, alive);
    case Command::Kind::Copy: {
      unsigned written = maskOf(command.writes);
      found |= written && !maskOf(command.reads) && (alive & ~written) != 0;
      return;
    }
    case Command::Kind::Loop: {
      unsigned body = walkBlock(command.blocks[1], transferOf(command)(alive));
      walkBlock(command.blocks[0], alive | body | maskOf(command.reads));
      return;
    }
    case Command::Kind::Branch:
      for (unsigned block : command.blocks)
        walkBlock(block, alive);
      return;
    }
  }

  void checkLaunch(const Command &command, unsigned alive) {
    unsigned written = maskOf(command.writes);
    if (!written)
      return;
    // Written both, or one under the other.
    found |= written == 3 || (alive & ~written) != 0;
    // As one storage: read at most once, where the kernel allows it.
    unsigned reads = 0;
    for (unsigned i = 0; i < command.reads.size(); ++i) {
      if (!maskOf(command.reads[i]))
        continue;
      ++reads;
      found |= llvm::none_of(command.inPlace, [&](auto pair) {
        return pair.first == i && maskOf(command.writes[pair.second]);
      });
    }
    found |= reads > 1;
  }

  const CommandTree &tree;
  unsigned a, b;
  /// Of each block the positions of commands that name either, or hold one that
  /// does.
  std::map<unsigned, std::set<unsigned>> named;
  std::map<unsigned, Transfer> transfers; ///< By block.
  bool found = false;
};

class Sharing {
public:
  explicit Sharing(CommandTree &tree) : tree(tree) {}

  void run() {
    // What the innermost blocks copy is copied most often.
    std::vector<unsigned> depths(tree.blocks.size(), 0);
    parents.resize(tree.blocks.size());
    for (unsigned block = 0; block < tree.blocks.size(); ++block)
      for (auto [i, command] : llvm::enumerate(tree.blocks[block]))
        for (unsigned inner : command.blocks) {
          depths[inner] = depths[block] + 1;
          parents[inner] = {block, unsigned(i)};
        }
    findSpans();
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

  void findSpans() {
    spans.resize(tree.storages.size());
    outerSpans.resize(tree.storages.size());
    users.resize(tree.storages.size());
    for (unsigned block = 0; block < tree.blocks.size(); ++block)
      for (auto [i, command] : llvm::enumerate(tree.blocks[block]))
        for (unsigned id :
             llvm::concat<const unsigned>(command.reads, command.writes)) {
          extend(spans[id], {block, unsigned(i), unsigned(i)});
          unsigned outer = outermost({block, unsigned(i)});
          extend(outerSpans[id], {0, outer, outer});
          users[id].insert({outer, {block, unsigned(i)}});
        }
    for (auto [storage, span, outer] :
         llvm::zip_equal(tree.storages, spans, outerSpans))
      if (storage.isKept()) {
        extend(span, {0, nowhere, nowhere});
        extend(outer, {0, nowhere, nowhere});
      }
  }

  /// The position in the outermost block of the command at `place`, or of that
  /// which holds it.
  unsigned outermost(Place place) const {
    while (place.first != 0)
      place = parents[place.first];
    return place.second;
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
    return a != b && kinds && x.size == y.size && !x.bytes && !y.bytes &&
           x.device == y.device;
  }

  /// Sure not to interfere: `b` takes the value of `a` over with a copy, or one
  /// follows the other in one block.
  bool follows(unsigned a, unsigned b) const {
    const Span &x = spans[a], &y = spans[b];
    if (x.block == y.block && x.block < everywhere &&
        (x.last < y.first || y.last < x.first))
      return true;
    unsigned last = outerSpans[a].last, first = outerSpans[b].first;
    return last == first && last != nowhere &&
           tree.blocks[0][last].kind == Command::Kind::Copy;
  }

  /// Looks at the outermost commands between the first and the last that use
  /// both: elsewhere one of the two holds nothing and is not written.
  bool interfere(unsigned a, unsigned b) const {
    unsigned first = std::max(firstUse(a), firstUse(b));
    unsigned last = std::min(outerSpans[a].last, outerSpans[b].last);
    std::vector<Place> places;
    for (unsigned id : {a, b})
      for (auto at = users[id].lower_bound(first);
           at != users[id].end() && at->first <= last; ++at)
        places.push_back(at->second);
    unsigned alive =
        (isAliveAfter(a, last) ? 1 : 0) | (isAliveAfter(b, last) ? 2 : 0);
    return Interference(tree, parents, a, b, places).exists(alive);
  }

  /// In terms of the outermost block. What others see may hold a value before.
  unsigned firstUse(unsigned id) const {
    return tree.storages[id].isKept() ? 0 : outerSpans[id].first;
  }

  /// Whether what storage `id` holds behind an outermost command is read.
  bool isAliveAfter(unsigned id, unsigned position) const {
    auto at = users[id].upper_bound(position);
    while (at != users[id].end()) {
      auto next = users[id].upper_bound(at->first);
      std::vector<Place> places;
      for (; at != next; ++at)
        places.push_back(at->second);
      if (std::optional<bool> alive =
              Interference(tree, parents, id, id, places).isAliveBefore())
        return *alive;
    }
    return tree.storages[id].isKept();
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
    extend(outerSpans[kept], outerSpans[gone]);
    for (const auto &[outer, place] : users[gone]) {
      Command &command = tree.blocks[place.first][place.second];
      llvm::replace(command.reads, gone, kept);
      llvm::replace(command.writes, gone, kept);
    }
    users[kept].merge(users[gone]);
    spans[gone] = outerSpans[gone] = {};
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
  /// Where a storage is used in terms of the outermost block's commands.
  std::vector<Span> outerSpans;
  /// By the position in the outermost block.
  std::vector<std::multimap<unsigned, Place>> users;
  std::vector<Place> parents;
};
} // namespace

void heddle::shareStorages(CommandTree &tree) { Sharing(tree).run(); }
