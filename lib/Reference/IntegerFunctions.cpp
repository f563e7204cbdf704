// Bits and shifts.

#include "ElementFunctions.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::reference;

template <typename F> static ElementFunction onBits(F f) {
  return binary<uint64_t, uint64_t>(f);
}

static ElementFunction bitAnd(const ElementSite &) {
  return onBits([](uint64_t a, uint64_t b) { return a & b; });
}
static ElementFunction bitOr(const ElementSite &) {
  return onBits([](uint64_t a, uint64_t b) { return a | b; });
}
static ElementFunction bitXor(const ElementSite &) {
  return onBits([](uint64_t a, uint64_t b) { return a ^ b; });
}
static ElementFunction bitNot(const ElementSite &) {
  return unary<uint64_t, uint64_t>([](uint64_t a) { return ~a; });
}

static ElementFunction populationCount(const ElementSite &site) {
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(site.width());
  return unary<uint64_t, uint64_t>(
      [mask](uint64_t a) { return uint64_t(llvm::popcount(a & mask)); });
}
static ElementFunction leadingZeros(const ElementSite &site) {
  unsigned width = site.width();
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  return unary<uint64_t, uint64_t>([=](uint64_t a) {
    return uint64_t(llvm::countl_zero(a & mask)) - (64 - width);
  });
}

/// An amount is taken as unsigned in the operand's width: one that is negative
/// shifts everything out, as one that is too large does.
static ElementFunction shiftLeft(const ElementSite &site) {
  unsigned width = site.width();
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  return onBits([=](uint64_t a, uint64_t b) {
    return (b & mask) >= width ? 0 : a << (b & mask);
  });
}
static ElementFunction shiftRightLogical(const ElementSite &site) {
  unsigned width = site.width();
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  return onBits([=](uint64_t a, uint64_t b) {
    return (b & mask) >= width ? 0 : (a & mask) >> (b & mask);
  });
}
static ElementFunction shiftRightArithmetic(const ElementSite &site) {
  unsigned width = site.width();
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  return onBits([=](uint64_t a, uint64_t b) {
    uint64_t amount = std::min<uint64_t>(b & mask, width - 1);
    return uint64_t(llvm::SignExtend64(a, width) >> amount);
  });
}

/// The upper half of the product of twice the width.
static ElementFunction multiplyHigh(const ElementSite &site) {
  unsigned width = site.width();
  if (site.operandClass() == ElementClass::Signed)
    return binary<int64_t, int64_t>([width](int64_t a, int64_t b) {
      return int64_t((__int128(a) * b) >> width);
    });
  return onBits([width](uint64_t a, uint64_t b) {
    return uint64_t(((unsigned __int128)(a)*b) >> width);
  });
}

void reference::addIntegerFunctions(ElementRules &rules) {
  for (const char *name : {"stablehlo.and", "arith.andi"})
    rules[name] = bitAnd;
  for (const char *name : {"stablehlo.or", "arith.ori"})
    rules[name] = bitOr;
  for (const char *name : {"stablehlo.xor", "arith.xori"})
    rules[name] = bitXor;
  for (const char *name : {"stablehlo.shift_left", "arith.shli"})
    rules[name] = shiftLeft;
  for (const char *name : {"stablehlo.shift_right_logical", "arith.shrui"})
    rules[name] = shiftRightLogical;
  for (const char *name : {"stablehlo.shift_right_arithmetic", "arith.shrsi"})
    rules[name] = shiftRightArithmetic;
  for (const char *name : {"stablehlo.popcnt", "math.ctpop"})
    rules[name] = populationCount;
  for (const char *name : {"stablehlo.count_leading_zeros", "math.ctlz"})
    rules[name] = leadingZeros;
  rules["stablehlo.not"] = bitNot;
  rules["chlo.mulhi"] = multiplyHigh;
}
