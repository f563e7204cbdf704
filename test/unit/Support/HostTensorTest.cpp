// Tensors in memory: views, copies, comparison.

#include "heddle/Support/HostTensor.h"
#include "heddle/Support/CompareTensors.h"
#include "heddle/Support/Weights.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace heddle;
using namespace mlir;

namespace {

class HostTensorTest : public ::testing::Test {
protected:
  MLIRContext context;

  HostTensor parse(const char *text) {
    auto attribute =
        dyn_cast_or_null<ElementsAttr>(parseAttribute(text, &context));
    EXPECT_TRUE(attribute) << text;
    auto tensor = HostTensor::fromAttribute(attribute);
    EXPECT_TRUE(tensor) << text;
    return *tensor;
  }
  HostTensor f32(std::vector<double> values) {
    HostTensor tensor = HostTensor::allocate(RankedTensorType::get(
        {int64_t(values.size())}, Float32Type::get(&context)));
    for (size_t i = 0; i < values.size(); ++i)
      tensor.set(i, values[i]);
    return tensor;
  }
};

TEST_F(HostTensorTest, AttributesRoundTrip) {
  for (const char *text :
       {"dense<[true, false, true]> : tensor<3xi1>",
        "dense<true> : tensor<2x3xi1>", "dense<[-1, 3, -8]> : tensor<3xi4>",
        "dense<[1, 2, 3]> : tensor<3xui4>", "dense<[-2, 1]> : tensor<2xi2>",
        "dense<[1.5, 2.0]> : tensor<2xf8E4M3FN>",
        "dense<[0.5, 6.0]> : tensor<2xf4E2M1FN>",
        "dense<1.5> : tensor<4x4xbf16>",
        "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>",
        "dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>",
        "dense<7> : tensor<2xindex>", "dense<> : tensor<0x3xf32>",
        "dense<2.0> : tensor<f64>"}) {
    HostTensor tensor = parse(text);
    EXPECT_EQ(tensor.toAttribute(), parseAttribute(text, &context)) << text;
  }
  HostTensor narrow = parse("dense<[-1, 3, -8]> : tensor<3xi4>");
  EXPECT_EQ(narrow.intAt(0), -1);
  EXPECT_EQ(narrow.intAt(2), -8);
}

TEST_F(HostTensorTest, HandlesAreViewed) {
  auto type = RankedTensorType::get({400}, Float32Type::get(&context));
  std::vector<char> bytes(1600, 0);
  auto handle = makeWeight(type, "w", bytes);
  auto tensor = HostTensor::fromAttribute(handle);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->bytes().data(), weightBytes(handle)->data());
  tensor->set(0, 1.0);
  EXPECT_EQ((*weightBytes(handle))[3], 0) << "a view was written through";
  EXPECT_EQ(tensor->floatAt(0), 1.0);
}

TEST_F(HostTensorTest, CopiesShareUntilWritten) {
  HostTensor first = f32({1, 2});
  HostTensor second = first;
  EXPECT_EQ(first.bytes().data(), second.bytes().data());
  second.set(0, 5.0);
  EXPECT_EQ(first.floatAt(0), 1.0);
  EXPECT_EQ(second.floatAt(0), 5.0);
}

TEST_F(HostTensorTest, SizesThatOverflowAreNone) {
  auto size = [&](llvm::ArrayRef<int64_t> shape) {
    return HostTensor::byteSize(
        RankedTensorType::get(shape, Float64Type::get(&context)));
  };
  EXPECT_EQ(size({3, 4}), 96u);
  EXPECT_EQ(size({int64_t(1) << 40}), uint64_t(1) << 43);
  EXPECT_FALSE(size({int64_t(1) << 40, int64_t(1) << 40}));
  EXPECT_EQ(size({int64_t(1) << 40, int64_t(1) << 40, 0}), 0u);
  EXPECT_FALSE(size({ShapedType::kDynamic}));
}

TEST_F(HostTensorTest, ComparisonFindsTheWorst) {
  auto distance = compareTensors(f32({1, 2.5, -4}), f32({1, 2, -4.25}));
  ASSERT_TRUE(bool(distance));
  EXPECT_EQ(distance->differing, 2);
  EXPECT_EQ(distance->firstIndex, 1);
  EXPECT_EQ(distance->worstIndex, 1);
  EXPECT_DOUBLE_EQ(distance->maxAbsolute, 0.5);
  EXPECT_DOUBLE_EQ(distance->maxRelative, 0.25);
  EXPECT_DOUBLE_EQ(distance->relativeL2,
                   std::sqrt(0.3125) / std::sqrt(1 + 4 + 4.25 * 4.25));
  EXPECT_EQ(distance->maxUlp, uint64_t(1) << 21);
}

TEST_F(HostTensorTest, ComparisonCountsWhatIsNotFinite) {
  double inf = HUGE_VAL;
  auto same = compareTensors(f32({NAN, inf, 0}), f32({NAN, inf, -0.0}));
  EXPECT_TRUE(same->equal());
  auto other = compareTensors(f32({9, NAN, inf}), f32({1, 1, -inf}));
  EXPECT_EQ(other->nonFiniteMismatches, 2);
  EXPECT_EQ(other->worstIndex, 1);
  EXPECT_EQ(other->maxAbsolute, 8);
  auto refused = compareTensors(f32({1}), f32({1, 2}));
  EXPECT_FALSE(bool(refused));
  llvm::consumeError(refused.takeError());
}

TEST_F(HostTensorTest, UlpDistanceCountsValues) {
  EXPECT_EQ(ulpDistance(ElementKind::F32, 1, std::nextafterf(1, 2)), 1u);
  EXPECT_EQ(ulpDistance(ElementKind::F32, 0.0, -0.0), 0u);
  EXPECT_EQ(ulpDistance(ElementKind::F64, -5e-324, 5e-324), 2u);
  EXPECT_EQ(ulpDistance(ElementKind::BF16, 1, 1.0078125), 1u);
  EXPECT_EQ(ulpDistance(ElementKind::F16, NAN, NAN), 0u);
  EXPECT_EQ(ulpDistance(ElementKind::F16, NAN, 0), UINT64_MAX);
}

TEST_F(HostTensorTest, IndicesAsText) {
  EXPECT_EQ(indexText({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_EQ(indexText({}, 0), "[]");
}

} // namespace
