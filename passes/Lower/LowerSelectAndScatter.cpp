// select_and_scatter as two reductions, so that no two threads write one place:
// which element each window chooses, then for each element of the result the
// windows around it that chose it.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The op's windows, one entry per dimension.
struct Windows {
  SmallVector<int64_t> operand, source, window, strides, low;
  bool hasPadding = false;

  explicit Windows(stablehlo::SelectAndScatterOp op) {
    auto shape = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape();
    };
    operand = llvm::to_vector(shape(op.getOperand()));
    source = llvm::to_vector(shape(op.getSource()));
    size_t rank = operand.size();
    window.assign(rank, 1);
    strides.assign(rank, 1);
    low.assign(rank, 0);
    if (auto given = op.getWindowDimensions())
      window.assign(given->begin(), given->end());
    if (auto given = op.getWindowStrides())
      strides.assign(given->begin(), given->end());
    auto padding = op.getPadding();
    for (size_t i = 0; padding && i < rank; ++i) {
      low[i] = padding->getValues<int64_t>()[{i, 0}];
      hasPadding |= low[i] != 0 || padding->getValues<int64_t>()[{i, 1}] != 0;
    }
  }
  /// Whether windows do nothing along `dim`.
  bool isPlain(unsigned dim) const {
    return window[dim] == 1 && strides[dim] == 1 && low[dim] == 0 &&
           operand[dim] == source[dim];
  }
};

/// Index arithmetic in a payload.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value loop(int64_t dim) { return linalg::IndexOp::create(b, loc, dim); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, number(y)) : x; }
  Value mul(Value x, int64_t y) {
    return y == 1 ? x : arith::MulIOp::create(b, loc, x, number(y)).getResult();
  }
  /// 0 <= x < extent; unsigned, so that what is negative is too large.
  Value isInside(Value x, int64_t extent) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                                 number(extent));
  }
  Value clamp(Value x, int64_t extent) {
    return arith::MinUIOp::create(b, loc, x, number(extent - 1));
  }
  Value both(Value x, Value y) {
    return x ? arith::AndIOp::create(b, loc, x, y).getResult() : y;
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// The row-major place of `position`, as `type`.
  Value place(ArrayRef<Value> position, ArrayRef<int64_t> shape, Type type) {
    Value sum = number(0);
    for (auto [at, extent] : llvm::zip_equal(position, shape))
      sum = add(mul(sum, extent), at);
    return arith::IndexCastOp::create(b, loc, type, sum);
  }
};

class SelectAndScatterLowering {
public:
  SelectAndScatterLowering(GraphLowering &lowering,
                           stablehlo::SelectAndScatterOp op)
      : lowering(lowering), op(op), b(lowering.builder), loc(op.getLoc()),
        windows(op), rank(windows.operand.size()),
        operand(lowering.lowered(op.getOperand())),
        source(lowering.lowered(op.getSource())) {
    // Where an element of the operand is; -1 for none.
    int64_t count = cast<RankedTensorType>(operand.getType()).getNumElements();
    placeType = count < (int64_t(1) << 31) ? b.getI32Type() : b.getI64Type();
  }
  void run();

private:
  Value choose();
  Value scatter(Value chosen);
  /// A tensor that nobody reads, whose shape says the extents of loops.
  Value extents(ArrayRef<int64_t> shape) {
    return tensor::EmptyOp::create(b, loc, shape, b.getI8Type());
  }
  Value filled(ArrayRef<int64_t> shape, TypedAttr value) {
    Value scalar = arith::ConstantOp::create(b, loc, value);
    Value empty = tensor::EmptyOp::create(b, loc, shape, value.getType());
    return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
  }
  Value emit(OpBuilder &inner, Region &region, ValueRange arguments) {
    FailureOr<SmallVector<Value>> results =
        emitScalarRegion(inner, region, arguments, culprit);
    return succeeded(results) ? results->front() : Value();
  }

  GraphLowering &lowering;
  stablehlo::SelectAndScatterOp op;
  OpBuilder &b;
  Location loc;
  Windows windows;
  int64_t rank;
  Value operand, source;
  Type placeType;
  /// The op of a region that cannot be lowered.
  Operation *culprit = nullptr;
};
} // namespace

/// The first `outer` of so many loops, and the others; each may be none.
static std::pair<AffineMap, AffineMap> splitLoops(int64_t outer, int64_t loops,
                                                  MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (int64_t loop = 0; loop < loops; ++loop)
    exprs.push_back(getAffineDimExpr(loop, context));
  ArrayRef<AffineExpr> all = exprs;
  return {AffineMap::get(loops, 0, all.take_front(outer), context),
          AffineMap::get(loops, 0, all.drop_front(outer), context)};
}

