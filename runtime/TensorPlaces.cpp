// Tensors of a call, on their devices.

#include "runtime/TensorPlaces.h"

#include "runtime/format/DataTypes.h"
#include "runtime/format/Devices.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

static uint64_t bytesOf(const heddle_tensor &tensor, const TensorSpec &spec) {
  uint64_t bytes = format::elementBytes(spec.dtype);
  for (int32_t i = 0; i < tensor.rank; ++i)
    bytes *= static_cast<uint64_t>(tensor.shape[i]);
  return bytes;
}

Error TensorPlaces::create() {
  size_t count = entry.inputs.size() + entry.outputs.size();
  staged.resize(count);
  handles = std::vector<heddle_device>(program.devices().size());
  for (size_t i = 0; i < handles.size(); ++i)
    handles[i].device = program.devices()[i]->device();
  for (size_t i = 0; i < count; ++i) {
    uint32_t device = spec(i).device;
    heddle_device &handle = handles[device];
    // One that has its space has its copier, too.
    if (device == format::hostDevice || handle.space == HEDDLE_SPACE_DEVICE)
      continue;
    anyPlaced = true;
    handle.space = HEDDLE_SPACE_DEVICE;
    if (Error error = handle.copier.create(handle.device, handle.space))
      return error;
  }
  return {};
}

/// Whether the tensor lies where it is wanted, or has to be brought there.
Error TensorPlaces::check(const heddle_tensor &tensor, const TensorSpec &wanted,
                          bool isInput, uint32_t flags, bool &stage) const {
  const Device *is = tensor.device ? tensor.device->device.get()
                                   : program.host().device().get();
  stage = false;
  if (is == program.devices()[wanted.device]->device().get())
    return {};
  stage = is->isRunByHost() && flags & HEDDLE_STAGE_TENSORS;
  if (stage)
    return {};
  Error error =
      wrongDevice(isInput ? "input" : "output", wanted, "'" + is->name() + "'");
  if (!is->isRunByHost())
    return error;
  return {error.code(),
          error.message() + ": put it there, or set HEDDLE_STAGE_TENSORS"};
}

Error TensorPlaces::arrive(const heddle_tensor *tensors, uint32_t flags) {
  for (size_t i = 0; i < staged.size(); ++i) {
    const TensorSpec &wanted = spec(i);
    if (!tensors[i].device && wanted.device == format::hostDevice)
      continue;
    bool isInput = i < entry.inputs.size();
    if (Error error =
            check(tensors[i], wanted, isInput, flags, staged[i].inUse))
      return error;
    if (!staged[i].inUse)
      continue;
    uint64_t bytes = bytesOf(tensors[i], wanted);
    if (bytes > staged[i].memory.size())
      if (Error error = staged[i].memory.allocate(
              program.devices()[wanted.device]->device(), HEDDLE_SPACE_DEVICE,
              bytes, "a tensor"))
        return error;
    if (isInput)
      if (Error error = handles[wanted.device].copier.copy(
              staged[i].memory.data(), true, tensors[i].data, false, bytes))
        return error;
  }
  return {};
}

Error TensorPlaces::begin(const heddle_tensor *tensors, size_t output,
                          size_t input, uint64_t bytes) {
  void *target = data(tensors, output), *source = data(tensors, input);
  if (target == source || !bytes)
    return {};
  uint32_t device = spec(output).device;
  if (device != format::hostDevice)
    return handles[device].copier.copy(target, true, source, true, bytes);
  std::memcpy(target, source, bytes);
  return {};
}

Error TensorPlaces::leave(const heddle_tensor *tensors) {
  for (size_t i = entry.inputs.size(); anyPlaced && i < staged.size(); ++i)
    if (staged[i].inUse)
      if (Error error = handles[spec(i).device].copier.copy(
              tensors[i].data, false, staged[i].memory.data(), true,
              bytesOf(tensors[i], spec(i))))
        return error;
  return {};
}
