// Steps whose numbers follow from what the program itself computes.

#ifndef HEDDLE_RUNTIME_COUNTEDSTEPS_H
#define HEDDLE_RUNTIME_COUNTEDSTEPS_H

#include "runtime/SizedSteps.h"
#include "runtime/format/Error.h"

#include <map>

namespace heddle::runtime {

/// Brings the launches of a program on one device up to date when a step of its
/// queue has read a count. A call allocates nothing.
class CountedSteps {
public:
  /// Of `steps`, which are those of `program`.
  CountedSteps(const format::Program &program, const LoadedProgram &loaded,
               uint32_t device, Steps &steps);

  /// Before each call: nothing is counted yet. `sizes` has a value for each
  /// symbol, the largest where it is counted. `values` are those of the plan's
  /// expressions for these sizes, and do not change before the call ends.
  void begin(const std::vector<int64_t> &sizes,
             const std::vector<int64_t> &values);
  /// Reads the value of `symbol`, 4 bytes at `from`, for the launches behind.
  format::Error count(uint32_t symbol, const void *from);

private:
  format::Error check(const format::Launch &launch) const;

  const LoadedProgram &loaded;
  SizedSteps numbers;
  /// Those with numbers that follow from counts, by the symbol with which the
  /// last of these is known.
  std::map<uint32_t, std::vector<const format::Launch *>> launches;
  const std::vector<int64_t> *largest = nullptr;
  /// As counted so far.
  std::vector<int64_t> symbols, counted;
};

/// What a queue's COUNT is told, as the `user` of `read`.
struct QueueCount {
  CountedSteps &steps;
  uint32_t symbol;

  static int32_t read(void *user, const void *integer, heddle_status *why);
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COUNTEDSTEPS_H
