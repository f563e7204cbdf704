// The tensors of a call, as Python gives and the runtime takes them.

#ifndef HEDDLE_PYTHON_ARGUMENTS_H
#define HEDDLE_PYTHON_ARGUMENTS_H

#include "Devices.h"

#include <vector>

namespace heddle::python {

/// The tensors and states of a call, and what their memory belongs to.
struct Arguments {
  nb::list objects; ///< Of devices' tensors and states.
  std::vector<ReadOnlyArray> inArrays;
  std::vector<Array> outArrays;
  std::vector<heddle_tensor> in, out;
  /// Of each tensor, how many of these are its parts; 0: it is whole.
  std::vector<size_t> inParts, outParts;
  std::vector<heddle_state *> states;
  std::vector<int64_t> sizes;

  /// Of `wanted`; of those for which `bits` says so only the bits of elements
  /// are of the type that is wanted. Raises a TypeError where something is no
  /// memory, or in other than `ranks` parts.
  void readInputs(ArrayDevices &arrayDevices, const nb::list &given,
                  const std::vector<TensorInfo> &wanted,
                  const std::vector<bool> &bits, size_t ranks);
  void readOutputs(ArrayDevices &arrayDevices, const nb::list &given,
                   const std::vector<TensorInfo> &wanted,
                   const std::vector<bool> &bits, size_t ranks);
};

/// Tensors as calls of ranks take them, whole or in parts.
class PartedTensors {
public:
  /// `parts` says how many of `tensors` are the parts of each; 0: one whole.
  PartedTensors(const std::vector<const heddle_tensor *> &tensors,
                const std::vector<size_t> &parts) {
    const heddle_tensor *const *next = tensors.data();
    for (size_t count : parts) {
      tensorList.push_back({sizeof(heddle_parted_tensor),
                            count ? nullptr : *next, count ? next : nullptr});
      next += count ? count : 1;
    }
    pointers = pointersTo(tensorList);
  }
  const heddle_parted_tensor *const *data() const { return pointers.data(); }
  size_t size() const { return pointers.size(); }

private:
  std::vector<heddle_parted_tensor> tensorList;
  std::vector<const heddle_parted_tensor *> pointers;
};

} // namespace heddle::python

#endif // HEDDLE_PYTHON_ARGUMENTS_H
