//===- Steps.cpp ----------------------------------------------------------===//
//
// Nothing is checked here: the plan verifier has accepted these tables.
//
//===----------------------------------------------------------------------===//

#include "runtime/Steps.h"

#include "runtime/format/ManifestVerifier.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

namespace {
class Preparer {
public:
  Preparer(Steps &out, const Program &program, const Manifest &manifest,
           const Variant &variant, const Kernels &kernels, const Values &all,
           uint32_t inputs, const Memories &memories)
      : out(out), program(program), manifest(manifest), variant(variant),
        kernels(kernels), values(all.plan), manifestValues(all.manifest),
        inputs(inputs), memories(memories) {}

  void block(uint32_t index);

private:
  Step step(const Command &command);
  void launch(const Launch &launch, Step &step, StepReport &report);
  int64_t bind(const Binding &binding);
  int64_t reported(uint32_t expression) const {
    return expression == none ? -1 : values[expression];
  }

  Steps &out;
  const Program &program;
  const Manifest &manifest;
  const Variant &variant;
  const Kernels &kernels;
  const std::vector<int64_t> &values, &manifestValues;
  uint32_t inputs;
  const Memories &memories;
};
} // namespace

/// Adds a slot for the binding; returns its bytes.
int64_t Preparer::bind(const Binding &binding) {
  const Buffer &buffer = *program.buffers()->Get(binding.buffer());
  int64_t offset = values[binding.offset()];
  int64_t bytes = binding.size() == none ? values[buffer.size()] - offset
                                         : values[binding.size()];
  auto slot = static_cast<uint32_t>(out.slots.size());
  char *start = nullptr;
  switch (buffer.kind()) {
  case BufferKind::arena:
    start = memories.arena + values[buffer.offset()];
    break;
  case BufferKind::persistent:
    start = memories.persistent + values[buffer.offset()];
    break;
  case BufferKind::weight:
    // Kernels take void *, and the verifier has seen that none writes here.
    start = const_cast<char *>((*memories.weights)[buffer.index()]);
    break;
  case BufferKind::input:
    out.patches.push_back({slot, buffer.index(), offset});
    break;
  case BufferKind::output:
    out.patches.push_back({slot, inputs + buffer.index(), offset});
    break;
  case BufferKind::state:
    break; // the loader refuses programs with states
  }
  out.slots.push_back(start ? start + offset : nullptr);
  return bytes;
}

/// The kernel that the call's extents select.
static uint32_t chosenKernel(const Launch &launch,
                             const std::vector<int64_t> &values) {
  int64_t last = length(launch.alternatives());
  if (!last || !values[launch.selector()])
    return launch.kernel();
  int64_t chosen = values[launch.selector()];
  if (chosen < 0 || chosen > last)
    chosen = last;
  return launch.alternatives()->Get(static_cast<uint32_t>(chosen - 1));
}

void Preparer::launch(const Launch &launch, Step &step, StepReport &report) {
  uint32_t index = chosenKernel(launch, values);
  const Kernel &kernel = *variant.kernels()->Get(index);
  if (const CustomCall *call = kernel.custom_call()) {
    step.kind = Step::Kind::customCall;
    step.call = static_cast<uint32_t>(out.calls.size());
    out.calls.push_back(std::make_unique<CustomCallStep>(
        *call, kernels.customCalls[index], manifestValues));
  } else {
    step.command.kernel = kernels.code[index];
  }
  step.command.kind = HEDDLE_COMMAND_LAUNCH;
  step.command.buffer_count = length(launch.bindings());
  step.command.integer_count = length(launch.integers());
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

Step Preparer::step(const Command &command) {
  Step step = {};
  step.slots = static_cast<uint32_t>(out.slots.size());
  step.report = static_cast<uint32_t>(out.reports.size());
  StepReport report = {"",
                       -1,
                       -1,
                       static_cast<uint32_t>(out.nodes.size()),
                       length(command.nodes()),
                       0,
                       0};
  for (uint32_t i = 0; i < report.nodeCount; ++i)
    out.nodes.push_back(
        manifest.nodes()->Get(command.nodes()->Get(i))->c_str());

  switch (command.action_type()) {
  case Action::Launch:
    launch(*command.action_as_Launch(), step, report);
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
      step.selectorBytes = static_cast<uint8_t>(bind(*branch.selector()));
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
      bind(*loop.flag());
    }
    report.name = "loop";
    break;
  }
  default:
    break;
  }
  out.reports.push_back(report);
  return step;
}

void Preparer::block(uint32_t index) {
  const auto *commands = program.blocks()->Get(index)->commands();
  Steps::Block block = {static_cast<uint32_t>(out.steps.size()),
                        length(commands)};
  for (uint32_t i = 0; i < block.count; ++i) {
    out.steps.push_back(step(*commands->Get(i)));
    out.reports.back().block = index;
    out.reports.back().command = i;
  }
  out.blocks[index] = block;
}

void Steps::prepare(const Program &program, const Manifest &manifest,
                    const Variant &variant, const Kernels &kernels,
                    const Values &values, uint32_t inputs,
                    const Memories &memories) {
  *this = {};
  body = program.body();
  blocks.resize(length(program.blocks()));
  Preparer preparer(*this, program, manifest, variant, kernels, values, inputs,
                    memories);
  for (uint32_t i = 0; i < blocks.size(); ++i)
    preparer.block(i);
  // The vectors have grown to what they will be.
  for (Step &step : steps) {
    step.command.buffers = slots.data() + step.slots;
    step.command.integers = integers.data() + step.integers;
  }
  for (const Step &step : steps)
    if (step.kind == Step::Kind::customCall) {
      heddle_custom_call_frame &frame = calls[step.call]->frame;
      frame.nodes = nodesOf(reports[step.report]);
      frame.node_count = reports[step.report].nodeCount;
    }
}

uint64_t runtime::scratchBytes(const Program &program, const Variant &variant) {
  uint64_t bytes = 0;
  auto count = [&](uint32_t index) {
    if (const CpuLaunch *launch =
            variant.kernels()->Get(index)->launch_as_CpuLaunch())
      bytes = std::max(bytes, launch->scratch());
  };
  for (uint32_t i = 0; i < length(program.blocks()); ++i) {
    const auto *commands = program.blocks()->Get(i)->commands();
    for (uint32_t j = 0; j < length(commands); ++j)
      if (const Launch *launch = commands->Get(j)->action_as_Launch()) {
        count(launch->kernel());
        for (uint32_t k = 0; k < length(launch->alternatives()); ++k)
          count(launch->alternatives()->Get(k));
      }
  }
  return alignUp(bytes, pageBytes);
}

uint64_t runtime::arenaBytes(const Program &program,
                             const std::vector<int64_t> &values) {
  if (!length(program.arenas()))
    return 0;
  return alignUp(
      static_cast<uint64_t>(values[program.arenas()->Get(0)->size()]),
      pageBytes);
}
