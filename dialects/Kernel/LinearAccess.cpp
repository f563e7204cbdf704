// Indexing maps as an offset and a stride per loop, and whether they stay
// inside a tensor.

#include "dialects/Kernel/LinearAccess.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace heddle::kernel;

SmallVector<int64_t> heddle::kernel::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Adds factor * expression to `access`; false if it is not linear.
static bool accumulate(AffineExpr expression, int64_t factor,
                       LinearAccess &access) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    access.offset += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    access.strides[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return accumulate(binary.getLHS(), factor, access) &&
           accumulate(binary.getRHS(), factor, access);
  // A product's constant factor stands on the right.
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && constant &&
         accumulate(binary.getLHS(), factor * constant.getValue(), access);
}

std::optional<LinearAccess>
heddle::kernel::linearExpression(AffineExpr expression, unsigned dims) {
  LinearAccess access;
  access.strides.assign(dims, 0);
  if (!accumulate(expression, 1, access))
    return std::nullopt;
  return access;
}

std::optional<LinearAccess>
heddle::kernel::linearAccess(AffineMap map, RankedTensorType type) {
  LinearAccess access;
  access.strides.assign(map.getNumDims(), 0);
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  for (auto [result, stride] : llvm::zip_equal(map.getResults(), strides))
    if (!accumulate(result, stride, access))
      return std::nullopt;
  return access;
}

bool heddle::kernel::accessInBounds(AffineMap map, ArrayRef<int64_t> extents,
                                    RankedTensorType type) {
  if (map.getNumResults() != static_cast<unsigned>(type.getRank()) ||
      map.getNumDims() != extents.size())
    return false;
  if (llvm::is_contained(extents, 0))
    return true;
  for (auto [result, extent] :
       llvm::zip_equal(map.getResults(), type.getShape())) {
    std::optional<LinearAccess> access =
        linearExpression(result, extents.size());
    if (!access)
      return false;
    int64_t low = access->offset, high = access->offset;
    for (auto [stride, size] : llvm::zip_equal(access->strides, extents))
      (stride < 0 ? low : high) += stride * (size - 1);
    if (low < 0 || high >= extent)
      return false;
  }
  return true;
}
