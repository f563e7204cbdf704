// Programs measured by turns, so that the machine's moods hit all of them.

#ifndef HEDDLE_LIB_COMMANDS_BENCHROUNDS_H
#define HEDDLE_LIB_COMMANDS_BENCHROUNDS_H

#include "PeerProcess.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// One time over another.
struct TimeRatio {
  /// The geometric mean of the rounds' own ratios.
  double mean;
  /// The ends of its 95 % interval: 1.96 standard errors of the mean of the
  /// logarithms to either side.
  double low, high;
};

/// What was measured. Programs are heddle's first, then the peers in their
/// order.
struct BenchRounds {
  /// How often each program is called in a round.
  unsigned calls = 1;
  /// Seconds of each single call of heddle's program.
  std::vector<double> ownCalls;
  /// Of each program, the seconds of a call, on average, in each round.
  std::vector<std::vector<double>> programs;

  /// heddle's time over that of the peer of this number.
  TimeRatio ratioTo(size_t peer) const;
};

/// Calls each program about `seconds` long: ten times at least, and beside
/// peers in thirty rounds at least. `call` makes one call and gives its
/// seconds; none after an error, which has been reported, as here.
std::optional<BenchRounds>
measureRounds(llvm::function_ref<std::optional<double>()> call,
              llvm::ArrayRef<std::unique_ptr<PeerProcess>> peers,
              double seconds);

/// Of times in any order, the smallest that at least `part` of them do not
/// exceed.
double percentile(llvm::ArrayRef<double> times, double part);

/// A picture as SVG: a row of dots for each program, one a round, with the
/// median and heddle's ratio to it.
std::string drawRounds(const BenchRounds &rounds,
                       llvm::ArrayRef<std::string> names,
                       llvm::StringRef title);

} // namespace heddle

#endif // HEDDLE_LIB_COMMANDS_BENCHROUNDS_H
