// Rounds of calls, and what follows from their times.

#include "BenchRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace heddle;
using llvm::ArrayRef;
using Clock = std::chrono::steady_clock;

/// A round is so long that clocks and a peer's socket count for nothing.
static constexpr double roundSeconds = 0.05;
static constexpr size_t mostRounds = 1000000;

double heddle::percentile(ArrayRef<double> times, double part) {
  std::vector<double> sorted(times.begin(), times.end());
  llvm::sort(sorted);
  size_t index = size_t(part * double(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

TimeRatio BenchRounds::ratioTo(size_t peer) const {
  std::vector<double> logarithms;
  double sum = 0, squares = 0;
  for (auto [own, other] : llvm::zip(programs[0], programs[peer + 1])) {
    logarithms.push_back(std::log(own / other));
    sum += logarithms.back();
  }
  double count = double(logarithms.size()), mean = sum / count;
  for (double logarithm : logarithms)
    squares += (logarithm - mean) * (logarithm - mean);
  double half = 1.96 * std::sqrt(squares / (count - 1) / count);
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

std::optional<BenchRounds>
heddle::measureRounds(llvm::function_ref<std::optional<double>()> call,
                      ArrayRef<std::unique_ptr<PeerProcess>> peers,
                      double seconds) {
  BenchRounds rounds;
  if (!peers.empty()) {
    std::optional<double> one = call();
    if (!one)
      return std::nullopt;
    rounds.calls = unsigned(
        std::clamp(std::round(roundSeconds / std::max(*one, 1e-9)), 1.0, 1e6));
  }
  rounds.programs.resize(peers.size() + 1);
  auto order = llvm::to_vector(llvm::seq<size_t>(rounds.programs.size()));
  auto callOwn = [&]() -> std::optional<double> {
    double sum = 0;
    for (unsigned i = 0; i < rounds.calls; ++i) {
      std::optional<double> one = call();
      if (!one)
        return std::nullopt;
      rounds.ownCalls.push_back(*one);
      sum += *one;
    }
    return sum;
  };

  size_t leastRounds = peers.empty() ? 10 : 30;
  Clock::time_point end =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
          std::min(seconds, 1e6) * double(rounds.programs.size())));
  for (size_t round = 0;
       round < mostRounds && (round < leastRounds || Clock::now() < end);
       ++round) {
    for (size_t number : order) {
      std::optional<double> sum =
          number ? peers[number - 1]->call(rounds.calls) : callOwn();
      if (!sum)
        return std::nullopt;
      rounds.programs[number].push_back(*sum / rounds.calls);
    }
    // Nobody is always the one behind the same other.
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  return rounds;
}
