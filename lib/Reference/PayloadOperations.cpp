// Operations of arith and math on signless integers, where the operation and
// not the type says whether a value has a sign.

#include "ElementFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace heddle;
using namespace heddle::reference;
using namespace mlir;

static uint64_t maskOf(const ElementSite &site) {
  return llvm::maskTrailingOnes<uint64_t>(site.width());
}

/// A function of two operands read as unsigned.
template <typename F>
static ElementFunction onUnsigned(const ElementSite &site, F f) {
  uint64_t mask = maskOf(site);
  return binary<uint64_t, uint64_t>(
      [=](uint64_t a, uint64_t b) { return uint64_t(f(a & mask, b & mask)); });
}
/// The same read as signed; i1 is 0 or -1 then.
template <typename F>
static ElementFunction onSigned(const ElementSite &site, F f) {
  unsigned width = site.width();
  return binary<uint64_t, uint64_t>([=](uint64_t a, uint64_t b) {
    return uint64_t(
        f(llvm::SignExtend64(a, width), llvm::SignExtend64(b, width)));
  });
}

/// Wrapping sums and products, of i1 as well: StableHLO's are logical there.
static ElementFunction addBits(const ElementSite &) {
  return binary<uint64_t, uint64_t>(
      [](uint64_t a, uint64_t b) { return a + b; });
}
static ElementFunction subtractBits(const ElementSite &) {
  return binary<uint64_t, uint64_t>(
      [](uint64_t a, uint64_t b) { return a - b; });
}
static ElementFunction multiplyBits(const ElementSite &) {
  return binary<uint64_t, uint64_t>(
      [](uint64_t a, uint64_t b) { return a * b; });
}

static ElementFunction divideUnsigned(const ElementSite &site) {
  return onUnsigned(
      site, [](uint64_t a, uint64_t b) { return b ? a / b : ~uint64_t(0); });
}
static ElementFunction remainderUnsigned(const ElementSite &site) {
  return onUnsigned(site, [](uint64_t a, uint64_t b) { return b ? a % b : a; });
}
static ElementFunction maximumUnsigned(const ElementSite &site) {
  return onUnsigned(site,
                    [](uint64_t a, uint64_t b) { return std::max(a, b); });
}
static ElementFunction minimumUnsigned(const ElementSite &site) {
  return onUnsigned(site,
                    [](uint64_t a, uint64_t b) { return std::min(a, b); });
}
/// Towards minus and plus infinity.
static ElementFunction floorDivide(const ElementSite &site) {
  return onSigned(site, [](int64_t a, int64_t b) -> int64_t {
    return b == 0    ? -1
           : b == -1 ? int64_t(-uint64_t(a))
                     : llvm::divideFloorSigned(a, b);
  });
}
static ElementFunction ceilingDivide(const ElementSite &site) {
  return onSigned(site, [](int64_t a, int64_t b) -> int64_t {
    return b == 0    ? -1
           : b == -1 ? int64_t(-uint64_t(a))
                     : llvm::divideCeilSigned(a, b);
  });
}

static ElementFunction compareIntegers(const ElementSite &site) {
  using P = arith::CmpIPredicate;
  switch (cast<arith::CmpIOp>(site.op).getPredicate()) {
  case P::eq:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a == b; });
  case P::ne:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a != b; });
  case P::slt:
    return onSigned(site, [](int64_t a, int64_t b) { return a < b; });
  case P::sle:
    return onSigned(site, [](int64_t a, int64_t b) { return a <= b; });
  case P::sgt:
    return onSigned(site, [](int64_t a, int64_t b) { return a > b; });
  case P::sge:
    return onSigned(site, [](int64_t a, int64_t b) { return a >= b; });
  case P::ult:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a < b; });
  case P::ule:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a <= b; });
  case P::ugt:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a > b; });
  case P::uge:
    return onUnsigned(site, [](uint64_t a, uint64_t b) { return a >= b; });
  }
  return {};
}

static ElementFunction compareFloats(const ElementSite &site) {
  using P = arith::CmpFPredicate;
  P predicate = cast<arith::CmpFOp>(site.op).getPredicate();
  return binary<double, uint64_t>([predicate](double a, double b) -> uint64_t {
    bool unordered = std::isnan(a) || std::isnan(b);
    switch (predicate) {
    case P::AlwaysFalse:
      return false;
    case P::AlwaysTrue:
      return true;
    case P::ORD:
      return !unordered;
    case P::UNO:
      return unordered;
    case P::OEQ:
      return a == b;
    case P::OGT:
      return a > b;
    case P::OGE:
      return a >= b;
    case P::OLT:
      return a < b;
    case P::OLE:
      return a <= b;
    case P::ONE:
      return !unordered && a != b;
    case P::UEQ:
      return unordered || a == b;
    case P::UGT:
      return unordered || a > b;
    case P::UGE:
      return unordered || a >= b;
    case P::ULT:
      return unordered || a < b;
    case P::ULE:
      return unordered || a <= b;
    case P::UNE:
      return a != b;
    }
    return false;
  });
}

