// Walks the steps of a call: launches, copies, loops and branches, until it
// ends or is to stop.

#include "runtime/Call.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <cassert>

using namespace heddle;
using namespace heddle::runtime;

/// Copies and fills below this many bytes are not worth company.
static constexpr int64_t smallTransferBytes = 1 << 20;

void Call::run(const Step &step, int64_t worker, int64_t begin, int64_t end) {
  if (step.kind == Step::Kind::command) {
    heddle_driver_worker own = {worker,
                                scratch + uint64_t(worker) * scratchBytes};
    runPiece(&step.command, &own, begin, end);
    return;
  }
  InsideCall inside(&steps);
  if (int32_t code = steps.calls[step.call]->run(
          step.command.buffers, options.user, message, sizeof(message))) {
    failedCall = &step;
    failedCode = code;
    stopped.store(HEDDLE_CUSTOM_CALL_FAILED, std::memory_order_relaxed);
  }
}

Error Call::outcome() const {
  if (isToldInStatus)
    return {stopped.load(), deviceStatus.message};
  switch (stopped.load()) {
  case HEDDLE_OK:
    return {};
  case HEDDLE_CANCELLED:
    return cancelled();
  case HEDDLE_DEADLINE_EXCEEDED:
    return passedDeadline();
  case HEDDLE_CUSTOM_CALL_FAILED:
    if (failedCall)
      break;
    [[fallthrough]];
  default:
    return {stopped.load(), deviceStatus.message};
  }
  const StepReport &report = steps.reports[failedCall->report];
  std::string text = "custom call '" + std::string(report.name) + "'";
  if (report.nodeCount)
    text += " of '" + std::string(*steps.nodesOf(report)) + "'";
  text += *message ? ": " + std::string(message)
                   : " returned " + std::to_string(failedCode);
  return {HEDDLE_CUSTOM_CALL_FAILED, text};
}

bool Call::mustStop() {
  if (stopped.load(std::memory_order_relaxed) != HEDDLE_OK)
    return true;
  if (!watched)
    return false;
  heddle_code code = HEDDLE_OK;
  if (options.cancel && __atomic_load_n(options.cancel, __ATOMIC_RELAXED))
    code = HEDDLE_CANCELLED;
  else if (options.deadline_ns && monotonicNs() >= options.deadline_ns)
    code = HEDDLE_DEADLINE_EXCEEDED;
  if (code == HEDDLE_OK)
    return false;
  stopped.store(code, std::memory_order_relaxed);
  return true;
}

void Call::runChunk(int64_t worker, uint32_t chunk) {
  if (mustStop())
    return;
  // The counter counts down; tiles are taken in rising order.
  int64_t begin = int64_t(currentChunks - 1 - chunk) * currentChunk;
  run(*current, worker, begin,
      std::min(begin + currentChunk, current->command.tiles));
}

void Call::enter(uint32_t block, const Step *loop, int64_t trips,
                 bool condition) {
  // The plan verifier has seen that blocks do not nest more deeply.
  assert(depth < format::maximumBlockDepth);
  const Steps::Block &range = steps.blocks[block];
  frames[depth++] = {range.first, range.first + range.count, block, trips, loop,
                     condition};
}

/// At the end of a block: back, or once more around the loop.
void Call::leave() {
  Frame &frame = frames[depth - 1];
  const Step *loop = frame.loop;
  if (!loop) {
    --depth;
    return;
  }
  if (frame.condition) {
    const auto *flag = static_cast<const char *>(steps.slots[loop->slots]);
    --depth;
    if (*flag)
      enter(loop->firstBlock, loop, -1);
  } else if (frame.trips < 0) {
    --depth;
    enter(loop->condition, loop, -1, /*condition=*/true);
  } else if (frame.trips > 0) {
    --frame.trips;
    frame.next = steps.blocks[frame.block].first;
  } else {
    --depth;
  }
}

void Call::control(const Step &step) {
  if (step.kind == Step::Kind::loop) {
    if (step.command.tiles < 0)
      enter(step.condition, &step, -1, /*condition=*/true);
    else if (step.command.tiles > 0)
      enter(step.firstBlock, &step, step.command.tiles - 1);
    return;
  }
  int64_t value = step.command.tiles; // what the call's extents select
  if (step.selectorBytes == 1)
    value = *static_cast<const int8_t *>(steps.slots[step.slots]);
  else if (step.selectorBytes == 4)
    value = *static_cast<const int32_t *>(steps.slots[step.slots]);
  else if (step.selectorBytes == 8)
    value = *static_cast<const int64_t *>(steps.slots[step.slots]);
  if (value < 0 || value >= int64_t(step.blockCount))
    value = int64_t(step.blockCount) - 1;
  enter(steps.targets[step.firstBlock + uint32_t(value)]);
}

/// How long the host waits at once for a device, if somebody may cancel.
static constexpr uint64_t cancelCheckNs = 1000000;

/// Waits by `wait`, which takes a deadline, until it is done or the call ends.
template <typename Wait> int32_t Call::await(Wait wait) {
  while (true) {
    uint64_t until = options.deadline_ns;
    if (options.cancel) {
      uint64_t check = monotonicNs() + cancelCheckNs;
      until = until ? std::min(until, check) : check;
    }
    int32_t code = wait(until, &deviceStatus);
    if (code != HEDDLE_DEADLINE_EXCEEDED || mustStop())
      return code;
  }
}

