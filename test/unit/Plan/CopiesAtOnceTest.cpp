// Copies in the order that is found give what copies at once would.

#include "passes/Plan/CopiesAtOnce.h"

#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

struct Done {
  std::vector<unsigned> memory;
  unsigned copies = 0, aside = 0;
};

/// What storages hold after the copies, where each held its own number.
Done run(unsigned storages, ArrayRef<unsigned> sources,
         ArrayRef<unsigned> targets) {
  Done done;
  for (unsigned i = 0; i < storages; ++i)
    done.memory.push_back(i);
  heddle::copyAtOnce(
      sources, targets,
      [&](unsigned source, unsigned target) {
        done.memory[target] = done.memory[source];
        ++done.copies;
      },
      [&](unsigned) {
        ++done.aside;
        done.memory.push_back(~0u);
        return done.memory.size() - 1;
      });
  return done;
}

} // namespace

TEST(CopiesAtOnce, ReadsBeforeWriting) {
  Done done = run(4, {0, 1, 2}, {1, 2, 3});
  EXPECT_EQ(done.memory, (std::vector<unsigned>{0, 0, 1, 2}));
  EXPECT_EQ(done.copies, 3u);
}

TEST(CopiesAtOnce, LeavesWhatStays) {
  EXPECT_EQ(run(3, {0, 1}, {0, 1}).copies, 0u);
}

TEST(CopiesAtOnce, GoesAroundInCirclesByOneStorage) {
  Done done = run(3, {0, 1, 2}, {1, 2, 0});
  EXPECT_EQ(ArrayRef(done.memory).take_front(3), ArrayRef<unsigned>({2, 0, 1}));
  EXPECT_EQ(done.aside, 1u);
  EXPECT_EQ(done.copies, 4u);
}

TEST(CopiesAtOnce, GivesAllThatAnyMapAsksFor) {
  // Each target once, from any source: all maps of four storages.
  for (unsigned code = 0; code < 256; ++code) {
    SmallVector<unsigned> sources, targets;
    for (unsigned i = 0; i < 4; ++i) {
      sources.push_back(code >> (2 * i) & 3);
      targets.push_back(i);
    }
    Done done = run(4, sources, targets);
    EXPECT_EQ(ArrayRef(done.memory).take_front(4), ArrayRef(sources)) << code;
  }
}
