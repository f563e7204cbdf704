// Metrics, samples and numbers of certificates.

#include "lib/Driver/Precision/Certificate.h"
#include "lib/Driver/Precision/CalibrationData.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace heddle;
using namespace mlir;

namespace {
class Metrics : public testing::Test {
protected:
  HostTensor tensor(std::vector<double> values, int64_t rows = 0) {
    auto length = int64_t(values.size());
    auto type =
        RankedTensorType::get(rows ? SmallVector<int64_t>{rows, length / rows}
                                   : SmallVector<int64_t>{length},
                              Float32Type::get(&context));
    HostTensor result = HostTensor::allocate(type);
    for (size_t i = 0; i < values.size(); ++i)
      result.set(i, values[i]);
    return result;
  }
  double magnitude(ErrorMetric metric, std::vector<double> a,
                   std::vector<double> b) {
    return errorMagnitude(metric, {tensor(a)}, {tensor(b)});
  }

  MLIRContext context;
};

constexpr ErrorMetric allMetrics[] = {
    ErrorMetric::RelativeL2, ErrorMetric::MaxAbsolute, ErrorMetric::Cosine,
    ErrorMetric::Divergence, ErrorMetric::Top1};
} // namespace

TEST_F(Metrics, AreWhatTheyAreCalled) {
  EXPECT_NEAR(magnitude(ErrorMetric::RelativeL2, {3, 4.5}, {3, 4}), 0.1, 1e-12);
  EXPECT_NEAR(magnitude(ErrorMetric::MaxAbsolute, {3, 4.5}, {2, 4}), 1, 1e-12);
  // A right angle, half of one, and an angle that 1 - cos would lose in f32.
  EXPECT_NEAR(magnitude(ErrorMetric::Cosine, {0, 2}, {5, 0}), M_PI / 2, 1e-12);
  EXPECT_NEAR(magnitude(ErrorMetric::Cosine, {1, 1}, {5, 0}), M_PI / 4, 1e-7);
  EXPECT_NEAR(magnitude(ErrorMetric::Cosine, {1, 1e-5}, {1, 0}), 1e-5, 1e-10);
  EXPECT_EQ(magnitude(ErrorMetric::Cosine, {0, 0}, {0, 0}), 0);
  EXPECT_NEAR(magnitude(ErrorMetric::Cosine, {0, 0}, {0, 1}), M_PI / 2, 1e-12);
}

TEST_F(Metrics, RowsAreDistributions) {
  // p = (1/2, 1/2), q = (1/4, 3/4): log(2) - log(3) / 2; the second row of two
  // is the same but for what softmax does not see.
  double expected = std::log(2) - std::log(3) / 2;
  HostTensor exact = tensor({7, 7, 1, 2}, 2),
             result = tensor({0, std::log(3), 4, 5}, 2);
  double magnitude = errorMagnitude(ErrorMetric::Divergence, {result}, {exact});
  EXPECT_NEAR(fromMagnitude(ErrorMetric::Divergence, magnitude), expected / 2,
              1e-7);
  // Logits beyond what exp takes, and one that is out of the question.
  EXPECT_NEAR(errorMagnitude(ErrorMetric::Divergence,
                             {tensor({1000, 1000, -INFINITY}, 1)},
                             {tensor({900, 900, -INFINITY}, 1)}),
              0, 1e-7);
}

TEST_F(Metrics, RowsHaveALargestElement) {
  HostTensor exact = tensor({1, 2, 3, 3, 2, 1, 0, 0, 0, 5, 4, 5}, 4),
             result = tensor({1, 2, 4, 3, 4, 1, 1, 1, 0, 5, 4, 6}, 4);
  // The second row and the fourth; of equal elements the first counts.
  EXPECT_EQ(errorMagnitude(ErrorMetric::Top1, {result}, {exact}), 0.5);
}

