// The table of graphics processors: limits fit together, the attribute says
// everything, and dispatch is told what their kernels take.

#include "heddle/Target/GpuTarget.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

TEST(GpuTarget, LimitsFitTogether) {
  for (const GpuMachine &machine : gpuMachines()) {
    SCOPED_TRACE(machine.name);
    EXPECT_EQ(machine.name, "cuda:" + machine.chip);
    EXPECT_EQ(machine.blockThreads % machine.warpThreads, 0);
    EXPECT_LE(machine.blockThreads, machine.mostBlockThreads);
    EXPECT_EQ(machine.mostThreads % machine.warpThreads, 0);
    // One block may not have the kibibyte that the system takes of each.
    EXPECT_EQ(machine.mostBlockSharedBytes, machine.sharedBytes - 1024);
    EXPECT_TRUE(findTarget(machine.host));
    EXPECT_EQ(machine.warpgroupThreads % machine.warpThreads, 0);
    EXPECT_EQ(findTarget(machine.chip), findTarget(machine.name));
  }
}

TEST(GpuTarget, WantsADeviceAndAnArchitecture) {
  LoaderNeeds needs = findTarget("cuda:sm_90a")->loaderNeeds();
  EXPECT_EQ(needs.devices, std::vector<std::string>{"cuda"});
  EXPECT_EQ(needs.architecture, "sm_90a");
}

TEST(GpuTarget, NothingIsPackedAndNoRowIsKept) {
  const DispatchFacts &facts = findTarget("cuda:sm_80")->dispatchFacts();
  EXPECT_TRUE(facts.packing.matrix.empty());
  EXPECT_TRUE(facts.packing.filter.empty());
  EXPECT_EQ(facts.fusion.maximumRowOperations, 1);
  EXPECT_EQ(facts.composites, std::vector<std::string>{"heddle.attention"});
  // Chips with the same kernels share a dispatched module.
  EXPECT_EQ(facts, findTarget("cuda:sm_90a")->dispatchFacts());
  EXPECT_NE(facts, findTarget("x86-64-v3")->dispatchFacts());
}

TEST(GpuTarget, TakesWhatItWidensInRegisters) {
  MLIRContext context;
  Builder b(&context);
  const DispatchFacts &facts = findTarget("cuda:sm_80")->dispatchFacts();
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type(), f16 = b.getF16Type();
  Type u8 = b.getIntegerType(8, /*isSigned=*/false), i32 = b.getI32Type();
  for (KernelFamily family :
       {KernelFamily::Contraction, KernelFamily::Convolution}) {
    EXPECT_TRUE(facts.isLegal(family, bf16, bf16, f32));
    EXPECT_TRUE(facts.isLegal(family, f32, f16, f32));
    EXPECT_TRUE(facts.isLegal(family, u8, u8, i32));
    EXPECT_FALSE(facts.isLegal(family, f32, f32, f32, "tf32"));
  }
  EXPECT_FALSE(facts.isLegal(KernelFamily::Attention, f32, f32, f32));
  // Weights are rounded to what values are.
  EXPECT_FALSE(facts.isLegal(KernelFamily::Attention, bf16, bf16, f32));
  EXPECT_TRUE(facts.isLegal(KernelFamily::Attention, bf16, bf16, f32, "bf16"));
  EXPECT_TRUE(facts.isLegal(KernelFamily::Attention, f16, f16, f32, "f16"));
}

TEST(GpuTarget, EachEntryOfTheAttributeIsNeeded) {
  MLIRContext context;
  DictionaryAttr whole = findTarget("cuda:sm_80")->toAttr(&context);
  ASSERT_TRUE(GpuTarget::fromAttr(whole));
  for (NamedAttribute entry : whole) {
    NamedAttrList less(whole);
    less.erase(entry.getName());
    EXPECT_FALSE(GpuTarget::fromAttr(less.getDictionary(&context)) &&
                 entry.getName() != "kind")
        << entry.getName().str();
  }
  // Units that a device lacks are 0, none is less.
  NamedAttrList negative(whole);
  negative.set("warpgroup_threads", Builder(&context).getI64IntegerAttr(-128));
  EXPECT_FALSE(GpuTarget::fromAttr(negative.getDictionary(&context)));
  // Blocks are whole warps, and no larger than the device has them.
  for (int64_t threads : {0, 48, 2048}) {
    NamedAttrList wrong(whole);
    wrong.set("block_threads", Builder(&context).getI64IntegerAttr(threads));
    EXPECT_FALSE(GpuTarget::fromAttr(wrong.getDictionary(&context))) << threads;
  }
  // Kernels are made for warps of 32 threads, and a multiprocessor runs at
  // least one block.
  for (auto [key, number] : {std::pair("warp_threads", 64),
                             {"warpgroup_threads", 256},
                             {"most_threads", 512},
                             {"shared_bytes", 1024}}) {
    NamedAttrList wrong(whole);
    wrong.set(key, Builder(&context).getI64IntegerAttr(number));
    EXPECT_FALSE(GpuTarget::fromAttr(wrong.getDictionary(&context))) << key;
  }
}

TEST(GpuTarget, TimeIsThatOfTheSlowerOfBoth) {
  auto target = findTarget("cuda:sm_80");
  double idle = target->nanoseconds({});
  EXPECT_GT(idle, 0);
  Work copy, product;
  copy.bytes = 2039e6; // A thousandth of what the device moves in a second.
  EXPECT_NEAR(target->nanoseconds(copy) - idle, 1e6, 1e3);
  product.operations = 19.5e9;
  product.bytes = copy.bytes / 2;
  EXPECT_NEAR(target->nanoseconds(product) - idle, 1e6, 1e3);
}

} // namespace
