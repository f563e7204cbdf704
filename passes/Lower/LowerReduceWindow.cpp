// reduce_window: the kernel's own root where padding does nothing, else a
// reduction that reads initial values in place of it.

#include "dialects/StableHlo/WindowPadding.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static void reportRegion(GraphLowering &lowering, Operation *op,
                         Operation *culprit) {
  lowering.unsupported(op, "its region holds '" +
                               culprit->getName().getStringRef() + "'");
}

static void lowerToRoot(GraphLowering &lowering, stablehlo::ReduceWindowOp op,
                        ValueRange inits) {
  OpBuilder &b = lowering.builder;
  SmallVector<int64_t> padding;
  for (auto [low, high] : op.getPaddingOrDefault())
    padding.append({low, high});
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    types.push_back(lowering.resultType(op, i));
  auto window = kernel::ReduceWindowOp::create(
      b, op.getLoc(), types, lowering.lowered(op.getInputs()), inits,
      op.getWindowDimensions(), op.getWindowStridesOrDefault(), padding,
      op.getBaseDilationsOrDefault(), op.getWindowDilationsOrDefault());

  Block &block = window.getBody().emplaceBlock();
  for (Value init : inits)
    block.addArgument(init.getType(), op.getLoc());
  for (Value input : window.getInputs())
    block.addArgument(cast<RankedTensorType>(input.getType()).getElementType(),
                      op.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Operation *culprit = nullptr;
  FailureOr<SmallVector<Value>> results = emitScalarRegion(
      inner, op.getBody(), ValueRange(block.getArguments()), culprit);
  if (failed(results))
    return reportRegion(lowering, op, culprit);
  kernel::YieldOp::create(inner, op.getLoc(), *results);
  lowering.replace(op, window.getResults());
}

namespace {
/// Where the elements of windows are: index arithmetic in a payload.
struct WindowReader {
  WindowReader(stablehlo::ReduceWindowOp op, ArrayRef<int64_t> shape)
      : shape(shape), strides(op.getWindowStridesOrDefault()),
        base(op.getBaseDilationsOrDefault()),
        dilations(op.getWindowDilationsOrDefault()) {
    for (auto [first, second] : op.getPaddingOrDefault())
      low.push_back(first);
    for (int64_t extent : op.getWindowDimensions()) {
      tapLoop.push_back(extent == 1 ? -1 : int64_t(shape.size() + taps.size()));
      if (extent != 1)
        taps.push_back(extent);
    }
  }

  /// The place of the element that the loops are at, moved into the input
  /// where it is outside, and whether it is inside.
  std::pair<SmallVector<Value>, Value> read(OpBuilder &b, Location loc) const {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value inside = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value fits = arith::CmpIOp::create(b, loc, predicate, x, y);
      inside = arith::AndIOp::create(b, loc, inside, fits);
    };
    SmallVector<Value> place;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      Value at = arith::MulIOp::create(
          b, loc, linalg::IndexOp::create(b, loc, dim), number(strides[dim]));
      if (tapLoop[dim] >= 0) {
        Value tap = linalg::IndexOp::create(b, loc, tapLoop[dim]);
        at = arith::AddIOp::create(
            b, loc, at,
            arith::MulIOp::create(b, loc, tap, number(dilations[dim])));
      }
      if (low[dim] != 0)
        at = arith::SubIOp::create(b, loc, at, number(low[dim]));
      // Before the input this is a very large number.
      require(arith::CmpIPredicate::ult, at,
              number((extent - 1) * base[dim] + 1));
      if (base[dim] != 1) {
        Value whole = arith::DivUIOp::create(b, loc, at, number(base[dim]));
        require(arith::CmpIPredicate::eq,
                arith::MulIOp::create(b, loc, whole, number(base[dim])), at);
        at = whole;
      }
      place.push_back(arith::MinUIOp::create(b, loc, at, number(extent - 1)));
    }
    return {place, inside};
  }

  SmallVector<int64_t> shape, strides, base, dilations, low;
  /// Extents of the window's loops, and the loop of each dimension or -1.
  SmallVector<int64_t> taps, tapLoop;
};
} // namespace

static void lowerToReduction(GraphLowering &lowering,
                             stablehlo::ReduceWindowOp op) {
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  WindowReader reader(op, lowering.shapeOf(inputs.front()));
  bool isEmpty = llvm::is_contained(reader.shape, 0);
  int64_t rank = reader.shape.size(), loops = rank + reader.taps.size();
  unsigned count = inputs.size();

  SmallVector<AffineExpr> points, tapDims;
  for (int64_t i = 0; i < loops; ++i)
    (i < rank ? points : tapDims).push_back(b.getAffineDimExpr(i));
  AffineMap point = AffineMap::get(loops, 0, points, b.getContext());
  SmallVector<AffineMap> maps = {
      AffineMap::get(loops, 0, tapDims, b.getContext())};
  // A tensor that nobody reads says the extents of the window's loops.
  SmallVector<Value> operands = {
      tensor::EmptyOp::create(b, loc, reader.taps, b.getI8Type())};
  for (Value init : op.getInitValues()) {
    operands.push_back(lowering.lowered(init));
    maps.push_back(AffineMap::get(loops, 0, b.getContext()));
  }
  SmallVector<Value> starts;
  SmallVector<Type> types;
  for (unsigned i = 0; i < count; ++i) {
    types.push_back(lowering.resultType(op, i));
    starts.push_back(lowering.filled(loc, op.getInitValues()[i],
                                     lowering.resultType(op, i)));
    maps.push_back(point);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.append(reader.taps.size(), utils::IteratorType::reduction);

  Operation *culprit = nullptr;
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange x) {
    SmallVector<Value> arguments(x.take_back(count));
    if (isEmpty) {
      llvm::append_range(arguments, x.slice(1, count));
    } else {
      auto [place, inside] = reader.read(inner, at);
      for (unsigned i = 0; i < count; ++i) {
        Value element = tensor::ExtractOp::create(inner, at, inputs[i], place);
        arguments.push_back(
            arith::SelectOp::create(inner, at, inside, element, x[1 + i]));
      }
    }
    FailureOr<SmallVector<Value>> results =
        emitScalarRegion(inner, op.getBody(), arguments, culprit);
    complete = succeeded(results);
    linalg::YieldOp::create(
        inner, at, complete ? ValueRange(*results) : x.take_back(count));
  };
  auto generic = linalg::GenericOp::create(b, loc, types, operands, starts,
                                           maps, iterators, body);
  if (!complete)
    return reportRegion(lowering, op, culprit);
  lowering.replace(op, generic.getResults());
}

bool heddle::lowerReduceWindow(GraphLowering &lowering, Operation *op) {
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window)
    return false;
  SmallVector<Value> inits;
  for (Value init : window.getInitValues())
    inits.push_back(lowering.scalarOf(init));
  if (llvm::is_contained(inits, Value()) || !skipsPadding(window))
    lowerToReduction(lowering, window);
  else
    lowerToRoot(lowering, window, inits);
  return true;
}
