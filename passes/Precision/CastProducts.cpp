// Products of f32 get factors of a narrower type, because a caller asks for
// that.
//
// Machines multiply bf16 and f16 at twice the rate of f32 and more, and weights
// take half the memory. What each factor loses, the sums do not: they stay f32,
// and so does all that is not a product.

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CASTPRODUCTS
#include "passes/Precision/Passes.h.inc"

namespace {
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
    changeProducts(getOperation(), type, [&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(narrowed(operand.get()));
      return true;
    });
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
