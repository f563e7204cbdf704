// setmaxnreg: registers that warps of a block give back are what its other
// warps can take, and who asks for more waits for ever.

#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

using namespace heddle::emulator;

namespace {

/// Three warpgroups, of which the first does `first` and the others `others`,
/// of a kernel with the attribute given.
Fault runWarpgroups(const std::string &first, const std::string &others,
                    uint64_t seed, const std::string &attribute = "") {
  KernelRun run;
  run.config.block = {384, 1, 1};
  run.config.seed = seed;
  return run.run(".version 8.7\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k()\n" +
                 attribute +
                 "\n{\n.reg .b32 %t; .reg .pred %first;\n"
                 "mov.u32 %t, %tid.x;\n"
                 "setp.lt.u32 %first, %t, 128;\n"
                 "@%first bra copy;\n" +
                 others + "\nbra end;\ncopy:\n" + first + "\nend:\nret;\n}\n");
}

std::string give(int registers) {
  return "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(registers) + ";";
}
std::string take(int registers) {
  return "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(registers) + ";";
}

TEST(Registers, OfWhatABlockBeginsWith) {
  // 384 threads begin with 168 each: 64512, not 65536.
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(runWarpgroups(give(24), take(240), seed).message, "");
    EXPECT_EQ(runWarpgroups(give(40), take(232), seed).message, "");
    Fault fault = runWarpgroups(give(32), take(240), seed);
    EXPECT_EQ(fault.kind, FaultKind::Deadlock) << fault.message;
    // Seven of eight warps took 72 for each lane of 136 that four gave.
    EXPECT_NE(fault.message.find("setmaxnreg.inc.sync.aligned.u32, for 2304 "
                                 "registers more where its block has 1280 that "
                                 "are free"),
              std::string::npos)
        << fault.message;
  }
}

TEST(Registers, OfWhatAKernelSays) {
  EXPECT_EQ(runWarpgroups(give(24), take(176), 1, ".maxnreg 128").message, "");
  EXPECT_EQ(runWarpgroups(give(24), take(184), 1, ".maxnreg 128").kind,
            FaultKind::Deadlock);
}

TEST(Registers, GivenAndTakenAgain) {
  EXPECT_EQ(runWarpgroups(give(24) + "bar.sync 0;" + take(168),
                          take(240) + give(168) + "bar.sync 0;", 1)
                .message,
            "");
  EXPECT_EQ(runWarpgroups(give(24) + "bar.sync 0;" + take(168),
                          take(240) + "bar.sync 0;", 1)
                .kind,
            FaultKind::Deadlock);
}

TEST(Registers, InTheOtherDirection) {
  for (const std::string &first : {give(176), take(160)}) {
    Fault fault = runWarpgroups(first, "", 1);
    EXPECT_EQ(fault.kind, FaultKind::Undefined) << fault.message;
    EXPECT_NE(fault.message.find("than the 168 that a thread has"),
              std::string::npos)
        << fault.message;
  }
}

} // namespace
