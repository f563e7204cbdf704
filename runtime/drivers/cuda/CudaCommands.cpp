// Launches, copies and fills on a stream.

#include "runtime/drivers/cuda/CudaDevice.h"

#include <algorithm>
#include <vector>

using namespace heddle;
using namespace heddle::runtime;

static CudaAddress addressOf(const void *memory) {
  return reinterpret_cast<CudaAddress>(memory);
}

/// The first parameter is a block of bytes: addresses, then integers
/// (kernel_abi.h). Each tensor map is one more.
static Error launch(CudaQueue &queue, const heddle_driver_command &command) {
  if (command.tiles == 0)
    return {};
  const auto &kernel =
      *reinterpret_cast<const CudaImage::Kernel *>(command.kernel);
  std::vector<uint64_t> bytes;
  bytes.reserve(command.buffer_count + command.integer_count);
  for (uint32_t i = 0; i < command.buffer_count; ++i)
    bytes.push_back(addressOf(command.buffers[i]));
  for (uint32_t i = 0; i < command.integer_count; ++i)
    bytes.push_back(static_cast<uint64_t>(command.integers[i]));
  std::vector<void *> parameters = {bytes.data()};
  std::vector<CudaTensorMap> maps(kernel.maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    const heddle_driver_tensor_map &wanted = kernel.maps[i];
    if (wanted.buffer >= command.buffer_count)
      return {HEDDLE_ARGUMENT_INVALID,
              queue.device->name + ": a launch lacks buffer " +
                  std::to_string(wanted.buffer) + ", of which it copies boxes"};
    if (Error error =
            encodeTensorMap(*queue.device, wanted,
                            addressOf(command.buffers[wanted.buffer]), maps[i]))
      return error;
    parameters.push_back(&maps[i]);
  }
  // A thread for each tile; where there are more than a grid has, threads take
  // several.
  int64_t threads =
      int64_t(kernel.block[0]) * kernel.block[1] * kernel.block[2];
  int64_t blocks =
      std::min<int64_t>((command.tiles - 1) / threads + 1, INT32_MAX);
  return queue.device->check("cuLaunchKernel",
                             queue.device->api.launchKernel(
                                 kernel.function, static_cast<unsigned>(blocks),
                                 1, 1, kernel.block[0], kernel.block[1],
                                 kernel.block[2], kernel.sharedBytes,
                                 queue.stream, parameters.data(), nullptr));
}

static Error copy(CudaQueue &queue, const heddle_driver_command &command) {
  const CudaApi &api = queue.device->api;
  void *target = command.buffers[0], *source = command.buffers[1];
  auto bytes = static_cast<size_t>(command.tiles);
  auto *to = reinterpret_cast<CudaDevice *>(command.uses[0].device);
  auto *from = reinterpret_cast<CudaDevice *>(command.uses[1].device);
  if (bytes == 0)
    return {};
  if (!to && !from)
    return {HEDDLE_ARGUMENT_INVALID,
            queue.device->name + " copies no memory of the process to itself"};
  if (!from)
    return queue.device->check(
        "cuMemcpyHtoDAsync",
        api.copyToDevice(addressOf(target), source, bytes, queue.stream));
  if (!to)
    return queue.device->check(
        "cuMemcpyDtoHAsync",
        api.copyFromDevice(target, addressOf(source), bytes, queue.stream));
  if (to == from)
    return queue.device->check("cuMemcpyDtoDAsync",
                               api.copyOnDevice(addressOf(target),
                                                addressOf(source), bytes,
                                                queue.stream));
  return queue.device->check(
      "cuMemcpyPeerAsync",
      api.copyBetweenDevices(addressOf(target), to->context, addressOf(source),
                             from->context, bytes, queue.stream));
}

static Error fill(CudaQueue &queue, const heddle_driver_command &command) {
  const CudaApi &api = queue.device->api;
  CudaAddress target = addressOf(command.buffers[0]);
  uint64_t pattern = command.pattern;
  size_t count = static_cast<size_t>(command.tiles) / command.pattern_bytes;
  if (count == 0)
    return {};
  auto check = [&](const char *function, CudaResult result) {
    return queue.device->check(function, result);
  };
  switch (command.pattern_bytes) {
  case 1:
    return check("cuMemsetD8Async",
                 api.fill8(target, static_cast<unsigned char>(pattern), count,
                           queue.stream));
  case 2:
    return check("cuMemsetD16Async",
                 api.fill16(target, static_cast<unsigned short>(pattern), count,
                            queue.stream));
  case 4:
    return check("cuMemsetD32Async",
                 api.fill32(target, static_cast<unsigned>(pattern), count,
                            queue.stream));
  default:
    break;
  }
  // There is none of 64 bits: each half is a column of 32 bits, 8 bytes apart.
  for (unsigned half = 0; half < 2; ++half)
    if (Error error =
            check("cuMemsetD2D32Async",
                  api.fillRows32(target + 4 * half, 8,
                                 static_cast<unsigned>(pattern >> 32 * half), 1,
                                 count, queue.stream)))
      return error;
  return {};
}

Error runtime::submitCommands(CudaQueue &queue,
                              const heddle_driver_submission &submission) {
  const CudaApi &api = queue.device->api;
  for (size_t i = 0; i < submission.wait_count; ++i) {
    auto &event = *reinterpret_cast<CudaEvent *>(submission.waits[i]);
    if (event.error)
      return event.error;
    if (Error error = queue.device->check(
            "cuStreamWaitEvent",
            api.streamWaitEvent(queue.stream, event.event, 0)))
      return error;
  }
  for (size_t i = 0; i < submission.command_count; ++i) {
    const heddle_driver_command &command = submission.commands[i];
    Error error = command.kind == HEDDLE_COMMAND_LAUNCH ? launch(queue, command)
                  : command.kind == HEDDLE_COMMAND_COPY ? copy(queue, command)
                                                        : fill(queue, command);
    if (error)
      return error;
  }
  for (size_t i = 0; i < submission.signal_count; ++i) {
    auto &event = *reinterpret_cast<CudaEvent *>(submission.signals[i]);
    if (Error error = queue.device->check(
            "cuEventRecord", api.eventRecord(event.event, queue.stream)))
      return error;
  }
  return {};
}
