// Walks the commands of a plan: to count them, and to write each as a line.

#include "PlanCounts.h"

#include "ArtifactTables.h"
#include "heddle/Driver/PhaseLog.h"
#include "runtime/format/Collectives.h"
#include "runtime/format/Devices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace heddle;
using namespace llvm;
using format::none;

PlanCounts heddle::countPlan(const format::Manifest &manifest,
                             const format::Plan &plan,
                             std::optional<uint32_t> entry) {
  PlanCounts counts;
  std::vector<int64_t> value = tableValues(manifest, plan.expressions());
  auto get = [&](uint32_t index) { return index == none ? 0 : value[index]; };
  auto sum = [&](const auto *memories) {
    int64_t bytes = 0;
    for (const format::Memory *memory : items(memories))
      bytes += get(memory->size());
    return bytes;
  };
  for (const format::Program *program : items(plan.programs())) {
    if (entry && program->entry() != *entry)
      continue;
    counts.arenaBytes = std::max(counts.arenaBytes, sum(program->arenas()));
    for (const format::Block *block : items(program->blocks()))
      for (const format::Command *command : items(block->commands())) {
        switch (command->action_type()) {
        case format::Action::Launch: {
          const format::Launch *launch = command->action_as_Launch();
          PlanCounts::PerKernel &kernel = counts.kernels[launch->kernel()];
          ++kernel.launches;
          for (uint32_t node : items(command->nodes()))
            if (!is_contained(kernel.nodes, node))
              kernel.nodes.push_back(node);
          ++counts.launches;
          kernel.operations += get(launch->operations());
          kernel.traffic += get(launch->traffic());
          counts.operations += get(launch->operations());
          counts.traffic += get(launch->traffic());
          break;
        }
        case format::Action::Copy:
          ++counts.copies;
          break;
        case format::Action::Fill:
          ++counts.fills;
          break;
        case format::Action::Branch:
          ++counts.branches;
          break;
        case format::Action::Loop:
          ++counts.loops;
          break;
        case format::Action::Collective:
          ++counts.collectives;
          break;
        default:
          break;
        }
      }
  }
  counts.persistentBytes = sum(plan.persistent());
  return counts;
}

namespace {
/// Writes the commands of one program.
class CommandLister {
public:
  CommandLister(const format::Manifest &manifest,
                const format::Variant &variant, const format::Plan &plan,
                const format::Program &program, ArrayRef<int64_t> value)
      : manifest(manifest), variant(variant), plan(plan), program(program),
        value(value) {}

  std::string list(const format::Command &command) const {
    std::string line;
    raw_string_ostream os(line);
    printAction(os, command);
    printOrder(os, command);
    std::vector<uint32_t> nodes = items(command.nodes());
    if (!nodes.empty()) {
      os << "  ; ";
      interleaveComma(nodes, os, [&](uint32_t node) {
        os << text(manifest.nodes()->Get(node));
      });
    }
    return line;
  }

private:
  std::string buffer(const format::Binding *binding) const {
    StringRef name = text(program.buffers()->Get(binding->buffer())->name());
    return name.empty() ? "%" + std::to_string(binding->buffer()) : name.str();
  }

  void printLaunch(raw_ostream &os, const format::Launch &launch) const {
    const format::Kernel *kernel = variant.kernels()->Get(launch.kernel());
    os << (kernel->custom_call() ? "call " : "launch ") << text(kernel->name());
    if (!kernel->custom_call())
      os << " tiles " << value[launch.tiles()];
    os << " (";
    ListSeparator comma;
    for (const format::Binding *binding : items(launch.bindings()))
      os << comma << (binding->access() == format::Access::read ? "" : "out ")
         << buffer(binding);
    os << ")";
    if (!count(launch.integers()))
      return;
    os << " integers ";
    interleaveComma(items(launch.integers()), os,
                    [&](uint32_t integer) { os << value[integer]; });
  }

