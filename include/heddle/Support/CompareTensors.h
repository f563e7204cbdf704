// How far two tensors are apart.

#ifndef HEDDLE_SUPPORT_COMPARETENSORS_H
#define HEDDLE_SUPPORT_COMPARETENSORS_H

#include "heddle/Support/HostTensor.h"

#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

/// Distances between an actual and an expected tensor. Elements that are NaN in
/// both, or the same infinity in both, count as equal; an element that is not
/// finite in one only counts in `nonFiniteMismatches` and in no distance.
struct TensorDistance {
  int64_t elements = 0;
  /// Elements that are not equal (0 equals -0).
  int64_t differing = 0;
  int64_t nonFiniteMismatches = 0;
  double maxAbsolute = 0;
  /// |actual - expected| / |expected|, over elements whose expected value is
  /// not zero.
  double maxRelative = 0;
  /// ||actual - expected|| / ||expected||; the norm of the difference alone
  /// where the expected tensor is zero.
  double relativeL2 = 0;
  /// Representable values between the two, in the actual tensor's type.
  uint64_t maxUlp = 0;
  /// Where they differ first (-1: nowhere) and most: where the first non-finite
  /// mismatch is, else where the absolute difference is largest.
  int64_t firstIndex = -1;
  int64_t worstIndex = -1;

  bool equal() const { return differing == 0; }
};

/// Compares two tensors of one shape; the element types may differ (an f32
/// result against its f64 reference), but not in whether they are complex.
llvm::Expected<TensorDistance> compareTensors(const HostTensor &actual,
                                              const HostTensor &expected);

/// How many representable values of the float kind lie between `a` and `b`; NaN
/// to NaN is 0, NaN to a number the largest distance.
uint64_t ulpDistance(ElementKind kind, double a, double b);

/// "[0, 3, 1]" of a linear index.
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t index);

} // namespace heddle

#endif // HEDDLE_SUPPORT_COMPARETENSORS_H