static ElementFunction extendUnsigned(const ElementSite &site) {
  uint64_t mask = maskOf(site);
  return unary<uint64_t, uint64_t>([mask](uint64_t a) { return a & mask; });
}
static ElementFunction extendSigned(const ElementSite &site) {
  unsigned width = site.width();
  return unary<uint64_t, uint64_t>(
      [width](uint64_t a) { return uint64_t(llvm::SignExtend64(a, width)); });
}
static ElementFunction truncateInteger(const ElementSite &) {
  return unary<uint64_t, uint64_t>([](uint64_t a) { return a; });
}
/// Rounded once, to the result's type. i1 read as signed is 0 or -1.
static ElementFunction integerToFloat(const ElementSite &site, bool isSigned) {
  unsigned width = site.width();
  bool narrower = site.result != ElementKind::F64;
  return unary<uint64_t, double>([=](uint64_t a) {
    if (isSigned)
      return integerAsDouble(llvm::SignExtend64(a, width), narrower);
    return integerAsDouble(a & llvm::maskTrailingOnes<uint64_t>(width),
                           narrower);
  });
}
static ElementFunction signedToFloat(const ElementSite &site) {
  return integerToFloat(site, /*isSigned=*/true);
}
static ElementFunction unsignedToFloat(const ElementSite &site) {
  return integerToFloat(site, /*isSigned=*/false);
}
static ElementFunction floatToUnsigned(const ElementSite &site) {
  uint64_t limit = llvm::maskTrailingOnes<uint64_t>(bitWidth(site.result));
  return unary<double, uint64_t>([limit](double a) -> uint64_t {
    if (!(a > -1))
      return 0;
    return a >= double(limit) ? limit : uint64_t(a);
  });
}
static ElementFunction bitcast(const ElementSite &site) {
  ElementKind from = site.operands.front(), to = site.result;
  return [=](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    char bytes[kLanes * sizeof(Complex)];
    in[0]->store(from, count, bytes);
    out.load(to, bytes, count);
  };
}

/// maxnumf and minnumf: a number wins over NaN.
static ElementFunction maximumNumber(const ElementSite &) {
  return binary<double, double>(
      [](double a, double b) { return std::fmax(a, b); });
}
static ElementFunction minimumNumber(const ElementSite &) {
  return binary<double, double>(
      [](double a, double b) { return std::fmin(a, b); });
}
static ElementFunction copySign(const ElementSite &) {
  return binary<double, double>(
      [](double a, double b) { return std::copysign(a, b); });
}
static ElementFunction fusedMultiplyAdd(const ElementSite &) {
  return [](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out.as<double>()[i] =
          std::fma(in[0]->as<double>()[i], in[1]->as<double>()[i],
                   in[2]->as<double>()[i]);
  };
}
static ElementFunction powerOfTwo(const ElementSite &) {
  return unary<double, double>([](double a) { return std::exp2(a); });
}
static ElementFunction logarithmOfTwo(const ElementSite &) {
  return unary<double, double>([](double a) { return std::log2(a); });
}
static ElementFunction isNan(const ElementSite &) {
  return unary<double, uint64_t>(
      [](double a) { return uint64_t(std::isnan(a)); });
}

void reference::addPayloadOperations(ElementRules &rules) {
  rules["arith.addi"] = addBits;
  rules["arith.subi"] = subtractBits;
  rules["arith.muli"] = multiplyBits;
  rules["arith.sitofp"] = signedToFloat;
  rules["arith.divui"] = divideUnsigned;
  rules["arith.remui"] = remainderUnsigned;
  rules["arith.maxui"] = maximumUnsigned;
  rules["arith.minui"] = minimumUnsigned;
  rules["arith.floordivsi"] = floorDivide;
  rules["arith.ceildivsi"] = ceilingDivide;
  rules["arith.cmpi"] = compareIntegers;
  rules["arith.cmpf"] = compareFloats;
  rules["arith.extui"] = extendUnsigned;
  rules["arith.extsi"] = extendSigned;
  rules["arith.trunci"] = truncateInteger;
  rules["arith.index_castui"] = extendUnsigned;
  rules["arith.uitofp"] = unsignedToFloat;
  rules["arith.fptoui"] = floatToUnsigned;
  rules["arith.bitcast"] = bitcast;
  rules["arith.maxnumf"] = maximumNumber;
  rules["arith.minnumf"] = minimumNumber;
  rules["math.copysign"] = copySign;
  rules["math.fma"] = fusedMultiplyAdd;
  rules["math.exp2"] = powerOfTwo;
  rules["math.log2"] = logarithmOfTwo;
  rules["math.isnan"] = isNan;
}

//===--- The table --------------------------------------------------------===//

static const ElementRules &elementRules() {
  static const ElementRules rules = [] {
    ElementRules table;
    addArithmetic(table);
    addIntegerFunctions(table);
    addComparisons(table);
    addConversions(table);
    addMathFunctions(table);
    addSpecialFunctions(table);
    addPayloadOperations(table);
    return table;
  }();
  return rules;
}

bool reference::isElementwise(Operation *op) {
  return elementRules().contains(op->getName().getStringRef());
}

ElementFunction reference::elementFunction(Operation *op,
                                           llvm::ArrayRef<ElementKind> operands,
                                           ElementKind result) {
  auto rule = elementRules().find(op->getName().getStringRef());
  if (rule == elementRules().end())
    return {};
  return rule->second(ElementSite{op, operands, result});
}
