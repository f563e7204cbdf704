// Which commands of a block touch the same storages, so that one must come
// after the other.

#ifndef HEDDLE_PASSES_PLAN_STORAGEUSES_H
#define HEDDLE_PASSES_PLAN_STORAGEUSES_H

#include "passes/Plan/CommandTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace heddle {

struct StorageUse {
  bool reads = false, writes = false;
};

/// By storage, in an order that does not change from run to run.
using StorageUses = llvm::MapVector<unsigned, StorageUse>;

inline void addUses(StorageUses &all, const StorageUses &more) {
  for (const auto &[id, use] : more) {
    all[id].reads |= use.reads;
    all[id].writes |= use.writes;
  }
}

/// Of the command and of those in its blocks, which run while it does:
/// `usesOfBlock` gives theirs.
inline StorageUses
usesOf(const Command &command,
       llvm::function_ref<StorageUses(unsigned block)> usesOfBlock) {
  StorageUses uses;
  for (unsigned id : command.reads)
    uses[id].reads = true;
  for (unsigned id : command.writes)
    uses[id].writes = true;
  for (unsigned block : command.blocks)
    addUses(uses, usesOfBlock(block));
  return uses;
}

/// Who touched each storage last, while a block is gone through from its first
/// command to its last.
class LastUses {
public:
  /// Calls `visit` with the positions of earlier commands that touch what
  /// `uses` does, where not both only read; with one more than once if they
  /// share several storages.
  void forEachConflict(const StorageUses &uses,
                       llvm::function_ref<void(unsigned position)> visit) {
    for (const auto &[id, use] : uses) {
      Touched &touched = storages[id];
      if (touched.writer)
        visit(*touched.writer);
      if (use.writes)
        llvm::for_each(touched.readers, visit);
    }
  }

  /// The command at `position` touches `uses`. Whoever waits for it has waited
  /// for the readers that `standsFor` names, too.
  void record(
      unsigned position, const StorageUses &uses,
      llvm::function_ref<bool(unsigned reader)> standsFor = [](unsigned) {
        return false;
      }) {
    for (const auto &[id, use] : uses) {
      Touched &touched = storages[id];
      if (use.writes) {
        touched = {position, {}};
      } else {
        llvm::erase_if(touched.readers, standsFor);
        touched.readers.push_back(position);
      }
    }
    addUses(all, uses);
  }

  /// What the block's commands touch.
  StorageUses takeAll() { return std::move(all); }

private:
  struct Touched {
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned> readers; ///< Since then.
  };

  llvm::DenseMap<unsigned, Touched> storages;
  StorageUses all;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_STORAGEUSES_H
