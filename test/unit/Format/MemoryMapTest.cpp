// Who wrote which byte last, what commands change of it, and conflicts of
// commands that nothing orders.

#include "runtime/format/Hazards.h"
#include "runtime/format/MemoryEffect.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <vector>

using namespace heddle::format;

TEST(MemoryMap, HoldsWhatWasWritten) {
  MemoryMap map;
  EXPECT_TRUE(map.holds(5, 5, 1)); // nothing
  EXPECT_FALSE(map.holds(0, 1, 1));
  map.write(0, 10, 1);
  map.write(10, 20, 1);
  EXPECT_TRUE(map.holds(3, 17, 1));
  EXPECT_FALSE(map.holds(3, 17, 2));
  EXPECT_FALSE(map.holds(3, 21, 1));
}

TEST(MemoryMap, LaterOwnersTakeOver) {
  MemoryMap map;
  map.write(0, 100, 1);
  map.write(40, 60, 2);
  EXPECT_TRUE(map.holds(0, 40, 1));
  EXPECT_FALSE(map.holds(0, 41, 1));
  EXPECT_TRUE(map.holds(60, 100, 1));
  EXPECT_TRUE(map.covers(0, 100));
  EXPECT_FALSE(map.covers(0, 101));
  map.write(30, 70, 1);
  EXPECT_TRUE(map.holds(0, 100, 1));
}

/// The same numbers in every run.
struct Random {
  int64_t operator()(uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return static_cast<int64_t>((state >> 8) % limit);
  }
  uint32_t state = 1;
};

constexpr uint32_t count = 64, nobody = 99;
using Bytes = std::vector<uint32_t>; // their owners

static void expectHolds(const MemoryMap &map, const Bytes &bytes, int i) {
  for (uint32_t begin = 0; begin < count; begin += 5)
    for (uint32_t end = begin + 1; end <= count; end += 3) {
      bool covers = true;
      for (uint32_t j = begin; j < end; ++j)
        covers &= bytes[j] != nobody;
      ASSERT_EQ(map.covers(begin, end), covers) << i;
      for (uint32_t owner = 0; owner < 3; ++owner) {
        bool holds = true;
        for (uint32_t j = begin; j < end; ++j)
          holds &= bytes[j] == owner;
        ASSERT_EQ(map.holds(begin, end, owner), holds) << i;
      }
    }
}

/// Against one owner number per byte.
TEST(MemoryMap, AgreesWithBytes) {
  Random random;
  MemoryMap maps[2];
  Bytes bytes[2] = {Bytes(count, nobody), Bytes(count, nobody)};
  for (int i = 0; i < 2000; ++i) {
    MemoryMap &map = maps[i % 2], &other = maps[1 - i % 2];
    int64_t begin = random(count);
    int64_t end = begin + random(uint32_t(count + 1 - begin));
    auto owner = static_cast<uint32_t>(random(3));
    int64_t what = random(5);
    if (what == 0)
      map.erase(begin, end);
    else if (what == 1)
      map.keep(begin, end, owner);
    else if (what == 2)
      map.take(other, begin, end);
    else
      map.write(begin, end, owner);
    for (int64_t j = begin; j < end; ++j) {
      uint32_t &byte = bytes[i % 2][size_t(j)];
      if (what == 0 || (what == 1 && byte != owner))
        byte = nobody;
      else if (what == 2)
        byte = bytes[1 - i % 2][size_t(j)];
      else if (what > 2)
        byte = owner;
    }
    expectHolds(map, bytes[i % 2], i);
  }
}

/// An effect, and what it does to bytes of three owners and of none.
struct Effect {
  void write(int64_t begin, int64_t end, uint32_t owner) {
    effect.write(begin, end, owner);
    for (Bytes &after : afterwards)
      for (int64_t j = begin; j < end; ++j)
        after[size_t(j)] = owner;
  }
  void then(const Effect &next) {
    effect.then(next.effect);
    for (Bytes &after : afterwards)
      for (uint32_t j = 0; j < count; ++j)
        after[j] = next.afterwards[std::min(after[j], 3u)][j];
  }
  void join(const Effect &other) {
    effect.join(other.effect);
    for (uint32_t before = 0; before < 4; ++before)
      for (uint32_t j = 0; j < count; ++j)
        if (afterwards[before][j] != other.afterwards[before][j])
          afterwards[before][j] = nobody;
  }
  void maybe() {
    effect.maybe();
    for (uint32_t before = 0; before < 4; ++before)
      for (uint32_t &after : afterwards[before])
        if (after != (before < 3 ? before : nobody))
          after = nobody;
  }

  MemoryEffect effect;
  std::vector<Bytes> afterwards = {Bytes(count, 0), Bytes(count, 1),
                                   Bytes(count, 2), Bytes(count, nobody)};
};

/// Against a function for each byte.
TEST(MemoryEffect, AgreesWithBytes) {
  Random random;
  Effect effects[3];
  for (int i = 0; i < 2000; ++i) {
    Effect &effect = effects[i % 3], &other = effects[(i + 1) % 3];
    int64_t begin = random(count);
    int64_t end = begin + random(uint32_t(count + 1 - begin));
    int64_t what = random(12);
    if (what == 0)
      effect = Effect();
    else if (what == 1)
      effect.then(other);
    else if (what == 2)
      effect.join(other);
    else if (what == 3)
      effect.maybe();
    else
      effect.write(begin, end, static_cast<uint32_t>(random(3)));
    for (uint32_t before = 0; before < 4; ++before) {
      MemoryMap map, old;
      if (before < 3)
        map.write(0, count, before);
      effect.effect.restore(old, map);
      effect.effect.apply(map);
      expectHolds(map, effect.afterwards[before], i);
      effect.effect.restore(map, old);
      expectHolds(map, Bytes(count, before < 3 ? before : nobody), i);
    }
  }
}

static MemoryAccess access(int64_t begin, int64_t end, bool writes) {
  return {0, begin, end, 0, !writes, writes};
}

TEST(Hazards, UnorderedReadsAreFine) {
  Hazards hazards(3);
  for (uint32_t queue = 0; queue < 3; ++queue) {
    hazards.start(queue, {});
    EXPECT_TRUE(hazards.touch(access(0, 10, false)));
  }
  hazards.start(0, {});
  EXPECT_FALSE(hazards.touch(access(9, 11, true)));
}

TEST(Hazards, EventsOrder) {
  Hazards hazards(2);
  hazards.start(0, {});
  EXPECT_TRUE(hazards.touch(access(0, 10, true)));
  Hazards::Clock done = hazards.done();
  hazards.start(1, {});
  EXPECT_FALSE(hazards.touch(access(5, 6, false)));
  hazards.start(1, {&done});
  EXPECT_TRUE(hazards.touch(access(5, 6, false)));
  // Through a second queue back to the first: order is transitive.
  Hazards::Clock back = hazards.done();
  hazards.start(0, {});
  EXPECT_FALSE(hazards.touch(access(5, 6, true)));
  hazards.start(0, {&back});
  EXPECT_TRUE(hazards.touch(access(5, 6, true)));
}

TEST(Hazards, OneQueueIsInOrder) {
  Hazards hazards(1);
  for (int i = 0; i < 4; ++i) {
    hazards.start(0, {});
    EXPECT_TRUE(hazards.touch(access(0, 4, true)));
    EXPECT_TRUE(hazards.touch(access(0, 4, false)));
  }
}
