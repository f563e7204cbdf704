// The emulated driver's state: contexts, modules, streams whose work a thread
// does late, and the error that a fault leaves behind.

#ifndef HEDDLE_TEST_EMULATOR_CUDA_DEVICE_H
#define HEDDLE_TEST_EMULATOR_CUDA_DEVICE_H

#include "test/emulator/machine/Launch.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace heddle::emulator {

/// CUresult, the numbers that are used here.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kOutOfResources = 701,
  kTimeout = 702,
  kAssert = 710,
  kHostRegistered = 712,
  kHostNotRegistered = 713,
  kIllegalInstruction = 715,
  kMisaligned = 716,
  kLaunchFailed = 719,
  kNotSupported = 801,
};

struct Context {
  int device = 0;
  bool primary = false;
  unsigned references = 0;
};

struct Event {
  Context *context = nullptr;
  /// The record that counts: 0 while there was none, and what is done.
  uint64_t recorded = 0, reached = 0;
};

struct Work {
  uint64_t sequence = 0;
  std::function<bool()> ready; // may be empty
  std::function<Fault()> run;
};

struct Stream {
  Context *context = nullptr;
  bool nonBlocking = false;
  std::deque<Work> work;
  bool busy = false;
};

struct DriverModule {
  Context *context = nullptr;
  LoadedModule loaded;
};

struct DriverFunction {
  DriverModule *module = nullptr;
  const Program *program = nullptr;
  int maxDynamicShared = 48 * 1024;
};

class Driver {
public:
  static Driver &get();

  /// Logs what was wrong with a call; the code is what the call returns.
  int error(const char *call, int code, const std::string &what);
  /// The current context; null with `code` set where a call cannot go on.
  Context *current(const char *call, int &code);
  Stream *stream(const char *call, Stream *given, Context *context, int &code);
  void submit(Stream &stream, std::function<Fault()> run,
              std::function<bool()> ready = {});
  /// Waits until all work of `stream` is done, of all streams if null.
  int drain(Stream *stream, Context *context = nullptr);
  /// Whether `bytes` at a device's address may be used; logs where not.
  uint8_t *deviceBytes(uint64_t address, uint64_t bytes, std::string &wrong);
  unsigned capability() const { return sm; }
  int sharedLimit() const { return sm == 80 ? 163 * 1024 : 227 * 1024; }

  std::mutex mutex;
  std::condition_variable changed;
  bool initialized = false;
  int sticky = 0;
  int devices = 1;
  Memory memory;
  std::vector<std::unique_ptr<Context>> primaries;
  std::set<Context *> contexts;
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  std::map<Event *, std::unique_ptr<Event>> events;
  std::map<DriverModule *, std::unique_ptr<DriverModule>> modules;
  std::map<DriverFunction *, std::unique_ptr<DriverFunction>> functions;
  std::map<Context *, std::unique_ptr<Stream>> defaults;
  /// Memory of the host that the device may read and write, by address.
  std::map<uint8_t *, uint64_t> pinned;
  std::map<uint8_t *, std::unique_ptr<uint8_t[]>> hostOwned;
  uint64_t nextSequence = 1;
  Random random;
  uint64_t seed = 1;
  bool findRaces = false;

private:
  Driver();
  void work();
  bool mayRun(Stream &stream) const;
  Stream *pick();

  unsigned sm = 90;
  std::thread worker;
};

/// The contexts that a thread pushed.
std::vector<Context *> &contextStack();

const char *errorName(int code);
int codeOfFault(FaultKind kind);

} // namespace heddle::emulator

/// What the library exports.
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))

#endif // HEDDLE_TEST_EMULATOR_CUDA_DEVICE_H
