//===- BufferPlaces.h - Where a program's buffers lie ----------*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H
#define HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H

#include "runtime/format/Error.h"
#include "runtime/format/Hazards.h"
#include "runtime/format/ManifestVerifier.h"

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
  const Entry *entry;                         ///< Null for init.

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

/// The memories a program can touch are numbered: arena, persistent memory,
/// then inputs, outputs, weights.
enum : uint32_t { arenaSpace, persistentSpace, firstInputSpace };

/// The memory that holds output `index`: an input's, when it replaces one.
uint32_t outputSpace(const ProgramView &view, uint32_t index);
/// What buffers for this input or output are called in a MemoryMap.
uint32_t inputOwner(uint32_t index);
uint32_t outputOwner(const ProgramView &view, uint32_t index);

/// A failure of the plan verifier.
Error invalidPlan(const std::string &what);

/// Checks the table of buffers and turns bindings into ranges of bytes.
class BufferPlaces {
public:
  explicit BufferPlaces(const ProgramView &view) : view(view) {}

  Error place();
  /// The bytes that `binding` means, which are in bounds and may be used so.
  Error resolve(const Binding *binding, MemoryAccess &access) const;

private:
  /// Bytes [begin, begin + size) of a memory.
  struct Place {
    uint32_t space;
    int64_t begin;
    int64_t size;
    uint32_t owner; ///< Equal for buffers that are the same by definition.
    bool writable;
  };

  Error placeOne(const Buffer &buffer, uint32_t index, Place &place) const;
  Error placeInMemory(const Buffer &buffer, Place &place) const;

  const ProgramView &view;
  std::vector<Place> places;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_BUFFERPLACES_H
