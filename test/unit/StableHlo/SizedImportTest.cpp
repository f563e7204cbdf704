// A program that is imported once for all sizes is, at each choice of them, the
// program that is imported for just these.

#include "heddle/Frontend/DynamicForms.h"
#include "heddle/Frontend/RefineShapes.h"
#include "heddle/Frontend/StableHlo.h"
#include "heddle/Support/EntrySizes.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/InferExtents.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// A body over %x: tensor<?x4xf32> of a (1 to 9) rows, %y: tensor<?x?xf32> of b
/// (0 to 12) rows and w (16 to 64, a multiple of 8) columns and %i:
/// tensor<i32>, with their sizes %a, %b and %w as tensor<1xi32>, that computes
/// %0.
struct Case {
  const char *name;
  const char *type;
  const char *body;
  /// What is taken for granted; empty for nothing.
  const char *assumption = "";
};

const Case kCases[] = {
    {"Reshape", "tensor<?xf32>",
     "%s = stablehlo.multiply %b, %w : tensor<1xi32>\n"
     "%0 = stablehlo.dynamic_reshape %y, %s : (tensor<?x?xf32>, "
     "tensor<1xi32>) -> tensor<?xf32>"},
    {"Broadcast", "tensor<?x?x4xf32>",
     "%f = stablehlo.constant dense<4> : tensor<1xi32>\n"
     "%s = stablehlo.concatenate %b, %a, %f, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>\n"
     "%0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 2] : "
     "(tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>"},
    {"Iota", "tensor<?xf32>",
     "%s = stablehlo.add %a, %w : tensor<1xi32>\n"
     "%0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> "
     "tensor<?xf32>"},
    {"Pad", "tensor<?x?xf32>",
     "%v = stablehlo.constant dense<0.5> : tensor<f32>\n"
     "%z = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "%n = stablehlo.constant dense<[2, 0]> : tensor<2xi32>\n"
     "%l = stablehlo.concatenate %a, %z, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%h = stablehlo.concatenate %z, %b, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%0 = stablehlo.dynamic_pad %y, %v, %l, %h, %n : (tensor<?x?xf32>, "
     "tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> "
     "tensor<?x?xf32>"},
    {"Slice", "tensor<?x?xf32>",
     "%z = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "%o = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%t = stablehlo.constant dense<[1, 3]> : tensor<2xi32>\n"
     "%m = stablehlo.subtract %w, %o : tensor<1xi32>\n"
     "%s = stablehlo.concatenate %z, %a, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%l = stablehlo.concatenate %b, %m, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%0 = stablehlo.real_dynamic_slice %y, %s, %l, %t : (tensor<?x?xf32>, "
     "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>"},
    {"SliceOfComputedStart", "tensor<?x?xf32>",
     "%z = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "%c = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>\n"
     "%t = stablehlo.constant dense<1> : tensor<2xi32>\n"
     "%s = stablehlo.concatenate %z, %c, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%n = stablehlo.concatenate %b, %a, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%l = stablehlo.add %s, %n : tensor<2xi32>\n"
     "%0 = stablehlo.real_dynamic_slice %y, %s, %l, %t : (tensor<?x?xf32>, "
     "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>"},
    {"SetDimensionSize", "tensor<?x?xf32>",
     "%n = stablehlo.reshape %a : (tensor<1xi32>) -> tensor<i32>\n"
     "%0 = stablehlo.set_dimension_size %y, %n, dim = 1 : (tensor<?x?xf32>, "
     "tensor<i32>) -> tensor<?x?xf32>"},
    {"Gather", "tensor<?x?xf32>",
     "%o = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%j = stablehlo.dynamic_broadcast_in_dim %i, %a, dims = [] : "
     "(tensor<i32>, tensor<1xi32>) -> "
     "tensor<?xi32>\n"
     "%n = stablehlo.concatenate %o, %w, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%g = \"stablehlo.dynamic_gather\"(%y, %j, %n) <{dimension_numbers = "
     "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
     "start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = "
     "false}> : (tensor<?x?xf32>, tensor<?xi32>, tensor<2xi32>) -> "
     "tensor<?x?xf32>\n"
     "%0 = stablehlo.negate %g : tensor<?x?xf32>",
     "1 <= b"},
    {"Convolution", "tensor<1x?x2xf32>",
     "%f = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%s = stablehlo.concatenate %f, %w, %f, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>\n"
     "%v = stablehlo.constant dense<2.0> : tensor<f32>\n"
     "%d = stablehlo.dynamic_broadcast_in_dim %v, %s, dims = [] : "
     "(tensor<f32>, tensor<3xi32>) -> tensor<1x?x1xf32>\n"
     "%k = stablehlo.constant dense<1.0> : tensor<5x1x2xf32>\n"
     "%p = stablehlo.concatenate %a, %f, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%q = stablehlo.reshape %p : (tensor<2xi32>) -> tensor<1x2xi32>\n"
     "%0 = \"stablehlo.dynamic_conv\"(%d, %k, %q) {window_strides = "
     "array<i64: 3>, rhs_dilation = array<i64: 2>, dimension_numbers = "
     "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = "
     "1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x1xf32>, "
     "tensor<5x1x2xf32>, tensor<1x2xi32>) -> tensor<1x?x2xf32>"},
    // A sum of all rows that came before.
    {"ReduceWindow", "tensor<?x4xf32>",
     "%v = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%o = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%z = stablehlo.constant dense<0> : tensor<3xi32>\n"
     "%t = stablehlo.constant dense<1> : tensor<2xi32>\n"
     "%n = stablehlo.concatenate %a, %o, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%m = stablehlo.subtract %a, %o : tensor<1xi32>\n"
     "%p = stablehlo.concatenate %m, %z, dim = 0 : (tensor<1xi32>, "
     "tensor<3xi32>) -> tensor<4xi32>\n"
     "%q = stablehlo.reshape %p : (tensor<4xi32>) -> tensor<2x2xi32>\n"
     "%0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %v, %n, "
     "%t, %t, %t, %q) {called_computations = [@sum]} : (tensor<?x4xf32>, "
     "tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, "
     "tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xf32>"},
    {"TopK", "tensor<?x3xf32>",
     "%k = stablehlo.constant dense<3> : tensor<i32>\n"
     "%0, %j = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : "
     "(tensor<?x4xf32>, tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)"},
    {"RandomBits", "tensor<?xui32>",
     "%s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n"
     "%t, %0 = stablehlo.custom_call "
     "@stablehlo.dynamic_rng_bit_generator(%s, %w) {rng_algorithm = "
     "#stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) "
     "-> (tensor<2xui64>, tensor<?xui32>)"},
    {"Product", "tensor<?x?xf32>",
     "%0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : "
     "(tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>"},
    {"Call", "tensor<?x4xf32>",
     "%0 = call @twice(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>"},
    {"Composite", "tensor<?x4xf32>",
     "%0 = stablehlo.composite \"their.twice\" %x {decomposition = @twice} : "
     "(tensor<?x4xf32>) -> tensor<?x4xf32>"},
    {"Loop", "tensor<?x4xf32>",
     "%n = stablehlo.constant dense<0> : tensor<i32>\n"
     "%r:2 = stablehlo.while(%k = %n, %c = %x) : tensor<i32>, "
     "tensor<?x4xf32> cond {\n"
     "  %l = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "  stablehlo.return %l : tensor<i1>\n"
     "} do {\n"
     "  %o = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %j = stablehlo.add %k, %o : tensor<i32>\n"
     "  %d = stablehlo.add %c, %x : tensor<?x4xf32>\n"
     "  stablehlo.return %j, %d : tensor<i32>, tensor<?x4xf32>\n"
     "}\n"
     "%0 = stablehlo.negate %r#1 : tensor<?x4xf32>"},
    {"Branches", "tensor<?x4xf32>",
     "%n = stablehlo.constant dense<0> : tensor<i32>\n"
     "%p = stablehlo.compare LT, %n, %i : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%0 = \"stablehlo.if\"(%p) ({\n"
     "  %t = stablehlo.add %x, %x : tensor<?x4xf32>\n"
     "  stablehlo.return %t : tensor<?x4xf32>\n"
     "}, {\n"
     "  %e = stablehlo.negate %x : tensor<?x4xf32>\n"
     "  stablehlo.return %e : tensor<?x4xf32>\n"
     "}) : (tensor<i1>) -> tensor<?x4xf32>"},
    // A size as data.
    {"Mean", "tensor<4xf32>",
     "%v = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%s = stablehlo.reduce(%x init: %v) applies stablehlo.add across "
     "dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
     "%n = stablehlo.reshape %a : (tensor<1xi32>) -> tensor<i32>\n"
     "%f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>\n"
     "%d = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> "
     "tensor<4xf32>\n"
     "%0 = stablehlo.divide %s, %d : tensor<4xf32>"},
    {"Chlo", "tensor<?x?x4xf32>",
     "%s = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%f = stablehlo.constant dense<4> : tensor<1xi32>\n"
     "%t = stablehlo.concatenate %b, %s, %f, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>\n"
     "%v = stablehlo.constant dense<3.0> : tensor<f32>\n"
     "%u = stablehlo.dynamic_broadcast_in_dim %v, %t, dims = [] : "
     "(tensor<f32>, tensor<3xi32>) -> tensor<?x1x4xf32>\n"
     "%0 = chlo.broadcast_add %u, %x : (tensor<?x1x4xf32>, tensor<?x4xf32>) "
     "-> tensor<?x?x4xf32>"},
    // The pieces are together as long as the whole.
    {"Rotation", "tensor<?xf32>",
     "%z = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "%o = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%v = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "%n = stablehlo.dynamic_broadcast_in_dim %v, %w, dims = [] : "
     "(tensor<f32>, tensor<1xi32>) -> tensor<?xf32>\n"
     "%p = stablehlo.real_dynamic_slice %n, %a, %w, %o : (tensor<?xf32>, "
     "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n"
     "%q = stablehlo.real_dynamic_slice %n, %z, %a, %o : (tensor<?xf32>, "
     "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n"
     "%r = stablehlo.concatenate %p, %q, dim = 0 : (tensor<?xf32>, "
     "tensor<?xf32>) -> tensor<?xf32>\n"
     "%0 = stablehlo.add %r, %n : tensor<?xf32>"},
    {"Equal", "tensor<4x4xf32>",
     "%f = stablehlo.constant dense<4> : tensor<1xi32>\n"
     "%v = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "%o = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%c = stablehlo.add %b, %o : tensor<1xi32>\n"
     "%s = stablehlo.concatenate %c, %f, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>) -> tensor<2xi32>\n"
     "%u = stablehlo.dynamic_broadcast_in_dim %v, %s, dims = [] : "
     "(tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>\n"
     "%0 = stablehlo.dot_general %u, %x, contracting_dims = [0] x [0] : "
     "(tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>\n",
     "a = b + 1"},
};

