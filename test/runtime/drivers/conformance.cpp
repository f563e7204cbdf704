// What driver.h promises, on every device of every driver of the library. What
// only some devices can do is asked of those that say so. Argument: the folder
// of the test models.

#include "runtime/drivers/Status.h"
#include "runtime/format/Devices.h"
#include "test/runtime/drivers/Fixture.h"

#include <algorithm>

using heddle::format::DeviceKind;
using heddle::format::readsCounts;
using namespace heddle::runtime;
using namespace heddle::test;

static std::vector<int32_t> numbers(int32_t count, int32_t factor) {
  std::vector<int32_t> result(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i)
    result[static_cast<size_t>(i)] = i * factor + 1;
  return result;
}

//===----------------------------------------------------------------------===//
// The promises
//===----------------------------------------------------------------------===//

static void testDescription(const Fixture &device) {
  const heddle_driver_device_info &info = device.device->description();
  CHECK(!strncmp(info.name, device.driver.name, strlen(device.driver.name)));
  CHECK(info.spaces >> device.space & 1);
  CHECK((info.mapped & ~info.spaces) == 0);
  CHECK(findDriver(device.driver.kind) == &device.driver);
  // One that is not there is named.
  heddle_status why = {};
  uint32_t count = device.driver.device_count(&why);
  heddle_driver_device *none = nullptr;
  CHECK(count > 0 &&
        device.driver.device_open(count, &none, &why) == HEDDLE_DEVICE_MISSING);
  std::string name =
      "'" + std::string(device.driver.name) + ":" + std::to_string(count) + "'";
  CHECK(!none && strstr(why.message, name.c_str()));
}

/// Pieces do not overlap, and memory that was given back is given out again.
static void testAllocation(const Fixture &device) {
  std::vector<std::pair<uintptr_t, uint64_t>> pieces;
  for (uint64_t bytes : {1u, 64u, 100u, 4096u, 5000u, 1u << 20})
    for (int i = 0; i < 3; ++i)
      pieces.push_back(
          {reinterpret_cast<uintptr_t>(device.allocate(bytes)), bytes});
  std::vector<std::pair<uintptr_t, uint64_t>> sorted = pieces;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    CHECK(sorted[i - 1].first + sorted[i - 1].second <= sorted[i].first);
  for (const auto &piece : pieces)
    device.free(reinterpret_cast<void *>(piece.first));
  // Together more than the devices have.
  for (int i = 0; i < 100; ++i)
    device.free(device.allocate(4 << 20));
}

static void testOutOfMemory(const Fixture &device) {
  heddle_status why = {};
  void *address = nullptr;
  int32_t code = device.driver.allocate(device.handle(), device.space,
                                        uint64_t(1) << 60, &address, &why);
  CHECK(code == (device.device->isMapped(device.space) ? HEDDLE_OUT_OF_MEMORY
                                                       : HEDDLE_DEVICE_MEMORY));
  CHECK(!address && strstr(why.message, device.driver.name));
  // In a space that it does not have.
  for (uint32_t space = 0; space <= HEDDLE_SPACE_MANAGED; ++space)
    if (!(device.device->description().spaces >> space & 1))
      CHECK(device.driver.allocate(device.handle(),
                                   static_cast<heddle_driver_space>(space), 64,
                                   &address, &why) == HEDDLE_ARGUMENT_INVALID);
}

static void testCopies(const Fixture &device) {
  heddle_driver_queue *queue = device.queue();
  std::vector<int32_t> given = numbers(5000, 3), got(5000);
  void *first = device.allocate(20000), *second = device.allocate(20000);
  submit(device, queue,
         {copyTo(device, first, given.data(), 20000),
          copyBetween(device, second, device, first, 20000),
          copyFrom(device, got.data(), second, 20000)});
  finish(device, queue);
  CHECK(got == given);

  // A part, at an offset.
  std::fill(got.begin(), got.end(), 0);
  submit(
      device, queue,
      {copyFrom(device, got.data() + 7, static_cast<char *>(first) + 400, 80)});
  finish(device, queue);
  CHECK(got[6] == 0 && got[7] == given[100] && got[26] == given[119] &&
        got[27] == 0);
  device.free(first);
  device.free(second);
  device.driver.queue_destroy(queue);
}

