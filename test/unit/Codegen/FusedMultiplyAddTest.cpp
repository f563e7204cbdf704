// The freestanding fma and fmaf against those of the C library, which are
// rounded once: bits at random, exponents near each other, cancellation,
// subnormal results, ties.

#define fma freestandingFma
#define fmaf freestandingFmaf
#include "lib/Codegen/Freestanding/FusedMultiplyAdd.c"
#undef fma
#undef fmaf

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

namespace {

uint32_t bitsOf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float ofBits32(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(FusedMultiplyAdd, DoublesAreRoundedOnce) {
  std::mt19937_64 random(12);
  auto withExponent = [&](uint64_t bits, uint64_t low, uint64_t count) {
    return (bits & ~(uint64_t(0x7ff) << 52)) | (low + random() % count) << 52;
  };
  for (int i = 0; i < 300000; ++i) {
    uint64_t a = random(), b = random(), c = random();
    switch (i % 5) {
    case 1:
      a = withExponent(a, 1000, 46);
      b = withExponent(b, 1000, 46);
      c = withExponent(c, 940, 160);
      break;
    case 2: // nearly cancels
      c = (bitsOf(ofBits(a) * ofBits(b)) ^ uint64_t(1) << 63) + random() % 3;
      break;
    case 3: // below the smallest normal number
      a = withExponent(a, 400, 250);
      b = withExponent(b, 400, 250);
      c &= ~(uint64_t(0x7f0) << 52);
      break;
    case 4: // ties
      a &= ~uint64_t(0xfffffff);
      b &= ~uint64_t(0x3ffffffff);
      c &= ~uint64_t(0xfffffffffff);
      break;
    default:
      break;
    }
    double x = ofBits(a), y = ofBits(b), z = ofBits(c);
    double got = freestandingFma(x, y, z), wanted = std::fma(x, y, z);
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(got));
    else
      ASSERT_EQ(bitsOf(got), bitsOf(wanted)) << x << " " << y << " " << z;
  }
}

TEST(FusedMultiplyAdd, FloatsAreRoundedOnce) {
  std::mt19937 random(12);
  auto withExponent = [&](uint32_t bits, uint32_t low, uint32_t count) {
    return (bits & 0x807fffffu) | (low + random() % count) << 23;
  };
  for (int i = 0; i < 300000; ++i) {
    uint32_t a = random(), b = random(), c = random();
    if (i % 2) {
      a = withExponent(a, 100, 50);
      b = withExponent(b, 100, 50);
      c = withExponent(c, 80, 100);
    }
    float x = ofBits32(a), y = ofBits32(b), z = ofBits32(c);
    float got = freestandingFmaf(x, y, z), wanted = std::fma(x, y, z);
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(got));
    else
      ASSERT_EQ(bitsOf32(got), bitsOf32(wanted)) << x << " " << y << " " << z;
  }
}

} // namespace