TEST_F(Metrics, NumbersThatAreNotFiniteInOneAreInfinitelyWrong) {
  // A row that is no distribution, though equal where it is not finite.
  EXPECT_TRUE(std::isinf(
      magnitude(ErrorMetric::Divergence, {INFINITY, 1}, {INFINITY, 2})));
  EXPECT_TRUE(
      std::isinf(magnitude(ErrorMetric::Divergence, {NAN, 1}, {NAN, 2})));
  for (ErrorMetric metric : allMetrics) {
    EXPECT_TRUE(std::isinf(magnitude(metric, {INFINITY, 1}, {1, 1})));
    EXPECT_TRUE(std::isinf(magnitude(metric, {NAN, 1}, {1, 1})));
    EXPECT_EQ(magnitude(metric, {INFINITY, 1}, {INFINITY, 1}), 0);
  }
}

TEST_F(Metrics, SquaresBeyondDoublesAreInfinitelyWrong) {
  auto type = RankedTensorType::get(1, Float64Type::get(&context));
  HostTensor result = HostTensor::allocate(type),
             exact = HostTensor::allocate(type);
  result.set(0, 1e200);
  exact.set(0, 2e200);
  EXPECT_TRUE(
      std::isinf(errorMagnitude(ErrorMetric::RelativeL2, {result}, {exact})));
}

TEST_F(Metrics, AreNamedAndTurnBack) {
  for (ErrorMetric metric : allMetrics) {
    EXPECT_EQ(parseErrorMetric(metricName(metric)), metric);
    for (double error : {0.0, 1e-9, 1e-3, 0.5})
      EXPECT_NEAR(fromMagnitude(metric, toMagnitude(metric, error)), error,
                  1e-12 * error);
  }
  EXPECT_FALSE(parseErrorMetric("l2"));
  // 1 - cos(0.1)
  EXPECT_NEAR(fromMagnitude(ErrorMetric::Cosine, 0.1), 1 - std::cos(0.1),
              1e-15);
}

TEST(Samples, AreForOneThingOnly) {
  for (size_t count = 2; count < 70; ++count) {
    SampleSplit split = splitSamples(count, 8);
    EXPECT_EQ(split.calibration.size() + split.heldOut.size(), count);
    EXPECT_GE(split.calibration.size(), 1u);
    EXPECT_LE(split.calibration.size(), 8u);
    EXPECT_GE(split.heldOut.size(), split.calibration.size());
    for (size_t sample : split.calibration)
      EXPECT_EQ(std::count(split.heldOut.begin(), split.heldOut.end(), sample),
                0);
  }
}

TEST(Validation, CountsAndRanks) {
  Validation validation;
  for (int i = 200; i > 0; --i)
    validation.errors.push_back(i);
  EXPECT_EQ(validation.largest(), 200);
  EXPECT_EQ(validation.percentile99(), 198);
  EXPECT_EQ(validation.countAbove(197.5), 3u);
  validation.errors = {0.25};
  EXPECT_EQ(validation.percentile99(), 0.25);
  validation.errors.push_back(NAN);
  EXPECT_EQ(validation.countAbove(1), 1u);
}

static FactorRange rangeOf(std::vector<double> numbers) {
  FactorRange range;
  for (double number : numbers)
    range.add(number);
  return range;
}

TEST(FactorRange, BytesReachFromEndToEnd) {
  FactorRange range = rangeOf({-1, 0.5, 3});
  EXPECT_EQ(range.least, -1);
  EXPECT_EQ(range.largest, 3);
  // Zero is 63.75 steps from the least number, and is a byte.
  EXPECT_EQ(range.scale(), (ByteScale{4.0F / 255, 64}));
  // Where all numbers have one sign the other end is zero.
  EXPECT_EQ(rangeOf({2, 5}).scale(), (ByteScale{5.0F / 255, 0}));
  EXPECT_EQ(rangeOf({-2, -5}).scale(), (ByteScale{5.0F / 255, 255}));
  // Differences that f32 does not hold.
  EXPECT_EQ(rangeOf({-3e38, 3e38}).scale().scale, float(6e38 / 255));
  // Zeros, and what is less than a normal scale would tell apart.
  EXPECT_EQ(rangeOf({}).scale(), ByteScale());
  EXPECT_EQ(rangeOf({1e-42}).scale(), ByteScale());
}

TEST(FactorRange, NumbersThatAreNotFiniteHaveNoScale) {
  EXPECT_TRUE(std::isnan(rangeOf({INFINITY, 1}).scale().scale));
  EXPECT_TRUE(std::isnan(rangeOf({-INFINITY}).scale().scale));
  EXPECT_TRUE(std::isnan(rangeOf({1, NAN, 2, -3}).scale().scale));
}

