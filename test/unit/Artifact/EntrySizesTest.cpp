// What an artifact says of sizes: how extents tell symbols, which are to be
// given, and whose an assumption is.

#include "lib/Artifact/EntrySizes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Artifact/Compile.h"
#include "heddle/Support/EntrySizes.h"
#include "runtime/format/Expressions.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {
/// A module of entries whose inputs have the extents of `shapes`, over symbols
/// a, b, c, "extent 0".
class EntrySizesTest : public ::testing::Test {
protected:
  EntrySizesTest() {
    context.loadDialect<func::FuncDialect, kernel::KernelDialect,
                        size::SizeDialect>();
  }

  static constexpr const char *names[] = {"a", "b", "c", "extent 0"};

  void parse(const std::vector<std::vector<std::string>> &entries,
             const std::string &assumptions = "") {
    std::string text = "module attributes {heddle.symbols = [";
    for (const char *name : names)
      text += std::string(name == names[0] ? "" : ", ") + "{name = \"" + name +
              "\", minimum = 0 : i64, maximum = 100 : i64}";
    text += "], heddle.size_assumptions = [" + assumptions + "]} {\n";
    for (size_t i = 0; i < entries.size(); ++i) {
      text += "func.func @e" + std::to_string(i) + "(";
      for (size_t j = 0; j < entries[i].size(); ++j)
        text += std::string(j ? ", " : "") + "%x" + std::to_string(j) +
                ": tensor<9x4xi8> {heddle.shape = #size.extents<" +
                entries[i][j] + ", 4>}";
      text += ") { return }\n";
    }
    module = parseSourceString<ModuleOp>(text + "}", &context);
    ASSERT_TRUE(module) << text;
    ASSERT_TRUE(succeeded(checkSizeAttributes(*module)));
    addSymbols(*module, manifest);
    ExpressionTable constant(manifest.expressions, *module);
    NodeTable nodes;
    for (auto function : module->getOps<func::FuncOp>()) {
      auto entry = std::make_unique<format::EntryT>();
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto tensor = std::make_unique<format::TensorT>();
        auto shape =
            function.getArgAttrOfType<size::ExtentsAttr>(i, kShapeAttrName);
        for (size::ExpressionAttr extent : shape.getExtents())
          tensor->shape.push_back(constant(size::Expression(extent)));
        entry->inputs.push_back(std::move(tensor));
      }
      addEntrySizes(function, *entry, manifest, constant, nodes);
      manifest.entries.push_back(std::move(entry));
    }
  }

  /// The values of a table that is not packed.
  static std::vector<int64_t>
  evaluated(const std::vector<format::Expression> &table,
            const std::vector<int64_t> &symbols) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(builder.CreateVectorOfStructs(table));
    std::vector<int64_t> values;
    EXPECT_FALSE(format::evaluate(flatbuffers::GetRoot<format::ExpressionTable>(
                                      builder.GetBufferPointer()),
                                  symbols, HEDDLE_MANIFEST_INVALID, values));
    return values;
  }

  /// Whether the solutions of an entry find what the symbols were; those that
  /// have solutions are hidden from them.
  void checkSolutions(const format::EntryT &entry) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
      std::vector<int64_t> symbols;
      for (size_t i = 0; i < std::size(names); ++i)
        symbols.push_back(random() % 101);
      std::vector<int64_t> values = evaluated(manifest.expressions, symbols);
      std::vector<int64_t> known = symbols;
      for (const format::Solution &solution : entry.solutions)
        known[solution.symbol()] = -1000000007;
      for (const auto &input : entry.inputs)
        for (uint32_t extent : input->shape)
          known.push_back(values[extent]);
      std::vector<int64_t> solved = evaluated(entry.solving, known);
      for (const format::Solution &solution : entry.solutions)
        EXPECT_EQ(solved[solution.value()], symbols[solution.symbol()]);
    }
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  format::ManifestT manifest;
};

TEST_F(EntrySizesTest, ExtentsByThemselvesNeedNoSolution) {
  parse({{"a", "b", "c", "a + b"}});
  EXPECT_TRUE(manifest.entries[0]->solutions.empty());
  EXPECT_TRUE(manifest.entries[0]->solving.empty());
  EXPECT_TRUE(manifest.entries[0]->given.empty());
}

