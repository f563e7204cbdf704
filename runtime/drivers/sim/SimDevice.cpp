// Memory, queues and the threads of a simulated device, which finish late and
// in a random order.

#include "runtime/drivers/sim/SimDevice.h"

#include "runtime/PerProcess.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/Commands.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>

using namespace heddle;
using namespace heddle::runtime;

SimMachine &SimMachine::get() {
  static PerProcess<SimMachine> machine;
  return machine.get();
}

SimCommand::SimCommand(const heddle_driver_command &given)
    : command(given),
      buffers(given.buffers, given.buffers + given.buffer_count),
      uses(given.uses, given.uses + given.buffer_count),
      integers(given.integers, given.integers + given.integer_count) {}

void SimFailure::set(heddle_code why, const char *text) {
  code = why;
  std::snprintf(message, sizeof(message), "%s", text);
}

void SimFailure::set(const Error &error) {
  set(error.code(), error.message().c_str());
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

Error SimDevice::create() {
  if (Error error = SimOptions::read(options))
    return error;
  if (number >= options.devices)
    return {HEDDLE_DEVICE_MISSING, "there is no device '" + name +
                                       "': of 'sim' there are " +
                                       std::to_string(options.devices) +
                                       " (HEDDLE_SIM=devices=N says how many)"};
  if (Error error = memory.create(options.memoryMiB << 20, name))
    return error;
  lots.seed(options.seed * 64 + number);

  SimMachine &machine = SimMachine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  BlockedSignals blocked;
  int failed = pthread_create(
      &thread, nullptr,
      [](void *device) -> void * {
        static_cast<SimDevice *>(device)->work();
        return nullptr;
      },
      this);
  if (failed)
    return {HEDDLE_THREADS_UNAVAILABLE, "cannot start the thread of device '" +
                                            name +
                                            "': " + std::strerror(failed)};
  started = true;
  ++machine.devices;
  return {};
}

SimDevice::~SimDevice() {
  if (!started || !isOurs())
    return;
  SimMachine &machine = SimMachine::get();
  {
    std::lock_guard<std::mutex> lock(machine.mutex);
    stopping = true;
    // What is known of addresses that nobody has any more goes with the last.
    if (!--machine.devices) {
      machine.races.forget();
      machine.usedSlots.clear();
    }
    machine.changed.notify_all();
  }
  pthread_join(thread, nullptr);
}

Error SimDevice::checkProcess() const {
  if (isOurs())
    return {};
  return {HEDDLE_DEVICE_FAILED,
          "device '" + name +
              "' was opened before this process was forked, and serves the "
              "parent only: load the program and open the device in this "
              "process once more, after the fork"};
}

Error SimDevice::countOperation(const char *what) {
  if (++operations != options.fail)
    return {};
  return {HEDDLE_DEVICE_FAILED, "device '" + name + "': operation " +
                                    std::to_string(operations) + " (" + what +
                                    ") failed, as HEDDLE_SIM asks"};
}

bool SimDevice::wait(std::unique_lock<std::mutex> &lock, uint64_t deadlineNs,
                     const std::function<bool()> &isDone) {
  SimMachine &machine = SimMachine::get();
  while (!isDone()) {
    if (!deadlineNs) {
      machine.changed.wait(lock);
      continue;
    }
    std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(
        static_cast<int64_t>(std::min<uint64_t>(deadlineNs, INT64_MAX)))};
    if (machine.changed.wait_until(lock, until) == std::cv_status::timeout &&
        monotonicNs() >= deadlineNs)
      return isDone();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error SimDevice::allocate(heddle_driver_space space, uint64_t bytes,
                          void *&address) {
  if (Error error = checkProcess())
    return error;
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  if (Error error = countOperation("allocation"))
    return error;
  switch (space) {
  case HEDDLE_SPACE_DEVICE:
    return memory.allocate(bytes, address);
  case HEDDLE_SPACE_PINNED:
    return memory.allocatePinned(bytes, address);
  default:
    return {HEDDLE_ARGUMENT_INVALID,
            "device '" + name + "' has no memory but its own and pinned"};
  }
}

/// The memory of process and devices, as the search for races calls it.
static constexpr uint32_t processSpace = ~0u;

static format::MemoryAccess accessOf(uint32_t space, const void *address,
                                     uint64_t bytes, bool reads, bool writes) {
  auto begin = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address));
  return {space, begin, begin + static_cast<int64_t>(bytes), 0, reads, writes};
}

