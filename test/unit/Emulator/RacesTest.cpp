// Races in shared memory: each program is sound, and each of its mutants, with
// one wait, barrier or fence less, is reported, whatever the order of warps.

#include "test/unit/Emulator/KernelHarness.h"

#include "gtest/gtest.h"

using namespace heddle::emulator;

namespace {

struct Mutant {
  std::string name;
  /// What stands in the program, and what stands there instead.
  std::string removed, instead;
  /// Part of the message.
  std::string report;
  /// What is said in its place where that comes first, under some orders.
  std::string other = {};
};

/// Runs `body` with two warps or more, whole and as each mutant, under several
/// orders.
void check(const std::string &body, const std::vector<Mutant> &mutants,
           uint32_t threads = 64) {
  auto run = [&](const std::string &text, uint64_t seed) {
    KernelRun run;
    run.config.block = {threads, 1, 1};
    run.config.seed = seed;
    run.param(run.buffer(std::vector<uint32_t>(256, 7))->address);
    return run.run(
        kernel(".param .u64 p", ".shared .align 128 .b8 s[2048];\n"
                                ".shared .align 8 .b64 full;\n"
                                ".shared .align 8 .b64 empty;\n"
                                ".reg .b32 %t, %a, %b, %v; .reg .b64 %p;\n"
                                ".reg .pred %first, %low, %done;\n"
                                "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x;\n"
                                "setp.eq.u32 %first, %t, 0;\n"
                                "setp.lt.u32 %low, %t, 32;\n"
                                "shl.b32 %a, %t, 2; mov.u32 %b, s;\n"
                                "add.u32 %a, %a, %b; xor.b32 %b, %t, 32;\n"
                                "shl.b32 %b, %b, 2; mov.u32 %v, s;\n"
                                "add.u32 %b, %b, %v;\n" +
                                    text + "\nret;"));
  };
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(run(body, seed).message, "") << seed;
    for (const Mutant &mutant : mutants) {
      size_t at = body.find(mutant.removed);
      ASSERT_NE(at, std::string::npos) << mutant.name;
      std::string text = body;
      text.replace(at, mutant.removed.size(), mutant.instead);
      Fault fault = run(text, seed);
      bool isOther = !mutant.other.empty() &&
                     fault.message.find(mutant.other) != std::string::npos;
      EXPECT_TRUE(isOther || fault.kind == FaultKind::Race)
          << mutant.name << ", seed " << seed << ": " << fault.message;
      EXPECT_TRUE(isOther ||
                  fault.message.find(mutant.report) != std::string::npos)
          << mutant.name << ", seed " << seed << ": " << fault.message;
    }
  }
}

TEST(Races, BarrierOfTheBlock) {
  check("st.shared.u32 [%a], %t;\n"
        "bar.sync 0;\n"
        "ld.shared.u32 %v, [%b];\n"
        "bar.sync 1;\n"
        "st.shared.u32 [%a], %v;\n",
        {{"nobody waits for what is written", "bar.sync 0;", "", "a race"},
         {"nobody waits for what is read", "bar.sync 1;", "", "a race"}});
}

TEST(Races, NamedBarrierWithAnArrival) {
  check("@!%low bra take;\n"
        "st.shared.u32 [%a], %t;\n"
        "bar.arrive 1, 64;\n"
        "bra end;\n"
        "take:\n"
        "bar.sync 1, 64;\n"
        "ld.shared.u32 %v, [%b];\n"
        "end:\n",
        {{"it arrives before it writes",
          "st.shared.u32 [%a], %t;\nbar.arrive 1, 64;",
          "bar.arrive 1, 64;\nst.shared.u32 [%a], %t;", "a race"}});
}

TEST(Races, AsynchronousCopies) {
  check("cp.async.ca.shared.global [%a], [%p], 4;\n"
        "cp.async.commit_group;\n"
        "cp.async.wait_group 0;\n"
        "bar.sync 0;\n"
        "ld.shared.u32 %v, [%b];\n",
        {{"it does not wait for its copy", "cp.async.wait_group 0;\n", "",
          "reads shared address"},
         {"it does not wait for all groups", "wait_group 0", "wait_group 1",
          "reads shared address"},
         {"others do not wait for it", "bar.sync 0;", "", "a race"}});
}

const std::string kMakeBarriers = "@!%first bra made;\n"
                                  "mbarrier.init.shared.b64 [full], 1;\n"
                                  "mbarrier.init.shared.b64 [empty], 1;\n"
                                  "fence.mbarrier_init.release.cluster;\n"
                                  "made:\n"
                                  "bar.sync 0;\n";

std::string wait(const std::string &barrier, const std::string &parity) {
  std::string label = barrier + parity;
  return label + ":\nmbarrier.try_wait.parity.shared.b64 %done, [" + barrier +
         "], " + parity + ";\n@!%done bra " + label + ";\n";
}

TEST(Races, ArrivalsAtAnMBarrier) {
  check(kMakeBarriers +
            "@!%low bra take;\n"
            "st.shared.u32 [%a], %t;\n"
            "bar.warp.sync -1;\n"
            "@%first mbarrier.arrive.shared.b64 _, [full];\n"
            "bra end;\n"
            "take:\n" +
            wait("full", "0") +
            "ld.shared.u32 %v, [%b];\n"
            "end:\n",
        {{"it waits for the phase before", wait("full", "0"), wait("full", "1"),
          "a race", "nothing can go on"},
         {"it does not wait", wait("full", "0"), "", "a race"},
         {"the barrier is not made for all", "bar.sync 0;", "", "a race",
          "no barrier was made"}});
}

