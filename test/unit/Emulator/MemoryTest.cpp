// What kernels do wrong is found, and said with its place.

#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

using namespace heddle::emulator;

namespace {

constexpr const char *kRegisters =
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
    "mov.u32 %r1, %tid.x;\n";

Fault faultOf(const std::string &body, unsigned threads = 32,
              unsigned capability = 90) {
  KernelRun run;
  run.capability = capability;
  run.param(run.buffer(std::vector<uint32_t>(32))->address);
  run.config.block = {threads, 1, 1};
  return run.run(kernel(".param .u64 p", kRegisters + body));
}

void expectFault(const Fault &fault, FaultKind kind, const char *text) {
  EXPECT_EQ(int(fault.kind), int(kind)) << fault.message;
  EXPECT_NE(fault.message.find(text), std::string::npos) << fault.message;
}

TEST(Faults, AddressesOfGlobalMemory) {
  expectFault(faultOf("ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 8;"
                      "add.s64 %rd1, %rd1, %rd2; ld.global.u32 %r2, [%rd1];"),
              FaultKind::IllegalAddress, "thread (16, 0, 0)");
  expectFault(faultOf("ld.param.u64 %rd1, [p]; ld.global.u32 %r2, [%rd1+2];"),
              FaultKind::Misaligned, "is not a multiple of 4");
  expectFault(
      faultOf("ld.param.u64 %rd1, [p]; ld.global.v4.u32 {%r2, %r3, %r4, "
              "%r5}, [%rd1+120];"),
      FaultKind::IllegalAddress, "16 bytes at");
  expectFault(faultOf("mov.u64 %rd1, 64; ld.global.u32 %r2, [%rd1];"),
              FaultKind::IllegalAddress, "no allocation holds");
}

TEST(Faults, SharedAndLocalMemory) {
  std::string shared = ".shared .align 4 .b8 s[64]; mov.u32 %r2, s;"
                       "shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3;";
  expectFault(faultOf(shared + "st.shared.u32 [%r2], %r1;"),
              FaultKind::IllegalAddress, "thread (16, 0, 0)");
  EXPECT_FALSE(faultOf(shared + "st.shared.u32 [%r2], %r1;", 16));
  expectFault(faultOf(".local .align 4 .b8 l[8]; mov.u64 %rd1, l;"
                      "st.local.u32 [%rd1+8], %r1;"),
              FaultKind::IllegalAddress, "threads have 8");
}

TEST(Faults, ConstantsAreNotWritten) {
  KernelRun run;
  expectFault(run.run(".version 8.7\n.target sm_90\n.address_size 64\n"
                      ".const .b32 c = 1;\n.visible .entry k()\n{\n"
                      ".reg .b64 %a; mov.u64 %a, c; st.global.u32 [%a], 5; }"),
              FaultKind::IllegalAddress, "constant memory");
}

TEST(Faults, DeadlocksSayWhoWaits) {
  // The second warp never comes.
  expectFault(faultOf("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64;", 64),
              FaultKind::Deadlock, "barrier 1: 32 of 64 threads came");
  // Half a warp is no warp.
  expectFault(faultOf("setp.lt.u32 %p1, %r1, 16; @!%p1 bra L;"
                      "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; L: bar.sync 0;"),
              FaultKind::Deadlock, "for other lanes of its warp");
}

TEST(Faults, WhatTheIsaLeavesOpen) {
  expectFault(faultOf("bar.sync 0, 33;"), FaultKind::Undefined, "33 threads");
  expectFault(faultOf("setp.lt.u32 %p1, %r1, 16; @%p1 exit;"
                      "bar.warp.sync -1;"),
              FaultKind::Undefined, "whose thread has ended");
  expectFault(faultOf("bar.warp.sync 1;"), FaultKind::Undefined,
              "not among the members");
  expectFault(faultOf("trap;"), FaultKind::Trap, "the kernel trapped");
}

TEST(Faults, UnknownTextIsRefused) {
  auto refuses = [](const std::string &body, const char *text) {
    expectFault(faultOf(body), FaultKind::IllegalInstruction, text);
  };
  refuses("frobnicate.b32 %r1, %r2;", "not known here");
  refuses("add.sat.u32 %r1, %r1, %r1;", "form of the instruction");
  refuses("add.wobbly.u32 %r1, %r1, %r1;", "'.wobbly' is not known here");
  refuses("add.u32 %r1, %rd1, %r1;", "'%rd1' has 64 bits, the type 32");
  refuses("add.u32 %r1, %r99, %r1;", "no register '%r99'");
  refuses("bra nowhere;", "no register, variable, function or label 'nowhere'");
  refuses("add.u32 %r1, %r1;", "takes 3 operands, not 2");
  refuses("mov.u32 %r1 %r2;", "expected ';', found '%r2'");
  expectFault(
      faultOf("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", 32, 80),
      FaultKind::IllegalInstruction, "needs sm_90");
}

/// What each of 64 threads stores after `body`, from %r5.
std::vector<uint32_t> valuesOf(const std::string &body) {
  KernelRun run;
  auto *out = run.buffer(std::vector<uint32_t>(64));
  run.param(out->address);
  run.config.block = {64, 1, 1};
  Fault fault = run.run(kernel(
      ".param .u64 p", kRegisters + body +
                           "ld.param.u64 %rd3, [p]; mul.wide.u32 %rd2, %r1, 4;"
                           "add.s64 %rd3, %rd3, %rd2;"
                           "st.global.u32 [%rd3], %r5;"));
  EXPECT_EQ(fault.message, "");
  std::vector<uint32_t> got(64);
  std::memcpy(got.data(), out->data, 256);
  return got;
}

TEST(Together, LanesOfTheSameValue) {
  auto any = valuesOf("and.b32 %r2, %r1, 3; match.any.sync.b32 %r5, %r2, -1;");
  EXPECT_EQ(any[5], 0x22222222u);
  auto all = valuesOf("shr.u32 %r2, %r1, 5; mul.lo.u32 %r3, %r2, %r1;"
                      "match.all.sync.b32 %r5|%p1, %r3, -1;"
                      "@%p1 add.u32 %r5, %r5, 6;");
  EXPECT_EQ(all[7], 5u);  // all zeros: -1 + 6
  EXPECT_EQ(all[40], 0u); // unlike ones
}

TEST(Together, BarriersReduce) {
  std::string test = "setp.lt.u32 %p1, %r1, 40;";
  EXPECT_EQ(valuesOf(test + "bar.red.popc.u32 %r5, 1, %p1;")[63], 40u);
  EXPECT_EQ(valuesOf(test + "bar.red.popc.u32 %r5, 1, 64, !%p1;")[0], 24u);
  EXPECT_EQ(valuesOf(test + "bar.red.and.pred %p2, 1, %p1;"
                            "selp.u32 %r5, 1, 2, %p2;")[3],
            2u);
  EXPECT_EQ(valuesOf(test + "bar.red.or.pred %p2, 1, %p1;"
                            "selp.u32 %r5, 1, 2, %p2;")[60],
            1u);
}

TEST(Together, LanesThatNameDifferentMembersGoInTurn) {
  auto got = valuesOf("shr.u32 %r2, %r1, 4; and.b32 %r2, %r2, 1;"
                      "mul.lo.u32 %r3, %r2, 0xfffe0001;"
                      "add.u32 %r3, %r3, 0xffff; setp.ge.u32 %p1, %r1, 0;"
                      "vote.sync.ballot.b32 %r5, %p1, %r3;");
  EXPECT_EQ(got[3], 0x0000ffffu);
  EXPECT_EQ(got[20], 0xffff0000u);
}

TEST(Atomics, AddHalvesAndReturnWhatWasThere) {
  std::string shared = ".shared .align 4 .b32 s; mov.u32 %r2, s;"
                       "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [%r2], 0;"
                       "bar.sync 0;";
  // 64 times (1, 2): 0x5400 is 64, 0x5800 is 128.
  EXPECT_EQ(valuesOf(shared + "mov.u32 %r3, 0x40003c00;"
                              "red.shared.add.noftz.f16x2 [%r2], %r3;"
                              "bar.sync 0; ld.shared.u32 %r5, [%r2];")[9],
            0x58005400u);
  EXPECT_EQ(valuesOf(shared + "mov.u32 %r3, 0x40003f80;"
                              "red.shared.add.noftz.bf16x2 [%r2], %r3;"
                              "bar.sync 0; ld.shared.u32 %r5, [%r2];")[9],
            0x43004280u);
  auto old = valuesOf(shared + "atom.shared.inc.u32 %r5, [%r2], 1000;");
  uint64_t seen = 0;
  for (uint32_t value : old)
    seen |= uint64_t(1) << value;
  EXPECT_EQ(seen, ~uint64_t(0));
}

constexpr const char *kBarrier =
    ".shared .align 8 .b8 s[8]; mov.u32 %r2, s; setp.eq.u32 %p1, %r1, 0;"
    "@%p1 mbarrier.init.shared::cta.b64 [%r2], 32; bar.sync 0;";
constexpr const char *kWait =
    "L: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra L;";

TEST(Barriers, CountArrivalsAndBytes) {
  std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%r2];";
  EXPECT_EQ(faultOf(kBarrier + arrive + kWait).message, "");
  expectFault(faultOf(kBarrier + ("@%p1 " + arrive) + kWait),
              FaultKind::Deadlock, "mbarrier.try_wait");
  expectFault(faultOf(kBarrier + arrive +
                      "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r2], 33;"),
              FaultKind::Undefined, "more arrivals");
  // 16 bytes that never come.
  std::string expects = "@%p1 mbarrier.expect_tx.shared::cta.b64 [%r2], 16;";
  expectFault(faultOf(kBarrier + expects + arrive + kWait), FaultKind::Deadlock,
              "mbarrier.try_wait");
  EXPECT_EQ(faultOf(kBarrier + expects + arrive +
                    "@%p1 mbarrier.complete_tx.shared::cta.b64 [%r2], 16;" +
                    kWait)
                .message,
            "");
  expectFault(faultOf(".shared .align 8 .b8 s[16]; mov.u32 %r2, s;" + arrive),
              FaultKind::Undefined, "no barrier was made");
}

