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

/// Up to kLanes elements of one kind, as int64_t, uint64_t, double or Complex
/// by the kind's class. Values are always ones that the kind can represent.
struct Lanes {
  ElementKind kind = ElementKind::F32;
  alignas(64) char storage[kLanes * sizeof(Complex)];

  ElementClass elementClass() const { return heddle::elementClass(kind); }
  template <typename T> T *as() { return reinterpret_cast<T *>(storage); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(storage);
  }

  /// Reads `count` stored elements of `from`, a kind of the same class.
  void load(ElementKind from, const char *bytes, size_t count);
  void store(ElementKind to, size_t count, char *bytes) const;
  /// Repeats one stored element.
  void splat(ElementKind from, const char *element, size_t count);
  /// Brings computed values back into the kind: rounds floats, wraps integers.
  void canonicalise(size_t count);
};

/// A function of elements: reads `count` lanes of each operand, writes the
/// result's (whose kind is set), which the caller canonicalises.
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
