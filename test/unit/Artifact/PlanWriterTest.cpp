// What the writer makes of plans: conditions as expressions, states, queues.

#include "lib/Artifact/PlanWriter.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/PlanVerifier.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A plan of kernels @k (4 tiles), @large (16) and @huge (64), as its readers
/// see it.
class PlanWriterTest : public ::testing::Test {
protected:
  PlanWriterTest() {
    context.loadDialect<func::FuncDialect, kernel::KernelDialect,
                        plan::PlanDialect>();
  }

  const format::Plan &write(const std::string &text) {
    std::string kernels;
    for (const char *name : {"k", "large", "huge"})
      kernels += std::string("func.func private @") + name +
                 "(tensor<4xf32>) -> tensor<4xf32> attributes "
                 "{kernel.entry}\n";
    module = parseSourceString<ModuleOp>(kernels + text, &context);
    EXPECT_TRUE(module);
    Builder attributes(&context);
    (*module)->setAttr(
        kSymbolsAttrName,
        attributes.getArrayAttr(attributes.getDictionaryAttr(
            {attributes.getNamedAttr("name", attributes.getStringAttr("n")),
             attributes.getNamedAttr("minimum",
                                     attributes.getI64IntegerAttr(0)),
             attributes.getNamedAttr("maximum",
                                     attributes.getI64IntegerAttr(1000))})));
    llvm::StringMap<KernelFacts> facts;
    auto number = [&](int64_t value) {
      return size::Expression::constant(&context, value);
    };
    facts["k"].index = 0, facts["k"].tiles = number(4);
    facts["large"].index = 1, facts["large"].tiles = number(16);
    facts["huge"].index = 2, facts["huge"].tiles = number(64);
    NodeTable nodes;
    format::PlanT plan = writePlan(*module, facts, {}, nodes);
    builder.Finish(format::Plan::Pack(builder, &plan));
    written = flatbuffers::GetRoot<format::Plan>(builder.GetBufferPointer());
    return *written;
  }

  /// The values of the plan's expressions where the only symbol is `size`.
  std::vector<int64_t> at(int64_t size) {
    std::vector<int64_t> values;
    EXPECT_FALSE(format::evaluate(written->expressions(), {size},
                                  HEDDLE_PLAN_INVALID, values));
    return values;
  }
  const format::Command &command(uint32_t program, uint32_t block,
                                 uint32_t number) {
    return *written->programs()
                ->Get(program)
                ->blocks()
                ->Get(block)
                ->commands()
                ->Get(number);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  flatbuffers::FlatBufferBuilder builder;
  const format::Plan *written = nullptr;
};

constexpr char buffers[] = R"(
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
)";
constexpr char launch[] = R"(
  plan.launch @k reads(%x) writes(%y) nodes []
)";

TEST_F(PlanWriterTest, GuardsChooseTheProgramOfAnEntry) {
  auto body = " arena 0 {" + std::string(buffers) + launch + "}\n";
  const format::Plan &plan = write(
      "plan.program @few guard <is_positive(9 - n)>" + body +
      "plan.program @even guard <is_zero(mod(n, 2)) * is_positive(n - 15)>" +
      body + "plan.program @main" + body + "plan.program @next" + body);
  ASSERT_EQ(plan.programs()->size(), 4u);
  auto chosen = [&](uint32_t entry, int64_t size) {
    const format::Program *program =
        format::chooseProgram(plan, entry, at(size));
    for (uint32_t i = 0; i < 4; ++i)
      if (plan.programs()->Get(i) == program)
        return int(i);
    return -1;
  };
  EXPECT_EQ(chosen(0, 1), 0);
  EXPECT_EQ(chosen(0, 8), 0);
  EXPECT_EQ(chosen(0, 9), 2);
  EXPECT_EQ(chosen(0, 10), 2);
  EXPECT_EQ(chosen(0, 16), 1);
  EXPECT_EQ(chosen(0, 17), 2);
  EXPECT_EQ(chosen(1, 1), 3);
}

