// Who wrote which byte last, and conflicts of commands that nothing orders.

#include "runtime/format/MemoryMap.h"
#include "runtime/format/Hazards.h"

#include "gtest/gtest.h"

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

/// Against one owner number per byte.
TEST(MemoryMap, AgreesWithBytes) {
  uint32_t state = 1;
  auto random = [&](uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return static_cast<int64_t>((state >> 8) % limit);
  };
  MemoryMap maps[2];
  std::vector<uint32_t> bytes[2] = {std::vector<uint32_t>(64),
                                    std::vector<uint32_t>(64)};
  for (int i = 0; i < 5000; ++i) {
    int which = i % 2;
    int64_t begin = random(64), end = begin + random(uint32_t(65 - begin));
    auto owner = static_cast<uint32_t>(1 + random(3));
    if (random(50) == 0) {
      maps[which].intersect(maps[1 - which]);
      for (int j = 0; j < 64; ++j)
        if (bytes[which][j] != bytes[1 - which][j])
          bytes[which][j] = 0;
    } else if (random(2)) {
      maps[which].write(begin, end, owner);
      for (int64_t j = begin; j < end; ++j)
        bytes[which][j] = owner;
    } else {
      bool holds = true, covers = true;
      for (int64_t j = begin; j < end; ++j) {
        holds &= bytes[which][j] == owner;
        covers &= bytes[which][j] != 0;
      }
      ASSERT_EQ(maps[which].holds(begin, end, owner), holds) << i;
      ASSERT_EQ(maps[which].covers(begin, end), covers) << i;
      ASSERT_EQ(maps[0] == maps[1], bytes[0] == bytes[1]) << i;
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
