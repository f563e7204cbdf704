// Arithmetic on extents, on numbers where both are.

#include "passes/Kernel/Cpu/Extent.h"

#include "dialects/Size/Ranges.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace heddle {

Extent::Extent(size::Expression expression, int64_t bound)
    : most(bound), value(expression), sized(true) {
  std::optional<int64_t> number =
      expression ? expression.asConstant() : std::nullopt;
  if (!number)
    return;
  most = *number;
  value = size::Expression();
  sized = false;
}

size::Expression Extent::expression(MLIRContext *context) const {
  return sized ? value : size::Expression::constant(context, most);
}

bool Extent::isMultipleOf(int64_t number) const {
  if (!sized)
    return most % number == 0;
  return value && size::Ranges().divisor(value) % number == 0;
}

bool Extent::operator==(const Extent &other) const {
  if (sized != other.sized)
    return false;
  return sized ? value && value == other.value : most == other.most;
}

Extent Extent::operator*(const Extent &other) const {
  if (!sized && !other.sized)
    return most * other.most;
  int64_t bound;
  if (llvm::MulOverflow(most, other.most, bound))
    bound = std::numeric_limits<int64_t>::max();
  MLIRContext *context = value         ? value.context()
                         : other.value ? other.value.context()
                                       : nullptr;
  if (!context)
    return {size::Expression(), bound};
  return {expression(context) * other.expression(context), bound};
}

Extent Extent::ceilDiv(int64_t divisor) const {
  int64_t bound = llvm::divideCeil(most, divisor);
  if (!sized)
    return bound;
  return {value.ceilDiv(divisor), bound};
}

Extent productOf(ArrayRef<Extent> extents) {
  Extent product = 1;
  for (const Extent &extent : extents)
    product = product * extent;
  return product;
}

SmallVector<Extent> trueExtents(RankedTensorType type) {
  SmallVector<Extent> extents;
  if (!size::hasExtents(type)) {
    extents.append(type.getShape().begin(), type.getShape().end());
    return extents;
  }
  for (auto [extent, bound] :
       llvm::zip_equal(size::extentsOf(type), type.getShape()))
    extents.emplace_back(extent, bound);
  return extents;
}

} // namespace heddle
