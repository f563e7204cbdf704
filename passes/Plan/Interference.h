// Whether two storages of a program may be one.

#ifndef HEDDLE_PASSES_PLAN_INTERFERENCE_H
#define HEDDLE_PASSES_PLAN_INTERFERENCE_H

#include "passes/Plan/CommandTree.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle {

/// Where a command stands: its block, and its position in it.
using Place = std::pair<unsigned, unsigned>;

/// Whether two storages get into each other's way: a backward walk that knows
/// of each whether its value is still to be read (bit 0 and bit 1). Commands
/// that name neither, with all in their blocks, change nothing: the walk knows
/// of the others alone, which are few.
class Interference {
public:
  /// `users` are commands within block `root` that name either, `parents` the
  /// command that each block is of.
  Interference(const CommandTree &tree, llvm::ArrayRef<Place> parents,
               unsigned root, unsigned a, unsigned b,
               llvm::ArrayRef<Place> users);

  /// Given those alive behind the commands.
  bool exists(unsigned alive);

  /// Whether `a` is alive before the commands; unknown when they neither read
  /// nor define it.
  std::optional<bool> isAliveBefore();

private:
  /// The values alive before commands as a function of those alive after them:
  /// what they read first, and what they leave.
  struct Transfer {
    unsigned read = 0, left = 3;
    unsigned operator()(unsigned alive) const { return read | (alive & left); }
    Transfer before(Transfer next) const {
      return {(*this)(next.read), left & next.left};
    }
  };

  unsigned maskOf(unsigned id) const {
    return (id == a ? 1 : 0) | (id == b ? 2 : 0);
  }
  unsigned maskOf(llvm::ArrayRef<unsigned> ids) const;
  Transfer transferOf(const Command &command);
  /// Of a block, which is composed once however blocks nest.
  Transfer transferOf(unsigned block);
  /// The values alive before the block, given those alive after it.
  unsigned walkBlock(unsigned block, unsigned alive);
  void check(const Command &command, unsigned alive);
  void checkLaunch(const Command &command, unsigned alive);

  const CommandTree &tree;
  unsigned root, a, b;
  /// Of each block the positions of commands that name either, or hold one that
  /// does.
  std::map<unsigned, std::set<unsigned>> named;
  std::map<unsigned, Transfer> transfers; ///< By block.
  bool found = false;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_INTERFERENCE_H
