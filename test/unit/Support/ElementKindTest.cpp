// Conversions of elements against APFloat.

#include "heddle/Support/ElementKind.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace heddle;
using llvm::APFloat;

namespace {

constexpr ElementKind kNarrow[] = {
    ElementKind::F4E2M1FN,   ElementKind::F6E2M3FN,      ElementKind::F6E3M2FN,
    ElementKind::F8E3M4,     ElementKind::F8E4M3,        ElementKind::F8E4M3FN,
    ElementKind::F8E4M3FNUZ, ElementKind::F8E4M3B11FNUZ, ElementKind::F8E5M2,
    ElementKind::F8E5M2FNUZ, ElementKind::BF16,          ElementKind::F16};

bool hasNan(ElementKind kind) { return kind > ElementKind::F6E3M2FN; }

/// What APFloat makes of a double, as a double.
double expected(ElementKind kind, double value) {
  APFloat result(value);
  bool losesInfo;
  result.convert(floatSemantics(kind), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result.convertToDouble();
}

void expectSame(ElementKind kind, double value) {
  double got = roundToKind(kind, value), want = expected(kind, value);
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << elementName(kind).str() << " " << value;
    return;
  }
  EXPECT_EQ(got, want) << elementName(kind).str() << " of " << value;
  EXPECT_EQ(std::signbit(got), std::signbit(want))
      << elementName(kind).str() << " of " << value;
}

TEST(ElementKind, OfLessThanAByteWithASign) {
  mlir::MLIRContext context;
  for (unsigned i = 0; i < kElementKinds; ++i) {
    auto kind = ElementKind(i);
    bool wanted = kind == ElementKind::I2 || kind == ElementKind::I4;
    EXPECT_EQ(isNarrowSigned(kind), wanted) << elementName(kind).str();
    EXPECT_EQ(isNarrowSigned(elementType(&context, kind)), wanted);
  }
}

TEST(ElementKind, RoundsAsAPFloatAtEveryMidpoint) {
  for (ElementKind kind : kNarrow) {
    unsigned codes = 1u << bitWidth(kind);
    for (unsigned code = 0; code < codes; ++code) {
      double value = bitsToFloat(kind, code);
      if (!std::isfinite(value))
        continue;
      expectSame(kind, value);
      EXPECT_EQ(floatToBits(kind, value), code) << elementName(kind).str();
      double next = code + 1 < codes ? bitsToFloat(kind, code + 1) : NAN;
      // Past the largest value the step goes on as if the format did.
      double middle = std::isfinite(next) && (next < 0) == (value < 0)
                          ? (value + next) / 2
                          : value * (1 + std::ldexp(1.0, -8));
      for (double near : {middle, std::nextafter(middle, HUGE_VAL),
                          std::nextafter(middle, -HUGE_VAL)})
        expectSame(kind, near);
    }
  }
}

TEST(ElementKind, RoundsAsAPFloatAtRandom) {
  std::mt19937_64 random(7);
  for (ElementKind kind : kNarrow)
    for (int i = 0; i < 20000; ++i) {
      double mantissa = std::ldexp(double(random() >> 11), -53) + 0.5;
      double value =
          std::ldexp(mantissa, int(random() % 300) - 150) * (i & 1 ? -1 : 1);
      expectSame(kind, value);
    }
}

TEST(ElementKind, KeepsNanAndInfinity) {
  for (ElementKind kind : kNarrow) {
    if (!hasNan(kind))
      continue;
    expectSame(kind, HUGE_VAL);
    expectSame(kind, -HUGE_VAL);
    EXPECT_TRUE(std::isnan(roundToKind(kind, NAN)));
    expectSame(kind, 0.0);
    expectSame(kind, -0.0);
  }
  // Without NaN and infinity the largest value stands for both.
  EXPECT_EQ(roundToKind(ElementKind::F4E2M1FN, HUGE_VAL), 6.0);
  EXPECT_EQ(roundToKind(ElementKind::F4E2M1FN, -HUGE_VAL), -6.0);
  EXPECT_EQ(roundToKind(ElementKind::F6E3M2FN, 1000), 28.0);
}

TEST(ElementKind, WhatIsTooLargeKeepsItsSign) {
  // Of formats without infinity it is NaN, of some of them with a sign.
  EXPECT_EQ(floatToBits(ElementKind::F8E4M3FN, HUGE_VAL), 0x7Fu);
  EXPECT_EQ(floatToBits(ElementKind::F8E4M3FN, -HUGE_VAL), 0xFFu);
  EXPECT_EQ(floatToBits(ElementKind::F8E4M3FN, -1e9), 0xFFu);
  EXPECT_EQ(floatToBits(ElementKind::F8E4M3FNUZ, -HUGE_VAL), 0x80u);
  EXPECT_EQ(floatToBits(ElementKind::F8E5M2, -HUGE_VAL), 0xFCu);
}

TEST(ElementKind, PowersOfTwoHaveNoSign) {
  ElementKind kind = ElementKind::F8E8M0FNU;
  EXPECT_EQ(roundToKind(kind, 5.0), 4.0);
  EXPECT_EQ(roundToKind(kind, 7.0), 8.0);
  EXPECT_EQ(floatToBits(kind, 1.0), 127u);
  EXPECT_TRUE(std::isnan(roundToKind(kind, -1.0)));
  EXPECT_TRUE(std::isnan(bitsToFloat(kind, 255)));
}

TEST(ElementKind, IntegersWrapAndExtend) {
  int64_t value = 0x1F9;
  auto stored = [&](ElementKind kind) {
    char bytes[8];
    storeElements(kind, &value, 1, bytes);
    int64_t back;
    loadElements(kind, bytes, 1, &back);
    return back;
  };
  EXPECT_EQ(stored(ElementKind::I1), 1);
  EXPECT_EQ(stored(ElementKind::I2), 1);
  EXPECT_EQ(stored(ElementKind::I4), -7);
  EXPECT_EQ(stored(ElementKind::UI4), 9);
  EXPECT_EQ(stored(ElementKind::I8), -7);
  EXPECT_EQ(stored(ElementKind::UI8), 0xF9);
  EXPECT_EQ(stored(ElementKind::I16), 0x1F9);
  value = -1;
  EXPECT_EQ(stored(ElementKind::UI32), 0xFFFFFFFFll);
  EXPECT_EQ(stored(ElementKind::UI2), 3);
}

TEST(ElementKind, TypesRoundTrip) {
  mlir::MLIRContext context;
  for (unsigned i = 0; i < kElementKinds; ++i) {
    mlir::Type type = elementType(&context, ElementKind(i));
    ASSERT_TRUE(elementKind(type)) << elementName(ElementKind(i)).str();
    EXPECT_EQ(*elementKind(type), ElementKind(i));
  }
  EXPECT_FALSE(elementKind(mlir::IntegerType::get(&context, 3)));
  EXPECT_FALSE(elementKind(mlir::Float128Type::get(&context)));
}

} // namespace
