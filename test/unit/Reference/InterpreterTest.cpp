// The interpreter's options, and folding. What operations mean is tested by
// programs that check themselves, in test/lib/Reference.

#include "heddle/Reference/Interpreter.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<func::FuncDialect, stablehlo::StableHloDialect>();
  }

  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return *module->getOps<func::FuncOp>().begin();
  }
  HostTensor scalar(float value) {
    HostTensor tensor = HostTensor::allocate(
        RankedTensorType::get({}, Float32Type::get(&context)));
    tensor.set(0, double(value));
    return tensor;
  }
  /// The error that running gives, "" without one.
  std::string errorOf(func::FuncOp function, const InterpreterOptions &options,
                      ArrayRef<HostTensor> arguments = {}) {
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      text += diagnostic.str();
      return success();
    });
    bool good = succeeded(interpret(function, arguments, options));
    EXPECT_EQ(good, text.empty());
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(InterpreterTest, WideEvaluationKeepsWhatF32Loses) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %large = stablehlo.constant dense<1.0e+8> : tensor<f32>
      %sum = stablehlo.add %x, %large : tensor<f32>
      %rest = stablehlo.subtract %sum, %large : tensor<f32>
      return %rest : tensor<f32>
    })");
  InterpreterOptions options;
  auto narrow = interpret(function, scalar(1), options);
  ASSERT_TRUE(succeeded(narrow));
  EXPECT_EQ((*narrow)[0].kind(), ElementKind::F32);
  EXPECT_EQ((*narrow)[0].floatAt(0), 0.0);
  options.evaluateInF64 = true;
  auto wide = interpret(function, scalar(1), options);
  ASSERT_TRUE(succeeded(wide));
  EXPECT_EQ((*wide)[0].kind(), ElementKind::F64);
  EXPECT_EQ((*wide)[0].floatAt(0), 1.0);
}

TEST_F(InterpreterTest, ReportsResultsInOrder) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %x, %x : tensor<f32>
      %1 = stablehlo.multiply %0, %0 : tensor<f32>
      return %1 : tensor<f32>
    })");
  std::vector<double> seen;
  InterpreterOptions options;
  options.onResults = [&](Operation *, ArrayRef<HostTensor> results) {
    seen.push_back(results[0].floatAt(0));
  };
  ASSERT_TRUE(succeeded(interpret(function, scalar(3), options)));
  EXPECT_EQ(seen, (std::vector<double>{6, 36}));
}

TEST_F(InterpreterTest, ThreadsChangeNothing) {
  func::FuncOp function = parse(R"(
    func.func @f() -> tensor<200x70xf32> {
      %i = stablehlo.iota dim = 0 : tensor<200x300xf32>
      %s = stablehlo.sine %i : tensor<200x300xf32>
      %j = stablehlo.iota dim = 1 : tensor<300x70xf32>
      %t = stablehlo.sine %j : tensor<300x70xf32>
      %p = stablehlo.dot_general %s, %t, contracting_dims = [1] x [0] : (tensor<200x300xf32>, tensor<300x70xf32>) -> tensor<200x70xf32>
      return %p : tensor<200x70xf32>
    })");
  InterpreterOptions options;
  options.threads = 1;
  auto one = interpret(function, {}, options);
  options.threads = 4;
  auto four = interpret(function, {}, options);
  ASSERT_TRUE(succeeded(one) && succeeded(four));
  EXPECT_EQ((*one)[0].bytes(), (*four)[0].bytes());
}

TEST_F(InterpreterTest, WhatIsOnlyMovedKeepsItsBits) {
  for (ElementKind kind :
       {ElementKind::F4E2M1FN, ElementKind::F6E2M3FN, ElementKind::F6E3M2FN,
        ElementKind::F8E3M4, ElementKind::F8E4M3, ElementKind::F8E4M3FN,
        ElementKind::F8E4M3FNUZ, ElementKind::F8E4M3B11FNUZ,
        ElementKind::F8E5M2, ElementKind::F8E5M2FNUZ, ElementKind::F8E8M0FNU,
        ElementKind::BF16, ElementKind::F16, ElementKind::F32}) {
    // Of f32 all that the upper half can be.
    unsigned lower = bitWidth(kind) > 16 ? bitWidth(kind) - 16 : 0;
    int64_t codes = int64_t(1) << (bitWidth(kind) - lower);
    auto type = RankedTensorType::get({codes}, elementType(&context, kind));
    std::string one = elementName(kind).str(),
                all = "tensor<" + std::to_string(codes) + "x" + one + ">";
    HostTensor x = HostTensor::allocate(type);
    char *bytes = x.mutableBytes().data();
    for (int64_t code = 0; code < codes; ++code)
      for (unsigned byte = 0; byte < x.elementBytes(); ++byte)
        *bytes++ = char((code << lower) >> (8 * byte));
    // An operation on elements, and regions of scalars.
    std::string text = R"(
      func.func @f(%x: ALL, %p: tensor<i1>) -> (ALL, ALL, ALL) {
        %0 = stablehlo.select %p, %x, %x : tensor<i1>, ALL
        %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<ONE>):
          stablehlo.return %a : tensor<ONE>
        }) : (ALL) -> ALL
        %2 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<ONE>):
          %b = stablehlo.select %p, %a, %a : tensor<i1>, tensor<ONE>
          stablehlo.return %b : tensor<ONE>
        }) : (ALL) -> ALL
        return %0, %1, %2 : ALL, ALL, ALL
      })";
    for (auto &[name, type] : {std::pair("ALL", all), std::pair("ONE", one)})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, 3, type);
    func::FuncOp function = parse(text);
    HostTensor predicate = HostTensor::allocate(
        RankedTensorType::get({}, IntegerType::get(&context, 1)));
    auto results = interpret(function, {x, predicate}, InterpreterOptions());
    ASSERT_TRUE(succeeded(results)) << one;
    for (const HostTensor &result : *results)
      EXPECT_EQ(result.bytes(), x.bytes()) << one;
  }
}

