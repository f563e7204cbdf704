// Which operations see padding, and what they have in common.

#include "passes/Dynamic/PaddingMasker.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Kernel/Composites.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/ElementwiseCalls.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Dynamic/HeldPositions.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

LogicalResult PaddingMasker::refuse(Operation *op, const Twine &why) {
  InFlightDiagnostic message =
      emitError(op->getLoc(), ErrorCode::StableHloDynamicShape);
  // Who knows a node by its name did not write our operation.
  if (op->getLoc()->findInstanceOf<NameLoc>())
    return message << why << "; " << sizes.remedy() << " ['" << op->getName()
                   << "']";
  return message << "'" << op->getName() << "' " << why << "; "
                 << sizes.remedy();
}

size::Expression PaddingMasker::constant(int64_t value) const {
  return size::Expression::constant(sizes.context(), value);
}

size::Expression PaddingMasker::extent(Value value, int64_t dim) const {
  size::Expression known = table.extent(value, dim);
  return known ? known
               : constant(
                     cast<RankedTensorType>(value.getType()).getDimSize(dim));
}

size::Expression PaddingMasker::integer(Operation *op, StringRef name,
                                        unsigned i, int64_t value) const {
  const SizeTable::Extents *known = table.attribute(op, name);
  return known ? (*known)[i] : constant(value);
}

LogicalResult PaddingMasker::onlyVaries(Operation *op,
                                        ArrayRef<StringRef> names) {
  if (!table.hasAttributes(op))
    return success();
  for (NamedAttribute each : op->getAttrDictionary())
    if (table.attribute(op, each.getName()) &&
        !llvm::is_contained(names, each.getName().getValue()))
      return refuse(op, "has a '" + each.getName().getValue() +
                            "' that depends on a bounded size");
  return success();
}

Value PaddingMasker::inside(OpBuilder &builder, Location loc, Value value,
                            ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
  Value result;
  for (int64_t dim : dims) {
    size::Expression limit = table.extent(value, dim);
    if (!limit)
      continue;
    Value part = BroadcastInDimOp::create(
        builder, loc, maskType, values.inside(limit, type.getDimSize(dim)),
        builder.getDenseI64ArrayAttr({dim}));
    result = result ? Value(AndOp::create(builder, loc, maskType, result, part))
                    : part;
  }
  return result;
}

Value PaddingMasker::mask(OpBuilder &builder, Location loc, Value value,
                          ArrayRef<int64_t> dims, Value fill) {
  Value valid = inside(builder, loc, value, dims);
  if (!valid)
    return value;
  ++changes;
  auto type = cast<RankedTensorType>(value.getType());
  Value result = SelectOp::create(builder, loc, type, valid, value,
                                  spread(builder, loc, fill, type));
  table.setExtents(result, Extents(SizeTable::Extents(table.extents(value))));
  return result;
}

Value PaddingMasker::maskWithZero(OpBuilder &builder, Location loc, Value value,
                                  ArrayRef<int64_t> dims) {
  if (llvm::none_of(dims, [&](int64_t dim) { return isBounded(value, dim); }))
    return value;
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  Value zero =
      numberEverywhere(builder, loc, RankedTensorType::get({}, element), 0);
  return zero ? mask(builder, loc, value, dims, zero) : Value();
}

Value PaddingMasker::lengthen(OpBuilder &builder, Location loc, Value value,
                              ArrayRef<int64_t> extra) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> none(type.getRank(), 0), shape(type.getShape());
  for (auto [size, more] : llvm::zip_equal(shape, extra))
    size += more;
  Value zero = numberEverywhere(
      builder, loc, RankedTensorType::get({}, type.getElementType()), 0);
  if (!zero)
    return nullptr;
  return PadOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      zero, builder.getDenseI64ArrayAttr(none),
      builder.getDenseI64ArrayAttr(extra), builder.getDenseI64ArrayAttr(none));
}

Value PaddingMasker::converted(OpBuilder &builder, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  Value result =
      ConvertOp::create(builder, value.getLoc(), type.clone(element), value);
  table.setExtents(result, Extents(SizeTable::Extents(table.extents(value))));
  return result;
}

