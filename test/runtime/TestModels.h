// Small artifacts by hand.
//
// For tests of the format and of the runtime that must not need the compiler.

#ifndef HEDDLE_TEST_RUNTIME_TESTMODELS_H
#define HEDDLE_TEST_RUNTIME_TESTMODELS_H

#include "runtime/format/ArtifactWriter.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

/// Kernels.c as an image, and its functions.
struct KernelImage {
  std::string architecture;
  std::vector<char> bytes;
  /// Name to (offset, size).
  std::map<std::string, std::pair<uint64_t, uint64_t>> functions;

  /// Dies with a message when the file cannot be used.
  static KernelImage read(const std::string &path);
  /// Some of them as PTX, which has no offsets; it ends in a zero.
  static KernelImage readGrid(const std::string &path);
};

/// An artifact before it is written: what a test changes to break it.
struct Model {
  Model();

  /// Index of an expression.
  uint32_t constant(int64_t value);
  uint32_t symbol(uint32_t index);
  uint32_t expression(format::ExpressionKind kind, uint32_t lhs, uint32_t rhs);
  /// Index of an expression of the manifest.
  uint32_t extent(int64_t value);

  /// Index of the kernel of that name.
  uint32_t kernel(const std::string &name, uint16_t bindings, uint16_t integers,
                  uint64_t scratch = 0,
                  format::DeviceKind device = format::DeviceKind::cpu);
  /// Index of a kernel that is a custom call; its types are set by the test.
  uint32_t customCall(const std::string &name, format::CustomCallT call);
  /// Index of another device, which gets a queue of the same number.
  uint32_t device(format::DeviceKind kind, uint32_t ordinal);
  /// Index of a memory among those of the plan or of a program.
  uint32_t memory(std::vector<std::unique_ptr<format::MemoryT>> &memories,
                  int64_t size, uint32_t device = 0);
  /// Index of an arena of the last program.
  uint32_t arena(int64_t size, uint32_t device = 0) {
    return memory(program().arenas, size, device);
  }
  /// Index of a buffer of the last program.
  uint32_t buffer(format::BufferKind kind, uint32_t index, int64_t size,
                  int64_t offset = 0, uint32_t device = 0);
  format::Binding bind(uint32_t buffer, format::Access access);

  format::EntryT &entry(const std::string &name);
  format::ProgramT &program() { return *plan.programs.back(); }
  /// Starts a block; commands go to the last one started.
  uint32_t block();
  format::CommandT &command();
  format::LaunchT &launch(uint32_t kernel,
                          std::vector<format::Binding> bindings,
                          std::vector<int64_t> integers, int64_t tiles,
                          int64_t chunk = 1);

  void addWeight(const std::string &symbol, const std::vector<float> &values);

  /// Writes everything with both variants.
  format::Error write(const KernelImage &image, const std::string &path) const;
  format::Error write(const KernelImage &image,
                      format::ArtifactWriter &writer) const;

  struct NamedWeight {
    std::string symbol;
    std::vector<float> values;
  };
  struct NamedKernel {
    std::string name;
    uint16_t bindings;
    uint16_t integers;
    uint64_t scratch;
    std::vector<format::InPlace> inPlace;
    std::shared_ptr<format::CustomCallT> customCall;
    format::DeviceKind device;
  };
  /// The code of kernels for cuda; without it there are none.
  std::shared_ptr<KernelImage> grid;
  /// Of both variants: kind and ordinal.
  std::vector<std::pair<format::DeviceKind, uint32_t>> devices;
  std::vector<std::string> requiredFeatures;
  /// Called for each variant before it is written.
  std::function<void(format::VariantT &)> changeVariant;
  format::PlanT plan;
  format::ManifestT manifest;
  std::vector<NamedWeight> weights;
  std::vector<NamedKernel> kernels;
  format::ProgramT *current = nullptr; ///< The one being built.
};

/// Adds 1000 pairs of numbers, ten by ten, on all workers; the sums are
/// subnormal or, with `flush`, zero where the numbers are subnormal.
Model subnormalModel(bool flush);