static void testFills(const Fixture &device) {
  heddle_driver_queue *queue = device.queue();
  auto *memory = static_cast<char *>(device.allocate(4096));
  uint64_t pattern = 0x8877665544332211;
  for (uint32_t bytes : {1u, 2u, 4u, 8u}) {
    unsigned char got[4096];
    submit(device, queue,
           {fill(device, memory, 0, 1, 4096),
            fill(device, memory + 8, pattern, bytes, 1000),
            copyFrom(device, got, memory, 4096)});
    finish(device, queue);
    bool good = got[7] == 0 && got[1008] == 0;
    for (uint32_t i = 0; i < 1000; ++i)
      good &= got[8 + i] == (pattern >> i % bytes * 8 & 0xff);
    CHECK(good);
  }
  device.free(memory);
  device.driver.queue_destroy(queue);
}

/// Commands of a queue run in order, over several submissions.
static void testOrder(Fixture &device, const KernelImage &code) {
  const heddle_driver_kernel *count = device.kernel(code, "count");
  heddle_driver_queue *queue = device.queue();
  void *memory = device.allocate(4000);
  submit(device, queue, {fill(device, memory, 5, 4, 4000)});
  for (int i = 0; i < 20; ++i)
    submit(device, queue, {countUp(device, count, memory, 1000, 37)});
  submit(device, queue,
         {countUp(device, count, memory, 1000, 1000),
          countUp(device, count, memory, 999, 10)});
  std::vector<int32_t> got(1000);
  submit(device, queue, {copyFrom(device, got.data(), memory, 4000)});
  finish(device, queue);
  CHECK(std::count(got.begin(), got.end(), 27) == 999 && got[999] == 26);
  device.free(memory);
  device.driver.queue_destroy(queue);
}

/// Tells a launch how many elements to count up.
static int32_t tellLaunch(void *user, const void *integer, heddle_status *why) {
  auto &launch = *static_cast<Command *>(user);
  int32_t elements;
  std::memcpy(&elements, integer, sizeof(elements));
  if (elements < 0)
    return tell({HEDDLE_TENSOR_SHAPE, "no number of elements"}, why);
  launch.integers[0] = elements;
  launch.command.tiles =
      (elements + launch.integers[1] - 1) / launch.integers[1];
  return HEDDLE_OK;
}

/// A launch behind a count is told what lies in the device's memory when the
/// commands before are done, each time that it is submitted.
static void testCounts(Fixture &device, const KernelImage &code) {
  // Plans are made and verified by the kind.
  auto kind = static_cast<DeviceKind>(device.driver.kind);
  CHECK(kind == DeviceKind::cpu ||
        readsCounts(kind) == bool(device.driver.counts_in_queues));
  if (!device.driver.counts_in_queues)
    return;
  heddle_driver_queue *queue = device.queue();
  void *number = device.allocate(4), *memory = device.allocate(4000);
  Command told =
      countUp(device, device.kernel(code, "count"), memory, 1000, 37);
  Command launch = told, count;
  launch.command.latest = &told.get();
  count.command.kind = HEDDLE_COMMAND_COUNT;
  count.command.count = tellLaunch;
  count.command.user = &told;
  count.buffers = {number};
  count.uses = {device.own(4, HEDDLE_ACCESS_READ)};
  auto run = [&](int32_t elements) {
    submit(device, queue,
           {fill(device, number, uint32_t(elements), 4, 4), count, launch});
  };
  submit(device, queue, {fill(device, memory, 5, 4, 4000)});
  for (int32_t elements : {1000, 1, 0, 38, 37})
    run(elements);
  std::vector<int32_t> got(1000);
  submit(device, queue, {copyFrom(device, got.data(), memory, 4000)});
  finish(device, queue);
  CHECK(got[0] == 9 && std::count(got.begin(), got.end(), 8) == 36 &&
        got[37] == 7 && std::count(got.begin(), got.end(), 6) == 962);
  // What goes wrong is told, and what is behind is left out.
  heddle_status why;
  run(-1);
  CHECK(device.driver.queue_wait(queue, 0, &why) == HEDDLE_TENSOR_SHAPE &&
        std::strstr(why.message, "no number of elements"));
  device.free(number);
  device.free(memory);
  device.driver.queue_destroy(queue);
}

