// Which files beside a model may be opened.

#include "heddle/Support/MappedFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;

namespace {

/// A folder laid out like a hub cache, with a secret beside it:
///   hub/snapshots/model.onnx -> ../blobs/m     hub/blobs/{m, w}
///   hub/snapshots/weights    -> ../blobs/w     secret
class FileScopeTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("heddle-scope", path));
    root = path.str().str();
    for (const char *folder :
         {"/hub", "/hub/snapshots", "/hub/blobs", "/hub/blobs/sub"})
      ASSERT_EQ(mkdir((root + folder).c_str(), 0700), 0);
    write("/hub/blobs/m", "model");
    write("/hub/blobs/w", "weights");
    write("/hub/snapshots/own", "own");
    write("/secret", "secret");
    link("../blobs/m", "/hub/snapshots/model.onnx");
    link("../blobs/w", "/hub/snapshots/weights");
    link("../../secret", "/hub/snapshots/leak");
    link("../..", "/hub/snapshots/up");
    link(root + "/secret", "/hub/snapshots/absolute");
    ASSERT_EQ(mkfifo((root + "/hub/snapshots/pipe").c_str(), 0600), 0);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  void write(const std::string &name, llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(root + name, error) << text;
    ASSERT_FALSE(error);
  }
  void link(const std::string &target, const std::string &name) {
    ASSERT_EQ(symlink(target.c_str(), (root + name).c_str()), 0);
  }

  /// The content of what a model of this folder calls `name`, or the error.
  std::string read(llvm::StringRef name) {
    auto scope = FileScope::ofModel(root + "/hub/snapshots/model.onnx");
    if (!scope)
      return llvm::toString(scope.takeError());
    auto file = scope->open(name);
    if (!file)
      return llvm::toString(file.takeError());
    return std::string((*file)->bytes().begin(), (*file)->bytes().end());
  }
  bool refused(llvm::StringRef name, llvm::StringRef why) {
    std::string said = read(name);
    EXPECT_NE(said.find(why), std::string::npos) << said;
    return said.find("cannot open") == 0;
  }

  std::string root;
};

TEST_F(FileScopeTest, OpensWhatLiesBesideTheModel) {
  EXPECT_EQ(read("own"), "own");
  EXPECT_EQ(read("./own"), "own");
}

TEST_F(FileScopeTest, FollowsLinksIntoTheBlobFolderOfTheModel) {
  EXPECT_EQ(read("weights"), "weights");
  // The name may also be meant from where the model really is.
  EXPECT_EQ(read("w"), "weights");
}

TEST_F(FileScopeTest, RefusesNamesThatCouldLeave) {
  EXPECT_TRUE(refused("../blobs/w", "'..'"));
  EXPECT_TRUE(refused("x/../own", "'..'"));
  EXPECT_TRUE(refused(root + "/secret", "relative"));
  EXPECT_TRUE(refused("C:\\secret", "relative"));
  EXPECT_TRUE(refused("..\\secret", "relative"));
  EXPECT_TRUE(refused("", "not a file name"));
  EXPECT_TRUE(refused(llvm::StringRef("own\0x", 5), "not a file name"));
}

TEST_F(FileScopeTest, RefusesLinksThatLeave) {
  EXPECT_TRUE(refused("leak", "out of the model's folder"));
  EXPECT_TRUE(refused("absolute", "out of the model's folder"));
  EXPECT_TRUE(refused("up/secret", "out of the model's folder"));
  EXPECT_TRUE(refused("up/hub/../secret", "'..'"));
}

TEST_F(FileScopeTest, RefusesWhatIsNoRegularFile) {
  EXPECT_TRUE(refused("pipe", "not a regular file"));
  EXPECT_TRUE(refused("sub", "not a regular file"));
  EXPECT_TRUE(refused("missing", "No such file"));
}

TEST_F(FileScopeTest, SharesWhatIsOpenedTwice) {
  auto scope = FileScope::ofFolder(root + "/hub/snapshots");
  ASSERT_TRUE(bool(scope));
  auto first = scope->open("own"), second = scope->open("own");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
}

} // namespace