class SizedImport : public testing::TestWithParam<Case> {
protected:
  SizedImport() {
    context
        .loadDialect<func::FuncDialect, quant::QuantDialect, size::SizeDialect,
                     stablehlo::StableHloDialect, chlo::ChloDialect>();
  }

  static std::string textOf(const Case &each) {
    std::string text = "func.func @main(%x: tensor<?x4xf32> loc(\"x\"), "
                       "%y: tensor<?x?xf32> loc(\"y\"), %i: tensor<i32>) -> ";
    std::string type = each.type;
    text += type + " {\n";
    for (auto [name, argument, shape, place] :
         {std::tuple("a", "x", "?x4", 0), std::tuple("b", "y", "?x?", 0),
          std::tuple("w", "y", "?x?", 1)})
      text += "%" + std::string(name) + "s = stablehlo.get_dimension_size %" +
              argument + ", dim = " + std::to_string(place) + " : (tensor<" +
              shape + "xf32>) -> tensor<i32>\n%" + name +
              " = stablehlo.reshape %" + name +
              "s : (tensor<i32>) -> tensor<1xi32>\n";
    return text + each.body + "\nreturn %0 : " + type + R"(
}
func.func private @twice(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func private @sum(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}
)";
  }

  OwningOpRef<ModuleOp> import(const std::string &text,
                               const SizeOptions &sizes) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
    });
    StableHloImportOptions options;
    static_cast<SizeOptions &>(options) = sizes;
    auto file = MappedFile::fromBytes(
        std::vector<char>(text.begin(), text.end()), "program.mlir");
    auto program = parseStableHlo(&context, *file, /*trialFirst=*/false);
    return program ? importStableHlo(std::move(*program), options)
                   : OwningOpRef<ModuleOp>();
  }

  bool isValid(ModuleOp module) {
    ScopedDiagnosticHandler handler(&context,
                                    [](Diagnostic &) { return success(); });
    return succeeded(verify(module));
  }

  /// The program with constants where numbers are known, in static forms,
  /// without what nobody uses.
  std::string canonical(ModuleOp module) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    EXPECT_TRUE(succeeded(
        refineShapes(main, SmallVector<Type>(main.getArgumentTypes()))));
    module.walk([](Operation *op) {
      OpBuilder builder(op);
      if (llvm::is_contained(chlo::broadcastingOperations(),
                             op->getName().getStringRef())) {
        op->getResult(0).replaceAllUsesWith(
            chlo::expandBroadcasting(builder, op, op->getOperands()));
        op->erase();
        return;
      }
      // What does nothing at these sizes.
      if (isa<stablehlo::SliceOp, stablehlo::BroadcastInDimOp>(op) &&
          op->getOperand(0).getType() == op->getResult(0).getType()) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
        return;
      }
      if (Operation *known = stablehlo::createKnownForm(builder, op)) {
        op->replaceAllUsesWith(known);
        op->erase();
      }
    });
    for (bool changed = true; std::exchange(changed, false);)
      module.walk([&](Operation *op) {
        if (!isOpTriviallyDead(op))
          return;
        op->erase();
        changed = true;
      });
    // Constants may stand anywhere.
    SmallVector<Operation *> constants;
    main.walk([&](stablehlo::ConstantOp op) { constants.push_back(op); });
    std::map<std::string, Operation *> first;
    for (Operation *op : constants) {
      std::string key;
      llvm::raw_string_ostream(key) << *op;
      Operation *&known = first[key.substr(key.find('='))];
      if (known) {
        op->replaceAllUsesWith(known);
        op->erase();
      } else {
        known = op;
      }
    }
    for (auto &[key, op] : llvm::reverse(first))
      op->moveBefore(&main.front().front());
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != main)
        function.erase();
    module->setAttrs(DictionaryAttr::get(&context));
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string messages;
};

