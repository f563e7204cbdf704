// Commands that a queue is given at once.

#ifndef HEDDLE_RUNTIME_SUBMISSION_H
#define HEDDLE_RUNTIME_SUBMISSION_H

#include "runtime/DeviceQueues.h"

namespace heddle::runtime {

/// Commands of one queue with nothing to wait for between them, and nobody who
/// waits for what is not the last: they begin after `waits`, and `signals`
/// follow them.
class Submission {
public:
  explicit Submission(const DeviceQueues::Queue &queue) : queue(queue) {}
  ~Submission();
  Submission(const Submission &) = delete;
  Submission &operator=(const Submission &) = delete;

  const DeviceQueues::Queue &queue;
  std::vector<heddle_driver_event *> waits, signals;

  /// What the commands point to stays where it is. They are read by each
  /// submission if `changes`, else now, if the driver can prepare them.
  Error prepare(std::vector<heddle_driver_command> commands, bool changes);

  int32_t submit(heddle_status *why) const;

  /// One command at a time, for who wants to know how long each takes.
  size_t size() const { return commands.size(); }
  int32_t submitOne(size_t index, heddle_status *why) const;

private:
  std::vector<heddle_driver_command> commands;
  heddle_driver_segment *segment = nullptr;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SUBMISSION_H
