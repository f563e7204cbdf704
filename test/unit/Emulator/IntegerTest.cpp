// Integers and bits: the corners that the ISA's text names.

#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

using namespace heddle::emulator;

namespace {

using Values = std::vector<uint64_t>;

/// The results of an instruction of two or three operands of one type.
Values results(const std::string &instruction, const std::string &type,
               const std::vector<Values> &inputs, const std::string &out = "") {
  std::string operands = "%out";
  std::vector<std::string> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands += std::string(", %") + "abc"[i];
    types.push_back(type);
  }
  return compute(instruction + " " + operands + ";", types, inputs,
                 out.empty() ? type : out);
}

TEST(Integer, SaturatesAndWraps) {
  Values a{0x7fffffff, 0x80000000, 5}, b{1, 0xffffffff, 0xfffffff0};
  EXPECT_EQ(results("add.s32", "b32", {a, b}),
            (Values{0x80000000, 0x7fffffff, 0xfffffff5}));
  EXPECT_EQ(results("add.sat.s32", "b32", {a, b}),
            (Values{0x7fffffff, 0x80000000, 0xfffffff5}));
  EXPECT_EQ(results("sub.sat.s32", "b32", {b, a}),
            (Values{0x80000002, 0x7fffffff, 0xffffffeb}));
}

TEST(Integer, DividesWithoutTrapping) {
  Values a{7, 0xfffffff9, 0x80000000, 9}, b{2, 2, 0xffffffff, 0};
  EXPECT_EQ(results("div.s32", "b32", {a, b}),
            (Values{3, 0xfffffffd, 0x80000000, 0xffffffff}));
  EXPECT_EQ(results("rem.s32", "b32", {a, b}), (Values{1, 0xffffffff, 0, 9}));
  EXPECT_EQ(results("div.u32", "b32", {a, b}),
            (Values{3, 0x7ffffffc, 0, 0xffffffff}));
}

TEST(Integer, UpperHalvesOfProducts) {
  Values a{0xffffffff, 0x12345678}, b{0xffffffff, 0x9abcdef0};
  EXPECT_EQ(results("mul.hi.u32", "b32", {a, b}),
            (Values{0xfffffffe, 0x0b00ea4e}));
  EXPECT_EQ(results("mul.hi.s32", "b32", {a, b}), (Values{0, 0xf8cc93d6}));
  EXPECT_EQ(results("mul.wide.s32", "b32", {a, b}, "b64"),
            (Values{1, 0xf8cc93d6242d2080}));
}

TEST(Integer, Carries) {
  Values a{0xffffffff, 1}, b{1, 1};
  EXPECT_EQ(compute("add.cc.u32 %r1, %a, %b; addc.u32 %out, 0, 0;",
                    {"b32", "b32"}, {a, b}, "b32"),
            (Values{1, 0}));
  EXPECT_EQ(compute("sub.cc.u32 %r1, %b, %a; subc.u32 %out, 0, 0;",
                    {"b32", "b32"}, {a, b}, "b32"),
            (Values{0xffffffff, 0}));
}

TEST(Integer, DotProductsOfBytes) {
  Values a{0x01ff7f80}, b{0x02020202}, c{10};
  EXPECT_EQ(results("dp4a.s32.s32", "b32", {a, b, c}), (Values{8}));
  EXPECT_EQ(results("dp4a.u32.u32", "b32", {a, b, c}), (Values{1032}));
}

TEST(Bits, ShiftsClamp) {
  Values a{0x80000001, 0x80000001, 0x80000001}, b{1, 31, 32};
  EXPECT_EQ(results("shl.b32", "b32", {a, b}), (Values{2, 0x80000000, 0}));
  EXPECT_EQ(results("shr.u32", "b32", {a, b}), (Values{0x40000000, 1, 0}));
  EXPECT_EQ(results("shr.s32", "b32", {a, b}),
            (Values{0xc0000000, 0xffffffff, 0xffffffff}));
}

TEST(Bits, Fields) {
  Values a{0xabcd1234, 0xabcd1234, 0xabcd1234}, at{4, 28, 16}, count{8, 8, 0};
  EXPECT_EQ(results("bfe.u32", "b32", {a, at, count}), (Values{0x23, 0xa, 0}));
  // Beyond the top the sign is repeated.
  EXPECT_EQ(results("bfe.s32", "b32", {a, at, count}),
            (Values{0x23, 0xfffffffa, 0}));
  EXPECT_EQ(compute("bfi.b32 %out, %a, %b, 4, 8;", {"b32", "b32"},
                    {Values{0xff5}, Values{0x12345678}}, "b32"),
            (Values{0x12345f58}));
}

TEST(Bits, CountsAndFinds) {
  Values a{0, 1, 0x80000000, 0xffffffff};
  EXPECT_EQ(results("clz.b32", "b32", {a}), (Values{32, 31, 0, 0}));
  EXPECT_EQ(results("popc.b32", "b32", {a}), (Values{0, 1, 1, 32}));
  EXPECT_EQ(results("brev.b32", "b32", {a}),
            (Values{0, 0x80000000, 1, 0xffffffff}));
  EXPECT_EQ(results("bfind.u32", "b32", {a}), (Values{0xffffffff, 0, 31, 31}));
  EXPECT_EQ(results("bfind.s32", "b32", {a}),
            (Values{0xffffffff, 0, 30, 0xffffffff}));
}

TEST(Bits, PermutesAndCombines) {
  Values a{0x33221100}, b{0x77665544};
  auto permuted = [&](uint64_t selector) {
    return results("prmt.b32", "b32", {a, b, Values{selector}});
  };
  EXPECT_EQ(permuted(0x7531), (Values{0x77553311}));
  EXPECT_EQ(permuted(0x0000), (Values{0}));
  EXPECT_EQ(
      compute("prmt.b32.b4e %out, %a, %b, 1;", {"b32", "b32"}, {a, b}, "b32"),
      (Values{0x66770011}));
  EXPECT_EQ(
      compute("lop3.b32 %out, %a, %b, 0xff00ff00, 0xca;", {"b32", "b32"},
              {a, b}, "b32"),
      (Values{(0x33221100 & 0x77665544) | (~0x33221100ull & 0xff00ff00)}));
  EXPECT_EQ(compute("shf.l.wrap.b32 %out, %a, %b, 40;", {"b32", "b32"}, {a, b},
                    "b32"),
            (Values{0x66554433}));
}

} // namespace
