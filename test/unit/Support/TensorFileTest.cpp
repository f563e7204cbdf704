// Files of tensors: written, read back, damaged.

#include "heddle/Support/TensorFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace heddle;
using namespace mlir;

namespace {

class TensorFileTest : public ::testing::Test {
protected:
  MLIRContext context;

  static std::shared_ptr<MappedFile> file(std::vector<char> bytes) {
    return MappedFile::fromBytes(std::move(bytes), "file");
  }
  RankedTensorType type(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
    return RankedTensorType::get(shape, elementType(&context, kind));
  }
  /// An .npy of version 1 with the given dictionary.
  static std::vector<char> npy(llvm::StringRef header, llvm::StringRef data) {
    std::vector<char> bytes = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(header.size()), 0};
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
  }
  std::string whyNot(std::vector<char> bytes) {
    auto tensor = readNpy(&context, file(std::move(bytes)));
    return tensor ? "read" : llvm::toString(tensor.takeError());
  }
  HostTensor counted(llvm::ArrayRef<int64_t> shape, ElementKind kind) {
    HostTensor tensor = HostTensor::allocate(type(shape, kind));
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (elementClass(kind) == ElementClass::Float)
        tensor.set(i, double(i) - 1);
      else if (elementClass(kind) == ElementClass::Complex)
        tensor.set(i, std::complex<double>(i, -i));
      else
        tensor.set(i, int64_t(i));
    }
    return tensor;
  }
  static bool same(const HostTensor &a, const HostTensor &b) {
    return a.type() == b.type() && a.bytes() == b.bytes();
  }
};

TEST_F(TensorFileTest, NpyRoundTrips) {
  for (ElementKind kind :
       {ElementKind::I1, ElementKind::I8, ElementKind::UI16, ElementKind::I64,
        ElementKind::F16, ElementKind::F32, ElementKind::F64, ElementKind::C64,
        ElementKind::C128})
    for (llvm::SmallVector<int64_t> shape :
         {llvm::SmallVector<int64_t>{}, {3}, {2, 3}, {2, 0, 4}}) {
      HostTensor tensor = counted(shape, kind);
      auto back = readNpy(&context, file(encodeNpy(tensor)));
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      EXPECT_TRUE(same(tensor, *back)) << elementName(kind).str();
    }
}

TEST_F(TensorFileTest, NpyWidensWhatNumpyLacks) {
  std::string note;
  auto bytes = encodeNpy(counted({4}, ElementKind::BF16), &note);
  EXPECT_NE(note.find("bf16"), std::string::npos);
  auto back = readNpy(&context, file(bytes));
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->kind(), ElementKind::F32);
  EXPECT_EQ(back->floatAt(3), 2.0);
}

TEST_F(TensorFileTest, NpyOrdersAndByteOrders) {
  // Nothing to transpose, and extents whose products overflow.
  EXPECT_EQ(whyNot(npy("{'descr': '<u8', 'fortran_order': True, 'shape': "
                       "(999999999999999993, 9999999999999, 93, 0)}",
                       "")),
            "read");
  // A 2x2 Fortran-order array of big-endian 16-bit integers 1 2 / 3 4.
  auto tensor = readNpy(
      &context,
      file(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2)}",
               llvm::StringRef("\0\1\0\3\0\2\0\4", 8))));
  ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(tensor->intAt(i), i + 1);
  auto brain =
      readNpy(&context,
              file(npy("{'descr': '<V2', 'fortran_order': False, 'shape': ()}",
                       llvm::StringRef("\x80\x3f", 2))));
  ASSERT_TRUE(bool(brain));
  EXPECT_EQ(brain->kind(), ElementKind::BF16);
  EXPECT_EQ(brain->floatAt(0), 1.0);
}

TEST_F(TensorFileTest, NpyRefusesWhatIsWrong) {
  auto says = [](const std::string &text, const char *what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  says(whyNot({}), "not an .npy");
  says(whyNot(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                  "1234")),
       "cut short");
  says(whyNot(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                  "(4294967296, 4294967296)}",
                  "")),
       "too large");
  says(whyNot(npy("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "")),
       "element type");
  says(whyNot(npy("{'descr': [('a', '<f4')], 'shape': ()}", "")), "records");
  says(whyNot(
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "")),
       "no size");
  says(whyNot(npy("{'descr': '<f4', 'shape': ()}", "1234")), "lacks");
}

TEST_F(TensorFileTest, NpyCutOrFlippedNeverCrashes) {
  std::vector<char> whole = encodeNpy(counted({2, 3}, ElementKind::F32));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(whyNot({whole.begin(), whole.begin() + size}), "read");
  for (size_t bit = 0; bit < 128 * 8; ++bit) {
    std::vector<char> flipped = whole;
    flipped[bit / 8] ^= 1 << bit % 8;
    auto tensor = readNpy(&context, file(flipped));
    if (tensor)
      EXPECT_LE(tensor->bytes().size(), flipped.size());
    else
      llvm::consumeError(tensor.takeError());
  }
}

