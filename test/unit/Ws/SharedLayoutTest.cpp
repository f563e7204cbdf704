// Layouts of tiles in shared memory: one-to-one, linear, and read without bank
// conflicts where they are made for that.

#include "dialects/Ws/SharedLayout.h"

#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

#include <set>

using namespace heddle::ws;

namespace {

/// The chunks that ldmatrix reads of one matrix: eight rows from `row` on, at
/// one column.
llvm::SmallVector<int64_t> matrixAt(const SharedLayout &layout, int64_t row,
                                    int64_t byte) {
  llvm::SmallVector<int64_t> addresses;
  for (int64_t i = 0; i < 8; ++i)
    addresses.push_back(layout.addressOf(row + i, byte));
  return addresses;
}

TEST(SharedLayout, MapsEachByteToAPlaceOfItsOwn) {
  for (int64_t rowBytes : {16, 32, 64, 128, 256}) {
    SharedLayout layout = SharedLayout::withoutConflicts(rowBytes);
    ASSERT_TRUE(layout.isValid());
    std::set<int64_t> places;
    for (int64_t row = 0; row < 32; ++row)
      for (int64_t byte = 0; byte < rowBytes; ++byte)
        places.insert(layout.addressOf(row, byte));
    EXPECT_EQ(int64_t(places.size()), 32 * rowBytes);
    EXPECT_EQ(*places.rbegin(), 32 * rowBytes - 1);
  }
}

TEST(SharedLayout, IsLinearOverBits) {
  SharedLayout layout = SharedLayout::withoutConflicts(64);
  for (int64_t row : {1, 2, 5, 8, 31})
    for (int64_t byte : {0, 16, 34, 63})
      EXPECT_EQ(layout.addressOf(row, byte),
                layout.addressOf(row, 0) ^ layout.addressOf(0, byte));
}

TEST(SharedLayout, MatricesAreReadAtOnce) {
  for (int64_t rowBytes : {16, 32, 64, 128, 256}) {
    SharedLayout layout = SharedLayout::withoutConflicts(rowBytes);
    for (int64_t row = 0; row < 32; row += 8)
      for (int64_t byte = 0; byte < rowBytes; byte += kChunkBytes)
        EXPECT_EQ(countBankPasses(matrixAt(layout, row, byte)), 1)
            << "rows of " << rowBytes << " bytes";
  }
}

TEST(SharedLayout, PlainRowsCollide) {
  EXPECT_EQ(countBankPasses(matrixAt({32, 0, 0}, 0, 0)), 2);
  EXPECT_EQ(countBankPasses(matrixAt({64, 0, 0}, 0, 0)), 4);
  EXPECT_EQ(countBankPasses(matrixAt({128, 0, 0}, 0, 0)), 8);
  EXPECT_EQ(countBankPasses(matrixAt({256, 0, 0}, 0, 0)), 8);
  // A word is given to all who ask for it.
  EXPECT_EQ(countBankPasses({0, 0, 0, 0}), 1);
}

TEST(SharedLayout, RefusesWhatIsNotOneToOne) {
  EXPECT_FALSE((SharedLayout{32, 2, 0}).isValid());
  EXPECT_FALSE((SharedLayout{48, 1, 0}).isValid());
  EXPECT_FALSE((SharedLayout{8, 0, 0}).isValid());
  EXPECT_FALSE((SharedLayout{256, 4, 0}).isValid());
  EXPECT_FALSE((SharedLayout{64, 1, 4}).isValid());
}

} // namespace
