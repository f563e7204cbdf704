// Which weights a variant reads stands in its plan: the buffers of its programs
// name them.

#include "WeightUse.h"

#include "ArtifactTables.h"

#include "runtime/format/ArtifactReader.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace heddle;

/// Marks the weights that `program` names.
static void mark(const format::Program *program, llvm::BitVector &used) {
  if (!program)
    return;
  for (const format::Buffer *buffer : items(program->buffers()))
    for (uint32_t weight : weightsOf(*buffer))
      used.set(weight);
}

/// The weights that kernels of `init` read, from the file or where it copies
/// them to.
static std::set<uint32_t> laidOut(const format::Program *init) {
  std::set<uint32_t> weights;
  if (!init)
    return weights;
  std::map<uint32_t, uint32_t> held; // by buffer: the weight
  for (auto [i, buffer] : llvm::enumerate(items(init->buffers())))
    if (buffer->kind() == format::BufferKind::weight)
      held[i] = buffer->index();
  for (const format::Block *block : items(init->blocks()))
    for (const format::Command *command : items(block->commands())) {
      if (const format::Copy *copy = command->action_as_Copy()) {
        auto source = held.find(copy->source()->buffer());
        if (source != held.end())
          held[copy->target()->buffer()] = source->second;
      }
      const format::Launch *launch = command->action_as_Launch();
      for (const format::Binding *binding :
           items(launch ? launch->bindings() : nullptr))
        if (auto read = held.find(binding->buffer());
            read != held.end() && binding->access() == format::Access::read)
          weights.insert(read->second);
    }
  return weights;
}

WeightUse heddle::weightUse(const format::ArtifactReader &artifact) {
  const format::Manifest &manifest = artifact.manifest();
  const auto *weights = manifest.weights();
  unsigned count = weights ? weights->size() : 0;
  std::vector<llvm::BitVector> used(manifest.variants()->size(),
                                    llvm::BitVector(count));
  for (unsigned i = 0; i < used.size(); ++i) {
    if (!artifact.skipped(i).empty())
      continue;
    const format::Plan &plan = artifact.plan(i);
    for (const format::Program *program : items(plan.programs()))
      mark(program, used[i]);
    mark(plan.init(), used[i]);
  }
  WeightUse use;
  use.variants.resize(used.size());
  for (unsigned i = 0; i < used.size(); ++i)
    if (artifact.skipped(i).empty())
      use.variants[i].laidOut = laidOut(artifact.plan(i).init());
  for (unsigned weight = 0; weight < count; ++weight) {
    uint64_t bytes = weights->Get(weight)->size();
    use.totalBytes += bytes;
    WeightUse::PerVariant *reader = nullptr;
    bool isShared = false;
    for (unsigned i = 0; i < used.size(); ++i) {
      if (!used[i].test(weight))
        continue;
      use.variants[i].bytes += bytes;
      isShared |= reader != nullptr;
      reader = &use.variants[i];
    }
    if (isShared)
      use.sharedBytes += bytes;
    else if (reader)
      reader->ownBytes += bytes;
  }
  return use;
}