/// Whether the host may use this memory now. It is not asked twice where the
/// search for races finds no memory, because what asks cannot tell.
bool SimDevice::hostMayTouch(const void *address, uint64_t bytes) {
  SimRaces &races = SimMachine::get().races;
  races.byHost();
  if (!options.findsRaces)
    return true;
  try {
    return races.touch(accessOf(processSpace, address, bytes, false, true));
  } catch (const std::bad_alloc &) {
    return true;
  }
}

void SimDevice::free(void *address) {
  if (!isOurs())
    return;
  std::unique_lock<std::mutex> lock(SimMachine::get().mutex);
  if (!hostMayTouch(address, memory.bytesAt(address)))
    hostError.set(HEDDLE_DEVICE_FAILED,
                  "memory is freed while a command that nobody waited for may "
                  "use it");
  // A command that still runs is in its right to be late.
  wait(lock, 0, [&] {
    return std::none_of(queues.begin(), queues.end(),
                        [](SimQueue *queue) { return queue->running; });
  });
  if (!memory.free(address))
    hostError.set(HEDDLE_DEVICE_FAILED, "memory is freed that is not there");
}

void SimDevice::discard(void *address, uint64_t bytes) {
  if (!isOurs())
    return;
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  char *place = memory.find(address, bytes);
  if (!place)
    hostError.set(HEDDLE_DEVICE_FAILED,
                  "memory is discarded that is not there");
  else if (!hostMayTouch(address, bytes))
    hostError.set(HEDDLE_DEVICE_FAILED,
                  "memory is discarded while a command that nobody waited for "
                  "may use it");
  else
    std::memset(place, SimMemory::poison, bytes);
}

Error SimDevice::map(void *address, uint64_t bytes, void *&result) {
  if (Error error = checkProcess())
    return error;
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  char *place = memory.find(address, bytes);
  if (!place)
    return {HEDDLE_ARGUMENT_INVALID,
            "device '" + name + "': memory is mapped that is not there"};
  result = place;
  return {};
}

Error SimDevice::pin(void *address, uint64_t bytes) {
  if (Error error = checkProcess())
    return error;
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  if (!pins.emplace(address, bytes).second)
    return {HEDDLE_ARGUMENT_INVALID,
            "device '" + name + "': memory is pinned a second time"};
  return {};
}

