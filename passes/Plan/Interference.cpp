// Walks backward over the commands that name one of two storages.

#include "passes/Plan/Interference.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;

Interference::Interference(const CommandTree &tree,
                           llvm::ArrayRef<Place> parents, unsigned root,
                           unsigned a, unsigned b, llvm::ArrayRef<Place> users)
    : tree(tree), root(root), a(a), b(b) {
  for (Place user : users)
    while (named[user.first].insert(user.second).second && user.first != root)
      user = parents[user.first];
}

bool Interference::exists(unsigned alive) {
  walkBlock(root, alive);
  return found;
}

std::optional<bool> Interference::isAliveBefore() {
  Transfer transfer = transferOf(root);
  if (transfer.read & 1)
    return true;
  return transfer.left & 1 ? std::nullopt : std::optional(false);
}

unsigned Interference::maskOf(llvm::ArrayRef<unsigned> ids) const {
  unsigned mask = 0;
  for (unsigned id : ids)
    mask |= maskOf(id);
  return mask;
}

Interference::Transfer Interference::transferOf(const Command &command) {
  unsigned read = maskOf(command.reads);
  switch (command.kind) {
  case Command::Kind::Launch:
  case Command::Kind::Resize:
  case Command::Kind::Extent:
  case Command::Kind::Collective:
  case Command::Kind::Rank:
  case Command::Kind::Count:
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

Interference::Transfer Interference::transferOf(unsigned block) {
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

unsigned Interference::walkBlock(unsigned block, unsigned alive) {
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

void Interference::check(const Command &command, unsigned alive) {
  switch (command.kind) {
  case Command::Kind::Launch:
  case Command::Kind::Resize:
  case Command::Kind::Extent:
  case Command::Kind::Collective:
  case Command::Kind::Rank:
  case Command::Kind::Count:
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

void Interference::checkLaunch(const Command &command, unsigned alive) {
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
