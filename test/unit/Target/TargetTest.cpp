// The table of targets: it is consistent, survives the attribute, and answers
// what dispatch and loaders ask.

#include "heddle/Target/CpuTarget.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <set>

using namespace heddle;
using namespace mlir;

namespace {

ArrayRef<std::shared_ptr<const Target>> processors() {
  return targetKinds().front().targets;
}

TEST(Target, TableIsConsistent) {
  std::set<std::string> names;
  for (const std::shared_ptr<const Target> &target : targets()) {
    EXPECT_TRUE(names.insert(target->name().str()).second);
    EXPECT_EQ(findTarget(target->name()), target);
    LoaderNeeds needs = target->loaderNeeds();
    EXPECT_FALSE(needs.architecture.empty());
    // The architecture of a graphics processor says all.
    EXPECT_EQ(needs.features.empty(), !isa<CpuTarget>(*target));
    EXPECT_EQ(needs.devices.front(), target->kind());
    for (const std::string &alias : target->aliases()) {
      EXPECT_TRUE(names.insert(alias).second);
      EXPECT_EQ(findTarget(alias), target);
    }
  }
  EXPECT_EQ(findTarget("z80"), nullptr);
  for (const Machine &machine : machines()) {
    EXPECT_EQ(findMachine(machine.name), &machine);
    EXPECT_GT(machine.l2Bytes, machine.l1Bytes);
    EXPECT_EQ(machine.vectorBits % 128, 0);
  }
}

TEST(Target, ProductsAreNamedByWhatAMachineHas) {
  for (auto [name, quads, pairs] :
       {std::tuple("x86-64-v2", "", "llvm.x86.sse2.pmadd.wd"),
        {"x86-64-v3", "", "llvm.x86.avx2.pmadd.wd"},
        {"x86-64-v3-vnni", "llvm.x86.avx512.vpdpbusd.256",
         "llvm.x86.avx2.pmadd.wd"},
        {"x86-64-v4", "", "llvm.x86.avx512.pmaddw.d.512"},
        {"x86-64-v4-bf16", "llvm.x86.avx512.vpdpbusd.512",
         "llvm.x86.avx512.pmaddw.d.512"},
        {"aarch64", "", ""}}) {
    EXPECT_EQ(findMachine(name)->byteQuadProduct(), quads) << name;
    EXPECT_EQ(findMachine(name)->wordPairProduct(), pairs) << name;
  }
  MLIRContext context;
  Builder b(&context);
  for (const Machine &machine : machines()) {
    bool hasMatrices = machine.name == "x86-64-v4-amx";
    EXPECT_EQ(machine.floatPairProduct(),
              machine.name == "x86-64-v4-bf16"
                  ? "llvm.x86.avx512bf16.dpbf16ps.512"
                  : "");
    EXPECT_EQ(machine.matrixProduct(b.getI32Type()),
              hasMatrices ? "llvm.x86.tdpbusd" : "");
    EXPECT_EQ(machine.matrixProduct(b.getF32Type()),
              hasMatrices ? "llvm.x86.tdpbf16ps" : "");
    EXPECT_EQ(machine.matrixProduct(b.getF64Type()), "");
    EXPECT_EQ(machine.rates.flopsPerUsMatrix > machine.rates.flopsPerUsInteger,
              hasMatrices);
  }
  // The row says it, not the name of the architecture.
  Machine bare = *findMachine("x86-64-v3-vnni");
  bare.features.clear();
  EXPECT_EQ(bare.byteQuadProduct(), "");
  EXPECT_EQ(bare.wordPairProduct(), "");
}

/// Terms that one instruction multiplies take a part of the time of as many.
TEST(Target, TimesFollowWhatIsMultipliedAtOnce) {
  MLIRContext context;
  Builder b(&context);
  auto nanoseconds = [&](StringRef target, Type accumulator, Type factor) {
    Work work;
    work.operations = 1e9;
    work.accumulator = accumulator;
    work.factor = factor;
    return findTarget(target)->nanoseconds(work);
  };
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  for (StringRef name : {"x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-amx"}) {
    const Machine &machine = *findMachine(name);
    double floats = nanoseconds(name, f32, f32);
    EXPECT_DOUBLE_EQ(floats, 1e12 / machine.rates.flopsPerUsF32);
    bool hasBfloats = name != "x86-64-v4",
         hasMatrices = name == "x86-64-v4-amx";
    double steps = hasBfloats ? 1e9 / 4 : 1e9;
    double rate = hasMatrices ? machine.rates.flopsPerUsMatrix
                              : machine.rates.flopsPerUsInteger;
    EXPECT_DOUBLE_EQ(nanoseconds(name, i32, b.getI8Type()), 1e3 * steps / rate);
    EXPECT_DOUBLE_EQ(nanoseconds(name, i32, i32),
                     1e12 / machine.rates.flopsPerUsInteger);
    double pairs = nanoseconds(name, f32, b.getBF16Type());
    EXPECT_DOUBLE_EQ(pairs, hasMatrices
                                ? 1e12 / 2 / machine.rates.flopsPerUsMatrix
                            : hasBfloats ? floats / 2
                                         : 1e12 / machine.rates.flopsPerUsBf16);
  }
}

TEST(Target, LevelsContainEachOther) {
  for (auto [less, more] : {std::pair("x86-64-v2", "x86-64-v3"),
                            std::pair("x86-64-v3", "x86-64-v3-vnni"),
                            std::pair("x86-64-v3", "x86-64-v4"),
                            std::pair("x86-64-v4", "x86-64-v4-vnni"),
                            std::pair("x86-64-v4-vnni", "x86-64-v4-bf16"),
                            std::pair("x86-64-v4-bf16", "x86-64-v4-amx")})
    for (const std::string &feature : findMachine(less)->features)
      EXPECT_TRUE(llvm::is_contained(findMachine(more)->features, feature))
          << feature;
  EXPECT_FALSE(findMachine("x86-64-v2")->hasFma);
}

TEST(Target, SurvivesTheAttribute) {
  MLIRContext context;
  for (const std::shared_ptr<const Target> &target : targets()) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    DictionaryAttr attr = target->toAttr(&context);
    (*module)->setAttr(targetAttrName, attr);
    std::shared_ptr<const Target> back = targetOf(*module);
    ASSERT_TRUE(back);
    // The attribute says everything, so equal attributes are equal targets.
    EXPECT_EQ(back->toAttr(&context), attr);
    EXPECT_EQ(back->name(), target->name());
    EXPECT_EQ(back->dispatchFacts(), target->dispatchFacts());
    if (auto cpu = dyn_cast<CpuTarget>(back.get()))
      EXPECT_EQ(cpu->machine().features,
                cast<CpuTarget>(target.get())->machine().features);
  }
}

