// Runs sized kernels beside those made for each size.

#include "SizedKernels.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;

namespace heddle::test {

static constexpr size_t guardBytes = 256;

static int64_t bytesOf(Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// The bytes of a tensor, and behind them what no kernel may read or write.
static std::vector<char> guarded(RankedTensorType type) {
  size_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  return std::vector<char>(bytes + guardBytes, char(0xff));
}

/// Floats from -1 to 1, integers from 0 to 1.
static void fill(std::vector<char> &buffer, RankedTensorType type,
                 unsigned seed) {
  int64_t count = type.getNumElements();
  if (type.getElementType().isF32() || type.getElementType().isBF16()) {
    // The upper bytes of an f32 are a bf16.
    std::vector<float> values = randomValues(count, seed);
    int64_t bytes = bytesOf(type.getElementType());
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(&buffer[i * bytes],
                  reinterpret_cast<const char *>(&values[i]) + 4 - bytes,
                  bytes);
    return;
  }
  std::mt19937 generator(seed);
  int64_t bytes = bytesOf(type.getElementType());
  std::memset(buffer.data(), 0, count * bytes);
  for (int64_t i = 0; i < count; ++i)
    buffer[i * bytes] = char(generator() % 2);
}

/// Floats may differ by `tolerance` of their size or of 1, whichever is more.
static void expectEqual(const std::vector<char> &got,
                        const std::vector<char> &wanted, RankedTensorType type,
                        double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  size_t bytes = got.size() - guardBytes;
  ASSERT_EQ(std::memcmp(&got[bytes], &wanted[bytes], guardBytes), 0)
      << "wrote past the end";
  if (tolerance == 0 || !type.getElementType().isF32()) {
    ASSERT_EQ(std::memcmp(got.data(), wanted.data(), bytes), 0);
    return;
  }
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    float a, b;
    std::memcpy(&a, &got[i * sizeof(float)], sizeof(float));
    std::memcpy(&b, &wanted[i * sizeof(float)], sizeof(float));
    // Rows that see no key are not numbers.
    if (std::isnan(a) && std::isnan(b))
      continue;
    ASSERT_LE(std::abs(a - b), tolerance * std::max(1.0f, std::abs(b)))
        << "at " << i << ": " << a << " and " << b;
  }
}

std::vector<Sizes> grid(llvm::ArrayRef<int64_t> batches,
                        llvm::ArrayRef<int64_t> sequences) {
  std::vector<Sizes> all;
  for (int64_t batch : batches)
    for (int64_t sequence : sequences)
      all.push_back({{"batch", batch}, {"sequence", sequence}});
  return all;
}

void checkSized(const std::string &text, llvm::ArrayRef<Sizes> choices,
                double tolerance, const std::string &reference) {
  for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(text, machine);
    ASSERT_TRUE(kernel);
    for (const Sizes &sizes : choices) {
      std::string fixed =
                      fixedText(reference.empty() ? text : reference, sizes),
                  trace;
      for (const auto &[name, value] : sizes)
        trace += name + " = " + std::to_string(value) + " ";
      SCOPED_TRACE(trace + "in\n" + text);
      auto wanted = Kernel::compile(fixed, machine);
      ASSERT_TRUE(wanted);
      auto parsed = parse(fixed);
      FunctionType type =
          (*parsed->getOps<func::FuncOp>().begin()).getFunctionType();
      std::vector<std::vector<char>> inputs;
      std::vector<void *> buffers;
      for (auto [number, input] : llvm::enumerate(type.getInputs())) {
        inputs.push_back(guarded(cast<RankedTensorType>(input)));
        fill(inputs.back(), cast<RankedTensorType>(input), number + 1);
      }
      for (std::vector<char> &input : inputs)
        buffers.push_back(input.data());
      auto outputs = [&] {
        std::vector<std::vector<char>> made;
        for (Type result : type.getResults())
          made.push_back(guarded(cast<RankedTensorType>(result)));
        return made;
      };
      auto with = [&](std::vector<std::vector<char>> &results) {
        std::vector<void *> all = buffers;
        for (std::vector<char> &result : results)
          all.push_back(result.data());
        return all;
      };
      std::vector<std::vector<char>> first = outputs();
      wanted->run(with(first));
      for (int64_t chunk : {0, 1, 3}) {
        std::vector<std::vector<char>> results = outputs();
        kernel->run(with(results), sizes, chunk, chunk == 3);
        for (auto [number, result] : llvm::enumerate(type.getResults()))
          expectEqual(results[number], first[number],
                      cast<RankedTensorType>(result), tolerance);
      }
    }
  }
}

} // namespace heddle::test
