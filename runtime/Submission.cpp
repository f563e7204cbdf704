// Hands commands to their queue, all at once or one by one, with what they wait
// for and signal.

#include "runtime/Submission.h"

#include "runtime/drivers/Status.h"

using namespace heddle;
using namespace heddle::runtime;

Submission::~Submission() {
  if (segment)
    queue.driver().segment_destroy(segment);
}

Error Submission::prepare(std::vector<heddle_driver_command> given,
                          bool changes) {
  commands = std::move(given);
  const heddle_driver &driver = queue.driver();
  if (changes || !driver.segment_create)
    return {};
  heddle_status why;
  int32_t code = driver.segment_create(queue.handle, commands.data(),
                                       commands.size(), &segment, &why);
  return told(code, why);
}

int32_t Submission::submit(heddle_status *why) const {
  heddle_driver_submission submission = {};
  submission.commands = commands.data();
  submission.command_count = commands.size();
  submission.segment = segment;
  submission.waits = waits.data();
  submission.wait_count = waits.size();
  submission.signals = signals.data();
  submission.signal_count = signals.size();
  return queue.driver().submit(queue.handle, &submission, why);
}

int32_t Submission::submitOne(size_t index, heddle_status *why) const {
  heddle_driver_submission submission = {};
  submission.commands = &commands[index];
  submission.command_count = 1;
  if (index == 0) {
    submission.waits = waits.data();
    submission.wait_count = waits.size();
  }
  if (index + 1 == commands.size()) {
    submission.signals = signals.data();
    submission.signal_count = signals.size();
  }
  return queue.driver().submit(queue.handle, &submission, why);
}
