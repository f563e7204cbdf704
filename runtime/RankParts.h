// Which part of each tensor of an entry each rank has.

#ifndef HEDDLE_RUNTIME_RANKPARTS_H
#define HEDDLE_RUNTIME_RANKPARTS_H

#include "runtime/LoadedProgram.h"
#include "runtime/format/Collectives.h"

namespace heddle::runtime {

/// Tensors are numbered from 0, inputs before outputs.
class RankParts {
public:
  RankParts(const LoadedProgram &program, const EntrySpec &entry);

  uint32_t ranks() const { return rankCount; }
  /// Whether each rank has all of it.
  bool isUncut(size_t tensor) const { return spec(tensor).whole.empty(); }
  /// Of all ranks that have the same part of an output, callers get that of the
  /// first.
  bool owns(size_t tensor, uint32_t rank) const {
    return parts[tensor * rankCount + rank].isFirst;
  }

  /// Copies a rank's part out of a whole tensor.
  void cut(size_t tensor, uint32_t rank, const void *whole, void *part) const;
  /// Copies what of a rank's part lies inside to where it is in the whole.
  void join(size_t tensor, uint32_t rank, const void *part, void *whole) const;

  /// As a context takes it; its memory is to follow.
  heddle_tensor partTensor(size_t tensor) const;

private:
  const TensorSpec &spec(size_t tensor) const {
    size_t inputs = entry.inputs.size();
    return tensor < inputs ? entry.inputs[tensor]
                           : entry.outputs[tensor - inputs];
  }

  struct Part {
    format::TensorPart place;
    bool isFirst;
  };
  const EntrySpec &entry;
  uint32_t rankCount;
  std::vector<Part> parts; ///< Of each tensor, those of all ranks.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_RANKPARTS_H
