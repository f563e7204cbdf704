// Row-major positions with strides that are numbers or expressions of sizes.

#include "passes/Kernel/Cpu/LoopAccess.h"

using namespace mlir;

namespace heddle {

LoopAccess flattenAccess(AffineMap map, ArrayRef<Extent> extents) {
  LoopAccess access;
  MLIRContext *context = map.getContext();
  unsigned numLoops = map.getNumDims();
  // Within the innermost dimensions all strides are numbers: those from the
  // last sized one on.
  unsigned first = extents.size();
  while (first > 0 && !extents[--first].isSized())
    ;
  access.fixed = getAffineConstantExpr(0, context);
  for (unsigned dim = first; dim < extents.size(); ++dim) {
    if (dim > first)
      access.fixed = access.fixed * *extents[dim].known();
    access.fixed = access.fixed + map.getResult(dim);
  }
  access.fixed = simplifyAffineExpr(access.fixed, numLoops, 0);
  Extent stride = productOf(extents.drop_front(first));
  for (unsigned dim = first; dim-- > 0;) {
    AffineExpr at = simplifyAffineExpr(map.getResult(dim), numLoops, 0);
    if (at != getAffineConstantExpr(0, context))
      access.sized.emplace_back(at, stride.expression(context));
    stride = stride * extents[dim];
  }
  return access;
}

/// The coefficient of `loop` in `expr`, if the dependence is linear.
static std::optional<int64_t> coefficient(AffineExpr expr, unsigned loop) {
  if (!expr.isFunctionOfDim(loop))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> left = coefficient(binary.getLHS(), loop);
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> right = coefficient(binary.getRHS(), loop);
    if (left && right)
      return *left + *right;
    return std::nullopt;
  }
  // A product's constant stands on the right.
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && left && factor)
    return *left * factor.getValue();
  return std::nullopt;
}

bool LoopAccess::isFunctionOf(unsigned loop) const {
  return fixed.isFunctionOfDim(loop) ||
         llvm::any_of(sized, [&](const auto &term) {
           return term.first.isFunctionOfDim(loop);
         });
}

std::optional<size::Expression> LoopAccess::growth(unsigned loop) const {
  std::optional<int64_t> number = coefficient(fixed, loop);
  if (!number)
    return std::nullopt;
  auto sum = size::Expression::constant(fixed.getContext(), *number);
  for (const auto &[term, stride] : sized) {
    std::optional<int64_t> steps = coefficient(term, loop);
    if (!steps)
      return std::nullopt;
    if (*steps != 0)
      sum = sum + stride * *steps;
  }
  return sum;
}

std::optional<int64_t> LoopAccess::stride(unsigned loop) const {
  if (sized.empty())
    return coefficient(fixed, loop);
  std::optional<size::Expression> sum = growth(loop);
  return sum && *sum ? sum->asConstant() : std::nullopt;
}

LoopAccess LoopAccess::replaced(ArrayRef<AffineExpr> loops,
                                unsigned numLoops) const {
  auto replace = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr.replaceDims(loops), numLoops, 0);
  };
  LoopAccess result;
  result.fixed = replace(fixed);
  for (const auto &[term, stride] : sized) {
    AffineExpr at = replace(term);
    if (at != getAffineConstantExpr(0, fixed.getContext()))
      result.sized.emplace_back(at, stride);
  }
  return result;
}

LaneValue scaled(LaneBuilder &lanes, KernelFrame &frame, LaneValue value,
                 const Extent &extent) {
  if (std::optional<int64_t> number = extent.known())
    return lanes.mul(value, *number);
  return lanes.mul(value, frame.valueOf(lanes.builder, extent));
}

LaneValue LoopAccess::emit(LaneBuilder &lanes, KernelFrame &frame,
                           ArrayRef<LaneValue> loops) const {
  LaneValue position = lanes.affine(fixed, loops);
  for (const auto &[term, stride] : sized)
    position = lanes.add(lanes.mul(lanes.affine(term, loops),
                                   frame.valueOf(lanes.builder, stride)),
                         position);
  return position;
}

} // namespace heddle
