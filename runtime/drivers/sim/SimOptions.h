// What the simulated devices are like.

#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMOPTIONS_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMOPTIONS_H

#include "runtime/format/Error.h"

namespace heddle::runtime {

using format::Error;

/// A test aid, set by the environment: HEDDLE_SIM="seed=7,delay=100,fail=12".
/// It is read whenever a device is opened.
struct SimOptions {
  uint32_t devices = 2;
  uint64_t memoryMiB = 8192; ///< "memory": of each device.
  uint64_t seed = 1;         ///< Of the order in which queues make progress.
  uint64_t delayUs = 20; ///< "delay": what a command is late by, on average.
  /// The operation that fails, counted from 1 since the device was opened; 0:
  /// none.
  uint64_t fail = 0;
  /// "races": whether a use of memory that no event orders after another is an
  /// error. Without, it gives what was there.
  bool findsRaces = true;

  static Error read(SimOptions &options);
  /// `text` is what the variable holds.
  static Error parse(const std::string &text, SimOptions &options);
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMOPTIONS_H
