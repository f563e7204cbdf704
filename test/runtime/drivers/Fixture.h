// A device under test, briefly used.

#ifndef HEDDLE_TEST_RUNTIME_DRIVERS_FIXTURE_H
#define HEDDLE_TEST_RUNTIME_DRIVERS_FIXTURE_H

#include "runtime/drivers/Drivers.h"
#include "test/runtime/TestModels.h"
#include "test/runtime/check.h"

namespace heddle::test {

using namespace heddle::runtime;

/// A device under test, and short ways to use it. What goes wrong is a failed
/// check.
struct Fixture {
  std::shared_ptr<Device> device;
  const heddle_driver &driver;
  heddle_driver_space space; ///< Of its own memory.
  heddle_driver_image *image = nullptr;

  explicit Fixture(std::shared_ptr<Device> given)
      : device(std::move(given)), driver(device->driver()),
        space(device->description().spaces >> HEDDLE_SPACE_DEVICE & 1
                  ? HEDDLE_SPACE_DEVICE
                  : HEDDLE_SPACE_HOST) {}
  ~Fixture() {
    if (image)
      driver.image_unload(image);
  }

  heddle_driver_device *handle() const { return device->handle(); }
  void *allocate(uint64_t bytes) const;
  void free(void *address) const { driver.free(handle(), address); }
  heddle_driver_queue *queue() const;
  heddle_driver_event *event() const;
  const heddle_driver_kernel *kernel(const KernelImage &code, const char *name);

  heddle_driver_use own(uint64_t bytes, uint32_t access) const {
    return {handle(), bytes, access};
  }
};

/// A command with what it points to.
struct Command {
  heddle_driver_command command = {};
  std::vector<void *> buffers;
  std::vector<heddle_driver_use> uses;
  std::vector<int64_t> integers;

  const heddle_driver_command &get() {
    command.buffers = buffers.data();
    command.uses = uses.data();
    command.buffer_count = static_cast<uint32_t>(buffers.size());
    command.integers = integers.data();
    command.integer_count = static_cast<uint32_t>(integers.size());
    return command;
  }
};

inline void *Fixture::allocate(uint64_t bytes) const {
  heddle_status why;
  void *address = nullptr;
  if (driver.allocate(handle(), space, bytes, &address, &why))
    std::fprintf(stderr, "%s\n", why.message);
  CHECK(address && reinterpret_cast<uintptr_t>(address) % 64 == 0);
  return address;
}

inline heddle_driver_queue *Fixture::queue() const {
  heddle_status why;
  heddle_driver_queue *queue = nullptr;
  CHECK(!driver.queue_create(handle(), &queue, &why) && queue);
  return queue;
}

inline heddle_driver_event *Fixture::event() const {
  heddle_status why;
  heddle_driver_event *event = nullptr;
  CHECK(!driver.event_create(handle(), &event, &why) && event);
  return event;
}

inline const heddle_driver_kernel *Fixture::kernel(const KernelImage &code,
                                                   const char *name) {
  heddle_status why;
  if (!image) {
    heddle_driver_code source = {code.bytes.data(), code.bytes.size(), -1, 0,
                                 0};
    CHECK(!driver.image_load(handle(), &source, &image, &why));
  }
  heddle_driver_kernel_info info = {
      name, code.functions.at(name).first, 64, {32, 1, 1}, 0, nullptr, 0};
  const heddle_driver_kernel *kernel = nullptr;
  CHECK(!driver.image_kernel(image, &info, &kernel, &why) && kernel);
  return kernel;
}

inline Command copyTo(const Fixture &device, void *target, const void *source,
                      uint64_t bytes) {
  Command copy;
  copy.command.kind = HEDDLE_COMMAND_COPY;
  copy.command.tiles = static_cast<int64_t>(bytes);
  copy.buffers = {target, const_cast<void *>(source)};
  copy.uses = {device.own(bytes, HEDDLE_ACCESS_WRITE),
               {nullptr, bytes, HEDDLE_ACCESS_READ}};
  return copy;
}

inline Command copyFrom(const Fixture &device, void *target, void *source,
                        uint64_t bytes) {
  Command copy = copyTo(device, target, source, bytes);
  copy.uses = {{nullptr, bytes, HEDDLE_ACCESS_WRITE},
               device.own(bytes, HEDDLE_ACCESS_READ)};
  return copy;
}

inline Command copyBetween(const Fixture &to, void *target, const Fixture &from,
                           void *source, uint64_t bytes) {
  Command copy = copyTo(to, target, source, bytes);
  copy.uses[1] = from.own(bytes, HEDDLE_ACCESS_READ);
  return copy;
}

inline Command fill(const Fixture &device, void *target, uint64_t pattern,
                    uint32_t patternBytes, uint64_t bytes) {
  Command fill;
  fill.command.kind = HEDDLE_COMMAND_FILL;
  fill.command.pattern = pattern;
  fill.command.pattern_bytes = patternBytes;
  fill.command.tiles = static_cast<int64_t>(bytes);
  fill.buffers = {target};
  fill.uses = {device.own(bytes, HEDDLE_ACCESS_WRITE)};
  return fill;
}

/// `count` of kernels.c: adds one to each of `elements` numbers.
inline Command countUp(const Fixture &device,
                       const heddle_driver_kernel *kernel, void *numbers,
                       int64_t elements, int64_t tile) {
  Command launch;
  launch.command.kind = HEDDLE_COMMAND_LAUNCH;
  launch.command.kernel = kernel;
  launch.command.tiles = (elements + tile - 1) / tile;
  launch.command.chunk = 2;
  launch.buffers = {numbers};
  launch.uses = {device.own(uint64_t(elements) * 4,
                            HEDDLE_ACCESS_READ | HEDDLE_ACCESS_WRITE)};
  launch.integers = {elements, tile};
  return launch;
}

using Events = std::vector<heddle_driver_event *>;

inline int32_t trySubmit(const Fixture &device, heddle_driver_queue *queue,
                         std::vector<Command> commands, const Events &waits,
                         const Events &signals, heddle_status *why) {
  std::vector<heddle_driver_command> list;
  for (Command &command : commands)
    list.push_back(command.get());
  heddle_driver_submission submission = {};
  submission.commands = list.data();
  submission.command_count = list.size();
  submission.waits = waits.data();
  submission.wait_count = waits.size();
  submission.signals = signals.data();
  submission.signal_count = signals.size();
  return device.driver.submit(queue, &submission, why);
}

inline void submit(const Fixture &device, heddle_driver_queue *queue,
                   std::vector<Command> commands, const Events &waits = {},
                   const Events &signals = {}) {
  heddle_status why;
  if (trySubmit(device, queue, std::move(commands), waits, signals, &why)) {
    std::fprintf(stderr, "%s\n", why.message);
    CHECK(false && "submitted");
  }
}

inline void finish(const Fixture &device, heddle_driver_queue *queue) {
  heddle_status why;
  if (device.driver.queue_wait(queue, 0, &why)) {
    std::fprintf(stderr, "%s\n", why.message);
    CHECK(false && "finished");
  }
}

} // namespace heddle::test

#endif // HEDDLE_TEST_RUNTIME_DRIVERS_FIXTURE_H
