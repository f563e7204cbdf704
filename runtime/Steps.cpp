// Orders the steps of a program: what runs on the host as the plan has it;
// between that, what other devices are given, and the waits of the host for it.

#include "runtime/Steps.h"

#include "runtime/StepMaker.h"
#include "runtime/format/Counts.h"
#include "runtime/format/Devices.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/Scratch.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

namespace {
class Preparer {
public:
  Preparer(Steps &out, const Program &program, const LoadedProgram &loaded,
           const DeviceQueues &queues, StepMaker maker)
      : out(out), program(program), loaded(loaded), queues(queues),
        maker(maker) {}

  /// First: where the host finds flags that it cannot read where they lie.
  void findFlags();
  Error block(uint32_t index);
  /// Last, when the vectors have grown to what they will be.
  Error finish();

private:
  /// Where a command stands.
  struct Position {
    uint32_t block;
    uint32_t number;
  };
  /// A loop whose flag is brought to the host when its condition is done.
  struct Fetch {
    const Command *loop;
    Position position;
  };

  bool isOnHost(uint32_t queue) const { return !queues.get(queue).handle; }
  bool hostReads(const Binding &flag) const;
  int64_t *flagOf(const Command &command) const {
    auto flag = flags.find(&command);
    return flag == flags.end() ? nullptr : flag->second;
  }
  void fetch(const Binding &flag, const Command &command, Position position);
  void add(Step::Kind kind, uint32_t target);
  void awaitEvent(uint32_t event);
  void onHost(const Command &command, Position position);
  Error submit(const Command &command, Position position);
  uint32_t newSubmission(uint32_t queue);
  void setPointers(Step &step);
  uint32_t deviceOf(const Step &step) const;
  void findCounts();
  heddle_driver_command commandOf(const Step &step);

  Steps &out;
  const Program &program;
  const LoadedProgram &loaded;
  const DeviceQueues &queues;
  StepMaker maker;

  std::map<const Command *, int64_t *> flags;
  std::map<uint32_t, Fetch> fetches;        ///< By the loop's condition.
  std::vector<std::vector<Step>> submitted; ///< By submission.
  std::vector<bool> changes; ///< Submissions with tensors of the call.

  // Of the block that is being prepared:
  std::map<uint32_t, uint32_t> open; ///< Queue to what may get more commands.
  std::set<uint32_t> busy;           ///< Queues that were given something.
  /// Events that devices signal, to their numbers in Steps::events; but for
  /// those that the host has waited for.
  std::map<uint32_t, uint32_t> pending;
};
} // namespace

bool Preparer::hostReads(const Binding &flag) const {
  const Buffer &buffer = *program.buffers()->Get(flag.buffer());
  return buffer.device() == hostDevice ||
         loaded.devices()[buffer.device()]->device()->isMapped(
             static_cast<heddle_driver_space>(buffer.space()));
}

void Preparer::findFlags() {
  auto need = [&](const Binding *flag, const Command &command) {
    if (!flag || hostReads(*flag))
      return false;
    out.flags.push_back(std::make_unique<int64_t>());
    flags[&command] = out.flags.back().get();
    return true;
  };
  for (uint32_t i = 0; i < out.blocks.size(); ++i) {
    const auto *commands = program.blocks()->Get(i)->commands();
    for (uint32_t j = 0; j < length(commands); ++j) {
      const Command &command = *commands->Get(j);
      if (const Branch *branch = command.action_as_Branch())
        need(branch->selector(), command);
      const Loop *loop = command.action_as_Loop();
      if (loop && loop->trips() == none && need(loop->flag(), command))
        fetches[loop->condition()] = {&command, {i, j}};
    }
  }
}

/// A step that is no command of the plan.
void Preparer::add(Step::Kind kind, uint32_t target) {
  Step step = {};
  step.kind = kind;
  step.target = target;
  out.steps.push_back(step);
}

uint32_t Preparer::newSubmission(uint32_t queue) {
  auto index = static_cast<uint32_t>(submitted.size());
  out.submissions.push_back(std::make_unique<Submission>(queues.get(queue)));
  submitted.emplace_back();
  changes.push_back(false);
  busy.insert(queue);
  add(Step::Kind::submission, index);
  return index;
}

