// Weights of products of f32 become integers in units of scales by blocks,
// because a caller asks for that.
//
// One row of a decoder's activations times a matrix takes the time in which the
// matrix is read: fewer bits are that much faster. Activations, sums and all
// that is not a weight stay f32.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/Passes.h"
#include "passes/Precision/WeightIntegers.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_QUANTIZEWEIGHTS
#include "passes/Precision/Passes.h.inc"

namespace {
struct QuantizeWeights : impl::QuantizeWeightsBase<QuantizeWeights> {
  using impl::QuantizeWeightsBase<QuantizeWeights>::QuantizeWeightsBase;

  void runOnOperation() override {
    IntegerFormat format{bits, block};
    if (std::string problem = format.problem(); !problem.empty()) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine) << problem;
      return signalPassFailure();
    }
    std::string policy =
        ("w" + Twine(bits) + "a16 by blocks of " + Twine(block)).str();
    WeightQuantizer quantizer;
    changeProducts(getOperation(), policy, [&](Operation *op) {
      std::optional<int64_t> axis = weightAxis(op, format);
      if (axis)
        op->setOperand(1,
                       quantizer.quantized(op->getOperand(1), *axis, format));
      return axis.has_value();
    });
  }
};
} // namespace
} // namespace heddle
