// What simulated devices find that is wrong with whoever drives them: memory of
// the wrong side, waits that are missing, early reuse; and the failures that
// HEDDLE_SIM asks for. Argument: the folder of the test models.

#include "test/runtime/drivers/Fixture.h"
#include "test/runtime/forks.h"

#include "runtime/drivers/sim/SimDriver.h"
#include "runtime/drivers/sim/SimMemory.h"
#include "runtime/drivers/sim/SimOptions.h"

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>

using namespace heddle::runtime;
using namespace heddle::test;

static std::unique_ptr<Fixture> open(const char *options, uint32_t number = 0) {
  setenv("HEDDLE_SIM", options, 1);
  std::shared_ptr<Device> device;
  if (Error error = Device::open(simDriver, number, device)) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    std::exit(1);
  }
  return std::make_unique<Fixture>(std::move(device));
}

/// Waiting for the queue must tell an error with this in its message.
static void expectFailure(const Fixture &device, heddle_driver_queue *queue,
                          const char *part, int line) {
  heddle_status why = {};
  expect({device.driver.queue_wait(queue, 0, &why), ""}, HEDDLE_DEVICE_FAILED,
         nullptr, line);
  if (!strstr(why.message, part)) {
    std::fprintf(stderr, "line %d: got '%s', wanted '%s'\n", line, why.message,
                 part);
    ++failures;
  }
}
#define EXPECT_FAILURE(device, queue, part)                                    \
  expectFailure(device, queue, part, __LINE__)

