// The memories of a plan, on its devices.

#ifndef HEDDLE_RUNTIME_PLANMEMORY_H
#define HEDDLE_RUNTIME_PLANMEMORY_H

#include "runtime/ProgramDevice.h"

#include <map>

namespace heddle::runtime {

/// One piece of memory for each space of a device in which programs have an
/// arena: as large as the largest of them asks for.
class PlanMemory {
public:
  using List = flatbuffers::Vector<flatbuffers::Offset<format::Memory>>;

  /// Makes the pieces large enough for `memories`, when the plan's expressions
  /// have these values.
  Error want(const List *memories, const std::vector<int64_t> &values);
  /// What is wanted of the process's memory, a multiple of a page. It is
  /// brought along by whoever allocates the rest.
  uint64_t hostBytes() const;
  /// What a program that has `memories` takes of the process's: a multiple of a
  /// kernel's alignment.
  static uint64_t hostBytes(const List *memories,
                            const std::vector<int64_t> &values);
  /// Allocates all pieces but that of the process, which is `host`.
  Error allocate(const ProgramDevices &devices, char *host);
  /// Where each of `memories` lies. Fails when one is larger than what there
  /// is.
  Error find(const List *memories, const std::vector<int64_t> &values,
             std::vector<char *> &addresses) const;

private:
  struct Piece {
    uint64_t bytes = 0;
    char *start = nullptr;
    DeviceMemory owned;
  };
  using Place = std::pair<uint32_t, format::MemorySpace>;

  std::map<Place, Piece> pieces;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLANMEMORY_H
