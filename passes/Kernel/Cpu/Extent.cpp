// Arithmetic on extents, on numbers where both are.

#include "passes/Kernel/Cpu/Extent.h"

#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Size/Ranges.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
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

/// Both as expressions, joined by `join`; null if none is an expression.
template <typename Join>
static size::Expression joined(const Extent &left, const Extent &right,
                               size::Expression leftValue,
                               size::Expression rightValue, Join join) {
  MLIRContext *context = leftValue    ? leftValue.context()
                         : rightValue ? rightValue.context()
                                      : nullptr;
  if (!context)
    return {};
  return join(left.expression(context), right.expression(context));
}

Extent Extent::operator*(const Extent &other) const {
  if (!sized && !other.sized)
    return most * other.most;
  int64_t bound;
  if (llvm::MulOverflow(most, other.most, bound))
    bound = std::numeric_limits<int64_t>::max();
  return {joined(*this, other, value, other.value, std::multiplies<>()), bound};
}

Extent Extent::operator+(const Extent &other) const {
  if (!sized && !other.sized)
    return most + other.most;
  int64_t bound;
  if (llvm::AddOverflow(most, other.most, bound))
    bound = std::numeric_limits<int64_t>::max();
  return {joined(*this, other, value, other.value, std::plus<>()), bound};
}

Extent Extent::ceilDiv(int64_t divisor) const {
  int64_t bound = llvm::divideCeil(most, divisor);
  if (!sized)
    return bound;
  return {value.ceilDiv(divisor), bound};
}

Extent Extent::floorDiv(int64_t divisor) const {
  if (!sized)
    return most / divisor;
  return {value ? value.floorDiv(divisor) : value, most / divisor};
}

Extent Extent::rem(int64_t divisor) const {
  if (isMultipleOf(divisor))
    return 0;
  if (!sized)
    return most % divisor;
  return {value ? value.mod(divisor) : value, std::min(most, divisor - 1)};
}

Extent Extent::atMost(int64_t limit) const {
  int64_t bound = std::min(most, limit);
  if (!sized)
    return bound;
  if (!value)
    return {value, bound};
  return {size::Expression::minimum(
              value, size::Expression::constant(value.context(), limit)),
          bound};
}

Extent productOf(ArrayRef<Extent> extents) {
  Extent product = 1;
  for (const Extent &extent : extents)
    product = product * extent;
  return product;
}

SmallVector<Extent> rowMajorSteps(ArrayRef<Extent> extents) {
  SmallVector<Extent> steps(extents.size(), 1);
  for (size_t i = extents.size(); i-- > 1;)
    steps[i - 1] = steps[i] * extents[i];
  return steps;
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

WalkedTensor::WalkedTensor(AffineMap map, Value read)
    : WalkedTensor(map, cast<RankedTensorType>(read.getType())) {
  mayBeLonger = isa<BlockArgument>(read) || matchPattern(read, m_Constant());
}

FailureOr<SmallVector<Extent>> loopExtents(Operation *op,
                                           ArrayRef<int64_t> bounds,
                                           ArrayRef<WalkedTensor> walked) {
  SmallVector<Extent> extents(bounds.begin(), bounds.end());
  if (llvm::none_of(walked, [](const WalkedTensor &tensor) {
        return size::hasExtents(tensor.type);
      }))
    return extents;
  SmallVector<bool> told(extents.size(), false);
  auto tell = [&](const WalkedTensor &tensor, bool areLonger) -> LogicalResult {
    for (auto [expr, extent] :
         llvm::zip_equal(tensor.map.getResults(), trueExtents(tensor.type))) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || (tensor.mayBeLonger && !extent.isSized()) != areLonger)
        continue;
      unsigned number = loop.getPosition();
      // Of what has a larger bound, a part is read.
      if (tensor.mayBeLonger && extent.isSized() &&
          extent.bound() > bounds[number])
        continue;
      if (!told[number]) {
        extents[number] = extent;
        told[number] = true;
        continue;
      }
      bool isPart = areLonger && extents[number].bound() <= extent.bound();
      if (extents[number] != extent && !isPart)
        return op->emitOpError("has operands of different true extents along "
                               "loop ")
               << number;
    }
    return success();
  };
  for (bool areLonger : {false, true})
    for (const WalkedTensor &tensor : walked)
      if (failed(tell(tensor, areLonger)))
        return failure();
  for (const WalkedTensor &tensor : walked)
    for (auto [expr, extent] :
         llvm::zip_equal(tensor.map.getResults(), trueExtents(tensor.type)))
      for (unsigned loop = 0; loop < told.size(); ++loop)
        if (extent.isSized() && !told[loop] && bounds[loop] != 1 &&
            expr.isFunctionOfDim(loop))
          return op->emitOpError("has an operand of ")
                 << tensor.type << ", which does not tell how far loop " << loop
                 << " runs";
  return extents;
}

TrueAccess::TrueAccess(AffineMap map, RankedTensorType type)
    : strides(map.getNumDims()) {
  SmallVector<Extent> extents = trueExtents(type);
  Extent step = 1;
  for (unsigned dim = extents.size(); dim-- > 0;) {
    kernel::LinearAccess access =
        *kernel::linearExpression(map.getResult(dim), map.getNumDims());
    offset = offset + step * access.offset;
    for (auto [stride, number] : llvm::zip_equal(strides, access.strides))
      stride = stride + step * number;
    step = step * extents[dim];
  }
}

} // namespace heddle
