// Layouts of weights: the grammar, and that each puts every element in a place
// of its own.

#include "runtime/format/WeightLayout.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace heddle::format;

namespace {
struct Case {
  const char *layout;
  std::vector<int64_t> shape;
  unsigned elementBits;
  std::vector<int64_t> stored;
};

const Case cases[] = {
    {"* k n -> * n/32 k n%32", {3, 5, 70}, 32, {3, 3, 5, 32}},
    {"* k n -> * n/32 k n%32", {7, 33}, 16, {2, 7, 32}},
    {"* k n -> * n/16 k/2 n%16 k%2", {2, 5, 20}, 16, {2, 2, 3, 16, 2}},
    {"* k n -> * n/16 k/4 n%16 k%4", {6, 16}, 8, {1, 2, 16, 4}},
    {"* k n -> * n/16 k/32 k/2%16 n%16 k%2", {40, 20}, 16, {2, 2, 16, 16, 2}},
    {"k n -> n/8 k/16 n%8 k/2%4 k/8%2 k%2", {32, 24}, 16, {3, 2, 8, 4, 2, 2}},
    {"* i (g=1 o) -> g o/32 * i o%32", {3, 3, 4, 40}, 32, {1, 2, 3, 3, 4, 32}},
    {"* i (g=3 o) -> g o/4 * i o%4", {2, 5, 18}, 32, {3, 2, 2, 5, 4}},
    {"* k n -> * n/4 k/2 n%4 k%2 in u8", {2, 6, 6}, 4, {2, 2, 3, 4, 1}},
    {"* k n -> * n/4 k/2 n%4 k%2 in u8 high", {5, 6}, 4, {2, 3, 4, 1}},
    {"* k n -> * n/3 k/8 n%3 k%8 in u32", {9, 4}, 4, {2, 2, 3, 1}},
    {"* k n -> * n/3 k/8 n%3 k%8 in u32 high", {9, 4}, 4, {2, 2, 3, 1}},
    {"* k -> * k/32 k%32 in u64 high", {3, 40}, 2, {3, 2, 1}},
    {"* k n -> * n/2 k n%2", {3, 3}, 4, {2, 3, 2}},
    {"* k n -> * n/32 k n%32", {0, 4}, 32, {1, 0, 32}},
    {"* k n -> * n/32 k n%32", {4, 0}, 32, {0, 4, 32}},
};

/// Calls `visit` with each index of `shape`.
template <typename Visit>
void forEach(const std::vector<int64_t> &shape, Visit visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<int64_t> index(shape.size());
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (size_t i = shape.size(); i-- > 0; rest /= shape[i])
      index[i] = rest % shape[i];
    visit(index);
  }
}

/// Every element has bits of its own, every other place is known to be none.
void expectBijective(const StoredLayout &stored,
                     const std::vector<int64_t> &shape, unsigned bits) {
  std::set<int64_t> taken;
  forEach(shape, [&](const std::vector<int64_t> &index) {
    int64_t offset = stored.bitOffset(index.data());
    EXPECT_EQ(offset % bits, 0);
    EXPECT_GE(offset, 0);
    EXPECT_LT(offset, stored.bytes() * 8);
    EXPECT_TRUE(taken.insert(offset).second);
    std::vector<int64_t> back(index.size());
    EXPECT_TRUE(stored.indexAt(offset, back.data()));
    EXPECT_EQ(back, index);
  });
  std::vector<int64_t> index(shape.size());
  for (int64_t offset = 0; offset < stored.bytes() * 8; offset += bits)
    EXPECT_EQ(stored.indexAt(offset, index.data()), taken.count(offset) != 0);
}

