// CHLO's operations over parts of a dimension, scan and ragged_dot, and those
// that broadcast.

#include "Evaluator.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/Chlo/Chlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

//===--- scan -------------------------------------------------------------===//

/// Copies slice `step` of `whole` along a dimension from or to `slice`.
static void copySlice(HostTensor &whole, HostTensor &slice, int64_t dimension,
                      int64_t step, bool intoWhole) {
  Extents strides = rowMajorStrides(whole.shape());
  int64_t offset = step * strides[dimension];
  strides.erase(strides.begin() + dimension);
  Extents own = rowMajorStrides(slice.shape());
  if (intoWhole)
    copyBox(whole.elementBytes(), slice.shape(), slice.bytes().data(), 0, own,
            whole.mutableBytes().data(), offset, strides);
  else
    copyBox(whole.elementBytes(), slice.shape(), whole.bytes().data(), offset,
            strides, slice.mutableBytes().data(), 0, own);
}

static LogicalResult scan(Invocation &call, chlo::ScanOp op) {
  int64_t dimension = op.getDimension();
  unsigned inputs = op.getInputs().size(), outputs = op.getOutputs().size();
  int64_t steps =
      inputs ? call.tensor(0).dim(dimension) : op.getScanDimSize().value_or(0);
  ValueVector carries(call.operands.begin() + inputs, call.operands.end());
  SmallVector<HostTensor> results;
  for (unsigned i = 0; i < outputs; ++i) {
    Extents shape(
        cast<RankedTensorType>(op.getOutputs()[i].getType()).getShape());
    shape[dimension] = steps;
    FailureOr<HostTensor> result = call.allocate(shape, i);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  for (int64_t i = 0; i < steps; ++i) {
    int64_t step = op.getIsReverse().value_or(false) ? steps - 1 - i : i;
    ValueVector arguments, yielded;
    for (unsigned k = 0; k < inputs; ++k) {
      HostTensor whole = call.tensor(k);
      Extents shape(whole.shape());
      shape.erase(shape.begin() + dimension);
      FailureOr<HostTensor> slice =
          call.evaluator.allocate(op, shape, whole.type().getElementType());
      if (failed(slice))
        return failure();
      copySlice(whole, *slice, dimension, step, /*intoWhole=*/false);
      arguments.push_back(std::move(*slice));
    }
    arguments.append(carries.begin(), carries.end());
    if (failed(
            call.evaluator.runBlock(op.getBody().front(), arguments, yielded)))
      return failure();
    for (unsigned k = 0; k < outputs; ++k) {
      Extents shape(results[k].shape());
      shape.erase(shape.begin() + dimension);
      if (ArrayRef<int64_t>(shape) != yielded[k].tensor.shape())
        return call.error() << "has a step that gives a slice of type "
                            << yielded[k].tensor.type();
      copySlice(results[k], yielded[k].tensor, dimension, step,
                /*intoWhole=*/true);
    }
    carries.assign(yielded.begin() + outputs, yielded.end());
  }
  for (HostTensor &result : results)
    if (failed(call.give(std::move(result))))
      return failure();
  for (InterpreterValue &carry : carries)
    if (failed(call.give(carry.tensor)))
      return failure();
  return success();
}

//===--- ragged_dot -------------------------------------------------------===//

namespace {
/// A sum of products in the class of the elements, exact but for its own
/// rounding.
class Sum {
public:
  explicit Sum(ElementClass kind) : kind(kind) {}
  void add(const HostTensor &lhs, int64_t l, const HostTensor &rhs, int64_t r) {
    if (kind == ElementClass::Float)
      real += lhs.floatAt(l) * rhs.floatAt(r);
    else if (kind == ElementClass::Complex)
      complex += lhs.complexAt(l) * rhs.complexAt(r);
    else
      integer += lhs.uintAt(l) * rhs.uintAt(r);
  }
  void store(HostTensor &result, int64_t i) const {
    if (kind == ElementClass::Float)
      result.set(i, real);
    else if (kind == ElementClass::Complex)
      result.set(i, complex);
    else
      result.set(i, int64_t(integer));
  }

private:
  ElementClass kind;
  double real = 0;
  Complex complex = 0;
  uint64_t integer = 0;
};
} // namespace

static LogicalResult raggedDot(Invocation &call, chlo::RaggedDotOp op) {
  const HostTensor &lhs = call.tensor(0), &rhs = call.tensor(1),
                   &sizes = call.tensor(2);
  if (sizes.rank() != 1)
    return call.error(ErrorCode::NotInterpretable)
           << "has sizes of groups for every batch; one list is interpreted";
  chlo::RaggedDotDimensionNumbersAttr numbers =
      op.getRaggedDotDimensionNumbers();
  int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  bool isSum =
      llvm::is_contained(numbers.getLhsContractingDimensions(), ragged);
  bool isBatch = llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged);
  ArrayRef<int64_t> groupDims = numbers.getRhsGroupDimensions();

  // The group of each position along the ragged dimension; -1 beyond all.
  SmallVector<int64_t> groupOf(lhs.dim(ragged), -1);
  int64_t position = 0;
  for (int64_t group = 0; group < sizes.size(); ++group)
    for (int64_t i = 0, size = sizes.intAt(group);
         i < size && position < lhs.dim(ragged); ++i)
      groupOf[position++] = group;

  Extents lhsStrides = rowMajorStrides(lhs.shape());
  Extents rhsStrides = rowMajorStrides(rhs.shape());
  // Dimensions of the result and of the sum, with their strides in both.
  Extents shape, lhsSteps, rhsSteps, window, lhsInner, rhsInner;
  int64_t rowDimension = -1, summand = -1;
  auto outer = [&](int64_t extent, int64_t l, int64_t r) {
    shape.push_back(extent);
    lhsSteps.push_back(l);
    rhsSteps.push_back(r);
  };
  if (isSum)
    outer(sizes.size(), 0, 0);
  for (auto [l, r] : llvm::zip_equal(numbers.getLhsBatchingDimensions(),
                                     numbers.getRhsBatchingDimensions()))
    outer(lhs.dim(l), lhsStrides[l], rhsStrides[r]);
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (llvm::is_contained(numbers.getLhsBatchingDimensions(), d) ||
        llvm::is_contained(numbers.getLhsContractingDimensions(), d))
      continue;
    if (d == ragged)
      rowDimension = shape.size();
    outer(lhs.dim(d), lhsStrides[d], 0);
  }
  for (int64_t d = 0; d < rhs.rank(); ++d)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), d) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), d) &&
        !llvm::is_contained(groupDims, d))
      outer(rhs.dim(d), 0, rhsStrides[d]);
  for (auto [l, r] : llvm::zip_equal(numbers.getLhsContractingDimensions(),
                                     numbers.getRhsContractingDimensions())) {
    if (l == ragged)
      summand = window.size();
    window.push_back(lhs.dim(l));
    lhsInner.push_back(lhsStrides[l]);
    rhsInner.push_back(rhsStrides[r]);
  }

  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  int64_t total = numElements(shape), steps = numElements(window);
  if (failed(call.evaluator.countOperations(op, uint64_t(total) * steps)))
    return failure();
  IndexWalk left(shape, lhsSteps), right(shape, rhsSteps);
  for (int64_t i = 0; i < total; ++i, left.next(), right.next()) {
    Sum sum(elementClass(result->kind()));
    int64_t rhsBase = right.offset();
    bool covered = true;
    if (!isSum && !isBatch) {
      int64_t group = groupOf[left.indices()[rowDimension]];
      covered = group >= 0 && group < rhs.dim(groupDims[0]);
      if (covered)
        rhsBase += group * rhsStrides[groupDims[0]];
    }
    IndexWalk l(window, lhsInner, left.offset()), r(window, rhsInner, rhsBase);
    for (int64_t k = 0; covered && k < steps; ++k, l.next(), r.next())
      if (!isSum || groupOf[l.indices()[summand]] == left.indices()[0])
        sum.add(lhs, l.offset(), rhs, r.offset());
    sum.store(*result, i);
  }
  return call.give(std::move(*result));
}