TEST(Certificate, RecordsTheUnitsOfBytes) {
  PrecisionCertificate certificate;
  certificate.metric = ErrorMetric::RelativeL2;
  certificate.maxError = 0.01;
  certificate.products = {
      {"a",
       "contraction",
       kBytesChoice,
       {0, -1, -1, -1, -1, 0.003},
       5,
       "r",
       rangeOf({-1, 3})},
      {"b", "contraction", 1, {0, 0.003, -1, -1, -1, 0.004}, 5, "r"},
  };
  llvm::json::Object json = toJson(certificate);
  const llvm::json::Array &products = *json.getArray("products");
  const llvm::json::Object &first =
      *products[0].getAsObject()->getObject("first_factor");
  EXPECT_EQ(first.getNumber("scale"), double(4.0F / 255));
  EXPECT_EQ(first.getInteger("zero_point"), 64);
  EXPECT_EQ(first.getNumber("least"), -1);
  EXPECT_EQ(first.getNumber("largest"), 3);
  EXPECT_EQ(products[0].getAsObject()->getString("type"), "w8a8");
  EXPECT_EQ(products[1].getAsObject()->get("first_factor"), nullptr);
  std::string table;
  llvm::raw_string_ostream os(table);
  EXPECT_TRUE(printCertificate(os, json));
  EXPECT_NE(table.find("a (contraction): r; first factor in units of 0.0157, "
                       "from -1 to 3\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("b (contraction): r\n"), std::string::npos) << table;
}

TEST(Certificate, SaysWhatFollowsFromNoViolation) {
  PrecisionCertificate certificate;
  certificate.metric = ErrorMetric::RelativeL2;
  certificate.maxError = 0.01;
  certificate.products = {
      {"a", "contraction", 1, {0, 0.003, -1, -1, -1, -1}, 5, "r"},
      {"b", "contraction", 0, {0, INFINITY, -1, -1, -1, -1}, 0, "r"},
      {"c", "contraction", 2, {0, -1, 0.004, -1, -1, -1}, 5, "r"},
  };
  certificate.validation.errors.assign(59, 0.001);
  EXPECT_NEAR(certificate.estimate(), 1.25 * 0.005, 1e-12);
  // What was measured for inputs of the calibration counts where it is more.
  certificate.predictions = {{0, 0.004, 0.0048}, {1, 0.005, 0.0052}};
  EXPECT_NEAR(certificate.estimate(), 1.25 * 0.0052, 1e-12);
  certificate.predictions.pop_back();
  llvm::json::Object json = toJson(certificate);
  // 1 - 0.025^(1/59): a further program would have half of the 5 %.
  EXPECT_NE(json.getObject("validation")
                ->getString("meaning")
                ->find("confidence 95 % at most 6.06 % of calls"),
            llvm::StringRef::npos);
  // 1 - 0.00625^(1/59).
  certificate.tightenings = 2;
  llvm::json::Object later = toJson(certificate);
  EXPECT_NE(later.getObject("validation")
                ->getString("meaning")
                ->find("at most 8.24 % of calls are beyond it (the 3 programs"),
            llvm::StringRef::npos);
  const llvm::json::Array &products = *json.getArray("products");
  const llvm::json::Object &first = *products[0].getAsObject();
  // (0.003 / 0.008)^2
  EXPECT_NEAR(*first.getNumber("budget_share"), 0.140625, 1e-12);
  EXPECT_EQ(
      products[1].getAsObject()->getObject("measured")->get("bf16")->kind(),
      llvm::json::Value::Null);
  // The table is made of the document, also of one that went through a file.
  std::string table;
  llvm::raw_string_ostream os(table);
  auto parsed = llvm::json::parse(
      llvm::formatv("{0}", llvm::json::Value(std::move(json))).str());
  ASSERT_TRUE(bool(parsed));
  EXPECT_TRUE(printCertificate(os, *parsed->getAsObject()));
  EXPECT_NE(table.find("E  estimated  0.00625; an estimate, no bound"),
            std::string::npos)
      << table;
  EXPECT_FALSE(printCertificate(os, llvm::json::Object{{"version", 1}}));
}