TEST_F(InterpreterTest, LimitsEndPrograms) {
  InterpreterOptions options;
  options.operationLimit = 1000;
  func::FuncOp endless = parse(R"(
    func.func @f() -> tensor<i1> {
      %go = stablehlo.constant dense<true> : tensor<i1>
      %r = stablehlo.while(%x = %go) : tensor<i1>
       cond {
        stablehlo.return %x : tensor<i1>
      } do {
        stablehlo.return %x : tensor<i1>
      }
      return %r : tensor<i1>
    })");
  EXPECT_NE(errorOf(endless, options).find("more than 1000 operations"),
            std::string::npos);

  // What is dead does not count: each step frees the one before.
  func::FuncOp steps = parse(R"(
    func.func @f() -> tensor<1000xf32> {
      %0 = stablehlo.iota dim = 0 : tensor<1000xf32>
      %1 = stablehlo.negate %0 : tensor<1000xf32>
      %2 = stablehlo.negate %1 : tensor<1000xf32>
      %3 = stablehlo.negate %2 : tensor<1000xf32>
      return %3 : tensor<1000xf32>
    })");
  options.memoryLimitBytes = 12000;
  EXPECT_EQ(errorOf(steps, options), "");
  options.memoryLimitBytes = 7000;
  EXPECT_NE(errorOf(steps, options).find("limit of 7000 bytes"),
            std::string::npos);
}

TEST_F(InterpreterTest, ArgumentsAreChecked) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      return %x : tensor<2xf32>
    })");
  EXPECT_NE(errorOf(function, {}).find("takes 1 arguments"), std::string::npos);
  EXPECT_NE(errorOf(function, {}, scalar(1)).find("has type"),
            std::string::npos);
}

TEST_F(InterpreterTest, RecursionEnds) {
  func::FuncOp function = parse(R"(
    func.func @f() -> tensor<f32> {
      %0 = call @f() : () -> tensor<f32>
      return %0 : tensor<f32>
    })");
  EXPECT_NE(errorOf(function, {}).find("deep"), std::string::npos);
}

TEST_F(InterpreterTest, RegionsWithOutsideValuesAreNoFault) {
  // An operation alone has no frame that its region could look into.
  func::FuncOp function = parse(R"(
    func.func @f(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.add %x, %x : tensor<2xf32>
        stablehlo.return %1 : tensor<2xf32>
      }, {
        stablehlo.return %x : tensor<2xf32>
      }) : (tensor<i1>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  )");
  HostTensor predicate = HostTensor::allocate(
      RankedTensorType::get({}, IntegerType::get(&context, 1)));
  for (int64_t value : {0, 1}) {
    predicate.set(0, value);
    EXPECT_TRUE(
        failed(interpretOp(&function.getBody().front().front(), {predicate})));
  }
}

TEST_F(InterpreterTest, FoldsSmallConstants) {
  func::FuncOp function = parse(R"(
    func.func @f(%x: tensor<2xi32>, %big: tensor<1000000xf32>) -> tensor<2xi32> {
      %0 = stablehlo.add %x, %x : tensor<2xi32>
      %1 = stablehlo.negate %big : tensor<1000000xf32>
      return %0 : tensor<2xi32>
    })");
  Operation *add = &function.front().front();
  auto type = RankedTensorType::get({2}, IntegerType::get(&context, 32));
  auto value = DenseElementsAttr::get(type, ArrayRef<int32_t>{3, -4});
  auto folded = foldOp(add, {value, value});
  ASSERT_TRUE(succeeded(folded));
  EXPECT_EQ(*folded, DenseElementsAttr::get(type, ArrayRef<int32_t>{6, -8}));
  // An operand that is no constant, and one that is too large.
  EXPECT_TRUE(failed(foldOp(add, {value, ElementsAttr()})));
  Operation *negate = add->getNextNode();
  auto large = DenseElementsAttr::get(
      cast<RankedTensorType>(negate->getOperand(0).getType()), 1.0f);
  EXPECT_TRUE(failed(foldOp(negate, {ElementsAttr(large)})));
}

} // namespace