void PaddingMasker::widenPositions(Operation *op, unsigned first,
                                   Value pointee) {
  auto type = cast<RankedTensorType>(pointee.getType());
  OpBuilder builder(op);
  for (unsigned i = first; i < op->getNumOperands(); ++i) {
    Value positions = op->getOperand(i);
    Type element = getElementTypeOrSelf(positions);
    setOperand(op, i,
               converted(builder, positions, positionType(element, type)));
  }
}

Value PaddingMasker::atMost(OpBuilder &builder, Value start,
                            size::Expression limit) {
  auto type = cast<RankedTensorType>(start.getType());
  Value highest = values.scalar(limit, type.getElementType());
  if (type.getRank())
    highest = spread(builder, start.getLoc(), highest, type);
  return MinOp::create(builder, start.getLoc(), type, start, highest);
}

void PaddingMasker::replace(Operation *op, ValueRange results) {
  ++changes;
  for (auto [from, to] : llvm::zip_equal(op->getResults(), results)) {
    table.setExtents(to, Extents(SizeTable::Extents(table.extents(from))));
    from.replaceAllUsesWith(to);
  }
  table.forget(op);
  op->erase();
}

void PaddingMasker::setOperand(Operation *op, unsigned i, Value value) {
  if (op->getOperand(i) != value)
    op->setOperand(i, value);
}

bool PaddingMasker::isTouched(Operation *op) const {
  auto touched = [&](Value value) { return !table.extents(value).empty(); };
  return llvm::any_of(op->getOperands(), touched) ||
         llvm::any_of(op->getResults(), touched) || table.hasAttributes(op) ||
         isa<size::TensorOp>(op);
}

/// How many dimensions behind those of the batch the first operand of a call of
/// LAPACK's routines has; 0 for any other call.
static int64_t innerRankOfRoutine(CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  if (!target.starts_with("lapack_") || !findCustomCallRule(target) ||
      op->getNumOperands() == 0)
    return 0;
  // The diagonals of a tridiagonal matrix.
  return target.ends_with("gtsv_ffi") ? 1 : 2;
}

LogicalResult PaddingMasker::dispatch(Operation *op) {
  /// Whether no dimension in `dims` of an operand or result is bounded.
  auto free = [&](ValueRange list, auto isInner) {
    return llvm::none_of(list, [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      for (int64_t i = 0; type && i < type.getRank(); ++i)
        if (isInner(i, type.getRank()) && isBounded(value, i))
          return true;
      return false;
    });
  };
  auto batchedCall = [&](CustomCallOp call) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(call->getOperand(0).getType());
    int64_t batch = type ? type.getRank() - innerRankOfRoutine(call) : 0;
    auto isInner = [=](int64_t i, int64_t) { return i >= batch; };
    if (free(call->getOperands(), isInner) && free(call->getResults(), isInner))
      return onlyVaries(call, {});
    return refuse(call, "@" + call.getCallTargetName() +
                            " cannot be computed over a bounded dimension of "
                            "its matrices");
  };
  auto batchedBy = [&](int64_t inner) -> LogicalResult {
    auto isInner = [=](int64_t i, int64_t rank) { return i >= rank - inner; };
    if (free(op->getOperands(), isInner) && free(op->getResults(), isInner))
      return onlyVaries(op, {});
    return refuse(op, "cannot be computed over a bounded dimension");
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](size::TensorOp o) { return visitSizeTensor(o); })
      .Case([&](ReshapeOp o) { return visitReshape(o); })
      .Case([&](SliceOp o) { return visitSlice(o); })
      .Case([&](SetDimensionSizeOp o) { return visitCut(o); })
      .Case([&](PadOp o) { return visitPad(o); })
      .Case([&](ConcatenateOp o) { return visitConcatenate(o); })
      .Case([&](ReverseOp o) { return visitReverse(o); })
      .Case([&](DotGeneralOp o) { return visitDot(o); })
      .Case([&](ConvolutionOp o) { return visitConvolution(o); })
      .Case([&](ReduceOp o) { return visitReduce(o); })
      .Case([&](ReduceWindowOp o) { return visitReduceWindow(o); })
      .Case([&](SortOp o) { return visitSort(o); })
      .Case([&](chlo::TopKOp o) { return visitTopK(o); })
      .Case([&](GatherOp o) { return visitGather(o); })
      .Case([&](ScatterOp o) { return visitScatter(o); })
      .Case([&](DynamicSliceOp o) { return visitDynamicSlice(o); })
      .Case([&](DynamicUpdateSliceOp o) { return visitDynamicUpdateSlice(o); })
      .Case([&](CompositeOp o) { return visitComposite(o); })
      .Case([&](BroadcastOp o) { return onlyVaries(o, {"broadcast_sizes"}); })
      .Case<ConstantOp, BroadcastInDimOp, TransposeOp, IotaOp, ConvertOp,
            ClampOp, SelectOp, MapOp, BatchNormInferenceOp,
            OptimizationBarrierOp, WhileOp, IfOp, CaseOp, prec::QuantizeOp,
            prec::DequantizeOp>([&](Operation *o) { return onlyVaries(o, {}); })
      .Case([&](BitcastConvertOp o) -> LogicalResult {
        if (cast<RankedTensorType>(o.getType()).getRank() ==
            cast<RankedTensorType>(o.getOperand().getType()).getRank())
          return onlyVaries(o, {});
        return refuse(o, "joins or splits elements along a dimension, which "
                         "cannot be computed over a bounded one");
      })
      .Case<CholeskyOp, TriangularSolveOp>(
          [&](Operation *) { return batchedBy(2); })
      .Case([&](FftOp o) { return batchedBy(o.getFftLength().size()); })
      .Case([&](CustomCallOp o) -> LogicalResult {
        if (isElementwiseCall(o))
          return success();
        if (innerRankOfRoutine(o))
          return batchedCall(o);
        return refuse(o, "@" + o.getCallTargetName() +
                             " is not known for bounded dimensions");
      })
      .Default([&](Operation *o) -> LogicalResult {
        if (o->hasTrait<OpTrait::Elementwise>())
          return onlyVaries(o, {});
        if (o->hasTrait<OpTrait::IsTerminator>())
          return success();
        return refuse(o, "cannot be computed over a bounded dimension");
      });
}

