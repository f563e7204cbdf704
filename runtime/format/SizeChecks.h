// What a program that was verified for some sizes still has to be asked at
// others.

#ifndef HEDDLE_RUNTIME_FORMAT_SIZECHECKS_H
#define HEDDLE_RUNTIME_FORMAT_SIZECHECKS_H

#include "runtime/format/BufferPlaces.h"

#include <optional>

namespace heddle::format {

/// The commands of a program are the same at all sizes. If each touches whole
/// buffers, on one queue, then what the verifier has seen of their values holds
/// at other sizes, too, as long as buffers of an arena that are in use at once
/// share no bytes, each buffer lies in its memory and has the bytes of what it
/// stands for, an output has those of the input that it replaces, and numbers
/// stay in their ranges. That is a list of comparisons,
/// about as many as there are buffers and commands.
///
/// A buffer is in use from the first command that touches it to the last, in
/// their order; through a loop, where it is touched outside of it as well.
class SizeChecks {
public:
  /// For the program of `view`, which was verified for its values. Nothing for
  /// a program to which the above does not apply, and for values at which
  /// buffers are empty that are none at others.
  static std::optional<SizeChecks> make(const ProgramView &view);

  /// Whether the program is right for these values. Where not all holds, only
  /// the verifier knows. Allocates nothing.
  bool hold(const std::vector<int64_t> &values,
            const std::vector<int64_t> &manifestValues) const;

private:
  friend class SizeCheckMaker;
  struct Range {
    uint32_t expression;
    int64_t least, most;
  };
  /// Bytes [offset, offset + size) of a memory.
  struct Part {
    uint32_t offset, size, memory;
  };
  /// Parts by their numbers, of which one ends before the other begins.
  struct Order {
    uint32_t first, second;
  };
  struct Pair {
    uint32_t left, right;
  };
  /// Bytes of an input or output.
  struct Whole {
    uint32_t size;
    const Tensor *tensor;
  };
  /// An output and the input that it replaces.
  struct Replaced {
    const Tensor *output, *input;
  };

  std::vector<Range> ranges;
  std::vector<Part> parts;
  std::vector<Order> orders;
  std::vector<Pair> equals;
  /// A size and a divisor of it.
  std::vector<Pair> multiples;
  std::vector<Whole> wholes;
  std::vector<Replaced> replaced;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_SIZECHECKS_H