/// All commands of the step at once; or, where somebody wants to know how long
/// each takes, one after the other.
int32_t Call::submit(const Step &step, heddle_status *why) {
  const Submission &submission = *steps.submissions[step.target];
  if (!options.on_step)
    return submission.submit(why);
  const DeviceQueues::Queue &queue = submission.queue;
  for (uint32_t i = 0; i < submission.size(); ++i) {
    startNs = monotonicNs();
    if (int32_t code = submission.submitOne(i, why))
      return code;
    if (int32_t code = await([&](uint64_t until, heddle_status *told) {
          return queue.driver().queue_wait(queue.handle, until, told);
        }))
      return code;
    report(steps.submitted[steps.firstSubmitted[step.target] + i]);
  }
  return HEDDLE_OK;
}

void Call::useDevice(const Step &step) {
  int32_t code = HEDDLE_OK;
  if (step.kind == Step::Kind::submission) {
    code = submit(step, &deviceStatus);
  } else if (step.kind == Step::Kind::eventWait) {
    const DeviceEvent &event = steps.events[step.target];
    code = await([&](uint64_t until, heddle_status *why) {
      return event.driver().event_wait(event.handle(), until, why);
    });
  } else {
    const DeviceQueues::Queue &queue = steps.queues->get(step.target);
    code = await([&](uint64_t until, heddle_status *why) {
      return queue.driver().queue_wait(queue.handle, until, why);
    });
  }
  // What the caller asked for, a deadline, is told before.
  if (code && stopped.load(std::memory_order_relaxed) == HEDDLE_OK)
    stopped.store(static_cast<heddle_code>(code), std::memory_order_relaxed);
}

/// A collective, whole: this thread does it, and waits for the other ranks.
void Call::meetRanks(const Step &step) {
  if (options.on_step)
    startNs = monotonicNs();
  const CollectiveStep &collective = *steps.collectives[step.call];
  int32_t code = steps.seat.engine->run(
      steps.seat.world, steps.seat.rank, &collective.command,
      step.command.buffers[1], step.command.buffers[0], options.deadline_ns,
      options.cancel, &deviceStatus);
  if (code) {
    // Of a passed deadline it names the rank that was waited for.
    isToldInStatus = true;
    stopped.store(static_cast<heddle_code>(code), std::memory_order_relaxed);
  } else if (options.on_step) {
    report(step);
  }
}

/// On any worker, where nobody catches that memory for an error's text ran out.
void Call::count(const Step &step) {
  heddle_status status = guarded([&] {
    return toStatus(steps.counts[format::hostDevice]->count(
        step.target, steps.slots[step.slots]));
  });
  if (status.code == HEDDLE_OK)
    return;
  deviceStatus = status;
  stopped.store(static_cast<heddle_code>(status.code),
                std::memory_order_relaxed);
}

void Call::report(const Step &step) {
  uint64_t end = monotonicNs();
  const StepReport &known = steps.reports[step.report];
  heddle_step told = {};
  told.size = sizeof(told);
  told.number = number++;
  told.name = known.name;
  told.tiles = step.command.tiles;
  told.start_ns = startNs;
  told.duration_ns = end - startNs;
  told.operations = known.operations;
  told.traffic = known.traffic;
  told.node_count = known.nodeCount;
  told.nodes = steps.nodesOf(known);
  told.block = known.block;
  told.command = known.command;
  options.on_step(options.user, &told);
}

uint32_t Call::advance(int64_t worker) {
  if (current) {
    if (options.on_step)
      report(*current);
    current = nullptr;
  }
  while (depth) {
    // Also between the rounds of a loop that does nothing.
    if (mustStop())
      return 0;
    Frame &frame = frames[depth - 1];
    if (frame.next == frame.end) {
      leave();
      continue;
    }
    const Step &step = steps.steps[frame.next++];
    if (step.kind >= Step::Kind::branch) {
      if (step.kind <= Step::Kind::loop)
        control(step);
      else if (step.kind == Step::Kind::collective)
        meetRanks(step);
      else if (step.kind == Step::Kind::count)
        count(step);
      else
        useDevice(step);
      continue;
    }
    if (options.on_step)
      startNs = monotonicNs();

    bool small = step.command.tiles <= step.command.chunk ||
                 (step.command.kind != HEDDLE_COMMAND_LAUNCH &&
                  step.command.tiles < smallTransferBytes) ||
                 (alone && !watched);
    if (small) {
      if (step.command.tiles)
        run(step, worker, 0, step.command.tiles);
      if (options.on_step)
        report(step);
      continue;
    }
    current = &step;
    // The counter of chunks has 32 bits.
    currentChunk = std::max(step.command.chunk, step.command.tiles >> 30);
    currentChunks = static_cast<uint32_t>(
        (step.command.tiles + currentChunk - 1) / currentChunk);
    return currentChunks;
  }
  return 0;
}

void Call::runAlone() {
  while (uint32_t chunks = advance(0))
    while (chunks)
      runChunk(0, --chunks);
}
