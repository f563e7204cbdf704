// Handles of weights: bytes, hashes, dumps.

#include "heddle/Support/Weights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

class WeightsTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createTemporaryFile("heddle-weights", "bin", path));
    write(std::string(4, '\0') + std::string(2048, 'w'));
    context.loadDialect<arith::ArithDialect>();
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void write(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    ASSERT_FALSE(error);
  }
  RankedTensorType type(MLIRContext &context) {
    return RankedTensorType::get({512}, IntegerType::get(&context, 32));
  }
  DenseResourceElementsAttr weight() {
    auto file = MappedFile::open(path);
    EXPECT_TRUE(bool(file));
    return makeWeight(type(context), "w", *file, 4, 2048);
  }
  /// The text of a module that holds the weight, its bytes left out.
  std::string dump() {
    OpBuilder builder(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
    arith::ConstantOp::create(builder, builder.getUnknownLoc(), weight());
    recordWeights(*module, /*withHashes=*/true);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream,
                  OpPrintingFlags().elideLargeResourceString(/*limit=*/16));
    return text;
  }

  MLIRContext context;
  llvm::SmallString<128> path;
};

TEST_F(WeightsTest, BytesAreTheFilesOwn) {
  auto file = MappedFile::open(path);
  ASSERT_TRUE(bool(file));
  auto attr = makeWeight(type(context), "w", *file, 4, 2048);
  auto bytes = weightBytes(attr);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->data(), (*file)->bytes().data() + 4);
  EXPECT_EQ(weightOrigin(attr)->offset, 4u);
}

TEST_F(WeightsTest, EqualBytesHashEqually) {
  auto owned = makeWeight(type(context), "other", std::vector<char>(2048, 'w'));
  EXPECT_EQ(weightHash(weight()), weightHash(owned));
  EXPECT_NE(weightHash(owned), weightHash(makeWeight(type(context), "zero",
                                                     std::vector<char>(2048))));
}

TEST_F(WeightsTest, ADumpReadsBack) {
  MLIRContext other;
  other.loadDialect<arith::ArithDialect>();
  auto module = parseSourceString<ModuleOp>(dump(), &other);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(attachWeights(*module)));
  module->walk([](arith::ConstantOp op) {
    auto bytes = weightBytes(cast<ElementsAttr>(op.getValue()));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->back(), 'w');
  });
}

TEST_F(WeightsTest, AChangedFileIsNoticed) {
  std::string text = dump();
  write(std::string(2052, 'x'));
  MLIRContext other;
  other.loadDialect<arith::ArithDialect>();
  std::string said;
  ScopedDiagnosticHandler handler(
      &other, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  auto module = parseSourceString<ModuleOp>(text, &other);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(attachWeights(*module)));
  EXPECT_NE(said.find("has changed"), std::string::npos) << said;
}

TEST_F(WeightsTest, SmallConstantsStayInTheIr) {
  auto small = RankedTensorType::get({2}, IntegerType::get(&context, 1));
  EXPECT_EQ(makeConstant(small, "b", {1, 0}),
            DenseElementsAttr::get(small, ArrayRef<bool>{true, false}));
  EXPECT_TRUE(isa<DenseResourceElementsAttr>(
      makeConstant(type(context), "w", std::vector<char>(2048))));
}

TEST_F(WeightsTest, StoredBytesRefusesWhatOverflows) {
  Type i64 = IntegerType::get(&context, 64);
  EXPECT_FALSE(storedBytes(RankedTensorType::get({1ll << 40, 1ll << 40}, i64)));
  EXPECT_EQ(storedBytes(RankedTensorType::get({1ll << 60, 0}, i64)), 0u);
  EXPECT_EQ(
      storedBytes(RankedTensorType::get({3}, IntegerType::get(&context, 4))),
      3u);
}

} // namespace
