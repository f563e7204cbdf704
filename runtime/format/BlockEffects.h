// What the blocks of a program do to its memories.

#ifndef HEDDLE_RUNTIME_FORMAT_BLOCKEFFECTS_H
#define HEDDLE_RUNTIME_FORMAT_BLOCKEFFECTS_H

#include "runtime/format/BufferPlaces.h"
#include "runtime/format/MemoryEffect.h"

namespace heddle::format {

/// Each block is composed once of the blocks inside it, however they nest.
/// These must form a tree. What is wrong with a command counts as nothing here:
/// the verifier that walks it refuses it.
class BlockEffects {
public:
  BlockEffects(const ProgramView &view, const BufferPlaces &places)
      : view(view), places(places) {}

  const MemoryEffects &ofBlock(uint32_t index);
  MemoryEffects of(const Branch &branch);
  MemoryEffects of(const Loop &loop);
  /// A condition, if the loop has one, and then a body.
  MemoryEffects ofRound(const Loop &loop);

private:
  void add(const Command &command, MemoryEffects &effects);
  void add(const Binding *binding, uint32_t device, BufferPlaces::Reach reach,
           MemoryEffects &effects) const;

  const ProgramView &view;
  const BufferPlaces &places;
  std::map<uint32_t, MemoryEffects> blocks;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_BLOCKEFFECTS_H
