// Small kernels of PTX, run in the emulator by themselves.

#ifndef HEDDLE_TEST_UNIT_EMULATOR_KERNELHARNESS_H
#define HEDDLE_TEST_UNIT_EMULATOR_KERNELHARNESS_H

#include "test/emulator/machine/Launch.h"

#include <string>
#include <vector>

namespace heddle::emulator {

struct KernelRun {
  Memory memory;
  LoadedModule loaded;
  LaunchConfig config;
  unsigned capability = 90;
  /// Every kernel of these tests is one without races, but where that is
  /// tested.
  bool findRaces = true;
  std::string entry = "k";
  uint64_t executed = 0;

  /// A buffer on the device that holds `values`.
  template <class T> Allocation *buffer(const std::vector<T> &values) {
    Allocation *made = memory.allocate(values.size() * sizeof(T));
    std::memcpy(made->data, values.data(), values.size() * sizeof(T));
    return made;
  }
  template <class T> void param(T value) {
    size_t at = (config.params.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    config.params.resize(at + sizeof(T));
    std::memcpy(config.params.data() + at, &value, sizeof(T));
  }

  /// Gives variables their places and runs the kernel `entry`; a fault's
  /// message holds what was wrong with the text, too.
  Fault run(const std::string &text);
};

/// One thread for each element: `body` computes %out, a register of `type`,
/// from %a, %b, %c of their types. Gives the results.
std::vector<uint64_t> compute(const std::string &body,
                              const std::vector<std::string> &types,
                              const std::vector<std::vector<uint64_t>> &inputs,
                              const std::string &type);

/// A module around `body`, with a kernel `k` of the parameters given.
std::string kernel(const std::string &params, const std::string &body);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_UNIT_EMULATOR_KERNELHARNESS_H
