// The table of processors. Every number has its source beside it, or says that
// it was found by trying.

#include "heddle/Target/Machine.h"

#include "heddle/Target/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>

using namespace mlir;

namespace heddle {

using llvm::ArrayRef;
using llvm::StringLiteral;
using llvm::StringRef;

/// The features each x86-64 level adds to the one before. Source: System V ABI,
/// AMD64 supplement 1.0, section 3.1.1, table 3.1 ("Micro-Architecture
/// Levels"), in LLVM's spelling.
static const char *const level2[] = {"cx16",   "popcnt", "sahf", "sse3",
                                     "sse4.1", "sse4.2", "ssse3"};
static const char *const level3[] = {"avx",  "avx2", "bmi",   "bmi2",
                                     "f16c", "fma",  "lzcnt", "movbe"};
static const char *const level4[] = {"avx512bw", "avx512cd", "avx512dq",
                                     "avx512f", "avx512vl"};

/// What multiplies bytes and sums up four products at once, in registers of 512
/// and of 256 bits.
static const char *const vnni[] = {"avx512vnni"};
static const char *const vexVnni[] = {"avxvnni"};

/// What multiplies bf16 and sums up two products at once, in f32.
const StringLiteral kPairFeature = "avx512bf16";
static const char *const bfloats[] = {kPairFeature.data()};

/// What multiplies matrices of both in registers of their own.
const StringLiteral kMatrixQuadFeature = "amx-int8";
const StringLiteral kMatrixPairFeature = "amx-bf16";
static const char *const matrices[] = {"amx-tile", kMatrixQuadFeature.data(),
                                       kMatrixPairFeature.data()};

/// What the base of AArch64 has. Source: Arm Architecture Reference Manual for
/// A-profile (DDI 0487), section A1.5: Advanced SIMD and floating point are
/// present in every implementation of Armv8-A that runs Linux's ABI (AAPCS64).
static const char *const armv8[] = {"fp-armv8", "neon"};

static std::vector<std::string>
concat(ArrayRef<ArrayRef<const char *>> groups) {
  std::vector<std::string> all;
  for (ArrayRef<const char *> group : groups)
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

/// Rates that all processors share: estimates for cores of the last ten years
/// at 2.5 to 3 GHz. They tell microseconds from milliseconds; a factor of two
/// changes nothing that can be measured.
static MachineRates commonRates() {
  MachineRates rates;
  // One channel's share of a server's memory: 12 to 20 GB/s a core when all
  // cores read.
  rates.bytesPerUs = 15e3;
  // An epilogue such as gelu takes some ten nanoseconds for a vector of 16.
  rates.outputNs = 0.5;
  // Two loads a cycle of two registers each (256 bits): 0.7 ns for a logical
  // vector of 64 bytes; two operations a cycle likewise: 0.3 ns.
  rates.loopOperandNs = 0.7;
  rates.loopInstructionNs = 0.3;
  // A load for each of 16 lanes, two a cycle.
  rates.gatherNs = 8;
  // From L2 to L2: 16 bytes a nanosecond; two for loop and addresses.
  rates.copyStartNs = 2;
  rates.copyByteNs = 0.06;
  // A comparison that is predicted half of the time: six cycles.
  rates.scalarElementNs = 2;
  // A load, an addition and a store that the next load waits for: 4 + 4 + 5
  // cycles of forwarding, and their addresses.
  rates.dependentElementNs = 10;
  // Of the order that docs/decisions/routines.md measures.
  rates.routineStartNs = 50;
  rates.routineBlockedNs = 0.05;
  rates.routineRowNs = 0.3;
  rates.fourierPointNs = 0.3;
  // A claim costs a tenth of a microsecond when threads meet; a thread that is
  // preempted holds its piece for as long as it takes.
  rates.shortestPieceUs = 10;
  rates.longestPieceUs = 60;
  rates.wantedPieces = 32;
  rates.tileNs = 20000;
  // Some ten kernels of this length take as long as starting them.
  rates.briefNs = 20000;
  rates.tinyNs = 2000;
  return rates;
}

/// How kernels are cut, so far the same for all processors. Where a measurement
/// is on record it is named; "found by trying" are numbers of which none is.
static void setCuts(Machine &machine) {
  // Two logical vectors of 16 lanes: with 14 rows the register tile of the
  // widest machine, 28 accumulators in 32 registers. TileChoice.cpp halves a
  // panel where fewer registers hold more rows of a half.
  machine.panelColumns = 32;
  // Convolutions of 7, 14, 28 and 56 points divide into 14 rows. Measured on an
  // Ice Lake server, one thread, as shares of the multiply-add peak, beside
  // eight rows in brackets: 512 x 512 x 512 0.87 (0.80), 128 x 3072 x 768 0.86
  // (0.76), 3 x 3 convolutions 0.97 (0.86).
  machine.mostTileRows = 14;
  // A single row of eight vectors has as many multiply-adds as are under way at
  // once (see the rows below), where a register holds a vector.
  machine.mostTileVectors = 8;
  // Fewer cost little, for a row's loads are shared by a whole panel: measured
  // 2 % of 8 beside 14 on a Zen 4 server, and less than 14 where rows lie a
  // multiple of a page apart, on the same lines of L1.
  machine.mostSizedTileRows = 8;
  // Found by trying: 4 KiB of f32, an eighth of the least L1.
  machine.mostTileElements = 1024;
  // Found by trying.
  machine.rowsWorthPacking = 48;
  // Found by trying. Each row multiplies an element of all columns of a panel:
  // in 128 rows, at two multiply-adds of 16 lanes a cycle, a byte of the panel
  // is streamed in a cycle, in 32 rows four bytes are.
  machine.rowsWorthStreaming = 32;
  machine.rowsWorthPanels = 128;
  // Both found by trying.
  machine.rowsWorthRereading = 64;
  machine.rowsWorthKeys = 96;
  // A product of registers is added to the same sums 52 cycles after the one
  // before (248966-049, section 20.5.5): so long take 16 steps by a panel,
  // however few rows there are. Vectors, two products a cycle, take 16 cycles
  // for each row, which makes 48 for three. Measured on a Sapphire Rapids
  // server, as shares of the time in vectors: four rows 0.5 to 1.0 of bytes,
  // weights in the second cache, and 0.8 to 0.9 where weights come from further
  // away; three rows of bytes then 0.95 to 1.05.
  machine.rowsWorthMatrices = 4;
  // A copied element takes half an instruction, and saves one for each group.
  machine.groupsWorthWidening = 4;
  // Measured on the same server by a loop in C, 128 x 768 x 768 bytes: beside
  // reading rows in place, a group takes 3.6 times as long with copying, and
  // 0.8 times from copies.
  machine.groupsWorthCopies = 12;
  // Found by trying. With fewer channels than a logical vector has lanes,
  // vectors of a single tap are not full.
  machine.channelsWorthAddresses = 16;
  // Both found by trying, where registers are of 256 and of 512 bits.
  machine.longestPayloadOfFour = 8;
  machine.longestPayloadOfTwo = 40;
  // The rows of 32 x 4096 x 4096 are fewer passes. Measured when blocks of the
  // depth were first fetched ahead for them, from memory, on one thread: 8.5 ms
  // in place of 12.1. Where few passes end was found by trying.
  machine.fewPasses = 4;
  machine.prefetchedPasses = 16;
  // Found by trying. 16 complex lines of f32, side by side, take 2 MiB if they
  // have 16384 points, and 128 KiB if they have 1024.
  machine.fourierInterleaved = 16384;
  machine.fourierApart = 1024;
}

namespace {
/// What tells one row of the table from the others.
struct Row {
  const char *name;
  std::vector<std::string> aliases;
  const char *architecture;
  const char *triple;
  const char *cpu;
  std::vector<std::string> features;
  const char *routines;
  int64_t vectorBits, vectorRegisters;
  bool isCommon;
  bool hasFma;
  int64_t multiplyAddsInFlight;
  int64_t l1Bytes, l2Bytes;
  double flopsPerUsF32, flopsPerUsF64, flopsPerUsInteger;
  double flopsPerUsBf16, flopsPerUsF16;
};
} // namespace

static Machine makeMachine(const Row &row) {
  Machine machine;
  machine.name = row.name;
  machine.aliases = row.aliases;
  machine.architecture = row.architecture;
  machine.triple = row.triple;
  machine.cpu = row.cpu;
  machine.features = row.features;
  machine.routines = row.routines;
  machine.vectorBits = row.vectorBits;
  machine.vectorRegisters = row.vectorRegisters;
  machine.isCommon = row.isCommon;
  machine.hasFma = row.hasFma;
  machine.multiplyAddsInFlight = row.multiplyAddsInFlight;
  machine.l1Bytes = row.l1Bytes;
  machine.l2Bytes = row.l2Bytes;
  // AAELF64, section 5.1: systems map pages of up to 64 KiB.
  machine.pageBytes = row.architecture == StringRef("aarch64") ? 65536 : 4096;
  setCuts(machine);
  machine.rates = commonRates();
  machine.rates.flopsPerUsF32 = row.flopsPerUsF32;
  machine.rates.flopsPerUsF64 = row.flopsPerUsF64;
  machine.rates.flopsPerUsInteger = row.flopsPerUsInteger;
  machine.rates.flopsPerUsBf16 = row.flopsPerUsBf16;
  machine.rates.flopsPerUsF16 = row.flopsPerUsF16;
  machine.rates.flopsPerUsMatrix = row.flopsPerUsInteger;
  return machine;
}

static std::vector<Machine> makeMachines() {
  constexpr int64_t kib = 1024;
  const char *const amd64 = "x86_64-unknown-linux-gnu";
  const char *const arm64 = "aarch64-unknown-linux-gnu";
  std::vector<Machine> table;
  auto add = [&](const Row &row) { table.push_back(makeMachine(row)); };
  // Cache sizes are those of the smallest common core of the level. Sources:
  // Intel 64 and IA-32 Architectures Optimization Reference Manual
  // (248966-049), tables 2-19 (Nehalem: L1D 32 KiB, L2 256 KiB), 2-14 (Haswell:
  // the same), 2-9 (Skylake server: 32 KiB, 1 MiB), 2-4 (Ice Lake: L1D 48 KiB);
  // AMD 56305 (Zen 2: 32 KiB, 512 KiB) and 58455 (Zen 5: 48 KiB, 1 MiB).
  //
  // Rates of f32: two fused operations a cycle on 8 lanes at 3 GHz give 96
  // GFLOP/s on v3, the figure also used for v4, whose cores reach half to all
  // of twice that (one or two units of 512 bits, lower clock). v2 has a
  // multiplication and an addition a cycle on 4 lanes: 24. f64 has half of the
  // lanes. Integers are multiplied and added by two instructions of f32's
  // width; the products of vpmulld take two slots, the sums none of FMA's.
  //
  // bf16 and f16 are widened wherever they are read. Measured with
  // test/bench/kernel-bench.cpp (512 x 512 x 512 and 128 x 3072 x 768, weights
  // in panels, one core at 118 GFLOP/s of fused 512-bit operations), beside
  // f32 of the same run: v4 0.8 to 1.0 and 0.65 to 0.7, v3 0.75 to 0.8 and
  // 0.4, v2, which has no instruction for f16, 0.3 and 0.04.
  //
  // Multiply-adds in flight: latency 4, two a cycle (248966-049, appendix D:
  // Skylake; AMD 56305: 5 cycles on Zen 2, 4 on Zen 3).
  add({"x86-64-v2",
       {"v2"},
       "x86-64",
       amd64,
       "x86-64-v2",
       concat({level2}),
       "x86-64-v2",
       128,
       16,
       /*isCommon=*/false,
       /*hasFma=*/false,
       8,
       32 * kib,
       256 * kib,
       24e3,
       12e3,
       12e3,
       7e3,
       1e3});
  add({"x86-64-v3",
       {"v3"},
       "x86-64",
       amd64,
       "x86-64-v3",
       concat({level2, level3}),
       "x86-64-v3",
       256,
       16,
       /*isCommon=*/true,
       /*hasFma=*/true,
       8,
       32 * kib,
       256 * kib,
       100e3,
       50e3,
       100e3,
       75e3,
       40e3});
  // v3 and the sums of four products of bytes in its registers: Alder Lake,
  // Sierra Forest and their successors, which have no wider ones (253665-083,
  // section 15.3: CPUID leaf 7, subleaf 1, EAX bit 4).
  Machine withVexBytes = table.back();
  withVexBytes.name = "x86-64-v3-vnni";
  withVexBytes.aliases = {"v3-vnni"};
  withVexBytes.features = concat({level2, level3, vexVnni});
  withVexBytes.isCommon = false;
  withVexBytes.plainName = "x86-64-v3";
  table.push_back(std::move(withVexBytes));
  add({"x86-64-v4",
       {"v4"},
       "x86-64",
       amd64,
       "x86-64-v4",
       concat({level2, level3, level4}),
       "x86-64-v4",
       512,
       32,
       /*isCommon=*/false,
       /*hasFma=*/true,
       8,
       32 * kib,
       1024 * kib,
       100e3,
       50e3,
       100e3,
       90e3,
       70e3});
  // v4 and the sums of four products of bytes: Ice Lake, Zen 4 and their
  // successors (Intel 64 and IA-32 Architectures Software Developer's Manual,
  // 253665-083, section 15.3: CPUID leaf 7, ECX bit 11). Those have 1 MiB of
  // second cache or more but for Ice Lake's client cores.
  Machine withBytes = table.back();
  withBytes.name = "x86-64-v4-vnni";
  withBytes.aliases = {"v4-vnni"};
  withBytes.features = concat({level2, level3, level4, vnni});
  withBytes.plainName = "x86-64-v4";
  table.push_back(std::move(withBytes));
  // The same and the sums of two products of bf16: Cooper Lake, Sapphire
  // Rapids, Zen 4 and their successors (253665-083, section 15.3: CPUID leaf 7,
  // subleaf 1, EAX bit 5). A product and a sum of pairs take the time of one of
  // f32 on Zen 5 (measured by test/bench/kernel-bench.cpp): a step of two
  // terms.
  Machine withBfloats = table.back();
  withBfloats.name = "x86-64-v4-bf16";
  withBfloats.aliases = {"v4-bf16"};
  withBfloats.features = concat({level2, level3, level4, vnni, bfloats});
  withBfloats.plainName = "x86-64-v4-vnni";
  double widenedBf16 = withBfloats.rates.flopsPerUsBf16;
  withBfloats.rates.flopsPerUsBf16 = withBfloats.rates.flopsPerUsF32;
  table.push_back(std::move(withBfloats));
  // The same and registers for matrices: Sapphire Rapids and its successors
  // (253665-083, section 18: CPUID leaf 7, EDX bits 22, 24 and 25), all of
  // which have L1D of 48 KiB and 2 MiB of second cache (248966-049, table 2-2).
  // A product of two full registers takes 16 cycles, 256 multiply-adds of quads
  // or pairs a cycle; measured on one core of a Sapphire Rapids server: 16 at
  // 2.8 GHz, and six tenths of 1.8e6, of a quicker one, by kernels.
  Machine withMatrices = table.back();
  withMatrices.name = "x86-64-v4-amx";
  withMatrices.aliases = {"v4-amx"};
  withMatrices.features =
      concat({level2, level3, level4, vnni, bfloats, matrices});
  withMatrices.plainName = "x86-64-v4-bf16";
  withMatrices.rates.flopsPerUsBf16 = widenedBf16;
  withMatrices.l1Bytes = 48 * kib;
  withMatrices.l2Bytes = 2048 * kib;
  withMatrices.rates.flopsPerUsMatrix = 1300e3;
  table.push_back(std::move(withMatrices));
  // The smallest common server cores: Arm Neoverse N1 Technical Reference
  // Manual (100616; L1D 64 KiB, L2 from 256 KiB as built) and Arm Cortex-A72
  // MPCore Processor Technical Reference Manual (100095; L1D 32 KiB, L2 shared
  // from 512 KiB). Two fused operations a cycle on 4 lanes at 2.5 GHz (Arm
  // Neoverse N1 Software Optimization Guide, PJDOC-466751330-9707): 40 GFLOP/s.
  // Widening takes one instruction, as bf16 on x86-64-v3: the same part of it.
  // 32 registers of 128 bits: Procedure Call Standard for the Arm 64-bit
  // Architecture, section 6.1.2.
  add({"aarch64",
       {"neon"},
       "aarch64",
       arm64,
       "generic",
       concat({armv8}),
       "aarch64",
       128,
       32,
       /*isCommon=*/true,
       /*hasFma=*/true,
       8,
       32 * kib,
       256 * kib,
       40e3,
       20e3,
       40e3,
       30e3,
       30e3});
  return table;
}

bool Machine::hasFeature(StringRef feature) const {
  return llvm::is_contained(features, feature);
}

StringRef Machine::byteQuadProduct() const {
  if (vectorBits == 512 && hasFeature("avx512vnni"))
    return "llvm.x86.avx512.vpdpbusd.512";
  // LLVM encodes it with VEX where there are no registers of 512 bits.
  if (vectorBits == 256 && hasFeature("avxvnni"))
    return "llvm.x86.avx512.vpdpbusd.256";
  return "";
}

StringRef Machine::wordPairProduct() const {
  if (vectorBits == 512 && hasFeature("avx512bw"))
    return "llvm.x86.avx512.pmaddw.d.512";
  if (vectorBits == 256 && hasFeature("avx2"))
    return "llvm.x86.avx2.pmadd.wd";
  // Whatever has this has SSE2, of which the instruction is.
  if (vectorBits == 128 && hasFeature("ssse3"))
    return "llvm.x86.sse2.pmadd.wd";
  return "";
}

StringRef Machine::floatPairProduct() const {
  // Cores with matrix registers take four times as long for it as for a product
  // of f32: measured on one core of a Sapphire Rapids server by a loop in C, 28
  // and 112 billion multiply-adds a second.
  bool isSlow = hasFeature(kMatrixPairFeature);
  return vectorBits == 512 && hasFeature(kPairFeature) && !isSlow
             ? "llvm.x86.avx512bf16.dpbf16ps.512"
             : "";
}

StringRef Machine::matrixProduct(Type accumulator) const {
  if (accumulator.isInteger(32))
    return hasFeature(kMatrixQuadFeature) ? "llvm.x86.tdpbusd" : "";
  if (accumulator.isF32())
    return hasFeature(kMatrixPairFeature) ? "llvm.x86.tdpbf16ps" : "";
  return "";
}

int64_t Machine::registersPerVector() const {
  return std::max<int64_t>(1, 8 * logicalVectorBytes / vectorBits);
}

int64_t Machine::termsAtOnce(Type accumulator, Type factor) const {
  if (!factor)
    return 1;
  if (accumulator.isF32() && factor.isBF16())
    return floatPairProduct().empty() && matrixProduct(accumulator).empty() ? 1
                                                                            : 2;
  if (accumulator.isInteger() && factor.isInteger() &&
      factor.getIntOrFloatBitWidth() <= 8)
    return byteQuadProduct().empty() ? 1 : 4;
  return 1;
}

double Machine::flopsPerUs(Type accumulator, Type factor) const {
  if (accumulator.isF32() && factor && factor.isBF16())
    return rates.flopsPerUsBf16;
  if (accumulator.isF32() && factor && factor.isF16())
    return rates.flopsPerUsF16;
  if (accumulator.isF64())
    return rates.flopsPerUsF64;
  if (accumulator.isInteger())
    return rates.flopsPerUsInteger;
  return rates.flopsPerUsF32;
}

double Machine::microseconds(double flops, double bytes, Type accumulator,
                             Type factor) const {
  return std::max(flops / flopsPerUs(accumulator, factor),
                  bytes / rates.bytesPerUs);
}

const std::vector<Machine> &machines() {
  static const std::vector<Machine> table = makeMachines();
  return table;
}

StringRef architectureOf(StringRef triple) {
  for (const Machine &machine : machines())
    if (llvm::Triple(machine.triple).getArch() ==
        llvm::Triple(triple).getArch())
      return machine.architecture;
  return {};
}

const Machine *findMachine(StringRef name) {
  for (const Machine &machine : machines())
    if (machine.name == name)
      return &machine;
  return nullptr;
}

} // namespace heddle