/// Evaluates what the operation is in StableHLO, on operands of known sizes.
static LogicalResult expanded(Invocation &call) {
  Operation *op = call.op;
  Location loc = op->getLoc();
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<HostTensor> tensors;
  SmallVector<Type> types;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    tensors.push_back(call.tensor(i));
    types.push_back(cast<RankedTensorType>(operand.getType())
                        .clone(call.tensor(i).shape()));
  }
  auto function = func::FuncOp::create(
      builder, loc, "expanded", builder.getFunctionType(types, TypeRange()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Value value = chlo::expandBroadcasting(builder, op, block->getArguments());
  if (!value)
    return call.error() << "has operands that cannot be brought to one shape";
  func::ReturnOp::create(builder, loc, value);
  function.setType(builder.getFunctionType(types, value.getType()));
  InterpreterOptions options = call.evaluator.options;
  options.onResults = nullptr;
  FailureOr<SmallVector<HostTensor>> results =
      interpret(function, tensors, options);
  if (failed(results))
    return failure();
  return call.give(std::move(results->front()));
}

void reference::addRagged(Registry &registry) {
  for (StringRef name : chlo::broadcastingOperations())
    registry.add(name, expanded);
  registry.add<chlo::ScanOp, scan>();
  registry.add<chlo::RaggedDotOp, raggedDot>();
}
