// GGUF files: read, cut short, with claims that they do not keep.

#include "heddle/Support/GgufFile.h"

#include "test/unit/Mutate.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace heddle;

namespace {

/// Writes a file a field at a time.
struct Writer {
  std::vector<char> bytes;

  template <typename T> Writer &put(T value) {
    const char *begin = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
    return *this;
  }
  Writer &text(llvm::StringRef value) {
    put<uint64_t>(value.size());
    bytes.insert(bytes.end(), value.begin(), value.end());
    return *this;
  }
  Writer &head(uint64_t tensors, uint64_t pairs, uint32_t version = 3) {
    bytes.insert(bytes.end(), {'G', 'G', 'U', 'F'});
    return put(version).put(tensors).put(pairs);
  }
  Writer &tensor(llvm::StringRef name, llvm::ArrayRef<uint64_t> innermostFirst,
                 uint32_t format, uint64_t offset) {
    text(name).put<uint32_t>(innermostFirst.size());
    for (uint64_t extent : innermostFirst)
      put(extent);
    return put(format).put(offset);
  }
  /// Up to a multiple of `alignment`, and `count` bytes more.
  Writer &data(uint64_t count, uint64_t alignment = 32) {
    bytes.resize(llvm::alignTo(bytes.size(), alignment) + count);
    return *this;
  }
};

llvm::Expected<std::vector<GgufTensor>> read(const Writer &writer) {
  return readGguf(*MappedFile::fromBytes(writer.bytes, "file"));
}

std::string whyNot(const Writer &writer) {
  auto tensors = read(writer);
  return tensors ? "read" : llvm::toString(tensors.takeError());
}

/// A file with one tensor of 64 bytes of data.
std::string whyNotTensor(llvm::ArrayRef<uint64_t> innermostFirst,
                         uint32_t format, uint64_t offset) {
  return whyNot(
      Writer().head(1, 0).tensor("t", innermostFirst, format, offset).data(64));
}

/// Two tensors, and values of all kinds before them.
Writer whole() {
  Writer writer;
  writer.head(2, 4);
  writer.text("general.alignment").put<uint32_t>(4).put<uint32_t>(64);
  writer.text("a").put<uint32_t>(12).put<double>(1);
  writer.text("b").put<uint32_t>(9).put<uint32_t>(8).put<uint64_t>(2);
  writer.text("one").text("two");
  writer.text("c").put<uint32_t>(9).put<uint32_t>(9).put<uint64_t>(1);
  writer.put<uint32_t>(5).put<uint64_t>(2).put<int32_t>(1).put<int32_t>(2);
  writer.tensor("w", {32, 3}, 2, 64).tensor("b", {4}, 0, 0);
  return writer.data(64 + 3 * 18, 64);
}

void says(const std::string &text, const char *what) {
  EXPECT_NE(text.find(what), std::string::npos) << text;
}

TEST(GgufFileTest, ListsTensors) {
  Writer writer = whole();
  auto tensors = read(writer);
  ASSERT_TRUE(bool(tensors)) << llvm::toString(tensors.takeError());
  ASSERT_EQ(tensors->size(), 2u);
  const GgufTensor &weight = (*tensors)[0];
  EXPECT_EQ(weight.name, "w");
  EXPECT_EQ(weight.format->name, "Q4_0");
  EXPECT_EQ(llvm::ArrayRef<int64_t>(weight.shape),
            llvm::ArrayRef<int64_t>({3, 32}));
  EXPECT_EQ(weight.bytes, 54u);
  EXPECT_EQ(weight.offset + weight.bytes, writer.bytes.size());
  EXPECT_EQ((*tensors)[1].offset + 64, weight.offset);
  EXPECT_EQ((*tensors)[1].bytes, 16u);
}

TEST(GgufFileTest, KeepsWhatItDoesNotKnow) {
  auto tensors =
      read(Writer().head(1, 0, 2).tensor("t", {5}, 1000, 0).data(64));
  ASSERT_TRUE(bool(tensors)) << llvm::toString(tensors.takeError());
  EXPECT_EQ((*tensors)[0].format, nullptr);
  EXPECT_EQ((*tensors)[0].formatNumber, 1000u);
  EXPECT_EQ((*tensors)[0].bytes, 0u);
}

TEST(GgufFileTest, RefusesHeads) {
  says(whyNot(Writer()), "not a GGUF file");
  says(whyNot(Writer().head(0, 0, 1)), "version 1");
  says(whyNot(Writer().head(0, 0, 4)), "version 4");
  says(whyNot(Writer().head(0, 0, 0x03000000)), "big-endian");
  says(whyNot(Writer().head(uint64_t(1) << 60, 0)), "more than it has room");
  says(whyNot(Writer().head(0, UINT64_MAX)), "more than it has room");
  EXPECT_EQ(whyNot(Writer().head(0, 0)), "read");
}

TEST(GgufFileTest, RefusesValues) {
  auto value = [](uint32_t type) {
    Writer writer;
    writer.head(0, 1).text("k").put(type);
    return writer;
  };
  says(whyNot(value(13).data(64)), "list of values");
  says(whyNot(value(8).put<uint64_t>(UINT64_MAX)), "list of values");
  says(whyNot(value(9).put<uint32_t>(10).put<uint64_t>(uint64_t(1) << 61)),
       "list of values");
  says(whyNot(value(9).put<uint32_t>(9).put<uint64_t>(3)), "list of values");
  // Arrays within arrays, deeper than any file has them.
  Writer deep = value(9);
  for (int i = 0; i < 10; ++i)
    deep.put<uint32_t>(9).put<uint64_t>(1);
  says(whyNot(deep.data(64)), "list of values");
  for (uint32_t alignment : {0u, 24u}) {
    Writer writer;
    writer.head(0, 1).text("general.alignment").put<uint32_t>(4);
    says(whyNot(writer.put(alignment)), "power of two");
  }
}

TEST(GgufFileTest, RefusesTensors) {
  EXPECT_EQ(whyNotTensor({16}, 0, 0), "read");
  says(whyNotTensor({17}, 0, 0), "outside");
  says(whyNotTensor({16}, 0, 32), "outside");
  says(whyNotTensor({16}, 0, 16), "multiple of 32");
  says(whyNotTensor({16}, 0, UINT64_MAX - 31), "outside");
  says(whyNotTensor({}, 0, 0), "dimensions");
  says(whyNotTensor({1, 1, 1, 1, 1}, 0, 0), "dimensions");
  says(whyNotTensor({0}, 0, 0), "no size");
  says(whyNotTensor({UINT64_MAX}, 0, 0), "no size");
  says(whyNotTensor({16}, 2, 0), "blocks of 32");
  says(whyNotTensor({32, 4}, 2, 0), "outside");
  says(whyNotTensor({uint64_t(1) << 62, uint64_t(1) << 62}, 0, 0), "outside");
  says(whyNotTensor({uint64_t(1) << 62, 4}, 0, 0), "outside");
  says(whyNot(Writer()
                  .head(2, 0)
                  .tensor("t", {1}, 0, 0)
                  .tensor("t", {1}, 0, 0)
                  .data(64)),
       "two tensors");
}

TEST(GgufFileTest, CutOrDamagedNeverCrashes) {
  Writer writer = whole();
  for (size_t size = 0; size < writer.bytes.size(); ++size) {
    Writer cut;
    cut.bytes.assign(writer.bytes.begin(), writer.bytes.begin() + size);
    EXPECT_NE(whyNot(cut), "read") << size;
  }
  for (uint64_t number = 0; number < 20000; ++number) {
    Writer damaged;
    damaged.bytes = mutate(writer.bytes, number);
    auto tensors = read(damaged);
    if (!tensors) {
      llvm::consumeError(tensors.takeError());
      continue;
    }
    for (const GgufTensor &tensor : *tensors) {
      EXPECT_LE(tensor.offset, damaged.bytes.size());
      EXPECT_LE(tensor.bytes, damaged.bytes.size() - tensor.offset);
    }
  }
}

} // namespace
