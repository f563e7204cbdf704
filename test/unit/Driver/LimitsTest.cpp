// What a crash report says of where the process was.

#include "heddle/Driver/Limits.h"

#include "gtest/gtest.h"

#include <csignal>

using namespace heddle;

namespace {

void crashInStage(const char *before, const char *after) {
  const char *const command[] = {"heddle", "compile"};
  if (before)
    setCrashStage(before);
  setCrashReport(2, command, /*json=*/false);
  if (after)
    setCrashStage(after);
  std::raise(SIGSEGV);
}

TEST(CrashReport, NamesTheStage) {
  EXPECT_EXIT(crashInStage(nullptr, "heddle-lower"),
              testing::ExitedWithCode(70),
              "signal 11 in stage \"heddle-lower\"");
}

/// A program that only links the compiler may compile on several threads: what
/// one of them is at is nobody's to keep.
TEST(CrashReport, KeepsNoStageOfAProcessWithoutReports) {
  EXPECT_EXIT(crashInStage("heddle-lower", nullptr),
              testing::ExitedWithCode(70), "signal 11 in stage \"starting\"");
}

} // namespace
