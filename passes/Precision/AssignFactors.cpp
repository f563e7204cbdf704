// Each product of f32 gets the factors that were chosen for it.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Precision.h"
#include "passes/Precision/AskedProducts.h"
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
             << FactorFormat::kNames << " is wanted";
    if (format->type) {
      casts.cast(op, format->type);
      return success();
    }
    std::optional<int64_t> axis = weightAxis(op, format->weights);
    if (!axis)
      return emitError(op->getLoc(), ErrorCode::BadCommandLine)
             << "the factors are to be '" << name
             << "', and the second one is no weight that kernels read so";
    op->setOperand(
        1, quantizer.quantized(op->getOperand(1), *axis, format->weights));
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
};

} // namespace
} // namespace heddle