void Preparer::fetch(const Binding &flag, const Command &command,
                     Position position) {
  uint32_t index = newSubmission(command.queue());
  size_t patches = out.patches.size();
  submitted[index].push_back(
      maker.fetch(flag, flagOf(command), position.block, position.number));
  changes[index] = out.patches.size() > patches;
  add(Step::Kind::queueWait, command.queue());
}

/// Unless the host itself signals the event, or has waited for it.
void Preparer::awaitEvent(uint32_t event) {
  auto signal = pending.find(event);
  if (signal == pending.end())
    return;
  add(Step::Kind::eventWait, signal->second);
  pending.erase(signal);
}

/// A command of the host's, or a branch or a loop, which the host walks.
void Preparer::onHost(const Command &command, Position position) {
  for (uint32_t i = 0; i < length(command.waits()); ++i)
    awaitEvent(command.waits()->Get(i));
  const Branch *branch = command.action_as_Branch();
  if (branch || command.action_as_Loop())
    open.clear();
  if (!isOnHost(command.queue()) && busy.count(command.queue()))
    add(Step::Kind::queueWait, command.queue());
  if (branch && flagOf(command))
    fetch(*branch->selector(), command, position);
  out.steps.push_back(
      maker.make(command, position.block, position.number, flagOf(command)));
}

/// Commands of a queue with nothing to wait for go with the one before, which
/// is what a device can prepare.
Error Preparer::submit(const Command &command, Position position) {
  uint32_t queue = command.queue();
  const runtime::Device &device = *queues.get(queue).device;
  std::vector<heddle_driver_event *> waits;
  for (uint32_t i = 0; i < length(command.waits()); ++i) {
    auto signal = pending.find(command.waits()->Get(i));
    if (signal == pending.end())
      continue;
    const DeviceEvent &event = out.events[signal->second];
    // Drivers know nothing of each other.
    if (&event.driver() != &device.driver())
      awaitEvent(signal->first);
    else
      waits.push_back(event.handle());
  }
  auto known = open.find(queue);
  bool joins = known != open.end() && !length(command.waits());
  uint32_t index = joins ? known->second : newSubmission(queue);
  open[queue] = index;
  Submission &submission = *out.submissions[index];
  if (!joins)
    submission.waits = std::move(waits);
  size_t patches = out.patches.size();
  submitted[index].push_back(
      maker.make(command, position.block, position.number, nullptr));
  changes[index] = changes[index] || out.patches.size() > patches;
  for (uint32_t i = 0; i < length(command.signals()); ++i) {
    DeviceEvent event;
    if (Error error = event.create(device))
      return error;
    submission.signals.push_back(event.handle());
    pending[command.signals()->Get(i)] =
        static_cast<uint32_t>(out.events.size());
    out.events.push_back(std::move(event));
    open.erase(queue);
  }
  return {};
}

/// A block is done when all its commands are.
Error Preparer::block(uint32_t index) {
  open.clear();
  busy.clear();
  pending.clear();
  const auto *commands = program.blocks()->Get(index)->commands();
  auto first = static_cast<uint32_t>(out.steps.size());
  for (uint32_t i = 0; i < length(commands); ++i) {
    const Command &command = *commands->Get(i);
    bool walked = command.action_type() == Action::Branch ||
                  command.action_type() == Action::Loop;
    if (walked || isOnHost(command.queue()))
      onHost(command, {index, i});
    else if (Error error = submit(command, {index, i}))
      return error;
  }
  for (uint32_t queue : busy)
    add(Step::Kind::queueWait, queue);
  auto condition = fetches.find(index);
  if (condition != fetches.end()) {
    const Command &loop = *condition->second.loop;
    fetch(*loop.action_as_Loop()->flag(), loop, condition->second.position);
  }
  out.blocks[index] = {first, static_cast<uint32_t>(out.steps.size()) - first};
  return {};
}

void Preparer::setPointers(Step &step) {
  step.command.buffers = out.slots.data() + step.slots;
  if (!out.uses.empty())
    step.command.uses = out.uses.data() + step.slots;
  step.command.integers = out.integers.data() + step.integers;
}

