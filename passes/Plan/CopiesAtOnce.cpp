// A copy waits until nobody has to read its target any more; a storage that is
// read and written by one circle of copies steps aside.

#include "passes/Plan/CopiesAtOnce.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <set>

using namespace llvm;

void heddle::copyAtOnce(ArrayRef<unsigned> sources, ArrayRef<unsigned> targets,
                        function_ref<void(unsigned, unsigned)> copy,
                        function_ref<unsigned(unsigned)> setAside) {
  struct Move {
    unsigned source, target;
  };
  SmallVector<Move> moves;
  // By storage: the moves from it, those of them still to do, the moves to it.
  DenseMap<unsigned, SmallVector<unsigned>> readers, writers;
  DenseMap<unsigned, unsigned> left;
  std::set<unsigned> open;
  for (auto [source, target] : llvm::zip_equal(sources, targets)) {
    if (source == target)
      continue;
    open.insert(moves.size());
    readers[source].push_back(moves.size());
    writers[target].push_back(moves.size());
    ++left[source];
    moves.push_back({source, target});
  }
  // Those whose target nobody still has to read.
  std::set<unsigned> ready;
  auto release = [&](unsigned storage) {
    for (unsigned move : writers.lookup(storage))
      if (open.count(move))
        ready.insert(move);
  };
  for (const Move &move : moves)
    if (!left.contains(move.target))
      release(move.target);
  while (!open.empty()) {
    if (!ready.empty()) {
      unsigned next = *ready.begin();
      auto [source, target] = moves[next];
      copy(source, target);
      ready.erase(next);
      open.erase(next);
      if (--left[source] == 0)
        release(source);
      continue;
    }
    // All that are left go around in circles: one value steps aside.
    unsigned source = moves[*open.begin()].source;
    unsigned aside = setAside(source);
    copy(source, aside);
    left[aside] = std::exchange(left[source], 0);
    for (unsigned move : readers.lookup(source))
      moves[move].source = aside;
    release(source);
  }
}