TEST(Target, MalformedAttributesAreNone) {
  MLIRContext context;
  for (const char *text :
       {"module {}", "module attributes {heddle.target = \"z80\"} {}",
        "module attributes {heddle.target = 4} {}",
        "module attributes {heddle.target = {kind = \"cpu\"}} {}",
        "module attributes {heddle.target = {name = \"x86-64-v3\"}} {}"}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    EXPECT_FALSE(targetOf(*module)) << text;
  }
  // Each entry is needed, and a rate of nothing is none.
  DictionaryAttr whole = findTarget("x86-64-v3")->toAttr(&context);
  for (NamedAttribute entry : whole) {
    NamedAttrList less(whole);
    less.erase(entry.getName());
    EXPECT_FALSE(CpuTarget::fromAttr(less.getDictionary(&context)) &&
                 entry.getName() != "kind")
        << entry.getName().str();
  }
  auto rates = whole.getAs<DictionaryAttr>("rates");
  for (NamedAttribute rate : rates) {
    NamedAttrList wrong(rates), all(whole);
    wrong.set(rate.getName(), FloatAttr::get(Float64Type::get(&context), 0.0));
    all.set("rates", wrong.getDictionary(&context));
    EXPECT_FALSE(CpuTarget::fromAttr(all.getDictionary(&context)))
        << rate.getName().str();
  }
}