TEST(Barriers, ElectedLanesAreMembersAndStayTheSame) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    KernelRun run;
    run.config.seed = seed;
    auto *out = run.buffer(std::vector<uint32_t>(32));
    run.param(out->address);
    run.config.block = {32, 1, 1};
    // Lanes 8 to 11 only; each counts how often it is elected.
    std::string elect = "elect.sync %r5|%p1, 3840; selp.u32 %r6, 1, 0, %p1;"
                        "add.u32 %r7, %r7, %r6;";
    std::string body = std::string(kRegisters) +
                       "mov.u32 %r7, 0; shr.u32 %r2, %r1, 2;"
                       "setp.ne.u32 %p2, %r2, 2; @%p2 bra D;" +
                       elect + elect +
                       "D: ld.param.u64 %rd3, [p]; mul.wide.u32 %rd2, %r1, 4;"
                       "add.s64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r7;";
    EXPECT_EQ(run.run(kernel(".param .u64 p", body)).message, "");
    std::vector<uint32_t> got(32);
    std::memcpy(got.data(), out->data, 128);
    unsigned elected = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_TRUE(got[lane] == 0 || (got[lane] == 2 && lane / 4 == 2));
      elected += got[lane] == 2;
    }
    EXPECT_EQ(elected, 1u);
  }
}

