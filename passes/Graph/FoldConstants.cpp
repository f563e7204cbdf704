// Operations on constants are evaluated by the reference interpreter.
//
// Only what is small on both sides: large weights stay handles, and what is
// computed from them is left to the packer. Neither is folded what only makes a
// constant larger (broadcasts, iotas): the operation is the shorter form.

#include "dialects/StableHlo/ReplicaGroups.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Weights.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace heddle {

/// Bytes of all `types` together; none if one is not static.
static std::optional<uint64_t> bytesOf(TypeRange types) {
  uint64_t sum = 0;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<uint64_t> bytes = tensor && tensor.hasStaticShape()
                                        ? HostTensor::byteSize(tensor)
                                        : std::nullopt;
    if (!bytes || *bytes > kFoldLimitBytes)
      return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

/// The tensor as a constant: in the IR if small, else a handle.
static ElementsAttr asConstant(const HostTensor &tensor, Location loc) {
  ArrayRef<char> bytes = tensor.bytes();
  DenseElementsAttr dense = bytes.size() <= kHandleThresholdBytes
                                ? tensor.toAttribute()
                                : DenseElementsAttr();
  if (dense)
    return dense;
  std::string name = "folded";
  if (auto named = loc->findInstanceOf<NameLoc>())
    name = named.getName().str();
  return makeWeight(tensor.type(), name,
                    std::vector<char>(bytes.begin(), bytes.end()));
}

namespace {
struct FoldConstantOperation : RewritePattern {
  FoldConstantOperation(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<stablehlo::StableHloDialect>(op->getDialect()) ||
        isa<stablehlo::ConstantOp, stablehlo::CompositeOp,
            stablehlo::CustomCallOp, stablehlo::WhileOp>(op) ||
        op->getNumResults() == 0 || !isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "not a pure operation");
    // Values from outside are not there when one operation is evaluated alone.
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (!captured.empty())
      return rewriter.notifyMatchFailure(op, "a region uses outside values");
    std::optional<uint64_t> before = bytesOf(op->getOperandTypes());
    std::optional<uint64_t> after = bytesOf(op->getResultTypes());
    if (!before || !after)
      return rewriter.notifyMatchFailure(op, "operands or results too large");
    if (*after > kHandleThresholdBytes && *after > *before &&
        isa<stablehlo::BroadcastInDimOp, stablehlo::IotaOp, stablehlo::PadOp,
            stablehlo::ConvertOp>(op))
      return rewriter.notifyMatchFailure(op, "folding makes it larger");
    SmallVector<HostTensor> operands;
    for (Value operand : op->getOperands()) {
      ElementsAttr value = constantValue(operand);
      std::optional<HostTensor> tensor =
          value ? HostTensor::fromAttribute(value) : std::nullopt;
      if (!tensor)
        return rewriter.notifyMatchFailure(op, "operand is not constant");
      operands.push_back(std::move(*tensor));
    }
    if (stablehlo::isDistributed(op))
      return rewriter.notifyMatchFailure(op, "each device has its own result");
    if (!isInterpretable(op))
      return rewriter.notifyMatchFailure(op, "not known to the interpreter");
    InterpreterOptions options;
    options.memoryLimitBytes = 64 * kFoldLimitBytes;
    options.operationLimit = 1 << 20;
    FailureOr<SmallVector<HostTensor>> results =
        interpretOp(op, operands, options);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "evaluation failed");
    SmallVector<Value> constants;
    for (auto [result, tensor] : llvm::zip(op->getResults(), *results)) {
      // Quantized results are held as integers: another type than the value's.
      if (tensor.type() != result.getType())
        return rewriter.notifyMatchFailure(op, "result has another type");
      constants.push_back(stablehlo::ConstantOp::create(
          rewriter, op->getLoc(), asConstant(tensor, op->getLoc())));
    }
    rewriter.replaceOp(op, constants);
    return success();
  }
};

/// reshape(handle) => the same bytes under another type.
struct FoldReshapeOfHandle : OpRewritePattern<stablehlo::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto handle = dyn_cast_or_null<DenseResourceElementsAttr>(
        constantValue(op.getOperand()));
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!handle || !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "operand is not a handle");
    std::optional<WeightOrigin> origin = weightOrigin(handle);
    if (!origin)
      return rewriter.notifyMatchFailure(op, "the handle has no origin");
    StringRef name = handle.getRawHandle().getKey();
    rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(
        op,
        makeWeight(type, name, origin->file, origin->offset, origin->bytes));
    return success();
  }
};
} // namespace

void populateFoldConstantsPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldConstantOperation, FoldReshapeOfHandle>(
      patterns.getContext());
}

} // namespace heddle