TEST_F(PlanWriterTest, LaunchesChooseTheFirstAlternativeThatHolds) {
  write(R"(
plan.program @main arena 0 {)" +
        std::string(buffers) + R"(
  plan.launch @k reads(%x) writes(%y) alternatives [
    #plan.alternative<@huge, <is_positive(n - 99)>>,
    #plan.alternative<@large, <is_positive(n - 9)>>] nodes []
})");
  const format::Launch &launched = *command(0, 0, 0).action_as_Launch();
  auto check = [&](int64_t size, uint32_t kernel, int64_t tiles) {
    std::vector<int64_t> values = at(size);
    int64_t number = values[launched.selector()];
    EXPECT_EQ(number ? launched.alternatives()->Get(uint32_t(number - 1))
                     : launched.kernel(),
              kernel);
    EXPECT_EQ(values[launched.tiles()], tiles);
    EXPECT_EQ(values[launched.chunk()], 1);
  };
  check(9, 0, 4);
  check(10, 1, 16);
  check(99, 1, 16);
  check(100, 2, 64);
}

TEST_F(PlanWriterTest, BranchesChooseTheFirstCaseThatHolds) {
  write("plan.program @main arena 0 {" + std::string(buffers) +
        "plan.branch where [#size.expression<is_zero(n - 3)>, "
        "#size.expression<is_positive(n - 9)>] cases {" +
        launch + "}, {" + launch + "}, {" + launch + "} nodes []\n}");
  const format::Branch &branch = *command(0, 0, 0).action_as_Branch();
  EXPECT_EQ(branch.selector(), nullptr);
  ASSERT_EQ(branch.blocks()->size(), 3u);
  auto chosen = [&](int64_t size) { return at(size)[branch.value()]; };
  EXPECT_EQ(chosen(2), 2);
  EXPECT_EQ(chosen(3), 0);
  EXPECT_EQ(chosen(9), 2);
  EXPECT_EQ(chosen(10), 1);
}

TEST_F(PlanWriterTest, ProgramsShareStatesAndQueues) {
  auto program = [](const std::string &name, const std::string &queues) {
    return "plan.program @" + name +
           R"( arena 0 devices ["cpu", "sim:0", "sim:1"] queues )" + queues +
           R"( arenas [#plan.memory<1, device, 64>, #plan.memory<2, device, 64>] {
  %c = plan.buffer state 0 size 64 "cache"
  %a = plan.buffer arena 0 size 64 "" on 1 device
  %b = plan.buffer arena 0 size 64 "" on 2 device
  plan.copy %c to %a nodes [] queue 1
  plan.copy %c to %b nodes [] queue 3
})";
  };
  const format::Plan &plan =
      write("plan.state \"cache\" size 64\n" + program("one", "[0, 1, 2, 2]") +
            "\n" + program("two", "[0, 1, 1, 2]"));
  // The second of sim:1 is one of the first program's, that of sim:0 one of the
  // second's.
  ASSERT_EQ(plan.queues()->size(), 5u);
  EXPECT_EQ(plan.queues()->Get(3)->device(), 2);
  EXPECT_EQ(plan.queues()->Get(3)->name()->str(), "sim:1.1");
  EXPECT_EQ(plan.queues()->Get(4)->name()->str(), "sim:0.1");
  ASSERT_EQ(plan.states()->size(), 1u);
  EXPECT_EQ(plan.states()->Get(0)->space(), format::MemorySpace::host);
  EXPECT_EQ(command(0, 0, 1).queue(), 3u);
  EXPECT_EQ(command(1, 0, 1).queue(), 2u);
  const format::Buffer &state = *plan.programs()->Get(1)->buffers()->Get(0);
  EXPECT_EQ(state.kind(), format::BufferKind::state);
  EXPECT_EQ(state.index(), 0u);
}
} // namespace
