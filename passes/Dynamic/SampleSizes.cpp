// Chooses points to sample sizes at, and finds the functions that go through
// what was seen.

#include "passes/Dynamic/SampleSizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

SmallVector<int64_t> heddle::maxima(ArrayRef<BoundedSymbol> symbols) {
  return llvm::map_to_vector(
      symbols, [](const BoundedSymbol &symbol) { return symbol.maximum; });
}

SmallVector<SmallVector<int64_t>>
heddle::leastPoints(ArrayRef<BoundedSymbol> symbols, bool oneIsSpecial) {
  SmallVector<SmallVector<int64_t>> points;
  for (int64_t more : {0, 1}) {
    SmallVector<int64_t> all = maxima(symbols);
    for (auto [i, symbol] : llvm::enumerate(symbols)) {
      int64_t size = symbol.minimum + more;
      // One more helps where none is not taken.
      if (size >= symbol.maximum || (oneIsSpecial && size < 2) ||
          (more && symbol.minimum > 0))
        continue;
      SmallVector<int64_t> one = maxima(symbols);
      one[i] = all[i] = size;
      points.push_back(std::move(one));
    }
    if (symbols.size() > 1)
      points.push_back(std::move(all));
  }
  return points;
}

std::string SampleSizes::remedy() const {
  std::string text = "give one size in place of a range (";
  for (const BoundedSymbol &symbol : symbolList)
    text += (&symbol == &symbolList.front() ? "" : ", ") + symbol.name + " = " +
            std::to_string(symbol.minimum) + ".." +
            std::to_string(symbol.maximum);
  return text + ")";
}

SampleSizes::SampleSizes(MLIRContext *context,
                         std::vector<BoundedSymbol> symbols, bool above,
                         ArrayRef<SmallVector<int64_t>> more)
    : mlirContext(context), symbolList(std::move(symbols)) {
  for (const BoundedSymbol &symbol : symbolList)
    symbolRanges.declare(symbol.name, {symbol.minimum, symbol.maximum});
  unsigned count = symbolList.size();
  SmallVector<int64_t> largest = maxima(symbolList);
  for (const BoundedSymbol &symbol : symbolList)
    steps.push_back(above && symbol.maximum < 5 ? 1 : -1);
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

Expression SampleSizes::fitLinear(ArrayRef<int64_t> values) const {
  auto constant = [&](int64_t value) {
    return Expression::constant(mlirContext, value);
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
  Expression result = constant(0);
  for (unsigned set = 0; set < coefficients.size(); ++set) {
    if (!coefficients[set])
      continue;
    Expression term = constant(1);
    for (unsigned i = 0; i < count; ++i)
      if (set >> i & 1)
        term = term * Expression::symbol(mlirContext, symbolList[i].name);
    result = result + term * coefficients[set];
  }
  for (auto [point, value] : llvm::zip_equal(pointList, values)) {
    std::optional<int64_t> found =
        result.evaluated([&](StringRef name) -> std::optional<int64_t> {
          for (auto [symbol, size] : llvm::zip_equal(symbolList, point))
            if (symbol.name == name)
              return size;
          return std::nullopt;
        });
    if (found != value)
      return {};
  }
  return result;
}

SmallVector<SmallVector<int64_t>> SampleSizes::densePoints(bool above) const {
  const int64_t many = above ? 16 : 64, few = above ? 0 : 8;
  SmallVector<SmallVector<int64_t>> points;
  for (auto [i, symbol] : llvm::enumerate(symbolList)) {
    int64_t largest = symbol.maximum;
    int64_t least =
        above ? std::max(symbol.minimum, largest / 2 + 1) : symbol.minimum;
    int64_t between = std::max<int64_t>((largest - least) / many, 1);
    for (int64_t size = least; size < largest; ++size) {
      bool nearEnd = size > largest - many || size < least + few;
      if (!nearEnd && (size - least) % between != 0)
        continue;
      points.push_back(pointList.front());
      points.back()[i] = size;
    }
  }
  return points;
}

int64_t SampleSizes::longestRun(unsigned symbol) const {
  std::set<int64_t> sizes;
  for (ArrayRef<int64_t> point : pointList) {
    SmallVector<int64_t> others(point);
    others[symbol] = pointList.front()[symbol];
    if (ArrayRef(others) == ArrayRef(pointList.front()))
      sizes.insert(point[symbol]);
  }
  int64_t longest = 0, length = 0, last = 0;
  for (int64_t size : sizes) {
    length = length && size == last + 1 ? length + 1 : 1;
    longest = std::max(longest, length);
    last = size;
  }
  return longest;
}

/// a * floor((symbol + b) / c) + d * symbol + e. Of a divisor two periods must
/// be seen, or every size but the least.
Expression SampleSizes::fitQuotient(ArrayRef<int64_t> values,
                                    unsigned symbol) const {
  int64_t run = longestRun(symbol);
  bool isWhole = run >= symbolList[symbol].maximum - symbolList[symbol].minimum;
  int64_t largestDivisor = isWhole ? run : run / 2;
  SmallVector<int64_t> sizes, quotients(values.size());
  for (ArrayRef<int64_t> point : pointList)
    sizes.push_back(point[symbol]);
  // The slope of values between two points that follow each other, of which
  // `wanted` takes the second; null if there are none or it is no integer.
  auto slope = [&](ArrayRef<int64_t> of, ArrayRef<int64_t> along,
                   auto wanted) -> std::optional<int64_t> {
    for (unsigned i = 1; i < of.size(); ++i)
      if (along[i] != along[i - 1] && wanted(i)) {
        int64_t rise = of[i] - of[i - 1], run = along[i] - along[i - 1];
        return rise % run ? std::nullopt : std::optional(rise / run);
      }
    return std::nullopt;
  };
  for (int64_t divisor = 2; divisor <= largestDivisor; ++divisor)
    for (int64_t shift = 0; shift < divisor; ++shift) {
      for (auto [quotient, size] : llvm::zip_equal(quotients, sizes))
        quotient = (size + shift) / divisor;
      // Where the quotient stays, only the rest changes.
      auto linear = slope(values, sizes, [&](unsigned i) {
        return quotients[i] == quotients[i - 1];
      });
      if (!linear)
        continue;
      SmallVector<int64_t> rest(values);
      for (auto [value, size] : llvm::zip_equal(rest, sizes))
        value -= *linear * size;
      auto factor = slope(rest, quotients, [](unsigned) { return true; });
      if (!factor)
        continue;
      int64_t offset = rest[0] - *factor * quotients[0];
      if (!llvm::all_of(llvm::zip_equal(rest, quotients), [&](auto pair) {
            return std::get<0>(pair) == *factor * std::get<1>(pair) + offset;
          }))
        continue;
      Expression size =
          Expression::symbol(mlirContext, symbolList[symbol].name);
      return (size + shift).floorDiv(divisor) * *factor + size * *linear +
             offset;
    }
  return {};
}

Expression SampleSizes::fit(ArrayRef<int64_t> values) const {
  Expression found = fitLinear(values);
  for (unsigned i = 0; !found && i < symbolList.size(); ++i)
    found = fitQuotient(values, i);
  missed |= !found;
  return found;
}
