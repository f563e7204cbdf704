// Floats: rounding, flushing, NaNs, conversions.

#include "test/emulator/machine/Formats.h"
#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace heddle::emulator;

namespace {

using Values = std::vector<uint64_t>;

uint64_t bits(float value) { return bitCast<uint32_t>(value); }

Values of(const std::string &instruction, std::vector<float> a,
          std::vector<float> b = {}, const std::string &out = "b32") {
  std::vector<Values> inputs(1);
  for (float value : a)
    inputs[0].push_back(bits(value));
  if (!b.empty())
    inputs.emplace_back();
  for (float value : b)
    inputs[1].push_back(bits(value));
  std::vector<std::string> types(inputs.size(), "b32");
  return compute(instruction + (b.empty() ? " %out, %a;" : " %out, %a, %b;"),
                 types, inputs, out);
}

TEST(Float, RoundsInEachDirection) {
  // 1 + 2^-25 lies between 1 and its successor.
  std::vector<float> a{1, -1}, b{0x1p-25f, -0x1p-25f};
  EXPECT_EQ(of("add.rn.f32", a, b), (Values{bits(1), bits(-1)}));
  EXPECT_EQ(of("add.rz.f32", a, b), (Values{bits(1), bits(-1)}));
  EXPECT_EQ(of("add.rp.f32", a, b), (Values{bits(0x1.000002p0f), bits(-1)}));
  EXPECT_EQ(of("add.rm.f32", a, b), (Values{bits(1), bits(-0x1.000002p0f)}));
  EXPECT_EQ(of("div.rz.f32", {1, 2}, {3, 3}),
            (Values{bits(0x1.555554p-2f), bits(0x1.555554p-1f)}));
  EXPECT_EQ(of("sqrt.rp.f32", {2, 4}), (Values{bits(0x1.6a09e8p0f), bits(2)}));
  EXPECT_EQ(of("add.rm.f32", {1}, {-1}), (Values{bits(-0.0f)}));
}

TEST(Float, FlushesAndClamps) {
  std::vector<float> tiny{0x1p-140f, -0x1p-140f};
  EXPECT_EQ(of("add.ftz.f32", tiny, tiny), (Values{0, 0x80000000}));
  EXPECT_EQ(of("add.f32", tiny, tiny),
            (Values{bits(0x1p-139f), bits(-0x1p-139f)}));
  EXPECT_EQ(of("add.sat.f32", {3, -3, NAN}, {1, 1, 1}),
            (Values{bits(1), 0, 0}));
}

TEST(Float, MinimaAndNans) {
  EXPECT_EQ(of("min.f32", {NAN, 1, 0.0f, NAN}, {2, NAN, -0.0f, NAN}),
            (Values{bits(2), bits(1), bits(-0.0f), 0x7fffffff}));
  EXPECT_EQ(of("max.NaN.f32", {NAN, 1}, {2, 3}), (Values{0x7fffffff, bits(3)}));
}

TEST(Float, FusedMultiplyAddRoundsOnce) {
  std::string body = "fma.rn.f32 %out, %a, %a, %b;";
  float a = 1 + 0x1p-12f;
  EXPECT_EQ(
      compute(body, {"b32", "b32"}, {Values{bits(a)}, Values{bits(-1)}}, "b32"),
      (Values{bits(std::fma(a, a, -1.0f))}));
}

TEST(Convert, FloatsToIntegers) {
  EXPECT_EQ(of("cvt.rni.s32.f32", {2.5f, 3.5f, -2.5f, 3e9f, -3e9f, NAN}),
            (Values{2, 4, 0xfffffffe, 0x7fffffff, 0x80000000, 0}));
  EXPECT_EQ(of("cvt.rzi.u32.f32", {2.9f, -1, 5e9f}),
            (Values{2, 0, 0xffffffff}));
  EXPECT_EQ(of("cvt.rmi.f32.f32", {-2.5f, 2.5f}), (Values{bits(-3), bits(2)}));
}

TEST(Convert, IntegersSaturateAndExtend) {
  EXPECT_EQ(
      compute("cvt.s32.s8 %out, %a;", {"b32"}, {Values{0x180, 0x7f}}, "b32"),
      (Values{0xffffff80, 0x7f}));
  EXPECT_EQ(compute("cvt.sat.u32.s32 %out, %a;", {"b32"},
                    {Values{0xffffffff, 5}}, "b32"),
            (Values{0, 5}));
  EXPECT_EQ(compute("cvt.rz.f32.u64 %out, %a;", {"b64"},
                    {Values{0x1000001, ~uint64_t(0)}}, "b32"),
            (Values{bits(0x1p24f), bits(0x1.fffffep63f)}));
}

TEST(Convert, ToNarrowFormats) {
  EXPECT_EQ(of("cvt.rn.bf16x2.f32", {1}, {0x1.01p0f}), (Values{0x3f803f80}));
  EXPECT_EQ(of("cvt.rn.f16x2.f32", {65520, 0x1p-25f}, {-2, 0x1.8p-24f}),
            (Values{0x7c00c000, 0x00000002}));
  EXPECT_EQ(
      compute("cvt.rn.satfinite.e4m3x2.f32 %h1, %a, %b; cvt.u32.u16 %out, %h1;",
              {"b32", "b32"}, {Values{bits(1000)}, Values{bits(-0.4375f)}},
              "b32"),
      (Values{0x7eae}));
  EXPECT_EQ(of("cvt.rna.tf32.f32", {1 + 0x1p-11f}),
            (Values{bits(1 + 0x1p-10f)}));
}

/// Fast conversions are those of the general rounding, for every upper half.
TEST(Formats, FastConversionsAreExact) {
  Random random(1);
  for (uint32_t i = 0; i < 1 << 20; ++i) {
    float value = bitCast<float>((i << 12) | (random.next() & 0xfff));
    ASSERT_EQ(floatToHalf(value),
              encode(value, kF16, Rounding::Nearest, false) |
                  (value != value ? 0x7fff : 0))
        << value;
    ASSERT_EQ(floatToBfloat(value),
              encode(value, kBF16, Rounding::Nearest, false))
        << value;
  }
  for (uint32_t code = 0; code < 0x10000; ++code) {
    float value = halfToFloat(uint16_t(code));
    double want = decode(code, kF16);
    ASSERT_TRUE(value == want || (value != value && want != want)) << code;
  }
}

TEST(Half, RoundsOnce) {
  // 1 + 2^-11 * (1 + 2^-12) is above the middle between two halves.
  std::string body = "fma.rn.f16 %out, %a, %b, %c;";
  uint64_t a = floatToHalf(1 + 0x1p-10f), b = floatToHalf(0x1p-11f);
  EXPECT_EQ(compute(body, {"b16", "b16", "b16"},
                    {Values{a}, Values{b}, Values{floatToHalf(1)}}, "b16"),
            (Values{floatToHalf(1 + 0x1p-10f)}));
  EXPECT_EQ(compute("add.rn.f16 %out, %a, %b;", {"b16", "b16"},
                    {Values{0x7bff}, Values{0x7bff}}, "b16"),
            (Values{0x7c00}));
}

} // namespace