TEST_F(TensorFileTest, NpzRoundTripsAndSurvivesDamage) {
  std::vector<NamedTensor> tensors = {{"a", counted({2, 3}, ElementKind::F32)},
                                      {"dir/b", counted({5}, ElementKind::I64)},
                                      {"scalar", counted({}, ElementKind::I1)}};
  auto bytes = encodeNpz(tensors);
  ASSERT_TRUE(bool(bytes));
  auto back = readNpz(&context, file(*bytes));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*back)[i].name, tensors[i].name);
    EXPECT_TRUE(same((*back)[i].tensor, tensors[i].tensor));
  }
  for (size_t byte = 0; byte < bytes->size(); ++byte) {
    std::vector<char> damaged = *bytes;
    damaged[byte] ^= 0x55;
    auto read = readNpz(&context, file(damaged));
    if (!read)
      llvm::consumeError(read.takeError());
    damaged = {bytes->begin(), bytes->begin() + byte};
    read = readNpz(&context, file(damaged));
    EXPECT_FALSE(bool(read));
    llvm::consumeError(read.takeError());
  }
}

TEST_F(TensorFileTest, NpzInflates) {
  // numpy.savez_compressed(f, x=numpy.zeros((40, 50), numpy.int16) + 7), its
  // one entry.
  static const unsigned char kArchive[] = {
#include "CompressedNpz.inc"
  };
  std::vector<char> bytes(std::begin(kArchive), std::end(kArchive));
  auto back = readNpz(&context, file(bytes));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->size(), 1u);
  EXPECT_EQ((*back)[0].tensor.type(), type({40, 50}, ElementKind::I16));
  EXPECT_EQ((*back)[0].tensor.intAt(1999), 7);
  TensorFileLimits small;
  small.decodedBytes = 1000;
  auto refused = readNpz(&context, file(bytes), small);
  ASSERT_FALSE(bool(refused));
  EXPECT_NE(llvm::toString(refused.takeError()).find("limit"),
            std::string::npos);
  for (size_t byte = 0; byte < bytes.size(); ++byte) {
    std::vector<char> damaged = bytes;
    damaged[byte] ^= 0x11;
    auto read = readNpz(&context, file(damaged));
    if (!read)
      llvm::consumeError(read.takeError());
  }
}

TEST_F(TensorFileTest, SafetensorsRoundTrips) {
  std::vector<NamedTensor> tensors = {
      {"w", counted({2, 3}, ElementKind::BF16)},
      {"empty", counted({0}, ElementKind::F32)},
      {"b", counted({3}, ElementKind::F8E4M3FN)}};
  auto bytes = encodeSafetensors(tensors);
  ASSERT_TRUE(bool(bytes));
  auto back = readSafetensors(&context, file(*bytes));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[0].name, "w");
  EXPECT_TRUE(same((*back)[0].tensor, tensors[0].tensor));
  auto wide = encodeSafetensors({{"x", counted({1}, ElementKind::C128)}});
  EXPECT_FALSE(bool(wide));
  llvm::consumeError(wide.takeError());
}

TEST_F(TensorFileTest, SafetensorsRefusesWhatIsWrong) {
  auto whyNot = [&](std::string header) {
    std::vector<char> bytes(8);
    uint64_t size = header.size();
    std::memcpy(bytes.data(), &size, 8);
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.resize(bytes.size() + 16);
    auto read = readSafetensors(&context, file(bytes));
    return read ? "read" : llvm::toString(read.takeError());
  };
  auto entry = [](const char *dtype, const char *shape, const char *offsets) {
    return std::string("{\"t\":{\"dtype\":\"") + dtype +
           "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}";
  };
  auto says = [](const std::string &text, const char *what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  EXPECT_EQ(whyNot(entry("F32", "[2]", "[0,8]")), "read");
  says(whyNot(entry("F32", "[2]", "[0,4]")), "4 bytes");
  says(whyNot(entry("F32", "[2]", "[16,24]")), "outside");
  says(whyNot(entry("F32", "[2]", "[8,0]")), "outside");
  says(whyNot(entry("F32", "[-2]", "[0,8]")), "no size");
  says(whyNot(entry("F32", "[2.5]", "[0,8]")), "no size");
  says(whyNot(entry("F3", "[2]", "[0,8]")), "type");
  says(whyNot(
           entry("F32", "[4611686018427387904,4611686018427387904]", "[0,8]")),
       "too large");
  says(whyNot("{\"t\":3}"), "object");
  says(whyNot("[]"), "JSON");
  says(whyNot("{"), "JSON");
  says(whyNot(std::string(100000, '[')), "deeply");
}

TEST_F(TensorFileTest, WritesWholeFilesOnly) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("heddle-tensors", folder));
  std::string path = (folder + "/x.npy").str();
  EXPECT_FALSE(bool(writeNpy(path, counted({2}, ElementKind::BF16))));
  auto back = readTensorFile(&context, path);
  ASSERT_TRUE(bool(back));
  EXPECT_EQ((*back)[0].name, "x");
  EXPECT_TRUE(llvm::sys::fs::exists(path + ".txt"));
  llvm::Error problem = writeBytes((folder + "/none/x").str(), {});
  EXPECT_TRUE(bool(problem));
  llvm::consumeError(std::move(problem));
  llvm::sys::fs::remove_directories(folder);
}

} // namespace
