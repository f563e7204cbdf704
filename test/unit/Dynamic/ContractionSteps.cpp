// Steps that sum products, and what is computed of matrices and spectra.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::sized {

static bool dotGeneral(SizedProgram &p) {
  Type type = p.numberType();
  // What each dimension is for: batch, summed, free.
  int64_t batches = p.number(0, 1), sums = p.number(0, 2),
          leftFree = p.number(0, 1), rightFree = p.number(0, 2);
  TrueShape batch = p.extents(batches), summed = p.extents(sums);
  auto side = [&](int64_t frees, SmallVector<int64_t> &batchAt,
                  SmallVector<int64_t> &summedAt) {
    TrueShape extents = batch;
    llvm::append_range(extents, summed);
    llvm::append_range(extents, p.extents(frees));
    SmallVector<int64_t> order = p.permutation(extents.size());
    TrueShape placed(extents.size());
    for (auto [from, to] : llvm::enumerate(order)) {
      placed[to] = extents[from];
      if (int64_t(from) < batches)
        batchAt.push_back(to);
      else if (int64_t(from) < batches + sums)
        summedAt.push_back(to);
    }
    return placed;
  };
  SmallVector<int64_t> leftBatch, leftSummed, rightBatch, rightSummed;
  TrueShape left = side(leftFree, leftBatch, leftSummed);
  TrueShape right = side(rightFree, rightBatch, rightSummed);
  if (!p.fits(left) || !p.fits(right))
    return false;
  double terms = 1;
  for (Expression extent : summed)
    terms *= double(p.high(extent));
  Value x = p.like(left, type), y = p.like(right, type);
  if (p.chance(15))
    y = p.argument(p.nearly(y), type);
  if (p.scale() != Scale::Huge && !p.isExact(x, p.largest(y) * terms))
    return false;
  Attribute numbers = stablehlo::DotDimensionNumbersAttr::get(
      p.builder.getContext(), leftBatch, rightBatch, leftSummed, rightSummed);
  Operation *op = p.emit("stablehlo.dot_general", {x, y},
                         p.named("dot_dimension_numbers", numbers), type);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x) * p.largest(y) * terms);
  return op;
}

namespace {
/// A convolution's images and groups, and of its windows what is most.
struct Windows {
  int64_t spatial;
  Expression batch;
  /// Of each group.
  Expression channels, outputs;
  int64_t batchGroups = 1, featureGroups = 1;
  int64_t taps = 3, stride = 2, inputDilation = 3, cut = 1;
};
} // namespace

static bool convolve(SizedProgram &p, const Windows &windows) {
  Type type = p.f32();
  int64_t featureGroups = windows.featureGroups,
          batchGroups = windows.batchGroups, spatial = windows.spatial;
  TrueShape input = {windows.batch * batchGroups,
                     windows.channels * featureGroups};
  TrueShape kernel = {windows.channels,
                      windows.outputs * featureGroups * batchGroups};
  SmallVector<int64_t> strides, inputDilation, kernelDilation, padding;
  double taps = double(p.high(windows.channels));
  for (int64_t i = 0; i < spatial; ++i) {
    input.push_back(p.extent());
    int64_t window = p.number(1, windows.taps);
    taps *= double(window);
    kernel.push_back(p.constant(window));
    strides.push_back(p.number(1, windows.stride));
    inputDilation.push_back(p.chance(70) ? 1
                                         : p.number(2, windows.inputDilation));
    kernelDilation.push_back(p.chance(70) ? 1 : 2);
    padding.push_back(p.number(-windows.cut, 2));
    padding.push_back(p.number(1 - windows.cut, 2));
  }
  // Dimensions in any order.
  auto shuffled = [&](const TrueShape &extents, SmallVector<int64_t> &places) {
    places = p.permutation(extents.size());
    TrueShape placed(extents.size());
    for (auto [from, to] : llvm::enumerate(places))
      placed[to] = extents[from];
    return placed;
  };
  SmallVector<int64_t> in, of;
  input = shuffled(input, in);
  kernel = shuffled(kernel, of);
  SmallVector<int64_t> out = p.permutation(spatial + 2);
  if (!p.fits(input) || !p.fits(kernel))
    return false;
  Value x = p.like(input, type), weights = p.like(kernel, type);
  if (p.scale() != Scale::Huge && !p.isExact(x, p.largest(weights) * taps))
    return false;
  Attribute numbers = stablehlo::ConvDimensionNumbersAttr::get(
      p.builder.getContext(), in[0], in[1], ArrayRef(in).drop_front(2), of[0],
      of[1], ArrayRef(of).drop_front(2), out[0], out[1],
      ArrayRef(out).drop_front(2));
  Operation *op = p.emit("stablehlo.convolution", {x, weights},
                         {p.list("window_strides", strides), p.padding(padding),
                          p.list("lhs_dilation", inputDilation),
                          p.list("rhs_dilation", kernelDilation),
                          p.named("dimension_numbers", numbers),
                          p.integer("feature_group_count", featureGroups),
                          p.integer("batch_group_count", batchGroups)},
                         type);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x) * p.largest(weights) * taps);
  return op;
}

static bool convolution(SizedProgram &p) {
  Windows windows;
  windows.spatial = p.number(1, 2);
  windows.batchGroups = p.chance(15) ? 2 : 1;
  if (windows.batchGroups == 1 && p.chance(20))
    windows.featureGroups = 2;
  windows.batch = p.extent();
  windows.channels = p.chance(30) ? p.extent() : p.constant(2);
  windows.outputs = p.chance(20) ? p.extent() : p.constant(p.number(1, 2));
  return convolve(p, windows);
}

