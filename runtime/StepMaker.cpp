// Makes steps of commands. Nothing is checked: the plan verifier has accepted
// these tables.

#include "runtime/StepMaker.h"

#include "runtime/format/BufferPlaces.h"
#include "runtime/format/Devices.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>
#include <cassert>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

void StepMaker::addSlot(void *start, heddle_driver_use use) {
  out.slots.push_back(start);
  if (hasDevices)
    out.uses.push_back(use);
}

/// Number of what a call gives for an input, an output or a state.
uint32_t StepMaker::tensorOf(const Buffer &buffer) const {
  if (buffer.kind() == BufferKind::input)
    return buffer.index();
  size_t before = entry->inputs.size();
  if (buffer.kind() == BufferKind::output)
    return static_cast<uint32_t>(before) + buffer.index();
  before += entry->outputs.size();
  auto use = std::find_if(
      entry->states.begin(), entry->states.end(),
      [&](const StateUse *known) { return known->state() == buffer.index(); });
  assert(use != entry->states.end() && "an entry lists the states it uses");
  return static_cast<uint32_t>(before) +
         static_cast<uint32_t>(use - entry->states.begin());
}

/// Adds a slot for the binding; returns its bytes.
int64_t StepMaker::bind(const Binding &binding) {
  const Buffer &buffer = *program.buffers()->Get(binding.buffer());
  int64_t offset = values[binding.offset()];
  int64_t bytes = binding.size() == none ? values[buffer.size()] - offset
                                         : values[binding.size()];
  assert(offset >= 0 && bytes >= 0 && offset + bytes <= values[buffer.size()] &&
         "a binding lies inside its buffer");
  auto slot = static_cast<uint32_t>(out.slots.size());
  char *start = nullptr;
  switch (buffer.kind()) {
  case BufferKind::arena:
    start = arenas[buffer.index()] + values[buffer.offset()];
    break;
  case BufferKind::persistent:
    start = loaded.persistent()[buffer.index()] + values[buffer.offset()];
    break;
  case BufferKind::weight:
    assert(binding.access() == Access::read && "weights are only read");
    // Kernels take void *, and the verifier has seen that none writes here.
    start =
        const_cast<char *>(loaded.weights()[weightOf(buffer, out.seat.rank)]);
    break;
  case BufferKind::input:
  case BufferKind::output:
  case BufferKind::state:
    out.patches.push_back({slot, tensorOf(buffer), offset});
    break;
  }
  addSlot(start ? start + offset : nullptr,
          {buffer.device() == hostDevice
               ? nullptr
               : loaded.devices()[buffer.device()]->device()->handle(),
           static_cast<uint64_t>(bytes),
           static_cast<uint32_t>(binding.access())});
  return bytes;
}

/// Adds a slot from where the host reads a flag.
int64_t StepMaker::bindFlag(const Binding &binding, int64_t *fetched) {
  if (!fetched)
    return bind(binding);
  const Buffer &buffer = *program.buffers()->Get(binding.buffer());
  addSlot(fetched, {});
  return binding.size() == none
             ? values[buffer.size()] - values[binding.offset()]
             : values[binding.size()];
}

uint32_t runtime::chosenKernel(const Launch &launch,
                               const std::vector<int64_t> &values) {
  int64_t last = length(launch.alternatives());
  if (!last || !values[launch.selector()])
    return launch.kernel();
  int64_t chosen = values[launch.selector()];
  if (chosen < 0 || chosen > last)
    chosen = last;
  return launch.alternatives()->Get(static_cast<uint32_t>(chosen - 1));
}

void StepMaker::launch(const Launch &launch, uint32_t device, Step &step,
                       StepReport &report) {
  uint32_t index = chosenKernel(launch, values);
  const Kernel &kernel = *loaded.variant().kernels()->Get(index);
  if (const CustomCall *call = kernel.custom_call()) {
    step.kind = Step::Kind::customCall;
    step.call = static_cast<uint32_t>(out.calls.size());
    out.calls.push_back(std::make_unique<CustomCallStep>(
        *call, loaded.customCalls()[index], manifestValues));
  } else {
    step.command.kernel = loaded.devices()[device]->kernels()[index];
  }
  step.command.kind = HEDDLE_COMMAND_LAUNCH;
  step.command.buffer_count = length(launch.bindings());
  step.command.integer_count = kernel.integers();
  assert(step.command.buffer_count == kernel.bindings() &&
         step.command.integer_count <= length(launch.integers()) &&
         "a launch gives its kernel what that takes");
  // What follows from counts may be no proper number before they are read
  // (CountedSteps), by when it runs.
  step.command.tiles = values[launch.tiles()];
  step.command.chunk = values[launch.chunk()];
  step.integers = static_cast<uint32_t>(out.integers.size());
  for (uint32_t i = 0; i < length(launch.bindings()); ++i)
    bind(*launch.bindings()->Get(i));
  for (uint32_t i = 0; i < length(launch.integers()); ++i)
    out.integers.push_back(values[launch.integers()->Get(i)]);
  report.name = kernel.name() ? kernel.name()->c_str() : "";
  report.operations = reported(launch.operations());
  report.traffic = reported(launch.traffic());
}

