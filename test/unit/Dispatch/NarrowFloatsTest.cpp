// Conversions of narrow floats in integer arithmetic, against what MLIR's
// folders make of the operations that they stand for: whoever folds a constant
// before dispatch must get the same bits.

#include "passes/Dispatch/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/FoldUtils.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

class NarrowFloats : public testing::Test {
protected:
  NarrowFloats() { context.loadDialect<arith::ArithDialect>(); }

  using Build = llvm::function_ref<Value(OpBuilder &, Location)>;

  /// The constant that what `build` emits folds to; null if it does not.
  TypedAttr folded(Build build) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    Block *body = module->getBody();
    OpBuilder b = OpBuilder::atBlockEnd(body);
    Value value = build(b, loc);
    auto reader =
        UnrealizedConversionCastOp::create(b, loc, b.getIndexType(), value);
    OperationFolder folder(&context);
    for (Operation &op : llvm::make_early_inc_range(*body))
      if (&op != reader)
        (void)folder.tryToFold(&op);
    TypedAttr constant;
    matchPattern(reader.getOperand(0), m_Constant(&constant));
    return constant;
  }

  APFloat decoded(Type format, uint64_t code) {
    TypedAttr number = folded([&](OpBuilder &b, Location loc) {
      Value bits = arith::ConstantOp::create(
          b, loc, b.getI8IntegerAttr(static_cast<int8_t>(code)));
      return decodeNarrowFloat(b, loc, bits, format);
    });
    return cast<FloatAttr>(number).getValue();
  }

  uint64_t encoded(Type format, const APFloat &value) {
    TypedAttr bits = folded([&](OpBuilder &b, Location loc) {
      Value real = arith::ConstantOp::create(
          b, loc, FloatAttr::get(b.getF32Type(), value));
      return encodeNarrowFloat(b, loc, real, format);
    });
    return cast<IntegerAttr>(bits).getValue().getZExtValue();
  }

  FloatAttr extended(Type format, uint64_t code) {
    return cast_or_null<FloatAttr>(folded([&](OpBuilder &b, Location loc) {
      auto type = cast<FloatType>(format);
      APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), code));
      Value real =
          arith::ConstantOp::create(b, loc, FloatAttr::get(type, number));
      return arith::ExtFOp::create(b, loc, b.getF32Type(), real).getResult();
    }));
  }

  FloatAttr truncated(Type format, const APFloat &value) {
    return cast_or_null<FloatAttr>(folded([&](OpBuilder &b, Location loc) {
      Value real = arith::ConstantOp::create(
          b, loc, FloatAttr::get(b.getF32Type(), value));
      return arith::TruncFOp::create(b, loc, format, real).getResult();
    }));
  }

  std::vector<Type> formats() {
    return {
        Float8E3M4Type::get(&context),        Float8E4M3Type::get(&context),
        Float8E4M3FNType::get(&context),      Float8E4M3FNUZType::get(&context),
        Float8E4M3B11FNUZType::get(&context), Float8E5M2Type::get(&context),
        Float8E5M2FNUZType::get(&context),    Float8E8M0FNUType::get(&context),
        Float6E2M3FNType::get(&context),      Float6E3M2FNType::get(&context),
        Float4E2M1FNType::get(&context)};
  }

  std::string nameOf(Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  }

  MLIRContext context;
};

TEST_F(NarrowFloats, EveryCodeExtendsToTheSameNumber) {
  for (Type format : formats()) {
    unsigned codes = 1 << format.getIntOrFloatBitWidth();
    for (uint64_t code = 0; code < codes; ++code) {
      APFloat ours = decoded(format, code);
      FloatAttr theirs = extended(format, code);
      if (ours.isNaN()) {
        EXPECT_TRUE(!theirs || theirs.getValue().isNaN());
        continue;
      }
      ASSERT_TRUE(theirs) << nameOf(format) << " " << code;
      EXPECT_TRUE(ours.bitwiseIsEqual(theirs.getValue()))
          << nameOf(format) << " " << code;
      // Back again.
      EXPECT_EQ(encoded(format, ours), code) << nameOf(format);
      FloatAttr back = truncated(format, ours);
      ASSERT_TRUE(back) << nameOf(format) << " " << code;
      EXPECT_EQ(back.getValue().bitcastToAPInt().getZExtValue(), code)
          << nameOf(format);
    }
  }
}

TEST_F(NarrowFloats, WhatFoldsIsEncodedTheSame) {
  for (Type format : formats()) {
    unsigned folds = 0;
    for (uint64_t bits = 0; bits < (1 << 16); bits += 3) {
      APFloat value(APFloat::IEEEsingle(), APInt(32, bits << 16));
      // APFloat does not convert what this format has not, below and beyond.
      bool isExponent = isa<Float8E8M0FNUType>(format);
      if (isExponent && (value.isNegative() || !value.isNormal() ||
                         value.getExactLog2() == INT_MIN))
        continue;
      // Of what a format has nothing like, the folders make zero: here the
      // largest number. Nothing folds before dispatch.
      const llvm::fltSemantics &semantics =
          cast<FloatType>(format).getFloatSemantics();
      if (!value.isFinite() && !APFloat::semanticsHasInf(semantics) &&
          !APFloat::semanticsHasNaN(semantics)) {
        APFloat largest = decoded(format, encoded(format, value));
        APFloat wanted = APFloat::getLargest(semantics, value.isInfinity() &&
                                                            value.isNegative());
        bool losesInfo = false;
        wanted.convert(largest.getSemantics(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
        EXPECT_TRUE(largest.bitwiseIsEqual(wanted))
            << nameOf(format) << " " << bits;
        continue;
      }
      FloatAttr theirs = truncated(format, value);
      if (!theirs)
        continue;
      ++folds;
      uint64_t ours = encoded(format, value);
      if (theirs.getValue().isNaN())
        EXPECT_TRUE(decoded(format, ours).isNaN()) << nameOf(format);
      else
        EXPECT_EQ(ours, theirs.getValue().bitcastToAPInt().getZExtValue())
            << nameOf(format) << " " << bits;
    }
    EXPECT_GT(folds, 0u) << nameOf(format);
  }
}

} // namespace
