// Files that appear when they are whole.

#include "runtime/format/OutputFile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace heddle::format;

namespace {

/// A folder of its own, which goes away.
class OutputFileTest : public testing::Test {
protected:
  OutputFileTest() {
    char pattern[] = "/tmp/heddle-output-XXXXXX";
    folder = mkdtemp(pattern);
  }
  ~OutputFileTest() override {
    std::string command = "rm -rf " + folder;
    (void)!std::system(command.c_str());
  }
  std::string path(const char *name) const { return folder + "/" + name; }

  static std::string contents(const std::string &path) {
    std::ifstream stream(path);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  static Error writeTo(const std::string &path, const std::string &text) {
    OutputFile file;
    if (Error error = file.open(path))
      return error;
    if (Error error = file.append(text.data(), text.size()))
      return error;
    return file.publish();
  }

  std::string folder;
};

TEST_F(OutputFileTest, FoldersAreRefused) {
  Error error = writeTo(folder, "text");
  ASSERT_TRUE(error);
  EXPECT_EQ(error.code(), HEDDLE_FILE_UNWRITABLE);
  EXPECT_NE(error.message().find("it is a folder"), std::string::npos);
}

TEST_F(OutputFileTest, PipesAndDevicesAreRefusedWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string &place : {path("pipe"), std::string("/dev/null")}) {
    Error error = writeTo(place, "text");
    ASSERT_TRUE(error) << place;
    EXPECT_EQ(error.code(), HEDDLE_FILE_UNWRITABLE);
  }
  struct stat status;
  ASSERT_EQ(stat(path("pipe").c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST_F(OutputFileTest, LinksAreFollowed) {
  ASSERT_FALSE(writeTo(path("file"), "old"));
  ASSERT_EQ(symlink("file", path("link").c_str()), 0);
  ASSERT_FALSE(writeTo(path("link"), "new"));
  EXPECT_EQ(contents(path("file")), "new");
  struct stat status;
  ASSERT_EQ(lstat(path("link").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST_F(OutputFileTest, TheModeFollowsTheMask) {
  mode_t before = umask(027);
  Error error = writeTo(path("file"), "text");
  umask(before);
  ASSERT_FALSE(error);
  struct stat status;
  ASSERT_EQ(stat(path("file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFileTest, AnEmptyPathIsRefused) {
  Error error = writeTo("", "text");
  ASSERT_TRUE(error);
  EXPECT_EQ(error.code(), HEDDLE_FILE_UNWRITABLE);
  EXPECT_EQ(error.message(),
            "cannot write '': the path is empty; the name of a "
            "file is wanted");
}

TEST_F(OutputFileTest, LinksLeadToWhatIsNotThereYet) {
  ASSERT_EQ(mkdir(path("inner").c_str(), 0700), 0);
  ASSERT_EQ(symlink("inner/second", path("first").c_str()), 0);
  ASSERT_EQ(symlink((path("file")).c_str(), path("inner/second").c_str()), 0);
  ASSERT_FALSE(writeTo(path("first"), "new"));
  EXPECT_EQ(contents(path("file")), "new");
  struct stat status;
  for (const char *link : {"first", "inner/second"}) {
    ASSERT_EQ(lstat(path(link).c_str(), &status), 0);
    EXPECT_TRUE(S_ISLNK(status.st_mode)) << link;
  }
}

TEST_F(OutputFileTest, LinksWithoutEndAreRefused) {
  ASSERT_EQ(symlink("second", path("first").c_str()), 0);
  ASSERT_EQ(symlink("first", path("second").c_str()), 0);
  Error error = writeTo(path("first"), "text");
  ASSERT_TRUE(error);
  EXPECT_EQ(error.code(), HEDDLE_FILE_UNWRITABLE);
}

TEST_F(OutputFileTest, WhatReplacesAFileHasItsMode) {
  struct stat status;
  for (mode_t mode : {0600u, 0444u, 0755u}) {
    ASSERT_FALSE(writeTo(path("file"), "old"));
    ASSERT_EQ(chmod(path("file").c_str(), mode), 0);
    ASSERT_FALSE(writeTo(path("file"), "new"));
    ASSERT_EQ(stat(path("file").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
    EXPECT_EQ(contents(path("file")), "new");
  }
}

/// In a process of its own, which is 2 where it may not hide /proc.
static int withoutProc(const std::function<bool()> &check) {
  pid_t child = fork();
  if (child == 0) {
    if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      _exit(2);
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(OutputFileTest, FilesAreWrittenWithoutProc) {
  int outcome = withoutProc([&] {
    return !writeTo(path("file"), "old") && !writeTo(path("file"), "new") &&
           contents(path("file")) == "new";
  });
  if (outcome == 2)
    GTEST_SKIP() << "this system lets nobody hide /proc";
  EXPECT_EQ(outcome, 0);
  // And nothing else is left.
  EXPECT_EQ(std::system(("test \"$(ls -A " + folder + ")\" = file").c_str()),
            0);
}

TEST_F(OutputFileTest, LongNamesFit) {
  std::string name(255, 'n');
  EXPECT_FALSE(writeTo(path(name.c_str()), "text"));
}

/// Writers of one path in one process must not take each other's files: every
/// one succeeds, and what is there at the end is one of theirs, whole.
TEST_F(OutputFileTest, ThreadsWriteTheSamePath) {
  std::vector<std::thread> threads;
  std::vector<std::string> problems(4);
  for (size_t i = 0; i < problems.size(); ++i)
    threads.emplace_back([&, i] {
      std::string text(100000, static_cast<char>('a' + i));
      for (int round = 0; round < 50 && problems[i].empty(); ++round)
        if (Error error = writeTo(path("file"), text))
          problems[i] = error.message();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    EXPECT_EQ(problem, "");
  std::string text = contents(path("file"));
  EXPECT_EQ(text, std::string(100000, text.empty() ? ' ' : text.front()));
}

} // namespace