/// A chain through many queues, each link waiting for the one before.
static void testManyQueues(Fixture &device, const KernelImage &code) {
  const heddle_driver_kernel *count = device.kernel(code, "count");
  constexpr size_t links = 60;
  std::vector<heddle_driver_queue *> queues;
  Events events;
  for (size_t i = 0; i < links; ++i) {
    queues.push_back(device.queue());
    events.push_back(device.event());
  }
  void *memory = device.allocate(400);
  for (int round = 0; round < 3; ++round) {
    submit(device, queues[0], {fill(device, memory, 0, 1, 400)}, {},
           {events[0]});
    for (size_t i = 1; i < links; ++i)
      submit(device, queues[i], {countUp(device, count, memory, 100, 10)},
             {events[i - 1]}, {events[i]});
    std::vector<int32_t> got(100);
    heddle_status why;
    CHECK(!device.driver.event_wait(events.back(), 0, &why));
    CHECK(device.driver.event_done(events.back()));
    submit(device, queues[0], {copyFrom(device, got.data(), memory, 400)});
    finish(device, queues[0]);
    CHECK(std::count(got.begin(), got.end(), int32_t(links) - 1) == 100);
  }
  for (size_t i = 0; i < links; ++i) {
    device.driver.event_destroy(events[i]);
    device.driver.queue_destroy(queues[i]);
  }
  device.free(memory);
}

/// Two queues fork from one and join in it again.
static void testForkAndJoin(Fixture &device, const KernelImage &code) {
  const heddle_driver_kernel *add = device.kernel(code, "add");
  heddle_driver_queue *queues[] = {device.queue(), device.queue(),
                                   device.queue()};
  Events events = {device.event(), device.event(), device.event()};
  auto *memory = static_cast<char *>(device.allocate(4096));
  auto sum = [&](int left, int right, int result) {
    Command launch;
    launch.command.kind = HEDDLE_COMMAND_LAUNCH;
    launch.command.kernel = add;
    launch.command.tiles = launch.command.chunk = 1;
    launch.buffers = {memory + left * 512, memory + right * 512,
                      memory + result * 512};
    launch.uses = {device.own(400, HEDDLE_ACCESS_READ),
                   device.own(400, HEDDLE_ACCESS_READ),
                   device.own(400, HEDDLE_ACCESS_WRITE)};
    launch.integers = {100, 100};
    return launch;
  };
  std::vector<float> ones(100, 1.0f), got(100);
  submit(device, queues[0], {copyTo(device, memory, ones.data(), 400)}, {},
         {events[0]});
  submit(device, queues[1], {sum(0, 0, 1)}, {events[0]}, {events[1]});
  submit(device, queues[2], {sum(0, 0, 2), sum(0, 2, 3)}, {events[0]},
         {events[2]});
  submit(device, queues[0],
         {sum(1, 3, 4), copyFrom(device, got.data(), memory + 2048, 400)},
         {events[1], events[2]});
  finish(device, queues[0]);
  CHECK(std::count(got.begin(), got.end(), 5.0f) == 100);
  for (int i = 0; i < 3; ++i) {
    device.driver.event_destroy(events[size_t(i)]);
    device.driver.queue_destroy(queues[i]);
  }
  device.free(memory);
}

static void testEvents(const Fixture &device) {
  heddle_status why;
  heddle_driver_event *event = device.event();
  heddle_driver_queue *queue = device.queue();
  CHECK(device.driver.event_done(event));
  CHECK(!device.driver.event_wait(event, 0, &why));
  // Nothing to do is something to wait for, too.
  submit(device, queue, {}, {event}, {event});
  CHECK(!device.driver.event_wait(event, 0, &why));
  // Waiting for nothing passes no deadline.
  CHECK(!device.driver.queue_wait(queue, 1, &why));
  CHECK(!device.driver.event_wait(event, 1, &why));
  device.driver.queue_destroy(queue);
  device.driver.event_destroy(event);
}

/// A command that the device refuses when it comes to it: no device follows
/// memory that is nobody's.
static Command failing(const Fixture &device) {
  static int32_t from = 1, to = 0;
  Command copy = copyTo(device, &to, &from, 4);
  copy.uses[0].device = nullptr;
  return copy;
}

