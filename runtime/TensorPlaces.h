// Tensors of a call, on their devices.

#ifndef HEDDLE_RUNTIME_TENSORPLACES_H
#define HEDDLE_RUNTIME_TENSORPLACES_H

#include "runtime/OpenDevice.h"
#include "runtime/Tensors.h"

namespace heddle::runtime {

/// Holds the tensors of a call to the devices on which the entry wants them,
/// and brings those of the process there and back if the caller says so.
class TensorPlaces {
public:
  TensorPlaces(const LoadedProgram &program, const EntrySpec &entry)
      : program(program), entry(entry) {}

  Error create();

  /// The device where the entry wants a tensor, as the C interface has it.
  heddle_device &wantedBy(const TensorSpec &tensor) {
    return handles[tensor.device];
  }

  /// `tensors` are inputs, then outputs, whose types and shapes are right.
  Error arrive(const heddle_tensor *tensors, uint32_t flags);
  /// Where the plan finds number `index` of them.
  void *data(const heddle_tensor *tensors, size_t index) const {
    return anyPlaced && staged[index].inUse ? staged[index].memory.data()
                                            : tensors[index].data;
  }
  /// Number `output` begins with the value of an input, which lies elsewhere.
  Error begin(const heddle_tensor *tensors, size_t output, size_t input,
              uint64_t bytes);
  /// When the call has gone well.
  Error leave(const heddle_tensor *tensors);

private:
  struct Staged {
    DeviceMemory memory;
    bool inUse = false;
  };

  const TensorSpec &spec(size_t index) const {
    return index < entry.inputs.size()
               ? entry.inputs[index]
               : entry.outputs[index - entry.inputs.size()];
  }
  Error check(const heddle_tensor &tensor, const TensorSpec &wanted,
              bool isInput, uint32_t flags, bool &stage) const;

  const LoadedProgram &program;
  const EntrySpec &entry;
  bool anyPlaced = false; ///< Some tensor lies on another device.
  std::vector<Staged> staged;
  std::vector<heddle_device> handles; ///< By device.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TENSORPLACES_H
