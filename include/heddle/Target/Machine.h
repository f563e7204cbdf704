// Processors as data: what a pass may know about the one it compiles for.

#ifndef HEDDLE_TARGET_MACHINE_H
#define HEDDLE_TARGET_MACHINE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Bytes of a logical vector, of which all kernels are made: a machine holds
/// one in as many registers as that takes. The order of sums follows from it,
/// so it is the same everywhere.
inline constexpr int64_t logicalVectorBytes = 64;
/// Its elements of four bytes.
inline constexpr int64_t logicalLanes = logicalVectorBytes / 4;

/// The features that multiply pairs of bf16, and in matrix registers quads of
/// bytes and pairs of bf16, in LLVM's spelling.
extern const llvm::StringLiteral kPairFeature;
extern const llvm::StringLiteral kMatrixQuadFeature, kMatrixPairFeature;

/// A matrix register holds up to so many rows of so many bytes. Source: Intel
/// 64 and IA-32 Architectures Software Developer's Manual (253665-083, section
/// 18.1), palette 1.
inline constexpr int64_t matrixRegisterRows = 16, matrixRowBytes = 64;
/// Steps of a contraction that a product of two takes, each of 32 bits of a
/// row.
inline constexpr int64_t matrixSteps = matrixRowBytes / 4;

/// How long a core takes for what kernels do: orders of magnitude, which choose
/// how work is cut, never what is computed. Rates are those of one core.
struct MachineRates {
  /// Steps of sums in a microsecond of blocked code that sums in f32, f64 or
  /// integers, each of which counts two: a multiplication and an addition. A
  /// step takes one term, or as many as `Machine::termsAtOnce` says.
  double flopsPerUsF32 = 0;
  double flopsPerUsF64 = 0;
  double flopsPerUsInteger = 0;
  /// Of factors that are widened to f32 each time they are read, unless the
  /// machine multiplies them as they are.
  double flopsPerUsBf16 = 0;
  double flopsPerUsF16 = 0;
  /// Of factors in matrix registers: what vectors do, if there are none.
  double flopsPerUsMatrix = 0;
  /// Bytes from or to memory in a microsecond, of one core among others.
  double bytesPerUs = 0;

  /// A contraction's element: what its epilogue takes.
  double outputNs = 0;
  /// An operand and an instruction of an elementwise payload, for a logical
  /// vector.
  double loopOperandNs = 0;
  double loopInstructionNs = 0;
  /// A vector of lanes that do not lie next to each other.
  double gatherNs = 0;
  /// Starting a copy and a byte of it, from cache to cache.
  double copyStartNs = 0;
  double copyByteNs = 0;
  /// An element that is handled by itself: compared and moved; placed where it
  /// waits for the one before.
  double scalarElementNs = 0;
  double dependentElementNs = 0;
  /// In freestanding routines: what the simplest one takes for an empty
  /// matrix; a multiplication and addition of blocked code and of vectors that
  /// come from memory one by one; a point of a Fourier transform and one
  /// doubling of its length.
  double routineStartNs = 0;
  double routineBlockedNs = 0;
  double routineRowNs = 0;
  double fourierPointNs = 0;

  /// The shortest and the longest piece of work that a thread claims, and the
  /// number of pieces wanted of what is long enough.
  double shortestPieceUs = 0;
  double longestPieceUs = 0;
  double wantedPieces = 0;
  /// Work that one tile of a grid of small units brings.
  double tileNs = 0;
  /// Kernels that take no longer are compiled briefly; kernels shorter than
  /// `tinyNs` take less time than starting them.
  double briefNs = 0;
  double tinyNs = 0;
};