/// Pieces of a large copy or fill that a worker takes at once.
static constexpr int64_t bytesPerPiece = 256 << 10;

Step StepMaker::make(const Command &command, uint32_t block, uint32_t number,
                     int64_t *flag) {
  Step step = {};
  step.slots = static_cast<uint32_t>(out.slots.size());
  step.report = static_cast<uint32_t>(out.reports.size());
  StepReport report = {"",
                       -1,
                       -1,
                       static_cast<uint32_t>(out.nodes.size()),
                       length(command.nodes()),
                       block,
                       number};
  for (uint32_t i = 0; i < report.nodeCount; ++i)
    out.nodes.push_back(
        loaded.manifest().nodes()->Get(command.nodes()->Get(i))->c_str());

  switch (command.action_type()) {
  case Action::Launch:
    launch(*command.action_as_Launch(),
           loaded.plan().queues()->Get(command.queue())->device(), step,
           report);
    break;
  case Action::Copy: {
    const Copy &copy = *command.action_as_Copy();
    step.command.kind = HEDDLE_COMMAND_COPY;
    step.command.buffer_count = 2;
    bind(*copy.target());
    step.command.tiles = bind(*copy.source());
    step.command.chunk = bytesPerPiece;
    report.name = "copy";
    report.traffic = 2 * step.command.tiles;
    break;
  }
  case Action::Fill: {
    const Fill &fill = *command.action_as_Fill();
    step.command.kind = HEDDLE_COMMAND_FILL;
    step.command.buffer_count = 1;
    step.command.tiles = bind(*fill.target());
    step.command.chunk = bytesPerPiece;
    step.command.pattern = fill.value() == none
                               ? fill.pattern()
                               : static_cast<uint64_t>(values[fill.value()]);
    step.command.pattern_bytes = fill.pattern_bytes();
    report.name = "fill";
    report.traffic = step.command.tiles;
    break;
  }
  case Action::Branch: {
    const Branch &branch = *command.action_as_Branch();
    step.kind = Step::Kind::branch;
    if (branch.selector())
      step.selectorBytes =
          static_cast<uint8_t>(bindFlag(*branch.selector(), flag));
    else
      step.command.tiles = values[branch.value()];
    step.firstBlock = static_cast<uint32_t>(out.targets.size());
    step.blockCount = length(branch.blocks());
    for (uint32_t i = 0; i < step.blockCount; ++i)
      out.targets.push_back(branch.blocks()->Get(i));
    report.name = "branch";
    break;
  }
  case Action::Loop: {
    const Loop &loop = *command.action_as_Loop();
    step.kind = Step::Kind::loop;
    step.firstBlock = loop.body();
    step.command.tiles = loop.trips() == none ? -1 : values[loop.trips()];
    if (step.command.tiles < 0) {
      step.condition = loop.condition();
      bindFlag(*loop.flag(), flag);
    }
    report.name = "loop";
    break;
  }
  case Action::Collective: {
    const Collective &collective = *command.action_as_Collective();
    step.kind = Step::Kind::collective;
    step.command.buffer_count = 2;
    int64_t target = bind(*collective.target());
    int64_t source = bind(*collective.source());
    step.call = static_cast<uint32_t>(out.collectives.size());
    out.collectives.push_back(std::make_unique<CollectiveStep>(
        collective, values, out.seat, source, step.report));
    report.name = out.collectives.back()->command.name;
    report.traffic = source + target;
    break;
  }
  case Action::Rank:
    step.command.kind = HEDDLE_COMMAND_FILL;
    step.command.buffer_count = 1;
    step.command.tiles = bind(*command.action_as_Rank()->target());
    step.command.chunk = bytesPerPiece;
    step.command.pattern = out.seat.rank;
    step.command.pattern_bytes = 4;
    report.name = "rank";
    report.traffic = step.command.tiles;
    break;
  case Action::Count:
    step.kind = Step::Kind::count;
    step.command.kind = HEDDLE_COMMAND_COUNT;
    step.command.buffer_count = 1;
    bind(*command.action_as_Count()->source());
    step.target = command.action_as_Count()->symbol();
    report.name = "count";
    break;
  default:
    break;
  }
  out.reports.push_back(report);
  return step;
}

Step StepMaker::fetch(const Binding &flag, int64_t *target, uint32_t block,
                      uint32_t number) {
  Step step = {};
  step.slots = static_cast<uint32_t>(out.slots.size());
  step.report = static_cast<uint32_t>(out.reports.size());
  step.command.kind = HEDDLE_COMMAND_COPY;
  step.command.buffer_count = 2;
  int64_t bytes = bindFlag(flag, target);
  bind(flag);
  out.uses[step.slots] = {nullptr, static_cast<uint64_t>(bytes),
                          HEDDLE_ACCESS_WRITE};
  step.command.tiles = bytes;
  step.command.chunk = bytes;
  out.reports.push_back({"copy", -1, 2 * bytes,
                         static_cast<uint32_t>(out.nodes.size()), 0, block,
                         number});
  return step;
}
