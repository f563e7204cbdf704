// Reductions over axes.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The axes to reduce: an attribute up to opset 17 (ReduceSum: 12), an operand
/// since. None means all, or none at all with noop_with_empty_axes.
struct Axes {
  OwnedExtents dims;
  bool keepDims = true;
  /// The result is the input, element functions (squares, logarithms) still
  /// applied.
  bool isNoop = false;
};

static std::optional<Axes> readAxes(NodeImporter &node) {
  Axes axes;
  axes.keepDims = node.integerAttribute("keepdims", 1) != 0;
  bool noop = node.integerAttribute("noop_with_empty_axes", 0) != 0;
  std::optional<OwnedExtents> given = node.integersAttribute("axes");
  if (node.has(1)) {
    given = node.integers(1, "the axes");
    if (!given)
      return std::nullopt;
  }
  if (!given || given->empty()) {
    axes.isNoop = noop;
    for (int64_t i = 0; !noop && i < node.rank(0); ++i)
      axes.dims.push_back(i);
    return axes;
  }
  std::optional<OwnedExtents> normal = node.normalizeAxes(*given, node.rank(0));
  if (!normal)
    return std::nullopt;
  axes.dims = *normal;
  return axes;
}

static Value identityOf(Emitter &, Value value) { return value; }
static Value absolute(Emitter &emit, Value value) {
  return emit.unary<stablehlo::AbsOp>(value);
}
static Value square(Emitter &emit, Value value) {
  return emit.multiply(value, value);
}
static Value root(Emitter &emit, Value value) {
  if (isa<FloatType>(Emitter::elementOf(value)))
    return emit.unary<stablehlo::SqrtOp>(value);
  Type element = Emitter::elementOf(value);
  Value wide = emit.convert(value, emit.builder.getF64Type());
  return emit.convert(emit.unary<stablehlo::SqrtOp>(wide), element);
}
static Value logarithm(Emitter &emit, Value value) {
  if (isa<FloatType>(Emitter::elementOf(value)))
    return emit.unary<stablehlo::LogOp>(value);
  Type element = Emitter::elementOf(value);
  Value wide = emit.convert(value, emit.builder.getF64Type());
  return emit.convert(emit.unary<stablehlo::LogOp>(wide), element);
}

using ElementFunction = Value (*)(Emitter &, Value);

/// after(combine over axes of before(x))
template <Combine how, ElementFunction before, ElementFunction after>
static LogicalResult importReduction(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Axes> axes = readAxes(node);
  if (!axes)
    return failure();
  Value x = before(emit, emit.widened(node.operand(0)));
  if (!axes->isNoop)
    x = emit.reduce(x, axes->dims, how, axes->keepDims);
  return node.result(emit.convert(after(emit, x), node.element(0)));
}

/// Bools are ordered false < true.
template <Combine how, Combine ofBools>
static LogicalResult importExtreme(NodeImporter &node) {
  std::optional<Axes> axes = readAxes(node);
  if (!axes)
    return failure();
  Combine combine = node.element(0).isInteger(1) ? ofBools : how;
  return node.result(axes->isNoop
                         ? node.operand(0)
                         : node.emit.reduce(node.operand(0), axes->dims,
                                            combine, axes->keepDims));
}

static LogicalResult importReduceMean(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Axes> axes = readAxes(node);
  if (!axes)
    return failure();
  if (axes->isNoop)
    return node.result(node.operand(0));
  Value mean = emit.mean(node.operand(0), axes->dims);
  if (axes->keepDims)
    return node.result(mean);
  Shape shape;
  for (int64_t i = 0; i < node.rank(0); ++i)
    if (!llvm::is_contained(axes->dims, i))
      shape.push_back(node.shape(0)[i]);
  return node.result(emit.reshape(mean, shape));
}

/// max + log(sum(exp(x - max))), where an infinite max counts as 0.
static LogicalResult importLogSumExp(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Axes> axes = readAxes(node);
  if (!axes)
    return failure();
  Value x = node.operand(0);
  if (axes->isNoop)
    return node.result(x);
  if (!isa<FloatType>(node.element(0)))
    return node.unsupported("integers are not supported");
  Value top = emit.reduce(x, axes->dims, Combine::Maximum, /*keepDims=*/true);
  Value isFinite = stablehlo::IsFiniteOp::create(
      node.builder(), emit.loc,
      emit.type(emit.shapeOf(top), node.builder().getI1Type()), top);
  Value shift = emit.select(isFinite, top, emit.splatLike(top, 0));
  Value sum = emit.reduce(emit.unary<stablehlo::ExpOp>(emit.subtract(x, shift)),
                          axes->dims, Combine::Add, /*keepDims=*/true);
  Value result = emit.add(emit.unary<stablehlo::LogOp>(sum), shift);
  if (!axes->keepDims) {
    Shape shape;
    for (int64_t i = 0; i < node.rank(0); ++i)
      if (!llvm::is_contained(axes->dims, i))
        shape.push_back(node.shape(0)[i]);
    result = emit.reshape(result, shape);
  }
  return node.result(result);
}

