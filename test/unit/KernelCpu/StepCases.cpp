// Writes kernels that take several terms at once, and runs them.

#include "StepCases.h"

#include "KernelHarness.h"
#include "KernelText.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::test {

int64_t placeInPanels(int64_t terms, int64_t depth, int64_t k, int64_t n) {
  int64_t steps = (depth + terms - 1) / terms;
  return ((n / 32 * steps + k / terms) * 32 + n % 32) * terms + k % terms;
}

std::string matmulText(const StepTypes &types, int64_t m, int64_t n,
                       int64_t k) {
  return llvm::formatv(
             "func.func @k(%a: {0}, %b: {1}) -> {2} attributes "
             "{{kernel.entry} {{\n %0 = kernel.contract %a, %b {{extents = "
             "array<i64: {3}, {4}, {5}>, indexing_maps = [affine_map<(m, n, k) "
             "-> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, "
             "k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
             "\"reduction\"]{6}, rhs_packing = \"* k n -> * n/32 k/{7} n%32 "
             "k%{7}\"} : {0}, {1} -> {2}\n return %0 : {2}\n}\n",
             tensorText({m, k}, types.element),
             tensorText({(n + 31) / 32, (k + types.terms - 1) / types.terms, 32,
                         types.terms},
                        types.element),
             tensorText({m, n}, types.sum), m, n, k, types.attributes,
             types.terms)
      .str();
}

int64_t StepConvolution::placeOf(int64_t terms, int64_t o, int64_t tap,
                                 int64_t i) const {
  return o / columns() * panels() * 32 * taps() * depth() +
         placeInPanels(terms, taps() * depth(), tap * depth() + i,
                       o % columns());
}

void StepConvolution::forEachTap(
    llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> visit) const {
  int64_t wide = extent(width);
  for (int64_t result = 0; result < results(); ++result)
    for (int64_t tap = 0; tap < taps(); ++tap) {
      int64_t o = result % outputs, point = result / outputs;
      int64_t row = point / wide * stride + tap / kernel * dilation - padding,
              column =
                  point % wide * stride + tap % kernel * dilation - padding;
      if (row < 0 || row >= height || column < 0 || column >= width)
        continue;
      visit(result, (row * width + column) * inputs + o / columns() * depth(),
            o, tap);
    }
}

std::string textOf(const StepTypes &types, const StepConvolution &c) {
  return llvm::formatv(
             "func.func @k(%x: {0}, %w: {1}) -> {2} attributes "
             "{{kernel.entry} {{\n %0 = kernel.convolution %x, %w {{strides = "
             "array<i64: {3}, {3}>, padding = array<i64: {4}, {4}, {4}, {4}>, "
             "lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: {8}, "
             "{8}>, groups = {5} : i64{6}, weights_packing = \"* i (g={5} o) "
             "-> g o/32 * i/{7} o%32 i%{7}\"} : {0}, {1} -> {2}\n return %0 "
             ": {2}\n}\n",
             tensorText({1, c.height, c.width, c.inputs}, types.element),
             tensorText({c.groups, c.panels(), c.kernel, c.kernel,
                         c.depth() / types.terms, 32, types.terms},
                        types.element),
             tensorText({1, c.extent(c.height), c.extent(c.width), c.outputs},
                        types.sum),
             c.stride, c.padding, c.groups, types.attributes, types.terms,
             c.dilation)
      .str();
}

namespace {
/// A copy of `values` at the end of what can be read: whoever reads more ends
/// the process.
template <typename T> class LastInMemory {
public:
  explicit LastInMemory(const std::vector<T> &values) {
    size_t page = sysconf(_SC_PAGESIZE), bytes = values.size() * sizeof(T);
    readable = llvm::alignTo(bytes, page);
    mapped = readable + page;
    memory = static_cast<char *>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory + readable, page, PROT_NONE))
      llvm::report_fatal_error("there are no pages for an operand");
    first = reinterpret_cast<T *>(memory + readable - bytes);
    std::copy(values.begin(), values.end(), first);
  }
  LastInMemory(const LastInMemory &) = delete;
  ~LastInMemory() { munmap(memory, mapped); }
  T *data() const { return first; }

private:
  size_t readable, mapped;
  char *memory;
  T *first;
};
} // namespace

template <typename Factor, typename Sum>
void runAndExpect(const std::string &text, const char *machine,
                  std::vector<Factor> &lhs, std::vector<Factor> &rhs,
                  const std::vector<Sum> &wanted) {
  SCOPED_TRACE(machine);
  auto kernel = Kernel::compile(text, machine);
  ASSERT_TRUE(kernel);
  LastInMemory<Factor> left(lhs), right(rhs);
  for (int64_t chunk : {0, 1, 3}) {
    std::vector<Sum> out(wanted.size() + 64, Sum(77));
    kernel->run({left.data(), right.data(), out.data()}, chunk, chunk == 3);
    for (size_t i = 0; i < out.size(); ++i) {
      Sum expected = i < wanted.size() ? wanted[i] : Sum(77);
      ASSERT_EQ(std::memcmp(&out[i], &expected, sizeof(Sum)), 0)
          << out[i] << ", not " << expected << ", at " << i << " of\n"
          << text;
    }
  }
}

template void runAndExpect(const std::string &, const char *,
                           std::vector<uint8_t> &, std::vector<uint8_t> &,
                           const std::vector<int32_t> &);
template void runAndExpect(const std::string &, const char *,
                           std::vector<uint16_t> &, std::vector<uint16_t> &,
                           const std::vector<float> &);

} // namespace heddle::test
