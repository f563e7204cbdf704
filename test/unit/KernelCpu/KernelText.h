// Kernels as text, put together from shapes.

#ifndef HEDDLE_TEST_UNIT_KERNELCPU_KERNELTEXT_H
#define HEDDLE_TEST_UNIT_KERNELCPU_KERNELTEXT_H

#include "mlir/Support/LLVM.h"
#include <string>
#include <vector>

namespace heddle::test {

/// A contraction, over the iteration dimensions that its maps name.
struct ContractionCase {
  std::string dims;
  std::vector<int64_t> extents;
  std::string lhsMap, rhsMap, outMap;
  std::vector<int64_t> lhs, rhs, out;
  std::string reductions; // one 'p' or 'r' per dimension
  /// rhs is in panels.
  bool packed = false;
};

/// [m, k] times [n, k] is [m, n].
ContractionCase matmul(int64_t m, int64_t n, int64_t k);
/// The same with rhs in panels.
ContractionCase packedMatmul(int64_t m, int64_t n, int64_t k);

/// `c` with rhs in panels, stored in this shape.
ContractionCase withPanels(ContractionCase c, llvm::ArrayRef<int64_t> shape);

int64_t sizeOf(llvm::ArrayRef<int64_t> shape);

/// "tensor<2x3xf32>".
std::string tensorText(llvm::ArrayRef<int64_t> shape,
                       llvm::StringRef element = "f32");

/// The kernel of a contraction, with a limit on each dimension in `limited`.
std::string textOf(const ContractionCase &c, llvm::StringRef element = "f32",
                   llvm::StringRef result = "f32",
                   llvm::ArrayRef<int64_t> limited = {});

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_KERNELCPU_KERNELTEXT_H