/// The position of the extreme: the least (or greatest, select_last_index) of
/// those that hold it. A row with NaN has NaN as its extreme, either way.
template <Combine how> static LogicalResult importArg(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  bool keepDims = node.integerAttribute("keepdims", 1) != 0;
  bool last = node.integerAttribute("select_last_index", 0) != 0;
  if (emit.hasFault())
    return failure();
  Value x = node.operand(0);
  Value best = emit.reduce(x, axis, how, /*keepDims=*/true);
  Value isBest = emit.holdsExtreme(x, best);
  Value position =
      emit.iota(emit.type(node.shape(0), node.builder().getI64Type()), axis);
  Value none =
      emit.numberLike(position, last ? Extent(-1) : node.shape(0)[axis]);
  return node.result(emit.reduce(emit.select(isBest, position, none), axis,
                                 last ? Combine::Maximum : Combine::Minimum,
                                 keepDims));
}

/// Each element combined with those before it: a window over everything before,
/// which ends at the element. Exclusive windows end one earlier.
template <Combine how>
static LogicalResult importCumulative(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool exclusive = node.integerAttribute("exclusive", 0) != 0;
  bool reversed = node.integerAttribute("reverse", 0) != 0;
  std::optional<int64_t> given = node.integer(1, "the axis");
  if (!given)
    return failure();
  int64_t rank = node.rank(0), axis = node.normalizeAxis(*given, rank);
  if (emit.hasFault())
    return failure();
  // A window as long as the greatest size adds the same for lesser ones: what
  // is beyond the ends counts as nothing.
  int64_t extent = node.shape(0)[axis].bound();
  if (extent == 0)
    return node.result(node.operand(0));
  Window window;
  for (int64_t i = 0; i < rank; ++i) {
    bool along = i == axis;
    int64_t before = along ? extent - 1 + exclusive : 0;
    int64_t after = along ? -int64_t(exclusive) : 0;
    window.size.push_back(along ? extent : 1);
    window.strides.push_back(1);
    window.dilations.push_back(1);
    window.padLow.push_back(reversed ? after : before);
    window.padHigh.push_back(reversed ? before : after);
  }
  Value x = emit.widened(node.operand(0));
  return node.result(
      emit.convert(emit.reduceWindow(x, window, how), node.element(0)));
}

void heddle::onnx::addReduction(OperatorTable &table) {
  table.add("ReduceSum", {1, 11, 13}, 1, 2,
            importReduction<Combine::Add, identityOf, identityOf>);
  table.add("ReduceMean", {1, 11, 13, 18}, 1, 2, importReduceMean);
  table.add("ReduceProd", {1, 11, 13, 18}, 1, 2,
            importReduction<Combine::Multiply, identityOf, identityOf>);
  table.add("ReduceMax", {1, 11, 12, 13, 18, 20}, 1, 2,
            importExtreme<Combine::Maximum, Combine::Or>);
  table.add("ReduceMin", {1, 11, 12, 13, 18, 20}, 1, 2,
            importExtreme<Combine::Minimum, Combine::And>);
  table.add("ReduceL1", {1, 11, 13, 18}, 1, 2,
            importReduction<Combine::Add, absolute, identityOf>);
  table.add("ReduceL2", {1, 11, 13, 18}, 1, 2,
            importReduction<Combine::Add, square, root>);
  table.add("ReduceSumSquare", {1, 11, 13, 18}, 1, 2,
            importReduction<Combine::Add, square, identityOf>);
  table.add("ReduceLogSum", {1, 11, 13, 18, 28}, 1, 2,
            importReduction<Combine::Add, identityOf, logarithm>);
  table.add("ReduceLogSumExp", {1, 11, 13, 18, 28}, 1, 2, importLogSumExp);
  table.add("ArgMax", {1, 11, 12, 13}, 1, 1, importArg<Combine::Maximum>);
  table.add("ArgMin", {1, 11, 12, 13}, 1, 1, importArg<Combine::Minimum>);
  table.add("CumSum", {11, 14}, 2, 2, importCumulative<Combine::Add>);
  table.add("CumProd", {26}, 2, 2, importCumulative<Combine::Multiply>);
}
