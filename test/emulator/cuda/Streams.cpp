// Streams and events of the emulated driver.

#include "test/emulator/cuda/Device.h"

using namespace heddle::emulator;

namespace {

int begin(const char *call, Context *&context) {
  int code = kSuccess;
  context = Driver::get().current(call, code);
  return code;
}

int checkEvent(const char *call, Event *event) {
  Driver &driver = Driver::get();
  return driver.events.count(event)
             ? kSuccess
             : driver.error(call, kInvalidHandle,
                            "this is no event, or was destroyed");
}

} // namespace

HEDDLE_EXPORT int cuStreamCreate(Stream **stream, unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  Context *context = nullptr;
  if (int code = begin("cuStreamCreate", context))
    return code;
  if (flags > 1)
    return driver.error("cuStreamCreate", kInvalidValue, "unknown flags");
  auto made = std::make_unique<Stream>();
  made->context = context;
  made->nonBlocking = flags & 1;
  *stream = made.get();
  driver.streams[*stream] = std::move(made);
  return kSuccess;
}

HEDDLE_EXPORT int cuStreamDestroy_v2(Stream *given) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (!driver.streams.count(given))
    return driver.error("cuStreamDestroy_v2", kInvalidHandle,
                        "this is no stream, or was destroyed");
  driver.drain(given);
  driver.streams.erase(given);
  return driver.sticky;
}

static int finished(const char *call, Stream *given, bool wait) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  Context *context = nullptr;
  if (int code = begin(call, context))
    return code;
  int code = kSuccess;
  Stream *stream = driver.stream(call, given, context, code);
  if (!stream)
    return code;
  if (wait)
    return driver.drain(stream);
  return stream->work.empty() ? kSuccess : kNotReady;
}

HEDDLE_EXPORT int cuStreamQuery(Stream *stream) {
  return finished("cuStreamQuery", stream, false);
}

HEDDLE_EXPORT int cuStreamSynchronize(Stream *stream) {
  return finished("cuStreamSynchronize", stream, true);
}

HEDDLE_EXPORT int cuStreamWaitEvent(Stream *given, Event *event, unsigned) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  Context *context = nullptr;
  if (int code = begin("cuStreamWaitEvent", context))
    return code;
  int code = checkEvent("cuStreamWaitEvent", event);
  Stream *stream =
      code ? nullptr : driver.stream("cuStreamWaitEvent", given, context, code);
  if (!stream)
    return code;
  // The record at the time of the call counts; without one nothing is awaited.
  uint64_t wanted = event->recorded;
  driver.submit(
      *stream, [] { return Fault{}; },
      [&driver, event, wanted] {
        return !driver.events.count(event) || event->reached >= wanted;
      });
  return kSuccess;
}

HEDDLE_EXPORT int cuEventCreate(Event **event, unsigned) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  Context *context = nullptr;
  if (int code = begin("cuEventCreate", context))
    return code;
  auto made = std::make_unique<Event>();
  made->context = context;
  *event = made.get();
  driver.events[*event] = std::move(made);
  return kSuccess;
}

HEDDLE_EXPORT int cuEventDestroy_v2(Event *event) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (int code = checkEvent("cuEventDestroy_v2", event))
    return code;
  // What waits for it is done first: its place in memory may be used again.
  if (event->reached < event->recorded)
    driver.drain(nullptr);
  driver.events.erase(event);
  return kSuccess;
}

HEDDLE_EXPORT int cuEventRecord(Event *event, Stream *given) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  Context *context = nullptr;
  if (int code = begin("cuEventRecord", context))
    return code;
  int code = checkEvent("cuEventRecord", event);
  Stream *stream =
      code ? nullptr : driver.stream("cuEventRecord", given, context, code);
  if (!stream)
    return code;
  if (event->context != context)
    return driver.error("cuEventRecord", kInvalidHandle,
                        "the event is of another context");
  uint64_t number = ++event->recorded;
  driver.submit(*stream, [&driver, event, number] {
    std::lock_guard<std::mutex> inner(driver.mutex);
    if (driver.events.count(event) && event->reached < number)
      event->reached = number;
    return Fault{};
  });
  return kSuccess;
}

HEDDLE_EXPORT int cuEventQuery(Event *event) {
  Driver &driver = Driver::get();
  std::lock_guard<std::mutex> lock(driver.mutex);
  if (int code = checkEvent("cuEventQuery", event))
    return code;
  if (driver.sticky)
    return driver.sticky;
  return event->reached >= event->recorded ? kSuccess : kNotReady;
}

HEDDLE_EXPORT int cuEventSynchronize(Event *event) {
  Driver &driver = Driver::get();
  std::unique_lock<std::mutex> lock(driver.mutex);
  if (int code = checkEvent("cuEventSynchronize", event))
    return code;
  uint64_t wanted = event->recorded;
  driver.changed.wait(lock, [&] {
    return driver.sticky || !driver.events.count(event) ||
           event->reached >= wanted;
  });
  return driver.sticky;
}