/// What fails stays with the queue and with the events it was to signal; all
/// behind it is left out, on other queues too; waiting tells and clears it.
static void testErrors(const Fixture &device) {
  // What the caller's threads run has failed or not when `submit` returns.
  if (device.driver.run)
    return;
  heddle_status why;
  heddle_driver_queue *first = device.queue(), *second = device.queue();
  heddle_driver_event *before = device.event(), *event = device.event();
  auto *memory = static_cast<char *>(device.allocate(400));
  int32_t got[2] = {}, never = 0;
  submit(device, first, {fill(device, memory, 1, 4, 400)}, {}, {before});
  submit(device, first, {failing(device), copyFrom(device, &never, memory, 4)},
         {}, {event});
  submit(device, first, {fill(device, memory + 200, 2, 4, 200)});
  submit(device, second, {copyFrom(device, &never, memory, 4)}, {event});
  int32_t code = device.driver.event_wait(event, 0, &why);
  CHECK(code && why.code == code && *why.message);
  CHECK(device.driver.event_done(event));
  // An event that tells it goes on doing so; one of before never does.
  CHECK(device.driver.event_wait(event, 0, &why) == code);
  CHECK(!device.driver.event_wait(before, 0, &why));
  CHECK(device.driver.queue_wait(second, 0, &why) == code);
  CHECK(device.driver.queue_wait(first, 0, &why) == code && never == 0);
  // Now both are as new, and the event too once it is signalled again.
  submit(device, first, {}, {}, {event});
  submit(device, second,
         {copyFrom(device, &got[0], memory, 4),
          copyFrom(device, &got[1], memory + 200, 4)},
         {event});
  finish(device, first);
  finish(device, second);
  CHECK(!device.driver.event_wait(event, 0, &why) && got[0] == 1 &&
        got[1] == 1);
  device.free(memory);
  device.driver.event_destroy(before);
  device.driver.event_destroy(event);
  device.driver.queue_destroy(first);
  device.driver.queue_destroy(second);
}

/// A deadline that passes over work that is not done ends the wait alone: the
/// work goes on, and a later wait finds it done.
static void testDeadlines(Fixture &device, const KernelImage &code) {
  const heddle_driver_kernel *count = device.kernel(code, "count");
  heddle_driver_queue *queue = device.queue();
  heddle_driver_event *event = device.event();
  void *memory = device.allocate(4000);
  heddle_status why;
  bool queueWasLate = false, eventWasLate = false;
  // A device may be done before the host looks.
  for (int attempt = 0; attempt < 100 && !(queueWasLate && eventWasLate);
       ++attempt) {
    submit(device, queue, {fill(device, memory, 0, 4, 4000)});
    for (int i = 0; i < 50; ++i)
      submit(device, queue, {countUp(device, count, memory, 1000, 100)}, {},
             {event});
    constexpr uint64_t longAgo = 1;
    int32_t late = attempt % 2 ? device.driver.queue_wait(queue, longAgo, &why)
                               : device.driver.event_wait(event, longAgo, &why);
    CHECK(!late || (late == HEDDLE_DEADLINE_EXCEEDED && why.code == late));
    (attempt % 2 ? queueWasLate : eventWasLate) |= late != 0;
    int32_t got = 0;
    submit(device, queue, {copyFrom(device, &got, memory, 4)});
    finish(device, queue);
    CHECK(got == 50);
    CHECK(device.driver.event_done(event) &&
          !device.driver.event_wait(event, longAgo, &why));
  }
  // What the caller's threads run is done when it was submitted.
  CHECK((queueWasLate && eventWasLate) == !device.driver.run);
  device.free(memory);
  device.driver.event_destroy(event);
  device.driver.queue_destroy(queue);
}

/// Waiting for a device is waiting for all its queues.
static void testDeviceWait(Fixture &device, const KernelImage &code) {
  if (!device.driver.device_wait)
    return;
  const heddle_driver_kernel *count = device.kernel(code, "count");
  heddle_driver_queue *queues[] = {device.queue(), device.queue()};
  Events events = {device.event(), device.event()};
  void *memories[] = {device.allocate(4000), device.allocate(4000)};
  for (int i = 0; i < 50; ++i)
    for (size_t j = 0; j < 2; ++j)
      submit(device, queues[j],
             {countUp(device, count, memories[j], 1000, 100)}, {}, {events[j]});
  heddle_status why;
  CHECK(!device.driver.device_wait(device.handle(), &why));
  for (size_t j = 0; j < 2; ++j) {
    CHECK(device.driver.event_done(events[j]));
    finish(device, queues[j]);
    device.free(memories[j]);
    device.driver.event_destroy(events[j]);
    device.driver.queue_destroy(queues[j]);
  }
}

