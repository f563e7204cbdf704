// A second kind of targets, of which the compiler knows nothing: it comes in by
// its registration, goes through fork and dispatch by facts of its own, and
// its generator gets the kernels. Its stub of a generator lets the processors'
// make the code, so that the artifact is whole.

#include "heddle/Artifact/Compile.h"

#include "heddle/Driver/ArtifactDescription.h"
#include "heddle/Pipeline/Registration.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Target/CpuTarget.h"
#include "lib/Artifact/CodeGenerator.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/ArtifactWriter.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {
std::shared_ptr<const Target> processor() { return findTarget("x86-64-v3"); }

/// Reads the filters of convolutions as they are, fuses one input, and has a
/// kernel for a composite of its own.
class TestTarget : public Target {
public:
  TestTarget(StringRef kind, std::string name)
      : Target(kind, std::move(name)), facts(processor()->dispatchFacts()) {
    facts.packing.leastChannels = 1000;
    facts.fusion.maximumInputs = 1;
    facts.composites.push_back("test.norm");
  }
  const DispatchFacts &dispatchFacts() const override { return facts; }
  LoaderNeeds loaderNeeds() const override {
    return processor()->loaderNeeds();
  }
  double nanoseconds(const Work &) const override { return 1; }
  DictionaryAttr toAttr(MLIRContext *context) const override {
    NamedAttrList list;
    list.set("kind", StringAttr::get(context, kind()));
    return list.getDictionary(context);
  }
  std::string describe() const override { return "of a test"; }

private:
  DispatchFacts facts;
};

std::shared_ptr<const Target> testTargetFromAttr(DictionaryAttr) {
  return std::make_shared<TestTarget>("test", "tester");
}

/// What the stub of a generator was given.
struct Given {
  std::string target;
  std::vector<std::string> kernels;
  bool sawPlainFilter = false;
  /// Composites before its dispatch.
  std::vector<std::string> composites;
  bool isLookedAt = false;
} given;

/// The form that the kernels of the test's targets take.
constexpr llvm::StringLiteral kKernelStage{"test-kernels"};

/// Where a kind takes the composites that it has kernels for.
struct TakeComposites : PassWrapper<TakeComposites, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TakeComposites)
  void runOnOperation() override {
    getOperation().walk([&](kernel::CompositeOp op) {
      given.composites.push_back(op.getKind().str());
    });
  }
};

void buildDispatch(OpPassManager &manager) {
  manager.addPass(std::make_unique<TakeComposites>());
  findCodeGenerator(*processor())->buildDispatch(manager);
}

FailureOr<GeneratedCode> generate(ModuleOp module,
                                  ArrayRef<func::FuncOp> kernels,
                                  const Target &target,
                                  const CompileOptions &options) {
  given.target = target.name().str();
  given.isLookedAt = options.showsKernels && options.showsKernels(kKernelStage);
  for (func::FuncOp kernel : kernels) {
    given.kernels.push_back(kernel.getName().str());
    kernel->walk([&](kernel::ConvolutionOp convolution) {
      given.sawPlainFilter |= !convolution.getWeightsPacking();
    });
  }
  return findCodeGenerator(*processor())
      ->generate(module, kernels, *processor(), options);
}

class OtherKindTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    auto isAt = [](ModuleOp module) { return module->hasAttr("test.lowered"); };
    registerTargetKind({"test",
                        {testTargetFromAttr({})},
                        testTargetFromAttr,
                        {{kKernelStage, "the kernels of a test", isAt}}});
    // Nothing makes code for this one.
    registerTargetKind({"idle",
                        {std::make_shared<TestTarget>("idle", "idler")},
                        testTargetFromAttr});
    CodeGenerator generator = *findCodeGenerator(*processor());
    generator.kind = "test";
    generator.buildDispatch = buildDispatch;
    generator.generate = generate;
    registerCodeGenerator(generator);
  }

  OtherKindTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  LogicalResult compile(std::vector<std::shared_ptr<const Target>> targets,
                        format::ArtifactWriter &writer) {
    // A grouped convolution, whose filter processors pack.
    std::string numbers;
    for (unsigned i = 0; i < 3 * 3 * 16 * 32; ++i)
      numbers += (i ? ", " : "") + std::to_string(i % 7) + ".5";
    std::string text = R"mlir(
      func.func @main(%x: tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32> {
        %list = stablehlo.constant dense<[)mlir" +
                       numbers + R"mlir(]> : tensor<4608xf32>
        %w = stablehlo.reshape %list
          : (tensor<4608xf32>) -> tensor<3x3x16x32xf32>
        %0 = stablehlo.convolution(%x, %w)
          dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {pad = [[1, 1], [1, 1]]}
          {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
          : (tensor<1x8x8x32xf32>, tensor<3x3x16x32xf32>) -> tensor<1x8x8x32xf32>
        return %0 : tensor<1x8x8x32xf32>
      })mlir";
    return compileText(text, std::move(targets), writer);
  }

  LogicalResult compileText(StringRef text,
                            std::vector<std::shared_ptr<const Target>> targets,
                            format::ArtifactWriter &writer) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    if (writer.openTemporary("/tmp"))
      return failure();
    CompileOptions options;
    options.targets = std::move(targets);
    options.showsKernels = [](StringRef stage) {
      return stage == kKernelStage;
    };
    return compileInto(*module, options, writer);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(OtherKindTest, IsFoundByNameAndAttribute) {
  std::shared_ptr<const Target> target = findTarget("tester");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind(), "test");
  OwningOpRef<ModuleOp> named = ModuleOp::create(UnknownLoc::get(&context));
  (*named)->setAttr(targetAttrName, target->toAttr(&context));
  ASSERT_TRUE(targetOf(*named));
  EXPECT_EQ(targetOf(*named)->dispatchFacts(), target->dispatchFacts());
}

