// Where a program's buffers lie.

#ifndef HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H
#define HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H

#include "runtime/format/Devices.h"
#include "runtime/format/Error.h"
#include "runtime/format/Hazards.h"
#include "runtime/format/ManifestTables.h"

#include <vector>

namespace heddle::format {

/// A program and what it refers to, with all expressions evaluated.
struct ProgramView {
  const Plan &plan;
  const Manifest &manifest;
  const Variant &variant;
  const Program &program;
  const std::vector<int64_t> &values;         ///< Of the plan's expressions.
  const std::vector<int64_t> &manifestValues; ///< Of the manifest's.
  const std::vector<int64_t> &stateBytes;     ///< Of each state's memory.
  const Entry *entry;                         ///< Null for init.

  uint32_t arenas() const { return length(program.arenas()); }
  uint32_t persistents() const { return length(plan.persistent()); }
  uint32_t states() const { return length(manifest.states()); }
  uint32_t inputs() const { return entry ? length(entry->inputs()) : 0; }
  uint32_t outputs() const { return entry ? length(entry->outputs()) : 0; }
  /// Bytes of an input or output; -1 when there is none of that number.
  int64_t inputBytes(uint32_t index) const {
    return index < inputs()
               ? tensorBytes(*entry->inputs()->Get(index), manifestValues)
               : -1;
  }
  int64_t outputBytes(uint32_t index) const {
    return index < outputs()
               ? tensorBytes(*entry->outputs()->Get(index), manifestValues)
               : -1;
  }
  /// The value of an expression; false when there is none of that number.
  bool value(uint32_t expression, int64_t &result) const {
    if (expression >= values.size())
      return false;
    result = values[expression];
    return true;
  }
};

/// The memories a program can touch are numbered: arenas, persistent memories,
/// states, then inputs, outputs, weights.
inline uint32_t firstPersistent(const ProgramView &view) {
  return view.arenas();
}
inline uint32_t firstState(const ProgramView &view) {
  return firstPersistent(view) + view.persistents();
}
inline uint32_t firstInput(const ProgramView &view) {
  return firstState(view) + view.states();
}
inline uint32_t firstWeight(const ProgramView &view) {
  return firstInput(view) + view.inputs() + view.outputs();
}

/// The memory that holds output `index`: an input's, when it replaces one.
uint32_t outputMemory(const ProgramView &view, uint32_t index);
/// What buffers for this input or output are called in a MemoryMap.
uint32_t inputOwner(uint32_t index);
uint32_t outputOwner(const ProgramView &view, uint32_t index);

/// The number of the weight that a rank has in a buffer for one.
inline uint32_t weightOf(const Buffer &buffer, uint32_t rank) {
  return length(buffer.weights()) ? buffer.weights()->Get(rank)
                                  : buffer.index();
}

/// A failure of the plan verifier.
Error invalidPlan(const std::string &what);

/// Checks the table of buffers and turns bindings into ranges of bytes.
class BufferPlaces {
public:
  explicit BufferPlaces(const ProgramView &view) : view(view) {}

  /// Who touches a binding: kernels, fills and flags reach less than copies.
  enum class Reach { kernel, copy };

  /// What of a buffer holds at all sizes or at none: that its device, its space
  /// and what it stands for are there.
  Error checkPlace(const Buffer &buffer) const;
  /// Of buffers that passed this.
  Error place();
  /// The bytes that `binding` means, which are in bounds, may be used so, and
  /// lie where a queue of `device` reaches them.
  Error resolve(const Binding *binding, uint32_t device, Reach reach,
                MemoryAccess &access) const;

private:
  /// Bytes [begin, begin + size) of a memory.
  struct Place {
    uint32_t memory;
    int64_t begin;
    int64_t size;
    uint32_t owner; ///< Equal for buffers that are the same by definition.
    bool writable;
    uint32_t device;
    MemorySpace space;
  };

  int64_t weightBytes(uint32_t index) const;
  Error checkMemory(const Buffer &buffer) const;
  Error checkWeight(const Buffer &buffer) const;
  Error placeOne(const Buffer &buffer, uint32_t index, Place &place) const;
  Error placeInMemory(const Buffer &buffer, Place &place) const;
  Error placeState(const Buffer &buffer, Place &place) const;
  bool reaches(const Place &place, uint32_t device, Reach reach) const;

  const ProgramView &view;
  std::vector<const StateUse *> uses; ///< By state.
  std::vector<Place> places;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H