/// What becomes of a child that does `action`: its signal, or 0.
template <typename Action> static int signalOf(Action action) {
  pid_t child = fork();
  if (!child) {
    // Neither a core nor a report of a sanitizer is wanted.
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void testHostCannotTouch() {
  auto sim = open("memory=16");
  auto *memory = static_cast<volatile char *>(sim->allocate(4096));
  CHECK(signalOf([&] { (void)*memory; }) == SIGSEGV);
  CHECK(signalOf([&] { *memory = 1; }) == SIGSEGV);
  CHECK(signalOf([] {}) == 0);
  sim->free(const_cast<char *>(memory));
}

static void testLimitedMemory() {
  auto sim = open("memory=3");
  std::vector<void *> pieces;
  for (int i = 0; i < 3; ++i)
    pieces.push_back(sim->allocate(1 << 20));
  heddle_status why;
  void *more = nullptr;
  CHECK(sim->driver.allocate(sim->handle(), HEDDLE_SPACE_DEVICE, 1, &more,
                             &why) == HEDDLE_DEVICE_MEMORY);
  CHECK(strstr(why.message, "3145728 of 3145728 are in use"));
  sim->free(pieces[1]);
  CHECK(sim->allocate(1 << 20) == pieces[1]);
  for (void *piece : pieces)
    sim->free(piece);
}

static void testWrongMemory(const KernelImage &code) {
  auto sim = open("memory=16"), other = open("memory=16", 1);
  const heddle_driver_kernel *count = sim->kernel(code, "count");
  heddle_driver_queue *queue = sim->queue();
  int32_t ofHost[100] = {};
  void *own = sim->allocate(400), *foreign = other->allocate(400);

  Command launch = countUp(*sim, count, ofHost, 100, 100);
  launch.uses[0].device = nullptr;
  submit(*sim, queue, {launch});
  EXPECT_FAILURE(*sim, queue, "buffer 0 of a command is memory of the host");
  // The same, but said to be the device's.
  submit(*sim, queue, {countUp(*sim, count, ofHost, 100, 100)});
  EXPECT_FAILURE(*sim, queue,
                 "is not in memory of device 'sim:0' that is allocated");
  launch = countUp(*sim, count, foreign, 100, 100);
  launch.uses[0].device = other->handle();
  submit(*sim, queue, {launch});
  EXPECT_FAILURE(*sim, queue, "is memory of device 'sim:1'");
  // Beyond the end.
  submit(*sim, queue, {countUp(*sim, count, own, 1100, 100)});
  EXPECT_FAILURE(*sim, queue, "is not in memory of device 'sim:0'");
  // After a wait the queue is as new.
  submit(*sim, queue, {fill(*sim, own, 1, 4, 400)});
  finish(*sim, queue);

  sim->free(own);
  submit(*sim, queue, {fill(*sim, own, 1, 4, 400)});
  EXPECT_FAILURE(*sim, queue, "is not in memory of device 'sim:0'");
  CHECK(ofHost[0] == 0);
  sim->driver.queue_destroy(queue);
  other->free(foreign);
}

/// Memory that nobody wrote holds nothing that could pass for a result, also
/// after it was used before.
static void testPoison() {
  auto sim = open("memory=16");
  heddle_driver_queue *queue = sim->queue();
  for (int round = 0; round < 2; ++round) {
    void *memory = sim->allocate(4096);
    for (int use = 0; use < 2; ++use) {
      std::vector<unsigned char> got(4096);
      submit(*sim, queue,
             {copyFrom(*sim, got.data(), memory, 4096),
              fill(*sim, memory, 0, 1, 4096)});
      finish(*sim, queue);
      CHECK(got == std::vector<unsigned char>(4096, SimMemory::poison));
      sim->driver.discard(sim->handle(), memory, 4096);
    }
    sim->free(memory);
  }
  sim->driver.queue_destroy(queue);
}

/// Two queues: one writes, the other reads, or writes, too. Without an event
/// between them that is an error in every run.
static void testMissingWaits() {
  auto sim = open("memory=16,delay=0");
  heddle_driver_queue *first = sim->queue(), *second = sim->queue();
  heddle_driver_event *event = sim->event();
  void *memory = sim->allocate(400);
  int32_t got[100], early[100];
  heddle_status why = {};
  auto isRace = [&](std::vector<Command> commands, const Events &waits) {
    int32_t code =
        trySubmit(*sim, second, std::move(commands), waits, {}, &why);
    CHECK(!code || (code == HEDDLE_DEVICE_FAILED &&
                    strstr(why.message, "that it does not wait for")));
    return code != HEDDLE_OK;
  };
  // Read after write.
  submit(*sim, first, {fill(*sim, memory, 7, 4, 400)}, {}, {event});
  CHECK(isRace({copyFrom(*sim, got, memory, 400)}, {}));
  CHECK(
      isRace({copyFrom(*sim, got, static_cast<char *>(memory) + 396, 4)}, {}));
  CHECK(!isRace({copyFrom(*sim, got, memory, 400)}, {event}));
  // Write after read: early reuse.
  submit(*sim, first, {copyFrom(*sim, early, memory, 400)}, {}, {});
  CHECK(isRace({fill(*sim, memory, 8, 4, 400)}, {event}));
  // An event of before does not do.
  finish(*sim, first);
  finish(*sim, second);
  submit(*sim, first, {fill(*sim, memory, 9, 4, 400)}, {}, {});
  CHECK(isRace({copyFrom(*sim, got, memory, 400)}, {event}));
  // The host's own waits order, too.
  finish(*sim, first);
  CHECK(!isRace({copyFrom(*sim, got, memory, 400)}, {}));
  finish(*sim, second);
  CHECK(got[0] == 9 && got[99] == 9);

  // Memory that goes while it is used: the next to submit is told.
  submit(*sim, first, {fill(*sim, memory, 9, 4, 400)}, {}, {});
  sim->free(memory);
  CHECK(trySubmit(*sim, first, {}, {}, {}, &why) == HEDDLE_DEVICE_FAILED &&
        strstr(why.message, "memory is freed while a command"));
  (void)sim->driver.queue_wait(first, 0, &why);
  sim->driver.event_destroy(event);
  sim->driver.queue_destroy(first);
  sim->driver.queue_destroy(second);
}

/// Without the search for races, a missing wait gives what was there, in some
/// of the orders; and each seed has its order.
static void testLateCompletion() {
  unsigned poisoned = 0;
  for (int seed = 0; seed < 24; ++seed) {
    std::string options =
        "memory=16,races=0,delay=300,seed=" + std::to_string(seed);
    auto sim = open(options.c_str());
    heddle_driver_queue *first = sim->queue(), *second = sim->queue();
    void *memory = sim->allocate(400);
    int32_t got[100];
    submit(*sim, first, {fill(*sim, memory, 7, 4, 400)});
    submit(*sim, second, {copyFrom(*sim, got, memory, 400)});
    finish(*sim, second);
    finish(*sim, first);
    poisoned += got[0] != 7;
    CHECK(got[0] == 7 || got[0] == int32_t(0xc5c5c5c5));
    sim->driver.queue_destroy(first);
    sim->driver.queue_destroy(second);
    sim->free(memory);
  }
  CHECK(poisoned > 0 && poisoned < 24);
}

/// An error stays with what depends on the command that failed, and with
/// nothing else.
static void testErrorsOnDemand() {
  // Two queues, an allocation, two submissions; then the command that fills.
  auto sim = open("memory=16,fail=6,delay=1");
  heddle_driver_queue *first = sim->queue(), *second = sim->queue();
  heddle_driver_event *event = sim->event(), *other = sim->event();
  void *memory = sim->allocate(400);
  int32_t got[100] = {}, never[10] = {};
  heddle_status why = {};
  submit(*sim, first, {}, {}, {other});
  submit(*sim, first, {fill(*sim, memory, 1, 4, 400)}, {}, {event});
  CHECK(sim->driver.event_wait(event, 0, &why) == HEDDLE_DEVICE_FAILED);
  CHECK(strstr(why.message, "operation 6 (command) failed"));
  CHECK(sim->driver.event_done(event));
  CHECK(!sim->driver.event_wait(other, 0, &why));
  // Behind it, on its queue and on another, nothing is run.
  submit(*sim, first, {copyFrom(*sim, got, memory, 400)});
  submit(*sim, second, {copyFrom(*sim, never, memory, 40)}, {event});
  EXPECT_FAILURE(*sim, first, "operation 6 (command) failed");
  EXPECT_FAILURE(*sim, second, "operation 6 (command) failed");
  CHECK(got[0] == 0 && never[0] == 0);
  submit(*sim, first,
         {fill(*sim, memory, 2, 4, 400), copyFrom(*sim, got, memory, 400)}, {},
         {event});
  CHECK(!sim->driver.event_wait(event, 0, &why) && got[0] == 2);
  finish(*sim, first);
  sim->driver.queue_destroy(first);
  sim->driver.queue_destroy(second);
  sim->driver.event_destroy(event);
  sim->driver.event_destroy(other);
  sim->free(memory);

  sim.reset();
  sim = open("memory=16,fail=1");
  CHECK(sim->driver.allocate(sim->handle(), HEDDLE_SPACE_DEVICE, 64, &memory,
                             &why) == HEDDLE_DEVICE_FAILED);
  sim.reset();
  sim = open("memory=16,fail=1");
  CHECK(sim->driver.queue_create(sim->handle(), &first, &why) ==
        HEDDLE_DEVICE_FAILED);
}

static void testDeadline() {
  auto sim = open("memory=16,delay=1000000,seed=5");
  heddle_driver_queue *queue = sim->queue();
  heddle_driver_event *event = sim->event();
  void *memory = sim->allocate(64);
  heddle_status why = {};
  submit(*sim, queue, {fill(*sim, memory, 0, 1, 64)}, {}, {event});
  CHECK(!sim->driver.event_done(event));
  CHECK(sim->driver.event_wait(event, 1, &why) == HEDDLE_DEADLINE_EXCEEDED);
  CHECK(sim->driver.queue_wait(queue, 1, &why) == HEDDLE_DEADLINE_EXCEEDED);
  finish(*sim, queue);
  sim->driver.queue_destroy(queue);
  sim->driver.event_destroy(event);
  sim->free(memory);
}

static void testLimitOfQueues() {
  auto sim = open("memory=16");
  std::vector<heddle_driver_queue *> queues;
  heddle_status why;
  heddle_driver_queue *queue = nullptr;
  int32_t code = 0;
  while (!(code = sim->driver.queue_create(sim->handle(), &queue, &why)))
    queues.push_back(queue);
  CHECK(code == HEDDLE_DEVICE_FAILED && queues.size() == 255);
  for (heddle_driver_queue *each : queues)
    sim->driver.queue_destroy(each);
  sim->driver.queue_destroy(sim->queue());
}

static void testOptions() {
  SimOptions options;
  CHECK(!SimOptions::parse("devices=3,memory=1,seed=9,delay=0,fail=4,races=0",
                           options));
  CHECK(options.devices == 3 && options.memoryMiB == 1 && options.seed == 9 &&
        options.delayUs == 0 && options.fail == 4 && !options.findsRaces);
  CHECK(!SimOptions::parse("", options));
  for (const char *wrong :
       {"devices=65", "memory=0", "memory", "seed=-1", "delay=1000001",
        "races=2", "speed=1", "seed=1,,", "seed=99999999999999999999", "="}) {
    Error error = SimOptions::parse(wrong, options);
    CHECK(error.code() == HEDDLE_ARGUMENT_INVALID &&
          error.message().find("HEDDLE_SIM holds '") == 0);
  }
  setenv("HEDDLE_SIM", "devices=1", 1);
  std::shared_ptr<Device> device;
  Error error = Device::open(simDriver, 1, device);
  CHECK(error.code() == HEDDLE_DEVICE_MISSING &&
        error.message().find("'sim:1'") != std::string::npos);
}

/// A child process cannot use its parent's devices, whatever their threads held
/// at the fork, and is told so at once; it can open its own, and end all.
static void testFork() {
  auto sim = open("memory=16,delay=100000");
  heddle_driver_queue *queue = sim->queue();
  heddle_driver_event *event = sim->event();
  void *memory = sim->allocate(4096);
  submit(*sim, queue, {fill(*sim, memory, 0, 1, 4096)}, {}, {event});
  pid_t child = fork();
  if (!child) {
    alarm(20);
    const char *why = "was opened before this process was forked";
    auto refused = [&](int32_t code, const heddle_status &status) {
      CHECK(code == HEDDLE_DEVICE_FAILED && strstr(status.message, why));
    };
    heddle_status status = {};
    void *more = nullptr;
    heddle_driver_queue *another = nullptr;
    heddle_driver_submission again = {};
    refused(sim->driver.allocate(sim->handle(), HEDDLE_SPACE_DEVICE, 1, &more,
                                 &status),
            status);
    refused(sim->driver.queue_create(sim->handle(), &another, &status), status);
    refused(sim->driver.submit(queue, &again, &status), status);
    refused(sim->driver.queue_wait(queue, 0, &status), status);
    refused(sim->driver.event_wait(event, 0, &status), status);
    CHECK(sim->driver.event_done(event));
    auto own = open("memory=16,delay=0");
    CHECK(own->handle() != sim->handle());
    heddle_driver_queue *mine = own->queue();
    void *place = own->allocate(4096);
    submit(*own, mine, {fill(*own, place, 0, 1, 4096)});
    finish(*own, mine);
    own->free(place);
    own->driver.queue_destroy(mine);
    sim->free(memory);
    sim->driver.event_destroy(event);
    sim->driver.queue_destroy(queue);
    sim.reset();
    std::exit(finish());
  }
  await_child(child);
  finish(*sim, queue);
  sim->free(memory);
  sim->driver.event_destroy(event);
  sim->driver.queue_destroy(queue);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  auto code = KernelImage::read(std::string(argv[1]) + "/../kernels.elf");
  testOptions();
  testHostCannotTouch();
  testLimitedMemory();
  testWrongMemory(code);
  testPoison();
  testMissingWaits();
  testLateCompletion();
  testErrorsOnDemand();
  testDeadline();
  testLimitOfQueues();
  if (may_fork())
    testFork();
  return finish();
}