/// What was discarded holds anything, until it is written again.
static void testDiscard(const Fixture &device) {
  if (!device.driver.discard)
    return;
  heddle_driver_queue *queue = device.queue();
  auto *memory = static_cast<char *>(device.allocate(8192));
  std::vector<int32_t> got(2048);
  submit(device, queue, {fill(device, memory, 4, 4, 8192)});
  finish(device, queue);
  device.driver.discard(device.handle(), memory + 4096, 4096);
  submit(device, queue,
         {fill(device, memory + 4096, 6, 4, 2048),
          copyFrom(device, got.data(), memory, 6144)});
  finish(device, queue);
  CHECK(std::count(got.begin(), got.begin() + 1024, 4) == 1024 &&
        std::count(got.begin() + 1024, got.begin() + 1536, 6) == 512);
  device.free(memory);
  device.driver.queue_destroy(queue);
}

static void testSegments(Fixture &device, const KernelImage &code) {
  if (!device.driver.segment_create) {
    CHECK(!device.driver.segment_destroy);
    return;
  }
  const heddle_driver_kernel *count = device.kernel(code, "count");
  heddle_driver_queue *queue = device.queue();
  void *memory = device.allocate(400);
  heddle_status why;
  heddle_driver_segment *segment = nullptr;
  {
    Command first = countUp(device, count, memory, 100, 9);
    Command second = countUp(device, count, memory, 50, 50);
    std::vector<heddle_driver_command> list = {first.get(), second.get()};
    CHECK(!device.driver.segment_create(queue, list.data(), list.size(),
                                        &segment, &why));
    // What they pointed to goes.
    first.buffers[0] = second.buffers[0] = nullptr;
    first.integers[0] = second.integers[0] = 0;
  }
  submit(device, queue, {fill(device, memory, 0, 1, 400)});
  heddle_driver_submission submission = {};
  submission.segment = segment;
  for (int i = 0; i < 10; ++i)
    CHECK(!device.driver.submit(queue, &submission, &why));
  std::vector<int32_t> got(100);
  submit(device, queue, {copyFrom(device, got.data(), memory, 400)});
  finish(device, queue);
  CHECK(std::count(got.begin(), got.end(), 20) == 50 && got[99] == 10);
  device.driver.segment_destroy(segment);
  device.free(memory);
  device.driver.queue_destroy(queue);
}

/// The same commands on this thread, in pieces and from the end.
static void testRun(Fixture &device, const KernelImage &code) {
  if (!device.driver.run)
    return;
  CHECK(device.device->isMapped(device.space));
  auto *memory = static_cast<int32_t *>(device.allocate(4000));
  Command zero = fill(device, memory, 0, 4, 4000);
  Command count =
      countUp(device, device.kernel(code, "count"), memory, 1000, 100);
  char scratch[64];
  heddle_driver_worker worker = {0, scratch};
  for (int64_t i = 4; i-- > 0;)
    device.driver.run(&zero.get(), &worker, i * 1000, (i + 1) * 1000);
  for (int64_t i = 10; i-- > 0;)
    device.driver.run(&count.get(), &worker, i, i + 1);
  CHECK(std::count(memory, memory + 1000, 1) == 1000);
  device.free(memory);
}

static void testHostMemory(const Fixture &device) {
  heddle_status why;
  heddle_driver_queue *queue = device.queue();
  std::vector<int32_t> given = numbers(1000, 5), got(1000);
  // Imported memory is used in place.
  CHECK(!device.driver.import == !device.driver.unimport);
  if (device.driver.import) {
    void *address = nullptr;
    CHECK(!device.driver.import(device.handle(), given.data(), 4000, &address,
                                &why));
    submit(device, queue, {fill(device, address, 9, 4, 40)});
    finish(device, queue);
    CHECK(given[9] == 9 && given[10] == 51);
    device.driver.unimport(device.handle(), address);
  }
  // Of memory that is pinned, copies are as of other memory.
  CHECK(!device.driver.pin == !device.driver.unpin);
  if (device.driver.pin) {
    CHECK(!device.driver.pin(device.handle(), given.data(), 4000, &why));
    void *memory = device.allocate(4000);
    submit(device, queue,
           {copyTo(device, memory, given.data(), 4000),
            copyFrom(device, got.data(), memory, 4000)});
    finish(device, queue);
    CHECK(got == given);
    device.free(memory);
    device.driver.unpin(device.handle(), given.data());
  }
  CHECK(!device.driver.map == !device.driver.unmap);
  if (device.driver.map) {
    void *memory = device.allocate(4000), *mapped = nullptr;
    CHECK(!device.driver.map(device.handle(), memory, 4000, &mapped, &why));
    memcpy(mapped, given.data(), 4000);
    submit(device, queue, {copyFrom(device, got.data(), memory, 4000)});
    finish(device, queue);
    CHECK(got == given);
    device.driver.unmap(device.handle(), mapped);
    device.free(memory);
  }
  // The host follows addresses of a space that is mapped.
  if (device.device->isMapped(HEDDLE_SPACE_PINNED)) {
    void *memory = nullptr;
    CHECK(!device.driver.allocate(device.handle(), HEDDLE_SPACE_PINNED, 4000,
                                  &memory, &why));
    submit(device, queue, {fill(device, memory, 3, 4, 4000)});
    finish(device, queue);
    CHECK(static_cast<int32_t *>(memory)[999] == 3);
    device.free(memory);
  }
  device.driver.queue_destroy(queue);
}