TEST_F(EntrySizesTest, OneTellsTheNext) {
  // The last is told first: each of the others waits for one more.
  parse({{"3 * a - 2 * b + 7", "-b + 5 * c + min(c, 4)", "8 - c"}});
  const format::EntryT &entry = *manifest.entries[0];
  ASSERT_EQ(entry.solutions.size(), 3u);
  EXPECT_EQ(entry.solutions[0].symbol(), 2u);
  EXPECT_EQ(entry.solutions[0].input(), 2u);
  EXPECT_EQ(entry.solutions[1].symbol(), 1u);
  EXPECT_EQ(entry.solutions[2].symbol(), 0u);
  EXPECT_EQ(entry.solutions[2].dimension(), 0u);
  checkSolutions(entry);
}

TEST_F(EntrySizesTest, NamesOfExtentsAreNoSizes) {
  parse({{"a", "\"extent 0\" + a", "b + \"extent 0\""}});
  const format::EntryT &entry = *manifest.entries[0];
  EXPECT_EQ(entry.solutions.size(), 2u);
  EXPECT_TRUE(entry.given.empty());
  checkSolutions(entry);
}

TEST_F(EntrySizesTest, WhatNoExtentTellsIsGiven) {
  for (const char *extent :
       {"a * b", "floordiv(a, 2)", "a + floordiv(a, 2)", "a + a * b", "a + b"})
    for (bool withB : {false, true}) {
      manifest = format::ManifestT();
      parse({withB ? std::vector<std::string>{"b", extent}
                   : std::vector<std::string>{extent}});
      const format::EntryT &entry = *manifest.entries[0];
      std::string text(extent);
      bool isTold = withB && text == "a + b";
      bool hasB = withB || text.find('b') != std::string::npos;
      EXPECT_EQ(entry.solutions.size(), isTold ? 1u : 0u) << extent;
      std::vector<uint32_t> wanted;
      if (!isTold)
        wanted.push_back(0);
      if (!withB && hasB)
        wanted.push_back(1);
      if (text.find("floordiv") == 0 || text.find("a + floor") == 0)
        wanted = {0};
      EXPECT_EQ(entry.given, wanted) << extent;
      for (uint32_t symbol : wanted)
        EXPECT_EQ(manifest.symbols[symbol]->source,
                  format::SymbolSource::caller);
    }
}

TEST_F(EntrySizesTest, EachEntryHasItsOwn) {
  parse({{"a", "a + b"}, {"b"}, {"a * b"}},
        "{zero = #size.expression<a - 8>, text = \"a = 8\", entry = \"e0\"}, "
        "{zero = #size.expression<c>, text = \"c = 0\", node = \"n\", entry = "
        "\"e1\"}");
  EXPECT_EQ(manifest.entries[0]->solutions.size(), 1u);
  EXPECT_TRUE(manifest.entries[0]->given.empty());
  // What only an assumption names is to be known, too.
  EXPECT_EQ(manifest.entries[1]->given, std::vector<uint32_t>{2});
  EXPECT_EQ(manifest.entries[2]->given, (std::vector<uint32_t>{0, 1}));
  ASSERT_EQ(manifest.entries[0]->assumptions.size(), 1u);
  EXPECT_EQ(manifest.entries[0]->assumptions[0]->text, "a = 8");
  EXPECT_EQ(manifest.entries[0]->assumptions[0]->node, format::none);
  ASSERT_EQ(manifest.entries[1]->assumptions.size(), 1u);
  EXPECT_EQ(manifest.entries[1]->assumptions[0]->node, 0u);
  EXPECT_TRUE(manifest.entries[2]->assumptions.empty());
  std::vector<int64_t> values = evaluated(manifest.expressions, {9, 1, 5, 1});
  EXPECT_EQ(values[manifest.entries[0]->assumptions[0]->zero], 1);
  EXPECT_EQ(values[manifest.entries[1]->assumptions[0]->zero], 5);
}
} // namespace
