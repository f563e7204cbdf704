// Which device runs which part of a model.

#ifndef HEDDLE_TARGET_PLACEMENT_H
#define HEDDLE_TARGET_PLACEMENT_H

#include <string>
#include <vector>

namespace heddle {

/// What was asked for. Plain types, for whoever reads a command line.
struct Placement {
  /// Names of devices, as "cpu" and "sim:1"; none: the cpu alone.
  std::vector<std::string> devices;
  /// GLOB=DEVICE: nodes whose name the pattern matches run on that device. The
  /// first rule that matches decides.
  std::vector<std::string> rules;
  /// How what no rule matches is spread: "parts" (consecutive parts of
  /// about the same time, one a device), "first" (all on the first device),
  /// "alternate" or "random:SEED" (one after the other, for tests). "" is
  /// "parts", and "first" where there are rules.
  std::string by;
  /// A rule may match nothing: the model is a piece of the one that it is for.
  bool isPiece = false;
  /// Inputs and outputs lie on the devices that alone use them, not in the
  /// process's memory.
  bool tensors = false;

  /// Whether nothing is said of where nodes run.
  bool empty() const { return devices.empty() && rules.empty() && by.empty(); }
};

} // namespace heddle

#endif // HEDDLE_TARGET_PLACEMENT_H
