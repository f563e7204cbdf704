// Finds the products of f32 that a caller's `--precision` may change.

#include "passes/Precision/AskedProducts.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// Sums of fewer products take no unit's time: scales, the angles of positions,
/// the points of a depthwise filter.
static constexpr int64_t kFewestTerms = 16;

/// Whether the model says that factors shall keep more than any machine's least
/// number of bits.
static bool wantsExact(Operation *op) {
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

int64_t heddle::termsOf(Operation *op) {
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
static bool isDequantized(Value value) {
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

static bool isProductOfF32(Operation *op) {
  if (!isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return false;
  auto isF32 = [](Value value) { return elementOf(value).isF32(); };
  return llvm::all_of(op->getOperands(), isF32) && isF32(op->getResult(0));
}

static bool mayBeChanged(Operation *op) {
  return !wantsExact(op) && termsOf(op) >= kFewestTerms &&
         llvm::none_of(op->getOperands(), isDequantized);
}

AskedProducts heddle::findAskedProducts(ModuleOp module) {
  AskedProducts found;
  for (func::FuncOp entry : kernel::entryFunctions(module))
    entry.walk([&](Operation *op) {
      if (!isProductOfF32(op) || op->hasAttr(kMinimaAttrName))
        return;
      ++found.all;
      if (mayBeChanged(op))
        found.products.push_back(op);
    });
  return found;
}

void heddle::sayChanged(ModuleOp module, const Twine &what, int64_t all) {
  module->setAttr(kPrecisionAttrName,
                  StringAttr::get(module.getContext(),
                                  what + " of " + Twine(all) +
                                      " contractions and convolutions"));
}

void heddle::changeProducts(ModuleOp module, StringRef policy,
                            function_ref<bool(Operation *)> change) {
  AskedProducts found = findAskedProducts(module);
  int64_t changed = llvm::count_if(found.products, change);
  sayChanged(module, policy + " in " + Twine(changed), found.all);
}