/// One class of processors that code is generated for. Nothing here is read
/// from the host, and no number has a value but the one that its row gives it
/// (lib/Target/Machine.cpp), with its source.
struct Machine {
  /// The name users write after `-t`, e.g. `x86-64-v4`.
  std::string name;
  /// Shorter names that they may write: `v4`.
  std::vector<std::string> aliases;
  /// The instruction set, as artifacts name it.
  std::string architecture;
  /// LLVM's target triple and processor name.
  std::string triple;
  std::string cpu;
  /// Every instruction-set feature that generated code may use, in LLVM's
  /// spelling; what a loader must find in the host.
  std::vector<std::string> features;
  /// The level that most machines of the architecture in use have: what is
  /// compiled beside the best one that the host runs.
  bool isCommon = false;
  /// The machine that differs only in lacking features which few models use,
  /// and whose name their code has that does not use them, or that of the
  /// machine plainer still; empty if none.
  std::string plainName;
  /// The build of the freestanding routines that its kernels call.
  std::string routines;
  /// Bits of the widest vector register, and how many of these there are.
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  /// Fused multiply-add in hardware; without it contractions round products,
  /// too.
  bool hasFma = false;
  /// Columns of the panels in which kernels read right-hand sides and filters.
  int64_t panelColumns = 0;
  /// Multiply-adds under way at once when none waits: latency times throughput.
  int64_t multiplyAddsInFlight = 0;
  /// Bytes of the largest page that systems of the architecture map: code and
  /// data lie on different ones.
  int64_t pageBytes = 0;
  /// Rows of a register tile at most, and logical vectors in one of its rows
  /// where there are too few rows to hide the latency of the multiply-add.
  int64_t mostTileRows = 0;
  int64_t mostTileVectors = 0;
  /// The first of these where a call says how many rows there are, for which
  /// code of every height is made.
  int64_t mostSizedTileRows = 0;
  /// Elements of any register tile at most: what waits for its epilogue.
  int64_t mostTileElements = 0;
  /// Bytes of data cache a core may count on.
  int64_t l1Bytes = 0;
  int64_t l2Bytes = 0;
  /// Rows over which a right-hand side is used before it pays to copy it into
  /// panels, if its columns lie next to each other anyway.
  int64_t rowsWorthPacking = 0;
  /// Rows of a block that pay for streaming a panel from the second cache, and
  /// of one that packs its panels itself.
  int64_t rowsWorthStreaming = 0;
  int64_t rowsWorthPanels = 0;
  /// Rows that are worked on together though their left-hand side does not stay
  /// in half of the second cache.
  int64_t rowsWorthRereading = 0;
  /// Rows of attention's queries that pay for copying keys and values.
  int64_t rowsWorthKeys = 0;
  /// Rows that are worth matrix registers, if there are any: with fewer a
  /// product waits for the one before it, and vectors are as fast.
  int64_t rowsWorthMatrices = 0;
  /// Groups of columns that pay for copying their rows in a wider type, and for
  /// copying the rows that matrix registers are loaded with.
  int64_t groupsWorthWidening = 0;
  int64_t groupsWorthCopies = 0;
  /// Channels of a convolution's tap that are worth an address of their own.
  int64_t channelsWorthAddresses = 0;
  /// Instructions of an elementwise payload, at most, of which four logical
  /// vectors are worked on at a time, and two: longer ones lack registers.
  int64_t longestPayloadOfFour = 0;
  int64_t longestPayloadOfTwo = 0;
  /// Passes over a panel that are too few to hide the way of the next one from
  /// memory, if that has to wait until the last.
  int64_t fewPasses = 0;
  /// The most passes over a panel that gain from asking for the next one early:
  /// more hide its way anyway.
  int64_t prefetchedPasses = 0;
  /// The longest Fourier transforms that are worked on side by side, of lines
  /// that lie side by side in memory and of others.
  int64_t fourierInterleaved = 0;
  int64_t fourierApart = 0;
  MachineRates rates;

  bool hasFeature(llvm::StringRef feature) const;

  /// LLVM's name of the instruction that adds products of four bytes, without
  /// and with signs, to each lane of i32 of a register; empty if there is none.
  llvm::StringRef byteQuadProduct() const;
  /// The same of the one that sums up products of two words with signs.
  llvm::StringRef wordPairProduct() const;
  /// The same of the one that adds products of two bf16 to each lane of f32, if
  /// it takes less time than products of f32.
  llvm::StringRef floatPairProduct() const;
  /// The same of the one that multiplies matrix registers whose rows are
  /// summed up in `accumulator`: bytes without signs by bytes with signs in
  /// integers, bf16 in f32.
  llvm::StringRef matrixProduct(mlir::Type accumulator) const;

  /// Registers that a logical vector takes.
  int64_t registersPerVector() const;

  /// How many terms of a sum of `accumulator` are multiplied and added at once:
  /// 4 of bytes and 2 of bf16 where the machine has instructions for that, of
  /// vectors or of matrix registers, else 1. A pair of bytes that are widened
  /// to words takes two instructions.
  int64_t termsAtOnce(mlir::Type accumulator, mlir::Type factor) const;
  /// Microseconds of blocked code that sums in `accumulator` and moves `bytes`:
  /// what takes longer, for they overlap. Each step counts two of `flops`.
  /// Without `factor` the factors are as their sums.
  double microseconds(double flops, double bytes, mlir::Type accumulator,
                      mlir::Type factor = {}) const;
  double flopsPerUs(mlir::Type accumulator, mlir::Type factor = {}) const;
};

/// Every processor heddle knows, those of one architecture after each other,
/// the most modest first.
const std::vector<Machine> &machines();

/// The processor called `name`, or null.
const Machine *findMachine(llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_TARGET_MACHINE_H
