// Pools: reductions over windows, or over all spatial dimensions.

#include "Windows.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static bool ceilMode(NodeImporter &node) {
  return node.integerAttribute("ceil_mode", 0) != 0;
}

/// kernel_shape is required; the input may not be smaller than two dimensions
/// plus one.
static std::optional<Window> readPool(NodeImporter &node) {
  if (!node.hasAttribute("kernel_shape")) {
    (void)node.invalid("attribute 'kernel_shape' is missing");
    return std::nullopt;
  }
  return readWindow(node, {}, ceilMode(node));
}

/// The position in the whole input of each window's first greatest element: the
/// values as [.., window] patches are compared with their maximum.
static Value maxIndices(NodeImporter &node, const Window &window,
                        Value greatest, bool columnMajor) {
  Emitter &emit = node.emit;
  Type i64 = node.builder().getI64Type();
  Shape shape = node.shape(0);
  // Positions count through the whole tensor, channels included, the spatial
  // ones in either order.
  RankedTensorType type = emit.type(shape, i64);
  Value position = emit.splatInteger(type, 0);
  Extent step = 1;
  auto addDimension = [&](int64_t dim) {
    Value iota = emit.iota(type, dim);
    position =
        emit.add(position, emit.multiply(iota, emit.numberLike(iota, step)));
    step *= shape[dim];
  };
  int64_t rank = shape.size();
  for (int64_t i = 0; i < rank - 2; ++i)
    addDimension(columnMajor ? 2 + i : rank - 1 - i);
  addDimension(1);
  addDimension(0);

  // One shifted, strided slice of the padded input per tap of the window; the
  // first tap that holds the maximum wins. Padding does not: it leaves the -1.
  Shape low{0, 0}, high{0, 0};
  low.append(window.padLow);
  high.append(window.padHigh);
  Value padded = emit.pad(
      node.operand(0), emit.lowest(RankedTensorType::get({}, node.element(0))),
      low, high);
  Value places =
      emit.pad(position, emit.splatInteger(RankedTensorType::get({}, i64), -1),
               low, high);
  Shape result = emit.shapeOf(greatest);
  Value best = emit.splatInteger(emit.type(result, i64), -1);
  int64_t taps = 1;
  for (int64_t size : window.size)
    taps *= size;
  IndexWalk walk(window.size);
  for (int64_t tap = 0; tap < taps; ++tap, walk.advance()) {
    Shape starts(rank, 0), limits = result;
    OwnedExtents strides(rank, 1);
    for (int64_t i = 2; i < rank; ++i) {
      starts[i] = walk.index()[i - 2] * window.dilations[i - 2];
      strides[i] = window.strides[i - 2];
      limits[i] = starts[i] + (result[i] - 1) * strides[i] + 1;
    }
    Value values = emit.slice(padded, starts, limits, strides);
    Value place = emit.slice(places, starts, limits, strides);
    if (emit.hasFault())
      return best;
    using Direction = stablehlo::ComparisonDirection;
    Value isBest = emit.binary<stablehlo::AndOp>(
        emit.holdsExtreme(values, greatest),
        emit.compare(best, emit.splatLike(best, 0), Direction::LT));
    best = emit.select(isBest, place, best);
  }
  return best;
}

static LogicalResult importMaxPool(NodeImporter &node) {
  bool columnMajor = node.integerAttribute("storage_order", 0) != 0;
  std::optional<Window> window = readPool(node);
  if (!window)
    return failure();
  Value result =
      node.emit.reduceWindow(node.operand(0), *window, Combine::Maximum);
  node.set(0, result);
  if (node.wants(1)) {
    int64_t taps = 1;
    for (int64_t size : window->size)
      taps *= size;
    if (taps > 1024)
      return node.unsupported("indices of windows of more than 1024 elements");
    if (node.emit.hasFault())
      return failure();
    node.set(1, maxIndices(node, *window, result, columnMajor));
  }
  return success();
}

/// The sum of each window by the number of its elements: all, or those that are
/// not padding.
static LogicalResult importAveragePool(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool countPadding = node.integerAttribute("count_include_pad", 0) != 0;
  // The padding that the model asks for counts; what ceil_mode adds at the end
  // never does.
  std::optional<Window> window = readPool(node);
  std::optional<Window> asked = readWindow(node, {}, /*ceilMode=*/false);
  if (!window || !asked)
    return failure();
  Value x = emit.widened(node.operand(0));
  Type wide = Emitter::elementOf(x);
  Value sum = emit.reduceWindow(x, *window, Combine::Add);
  Shape ones{1, 1}, low{0, 0}, high{0, 0};
  ones.append(node.shape(0).after(2));
  Value counted = emit.splat(emit.type(ones, wide), 1);
  Window counting = *window;
  if (countPadding) {
    low.append(asked->padLow);
    high.append(asked->padHigh);
    counted = emit.splat(
        Emitter::typeOf(emit.pad(counted, emit.scalar(wide, 1), low, high)), 1);
    for (size_t i = 0; i < counting.size.size(); ++i) {
      counting.padLow[i] = 0;
      counting.padHigh[i] = counting.padHigh[i] - asked->padHigh[i];
    }
  }
  if (emit.hasFault())
    return failure();
  bool padded =
      llvm::any_of(counting.padLow, [](const Extent &p) { return !p.is(0); }) ||
      llvm::any_of(counting.padHigh, [](const Extent &p) { return !p.is(0); });
  if (!padded) {
    double taps = 1;
    for (int64_t size : counting.size)
      taps *= double(size);
    return node.result(emit.convert(emit.divide(sum, emit.splatLike(sum, taps)),
                                    node.element(0)));
  }
  Value count = emit.reduceWindow(counted, counting, Combine::Add);
  Value mean = emit.divide(sum, emit.broadcastTo(count, emit.shapeOf(sum)));
  return node.result(emit.convert(mean, node.element(0)));
}

