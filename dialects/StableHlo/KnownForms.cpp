// Operations whose sizes are operands, in the forms that hold them.

#include "dialects/StableHlo/KnownForms.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::stablehlo {

std::optional<SmallVector<int64_t>> integersOf(Value value) {
  DenseIntElementsAttr dense;
  if (!matchPattern(value, m_Constant(&dense)) || dense.getNumElements() > 1024)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger();
  return llvm::map_to_vector(dense.getValues<APInt>(), [&](const APInt &each) {
    return isUnsigned ? static_cast<int64_t>(each.getZExtValue())
                      : each.getSExtValue();
  });
}

static bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

// The form of an operation that has its sizes in attributes and types; null
// where the sizes are not known, or where they are too few or too many.

static Operation *formOf(OpBuilder &builder, DynamicReshapeOp op) {
  if (!isStatic(op.getResult()) || !isStatic(op.getOperand()))
    return nullptr;
  return ReshapeOp::create(builder, op.getLoc(), op.getType(), op.getOperand());
}

static Operation *formOf(OpBuilder &builder, DynamicBroadcastInDimOp op) {
  if (!isStatic(op.getResult()) || !isStatic(op.getOperand()))
    return nullptr;
  return BroadcastInDimOp::create(builder, op.getLoc(), op.getType(),
                                  op.getOperand(), op.getBroadcastDimensions());
}

static Operation *formOf(OpBuilder &builder, DynamicIotaOp op) {
  if (!isStatic(op.getResult()))
    return nullptr;
  return IotaOp::create(builder, op.getLoc(), op.getType(),
                        op.getIotaDimension());
}

static Operation *formOf(OpBuilder &builder, DynamicPadOp op) {
  auto low = integersOf(op.getEdgePaddingLow());
  auto high = integersOf(op.getEdgePaddingHigh());
  auto interior = integersOf(op.getInteriorPadding());
  if (!low || !high || !interior || !isStatic(op.getResult()))
    return nullptr;
  return PadOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                       op.getPaddingValue(), *low, *high, *interior);
}

static Operation *formOf(OpBuilder &builder, RealDynamicSliceOp op) {
  auto starts = integersOf(op.getStartIndices());
  auto limits = integersOf(op.getLimitIndices());
  auto strides = integersOf(op.getStrides());
  if (!starts || !limits || !strides || !isStatic(op.getOperand()) ||
      !isStatic(op.getResult()))
    return nullptr;
  return SliceOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                         *starts, *limits, *strides);
}

static Operation *formOf(OpBuilder &builder, DynamicGatherOp op) {
  auto sizes = integersOf(op.getSliceSizes());
  if (!sizes)
    return nullptr;
  return GatherOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                          op.getStartIndices(), op.getDimensionNumbersAttr(),
                          builder.getDenseI64ArrayAttr(*sizes),
                          op.getIndicesAreSortedAttr());
}

/// The first `count` entries: some writers give dynamic_conv more than there
/// are dimensions, and all readers take as many as these.
template <typename Attr>
static Attr firstEntries(Attr attribute, int64_t count) {
  if (!attribute || attribute.size() <= count)
    return attribute;
  return Attr::get(attribute.getContext(),
                   attribute.asArrayRef().take_front(count));
}

static Operation *formOf(OpBuilder &builder, DynamicConvOp op) {
  auto amounts = integersOf(op.getPadding());
  int64_t spatial = op.getNumSpatialDimensions();
  if (!amounts || int64_t(amounts->size()) != 2 * spatial)
    return nullptr;
  auto padding = DenseIntElementsAttr::get(
      RankedTensorType::get({spatial, 2}, builder.getI64Type()),
      ArrayRef(*amounts));
  return ConvolutionOp::create(
      builder, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(),
      firstEntries(op.getWindowStridesAttr(), spatial), padding,
      firstEntries(op.getLhsDilationAttr(), spatial),
      firstEntries(op.getRhsDilationAttr(), spatial),
      firstEntries(op.getWindowReversalAttr(), spatial),
      op.getDimensionNumbersAttr(), op.getFeatureGroupCountAttr(),
      op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
}

Operation *createKnownForm(OpBuilder &builder, Operation *op) {
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case<DynamicReshapeOp, DynamicBroadcastInDimOp, DynamicIotaOp,
            DynamicPadOp, RealDynamicSliceOp, DynamicGatherOp, DynamicConvOp>(
          [&](auto typed) { return formOf(builder, typed); })
      .Default([](Operation *) { return nullptr; });
}

/// What the verifier says of an operation; empty if nothing.
static std::string complaintAbout(Operation *op) {
  std::string text;
  ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return success();
  });
  if (succeeded(verify(op, /*verifyRecursively=*/false)))
    return {};
  std::string prefix = "'" + op->getName().getStringRef().str() + "' op ";
  StringRef complaint = text;
  complaint.consume_front(prefix);
  return complaint.empty() ? "is not valid" : complaint.str();
}

bool isValidForm(Operation *form) { return complaintAbout(form).empty(); }

LogicalResult reportContradictorySizes(Operation *root) {
  bool ok = true;
  root->walk([&](Operation *op) {
    OpBuilder builder(op);
    Operation *form = createKnownForm(builder, op);
    if (!form)
      return;
    std::string complaint = complaintAbout(form);
    form->erase();
    if (complaint.empty())
      return;
    ok = false;
    emitError(op->getLoc(), ErrorCode::StableHloInvalid)
        << "'" << op->getName() << "' with the sizes that its operands hold "
        << complaint;
  });
  return success(ok);
}

} // namespace heddle::stablehlo