TEST(Target, LegalityIsAskedByTypes) {
  MLIRContext context;
  Builder b(&context);
  const DispatchFacts &facts = findTarget("x86-64-v3")->dispatchFacts();
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type(), f64 = b.getF64Type();
  Type i8 = b.getIntegerType(8), i32 = b.getI32Type();
  Type u8 = b.getIntegerType(8, /*isSigned=*/false);
  auto legal = [&](KernelFamily family, Type lhs, Type rhs, Type sum) {
    return facts.isLegal(family, lhs, rhs, sum);
  };
  EXPECT_TRUE(legal(KernelFamily::Contraction, bf16, bf16, f32));
  EXPECT_TRUE(legal(KernelFamily::Contraction, u8, u8, i32));
  EXPECT_TRUE(legal(KernelFamily::Convolution, i8, i8, i32));
  EXPECT_TRUE(legal(KernelFamily::Attention, f32, f32, f32));
  EXPECT_FALSE(legal(KernelFamily::Convolution, u8, u8, i32));
  EXPECT_TRUE(legal(KernelFamily::Contraction, u8, i8, i32));
  EXPECT_TRUE(legal(KernelFamily::Convolution, u8, i8, i32));
  EXPECT_FALSE(legal(KernelFamily::Contraction, i8, u8, i32));
  EXPECT_FALSE(legal(KernelFamily::Contraction, f32, f32, f64));
  EXPECT_FALSE(legal(KernelFamily::Attention, bf16, bf16, f32));
  EXPECT_FALSE(legal(KernelFamily::Contraction, b.getIndexType(), i8, i32));
}

TEST(Target, LessExactProductsAreAskedForByName) {
  MLIRContext context;
  Type f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
  DispatchFacts facts = findTarget("x86-64-v3")->dispatchFacts();
  constexpr KernelFamily family = KernelFamily::Contraction;
  EXPECT_FALSE(facts.isLegal(family, f32, f32, f32, "tf32"));
  EXPECT_FALSE(facts.roundsFactors(family, f32, f32, f32));
  facts.kernels.push_back(
      {family, ElementKind::F32, ElementKind::F32, ElementKind::F32, "bf16x3"});
  EXPECT_TRUE(facts.isLegal(family, f32, f32, f32, "bf16x3"));
  EXPECT_FALSE(facts.isLegal(family, f32, f32, f32, "bf16x6"));
  EXPECT_TRUE(facts.isLegal(family, f32, f32, f32));
  EXPECT_TRUE(facts.roundsFactors(family, f32, f32, f32));
  EXPECT_FALSE(facts.roundsFactors(family, f64, f64, f64));
  EXPECT_NE(facts, findTarget("x86-64-v3")->dispatchFacts());
  DictionaryAttr spelled = facts.toAttr(&context);
  std::optional<DispatchFacts> back = DispatchFacts::fromAttr(spelled);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, facts);
  for (const char *wrong : {"bf16x1", "bf16x", "f31", "", "x3", "bf16x3x3"}) {
    NamedAttrList list(spelled);
    list.set(
        "kernels",
        ArrayAttr::get(&context,
                       StringAttr::get(&context, std::string("contraction "
                                                             "f32 f32 f32 ") +
                                                     wrong)));
    EXPECT_FALSE(DispatchFacts::fromAttr(list.getDictionary(&context)))
        << wrong;
  }
}

TEST(Target, NarrowElementsAreHeldWhereTheTargetSaysSo) {
  MLIRContext context;
  Builder b(&context);
  Type f8 = Float8E4M3FNType::get(&context), i4 = b.getIntegerType(4);
  DispatchFacts facts = findTarget("x86-64-v3")->dispatchFacts();
  for (Type type : {Type(b.getI1Type()), Type(b.getIntegerType(8)),
                    Type(b.getBF16Type()), Type(b.getIndexType())})
    EXPECT_TRUE(facts.holds(type));
  EXPECT_FALSE(facts.holds(f8));
  EXPECT_FALSE(facts.holds(i4));
  facts.narrowElements = {ElementKind::F8E4M3FN};
  EXPECT_TRUE(facts.holds(f8));
  EXPECT_FALSE(facts.holds(i4));
  EXPECT_FALSE(facts.holds(Float8E5M2Type::get(&context)));
  DictionaryAttr spelled = facts.toAttr(&context);
  std::optional<DispatchFacts> back = DispatchFacts::fromAttr(spelled);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, facts);
  // Tensors have no signs, and hold whole bytes anyway.
  for (const char *wrong : {"ui4", "i8", "bf16", "i1", "f9"}) {
    NamedAttrList list(spelled);
    list.set("narrow_elements", b.getStrArrayAttr({wrong}));
    EXPECT_FALSE(DispatchFacts::fromAttr(list.getDictionary(&context)))
        << wrong;
  }
  NamedAttrList list(spelled);
  list.erase("narrow_elements");
  EXPECT_FALSE(DispatchFacts::fromAttr(list.getDictionary(&context)));
}