void SimDevice::unpin(void *address) {
  if (!isOurs())
    return;
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  if (!pins.erase(address))
    hostError.set(HEDDLE_DEVICE_FAILED, "memory is unpinned that was not");
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

Error SimDevice::createQueue(SimQueue *&queue) {
  if (Error error = checkProcess())
    return error;
  SimMachine &machine = SimMachine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (Error error = countOperation("creating a queue"))
    return error;
  machine.usedSlots.resize(SimRaces::queueLimit);
  machine.usedSlots[0] = true; // the host
  auto slot =
      std::find(machine.usedSlots.begin(), machine.usedSlots.end(), false);
  if (slot == machine.usedSlots.end())
    return {HEDDLE_DEVICE_FAILED,
            "device '" + name + "' has no more queues: all its kind together " +
                "has " + std::to_string(SimRaces::queueLimit - 1)};
  auto created = std::make_unique<SimQueue>();
  created->device = this;
  created->slot = static_cast<uint32_t>(slot - machine.usedSlots.begin());
  queues.push_back(created.get());
  *slot = true;
  queue = created.release();
  return {};
}

void SimDevice::destroyQueue(SimQueue *queue) {
  if (!isOurs()) {
    delete queue;
    return;
  }
  SimMachine &machine = SimMachine::get();
  std::unique_lock<std::mutex> lock(machine.mutex);
  wait(lock, 0, [&] { return queue->tasks.empty(); });
  machine.races.hostWaited(queue->clock);
  machine.usedSlots[queue->slot] = false;
  queues.erase(std::find(queues.begin(), queues.end(), queue));
  delete queue;
}

Error SimDevice::checkRaces(const SimQueue &queue, const SimCommand &command) {
  for (uint32_t i = 0; i < command.buffers.size(); ++i) {
    const heddle_driver_use &use = command.uses[i];
    bool reads = use.access & HEDDLE_ACCESS_READ;
    bool writes = use.access & HEDDLE_ACCESS_WRITE;
    if (!SimMachine::get().races.touch(accessOf(
            processSpace, command.buffers[i], use.bytes, reads, writes)))
      return {HEDDLE_DEVICE_FAILED,
              "device '" + queue.device->name + "': buffer " +
                  std::to_string(i) +
                  " of a command is in use by another that it does not wait "
                  "for"};
  }
  return {};
}

Error SimDevice::submit(SimQueue &queue,
                        std::shared_ptr<const SimCommands> commands,
                        const heddle_driver_submission &submission) {
  if (Error error = checkProcess())
    return error;
  SimMachine &machine = SimMachine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  if (hostError) {
    Error error(hostError.code, "device '" + name + "': " + hostError.message);
    hostError = {};
    return error;
  }
  if (Error error = countOperation("submission"))
    return error;
  SimTask task;
  task.commands = std::move(commands);
  std::vector<const SimRaces::Clock *> clocks;
  for (size_t i = 0; i < submission.wait_count; ++i) {
    const auto &moment =
        reinterpret_cast<SimEvent *>(submission.waits[i])->latest;
    task.waits.push_back(moment);
    if (!moment->clock.empty())
      clocks.push_back(&moment->clock);
  }
  machine.races.submit(queue.slot, std::move(clocks));
  // Whoever waits for the queue waits for this, too, should it come to nothing.
  queue.clock = machine.races.done();
  if (options.findsRaces)
    for (const SimCommand &command : *task.commands)
      if (Error error = checkRaces(queue, command))
        return error;
  for (size_t i = 0; i < submission.signal_count; ++i) {
    task.signals.push_back(std::make_shared<SimMoment>());
    task.signals.back()->clock = queue.clock;
  }
  queue.tasks.push_back(std::move(task));
  // An event waits for what was submitted: nothing goes wrong from here on.
  for (size_t i = 0; i < submission.signal_count; ++i)
    reinterpret_cast<SimEvent *>(submission.signals[i])->latest =
        queue.tasks.back().signals[i];
  machine.changed.notify_all();
  return {};
}

//===----------------------------------------------------------------------===//
// The device's thread
//===----------------------------------------------------------------------===//

/// A queue whose next task may begin and is late enough, by lot; null: none
/// yet, and `wakeNs` is when the next will be, or 0.
SimQueue *SimDevice::chooseQueue(uint64_t &wakeNs) {
  uint64_t now = monotonicNs();
  SimQueue *chosen = nullptr;
  uint64_t ready = 0;
  wakeNs = 0;
  for (SimQueue *queue : queues) {
    if (queue->tasks.empty())
      continue;
    SimTask &task = queue->tasks.front();
    if (!std::all_of(task.waits.begin(), task.waits.end(),
                     [](const auto &moment) { return moment->done; }))
      continue;
    if (!task.dueNs)
      task.dueNs = now + lots() % (2 * options.delayUs * 1000 + 1);
    if (task.dueNs <= now) {
      // Each of those that are ready, as likely as another.
      if (lots() % ++ready == 0)
        chosen = queue;
    } else if (!wakeNs || task.dueNs < wakeNs)
      wakeNs = task.dueNs;
  }
  return chosen;
}

void SimDevice::work() {
  SimMachine &machine = SimMachine::get();
  std::unique_lock<std::mutex> lock(machine.mutex);
  while (!stopping) {
    uint64_t wakeNs = 0;
    if (SimQueue *queue = chooseQueue(wakeNs))
      runTask(lock, *queue);
    else if (wakeNs)
      machine.changed.wait_until(
          lock, std::chrono::steady_clock::time_point{
                    std::chrono::nanoseconds(static_cast<int64_t>(wakeNs))});
    else
      machine.changed.wait(lock);
  }
}

/// This thread has nobody to tell that it found no memory but those who wait.
void SimDevice::runCommand(std::unique_lock<std::mutex> &lock,
                           const SimCommand &command, SimFailure &failure) {
  try {
    if (Error error = countOperation("command")) {
      failure.set(error);
      return;
    }
    lock.unlock();
    if (Error error = run(command))
      failure.set(error);
  } catch (const std::bad_alloc &) {
    failure.set(HEDDLE_OUT_OF_MEMORY, "no memory");
  }
  if (!lock.owns_lock())
    lock.lock();
}

void SimDevice::runTask(std::unique_lock<std::mutex> &lock, SimQueue &queue) {
  // Tasks may be added behind this one meanwhile, which moves none.
  SimTask &task = queue.tasks.front();
  queue.running = true;
  SimFailure failure = queue.error;
  for (const auto &moment : task.waits)
    if (!failure && moment->error)
      failure = moment->error;
  for (size_t i = 0; i < task.commands->size() && !failure; ++i)
    runCommand(lock, (*task.commands)[i], failure);
  for (const auto &moment : task.signals) {
    moment->error = failure;
    moment->done = true;
  }
  if (!queue.error)
    queue.error = failure;
  queue.tasks.pop_front();
  queue.running = false;
  SimMachine::get().changed.notify_all();
}

Error SimDevice::find(const SimCommand &command, uint32_t i, char *&place) {
  const heddle_driver_use &use = command.uses[i];
  place = static_cast<char *>(command.buffers[i]);
  if (!use.bytes)
    return {};
  if (!use.device) {
    if (command.command.kind == HEDDLE_COMMAND_COPY)
      return {};
    return {HEDDLE_DEVICE_FAILED, "device '" + name + "': buffer " +
                                      std::to_string(i) +
                                      " of a command is memory of the host"};
  }
  auto *owner = reinterpret_cast<SimDevice *>(use.device);
  if (owner != this && command.command.kind != HEDDLE_COMMAND_COPY)
    return {HEDDLE_DEVICE_FAILED,
            "device '" + name + "': buffer " + std::to_string(i) +
                " of a command is memory of device '" + owner->name + "'"};
  std::lock_guard<std::mutex> lock(SimMachine::get().mutex);
  place = owner->memory.find(command.buffers[i], use.bytes);
  if (!place)
    return {HEDDLE_DEVICE_FAILED,
            "device '" + name + "': buffer " + std::to_string(i) +
                " of a command is not in memory of device '" + owner->name +
                "' that is allocated"};
  return {};
}

Error SimDevice::run(const SimCommand &command) {
  if (command.command.kind == HEDDLE_COMMAND_COPY && !command.uses[0].device &&
      !command.uses[1].device)
    return {HEDDLE_ARGUMENT_INVALID,
            "device '" + name + "' copies no memory of the process to itself"};
  std::vector<void *> places(command.buffers.size());
  for (uint32_t i = 0; i < places.size(); ++i) {
    char *place = nullptr;
    if (Error error = find(command, i, place))
      return error;
    places[i] = place;
  }
  heddle_driver_command local = command.command;
  local.buffers = places.data();
  local.integers = command.integers.data();
  if (local.kind == HEDDLE_COMMAND_COUNT) {
    heddle_status why;
    return told(local.count(local.user, places[0], &why), why);
  }
  if (const heddle_driver_command *latest = local.latest) {
    local.kernel = latest->kernel;
    local.integers = latest->integers;
    local.tiles = latest->tiles;
    local.chunk = latest->chunk;
  }
  heddle_driver_worker worker = {0, nullptr};
  if (local.kind != HEDDLE_COMMAND_LAUNCH) {
    runOnThisThread(&local, &worker, 0, local.tiles);
    return {};
  }
  const auto &kernel = *reinterpret_cast<const CpuKernel *>(local.kernel);
  if (kernel.scratch > scratch.size()) {
    Region larger;
    if (Error error = larger.allocate(kernel.scratch, /*touch=*/false,
                                      "a simulated device"))
      return error;
    scratch = std::move(larger);
  }
  worker.scratch = scratch.data();
  FloatEnvironment environment(kernel.flushesSubnormals);
  // The last chunk first: a kernel may count on no order.
  int64_t chunk = std::max<int64_t>(local.chunk, 1);
  for (int64_t end = local.tiles; end > 0;) {
    int64_t begin = (end - 1) / chunk * chunk;
    runOnThisThread(&local, &worker, begin, end);
    end = begin;
  }
  return {};
}
