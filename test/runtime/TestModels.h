//===- TestModels.h - Small artifacts by hand ------------------*- C++ -*-===//
//
// For tests of the format and of the runtime that must not need the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RUNTIME_TESTMODELS_H
#define HEDDLE_TEST_RUNTIME_TESTMODELS_H

#include "runtime/format/ArtifactWriter.h"

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
                  uint64_t scratch = 0);
  /// Index of a kernel that is a custom call; its types are set by the test.
  uint32_t customCall(const std::string &name, format::CustomCallT call);
  /// Index of a buffer of the last program.
  uint32_t buffer(format::BufferKind kind, uint32_t index, int64_t size,
                  int64_t offset = 0);
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
  };
  format::PlanT plan;
  format::ManifestT manifest;
  std::vector<NamedWeight> weights;
  std::vector<NamedKernel> kernels;
  format::ProgramT *current = nullptr; ///< The one being built.
};

/// Adds 1000 pairs of numbers, ten by ten, on all workers; the sums are
/// subnormal or, with `flush`, zero where the numbers are subnormal.
Model subnormalModel(bool flush);

/// Weights of 16 MiB, and an entry that does nothing.
Model largeModel();
/// sum = (left + right) + weight + left over 1000 elements in 8 tiles, by way
/// of the arena and in place; a second entry "empty" does nothing.
Model additionModel();
/// "numbers" (int32[4096]) by `rounds` rounds of work per element, 64 tiles.
Model churnModel(int64_t rounds);
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
/// The same for f32[rows, columns], both from 0 to 2^20.
Model openModel();

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_TESTMODELS_H
