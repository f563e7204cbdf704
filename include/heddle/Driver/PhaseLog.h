// What each phase of a command costs.

#ifndef HEDDLE_DRIVER_PHASELOG_H
#define HEDDLE_DRIVER_PHASELOG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace heddle {

/// Memory of this process's own, in bytes: anonymous and shared pages. Pages of
/// mapped files can be dropped any time and do not count.
uint64_t ownMemoryBytes();

/// Times phases, and watches the memory during each from a thread of its own.
class PhaseLog {
public:
  /// A line per finished phase goes to `lines`, if given; on a terminal the
  /// running phase is shown on `progress`.
  PhaseLog(llvm::raw_ostream *lines, bool showProgress);
  ~PhaseLog();

  /// Called when a phase begins, with its name. May be null.
  std::function<void(const char *name)> onBegin;

  /// Ends the running phase, if any, and starts another.
  void begin(llvm::StringRef name);
  void end();

  /// What stands before the names of phases from now on: which of several
  /// programs they are about.
  void setPrefix(llvm::StringRef text) { prefix = text.str(); }

  /// On a terminal, how far the running phase is.
  void progress(const llvm::Twine &text);

  /// No more lines from now on: for steps that are repeated many times.
  void hide() {
    lines = nullptr;
    showProgress = false;
  }

  double totalSeconds() const;
  uint64_t peakBytes() const { return peak; }
  llvm::json::Array toJson() const;

private:
  struct Phase {
    std::string name;
    double seconds = 0;
    uint64_t peakBytes = 0;
  };
  void watch();

  llvm::raw_ostream *lines;
  bool showProgress;
  std::string prefix;
  std::vector<Phase> phases;
  bool running = false;
  std::chrono::steady_clock::time_point started;
  uint64_t peak = 0;
  std::atomic<uint64_t> phasePeak{0};
  std::mutex mutex;
  std::condition_variable stopped;
  bool stop = false;
  std::thread watcher;
};

/// "12.3 MiB".
std::string formatBytes(uint64_t bytes);

} // namespace heddle

#endif // HEDDLE_DRIVER_PHASELOG_H