/// A ring of one slot, filled twice by bulk copies.
const std::string kRing =
    kMakeBarriers +
    "@!%low bra take;\n"
    "@!%first bra end;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
    "[%p], 128, [full];\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[s+128], [%p], 128, [full];\n" +
    wait("empty", "0") +
    "mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
    "[%p], 128, [full];\n"
    "bra end;\n"
    "take:\n" +
    wait("full", "0") +
    "ld.shared.u32 %v, [%b];\n"
    "ld.shared.u32 %v, [%b+128];\n"
    "bar.warp.sync -1;\n"
    "setp.eq.u32 %first, %t, 32;\n"
    "@%first mbarrier.arrive.shared.b64 _, [empty];\n" +
    wait("full", "1") +
    "ld.shared.u32 %v, [%b];\n"
    "end:\n";

TEST(Races, RingOfBulkCopies) {
  check(
      kRing,
      {{"it does not wait for the first bytes", wait("full", "0"), "",
        "a race"},
       {"it waits for a full slot in place of an empty one", wait("empty", "0"),
        "again:\nmbarrier.try_wait.parity.shared.b64 %done, [full], 0;\n"
        "@!%done bra again;\n",
        "a race", "nothing can go on"},
       {"fewer bytes are expected than come", "[full], 256", "[full], 128",
        "a race"},
       {"the slot is given back before it is read",
        "ld.shared.u32 %v, [%b];\nld.shared.u32 %v, [%b+128];\n"
        "bar.warp.sync -1;\nsetp.eq.u32 %first, %t, 32;\n"
        "@%first mbarrier.arrive.shared.b64 _, [empty];\n",
        "setp.eq.u32 %first, %t, 32;\n"
        "@%first mbarrier.arrive.shared.b64 _, [empty];\n"
        "ld.shared.u32 %v, [%b];\nld.shared.u32 %v, [%b+128];\n",
        "a race"}});
}

TEST(Races, BulkStores) {
  check("st.shared.u32 [%a], %t;\n"
        "fence.proxy.async.shared::cta;\n"
        "bar.sync 0;\n"
        "@!%first bra stored;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%p], [s], 256;\n"
        "cp.async.bulk.commit_group;\n"
        "cp.async.bulk.wait_group.read 0;\n"
        "stored:\n"
        "bar.sync 0;\n"
        "st.shared.u32 [%b], %t;\n",
        {{"what is written is not fenced", "fence.proxy.async.shared::cta;\n",
          "", "no fence.proxy.async"},
         {"it does not wait for the store",
          "cp.async.bulk.wait_group.read 0;\n", "", "writes shared address"},
         {"nobody waits for what is written", "bar.sync 0;", "", "a race"}});
}

// A product of a warpgroup from 64 by 16 and 8 by 16 elements in core matrices
// of 8 rows of 16 bytes.
TEST(Races, ProductsOfWarpgroups) {
  check(".shared .align 128 .b8 m[2304];\n"
        ".reg .b32 %c, %d; .reg .b64 %l, %r; .reg .f32 %f<4>;\n"
        "mov.u32 %c, m; shl.b32 %d, %t, 4; add.u32 %d, %d, %c;\n"
        "st.shared.v4.u32 [%d], {%t, %t, %t, %t};\n"
        "setp.lt.u32 %low, %t, 16;\n"
        "@%low st.shared.v4.u32 [%d+2048], {%t, %t, %t, %t};\n"
        "fence.proxy.async.shared::cta;\n"
        "bar.sync 0;\n"
        "shr.u32 %d, %c, 4; cvt.u64.u32 %l, %d;\n"
        "or.b64 %l, %l, 0x0000001000080000; add.s64 %r, %l, 128;\n"
        "setp.ne.u32 %done, %t, %t;\n"
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
        "{%f0, %f1, %f2, %f3}, %l, %r, %done, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\n"
        "wgmma.wait_group.sync.aligned 0;\n"
        "bar.sync 1;\n"
        "xor.b32 %d, %t, 32; shl.b32 %d, %d, 4; add.u32 %d, %d, %c;\n"
        "st.shared.v4.u32 [%d], {%t, %t, %t, %t};\n",
        {{"what is written is not fenced", "fence.proxy.async.shared::cta;\n",
          "", "no fence.proxy.async"},
         {"nobody waits for what is written", "bar.sync 0;", "", "a race"},
         {"the product is not waited for", "wait_group.sync.aligned 0",
          "wait_group.sync.aligned 1", "writes shared address"},
         {"nobody waits for what others read", "bar.sync 1;", "", "a race"}},
        128);
}

TEST(Races, AtomicOperationsAreInAnOrder) {
  check("@%first st.shared.u32 [s], 0;\n"
        "bar.sync 0;\n"
        "red.shared.add.u32 [s], 1;\n"
        "bar.sync 0;\n"
        "ld.shared.u32 %v, [s];\n",
        {{"it is read while others add", "add.u32 [s], 1;\nbar.sync 0;\n",
          "add.u32 [s], 1;\n", "a race"}});
}

} // namespace
