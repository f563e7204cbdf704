// Walks the commands of a program.

#ifndef HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H

#include "runtime/format/BlockEffects.h"
#include "runtime/format/Counts.h"
#include "runtime/format/ProgramStructure.h"

#include <map>
#include <set>

namespace heddle::format {

/// Checks the sizes of a table of memories.
Error verifyMemories(const ProgramView &view, const MemoryList *memories,
                     const std::string &name);

/// Verifies one program whose structure was verified: one walk over the
/// commands in their order, with two abstractions: which bytes hold whose value
/// (MemoryMap), and, when there are several queues, what is ordered before what
/// (Hazards). Values are followed in the order of the list, which is enough
/// because commands in conflict must be ordered. The walk enters each block
/// once: what holds at the head of a loop follows from what its blocks do
/// (BlockEffects). Stops at the first fault.
class ProgramVerifier {
public:
  explicit ProgramVerifier(const ProgramView &view)
      : view(view), places(view), effects(view, places) {}

  /// `persistent`: what init has written to each persistent memory; filled in
  /// when this is init.
  Error verify(std::vector<MemoryMap> &persistent);

private:
  /// What each memory but the weights holds, by its number.
  using State = std::vector<MemoryMap>;
  /// What some bytes of some memories hold.
  using Part = std::map<uint32_t, MemoryMap>;
  using Accesses = std::vector<MemoryAccess>;

  // Each changes `state` as the command does, and adds to `touched`.
  Error block(uint32_t index, State &state, Accesses &touched);
  Error command(const Command &command, uint32_t device, State &state,
                Accesses &touched);
  Error launch(const Launch &launch, uint32_t device, State &state,
               Accesses &touched);
  Error copy(const Copy &copy, uint32_t device, State &state,
             Accesses &touched);
  Error fill(const Fill &fill, uint32_t device, State &state,
             Accesses &touched);
  Error collective(const Collective &collective, uint32_t device, State &state,
                   Accesses &touched);
  Error rank(const Rank &rank, uint32_t device, State &state,
             Accesses &touched);
  Error count(const Count &count, uint32_t device, State &state,
              Accesses &touched);
  Error branch(const Branch &branch, uint32_t device, State &state,
               Accesses &touched);
  Error loop(const Loop &loop, uint32_t device, State &state,
             Accesses &touched);

  static Part copyOf(const MemoryEffects &effects, const State &state);
  static void restore(const MemoryEffects &effects, const Part &part,
                      State &state);

  Error checkKernel(const Launch &launch, uint32_t index, uint32_t device,
                    const Accesses &accesses) const;
  Error checkNumbers(const Launch &launch) const;
  Error checkCountQueue(uint32_t device);
  Error checkCounts(const Launch &launch, uint32_t device);
  Error checkScratch(const Launch &launch) const;
  Error selfOverlap(const Accesses &accesses, const Kernel &kernel) const;
  Error perform(const Accesses &accesses, State &state, Accesses &touched);

  const ProgramView &view;
  BufferPlaces places;
  BlockEffects effects;
  uint32_t queue = 0; ///< Of the command that is checked.
  PassedCounts counts;
  /// By device but the cpu: the queue of all that is about counts.
  std::map<uint32_t, uint32_t> countQueues;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H
