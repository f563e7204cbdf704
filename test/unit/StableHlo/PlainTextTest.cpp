// Which texts are parsed without a trial in a process of their own.

#include "lib/Frontend/StableHlo/PlainText.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

/// As jax prints it.
const char *const usual = R"(#loc1 = loc("x")
#loc2 = loc("a \"file\".py":163:11 to :26)
#loc3 = loc(callsite(#loc1 at #loc2))
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<30x200xf32> loc("x"), %arg1: tensor<0x7xi32>, %arg2: tensor<?x4xf32>) -> (tensor<30x7xf32> {jax.result_info = "result[0]"}) {
    %0:2 = stablehlo.composite "chlo.top_k" %arg0 {composite_attributes = {k = 7 : i64}, decomposition = @chlo.top_k.impl} : (tensor<30x200xf32>) -> (tensor<30x7xf32>, tensor<30x7xi32>) loc(#loc3)
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<[[-1.500000e+00, 9999999999.0], [0x12345678, 1]]> : tensor<2x2xf32>
    %h = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
    %1 = "stablehlo.reduce"(%arg0, %cst) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<30x200xf32>, tensor<f32>) -> tensor<200xf32>
    %2 = stablehlo.convolution(%arg0, %0#0) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, -1]]} : (tensor<4x4xf32>) -> tensor<4xf32>
    return %0#0 : tensor<30x7xf32> // a comment with ) and 99999999999
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
)";

TEST(PlainText, UsualPrograms) { EXPECT_TRUE(isPlainText(usual)); }

TEST(PlainText, LengthIsBounded) {
  std::string text = usual;
  text.resize(64 << 10, ' ');
  EXPECT_TRUE(isPlainText(text));
  EXPECT_FALSE(isPlainText(text + " "));
}

TEST(PlainText, DepthIsBounded) {
  auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(isPlainText(nested(100)));
  EXPECT_FALSE(isPlainText(nested(101)));
}

TEST(PlainText, BracketsMatch) {
  EXPECT_TRUE(isPlainText("({[<>]}) -> ()"));
  for (const char *text : {"(]", ")", "<(>)", "(a >= b)"})
    EXPECT_FALSE(isPlainText(text)) << text;
}

TEST(PlainText, SizesAreBounded) {
  EXPECT_TRUE(isPlainText("tensor<2048x2048xf32>"));
  for (const char *text :
       {"tensor<2049x2048xf32>", "tensor<99999999999999999999xi1>",
        "dense<0> : tensor<9999999999xi64>", "tensor<?x9999999999xf32>",
        "tensor<0x9999999999xf32>", "a = 9999999999 : i64",
        "a = 0x7fffffffff : i64", "%0:9999999999 = stablehlo.while"})
    EXPECT_FALSE(isPlainText(text)) << text;
}

TEST(PlainText, SizesAreBoundedTogether) {
  std::string shapes;
  for (int i = 0; i < 64; ++i)
    shapes += "tensor<2048x2048xi1> ";
  EXPECT_TRUE(isPlainText(shapes));
  EXPECT_FALSE(isPlainText(shapes + shapes));
}

TEST(PlainText, OnlyLocationsAreShared) {
  EXPECT_TRUE(isPlainText("#loc7 = loc(\"x\")\n#loc8 = loc(#loc7)"));
  for (const char *text :
       {"!t = tuple<i1, i1>", "tuple<!t, !t>", "#a = [1, 2]",
        "#loc7 = [#loc, #loc]", "#stablehlo = [1]", "#loc_a = loc(\"x\")"})
    EXPECT_FALSE(isPlainText(text)) << text;
}

TEST(PlainText, OtherGrammarsAreTried) {
  for (const char *text :
       {"affine_map<(d0) -> (- - - - d0)>", "affine.for %i = 0 to 1 {}",
        "\"affine.for\"() : () -> ()", "\"vhlo.abs_v1\" (%0)", "#affine.x<1>",
        "!quant.uniform<i8:f32, 1.0>", "{-# dialect_resources: {} #-}",
        "dense_resource<a>", "@\"a b\""})
    EXPECT_FALSE(isPlainText(text)) << text;
}

TEST(PlainText, WhatIsNoTextIsTried) {
  for (llvm::StringRef text :
       {llvm::StringRef("\"no end"), llvm::StringRef("\"two\nlines\""),
        llvm::StringRef("\"a\\"), llvm::StringRef("a\0b", 3),
        llvm::StringRef("ML\xefR"), llvm::StringRef("/"), llvm::StringRef("%")})
    EXPECT_FALSE(isPlainText(text)) << text.str();
}

} // namespace
