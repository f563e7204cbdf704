// Walks the commands of a program.

#ifndef HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H

#include "runtime/format/BufferPlaces.h"
#include "runtime/format/MemoryMap.h"

namespace heddle::format {

/// Checks a table of memories: sizes, devices, each place once.
Error verifyMemories(
    const ProgramView &view,
    const flatbuffers::Vector<flatbuffers::Offset<Memory>> *memories,
    const std::string &name);

/// Verifies one program: one walk over the commands in their order, with two
/// abstractions: which bytes hold whose value (MemoryMap), and, when there are
/// several queues, what is ordered before what (Hazards). Values are followed
/// in the order of the list, which is enough because commands in conflict must
/// be ordered. Stops at the first fault.
class ProgramVerifier {
public:
  explicit ProgramVerifier(const ProgramView &view)
      : view(view), places(view) {}

  /// `persistent`: what init has written to each persistent memory; filled in
  /// when this is init.
  Error verify(std::vector<MemoryMap> &persistent);

private:
  /// What each memory but the weights holds, by its number.
  using State = std::vector<MemoryMap>;
  using Accesses = std::vector<MemoryAccess>;

  /// A command is at `depth` blocks, on a queue of `device`.
  struct Place {
    uint32_t depth;
    uint32_t device;
  };

  // Each changes `state` as the command does, and adds to `touched`.
  Error block(uint32_t index, State &state, Accesses &touched, uint32_t depth);
  Error command(const Command &command, Place place, State &state,
                Accesses &touched);
  Error launch(const Launch &launch, Place place, State &state,
               Accesses &touched);
  Error copy(const Copy &copy, Place place, State &state, Accesses &touched);
  Error fill(const Fill &fill, Place place, State &state, Accesses &touched);
  Error branch(const Branch &branch, Place place, State &state,
               Accesses &touched);
  Error loop(const Loop &loop, Place place, State &state, Accesses &touched);

  Error checkKernel(const Launch &launch, uint32_t index, Place place,
                    const Accesses &accesses) const;
  Error checkNumbers(const Launch &launch) const;
  Error selfOverlap(const Accesses &accesses, const Kernel &kernel) const;
  Error perform(const Accesses &accesses, State &state, Accesses &touched);

  const ProgramView &view;
  BufferPlaces places;
  std::vector<bool> entered; ///< Blocks that were reached.
  bool again = false;        ///< Blocks are walked once more, for a loop.
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_PROGRAMVERIFIER_H
