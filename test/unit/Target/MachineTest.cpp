#include "heddle/Target/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <set>

using namespace heddle;
using namespace mlir;

namespace {

TEST(Machine, TableIsConsistent) {
  std::set<std::string> names;
  for (const Machine &machine : machines()) {
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
    EXPECT_EQ(findMachine(machine.name), &machine);
    EXPECT_EQ(machine.hasFma, machine.hasFeature("fma"));
    EXPECT_GT(machine.l2Bytes, machine.l1Bytes);
    EXPECT_EQ(machine.vectorBits % 128, 0);
  }
  EXPECT_EQ(findMachine("z80"), nullptr);
}

TEST(Machine, LevelsContainEachOther) {
  for (auto [less, more] : {std::pair("x86-64-v2", "x86-64-v3"),
                            std::pair("x86-64-v3", "x86-64-v4")})
    for (const std::string &feature : findMachine(less)->features)
      EXPECT_TRUE(findMachine(more)->hasFeature(feature)) << feature;
}

TEST(Machine, SurvivesTheAttribute) {
  MLIRContext context;
  for (const Machine &machine : machines()) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    (*module)->setAttr(machineAttrName, machineToAttr(&context, machine));
    std::optional<Machine> back = machineOf(*module);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->name, machine.name);
    EXPECT_EQ(back->features, machine.features);
    EXPECT_EQ(back->vectorBits, machine.vectorBits);
    EXPECT_EQ(back->l2Bytes, machine.l2Bytes);
    EXPECT_EQ(back->hasMasks, machine.hasMasks);
  }
}

TEST(Machine, MalformedAttributesAreNone) {
  MLIRContext context;
  for (const char *text :
       {"module {}", "module attributes {heddle.machine = \"z80\"} {}",
        "module attributes {heddle.machine = 4} {}",
        "module attributes {heddle.machine = {name = \"x86-64-v3\"}} {}"}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    EXPECT_FALSE(machineOf(*module)) << text;
  }
}

} // namespace