/// (sum of |x|^p)^(1/p), where `sum` adds windows or everything.
template <typename Sum>
static Value powerMean(Emitter &emit, Value x, int64_t p, Sum sum) {
  Type element = Emitter::elementOf(x);
  x = emit.widened(x);
  Value magnitude = emit.unary<stablehlo::AbsOp>(x);
  Value powers = p == 1   ? magnitude
                 : p == 2 ? emit.multiply(x, x)
                          : emit.binary<stablehlo::PowOp>(magnitude, double(p));
  Value total = sum(powers);
  if (p == 2)
    total = emit.unary<stablehlo::SqrtOp>(total);
  else if (p != 1)
    total = emit.binary<stablehlo::PowOp>(total, 1.0 / double(p));
  return emit.convert(total, element);
}

static LogicalResult importLpPool(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t p = node.integerAttribute("p", 2);
  std::optional<Window> window = readPool(node);
  if (!window)
    return failure();
  if (p < 1)
    return node.invalid("p = " + Twine(p) + " is not positive");
  return node.result(powerMean(emit, node.operand(0), p, [&](Value powers) {
    return emit.reduceWindow(powers, *window, Combine::Add);
  }));
}

static OwnedExtents spatialDims(NodeImporter &node) {
  OwnedExtents dims;
  for (int64_t i = 2; i < node.rank(0); ++i)
    dims.push_back(i);
  return dims;
}

static LogicalResult importGlobalAveragePool(NodeImporter &node) {
  return node.result(node.emit.mean(node.operand(0), spatialDims(node)));
}

static LogicalResult importGlobalMaxPool(NodeImporter &node) {
  return node.result(node.emit.reduce(node.operand(0), spatialDims(node),
                                      Combine::Maximum, /*keepDims=*/true));
}

static LogicalResult importGlobalLpPool(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t p = node.integerAttribute("p", 2);
  if (p < 1)
    return node.invalid("p = " + Twine(p) + " is not positive");
  return node.result(powerMean(emit, node.operand(0), p, [&](Value powers) {
    return emit.reduce(powers, spatialDims(node), Combine::Add,
                       /*keepDims=*/true);
  }));
}

/// Puts each value where MaxPool found it, zero elsewhere. The indices count
/// through the pool's input as its window says; a larger output_shape only adds
/// zeros at the ends.
static LogicalResult importMaxUnpool(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0), spatial = rank - 2;
  std::optional<OwnedExtents> kernel = node.integersAttribute("kernel_shape");
  OwnedExtents strides = node.integersAttribute("strides").value_or(
      OwnedExtents(std::max<int64_t>(spatial, 0), 1));
  OwnedExtents pads = node.integersAttribute("pads").value_or(
      OwnedExtents(2 * std::max<int64_t>(spatial, 0), 0));
  auto fit = [](Extents values, int64_t count) {
    return int64_t(values.size()) == count &&
           llvm::all_of(values,
                        [](int64_t v) { return v >= 0 && v <= (1 << 24); });
  };
  if (spatial < 1 || !kernel || !fit(*kernel, spatial) ||
      !fit(strides, spatial) || !fit(pads, 2 * spatial) ||
      !node.shape(1).meets(node.shape(0)) || !node.element(1).isInteger())
    return node.invalid("kernel_shape, strides, pads or indices do not fit an "
                        "input of the shape " +
                        spellShape(node.shape(0)));
  OwnedExtents shape = node.knownShape(0), low(rank, 0), high(rank, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    shape[2 + i] = (shape[2 + i] - 1) * strides[i] + (*kernel)[i] - pads[i] -
                   pads[spatial + i];
    if (shape[2 + i] < 1)
      return node.invalid("the result would be empty");
  }
  if (node.has(2)) {
    std::optional<OwnedExtents> given = node.integers(2, "the output's shape");
    if (!given)
      return failure();
    if (int64_t(given->size()) != rank)
      return node.invalid("output_shape has another rank than the input");
    for (int64_t i = 0; i < rank; ++i) {
      high[i] = (*given)[i] - shape[i];
      if (high[i] < 0)
        return node.invalid("output_shape is smaller than what was pooled");
    }
  }
  RankedTensorType whole = emit.type(shape, node.element(0));
  if (emit.hasFault())
    return failure();
  int64_t count = node.type(0).getNumElements();
  Value flat = emit.splat(
      RankedTensorType::get(whole.getNumElements(), node.element(0)), 0);
  Value result = emit.scatter(flat, emit.reshape(node.operand(1), {count, 1}),
                              emit.reshape(node.operand(0), {count}), {}, {0},
                              {}, {}, {0}, std::nullopt);
  Value zero = emit.splat(RankedTensorType::get({}, node.element(0)), 0);
  return node.result(emit.pad(emit.reshape(result, shape), zero, low, high));
}

void heddle::onnx::addPooling(OperatorTable &table) {
  table.add("MaxPool", {1, 8, 10, 11, 12, 22}, 1, 1, importMaxPool, 2);
  table.add("AveragePool", {7, 10, 11, 19, 22}, 1, 1, importAveragePool);
  table.add("LpPool", {2, 11, 18, 22}, 1, 1, importLpPool);
  table.add("GlobalAveragePool", {1, 22}, 1, 1, importGlobalAveragePool);
  table.add("GlobalMaxPool", {1, 22}, 1, 1, importGlobalMaxPool);
  table.add("GlobalLpPool", {2, 22}, 1, 1, importGlobalLpPool);
  table.add("MaxUnpool", {9, 11, 22}, 2, 3, importMaxUnpool);
}
