// Folders of ONNX test data.

#include "heddle/Frontend/OnnxTensors.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {

class OnnxTensors : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("heddle-pb", path));
    folder = path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  void write(const std::string &name, const std::string &bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(folder + "/" + name, error) << bytes;
    ASSERT_FALSE(error);
  }

  mlir::MLIRContext context;
  std::string folder;
};

/// dims = [2], data_type = float, name = "x", raw_data of two floats.
const std::string
    kTensor("\x08\x02\x10\x01\x42\x01x\x4a\x08\0\0\x80\x3f\0\0\0\x40", 17);

TEST_F(OnnxTensors, DataSetsAreReadInOrder) {
  write("input_0.pb", kTensor);
  write("input_1.pb", std::string("\x10\x07\x3a\x01\x05", 5));
  write("output_0.pb", kTensor);
  auto inputs = readOnnxTestData(&context, folder, OnnxTestData::Inputs);
  ASSERT_TRUE(bool(inputs));
  ASSERT_EQ(inputs->size(), 2u);
  EXPECT_EQ((*inputs)[0].name, "x");
  EXPECT_EQ((*inputs)[0].tensor.floatAt(1), 2.0);
  EXPECT_EQ((*inputs)[1].name, "");
  EXPECT_EQ((*inputs)[1].tensor.rank(), 0);
  EXPECT_EQ((*inputs)[1].tensor.intAt(0), 5);
}

TEST_F(OnnxTensors, DamageIsNamedWithTheFile) {
  write("input_0.pb", kTensor.substr(0, 12));
  auto inputs = readOnnxTestData(&context, folder, OnnxTestData::Inputs);
  ASSERT_FALSE(bool(inputs));
  EXPECT_NE(llvm::toString(inputs.takeError()).find("input_0.pb"),
            std::string::npos);
}

} // namespace
