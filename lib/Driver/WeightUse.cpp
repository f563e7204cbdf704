// Which weights a variant reads stands in its plan: the buffers of its programs
// name them.

#include "WeightUse.h"

#include "ArtifactTables.h"

#include "runtime/format/ArtifactReader.h"

#include "llvm/ADT/BitVector.h"

using namespace heddle;

/// Marks the weights that `program` names.
static void mark(const format::Program *program, llvm::BitVector &used) {
  if (!program)
    return;
  for (const format::Buffer *buffer : items(program->buffers()))
    for (uint32_t weight : weightsOf(*buffer))
      used.set(weight);
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
    for (const format::Program *program : *plan.programs())
      mark(program, used[i]);
    mark(plan.init(), used[i]);
  }
  WeightUse use;
  use.variants.resize(used.size());
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
