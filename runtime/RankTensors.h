// The tensors of a call of ranks: each is whole, or a part for each rank.

#ifndef HEDDLE_RUNTIME_RANKTENSORS_H
#define HEDDLE_RUNTIME_RANKTENSORS_H

#include "runtime/Tensors.h"

namespace heddle::runtime {

/// A list of tensors as a caller gives them, in either form of the interface.
/// `whole` is null for one that is in parts.
struct RankTensorList {
  struct Item {
    const heddle_tensor *whole;
    const heddle_tensor *const *parts;
  };
  const void *list;
  size_t count;
  Item (*at)(const void *list, size_t index);
};

/// Reads and checks what calls are given. Allocates nothing in a call unless
/// something is wrong.
class RankTensors {
public:
  RankTensors(const EntrySpec &entry, uint32_t ranks);

  /// `entry` describes the parts of a rank.
  Error read(const RankTensorList &inputs, const RankTensorList &outputs);

  /// Tensors are numbered from 0, inputs before outputs.
  size_t count() const { return tensors.size(); }
  bool isInput(size_t tensor) const { return tensor < entry.inputs.size(); }
  /// Of a rank's part.
  const TensorSpec &spec(size_t tensor) const { return specOf(entry, tensor); }
  bool isWhole(size_t tensor) const { return !tensors[tensor].isParted; }
  void *data(size_t tensor) const { return tensors[tensor].whole.data; }
  /// The memory of a rank's part of a tensor that is in parts.
  void *data(size_t tensor, uint32_t rank) const {
    return parts[tensor * ranks + rank].data;
  }

private:
  struct Given {
    heddle_tensor whole;
    bool isParted;
  };
  /// Memory of a call, to find what is shared.
  struct Range {
    uintptr_t begin, end;
    size_t tensor;
    uint32_t rank; ///< `ranks` of a whole tensor.
  };

  const TensorSpec &specOf(const EntrySpec &of, size_t tensor) const {
    size_t inputs = entry.inputs.size();
    return tensor < inputs ? of.inputs[tensor] : of.outputs[tensor - inputs];
  }
  const char *kindOf(size_t tensor) const {
    return isInput(tensor) ? "input" : "output";
  }
  Error readOne(size_t tensor, const TensorSpec &wanted,
                const heddle_tensor *given, heddle_tensor &into);
  Error readParts(size_t tensor, const heddle_tensor *const *given);
  Error readList(const RankTensorList &list, size_t first);
  Error checkOverlap();
  Error overlap(const Range &one, const Range &other) const;

  const EntrySpec &entry;
  EntrySpec wholes; ///< The entry on whole tensors.
  uint32_t ranks;
  std::vector<Given> tensors;
  std::vector<heddle_tensor> parts; ///< Of each tensor, those of all ranks.
  std::vector<Range> ranges;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_RANKTENSORS_H
