// Places by the sizes that calls choose: sound at each choice, and not much
// more than what the same buffers take where all is known.

#include "passes/Plan/SizedArena.h"

#include "dialects/Size/Size.h"
#include "passes/Plan/Arena.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <random>

using namespace heddle;
using size::Expression;

namespace {
class SizedArena : public ::testing::Test {
protected:
  SizedArena() {
    context.loadDialect<size::SizeDialect>();
    ranges.declare("batch", {1, 8, 1});
    ranges.declare("sequence", {1, 512, 1});
    batch = Expression::symbol(&context, "batch");
    sequence = Expression::symbol(&context, "sequence");
  }

  static int64_t at(Expression expression, int64_t b, int64_t s) {
    std::optional<int64_t> value =
        expression.evaluated([&](llvm::StringRef name) {
          return std::optional<int64_t>(name == "batch" ? b : s);
        });
    EXPECT_TRUE(value);
    return value.value_or(-1);
  }

  /// Buffers that are alive together share no bytes, all are aligned and
  /// inside; the arena is at most `most` times what the layout of these very
  /// sizes takes.
  void check(const std::vector<SizedBuffer> &buffers, const SizedLayout &layout,
             int64_t b, int64_t s, double most) {
    std::vector<ArenaBuffer> known;
    std::vector<int64_t> begins;
    int64_t bytes = at(layout.bytes, b, s);
    for (size_t i = 0; i < buffers.size(); ++i) {
      known.push_back(
          {at(buffers[i].bytes, b, s), buffers[i].first, buffers[i].last});
      begins.push_back(at(layout.offsets[i], b, s));
      EXPECT_GE(begins[i], 0);
      EXPECT_EQ(begins[i] % 64, 0);
      EXPECT_LE(begins[i] + known[i].size, bytes);
      for (size_t j = 0; j < i; ++j) {
        bool together =
            known[i].first <= known[j].last && known[j].first <= known[i].last;
        bool apart = begins[i] + known[i].size <= begins[j] ||
                     begins[j] + known[j].size <= begins[i];
        EXPECT_TRUE(!together || apart)
            << i << " and " << j << " at " << b << " x " << s;
      }
    }
    EXPECT_LE(bytes, layout.largestBytes);
    int64_t fixed = layOutArena(known, 64).size;
    EXPECT_LE(double(bytes), most * double(fixed)) << b << " x " << s;
  }

  /// Layers of a transformer: what is alive at its end is the next one's input.
  std::vector<SizedBuffer> layers(unsigned count, bool scores) {
    Expression rows = batch * sequence, hidden = rows * 3072;
    std::vector<SizedBuffer> buffers = {{rows * 4, 0, int64_t(count) * 8}};
    for (int64_t layer = 0; layer < count; ++layer) {
      int64_t t = 8 * layer;
      buffers.push_back({hidden, t, t + 4});
      for (int64_t i = 0; i < 3; ++i)
        buffers.push_back({hidden, t + 1, t + 2 + i % 2});
      if (scores)
        buffers.push_back({rows * sequence * 48, t + 2, t + 3});
      buffers.push_back({hidden, t + 3, t + 4});
      buffers.push_back({rows * 8, t + 4, t + 5});
      buffers.push_back({hidden, t + 4, t + 7});
      buffers.push_back({rows * 12288, t + 5, t + 6});
      buffers.push_back({hidden, t + 6, t + 8});
      buffers.push_back({batch * 3072, t + 7, t + 7});
      buffers.push_back({Expression::constant(&context, 100), t + 5, t + 7});
    }
    return buffers;
  }

  mlir::MLIRContext context;
  size::Ranges ranges;
  Expression batch, sequence;
};

constexpr std::pair<int64_t, int64_t> kSizes[] = {
    {1, 1},   {1, 16},  {1, 128}, {2, 16}, {3, 77},
    {8, 128}, {8, 384}, {1, 512}, {5, 63}, {8, 1}};

TEST_F(SizedArena, Transformer) {
  for (bool scores : {false, true}) {
    SCOPED_TRACE(scores);
    std::vector<SizedBuffer> buffers = layers(12, scores);
    std::optional<SizedLayout> layout = layOutSizedArena(buffers, 64, ranges);
    ASSERT_TRUE(layout);
    for (auto [b, s] : kSizes)
      check(buffers, *layout, b, s, 1.25);
    check(buffers, *layout, 8, 512, 1.05);
  }
}

/// Buffers of which neither is always the larger: what lies beside both cannot
/// be below the one that happens to be small.
TEST_F(SizedArena, HalvesOfMultiples) {
  // Stages of a network on images of multiples of 32 points, each half as wide
  // and high with twice the channels.
  ranges.declare("sequence", {64, 512, 32});
  std::vector<SizedBuffer> buffers;
  int64_t time = 0;
  for (int64_t stage = 1; stage <= 5; ++stage) {
    Expression side = sequence.floorDiv(int64_t(1) << stage);
    Expression bytes = batch * side * side * (int64_t(256) << stage);
    for (int64_t i = 0; i < 3; ++i, ++time)
      buffers.push_back({bytes, time, time + 1 + i % 2});
  }
  std::optional<SizedLayout> layout = layOutSizedArena(buffers, 64, ranges);
  ASSERT_TRUE(layout);
  for (int64_t b : {1, 3, 8})
    for (int64_t side = 64; side <= 512; side += 32)
      check(buffers, *layout, b, side, 1.05);
}

TEST_F(SizedArena, WhatCannotBeCompared) {
  std::vector<SizedBuffer> buffers = {
      {batch * 640, 0, 2}, {sequence * 64, 3, 5}, {batch * sequence * 4, 1, 4}};
  std::optional<SizedLayout> layout = layOutSizedArena(buffers, 64, ranges);
  ASSERT_TRUE(layout);
  for (auto [b, s] : kSizes)
    check(buffers, *layout, b, s, 1.75);
}

TEST_F(SizedArena, Random) {
  std::mt19937 random(1);
  unsigned found = 0;
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<SizedBuffer> buffers;
    unsigned count = 2 + random() % 12;
    for (unsigned i = 0; i < count; ++i) {
      int64_t factor = 1 + random() % 200, first = random() % 10;
      Expression choices[] = {
          batch * factor,
          sequence * factor,
          batch * sequence * factor,
          batch * sequence * sequence * (factor % 8 + 1),
          (sequence + 1).floorDiv(2) * batch * factor,
          Expression::minimum(sequence * 4,
                              Expression::constant(&context, 400)) *
              batch,
          Expression::constant(&context, factor)};
      buffers.push_back({choices[random() % std::size(choices)], first,
                         first + int64_t(random() % 5)});
    }
    std::optional<SizedLayout> layout = layOutSizedArena(buffers, 64, ranges);
    if (!layout)
      continue;
    ++found;
    for (auto [b, s] : kSizes)
      check(buffers, *layout, b, s, 3);
  }
  EXPECT_GT(found, 190u);
}

/// Nothing is said where nothing is known: a size without a bound, bytes that
/// may be fewer than none.
TEST_F(SizedArena, Unknown) {
  Expression other = Expression::symbol(&context, "other");
  EXPECT_FALSE(layOutSizedArena({{other * 4, 0, 1}}, 64, ranges));
  EXPECT_FALSE(layOutSizedArena({{(batch - sequence) * 4, 0, 1}}, 64, ranges));
}
} // namespace