TEST(Copies, ComeLate) {
  // Without a wait the shared memory holds ones, with it the copied bytes.
  for (bool waits : {false, true}) {
    KernelRun run;
    run.findRaces = false;
    auto *out = run.buffer(std::vector<uint32_t>(32));
    std::vector<uint32_t> values(128, 7);
    run.param(run.buffer(values)->address);
    run.param(out->address);
    run.config.block = {32, 1, 1};
    std::string body = std::string(kRegisters) +
                       ".shared .align 16 .b8 s[512]; mov.u32 %r2, s;"
                       "shl.b32 %r3, %r1, 4; add.u32 %r2, %r2, %r3;"
                       "ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 16;"
                       "add.s64 %rd1, %rd1, %rd2; mov.u32 %r5, 12;"
                       "cp.async.cg.shared.global [%r2], [%rd1], 16, %r5;" +
                       (waits ? "cp.async.wait_all;" : "") +
                       "ld.shared.u32 %r4, [%r2]; ld.shared.u32 %r6, [%r2+12];"
                       "ld.param.u64 %rd3, [q]; mul.wide.u32 %rd2, %r1, 4;"
                       "add.s64 %rd3, %rd3, %rd2; add.u32 %r4, %r4, %r6;"
                       "st.global.u32 [%rd3], %r4;";
    EXPECT_EQ(run.run(kernel(".param .u64 p, .param .u64 q", body)).message,
              "");
    uint32_t got;
    std::memcpy(&got, out->data + 64, 4);
    EXPECT_EQ(got, waits ? 7u : 0xfffffffeu); // the last 4 bytes become zeros
  }
}

} // namespace