  void printCollective(raw_ostream &os,
                       const format::Collective &collective) const {
    os << format::EnumNameCollectiveKind(collective.kind());
    if (format::joins(collective.kind()))
      os << " " << format::EnumNameReductionKind(collective.reduction());
    os << " " << buffer(collective.source()) << " to "
       << buffer(collective.target()) << " "
       << format::EnumNameDataType(collective.dtype()) << " groups";
    uint32_t size = collective.group_size();
    for (auto [i, rank] : enumerate(items(collective.group())))
      os << (i % size ? ", " : i ? "] [" : " [") << value[rank];
    os << (count(collective.group()) ? "]" : " []");
    if (collective.channel())
      os << " channel " << collective.channel();
  }

  void printAction(raw_ostream &os, const format::Command &command) const {
    switch (command.action_type()) {
    case format::Action::Launch:
      printLaunch(os, *command.action_as_Launch());
      break;
    case format::Action::Copy:
      os << "copy " << buffer(command.action_as_Copy()->source()) << " to "
         << buffer(command.action_as_Copy()->target());
      break;
    case format::Action::Fill:
      os << "fill " << buffer(command.action_as_Fill()->target());
      break;
    case format::Action::Branch:
      if (const format::Binding *selector =
              command.action_as_Branch()->selector())
        os << "branch on " << buffer(selector);
      else
        os << "branch " << value[command.action_as_Branch()->value()];
      break;
    case format::Action::Loop:
      os << "loop over block " << command.action_as_Loop()->body();
      break;
    case format::Action::Collective:
      printCollective(os, *command.action_as_Collective());
      break;
    case format::Action::Rank:
      os << "rank to " << buffer(command.action_as_Rank()->target());
      break;
    case format::Action::Count: {
      const format::Count &counted = *command.action_as_Count();
      os << "count " << text(manifest.symbols()->Get(counted.symbol())->name())
         << " from " << buffer(counted.source());
      break;
    }
    default:
      break;
    }
  }

  /// The queue and the events, where there is more than one queue.
  void printOrder(raw_ostream &os, const format::Command &command) const {
    if (count(plan.queues()) < 2)
      return;
    StringRef name = text(plan.queues()->Get(command.queue())->name());
    os << " on "
       << (name.empty() ? "queue " + std::to_string(command.queue())
                        : name.str());
    auto events = [&](const char *what, const auto *list) {
      if (!count(list))
        return;
      os << " " << what << " ";
      interleaveComma(items(list), os);
    };
    events("after", command.waits());
    events("signals", command.signals());
  }

  const format::Manifest &manifest;
  const format::Variant &variant;
  const format::Plan &plan;
  const format::Program &program;
  ArrayRef<int64_t> value;
};
} // namespace

std::vector<ProgramDescription>
heddle::listPlan(const format::Manifest &manifest,
                 const format::Variant &variant, const format::Plan &plan,
                 StringRef entryName) {
  std::vector<ProgramDescription> programs;
  std::vector<int64_t> value = tableValues(manifest, plan.expressions());
  auto list = [&](const format::Program &program, StringRef entry) {
    ProgramDescription &described = programs.emplace_back();
    described.entry = entry.str();
    for (const format::Memory *arena : items(program.arenas()))
      if (count(variant.devices()) > 1)
        described.memories.push_back(
            formatBytes(value[arena->size()]) + " of " +
            format::deviceName(variant, arena->device()));
    CommandLister lister(manifest, variant, plan, program, value);
    for (const format::Block *block : items(program.blocks())) {
      std::vector<std::string> &lines = described.blocks.emplace_back();
      for (const format::Command *command : items(block->commands()))
        lines.push_back(lister.list(*command));
    }
  };
  if (plan.init() && entryName.empty())
    list(*plan.init(), "");
  for (const format::Program *program : items(plan.programs())) {
    StringRef entry = text(manifest.entries()->Get(program->entry())->name());
    if (entryName.empty() || entry == entryName)
      list(*program, entry);
  }
  return programs;
}