/// The addition of subnormal numbers that says of itself that it computes with
/// bf16, and what is known of its errors: nothing if `tiers` is empty.
Model loweredModel(const char *tiers);
/// Weights of 16 MiB, and an entry that does nothing.
Model largeModel();
/// sum = (left + right) + weight + left over 1000 elements in 8 tiles, by way
/// of the arena and in place; a second entry "empty" does nothing.
Model additionModel();
/// "numbers" (int32[4096]) by `rounds` rounds of work per element, 64 tiles.
Model churnModel(int64_t rounds);
/// sum = ((left + right) + bias) + (left + left) + right over 1000 elements:
/// the first two additions on sim:0, the next two on sim:1, the last on the
/// cpu. Buffers, by number: PlacedBuffer.
Model placedModel();
enum PlacedBuffer : uint32_t {
  placedLeft,
  placedRight,
  placedSum,
  placedBias,       // the weight
  placedDeviceBias, // sim:0, persistent
  placedLeft0,      // sim:0
  placedRight0,     // sim:0
  placedFirst0,     // sim:0
  placedSecond0,    // sim:0, where left was
  placedHostSecond, // the process's
  placedLeft1,      // sim:1
  placedDouble1,    // sim:1
  placedSecond1,    // sim:1
  placedSum1,       // sim:1, where left was
  placedHostSum,    // the process's, where the second sum was
};
/// The same, with an init that brings the bias to an arena of sim:0, and there
/// adds zeros to it to make what is kept. Its buffers, by number:
/// LaidOutBuffer.
Model laidOutModel();
enum LaidOutBuffer : uint32_t {
  laidOutBias,    // the weight
  laidOutKept,    // sim:0, persistent
  laidOutBrought, // sim:0
  laidOutZeros,   // sim:0
};
/// With commands of sim:0 and sim:1 in the blocks: "counted" is 10, in five
/// rounds over both; "conditional" is "times" more, or none, by a loop whose
/// flag lies on sim:0; "chosen" is 101 for "which" of 0, 203 for 1 and 303 for
/// all others; "kept" is 8 and one more for "which" other than 0.
Model placedLoopModel();
/// sum = left + right for f32[batch, 4], batch from 1 to 64, on sim:0.
Model placedBatchModel();
/// A call of "main" counts a state (int32[8]) up and copies it to
/// "now"; the state's length grows by one. "peek" only copies.
Model stateModel();
/// The same with the state on sim:0, where it is counted.
Model placedStateModel();
/// sum = left + right, and "counted" replaces "counters" and is one more: on
/// the first device of a kind, where all of these but "right" lie.
Model stagedModel(format::DeviceKind kind);
/// Blocks as deep as they may be, loops of one round each but for the innermost
/// of three: "counters" (int32[2]) are 3. Each block fills a buffer whose place
/// the innermost gives to another.
Model deepModel();
/// numbers = x (int32[n], n from 1 to 64) and what the extent selects: 1 more
/// for 1 (a kernel), 10 for 2 (an alternative of it), 1 for 3 (a block of
/// another program), 10 for 4, 20 for all others.
Model selectModel();
/// 200 steps of two tiles with next to nothing to do: what a step itself costs.
Model stepsModel();
/// Persistent memory from init, a counted and a conditional loop, a branch.
Model controlModel();
/// Counts each of "before" (int32[64]) up once; "after" replaces it.
Model donatedModel();
/// "affine" of x (f32[2, 3]), three rounds of "step" in place, "finish": by
/// functions that the tests register.
Model customModel();
/// sum = left + right for f32[batch, 4], batch from 1 to 64.
Model dynamicModel();
/// sum = 2 * left + 3 * right for the same, by way of two parts of an arena
/// that are as large as the call's batch takes, one behind the other.
Model sizedArenaModel();
/// The same for a batch from 1 to 2^41, whose arena no machine has.
Model vastArenaModel();
/// The same as sizedArenaModel; a worker's scratch has 1024 bytes for each
/// element of a tensor, of a kernel that asks for `most` bytes.
Model sizedScratchModel(int64_t most);
/// The same by 667 launches, each with an expression of its own for how many
/// elements it adds.
Model manySizesModel();
/// The same as the first, but that the second part begins 64 bytes behind the
/// first, however large that is.
Model overlappingModel();
/// count = n, a size from 0 to 64 that the program computes so; sum = x + x of
/// the first so many elements.
Model countedModel();
/// The same with sum = x + x of the first 60 - count elements, for which a call
/// has the memory of 60.
Model countedRestModel();
/// count = n and found = m, each a size from 0 to 64 that the program computes
/// so; sum = x + x of the first n - m elements.
Model countedTwoModel();
/// The same with the sum before found is counted, of n - 64 elements.
Model countedBetweenModel();
/// The counted model with x + x of all elements before the count, in chunks of
/// rows mod 8 tiles where the count is the largest; the call gives rows, from 1
/// to 64.
Model countedChunkModel();
/// The counted model with x and sum of 16 rows elements, which it adds before
/// the count, all where the count is the largest, and an arena of 4096 rows
/// bytes; the call gives rows, from 1 to 64.
Model countedArenaModel();
/// The counted model on sim:0, which counts for itself. Buffers: 0 x, 1 n, 2
/// count, 3 sum; 4 x, 5 n, 6 sum on the device.
Model countedPlacedModel();
/// "after" (int32[(n + 1) / 2]) replaces "before" (int32[n], n from 1 to 64):
/// it has its bytes for an n of 1 alone. No command touches either.
Model halvedModel();
/// sum = left + right for f32[rows, columns], both from 0 to 2^20.
Model openModel();
/// The same with a third input, beside: f32[8], which no command touches.
Model besideModel();
/// sum = left + right for f32[rows, 4], rows even, from 2 to 64. A third input,
/// mask: i8[3 * past + rows + 1], tells past, from 0 to 8; the call gives
/// limit, from 0 to 9. Taken for granted: past = limit, past <= 4.
Model solvedModel();

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_TESTMODELS_H