/// Memory of one device to that of another of the same driver, and events
/// between their queues.
static void testTwoDevices(Fixture &from, Fixture &to) {
  heddle_driver_queue *sends = from.queue(), *takes = to.queue();
  heddle_driver_event *sent = from.event();
  std::vector<int32_t> given = numbers(1000, 7), got(1000);
  void *source = from.allocate(4000), *target = to.allocate(4000);
  submit(from, sends, {copyTo(from, source, given.data(), 4000)}, {}, {sent});
  submit(to, takes,
         {copyBetween(to, target, from, source, 4000),
          copyFrom(to, got.data(), target, 4000)},
         {sent});
  finish(to, takes);
  CHECK(got == given);
  from.driver.queue_destroy(sends);
  to.driver.queue_destroy(takes);
  from.driver.event_destroy(sent);
  from.free(source);
  to.free(target);
}

static void testEverything(Fixture &device, const KernelImage &code) {
  testDescription(device);
  testAllocation(device);
  testOutOfMemory(device);
  testCopies(device);
  testFills(device);
  testOrder(device, code);
  testCounts(device, code);
  testManyQueues(device, code);
  testForkAndJoin(device, code);
  testEvents(device);
  testErrors(device);
  testDeadlines(device, code);
  testDeviceWait(device, code);
  testDiscard(device);
  testSegments(device, code);
  testRun(device, code);
  testHostMemory(device);
}

/// The test kernels as the devices of a driver take them: a new kind of code
/// adds a line.
static const KernelImage *kernelsFor(const heddle_driver &driver,
                                     const KernelImage &elf,
                                     const KernelImage &ptx) {
  const std::pair<std::string, const KernelImage *> images[] = {
      {"cpu", &elf}, {"sim", &elf}, {"cuda", &ptx}};
  for (const auto &[name, image] : images)
    if (name == driver.name)
      return image;
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  setenv("HEDDLE_SIM", "seed=3,delay=10,memory=64", 1);
  auto code = KernelImage::read(std::string(argv[1]) + "/../kernels.elf");
  auto grid = KernelImage::readGrid(std::string(argv[1]) + "/../kernels.ptx");
  unsigned tested = 0;
  for (const heddle_driver *driver : allDrivers) {
    const KernelImage *kernels = kernelsFor(*driver, code, grid);
    if (!kernels) {
      std::fprintf(stderr, "no test kernels for '%s'\n", driver->name);
      return 1;
    }
    heddle_status why = {};
    uint32_t count = driver->device_count(&why);
    if (!count)
      std::printf("no device of '%s': %s\n", driver->name, why.message);
    std::vector<std::unique_ptr<Fixture>> devices;
    for (uint32_t i = 0; i < count; ++i) {
      std::shared_ptr<Device> device;
      if (Error error = Device::open(*driver, i, device)) {
        std::fprintf(stderr, "%s\n", error.message().c_str());
        return 1;
      }
      std::printf("%s\n", device->name().c_str());
      devices.push_back(std::make_unique<Fixture>(std::move(device)));
      testEverything(*devices.back(), *kernels);
      ++tested;
    }
    for (size_t i = 1; i < devices.size(); ++i) {
      testTwoDevices(*devices[i - 1], *devices[i]);
      testTwoDevices(*devices[i], *devices[i - 1]);
    }
  }
  CHECK(tested >= 3);
  return finish();
}