LogicalResult PaddingMasker::visit(Operation *op) {
  // Regions of these hold whole tensors; those of others, scalars.
  if (isa<WhileOp, IfOp, CaseOp>(op))
    for (Region &region : op->getRegions())
      if (failed(run(region.front())))
        return failure();
  return isTouched(op) ? dispatch(op) : success();
}

LogicalResult PaddingMasker::run(Block &block) {
  return run(llvm::map_to_vector(block.getOperations(),
                                 [](Operation &op) { return &op; }));
}

LogicalResult PaddingMasker::run(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  return success();
}

/// A composite stays if its decomposition needs no change; else the changed
/// decomposition stands in its place.
LogicalResult PaddingMasker::visitComposite(CompositeOp op) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDecompositionAttr());
  if (!function || !function.getBody().hasOneBlock())
    return refuse(op, "has no decomposition");
  if (op.getName() == kernel::kAttentionName && keepAttention(op, function))
    return success();
  IRMapping mapping;
  OpBuilder builder(op);
  Block &body = function.getBody().front();
  mapping.map(body.getArguments(), op->getOperands());
  SmallVector<Operation *> copies;
  for (Operation &inner : body.without_terminator()) {
    Operation *copy = builder.clone(inner, mapping);
    copies.push_back(copy);
    table.copy(&inner, copy);
  }
  // What follows the copies is found even if they are replaced.
  Operation *before = copies.empty() ? nullptr : copies.front()->getPrevNode();
  SmallVector<Value> results =
      llvm::map_to_vector(body.getTerminator()->getOperands(),
                          [&](Value v) { return mapping.lookupOrDefault(v); });
  // Holds the results while operations are replaced.
  auto holder = OptimizationBarrierOp::create(builder, op.getLoc(),
                                              op->getResultTypes(), results);
  unsigned changesBefore = changes;
  for (Operation *copy : copies)
    if (failed(visit(copy)))
      return failure();
  bool changed = changes != changesBefore;
  results = SmallVector<Value>(holder->getOperands());
  holder->erase();
  if (changed) {
    replace(op, results);
    return success();
  }
  while (op->getPrevNode() != before) {
    table.forget(op->getPrevNode());
    op->getPrevNode()->erase();
  }
  return success();
}

} // namespace heddle
