// Lowers the operations of a program one by one, and keeps what each has
// become.

#include "passes/Lower/GraphLowering.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Prec/Prec.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntryTypes.h"
#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"
#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/CustomCalls.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarConversions.h"
#include "passes/Lower/Scalar/ScalarOps.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace heddle;

SmallVector<Value> GraphLowering::lowered(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value v) { return lowered(v); });
}

RankedTensorType GraphLowering::resultType(Operation *op, unsigned number) {
  return loweredTensorType(op->getResult(number).getType());
}

void GraphLowering::unsupported(Operation *op, const Twine &reason) {
  InFlightDiagnostic message = emitError(op->getLoc(), ErrorCode::NoKernel);
  // Who knows a node by its name did not write our operation.
  if (op->getLoc()->findInstanceOf<NameLoc>())
    message << "has no kernel: " << reason << " ['" << op->getName() << "']";
  else
    message << "no kernel for '" << op->getName() << "': " << reason;
  failed = true;
}

Value GraphLowering::generic(Location loc, RankedTensorType type,
                             ValueRange inputs, ArrayRef<AffineMap> maps,
                             Payload payload) {
  return createPointwise(builder, loc, type, inputs, maps, payload);
}

Value GraphLowering::view(Location loc, RankedTensorType type, Value input,
                          AffineMap map) {
  return generic(loc, type, input, map,
                 [](OpBuilder &, Location, ValueRange x) { return x[0]; });
}

/// Whether each group of dimensions of `wide` has as many elements, at every
/// call, as the dimension of `narrow` that it becomes.
static bool areGroups(RankedTensorType wide, RankedTensorType narrow,
                      ArrayRef<ReassociationIndices> groups) {
  for (auto [i, group] : llvm::enumerate(groups)) {
    size::Expression elements =
        size::Expression::constant(wide.getContext(), 1);
    for (int64_t dim : group)
      elements = elements * size::extentOf(wide, dim);
    if (elements != size::extentOf(narrow, i))
      return false;
  }
  return true;
}

Value GraphLowering::reshape(Location loc, Value input,
                             RankedTensorType target) {
  auto type = cast<RankedTensorType>(input.getType());
  ArrayRef<int64_t> from = type.getShape(), to = target.getShape();
  if (type == target)
    return input;
  if (auto groups = getReassociationIndicesForCollapse(from, to);
      groups && areGroups(type, target, *groups))
    return tensor::CollapseShapeOp::create(builder, loc, target, input,
                                           *groups);
  if (auto groups = getReassociationIndicesForCollapse(to, from);
      groups && areGroups(target, type, *groups))
    return tensor::ExpandShapeOp::create(builder, loc, target, input, *groups);
  // By way of one dimension.
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  Value flat = input;
  if (type.getRank() != 1)
    flat = tensor::CollapseShapeOp::create(builder, loc, size::flattened(type),
                                           input, all(type.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, target, flat,
                                       all(target.getRank()));
}

Value GraphLowering::scalarOf(Value graphValue) {
  // On one element these do nothing.
  while (Operation *op = graphValue.getDefiningOp()) {
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      break;
    graphValue = op->getOperand(0);
  }
  auto constant = graphValue.getDefiningOp<stablehlo::ConstantOp>();
  RankedTensorType type = loweredTensorType(graphValue.getType());
  if (!constant || !type)
    return {};
  return scalarConstant(builder, graphValue.getLoc(), constant.getValue(),
                        type.getElementType());
}

Value GraphLowering::zeros(Location loc, RankedTensorType type) {
  return generic(
      loc, type, {}, {}, [&](OpBuilder &b, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(
            b, at, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
      });
}

Value GraphLowering::filled(Location loc, Value graphValue,
                            RankedTensorType type) {
  if (Value scalar = scalarOf(graphValue)) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, type.getShape(),
                                type.getElementType(), type.getEncoding());
    return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  }
  return view(loc, type, lowered(graphValue),
              AffineMap::get(type.getRank(), 0, builder.getContext()));
}

Value GraphLowering::converted(Location loc, Value value, Type from, Type to) {
  auto type = cast<RankedTensorType>(value.getType());
  return generic(loc, type.clone(loweredElementType(to)), value,
                 builder.getMultiDimIdentityMap(type.getRank()),
                 [&](OpBuilder &b, Location at, ValueRange x) {
                   return convertScalar(b, at, x[0], from, to);
                 });
}

Value GraphLowering::positions(Value graphValue) {
  Value value = lowered(graphValue);
  Type source = getElementTypeOrSelf(graphValue.getType());
  if (!source.isUnsignedInteger() && !isNarrowInteger(source))
    return value;
  Type wide =
      source.isUnsignedInteger() ? builder.getI64Type() : builder.getI8Type();
  auto type = cast<RankedTensorType>(value.getType());
  return generic(value.getLoc(), type.clone(wide), value,
                 builder.getMultiDimIdentityMap(type.getRank()),
                 [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
                   Value number =
                       isNarrowInteger(source)
                           ? extendNarrowInteger(b, loc, x[0], source)
                           : x[0];
                   if (number.getType() != wide)
                     return arith::ExtUIOp::create(b, loc, wide, number);
                   if (!source.isUnsignedInteger())
                     return number;
                   Value limit = arith::ConstantOp::create(
                       b, loc, b.getI64IntegerAttr(INT64_MAX));
                   return arith::MinUIOp::create(b, loc, number, limit);
                 });
}