TEST_F(OtherKindTest, GoesToItsGenerator) {
  format::ArtifactWriter writer;
  ASSERT_TRUE(succeeded(compile({processor(), findTarget("tester")}, writer)));
  EXPECT_EQ(given.target, "tester");
  EXPECT_FALSE(given.kernels.empty());
  EXPECT_TRUE(given.sawPlainFilter);
  EXPECT_TRUE(given.isLookedAt);
}

/// Its stage of kernels stands in the list of stages, and a module that is at
/// it says so.
TEST_F(OtherKindTest, HasAStageOfKernels) {
  std::optional<StageInfo> stage = findStage(kKernelStage);
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->stage, Stage::Kernel);
  EXPECT_EQ(stage->targetKind, "test");
  EXPECT_EQ(listStages(), "import, heddle-graph, heddle-lower, "
                          "heddle-dispatch, heddle-kernel-cpu, "
                          "heddle-kernel-gpu, test-kernels, heddle-plan");
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_FALSE(otherStage(*module, Stage::Import));
  (*module)->setAttr("test.lowered", UnitAttr::get(&context));
  std::optional<StageInfo> shown = otherStage(*module, Stage::Import);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->name, kKernelStage);
}

/// What a target claims is kept to the fork, behind which the target finds it
/// whole and another has its operations; what none claims never gets there.
TEST_F(OtherKindTest, KeepsTheCompositesItClaims) {
  StringRef text = R"mlir(
    func.func private @norm(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.multiply %x, %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @other(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.add %x, %x : tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.composite "test.norm" %x {decomposition = @norm}
        : (tensor<8xf32>) -> tensor<8xf32>
      %1 = stablehlo.composite "test.other" %0 {decomposition = @other}
        : (tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    })mlir";
  OwningOpRef<ModuleOp> graph = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(graph && succeeded(runStage(Stage::Graph, *graph)));
  std::vector<std::string> kept;
  graph->walk(
      [&](stablehlo::CompositeOp op) { kept.push_back(op.getName().str()); });
  EXPECT_EQ(kept, std::vector<std::string>{"test.norm"});

  given = {};
  format::ArtifactWriter writer;
  ASSERT_TRUE(succeeded(
      compileText(text, {processor(), findTarget("tester")}, writer)));
  EXPECT_EQ(given.composites, std::vector<std::string>{"test.norm"});
  EXPECT_FALSE(given.kernels.empty());
}

/// The two layouts are two weights, each read by one target; with another
/// processor that layout's bytes are shared.
TEST_F(OtherKindTest, WeightsOfItsOwnAreShown) {
  for (bool isShared : {false, true}) {
    std::vector<std::shared_ptr<const Target>> targets = {processor(),
                                                          findTarget("tester")};
    if (isShared)
      targets.push_back(findTarget("x86-64-v4"));
    format::ArtifactWriter writer;
    ASSERT_TRUE(succeeded(compile(targets, writer)));
    format::ArtifactReader reader;
    format::Error error = reader.open(writer.descriptor(), "two");
    ASSERT_FALSE(error) << error.message();

    ArtifactDescription description =
        describeArtifact(reader, "", /*withPrograms=*/false);
    llvm::json::Object view = toJson(description);
    const llvm::json::Array &weights = *view.getArray("weights");
    ASSERT_EQ(weights.size(), 2u);
    auto bytes = [&](size_t i) {
      return *weights[i].getAsObject()->getInteger("bytes");
    };
    // Panels of 32 columns hold the 16 channels of a group.
    int64_t plain = std::min(bytes(0), bytes(1));
    int64_t packed = std::max(bytes(0), bytes(1));
    EXPECT_EQ(plain, 3 * 3 * 16 * 32 * 4);
    EXPECT_EQ(packed, 2 * plain);
    EXPECT_EQ(view.getInteger("weight_bytes"), plain + packed);
    EXPECT_EQ(view.getInteger("shared_weight_bytes"), isShared ? packed : 0);
    auto own = [&](size_t i) {
      return view.getArray("targets")->begin()[i].getAsObject()->getInteger(
          "own_weight_bytes");
    };
    EXPECT_EQ(own(0), isShared ? 0 : packed);
    EXPECT_EQ(own(1), plain);

    std::string text;
    llvm::raw_string_ostream os(text);
    printArtifact(os, "two", description, "");
    EXPECT_NE(text.find(isShared ? "weights: 2, 54.0 KiB, of which targets "
                                   "share 36.0 KiB"
                                 : "weights: 2, 54.0 KiB, of which targets "
                                   "share 0 B"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("weights 18.0 KiB (18.0 KiB its own)"),
              std::string::npos)
        << text;
  }
}

TEST_F(OtherKindTest, AKindWithoutGeneratorIsRefused) {
  std::string printed;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    printed += diagnostic.str();
    return success();
  });
  format::ArtifactWriter writer;
  EXPECT_TRUE(failed(compile({findTarget("idler")}, writer)));
  EXPECT_NE(printed.find("there is no code generator for idler, a target of "
                         "the kind idle"),
            std::string::npos)
      << printed;
}
} // namespace
