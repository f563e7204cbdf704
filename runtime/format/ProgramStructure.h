// Checks what a program names, whatever sizes a call has.

#ifndef HEDDLE_RUNTIME_FORMAT_PROGRAMSTRUCTURE_H
#define HEDDLE_RUNTIME_FORMAT_PROGRAMSTRUCTURE_H

#include "runtime/format/BufferPlaces.h"

#include <vector>

namespace heddle::format {

using MemoryList = flatbuffers::Vector<flatbuffers::Offset<Memory>>;

/// Checks a table of memories but for their sizes: that these are expressions,
/// that the devices are there, and that each place is named once. `name` is
/// what a memory is called in messages.
Error verifyMemoryPlaces(const Plan &plan, const Variant &variant,
                         const MemoryList *memories, const std::string &name);

/// Verifies of one program what holds at all sizes or at none: every index
/// names something, memories and buffers lie on devices and in spaces that are
/// there, blocks form a tree of limited depth, commands have an action that is
/// known. Needs no size, so that it can be asked of a program that no call has
/// chosen yet, which others read nevertheless: the loader for the places of
/// tensors, contexts for the memory that they take, reports.
///
/// Init runs once, at load: no number of it, and none that says where its
/// results lie, may follow from a size, which each call chooses.
class ProgramStructure {
public:
  /// `sized`: of each expression of the plan whether it follows from a symbol;
  /// empty where there are no symbols.
  ProgramStructure(const ProgramView &view, const std::vector<bool> &sized)
      : view(view), places(view), sized(sized) {}

  Error verify();

private:
  Error nesting(uint32_t index, uint32_t depth);
  Error block(const Block &block) const;
  Error command(const Command &command) const;
  Error launch(const Launch &launch) const;
  Error branch(const Branch &branch) const;
  Error loop(const Loop &loop) const;
  Error collective(const Collective &collective) const;
  Error count(const Count &count) const;
  Error buffer(const Buffer &buffer) const;
  Error binding(const Binding *binding) const;
  /// `unknown` is the message where there is no such expression.
  Error number(uint32_t expression, const char *unknown) const;
  bool isSized(uint32_t expression) const {
    return expression < sized.size() && sized[expression];
  }

  const ProgramView &view;
  BufferPlaces places;
  const std::vector<bool> &sized;
  std::vector<bool> entered; ///< Blocks that were reached.
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_PROGRAMSTRUCTURE_H
