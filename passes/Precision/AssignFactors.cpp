// Each product of f32 gets the factors that were chosen for it.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/FactorBytes.h"
#include "passes/Precision/FactorCasts.h"
#include "passes/Precision/FactorFormat.h"
#include "passes/Precision/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ASSIGNFACTORS
#include "passes/Precision/Passes.h.inc"

namespace {
struct AssignFactors : impl::AssignFactorsBase<AssignFactors> {
  using impl::AssignFactorsBase<AssignFactors>::AssignFactorsBase;

  void runOnOperation() override {
    casts = {};
    quantizer = {};
    bytes = {};
    AskedProducts found = findAskedProducts(getOperation());
    // By name, in the order in which products first have it.
    llvm::MapVector<StringRef, int64_t> counts;
    for (Operation *op : found.products) {
      auto name = dyn_cast_or_null<StringAttr>(
          op->removeDiscardableAttr(kFactorsAttrName));
      if (!name)
        continue;
      if (failed(assign(op, name)))
        return signalPassFailure();
      ++counts[name];
    }
    sayChanged(getOperation(), listOf(counts), found.all);
  }

  LogicalResult assign(Operation *op, StringRef name) {
    std::optional<FactorFormat> format =
        FactorFormat::parse(name, &getContext());
    if (!format)
      return emitError(op->getLoc(), ErrorCode::BadCommandLine)
             << "the factors are to be '" << name << "'; "
             << FactorFormat::names() << " is wanted";
    if (format->type) {
      casts.cast(op, format->type);
      return success();
    }
    std::optional<int64_t> axis =
        format->isBytes ? channelAxis(op) : weightAxis(op, format->weights);
    if (!axis)
      return emitError(op->getLoc(), ErrorCode::BadCommandLine)
             << "the factors are to be '" << name
             << "', and the second one is no weight that kernels read so";
    if (format->isBytes)
      return assignBytes(op, *axis);
    op->setOperand(
        1, quantizer.quantized(op->getOperand(1), *axis, format->weights));
    return success();
  }

  LogicalResult assignBytes(Operation *op, int64_t axis) {
    auto scale = dyn_cast_or_null<FloatAttr>(
        op->removeDiscardableAttr(kFirstScaleAttrName));
    auto zeroPoint = dyn_cast_or_null<IntegerAttr>(
        op->removeDiscardableAttr(kFirstZeroPointAttrName));
    if (!scale || !scale.getType().isF32() || !scale.getValue().isNormal() ||
        scale.getValue().isNegative() || !zeroPoint ||
        zeroPoint.getValue().getActiveBits() > 8)
      return emitError(op->getLoc(), ErrorCode::BadCommandLine)
             << "the factors are to be 'w8a8'; " << kFirstScaleAttrName
             << ", a positive f32, and " << kFirstZeroPointAttrName
             << ", 0 to 255, are wanted beside it";
    bytes.quantize(op, axis,
                   {scale.getValue().convertToFloat(),
                    static_cast<uint8_t>(zeroPoint.getValue().getZExtValue())});
    return success();
  }

  /// "bf16 in 3, w8a16 in 1".
  static std::string listOf(const llvm::MapVector<StringRef, int64_t> &counts) {
    if (counts.empty())
      return "no narrower factors in any";
    return llvm::join(
        llvm::map_range(
            counts,
            [](const auto &entry) {
              return (entry.first + " in " + Twine(entry.second)).str();
            }),
        ", ");
  }

  FactorCasts casts;
  WeightQuantizer quantizer;
  ByteQuantizer bytes;
};

} // namespace
} // namespace heddle
