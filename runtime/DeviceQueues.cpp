// Opens and drains the queues of a plan, and makes events of devices.

#include "runtime/DeviceQueues.h"

#include "runtime/drivers/Status.h"
#include "runtime/format/ManifestTables.h"

using namespace heddle;
using namespace heddle::runtime;
using format::length;

DeviceQueues::~DeviceQueues() {
  for (const Queue &queue : queues)
    if (queue.handle)
      queue.driver().queue_destroy(queue.handle);
}

Error DeviceQueues::create(const format::Plan &plan,
                           const ProgramDevices &devices) {
  queues.resize(length(plan.queues()));
  for (uint32_t i = 0; i < queues.size(); ++i) {
    Queue &queue = queues[i];
    queue.device = devices[plan.queues()->Get(i)->device()]->device().get();
    if (queue.device->isRunByHost())
      continue;
    heddle_status why;
    if (int32_t code = queue.driver().queue_create(queue.device->handle(),
                                                   &queue.handle, &why))
      return told(code, why);
  }
  return {};
}

void DeviceQueues::drain() {
  heddle_status ignored;
  for (const Queue &queue : queues)
    if (queue.handle)
      queue.driver().queue_wait(queue.handle, 0, &ignored);
}

DeviceEvent::~DeviceEvent() {
  if (event)
    driver().event_destroy(event);
}

Error DeviceEvent::create(const Device &owner) {
  heddle_status why;
  device = &owner;
  int32_t code = owner.driver().event_create(owner.handle(), &event, &why);
  return told(code, why);
}
