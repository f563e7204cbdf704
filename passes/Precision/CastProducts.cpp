// Products of f32 get factors of a narrower type, because a caller asks for
// that.
//
// Machines multiply bf16 and f16 at twice the rate of f32 and more, and weights
// take half the memory. What each factor loses, the sums do not: they stay f32,
// and so does all that is not a product.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/Passes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CASTPRODUCTS
#include "passes/Precision/Passes.h.inc"

namespace {

/// Sums of fewer products take no unit's time: scales, the angles of positions,
/// the points of a depthwise filter.
constexpr int64_t kFewestTerms = 16;

/// Whether the model says that factors shall keep more than any machine's least
/// number of bits.
bool wantsExact(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](stablehlo::DotGeneralOp dot) {
        return dot.getAlgorithm() ||
               stablehlo::asksPrecision(dot.getPrecisionConfigAttr());
      })
      .Case([](stablehlo::ConvolutionOp convolution) {
        return stablehlo::asksPrecision(convolution.getPrecisionConfigAttr());
      })
      .Default(false);
}

/// How many products each element of the result sums up, at the most.
int64_t termsOf(Operation *op) {
  ArrayRef<int64_t> left = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> right = shapeOf(op->getOperand(1));
  int64_t terms = 1;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    for (int64_t dim :
         dot.getDotDimensionNumbers().getLhsContractingDimensions())
      terms *= left[dim];
    return terms;
  }
  auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
  terms = right[numbers.getKernelInputFeatureDimension()];
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    terms *= right[dim];
  return terms;
}

/// Whether `value` is made of stored integers and a scale, moved at the most:
/// such products are computed on the integers.
bool isDequantized(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<prec::DequantizeOp>(op))
      return true;
    if (!isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
             stablehlo::BroadcastInDimOp, stablehlo::SliceOp, stablehlo::PadOp,
             stablehlo::ReverseOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

bool isProductOfF32(Operation *op) {
  if (!isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return false;
  auto isF32 = [](Value value) { return elementOf(value).isF32(); };
  return llvm::all_of(op->getOperands(), isF32) && isF32(op->getResult(0));
}

bool mayBeCast(Operation *op) {
  return !wantsExact(op) && termsOf(op) >= kFewestTerms &&
         llvm::none_of(op->getOperands(), isDequantized);
}

struct CastProducts : impl::CastProductsBase<CastProducts> {
  using impl::CastProductsBase<CastProducts>::CastProductsBase;

  void runOnOperation() override {
    factor = llvm::StringSwitch<FloatType>(type)
                 .Case("bf16", BFloat16Type::get(&getContext()))
                 .Case("f16", Float16Type::get(&getContext()))
                 .Default(FloatType());
    if (!factor) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "the type of factors is '" << type << "'; bf16 or f16 is wanted";
      return signalPassFailure();
    }
    int64_t products = 0, cast = 0;
    for (func::FuncOp entry : kernel::entryFunctions(getOperation()))
      entry.walk([&](Operation *op) {
        if (!isProductOfF32(op))
          return;
        ++products;
        if (!mayBeCast(op))
          return;
        ++cast;
        for (OpOperand &operand : op->getOpOperands())
          operand.set(narrowed(operand.get()));
      });
    getOperation()->setAttr(
        kPrecisionAttrName,
        StringAttr::get(&getContext(), type + " in " + Twine(cast) + " of " +
                                           Twine(products) +
                                           " contractions and convolutions"));
  }

  /// The value in the narrower type, once for all that multiply it.
  Value narrowed(Value value) {
    Value &known = narrow[value];
    if (!known) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      known = stablehlo::ConvertOp::create(builder, value.getLoc(),
                                           typeOf(value).clone(factor), value);
    }
    return known;
  }

  FloatType factor;
  llvm::DenseMap<Value, Value> narrow;
};

} // namespace
} // namespace heddle
