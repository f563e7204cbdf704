//===- Call.cpp -----------------------------------------------------------===//

#include "runtime/Call.h"

#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

/// Copies and fills below this many bytes are not worth company.
static constexpr int64_t smallTransferBytes = 1 << 20;

/// Repeats the pattern over bytes [begin, end) of `target`; both are multiples
/// of its size.
static void fillBytes(char *target, uint64_t pattern, unsigned patternBytes,
                      int64_t begin, int64_t end) {
  char repeated[64];
  for (unsigned i = 0; i < sizeof(repeated); i += patternBytes)
    std::memcpy(repeated + i, &pattern, patternBytes);
  for (int64_t at = begin; at < end; at += int64_t(sizeof(repeated)))
    std::memcpy(target + at, repeated,
                std::min<size_t>(sizeof(repeated), size_t(end - at)));
}

void Call::run(const Step &step, int64_t worker, int64_t begin, int64_t end) {
  void *const *slots = steps.slots.data() + step.slots;
  if (step.kind == Step::Kind::launch) {
    heddle_kernel_args args = {};
    args.buffers = slots;
    args.integers = steps.integers.data() + step.integers;
    args.scratch = scratch + uint64_t(worker) * scratchBytes;
    args.worker = worker;
    args.tile_begin = begin;
    args.tile_end = end;
    args.version = HEDDLE_KERNEL_ABI_VERSION;
    step.kernel(&args);
    return;
  }
  if (step.kind == Step::Kind::customCall) {
    if (int32_t code =
            steps.calls[step.call]->run(slots, message, sizeof(message))) {
      failedCall = &step;
      failedCode = code;
      stopped.store(HEDDLE_CUSTOM_CALL_FAILED, std::memory_order_relaxed);
    }
    return;
  }
  auto *target = static_cast<char *>(slots[0]);
  if (step.kind == Step::Kind::fill)
    fillBytes(target, step.pattern, step.patternBytes, begin, end);
  else if (end > begin)
    std::memcpy(target + begin, static_cast<const char *>(slots[1]) + begin,
                size_t(end - begin));
}

Error Call::outcome() const {
  switch (stopped.load()) {
  case HEDDLE_OK:
    return {};
  case HEDDLE_CANCELLED:
    return {HEDDLE_CANCELLED, "the call was cancelled"};
  case HEDDLE_DEADLINE_EXCEEDED:
    return {HEDDLE_DEADLINE_EXCEEDED, "the call's deadline has passed"};
  default:
    break;
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
  run(*current, worker, begin, std::min(begin + currentChunk, current->tiles));
}

void Call::enter(uint32_t block, const Step *loop, int64_t trips,
                 bool condition) {
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
    if (step.tiles < 0)
      enter(step.condition, &step, -1, /*condition=*/true);
    else if (step.tiles > 0)
      enter(step.firstBlock, &step, step.tiles - 1);
    return;
  }
  const void *selector = steps.slots[step.slots];
  int64_t value = 0;
  if (step.patternBytes == 1)
    value = *static_cast<const int8_t *>(selector);
  else if (step.patternBytes == 4)
    value = *static_cast<const int32_t *>(selector);
  else
    value = *static_cast<const int64_t *>(selector);
  if (value < 0 || value >= int64_t(step.blockCount))
    value = int64_t(step.blockCount) - 1;
  enter(steps.targets[step.firstBlock + uint32_t(value)]);
}

void Call::report(const Step &step) {
  uint64_t end = monotonicNs();
  const StepReport &known = steps.reports[step.report];
  heddle_step told = {};
  told.size = sizeof(told);
  told.number = number++;
  told.name = known.name;
  told.tiles = step.tiles;
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
    if (step.kind == Step::Kind::branch || step.kind == Step::Kind::loop) {
      control(step);
      continue;
    }
    if (options.on_step)
      startNs = monotonicNs();

    bool small =
        step.tiles <= step.chunk ||
        (step.kind != Step::Kind::launch && step.tiles < smallTransferBytes) ||
        (alone && !watched);
    if (small) {
      if (step.tiles)
        run(step, worker, 0, step.tiles);
      if (options.on_step)
        report(step);
      continue;
    }
    current = &step;
    // The counter of chunks has 32 bits.
    currentChunk = std::max(step.chunk, step.tiles >> 30);
    currentChunks =
        static_cast<uint32_t>((step.tiles + currentChunk - 1) / currentChunk);
    return currentChunks;
  }
  return 0;
}

void Call::runAlone() {
  while (uint32_t chunks = advance(0))
    while (chunks)
      runChunk(0, --chunks);
}
