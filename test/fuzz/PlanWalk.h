// Reads of an accepted plan what is read of it before any call.

#ifndef HEDDLE_TEST_FUZZ_PLANWALK_H
#define HEDDLE_TEST_FUZZ_PLANWALK_H

#include "runtime/format/BufferPlaces.h"
#include "runtime/format/Expressions.h"
#include "runtime/format/Scratch.h"

#include <vector>

namespace heddle::test {

/// Looks up, as loading, contexts and reports do, what every program names,
/// also those that no call has chosen. The sum is of no use but that it is
/// read.
class PlanWalk {
public:
  PlanWalk(const format::Manifest &manifest, const format::Variant &variant,
           const format::Plan &plan)
      : manifest(manifest), variant(variant), plan(plan) {}

  uint64_t run() {
    if (format::evaluate(plan.expressions(), format::leastSymbols(manifest),
                         HEDDLE_PLAN_INVALID, values))
      return 0;
    memories(plan.persistent());
    if (plan.init())
      program(*plan.init(), nullptr);
    for (uint32_t i = 0; i < format::length(plan.programs()); ++i) {
      const format::Program &each = *plan.programs()->Get(i);
      program(each, manifest.entries()->Get(each.entry()));
    }
    return sum;
  }

private:
  void number(uint32_t expression) {
    if (expression != format::none)
      sum += static_cast<uint64_t>(values.at(expression));
  }

  void memories(
      const flatbuffers::Vector<flatbuffers::Offset<format::Memory>> *list) {
    for (uint32_t i = 0; i < format::length(list); ++i) {
      number(list->Get(i)->size());
      sum += static_cast<uint64_t>(
          variant.devices()->Get(list->Get(i)->device())->kind());
    }
  }

  void buffer(const format::Buffer &buffer, const format::Program &program,
              const format::Entry *entry) {
    number(buffer.size());
    uint32_t index = buffer.index();
    switch (buffer.kind()) {
    case format::BufferKind::input:
      sum += format::text(entry->inputs()->Get(index)->name()).size();
      break;
    case format::BufferKind::output:
      sum += format::text(entry->outputs()->Get(index)->name()).size();
      break;
    case format::BufferKind::weight:
      sum += manifest.weights()->Get(index)->size();
      for (uint32_t i = 0; i < format::length(buffer.weights()); ++i)
        sum += manifest.weights()->Get(buffer.weights()->Get(i))->size();
      break;
    case format::BufferKind::arena:
      sum += program.arenas()->Get(index)->size();
      break;
    case format::BufferKind::persistent:
      sum += plan.persistent()->Get(index)->size();
      break;
    case format::BufferKind::state:
      sum += manifest.states()->Get(index)->length();
      break;
    }
  }

  void launch(const format::Launch &launch, const format::Program &program) {
    sum += format::mostScratch(launch, variant);
    for (uint32_t expression :
         {launch.tiles(), launch.chunk(), launch.operations(), launch.traffic(),
          launch.scratch(), launch.selector()})
      number(expression);
    for (uint32_t i = 0; i < format::length(launch.integers()); ++i)
      number(launch.integers()->Get(i));
    for (uint32_t i = 0; i < format::length(launch.bindings()); ++i)
      sum +=
          program.buffers()->Get(launch.bindings()->Get(i)->buffer())->index();
  }

  void program(const format::Program &program, const format::Entry *entry) {
    if (entry)
      number(program.guard());
    memories(program.arenas());
    for (uint32_t i = 0; i < format::length(program.buffers()); ++i)
      buffer(*program.buffers()->Get(i), program, entry);
    for (uint32_t i = 0; i < format::length(program.blocks()); ++i) {
      const auto *commands = program.blocks()->Get(i)->commands();
      for (uint32_t j = 0; j < format::length(commands); ++j) {
        const format::Command &command = *commands->Get(j);
        sum += plan.queues()->Get(command.queue())->device();
        for (uint32_t k = 0; k < format::length(command.nodes()); ++k)
          sum += format::text(manifest.nodes()->Get(command.nodes()->Get(k)))
                     .size();
        if (const format::Launch *action = command.action_as_Launch())
          launch(*action, program);
        if (const format::Copy *copy = command.action_as_Copy())
          sum += program.buffers()->Get(copy->source()->buffer())->index() +
                 program.buffers()->Get(copy->target()->buffer())->index();
        if (const format::Count *count = command.action_as_Count())
          sum += format::text(manifest.symbols()->Get(count->symbol())->name())
                     .size();
      }
    }
  }

  const format::Manifest &manifest;
  const format::Variant &variant;
  const format::Plan &plan;
  std::vector<int64_t> values;
  uint64_t sum = 0;
};

/// Of all variants that the reader knows.
inline uint64_t walkPlans(const format::ArtifactReader &artifact) {
  const format::Manifest &manifest = artifact.manifest();
  uint64_t sum = 0;
  for (uint32_t i = 0; i < format::length(manifest.variants()); ++i)
    if (artifact.skipped(i).empty())
      sum += PlanWalk(manifest, *manifest.variants()->Get(i), artifact.plan(i))
                 .run();
  return sum;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_FUZZ_PLANWALK_H