/// Routines and functions of the user see bytes, not parts of them.
static bool takesNarrowIntegers(Operation *op) {
  using namespace stablehlo;
  return isScalarizable(op) || isControlFlow(op) ||
         isa<ConstantOp, IotaOp, ReshapeOp, TransposeOp, BroadcastInDimOp,
             SliceOp, ConcatenateOp, PadOp, ReverseOp, DotGeneralOp, ReduceOp,
             GatherOp, DynamicSliceOp, DynamicUpdateSliceOp, ScatterOp, SortOp,
             ReduceWindowOp, SelectAndScatterOp, ConvolutionOp, MapOp, RngOp,
             RngBitGeneratorOp, chlo::TopKOp, prec::QuantizeOp,
             prec::DequantizeOp>(op);
}

/// Every tensor of the op must be one that lowered programs have.
bool GraphLowering::checkTypes(Operation *op) {
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes()))) {
    if (isNarrowInteger(getElementTypeOrSelf(type)) &&
        !takesNarrowIntegers(op)) {
      unsupported(op, "integers of less than a byte; convert them to i8");
      return false;
    }
    if (RankedTensorType held = loweredTensorType(type)) {
      std::optional<uint64_t> bytes = storedBytes(held);
      if (bytes && *bytes <= maximumTensorBytes)
        continue;
      emitError(op->getLoc(), ErrorCode::TensorTooLarge)
          << "'" << op->getName() << "' has a tensor of type " << type;
      failed = true;
      return false;
    }
    auto tensor = dyn_cast<ShapedType>(type);
    if (tensor && !tensor.hasStaticShape())
      unsupported(op, llvm::Twine("a shape is not known before the call"));
    else {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      unsupported(op, "type " + text);
    }
    return false;
  }
  return true;
}

/// What has no elements needs no operands: reading them by the op's rule could
/// name places that do not exist.
bool GraphLowering::lowerEmpty(Operation *op) {
  auto isEmpty = [](Type type) {
    return llvm::is_contained(cast<RankedTensorType>(type).getShape(), 0);
  };
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResultTypes(), isEmpty))
    return false;
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    results.push_back(zeros(op->getLoc(), resultType(op, i)));
  replace(op, results);
  return true;
}

void GraphLowering::lower(Operation *op) {
  // What kernels are made of already stays: weights, and what an earlier
  // stage has lowered.
  if (isa<kernel::WeightRefOp>(op)) {
    Operation *copy = builder.clone(*op);
    copy->getResult(0).setType(resultType(op));
    replace(op, copy->getResults());
    return;
  }
  if (!checkTypes(op))
    return;
  if (isControlFlow(op))
    return lowerControlFlow(op);
  if (lowerCustomCall(*this, op) || lowerCollective(*this, op) ||
      lowerEmpty(op))
    return;
  // Before the elementwise ops: some bitcasts are more than these.
  if (lowerFunction(*this, op) || lowerRandom(*this, op) ||
      lowerSelectAndScatter(*this, op))
    return;
  if (lowerElementwise(*this, op) || lowerShapeOp(*this, op) ||
      lowerContraction(*this, op) || lowerQuantization(*this, op) ||
      lowerReduction(*this, op) || lowerIndexing(*this, op) ||
      lowerScatterOrSort(*this, op) || lowerRoutine(*this, op) ||
      lowerComposite(*this, op))
    return;
  unsupported(op, "the operation is not implemented");
}

/// The ops still ask the old arguments for signs: these are erased last.
void GraphLowering::lowerArguments(Block &block, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = block.getArgument(i);
    values.map(argument,
               block.addArgument(loweredTensorType(argument.getType()),
                                 argument.getLoc()));
  }
}

/// Loops, branches and composites keep their form, over what their ops become.
void GraphLowering::lowerControlFlow(Operation *op) {
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  state.addOperands(lowered(op->getOperands()));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    state.addTypes(resultType(op, i));
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *copy = builder.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    to.takeBody(from);
    Block &block = to.front();
    unsigned count = block.getNumArguments();
    lowerArguments(block, count);
    lowerBlock(block);
    block.eraseArguments(0, count);
  }
  replace(op, copy->getResults());
}

void GraphLowering::lowerBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    lower(op);
    // After an error, something of the right type keeps the rest going.
    for (OpResult result : op->getResults()) {
      if (values.contains(result))
        continue;
      auto type = loweredTensorType(result.getType());
      auto fallback =
          type ? type : RankedTensorType::get({}, builder.getI1Type());
      values.map(result, tensor::EmptyOp::create(
                             builder, op->getLoc(), fallback.getShape(),
                             fallback.getElementType(), fallback.getEncoding())
                             .getResult());
    }
  }
  Operation *terminator = block.getTerminator();
  terminator->setOperands(lowered(terminator->getOperands()));
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

LogicalResult GraphLowering::run(func::FuncOp function) {
  Block &block = function.front();
  // The ops still ask the old arguments for signs.
  unsigned count = block.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument argument = block.getArgument(i);
    RankedTensorType type = loweredTensorType(argument.getType());
    if (!type)
      return emitError(function.getLoc(), ErrorCode::TypeUnsupported)
             << "argument " << i << " of type " << argument.getType();
    std::optional<uint64_t> bytes = storedBytes(type);
    if (!bytes || *bytes > maximumTensorBytes)
      return emitError(function.getLoc(), ErrorCode::TensorTooLarge)
             << "argument " << i << " of type " << argument.getType();
  }
  lowerArguments(block, count);
  lowerBlock(block);
  block.eraseArguments(0, count);
  changeHeldTypes(function, FunctionType::get(
                                function.getContext(), block.getArgumentTypes(),
                                block.getTerminator()->getOperandTypes()));
  return success(!failed);
}
