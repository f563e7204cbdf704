// The functions of include/heddle/runtime.h for processes that a launcher
// started together.

#include "runtime/Border.h"
#include "runtime/LaunchedGroup.h"

#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

heddle_status heddle_group_join(const heddle_group_options *given,
                                heddle_group **out_group) {
  return guarded([&]() -> heddle_status {
    heddle_group_options options;
    if (!out_group)
      return invalid(nullPointer);
    if (!readOptions(given, options))
      return invalid(badSize);
    auto made = std::make_unique<heddle_group>();
    if (Error error = LaunchedGroup::join(options, made->group))
      return toStatus(error);
    *out_group = made.release();
    return toStatus({});
  });
}

uint32_t heddle_group_rank(const heddle_group *group) {
  return group ? group->group->rank() : 0;
}

uint32_t heddle_group_count(const heddle_group *group) {
  return group ? group->group->count() : 0;
}

heddle_status heddle_group_traffic(const heddle_group *group, int ofThisMachine,
                                   heddle_traffic *out_traffic) {
  return guarded([&]() -> heddle_status {
    if (!group)
      return invalid(nullPointer);
    const Traffic &traffic = group->group->transport->traffic(ofThisMachine);
    heddle_traffic report = {};
    report.size = sizeof(report);
    report.sent = traffic.sent;
    report.received = traffic.received;
    report.sent_bytes = traffic.sentBytes;
    report.received_bytes = traffic.receivedBytes;
    report.waited_ns = traffic.waitedNs;
    return writeResult(report, out_traffic) ? toStatus({}) : invalid(badSize);
  });
}

heddle_status heddle_group_agree(heddle_group *group,
                                 const heddle_status *own) {
  return guarded([&]() -> heddle_status {
    if (!group)
      return invalid(nullPointer);
    Error error;
    if (own && own->code)
      error = {static_cast<heddle_code>(own->code), own->message};
    Turn turn(group->group->busy);
    return toStatus(turn ? group->group->agree(error, format::Hash(0, 0), 0,
                                               /*hasOwnCalls=*/false)
                         : LaunchedGroup::inUse());
  });
}

void heddle_group_abort(heddle_group *group, int exit_code) {
  if (group)
    group->group->transport->abort(exit_code);
  _exit(exit_code);
}

void heddle_group_await_abort(heddle_group *group, uint64_t timeoutNs) {
  if (group)
    group->group->transport->awaitAbort(timeoutNs);
}

heddle_status heddle_group_leave(heddle_group *group) {
  return guarded([&]() -> heddle_status {
    if (!group)
      return toStatus({});
    std::shared_ptr<LaunchedGroup> left = group->group;
    Turn turn(left->busy);
    if (!turn)
      return toStatus(LaunchedGroup::inUse());
    delete group;
    return toStatus(left->leave());
  });
}
