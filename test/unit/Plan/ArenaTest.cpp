// Places of buffers in an arena, also of many.

#include "passes/Plan/Arena.h"

#include "gtest/gtest.h"

#include <random>

using namespace heddle;

namespace {
/// No two buffers that are alive together overlap, all are aligned and inside.
void expectValid(const std::vector<ArenaBuffer> &buffers,
                 const ArenaLayout &layout) {
  ASSERT_EQ(layout.offsets.size(), buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(layout.offsets[i] % 64, 0);
    EXPECT_LE(layout.offsets[i] + buffers[i].size, layout.size);
    for (size_t j = 0; j < i; ++j) {
      bool together = buffers[i].first <= buffers[j].last &&
                      buffers[j].first <= buffers[i].last;
      bool apart = layout.offsets[i] + buffers[i].size <= layout.offsets[j] ||
                   layout.offsets[j] + buffers[j].size <= layout.offsets[i];
      EXPECT_TRUE(!together || apart) << i << " and " << j;
    }
  }
}

TEST(Arena, Empty) { EXPECT_EQ(layOutArena({}, 64).size, 0); }

TEST(Arena, SharesPlacesOverTime) {
  std::vector<ArenaBuffer> buffers = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}};
  ArenaLayout layout = layOutArena(buffers, 64);
  expectValid(buffers, layout);
  EXPECT_EQ(layout.size, 256);
  EXPECT_EQ(layout.offsets[0], layout.offsets[2]);
}

/// What ends at a command and what starts there are alive together: the command
/// reads one while it writes the other.
TEST(Arena, EndsAreIncluded) {
  std::vector<ArenaBuffer> buffers = {{64, 0, 1}, {64, 1, 1}};
  EXPECT_EQ(layOutArena(buffers, 64).size, 128);
}

TEST(Arena, FillsGaps) {
  // The two large ones leave a gap in time for the small one.
  std::vector<ArenaBuffer> buffers = {{640, 0, 2}, {640, 3, 5}, {64, 1, 4}};
  ArenaLayout layout = layOutArena(buffers, 64);
  expectValid(buffers, layout);
  EXPECT_EQ(layout.size, 704);
}

/// What the layout means, said plainly: the largest first, each at the lowest
/// place that no other takes while it lives.
std::vector<int64_t> lowestPlaces(const std::vector<ArenaBuffer> &buffers) {
  std::vector<size_t> order(buffers.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(buffers[b].size, a) <
           std::make_pair(buffers[a].size, b);
  });
  std::vector<int64_t> offsets(buffers.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const ArenaBuffer &buffer = buffers[order[i]];
    auto isTaken = [&](int64_t offset) {
      for (size_t j = 0; j < i; ++j) {
        const ArenaBuffer &other = buffers[order[j]];
        if (other.first <= buffer.last && buffer.first <= other.last &&
            offset < offsets[order[j]] + other.size &&
            offsets[order[j]] < offset + buffer.size)
          return true;
      }
      return false;
    };
    while (isTaken(offsets[order[i]]))
      offsets[order[i]] += 64;
  }
  return offsets;
}

TEST(Arena, LowestPlaces) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<ArenaBuffer> buffers;
    for (unsigned i = 0; i < 1 + random() % 60; ++i) {
      int64_t first = random() % 100;
      buffers.push_back({int64_t(1 + random() % 700), first,
                         first + int64_t(random() % (round % 2 ? 5 : 80))});
    }
    EXPECT_EQ(layOutArena(buffers, 64).offsets, lowestPlaces(buffers))
        << "round " << round;
  }
}

/// A step of training, unrolled: each value is read next, and once more on the
/// way back. Looking at all pairs would take a while.
TEST(Arena, ManyBuffers) {
  constexpr int64_t count = 40000;
  std::vector<ArenaBuffer> buffers;
  for (int64_t i = 0; i < count; ++i)
    buffers.push_back({64, i, 2 * count - i});
  for (int64_t i = 0; i < count; ++i)
    buffers.push_back({64 + 64 * (i % 3), i, i + 1});
  ArenaLayout layout = layOutArena(buffers, 64);
  EXPECT_GE(layout.size, 64 * count);
  EXPECT_LE(layout.size, 64 * count + 1024);
}

TEST(Arena, RandomIntervals) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBuffer> buffers;
    int64_t total = 0;
    for (int i = 0; i < 40; ++i) {
      int64_t first = random() % 30;
      int64_t size = 1 + random() % 1000;
      buffers.push_back({size, first, first + int64_t(random() % 8)});
      total += (size + 63) / 64 * 64;
    }
    ArenaLayout layout = layOutArena(buffers, 64);
    expectValid(buffers, layout);
    EXPECT_LE(layout.size, total);
    EXPECT_EQ(layout.offsets, layOutArena(buffers, 64).offsets);
  }
}
} // namespace
