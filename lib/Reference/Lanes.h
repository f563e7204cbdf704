// Blocks of elements in the types that the interpreter computes in, and the
// functions of elements on them.

#ifndef HEDDLE_LIB_REFERENCE_LANES_H
#define HEDDLE_LIB_REFERENCE_LANES_H

#include "heddle/Support/HostTensor.h"

#include "mlir/IR/Operation.h"

#include <complex>
#include <functional>

namespace heddle::reference {

using Complex = std::complex<double>;

/// Elements in a block: few enough to stay in the first-level cache.
constexpr size_t kLanes = 256;

/// Whether lanes of a kind hold the bits of their elements beside the numbers:
/// those of floats narrower than f64, which a double does not tell of a NaN.
bool hasBits(ElementKind kind);

/// Up to kLanes elements of one kind, as int64_t, uint64_t, double or Complex
/// by the kind's class. Values are always ones that the kind can represent.
struct Lanes {
  ElementKind kind = ElementKind::F32;
  /// Whether `bits` are those of the elements. What reads or moves elements
  /// sets them, canonicalise where they were computed.
  bool bitsKnown = false;
  uint32_t bits[kLanes];
  alignas(64) char storage[kLanes * sizeof(Complex)];

  ElementClass elementClass() const { return heddle::elementClass(kind); }
  template <typename T> T *as() { return reinterpret_cast<T *>(storage); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(storage);
  }

  /// Reads `count` stored elements of `from`, a kind of the same class, into
  /// the lanes from `first` on.
  void load(ElementKind from, const char *bytes, size_t count,
            size_t first = 0);
  void store(ElementKind to, size_t count, char *bytes, size_t first = 0) const;
  /// Repeats one stored element.
  void splat(ElementKind from, const char *element, size_t count);
  /// Copies elements of a kind of the same class.
  void move(const Lanes &from, size_t count);
  /// Brings computed values back into the kind: rounds floats, wraps integers
  /// to `width` bits.
  void canonicalise(size_t count, unsigned width);
};

/// A function of elements: reads `count` lanes of each operand, writes the
/// result's, whose kind is set and whose bits are not known. One that computes
/// leaves it to the caller to canonicalise the result.
using ElementFunction =
    std::function<void(llvm::ArrayRef<const Lanes *>, Lanes &, size_t count)>;

/// The function that an element-wise operation applies (StableHLO, CHLO, arith,
/// math), for operands of these kinds; empty if there is none.
ElementFunction elementFunction(mlir::Operation *op,
                                llvm::ArrayRef<ElementKind> operands,
                                ElementKind result);

/// Whether the operation is one that elementFunction knows.
bool isElementwise(mlir::Operation *op);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_LANES_H