Error Preparer::finish() {
  for (Step &step : out.steps) {
    setPointers(step);
    if (step.kind == Step::Kind::customCall) {
      heddle_custom_call_frame &frame = out.calls[step.call]->frame;
      frame.nodes = out.nodesOf(out.reports[step.report]);
      frame.node_count = out.reports[step.report].nodeCount;
    }
  }
  for (std::vector<Step> &steps : submitted) {
    out.firstSubmitted.push_back(static_cast<uint32_t>(out.submitted.size()));
    for (Step &step : steps) {
      setPointers(step);
      out.submitted.push_back(step);
    }
  }
  findCounts();
  for (uint32_t i = 0; i < submitted.size(); ++i) {
    std::vector<heddle_driver_command> commands;
    for (uint32_t j = 0; j < submitted[i].size(); ++j)
      commands.push_back(commandOf(out.submitted[out.firstSubmitted[i] + j]));
    if (Error error =
            out.submissions[i]->prepare(std::move(commands), changes[i]))
      return error;
  }
  return {};
}

/// Of a step that is a command of the plan.
uint32_t Preparer::deviceOf(const Step &step) const {
  const StepReport &report = out.reports[step.report];
  return format::deviceOf(
      loaded.plan(),
      *program.blocks()->Get(report.block)->commands()->Get(report.command));
}

void Preparer::findCounts() {
  out.counts.resize(loaded.devices().size());
  for (const std::vector<Step> *steps : {&out.steps, &out.submitted})
    for (const Step &step : *steps) {
      if (step.kind != Step::Kind::count)
        continue;
      uint32_t device = deviceOf(step);
      assert((device == hostDevice ||
              loaded.devices()[device]->device()->driver().counts_in_queues) &&
             "kinds of devices that read counts have drivers that do");
      if (!out.counts[device])
        out.counts[device] =
            std::make_unique<CountedSteps>(program, loaded, device, out);
    }
}

/// As the driver of its queue is told it: where that counts, launches are what
/// their steps say when they begin.
heddle_driver_command Preparer::commandOf(const Step &step) {
  heddle_driver_command command = step.command;
  CountedSteps *counts = out.counts[deviceOf(step)].get();
  if (step.kind == Step::Kind::count) {
    out.queueCounts.push_back(
        std::make_unique<QueueCount>(QueueCount{*counts, step.target}));
    command.count = QueueCount::read;
    command.user = out.queueCounts.back().get();
  } else if (counts && command.kind == HEDDLE_COMMAND_LAUNCH) {
    command.latest = &step.command;
  }
  return command;
}

Error Steps::prepare(const Program &program, const LoadedProgram &loaded,
                     const Values &values, const EntrySpec *entry,
                     const std::vector<char *> &arenas,
                     const DeviceQueues &given, const RankSeat &place) {
  *this = {};
  queues = &given;
  seat = place;
  body = program.body();
  blocks.resize(length(program.blocks()));
  Preparer preparer(*this, program, loaded, given,
                    StepMaker(*this, program, loaded, values, entry, arenas));
  preparer.findFlags();
  for (uint32_t i = 0; i < blocks.size(); ++i)
    if (Error error = preparer.block(i))
      return error;
  return preparer.finish();
}

uint64_t runtime::scratchBytes(const Program &program, const Variant &variant,
                               const std::vector<int64_t> &values) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < length(program.blocks()); ++i) {
    const auto *commands = program.blocks()->Get(i)->commands();
    for (uint32_t j = 0; j < length(commands); ++j)
      if (const Launch *launch = commands->Get(j)->action_as_Launch())
        bytes = std::max(bytes, scratchBytes(*launch, variant, values));
  }
  return alignUp(bytes, pageBytes);
}

uint64_t runtime::scratchBytes(const Launch &launch, const Variant &variant,
                               const std::vector<int64_t> &values) {
  uint64_t most = mostScratch(launch, variant);
  return launch.scratch() == none
             ? most
             : std::min(most, uint64_t(values[launch.scratch()]));
}
