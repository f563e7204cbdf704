// Products of f32 get factors of a narrower type, because a caller asks for
// that.
//
// Machines multiply bf16 and f16 at twice the rate of f32 and more, and weights
// take half the memory. What each factor loses, the sums do not: they stay f32,
// and so does all that is not a product.

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
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
    if (type == "assigned")
      return castAssigned();
    FloatType factor = typeNamed(type);
    if (!factor) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "the type of factors is '" << type
          << "'; bf16, f16 or assigned is wanted";
      return signalPassFailure();
    }
    changeProducts(getOperation(), type, [&](Operation *op) {
      cast(op, factor);
      return true;
    });
  }

  /// Each product as its own attribute says; without one it stays as it is.
  void castAssigned() {
    AskedProducts found = findAskedProducts(getOperation());
    int64_t bfloats = 0, halves = 0;
    for (Operation *op : found.products) {
      auto name = dyn_cast_or_null<StringAttr>(
          op->removeDiscardableAttr(kFactorsAttrName));
      if (!name)
        continue;
      FloatType factor = typeNamed(name);
      if (!factor) {
        emitError(op->getLoc(), ErrorCode::BadCommandLine)
            << "the factors are to be '" << name.getValue()
            << "'; bf16 or f16 is wanted";
        return signalPassFailure();
      }
      cast(op, factor);
      ++(factor.isBF16() ? bfloats : halves);
    }
    sayChanged(getOperation(),
               "bf16 in " + Twine(bfloats) + " and f16 in " + Twine(halves),
               found.all);
  }

  FloatType typeNamed(StringRef name) {
    return llvm::StringSwitch<FloatType>(name)
        .Case("bf16", BFloat16Type::get(&getContext()))
        .Case("f16", Float16Type::get(&getContext()))
        .Default(FloatType());
  }

  void cast(Operation *op, FloatType factor) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(narrowed(operand.get(), factor));
  }

  /// The value in the narrower type, once for all that multiply it.
  Value narrowed(Value value, FloatType factor) {
    Value &known = narrow[{value, factor}];
    if (!known) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      known = stablehlo::ConvertOp::create(builder, value.getLoc(),
                                           typeOf(value).clone(factor), value);
    }
    return known;
  }

  llvm::DenseMap<std::pair<Value, Type>, Value> narrow;
};

} // namespace
} // namespace heddle