/// One of images as models have them: known channels, as many as fill vectors
/// or a few, together, in groups, or each by itself; windows in larger steps,
/// transposed ones, and borders that cut more.
static bool imageConvolution(SizedProgram &p) {
  Windows windows;
  windows.spatial = 2;
  windows.batch = p.chance(50) ? p.constant(1) : p.extent();
  int64_t channels = p.oneOf({1, 3, 16, 19}), outputs = p.oneOf({1, 7, 33});
  if (p.chance(25)) {
    windows.featureGroups = p.oneOf({2, 5, 18});
    channels = outputs = 1;
  } else if (p.chance(20)) {
    windows.featureGroups = 2;
  }
  windows.channels = p.constant(channels);
  windows.outputs = p.constant(outputs);
  windows.taps = 4;
  windows.stride = 3;
  windows.inputDilation = 4;
  windows.cut = 2;
  return convolve(p, windows);
}

/// A matrix whose diagonal is larger than all else: it is definite, so that
/// its factor does not hang on the last bit.
static Value definite(SizedProgram &p, const TrueShape &shape) {
  auto positions = [&](int64_t dimension) -> Value {
    Operation *op =
        p.tell("stablehlo.iota", {}, p.integer("iota_dimension", dimension),
               p.type(shape, p.i32()));
    return op ? op->getResult(0) : Value();
  };
  Value row = positions(1), column = positions(2);
  Value diagonal = p.splat(shape, p.f32(), 64);
  Value rest = p.argument(shape, p.f32());
  if (!row || !column || !diagonal || !rest)
    return {};
  Operation *isDiagonal = p.emit(
      "stablehlo.compare", {row, column},
      p.named("comparison_direction",
              stablehlo::ComparisonDirectionAttr::get(
                  p.builder.getContext(), stablehlo::ComparisonDirection::EQ)),
      p.i1());
  Operation *chosen =
      isDiagonal
          ? p.emit("stablehlo.select",
                   {isDiagonal->getResult(0), diagonal, rest}, {}, p.f32())
          : nullptr;
  return chosen ? chosen->getResult(0) : Value();
}

static bool cholesky(SizedProgram &p) {
  Expression n = p.chance(80) ? p.constant(p.number(1, 3)) : p.extent();
  TrueShape shape = {p.extent(), n, n};
  if (!p.fits(shape))
    return false;
  Value matrix = definite(p, shape);
  return matrix &&
         p.emit("stablehlo.cholesky", matrix,
                p.named("lower", p.builder.getBoolAttr(p.chance(50))), p.f32());
}

static bool triangularSolve(SizedProgram &p) {
  Expression batch = p.extent();
  Expression n = p.chance(80) ? p.constant(p.number(1, 3)) : p.extent();
  Expression columns = p.chance(60) ? p.constant(p.number(1, 3)) : p.extent();
  bool isLeft = p.chance(50);
  TrueShape matrix = {batch, n, n}, sides = {batch, columns, columns};
  sides[isLeft ? 1 : 2] = n;
  if (!p.fits(matrix) || !p.fits(sides))
    return false;
  auto flag = [&](StringRef name, bool value) {
    return p.named(name, p.builder.getBoolAttr(value));
  };
  // What a singular matrix gives is not defined.
  Value regular = definite(p, matrix);
  return regular &&
         p.emit(
             "stablehlo.triangular_solve", {regular, p.like(sides, p.f32())},
             {flag("left_side", isLeft), flag("lower", p.chance(50)),
              flag("unit_diagonal", p.chance(50)),
              p.named("transpose_a", stablehlo::TransposeAttr::get(
                                         p.builder.getContext(),
                                         stablehlo::Transpose::NO_TRANSPOSE))},
             p.f32());
}

static bool fourier(SizedProgram &p) {
  using stablehlo::FftType;
  FftType kind = p.oneOf({FftType::FFT, FftType::RFFT, FftType::IRFFT});
  // An even number of places or, of an inverse, what it came from.
  Expression length =
      p.chance(60) ? p.constant(2 * p.number(1, 3)) : p.extent(1);
  Expression last = kind == FftType::IRFFT
                        ? p.knownRanges().simplified(length.floorDiv(2) + 1)
                        : length;
  TrueShape shape = {p.extent(), last};
  if (!p.fits(shape))
    return false;
  Type complex = ComplexType::get(p.f32());
  Value x = p.like(shape, kind == FftType::RFFT ? p.f32() : complex);
  SmallVector<NamedAttribute> attributes = {
      p.named("fft_type",
              stablehlo::FftTypeAttr::get(p.builder.getContext(), kind)),
      p.list("fft_length", p.highs({length}))};
  p.addSized(attributes, {{"fft_length", {length}}});
  Operation *op = p.emit("stablehlo.fft", x, attributes,
                         kind == FftType::IRFFT ? p.f32() : complex);
  return op;
}

ArrayRef<Step> contractionSteps() {
  static const Step steps[] = {
      {"stablehlo.dot_general", dotGeneral},
      {"stablehlo.dot_general", dotGeneral},
      {"stablehlo.convolution", convolution},
      {"stablehlo.convolution", convolution},
      {"stablehlo.convolution", imageConvolution},
      {"stablehlo.convolution", imageConvolution},
      {"stablehlo.cholesky", cholesky},
      {"stablehlo.triangular_solve", triangularSolve},
      {"stablehlo.fft", fourier},
  };
  return steps;
}

} // namespace heddle::sized
