// Files of rules about the precision of nodes, also such that nobody means
// well with.

#include "lib/Driver/Precision/Policy.h"

#include "gtest/gtest.h"

using namespace heddle;

static std::string problemOf(llvm::StringRef text) {
  auto policy = PrecisionPolicy::parse(text);
  return policy ? "" : llvm::toString(policy.takeError());
}

static PrecisionPolicy policyOf(llvm::StringRef text) {
  return llvm::cantFail(PrecisionPolicy::parse(text));
}

TEST(PrecisionPolicy, FirstMatchWins) {
  PrecisionPolicy policy = policyOf("# rules\r\n"
                                    "encoder/0/* f32 pin\n"
                                    "\n"
                                    "  *attention*\tbf16   pin  \n"
                                    "encoder/* f16\n"
                                    "a name with spaces bf16\n"
                                    "*?9 auto\n"
                                    "bytes/* w8a8 pin");
  ASSERT_EQ(policy.rules().size(), 6u);
  auto lineOf = [&](std::string name) {
    const PrecisionPolicy::Rule *rule = policy.ruleFor({name});
    return rule ? rule->line : 0;
  };
  EXPECT_EQ(lineOf("encoder/0/attention"), 2u);
  EXPECT_EQ(lineOf("encoder/1/attention"), 4u);
  EXPECT_EQ(lineOf("encoder/1/mlp"), 5u);
  EXPECT_EQ(lineOf("a name with spaces"), 6u);
  EXPECT_EQ(lineOf("dot_19"), 7u);
  EXPECT_EQ(lineOf("9"), 0u);
  EXPECT_EQ(policy.rules()[1].type, "bf16");
  EXPECT_TRUE(policy.rules()[1].isPinned);
  EXPECT_FALSE(policy.rules()[2].isPinned);
  EXPECT_EQ(policy.rules()[5].type, "w8a8");
  EXPECT_TRUE(policy.rules()[5].isPinned);
  // Of a product made of several nodes any name counts, the rules in order.
  EXPECT_EQ(policy.ruleFor({"x", "encoder/1/b"})->line, 5u);
  EXPECT_EQ(policy.ruleFor({}), nullptr);
}

TEST(PrecisionPolicy, BracketsAreThemselves) {
  PrecisionPolicy policy = policyOf("layers[0].{w}\\* bf16");
  EXPECT_TRUE(policy.ruleFor({"layers[0].{w}\\7"}));
  EXPECT_FALSE(policy.ruleFor({"layers0.w7"}));
}

TEST(PrecisionPolicy, SaysLineAndRemedy) {
  EXPECT_EQ(problemOf("* bf16\nx fp8\n"),
            "line 2: 'fp8' is no type; PATTERN TYPE or PATTERN TYPE pin is "
            "wanted, where TYPE is f32, bf16, f16, w8a16, w4a16, w8a8 or auto");
  EXPECT_EQ(problemOf("bf16"), "line 1: there is no pattern before 'bf16'; "
                               "PATTERN TYPE is wanted, as in * bf16");
  EXPECT_EQ(problemOf("pin"),
            "line 1: '' is no type; PATTERN TYPE or PATTERN TYPE pin is "
            "wanted, where TYPE is f32, bf16, f16, w8a16, w4a16, w8a8 or auto");
  EXPECT_EQ(problemOf("\n\n* auto pin"),
            "line 3: auto leaves the choice open and cannot be pinned");
  EXPECT_EQ(problemOf("\xff\x1b[2J bf16"),
            "line 1: '\\FF\\1B[2J bf16' is no text in UTF-8");
  EXPECT_EQ(problemOf(llvm::StringRef("a\0b bf16", 8)),
            "line 1: 'a\\00b bf16' is no text in UTF-8");
  EXPECT_EQ(problemOf(std::string(5000, 'x')),
            "line 1: 5000 bytes in a line; 4096 are taken");
  std::string many;
  for (unsigned i = 0; i < 10001; ++i)
    many += "* f32\n";
  EXPECT_EQ(problemOf(many), "line 10001: more than 10000 rules");
  // What is quoted is no escape sequence, and not long.
  EXPECT_EQ(problemOf("* \x1b[31m" + std::string(200, 'y')),
            "line 1: '\\1B[31m" + std::string(55, 'y') +
                "...' is no type; PATTERN TYPE or PATTERN TYPE pin is wanted, "
                "where TYPE is f32, bf16, f16, w8a16, w4a16, w8a8 or auto");
}

// A pattern of many stars takes no more than its length times the name's.
TEST(PrecisionPolicy, ManyStarsTakeNoTime) {
  std::string pattern;
  for (unsigned i = 0; i < 1000; ++i)
    pattern += "*a";
  PrecisionPolicy policy = policyOf(pattern + "b bf16");
  EXPECT_FALSE(policy.ruleFor({std::string(20000, 'a')}));
}
