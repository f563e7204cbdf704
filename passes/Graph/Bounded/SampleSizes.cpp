#include "passes/Graph/Bounded/SampleSizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace heddle;

SampleSizes::SampleSizes(MLIRContext *context,
                         std::vector<BoundedSymbol> symbols, bool above,
                         ArrayRef<SmallVector<int64_t>> more)
    : mlirContext(context), symbolList(std::move(symbols)) {
  unsigned count = symbolList.size();
  SmallVector<int64_t> largest;
  for (const BoundedSymbol &symbol : symbolList) {
    largest.push_back(symbol.maximum);
    steps.push_back(above && symbol.maximum < 5 ? 1 : -1);
  }
  // All combinations of the maximum and its neighbour give the function ...
  for (unsigned set = 0; set < 1u << count; ++set) {
    pointList.push_back(largest);
    for (unsigned i = 0; i < count; ++i)
      if (set >> i & 1)
        pointList.back()[i] += steps[i];
  }
  // ... and these points test it.
  auto test = [&](ArrayRef<int64_t> point) {
    if (llvm::all_of(point, [](int64_t size) { return size >= 0; }) &&
        !llvm::is_contained(pointList, SmallVector<int64_t>(point)))
      pointList.push_back(SmallVector<int64_t>(point));
  };
  SmallVector<int64_t> farther = largest, middle = largest;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<int64_t> one = largest;
    farther[i] += 2 * steps[i];
    one[i] += 2 * steps[i];
    // No small size, and a whole one for what is cut in halves and quarters.
    int64_t half = symbolList[i].maximum / 2;
    if (half >= 5 && half >= symbolList[i].minimum)
      middle[i] = half;
    test(one);
  }
  test(farther);
  test(middle);
  for (ArrayRef<int64_t> point : more)
    test(point);
}

AffineExpr SampleSizes::fit(ArrayRef<int64_t> values) const {
  auto constant = [&](int64_t value) {
    return getAffineConstantExpr(value, mlirContext);
  };
  if (llvm::all_equal(values))
    return constant(values.front());
  // Coefficients by the set of symbols that are factors: one symbol after the
  // other from values at its two points to slope and intercept.
  unsigned count = symbolList.size();
  SmallVector<int64_t> coefficients(values.take_front(size_t(1) << count));
  for (unsigned i = 0; i < count; ++i)
    for (unsigned set = 0; set < coefficients.size(); ++set) {
      if (!(set >> i & 1))
        continue;
      int64_t &low = coefficients[set & ~(1u << i)], &high = coefficients[set];
      high = (high - low) / steps[i];
      low -= high * symbolList[i].maximum;
    }
  AffineExpr result = constant(0);
  for (unsigned set = 0; set < coefficients.size(); ++set) {
    if (!coefficients[set])
      continue;
    AffineExpr term = constant(1);
    for (unsigned i = 0; i < count; ++i)
      if (set >> i & 1)
        term = term * getAffineSymbolExpr(i, mlirContext);
    result = result + term * coefficients[set];
  }
  for (auto [point, value] : llvm::zip_equal(pointList, values))
    if (evaluate(result, point) != value)
      return nullptr;
  return result;
}

std::pair<int64_t, int64_t> SampleSizes::range(AffineExpr expr) const {
  std::pair<int64_t, int64_t> found = {INT64_MAX, INT64_MIN};
  for (unsigned set = 0; set < 1u << symbolList.size(); ++set) {
    SmallVector<int64_t> corner;
    for (auto [i, symbol] : llvm::enumerate(symbolList))
      corner.push_back(set >> i & 1 ? symbol.maximum : symbol.minimum);
    int64_t value = evaluate(expr, corner);
    found.first = std::min(found.first, value);
    found.second = std::max(found.second, value);
  }
  return found;
}

int64_t heddle::evaluate(AffineExpr expr, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), symbols),
          rhs = evaluate(binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(lhs, rhs);
  default:
    return lhs - rhs * llvm::divideFloorSigned(lhs, rhs);
  }
}
