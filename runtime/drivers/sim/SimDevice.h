// An accelerator in the process.
//
// A device for tests that is as unlike the host as a device can be: its memory
// is out of reach, its queues make progress in an order drawn by lot, late, and
// what a plan forgets is an error. It runs the kernels of the CPU.

#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMDEVICE_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMDEVICE_H

#include "runtime/drivers/driver.h"
#include "runtime/drivers/sim/SimMemory.h"
#include "runtime/drivers/sim/SimOptions.h"
#include "runtime/drivers/sim/SimRaces.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <unistd.h>
#include <vector>

namespace heddle::runtime {

/// What all simulated devices of a process share, as they wait for each other's
/// events. A child process has one of its own: what the parent's holds at the
/// fork stays held.
struct SimMachine {
  std::mutex mutex; ///< Of everything below, and of all queues and events.
  std::condition_variable changed;
  SimRaces races;
  std::vector<bool> usedSlots; ///< Of queues, in `races`.
  uint32_t devices = 0;        ///< That are open.

  static SimMachine &get();
};

/// An error that can be handed on without memory: the device's thread has
/// nobody to tell that it found none.
struct SimFailure {
  heddle_code code = HEDDLE_OK;
  char message[200];

  void set(const Error &error);
  void set(heddle_code why, const char *text);
  explicit operator bool() const { return code != HEDDLE_OK; }
};

/// One signal of an event; an event that is signalled again gets a new one.
struct SimMoment {
  bool done = false;
  SimFailure error;
  SimRaces::Clock clock;
};

class SimDevice;

struct SimEvent {
  SimDevice *device;
  std::shared_ptr<SimMoment> latest;
};

/// A command that owns what it points to.
struct SimCommand {
  heddle_driver_command command;
  std::vector<void *> buffers;
  std::vector<heddle_driver_use> uses;
  std::vector<int64_t> integers;

  explicit SimCommand(const heddle_driver_command &given);
};
using SimCommands = std::vector<SimCommand>;

struct SimTask {
  std::shared_ptr<const SimCommands> commands;
  std::vector<std::shared_ptr<SimMoment>> waits;
  std::vector<std::shared_ptr<SimMoment>> signals;
  uint64_t dueNs = 0; ///< Set when it could begin.
};

struct SimQueue {
  SimDevice *device;
  uint32_t slot;
  std::deque<SimTask> tasks; ///< The first is being run if `running`.
  bool running = false;
  SimFailure error; ///< The first since somebody waited for the queue.
  SimRaces::Clock clock;
};

class SimDevice {
public:
  explicit SimDevice(uint32_t number)
      : name("sim:" + std::to_string(number)), number(number) {}
  ~SimDevice();

  Error create();

  /// False in a child process: its parent opened the device, has the device's
  /// thread, and uses the memory.
  bool isOurs() const { return process == getpid(); }
  /// HEDDLE_DEVICE_FAILED in a child process.
  Error checkProcess() const;

  const std::string name;
  SimOptions options;

  Error allocate(heddle_driver_space space, uint64_t bytes, void *&address);
  void free(void *address);
  void discard(void *address, uint64_t bytes);
  Error pin(void *memory, uint64_t bytes);
  void unpin(void *memory);
  Error map(void *address, uint64_t bytes, void *&memory);

  Error createQueue(SimQueue *&queue);
  void destroyQueue(SimQueue *queue);
  Error submit(SimQueue &queue, std::shared_ptr<const SimCommands> commands,
               const heddle_driver_submission &submission);

  /// HEDDLE_DEVICE_FAILED if this operation is the one that is to fail.
  Error countOperation(const char *what);

  /// Waits until `isDone` while the machine is locked; false when the deadline
  /// comes first.
  static bool wait(std::unique_lock<std::mutex> &lock, uint64_t deadlineNs,
                   const std::function<bool()> &isDone);

private:
  Error checkRaces(const SimQueue &queue, const SimCommand &command);
  void work();
  SimQueue *chooseQueue(uint64_t &wakeNs);
  void runTask(std::unique_lock<std::mutex> &lock, SimQueue &queue);
  void runCommand(std::unique_lock<std::mutex> &lock, const SimCommand &command,
                  SimFailure &failure);
  bool hostMayTouch(const void *address, uint64_t bytes);
  Error run(const SimCommand &command);
  Error find(const SimCommand &command, uint32_t buffer, char *&place);

  const pid_t process = getpid();
  uint32_t number;
  SimMemory memory;
  std::map<void *, uint64_t> pins; ///< The process's memory, and bytes of it.
  std::vector<SimQueue *> queues;
  std::mt19937_64 lots;
  uint64_t operations = 0;
  Region scratch;
  SimFailure hostError; ///< Of a function that cannot tell it itself.
  bool stopping = false;
  bool started = false;
  pthread_t thread;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMDEVICE_H