/// For each window the place of the element that it keeps.
Value SelectAndScatterLowering::choose() {
  // A loop for each dimension of the source, then one for each of the window.
  SmallVector<int64_t> taps, tapLoop(rank, -1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (windows.window[dim] == 1)
      continue;
    tapLoop[dim] = rank + taps.size();
    taps.push_back(windows.window[dim]);
  }
  int64_t loops = rank + taps.size();
  MLIRContext *context = b.getContext();
  auto [point, tapMap] = splitLoops(rank, loops, context);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.append(taps.size(), utils::IteratorType::reduction);

  SmallVector<Value> inputs = {extents(taps)};
  SmallVector<AffineMap> maps = {tapMap};
  if (!windows.hasPadding) {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim) {
      AffineExpr expr = b.getAffineDimExpr(dim) * windows.strides[dim];
      if (tapLoop[dim] >= 0)
        expr = expr + b.getAffineDimExpr(tapLoop[dim]);
      exprs.push_back(expr);
    }
    inputs.push_back(operand);
    maps.push_back(AffineMap::get(loops, 0, exprs, context));
  }
  maps.append(2, point);
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  SmallVector<Value> inits = {
      filled(windows.source, cast<TypedAttr>(b.getZeroAttr(element))),
      filled(windows.source, b.getIntegerAttr(placeType, -1))};
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange x) {
    Indices i{inner, at};
    SmallVector<Value> position, readable;
    Value inside;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Value coordinate = i.mul(i.loop(dim), windows.strides[dim]);
      if (tapLoop[dim] >= 0)
        coordinate = i.add(coordinate, i.loop(tapLoop[dim]));
      coordinate = i.add(coordinate, -windows.low[dim]);
      position.push_back(coordinate);
      int64_t extent = windows.operand[dim];
      if (windows.hasPadding && !windows.isPlain(dim)) {
        inside = i.both(inside, i.isInside(coordinate, extent));
        coordinate = i.clamp(coordinate, extent);
      }
      readable.push_back(coordinate);
    }
    Value candidate =
        windows.hasPadding
            ? tensor::ExtractOp::create(inner, at, operand, readable)
                  .getResult()
            : x[1];
    Value value = x[x.size() - 2], place = x.back();
    Value none = arith::CmpIOp::create(
        inner, at, arith::CmpIPredicate::slt, place,
        arith::ConstantOp::create(inner, at,
                                  inner.getIntegerAttr(placeType, 0)));
    Value keep = emit(inner, op.getSelect(), {value, candidate});
    complete = static_cast<bool>(keep);
    Value here = i.place(position, windows.operand, placeType);
    if (keep) {
      Value yes = arith::ConstantOp::create(inner, at, inner.getBoolAttr(true));
      Value other = arith::XOrIOp::create(inner, at, keep, yes);
      Value take = arith::OrIOp::create(inner, at, none, other);
      take = i.both(inside, take);
      value = i.select(take, candidate, value);
      place = i.select(take, here, place);
    }
    linalg::YieldOp::create(inner, at, ValueRange{value, place});
  };
  auto generic =
      linalg::GenericOp::create(b, loc, TypeRange(ValueRange(inits)), inputs,
                                inits, maps, iterators, body);
  return complete ? generic.getResult(1) : Value();
}

/// For each element the windows that may have chosen it, in order.
Value SelectAndScatterLowering::scatter(Value chosen) {
  SmallVector<int64_t> taps, tapLoop(rank, -1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (windows.isPlain(dim))
      continue;
    tapLoop[dim] = rank + taps.size();
    taps.push_back(llvm::divideCeil(windows.window[dim], windows.strides[dim]));
  }
  int64_t loops = rank + taps.size();
  auto [point, tapMap] = splitLoops(rank, loops, b.getContext());
  SmallVector<AffineMap> maps = {tapMap, point};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.append(taps.size(), utils::IteratorType::reduction);
  RankedTensorType type = lowering.resultType(op);
  Value init = lowering.filled(loc, op.getInitValue(), type);
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange x) {
    Indices i{inner, at};
    SmallVector<Value> window, position;
    Value exists;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Value coordinate = i.loop(dim);
      position.push_back(coordinate);
      if (tapLoop[dim] >= 0) {
        // The last window that begins at or before it, and those before that
        // one; first come the ones that begin first.
        Value last = arith::DivUIOp::create(inner, at,
                                            i.add(coordinate, windows.low[dim]),
                                            i.number(windows.strides[dim]));
        int64_t count = taps[tapLoop[dim] - rank];
        coordinate = i.add(i.add(last, 1 - count), i.loop(tapLoop[dim]));
        int64_t extent = windows.source[dim];
        exists = i.both(exists, i.isInside(coordinate, extent));
        coordinate = i.clamp(coordinate, extent);
      }
      window.push_back(coordinate);
    }
    Value place = tensor::ExtractOp::create(inner, at, chosen, window);
    Value value = tensor::ExtractOp::create(inner, at, source, window);
    Value here = i.place(position, windows.operand, placeType);
    Value hit =
        arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, place, here);
    hit = i.both(exists, hit);
    Value sum = emit(inner, op.getScatter(), {x.back(), value});
    complete = static_cast<bool>(sum);
    linalg::YieldOp::create(inner, at,
                            complete ? i.select(hit, sum, x.back()) : x.back());
  };
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{type}, ValueRange{extents(taps)}, ValueRange{init},
      maps, iterators, body);
  return complete ? generic.getResult(0) : Value();
}

void SelectAndScatterLowering::run() {
  RankedTensorType type = lowering.resultType(op);
  if (llvm::is_contained(windows.source, 0) ||
      llvm::is_contained(windows.operand, 0))
    return lowering.replace(
        op, lowering.view(loc, type, lowering.lowered(op.getInitValue()),
                          AffineMap::get(rank, 0, b.getContext())));
  Value chosen = choose();
  Value result = chosen ? scatter(chosen) : Value();
  if (!result)
    return lowering.unsupported(
        op, "its region holds '" + culprit->getName().getStringRef() + "'");
  lowering.replace(op, result);
}

bool heddle::lowerSelectAndScatter(GraphLowering &lowering, Operation *op) {
  auto typed = dyn_cast<stablehlo::SelectAndScatterOp>(op);
  if (!typed)
    return false;
  SelectAndScatterLowering(lowering, typed).run();
  return true;
}
