// Products of f32 get factors of a narrower type, because a caller asks for
// that.
//
// Machines multiply bf16 and f16 at twice the rate of f32 and more, and weights
// take half the memory. What each factor loses, the sums do not: they stay f32,
// and so does all that is not a product.

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/FactorCasts.h"
#include "passes/Precision/FactorFormat.h"
#include "passes/Precision/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_CASTPRODUCTS
#include "passes/Precision/Passes.h.inc"

namespace {
struct CastProducts : impl::CastProductsBase<CastProducts> {
  using impl::CastProductsBase<CastProducts>::CastProductsBase;

  void runOnOperation() override {
    std::optional<FactorFormat> format =
        FactorFormat::parse(type, &getContext());
    if (!format || !format->type) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "the type of factors is '" << type << "'; bf16 or f16 is wanted";
      return signalPassFailure();
    }
    FactorCasts casts;
    changeProducts(getOperation(), type, [&](Operation *op) {
      casts.cast(op, format->type);
      return true;
    });
  }
};

} // namespace
} // namespace heddle
