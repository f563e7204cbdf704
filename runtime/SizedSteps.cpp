// Finds what of a program's steps follows from sizes, and brings it up to date.

#include "runtime/SizedSteps.h"

#include "runtime/StepMaker.h"
#include "runtime/format/Counts.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/Scratch.h"

#include <algorithm>
#include <cassert>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

static bool isFixed(const LoadedProgram &loaded, uint32_t expression) {
  return loaded.plan().expressions()->Get(expression)->kind() ==
         ExpressionKind::constant;
}

bool SizedSteps::changes(uint32_t expression) const {
  return followed.empty() ? !isFixed(*loaded, expression)
                          : followed[expression];
}

void SizedSteps::number(uint32_t expression, int64_t &place, int64_t factor) {
  if (expression != none && changes(expression))
    numbers.push_back({&place, factor, expression});
}

void SizedSteps::launch(const Launch &launch, Step &step, Steps &steps) {
  StepReport &report = steps.reports[step.report];
  for (uint32_t i = 0; i < length(launch.integers()); ++i)
    number(launch.integers()->Get(i), steps.integers[step.integers + i]);
  number(launch.tiles(), step.command.tiles);
  number(launch.chunk(), step.command.chunk);
  number(launch.operations(), report.operations);
  number(launch.traffic(), report.traffic);
  if (length(launch.alternatives()) && changes(launch.selector()))
    choices.push_back({&step, &report, &launch});
  if (launch.scratch() != none)
    scratches.push_back(&launch);
  else
    fixedScratch =
        std::max(fixedScratch, mostScratch(launch, loaded->variant()));
}

void SizedSteps::command(const Command &command, Step &step, Steps &steps) {
  StepReport &report = steps.reports[step.report];
  auto bind = [&](const Binding &binding, uint32_t index) {
    const Buffer &buffer = *program->buffers()->Get(binding.buffer());
    if (buffer.kind() == BufferKind::arena &&
        !isFixed(*loaded, buffer.offset()))
      addresses.push_back({&steps.slots[step.slots + index],
                           (*arenas)[buffer.index()], buffer.offset()});
    return buffer.size();
  };
  if (const Launch *action = command.action_as_Launch()) {
    for (uint32_t i = 0; i < length(action->bindings()); ++i)
      bind(*action->bindings()->Get(i), i);
    launch(*action, step, steps);
  } else if (const Copy *copy = command.action_as_Copy()) {
    bind(*copy->target(), 0);
    uint32_t bytes = bind(*copy->source(), 1);
    number(bytes, step.command.tiles);
    number(bytes, report.traffic, 2);
  } else if (const Fill *fill = command.action_as_Fill()) {
    uint32_t bytes = bind(*fill->target(), 0);
    number(bytes, step.command.tiles);
    number(bytes, report.traffic);
    number(fill->value(), reinterpret_cast<int64_t &>(step.command.pattern));
  } else if (const Branch *branch = command.action_as_Branch()) {
    if (branch->selector())
      bind(*branch->selector(), 0);
    else
      number(branch->value(), step.command.tiles);
  } else if (const Loop *loop = command.action_as_Loop()) {
    if (loop->trips() == none)
      bind(*loop->flag(), 0);
  } else if (const Count *count = command.action_as_Count()) {
    bind(*count->source(), 0);
  }
}

void SizedSteps::find(const Program &code, const LoadedProgram &from,
                      const std::vector<char *> &starts, Steps &steps) {
  *this = {};
  program = &code;
  loaded = &from;
  arenas = &starts;
  for (uint32_t i = 0; i < steps.blocks.size(); ++i) {
    const Steps::Block &block = steps.blocks[i];
    const auto *commands = code.blocks()->Get(i)->commands();
    assert(block.count == length(commands) &&
           "on the host each command is a step");
    for (uint32_t j = 0; j < block.count; ++j)
      command(*commands->Get(j), steps.steps[block.first + j], steps);
  }
}

void SizedSteps::findCounted(const Program &code, const LoadedProgram &from,
                             uint32_t on, std::vector<bool> counted,
                             Steps &steps) {
  *this = {};
  program = &code;
  loaded = &from;
  device = on;
  followed = std::move(counted);
  for (Step &step : on == hostDevice ? steps.steps : steps.submitted) {
    if (step.kind != Step::Kind::command)
      continue;
    const StepReport &report = steps.reports[step.report];
    const Command &command =
        *code.blocks()->Get(report.block)->commands()->Get(report.command);
    const Launch *action = command.action_as_Launch();
    bool isCounted = false;
    if (action && deviceOf(from.plan(), command) == on)
      forEachNumber(*action,
                    [&](uint32_t number) { isCounted |= followed[number]; });
    if (isCounted)
      launch(*action, step, steps);
  }
}

void SizedSteps::choose(const Choice &choice,
                        const std::vector<int64_t> &values) const {
  uint32_t index = chosenKernel(*choice.launch, values);
  const Kernel &kernel = *loaded->variant().kernels()->Get(index);
  heddle_driver_command &command = choice.step->command;
  command.kernel = loaded->devices()[device]->kernels()[index];
  command.integer_count = kernel.integers();
  choice.report->name = kernel.name() ? kernel.name()->c_str() : "";
}

void SizedSteps::update(const std::vector<int64_t> &values) const {
  for (const Address &address : addresses)
    *address.slot = address.start + values[address.offset];
  for (const Number &number : numbers)
    *number.place = values[number.expression] * number.factor;
  for (const Choice &choice : choices)
    choose(choice, values);
}

uint64_t SizedSteps::scratchBytes(const std::vector<int64_t> &values) const {
  uint64_t bytes = fixedScratch;
  for (const Launch *launch : scratches)
    bytes = std::max(bytes,
                     runtime::scratchBytes(*launch, loaded->variant(), values));
  return alignUp(bytes, pageBytes);
}
