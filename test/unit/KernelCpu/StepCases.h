// Products whose kernels take several terms side by side, as text and as sums
// in the order of these kernels.

#ifndef HEDDLE_TEST_UNIT_KERNELCPU_STEPCASES_H
#define HEDDLE_TEST_UNIT_KERNELCPU_STEPCASES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test {

/// What is multiplied, and how many terms at once.
struct StepTypes {
  int64_t terms;
  const char *element, *sum;
  /// What the root says of its operands' types, behind a comma.
  const char *attributes;
};

/// Where row `k` of column `n` is stored of `depth` rows, in panels of 32
/// columns that have `terms` rows of each column side by side.
int64_t placeInPanels(int64_t terms, int64_t depth, int64_t k, int64_t n);

/// [m, k] times [k, n] in panels.
std::string matmulText(const StepTypes &types, int64_t m, int64_t n, int64_t k);

/// One image, with the same kernel, stride, padding and dilation in both
/// dimensions.
struct StepConvolution {
  int64_t height, width, inputs, outputs, kernel, stride, padding;
  int64_t groups = 1, dilation = 1;

  int64_t extent(int64_t size) const {
    return (size + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1;
  }
  int64_t taps() const { return kernel * kernel; }
  int64_t depth() const { return inputs / groups; }
  int64_t columns() const { return outputs / groups; }
  int64_t panels() const { return (columns() + 31) / 32; }
  int64_t results() const { return extent(height) * extent(width) * outputs; }
  /// Elements of the filter as it is stored, zeros among them.
  int64_t stored() const { return groups * panels() * 32 * taps() * depth(); }
  /// Where input channel `i` of `tap` of output channel `o` is stored.
  int64_t placeOf(int64_t terms, int64_t o, int64_t tap, int64_t i) const;
  /// Calls `visit` for every run of channels that a result is a sum of, in the
  /// order of the sum: which result, where the run begins in the input, which
  /// output channel and which tap.
  void forEachTap(llvm::function_ref<void(int64_t result, int64_t input,
                                          int64_t output, int64_t tap)>
                      visit) const;
};

std::string textOf(const StepTypes &types, const StepConvolution &c);

/// Runs the kernel `text` as it is compiled for `machine`, by chunks of several
/// sizes, and wants each result to be that of `wanted`, bit for bit.
template <typename Factor, typename Sum>
void runAndExpect(const std::string &text, const char *machine,
                  std::vector<Factor> &lhs, std::vector<Factor> &rhs,
                  const std::vector<Sum> &wanted);

/// Results of `m` x `n` sums of `k` terms, `terms` at once by
/// `step(sum, left, right)`; `rhs` has the terms of a column side by side.
template <typename Factor, typename Sum, typename Step>
std::vector<Sum> sumsOf(int64_t m, int64_t n, int64_t k, int64_t terms,
                        const std::vector<Factor> &lhs,
                        const std::vector<Factor> &rhs, Step step) {
  std::vector<Sum> sums(m * n);
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column)
      for (int64_t i = 0; i < k; i += terms)
        sums[row * n + column] = step(sums[row * n + column], &lhs[row * k + i],
                                      &rhs[column * k + i]);
  return sums;
}

/// The same of a convolution, whose filter is [output, tap, input].
template <typename Factor, typename Sum, typename Step>
std::vector<Sum> sumsOf(const StepConvolution &c, int64_t terms,
                        const std::vector<Factor> &input,
                        const std::vector<Factor> &filter, Step step) {
  std::vector<Sum> sums(c.results());
  c.forEachTap([&](int64_t result, int64_t at, int64_t output, int64_t tap) {
    const Factor *weights = &filter[(output * c.taps() + tap) * c.depth()];
    for (int64_t i = 0; i < c.depth(); i += terms)
      sums[result] = step(sums[result], &input[at + i], weights + i);
  });
  return sums;
}

/// The right-hand side [column, row] in panels, and a filter so.
template <typename Factor>
std::vector<Factor> inPanels(int64_t terms, int64_t n, int64_t k,
                             const std::vector<Factor> &rhs) {
  std::vector<Factor> stored((n + 31) / 32 * 32 *
                             ((k + terms - 1) / terms * terms));
  for (int64_t column = 0; column < n; ++column)
    for (int64_t i = 0; i < k; ++i)
      stored[placeInPanels(terms, k, i, column)] = rhs[column * k + i];
  return stored;
}
template <typename Factor>
std::vector<Factor> inPanels(int64_t terms, const StepConvolution &c,
                             const std::vector<Factor> &filter) {
  std::vector<Factor> stored(c.stored());
  for (int64_t o = 0; o < c.outputs; ++o)
    for (int64_t tap = 0; tap < c.taps(); ++tap)
      for (int64_t i = 0; i < c.depth(); ++i)
        stored[c.placeOf(terms, o, tap, i)] =
            filter[(o * c.taps() + tap) * c.depth() + i];
  return stored;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_KERNELCPU_STEPCASES_H
