// Uses of memory that nothing orders.

#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMRACES_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMRACES_H

#include "runtime/format/Hazards.h"

namespace heddle::runtime {

/// Holds each use of the simulated devices' memory against all before it, by
/// what orders them (queues, events, waits of the host), not by when they
/// happened to run: a wait that is missing is found in every run. The host
/// counts as one more queue.
class SimRaces {
public:
  using Clock = format::Hazards::Clock;

  /// Queues that there can be at once, with the host.
  static constexpr uint32_t queueLimit = 256;

  SimRaces() : hazards(queueLimit) {}

  /// What is submitted now to `queue` begins after `waits`.
  void submit(uint32_t queue, std::vector<const Clock *> waits) {
    byHost();
    Clock now = hazards.done();
    waits.push_back(&now);
    hazards.start(queue, waits);
  }
  /// The host uses memory, after what it waited for.
  void byHost() { hazards.start(host, nullptr, 0); }
  /// False when this use, by whoever was named last, races with another.
  bool touch(const format::MemoryAccess &access) {
    return hazards.touch(access);
  }
  /// What is done once the latest submission is.
  const Clock &done() const { return hazards.done(); }
  /// The host waited for this.
  void hostWaited(const Clock &clock) {
    const Clock *waited = &clock;
    if (!clock.empty())
      hazards.start(host, &waited, 1);
  }
  /// No device is left that knows of anything.
  void forget() { hazards.reset(); }

private:
  static constexpr uint32_t host = 0;
  format::Hazards hazards;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMRACES_H
