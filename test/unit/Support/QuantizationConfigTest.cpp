// Configurations of quantized weights, as tools write them and damaged.

#include "heddle/Support/QuantizationConfig.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

std::optional<QuantizationConfig> read(llvm::StringRef text, bool isWhole) {
  auto config = parseQuantizationConfig(text, "file", isWhole);
  EXPECT_TRUE(bool(config)) << llvm::toString(config.takeError());
  return config ? *config : std::nullopt;
}

std::string whyNot(llvm::StringRef text) {
  auto config = parseQuantizationConfig(text, "file", true);
  return config ? "read" : llvm::toString(config.takeError());
}

TEST(QuantizationConfigTest, ReadsWhatToolsWrite) {
  auto gptq = read(R"({"bits": 4, "group_size": -1, "desc_act": false})", true);
  ASSERT_TRUE(gptq);
  EXPECT_EQ(gptq->method, "gptq");
  EXPECT_EQ(gptq->bits, 4);
  EXPECT_EQ(gptq->group, -1);
  EXPECT_EQ(gptq->format, "");
  auto awq =
      read(R"({"w_bit": 4, "q_group_size": 128, "version": "GEMM"})", true);
  ASSERT_TRUE(awq);
  EXPECT_EQ(awq->method, "awq");
  EXPECT_EQ(awq->bits, 4);
  EXPECT_EQ(awq->group, 128);
  EXPECT_EQ(awq->format, "gemm");
  auto inside = read(R"({"hidden_size": 8, "quantization_config": {
      "quant_method": "gptq", "bits": 8, "group_size": 64,
      "checkpoint_format": "gptq_v2", "version": "2"}})",
                     false);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->bits, 8);
  EXPECT_EQ(inside->format, "gptq_v2");
  EXPECT_FALSE(read(R"({"hidden_size": 8})", false));
  EXPECT_FALSE(read(R"({"quantization_config": 3})", false));
}

/// What compressed-tensors' configuration with these groups says.
int64_t bitsOf(llvm::StringRef groups) {
  std::string text =
      R"({"quant_method": "compressed-tensors", "config_groups": )" +
      groups.str() + "}";
  auto config = read(text, true);
  return config ? config->bits : -1;
}

TEST(QuantizationConfigTest, GroupsOfLayersMustAgreeAboutBits) {
  EXPECT_EQ(bitsOf(R"({"a": {"weights": {"num_bits": 8}},
                       "b": {"weights": {"num_bits": 8}}})"),
            8);
  EXPECT_EQ(bitsOf(R"({"a": {"weights": {"num_bits": 8}},
                       "b": {"weights": {"num_bits": 4}}})"),
            0);
  EXPECT_EQ(bitsOf(R"({"a": {"weights": {"num_bits": 8}}, "b": {}})"), 0);
  EXPECT_EQ(bitsOf(R"({"a": {"weights": null}})"), 0);
  EXPECT_EQ(bitsOf(R"({"a": 4})"), 0);
  EXPECT_EQ(bitsOf("[]"), 0);
}

TEST(QuantizationConfigTest, IgnoresWhatIsOfAnotherKind) {
  auto config = read(R"({"bits": "4", "group_size": 1.5, "quant_method": 7,
      "checkpoint_format": []})",
                     true);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->bits, 0);
  EXPECT_EQ(config->group, 0);
  EXPECT_EQ(config->method, "gptq");
}

TEST(QuantizationConfigTest, RefusesWhatIsNone) {
  EXPECT_NE(whyNot("").find("JSON object"), std::string::npos);
  EXPECT_NE(whyNot("[]").find("JSON object"), std::string::npos);
  EXPECT_NE(whyNot("{\"bits\": 4").find("JSON object"), std::string::npos);
  EXPECT_NE(whyNot(std::string(100, '[')).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(whyNot(std::string((16 << 20) + 1, ' ')).find("too large"),
            std::string::npos);
}

} // namespace
