// ONNX's encoding: tensors, limits, damage.

#include "lib/Frontend/Onnx/Model.h"

#include "gtest/gtest.h"

using namespace heddle::onnx;

namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes += char(value | 128);
  return bytes + char(value);
}

/// A field that holds bytes.
std::string field(unsigned number, llvm::StringRef content) {
  return varint(number << 3 | 2) + varint(content.size()) + content.str();
}

/// A field that holds a number.
std::string field(unsigned number, uint64_t value) {
  return varint(number << 3) + varint(value);
}

Tensor read(const std::string &message) {
  Tensor tensor;
  EXPECT_FALSE(readTensorFile(message, tensor));
  return tensor;
}

std::string errorOf(const std::string &message) {
  Tensor tensor;
  if (auto error = readTensorFile(message, tensor))
    return error->message;
  TensorBytes bytes;
  if (auto error = readTensor(tensor, bytes))
    return error->message;
  return "";
}

TEST(OnnxReader, RawDataIsAViewOfTheFile) {
  std::string raw(8, 'r');
  std::string message = field(1, 2) + field(2, 1) + field(9, raw);
  Tensor tensor = read(message);
  TensorBytes bytes;
  ASSERT_FALSE(readTensor(tensor, bytes));
  EXPECT_TRUE(bytes.isView);
  EXPECT_GE(bytes.view.data(), message.data());
  EXPECT_LE(bytes.view.data() + 8, message.data() + message.size());
}

TEST(OnnxReader, TypedFieldsAreDecodedPackedOrNot) {
  std::string packed = varint(3) + varint(-uint64_t(4));
  for (const std::string &values :
       {field(7, packed), field(7, 3) + field(7, -uint64_t(4))}) {
    std::string message = field(1, 2) + field(2, 7) + values;
    TensorBytes bytes;
    ASSERT_FALSE(readTensor(read(message), bytes));
    ASSERT_EQ(bytes.owned.size(), 16u);
    EXPECT_EQ(reinterpret_cast<int64_t *>(bytes.owned.data())[1], -4);
  }
}

TEST(OnnxReader, SubByteElementsTakeOneByteEach) {
  // Low bits first: 0xf1 is 1 and -1; the third element takes half of the
  // second byte.
  std::string message =
      field(1, 3) + field(2, 22) + field(9, std::string("\xf1\x07", 2));
  TensorBytes bytes;
  ASSERT_FALSE(readTensor(read(message), bytes));
  EXPECT_EQ(bytes.owned, (std::vector<char>{1, -1, 7}));
  message = field(1, 3) + field(2, 21) + field(5, 0xf1) + field(5, 0x07);
  bytes = {};
  ASSERT_FALSE(readTensor(read(message), bytes));
  EXPECT_EQ(bytes.owned, (std::vector<char>{1, 15, 7}));
}

TEST(OnnxReader, BoolsAreZeroOrOne) {
  std::string message =
      field(1, 3) + field(2, 9) + field(9, std::string("\0\2\1", 3));
  TensorBytes bytes;
  ASSERT_FALSE(readTensor(read(message), bytes));
  EXPECT_EQ(bytes.owned, (std::vector<char>{0, 1, 1}));
}

TEST(OnnxReader, SizesAreCheckedBeforeAnythingIsAllocated) {
  EXPECT_NE(errorOf(field(1, 1ull << 40) + field(2, 7) + field(7, 1))
                .find("far more than it holds"),
            std::string::npos);
  EXPECT_NE(errorOf(field(1, 1ull << 40) + field(1, 1ull << 40) + field(2, 1))
                .find("holds no values"),
            std::string::npos);
  EXPECT_NE(errorOf(field(1, -uint64_t(1)) + field(2, 1)), "");
  EXPECT_NE(errorOf(field(1, 3) + field(2, 1) + field(9, "12345678"))
                .find("has 8 bytes of data, its type and shape ask for 12"),
            std::string::npos);
  EXPECT_NE(errorOf(field(1, 2) + field(2, 7) + field(7, 1))
                .find("holds 1 of 2 values"),
            std::string::npos);
  EXPECT_NE(errorOf(field(1, 1) + field(2, 7) + field(7, 1) + field(7, 2))
                .find("more values than its shape"),
            std::string::npos);
}

/// A model whose graph nests `depth` graphs in attributes of nodes.
std::string nested(int depth) {
  std::string graph = field(1, field(4, "If"));
  for (int i = 0; i < depth; ++i)
    graph = field(1, field(4, "If") + field(5, field(1, "g") + field(6, graph) +
                                                   field(20, 5)));
  return field(7, graph);
}

TEST(OnnxReader, DeepNestingIsRefused) {
  Model model;
  EXPECT_FALSE(readModel(nested(60), model));
  Model deep;
  auto error = readModel(nested(2000), deep);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ReadError::TooDeep);
}

TEST(OnnxReader, ManySmallPartsAreRefused) {
  // Eight million empty input names: 16 MB of file would become 256 MB of
  // views.
  std::string node = field(4, "Sum");
  std::string inputs;
  for (int i = 0; i < 8'000'000; ++i)
    inputs += std::string("\x0a\0", 2);
  Model model;
  auto error = readModel(field(7, field(1, node + inputs)), model);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ReadError::TooMany);
}

TEST(OnnxReader, DamageIsAnError) {
  Model model;
  for (llvm::StringRef bytes :
       {llvm::StringRef(""), llvm::StringRef("\x3a\x7f", 2),
        llvm::StringRef("\xff\xff\xff"), llvm::StringRef("\x38\x01", 2)}) {
    auto error = readModel(bytes, model);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind, ReadError::Malformed);
  }
}

} // namespace