TEST(WeightLayout, EveryElementHasItsPlace) {
  for (const Case &one : cases) {
    SCOPED_TRACE(one.layout);
    std::optional<WeightLayout> layout = WeightLayout::parse(one.layout);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->str(), one.layout);
    std::optional<StoredLayout> stored = layout->of(one.shape, one.elementBits);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->shape(), one.stored);
    int64_t units = 1;
    for (int64_t extent : one.stored)
      units *= extent;
    EXPECT_EQ(stored->bytes() * 8, units * stored->unitBits());
    bool inWords = layout->word.bits;
    expectBijective(*stored, one.shape,
                    inWords ? one.elementBits : stored->unitBits());
  }
}

/// Splits each of some dimensions into random digits, in random order.
TEST(WeightLayout, SoHasEveryElementOfRandomLayouts) {
  std::mt19937 random(20);
  auto pick = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % (high - low + 1));
  };
  for (unsigned round = 0; round < 500; ++round) {
    WeightLayout layout;
    std::vector<int64_t> shape;
    layout.hasLeading = pick(0, 1);
    if (layout.hasLeading) {
      layout.factors.push_back({'*', 1, 0});
      for (int64_t i = pick(0, 2); i > 0; --i)
        shape.push_back(pick(1, 3));
    }
    char name = 'a';
    for (int64_t i = pick(1, 3); i > 0; --i) {
      WeightLayout::Dimension dimension;
      int64_t extent = pick(1, 9);
      if (pick(0, 3) == 0) {
        int64_t groups = pick(1, 3);
        extent *= groups;
        dimension.push_back({name, groups});
        layout.factors.push_back({name++, 1, 0});
      }
      dimension.push_back({name, 0});
      shape.push_back(extent);
      layout.dimensions.push_back(dimension);
      int64_t divisor = 1;
      for (int64_t digits = pick(0, 2); digits > 0; --digits) {
        int64_t modulus = pick(2, 4);
        layout.factors.push_back({name, divisor, modulus});
        divisor *= modulus;
      }
      layout.factors.push_back({name++, divisor, 0});
    }
    std::shuffle(layout.factors.begin(), layout.factors.end(), random);
    SCOPED_TRACE(layout.str());
    std::optional<WeightLayout> read = WeightLayout::parse(layout.str());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->str(), layout.str());
    std::optional<StoredLayout> stored = read->of(shape, 32);
    ASSERT_TRUE(stored);
    expectBijective(*stored, shape, 32);
  }
}

/// Which lane, register and half of it hold an element of B: PTX ISA, "Matrix
/// fragments for mma.m16n8k16 with floating point type".
TEST(WeightLayout, FragmentsLieAsTheInstructionReadsThem) {
  StoredLayout stored =
      *WeightLayout::parse("k n -> n/8 k/16 n%8 k/2%4 k/8%2 k%2")
           ->of({16, 8}, 16);
  forEach({16, 8}, [&](const std::vector<int64_t> &index) {
    int64_t k = index[0], n = index[1];
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 4; ++i)
        if (k == lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0) && n == lane / 4) {
          EXPECT_EQ(stored.bitOffset(index.data()), (lane * 4 + i) * 16);
        }
  });
}

TEST(WeightLayout, NibblesLieAsTheirWordSays) {
  auto offsets = [](const char *text) {
    StoredLayout stored = *WeightLayout::parse(text)->of({8}, 4);
    std::vector<int64_t> all;
    for (int64_t i = 0; i < 8; ++i)
      all.push_back(stored.bitOffset(&i));
    return all;
  };
  using Offsets = std::vector<int64_t>;
  EXPECT_EQ(offsets("k -> k/2 k%2 in u8"),
            (Offsets{0, 4, 8, 12, 16, 20, 24, 28}));
  EXPECT_EQ(offsets("k -> k/2 k%2 in u8 high"),
            (Offsets{4, 0, 12, 8, 20, 16, 28, 24}));
  EXPECT_EQ(offsets("k -> k/8 k%8 in u32 high"),
            (Offsets{28, 24, 20, 16, 12, 8, 4, 0}));
}

