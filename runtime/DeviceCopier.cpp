// Copies to and from devices that somebody waits for.

#include "runtime/DeviceCopier.h"

#include "runtime/drivers/Status.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

DeviceCopier::~DeviceCopier() {
  if (queue)
    device->driver().queue_destroy(queue);
}

Error DeviceCopier::create(std::shared_ptr<Device> given,
                           heddle_driver_space space) {
  device = std::move(given);
  if (device->isMapped(space))
    return {};
  heddle_status why;
  int32_t code = device->driver().queue_create(device->handle(), &queue, &why);
  return told(code, why);
}

Error DeviceCopier::run(const heddle_driver_command &command) {
  heddle_driver_submission submission = {};
  submission.commands = &command;
  submission.command_count = 1;
  heddle_status why;
  std::lock_guard<std::mutex> lock(mutex);
  int32_t code = device->driver().submit(queue, &submission, &why);
  if (!code)
    code = device->driver().queue_wait(queue, 0, &why);
  return told(code, why);
}

Error DeviceCopier::copy(void *target, bool targetIsOwn, const void *source,
                         bool sourceIsOwn, uint64_t bytes) {
  if (!bytes)
    return {};
  if (!queue) {
    std::memcpy(target, source, bytes);
    return {};
  }
  void *buffers[] = {target, const_cast<void *>(source)};
  heddle_driver_use uses[] = {
      {targetIsOwn ? device->handle() : nullptr, bytes, HEDDLE_ACCESS_WRITE},
      {sourceIsOwn ? device->handle() : nullptr, bytes, HEDDLE_ACCESS_READ}};
  heddle_driver_command command = {};
  command.kind = HEDDLE_COMMAND_COPY;
  command.buffers = buffers;
  command.uses = uses;
  command.buffer_count = 2;
  command.tiles = command.chunk = static_cast<int64_t>(bytes);
  return run(command);
}

Error DeviceCopier::clear(void *target, uint64_t bytes) {
  if (!bytes)
    return {};
  if (!queue) {
    std::memset(target, 0, bytes);
    return {};
  }
  heddle_driver_use use = {device->handle(), bytes, HEDDLE_ACCESS_WRITE};
  heddle_driver_command command = {};
  command.kind = HEDDLE_COMMAND_FILL;
  command.pattern_bytes = 1;
  command.buffers = &target;
  command.uses = &use;
  command.buffer_count = 1;
  command.tiles = command.chunk = static_cast<int64_t>(bytes);
  return run(command);
}