TEST_P(SizedImport, IsThatOfEachSize) {
  std::string text = textOf(GetParam());
  SizeOptions options;
  options.sizes = {{"a", 1, 9}, {"b", 0, 12}, {"w", 16, 64, 8}};
  options.sizedShapes = {{"x", {"a", "4"}}, {"y", {"b", "w"}}};
  OwningOpRef<ModuleOp> module = import(text, options);
  ASSERT_TRUE(module) << messages;
  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_TRUE(
      module->getOperation()->getAttrOfType<ArrayAttr>(kSymbolsAttrName));
  auto assumptions = module->getOperation()->getAttrOfType<ArrayAttr>(
      kSizeAssumptionsAttrName);
  EXPECT_EQ(!assumptions, GetParam().assumption[0] == 0);
  size::Expression wanted;
  if (assumptions) {
    ASSERT_EQ(assumptions.size(), 1u);
    auto assumption = cast<DictionaryAttr>(assumptions[0]);
    EXPECT_EQ(assumption.getAs<StringAttr>("text").str(),
              GetParam().assumption);
    wanted = assumption.getAs<size::ExpressionAttr>("zero");
  }
  std::mt19937 random(7);
  auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  unsigned compared = 0;
  for (unsigned k = 0; k < 40; ++k) {
    int64_t a = k == 0 ? 9 : number(1, 9), b = k == 0 ? 12 : number(0, 12),
            w = k == 0 ? 64 : 8 * number(2, 8);
    SCOPED_TRACE(std::to_string(a) + " " + std::to_string(b) + " " +
                 std::to_string(w));
    auto of = [&](StringRef name) -> std::optional<int64_t> {
      return name == "a" ? a : name == "b" ? b : w;
    };
    SizeOptions fixed;
    fixed.shapes = {{"x", {a, 4}}, {"y", {b, w}}};
    OwningOpRef<ModuleOp> alone = import(text, fixed);
    bool isTaken = alone && isValid(*alone);
    if (wanted) {
      // What is taken for granted is what the program wants.
      EXPECT_EQ(isTaken, wanted.evaluated(of) == 0);
      if (!isTaken)
        continue;
    }
    ASSERT_TRUE(isTaken) << messages;
    OwningOpRef<ModuleOp> whole(module->clone());
    ASSERT_TRUE(succeeded(fixSizes(*whole, of))) << messages;
    ASSERT_TRUE(succeeded(verify(*whole)));
    ASSERT_EQ(canonical(*whole), canonical(*alone));
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Programs, SizedImport, testing::ValuesIn(kCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