TEST(WeightLayout, WhatIsNoLayoutIsRefused) {
  for (const char *text : {"",
                           "->",
                           "n ->",
                           "-> n",
                           "n32k1",
                           "k n -> k",
                           "k n -> n/32 k",
                           "k n -> n%32 k",
                           "k n -> n/32 k n%16",
                           "k n -> n/32 k n%32 n%32",
                           "k n -> n/32 k n/4%8",
                           "k n -> n k m",
                           "k k -> k k",
                           "n -> n%1 n",
                           "k n -> n/0 k n%0",
                           "k n -> n/032 k n%32",
                           "k  n -> n k",
                           "k n -> n k ",
                           "* k -> k",
                           "k -> * k",
                           "* k -> * * k",
                           "n -> n/99999999999999999999 n%99999999999999999999",
                           "n -> n/1048577 n%1048577",
                           "k n -> n/65536 k/65536 n%65536 k%65536",
                           "(g=1073741825 o) -> g o",
                           "k n -> n k in u7",
                           "k n -> n k in u8 low",
                           "k n -> n k in",
                           "k n -> n k in u8 u8",
                           "(g=2) -> g",
                           "(g o) -> g o",
                           "(g=2 o -> g o",
                           "(g=0 o) -> g o",
                           "(o) -> o",
                           "K N -> N K",
                           "n -> n/1024 n/1024%1024 n%1024 n/1048576%2"})
    EXPECT_FALSE(WeightLayout::parse(text)) << text;
  EXPECT_FALSE(WeightLayout::parse(std::string(300, ' ')));
  std::string many = "n ->";
  for (unsigned i = 0; i < 20; ++i)
    many += " n/" + std::to_string(1 << i) + "%2";
  EXPECT_FALSE(WeightLayout::parse(many));
}

TEST(WeightLayout, WhatDoesNotFitIsRefused) {
  WeightLayout panels = *WeightLayout::parse("* k n -> * n/32 k n%32");
  EXPECT_FALSE(panels.of({4}, 32));
  EXPECT_FALSE(panels.of({-1, 4}, 32));
  EXPECT_FALSE(panels.of({int64_t(1) << 40, int64_t(1) << 40}, 32));
  EXPECT_FALSE(panels.of({0, INT64_MAX}, 8));
  EXPECT_FALSE(WeightLayout::parse("k n -> n k")->of({2, 2, 2}, 32));
  EXPECT_FALSE(WeightLayout::parse("(g=3 o) -> g o")->of({4}, 32));
  // Words are filled by elements of less than a byte, all of them.
  WeightLayout words = *WeightLayout::parse("k -> k/2 k%2 in u8");
  EXPECT_TRUE(words.of({5}, 4));
  EXPECT_FALSE(words.of({5}, 2));
  EXPECT_FALSE(words.of({5}, 6));
  EXPECT_FALSE(words.of({5}, 8));
}

/// Changed texts are refused or mean what they say; none is believed.
TEST(WeightLayout, MutatedTextsAreSafe) {
  std::mt19937 random(7);
  const char alphabet[] = "*kng()=/% ->0123459inu8high";
  for (unsigned round = 0; round < 20000; ++round) {
    const Case &one = cases[random() % std::size(cases)];
    std::string text = one.layout;
    for (unsigned i = random() % 3 + 1; i > 0; --i) {
      size_t at = random() % text.size();
      char letter = alphabet[random() % (sizeof alphabet - 1)];
      if (random() % 2)
        text[at] = letter;
      else
        text.insert(at, 1, letter);
    }
    std::optional<WeightLayout> layout = WeightLayout::parse(text);
    if (!layout)
      continue;
    EXPECT_EQ(layout->str(), text);
    std::optional<StoredLayout> stored = layout->of(one.shape, one.elementBits);
    if (stored && stored->bytes() < 100000)
      expectBijective(*stored, one.shape,
                      layout->word.bits ? one.elementBits : stored->unitBits());
  }
}
} // namespace
