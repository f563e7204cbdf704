// The functions of include/heddle/runtime.h for calls that are submitted.

#include "runtime/Border.h"
#include "runtime/CallQueue.h"

using namespace heddle;
using namespace heddle::runtime;

heddle_status heddle_context_submit(
    heddle_context *context, const heddle_tensor *const *inputs,
    size_t input_count, const heddle_tensor *const *outputs,
    size_t output_count, const heddle_call_options *call_options,
    const heddle_submit_options *submit_options, heddle_event **out_event) {
  return guarded([&]() -> heddle_status {
    heddle_call_options options;
    if (!context || !out_event || (input_count && !inputs) ||
        (output_count && !outputs))
      return invalid(nullPointer);
    auto call = std::make_unique<SubmittedCall>();
    if (Error error = readCallOptions(call_options, options))
      return toStatus(error);
    if (!readOptions(submit_options, call->options))
      return invalid(badSize);
    const heddle_submit_options &more = call->options;
    if (more.wait_count && !more.waits)
      return invalid(nullPointer);
    for (size_t i = 0; i < more.wait_count; ++i) {
      if (!more.waits[i])
        return invalid("an event to wait for is a null pointer");
      call->waits.push_back(more.waits[i]->completion);
    }
    if (Error error = call->read(context->context.entry(), inputs, input_count,
                                 outputs, output_count, options))
      return toStatus(error);
    std::unique_ptr<heddle_event> event(new heddle_event{call->completion});
    if (Error error = context->calls.submit(context->context, std::move(call)))
      return toStatus(error);
    *out_event = event.release();
    return toStatus({});
  });
}

int heddle_event_done(const heddle_event *event) {
  return event && event->completion->isDone() ? 1 : 0;
}

heddle_status heddle_event_wait(const heddle_event *event,
                                uint64_t deadline_ns) {
  return guarded([&]() -> heddle_status {
    if (!event)
      return invalid(nullPointer);
    if (Error error = event->completion->wait(deadline_ns))
      return toStatus(error);
    return event->completion->status();
  });
}

void heddle_event_destroy(heddle_event *event) { delete event; }