TEST(Target, FactsThatDifferAreSeen) {
  DispatchFacts facts = findTarget("x86-64-v3")->dispatchFacts();
  // Processors share one dispatch.
  for (const std::shared_ptr<const Target> &target : processors())
    EXPECT_EQ(target->dispatchFacts(), facts);
  DispatchFacts other = facts;
  other.packing.matrix = "* k n -> * n/64 k n%64";
  EXPECT_NE(other, facts);
  other = facts;
  other.packing.pairs.clear();
  EXPECT_NE(other, facts);
  other = facts;
  other.packing.filterPairs.clear();
  EXPECT_NE(other, facts);
  other = facts;
  other.kernels.pop_back();
  EXPECT_NE(other, facts);
  other = facts;
  other.quantizedProducts.push_back(facts.kernels.front());
  EXPECT_NE(other, facts);
  other = facts;
  other.narrowElements.push_back(ElementKind::F8E5M2);
  EXPECT_NE(other, facts);
  other = facts;
  other.attentionOptions.pop_back();
  EXPECT_NE(other, facts);
  other = facts;
  other.fusion.maximumInputs = 3;
  EXPECT_NE(other, facts);
}

TEST(Target, ProcessorsHaveOneQueue) {
  for (const std::shared_ptr<const Target> &target : processors()) {
    EXPECT_EQ(target->queues("cpu"), 1u);
    EXPECT_EQ(target->queues("sim"), 2u);
    EXPECT_EQ(target->queues("another"), 1u);
  }
}

TEST(Target, WorkTakesLongerWhereMoreIsDone) {
  MLIRContext context;
  Builder b(&context);
  for (const std::shared_ptr<const Target> &target : processors()) {
    double computes = target->nanoseconds({1e6, b.getF32Type(), 0});
    EXPECT_GT(computes, 0);
    EXPECT_DOUBLE_EQ(target->nanoseconds({2e6, b.getF32Type(), 0}),
                     2 * computes);
    EXPECT_GT(target->nanoseconds({1e6, b.getF64Type(), 0}), computes);
    EXPECT_GT(target->nanoseconds({1e6, b.getF32Type(), 1e9}), computes);
    // What is widened wherever it is read, or multiplied as it is.
    double ofHalves =
        target->nanoseconds({1e6, b.getF32Type(), 0, b.getF16Type()});
    double ofBfloats =
        target->nanoseconds({1e6, b.getF32Type(), 0, b.getBF16Type()});
    EXPECT_GT(ofHalves, computes);
    bool inPairs = cast<CpuTarget>(*target).machine().hasFeature(kPairFeature);
    EXPECT_EQ(ofBfloats < computes, inPairs);
    EXPECT_NE(ofBfloats, computes);
    EXPECT_EQ(target->nanoseconds({1e6, b.getF32Type(), 0, b.getF32Type()}),
              computes);
    // Four bytes are multiplied in about the time of an f32 where one
    // instruction does that, and widened elsewhere.
    double ofBytes =
        target->nanoseconds({1e6, b.getI32Type(), 0, b.getI8Type()});
    bool inQuads =
        !cast<CpuTarget>(*target).machine().byteQuadProduct().empty();
    if (inQuads)
      EXPECT_LT(3 * ofBytes, computes);
    else
      EXPECT_GE(ofBytes, computes);
    EXPECT_GT(target->nanoseconds({1e6, b.getI32Type(), 1e9, b.getI8Type()}),
              ofBytes);
  }
}

} // namespace
