// Wrong rules: each a slip that someone could make, of what an operation's rule
// gives.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sized {

using Results = SmallVectorImpl<TrueShape>;

/// Whether `extent` became `wrong`.
static bool change(Expression &extent, Expression wrong) {
  bool differs = wrong && wrong != extent;
  if (differs)
    extent = wrong;
  return differs;
}

/// The first extent that `wrong` gives another value for.
static bool changeOne(Results &results,
                      llvm::function_ref<Expression(Expression)> wrong) {
  for (TrueShape &shape : results)
    for (Expression &extent : shape)
      if (change(extent, wrong(extent)))
        return true;
  return false;
}

static bool addOne(Operation *, Results &results) {
  return changeOne(results, [](Expression e) { return e + 1; });
}

static bool swapDimensions(Operation *, Results &results) {
  TrueShape &shape = results[0];
  for (size_t i = 1; i < shape.size(); ++i)
    if (shape[0] != shape[i]) {
      std::swap(shape[0], shape[i]);
      return true;
    }
  return false;
}

/// As if the operand of that number gave the extents.
static auto ofOperand(unsigned number) {
  return [number](Operation *op, Results &results) {
    TrueShape shape = SizedProgram::shape(op->getOperand(number));
    if (shape.size() != results[0].size() || shape == results[0])
      return false;
    results[0] = shape;
    return true;
  };
}

/// The shape of the bound in place of the extents.
static bool atBound(Operation *op, Results &results) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  bool changed = false;
  for (auto [i, extent] : llvm::enumerate(results[0]))
    for (auto [j, from] :
         llvm::enumerate(SizedProgram::shape(op->getOperand(0))))
      if (!changed && from == extent && !extent.isConstant()) {
        changed = true;
        extent = Expression::constant(op->getContext(), type.getDimSize(j));
        (void)i;
      }
  return changed;
}

static bool sliceRoundsDown(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape starts =
      sizedAttribute(op, "start_indices", slice.getStartIndices());
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (auto [i, stride] : llvm::enumerate(slice.getStrides()))
    changed |= change(results[0][i], (limits[i] - starts[i]).floorDiv(stride));
  return changed;
}

static bool sliceForgetsStart(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (auto [i, stride] : llvm::enumerate(slice.getStrides()))
    changed |= change(results[0][i], limits[i].ceilDiv(stride));
  return changed;
}

static bool sliceForgetsStride(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape starts =
      sizedAttribute(op, "start_indices", slice.getStartIndices());
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (size_t i = 0; i < limits.size(); ++i)
    changed |= change(results[0][i], limits[i] - starts[i]);
  return changed;
}

static bool sliceIgnoresSizes(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  bool changed = false;
  for (size_t i = 0; i < results[0].size(); ++i)
    changed |= change(
        results[0][i],
        Expression::constant(op->getContext(), slice.getLimitIndices()[i] -
                                                   slice.getStartIndices()[i])
            .ceilDiv(slice.getStrides()[i]));
  return changed;
}

/// A pad's extents with some of its numbers forgotten.
static auto wrongPad(bool low, bool high, int64_t interior, bool clamp) {
  return [=](Operation *op, Results &results) {
    auto pad = cast<PadOp>(op);
    TrueShape shape = SizedProgram::shape(pad.getOperand());
    TrueShape lows =
        sizedAttribute(op, "edge_padding_low", pad.getEdgePaddingLow());
    TrueShape highs =
        sizedAttribute(op, "edge_padding_high", pad.getEdgePaddingHigh());
    bool changed = false;
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t between = pad.getInteriorPadding()[i];
      Expression extent = shape[i];
      if (between != 0 && interior != 0)
        extent = extent * (between + 1) - (interior == 2 ? 0 : between);
      if (between != 0 && clamp)
        extent = Expression::maximum(extent,
                                     Expression::constant(op->getContext(), 0));
      if (low)
        extent = lows[i] + extent;
      if (high)
        extent = extent + highs[i];
      changed |= change(results[0][i], extent);
    }
    return changed;
  };
}

static bool concatenateTakesFirst(Operation *op, Results &results) {
  int64_t along = cast<ConcatenateOp>(op).getDimension();
  return change(results[0][along],
                SizedProgram::shape(op->getOperand(0))[along]);
}

static bool concatenateForgetsLast(Operation *op, Results &results) {
  int64_t along = cast<ConcatenateOp>(op).getDimension();
  Value last = op->getOperands().back();
  return change(results[0][along],
                results[0][along] - SizedProgram::shape(last)[along]);
}

static bool transposeInverts(Operation *op, Results &results) {
  auto transpose = cast<TransposeOp>(op);
  TrueShape from = SizedProgram::shape(op->getOperand(0)), shape(from.size());
  for (auto [i, dimension] : llvm::enumerate(transpose.getPermutation()))
    shape[dimension] = from[i];
  bool changed = shape != results[0];
  results[0] = shape;
  return changed;
}

static bool reduceKeepsFirst(Operation *op, Results &results) {
  auto reduce = cast<ReduceOp>(op);
  TrueShape from = SizedProgram::shape(op->getOperand(0));
  if (results[0].empty() || reduce.getDimensions().empty())
    return false;
  bool changed = false;
  for (TrueShape &shape : results)
    for (size_t i = 0; i < shape.size(); ++i)
      changed |= change(shape[i], from[i]);
  return changed;
}

static bool dotSwapsSides(Operation *op, Results &results) {
  auto dot = cast<DotGeneralOp>(op);
  size_t batch = dot.getDotDimensionNumbers().getLhsBatchingDimensions().size();
  TrueShape &shape = results[0];
  if (shape.size() < batch + 2 || shape[batch] == shape.back())
    return false;
  std::swap(shape[batch], shape.back());
  return true;
}

/// Which numbers of a window are forgotten.
struct WindowSlip {
  bool stride = false, base = false, window = false, low = false, high = false,
       ceil = false, size = false, one = false, clamp = false;
};

static Expression wrongPlaces(Expression extent, int64_t low, int64_t high,
                              int64_t size, int64_t stride, int64_t base,
                              int64_t window, const WindowSlip &slip) {
  MLIRContext *context = extent.context();
  if (slip.base)
    base = 1;
  if (slip.window)
    window = 1;
  if (slip.stride)
    stride = 1;
  Expression zero = Expression::constant(context, 0);
  Expression dilated = base == 1 ? extent
                       : slip.clamp
                           ? (extent - 1) * base + 1
                           : Expression::maximum((extent - 1) * base + 1, zero);
  Expression padded =
      (slip.low ? zero + 0 : zero + low) + dilated + (slip.high ? 0 : high);
  int64_t reach = slip.size ? 1 : (size - 1) * window + 1;
  Expression rest = padded - reach;
  Expression places = slip.ceil ? rest.ceilDiv(stride) : rest.floorDiv(stride);
  places = slip.one ? places : places + 1;
  return slip.clamp ? places : Expression::maximum(places, zero);
}

static auto wrongConvolution(WindowSlip slip) {
  return [=](Operation *op, Results &results) {
    auto convolution = cast<ConvolutionOp>(op);
    ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
    TrueShape input = SizedProgram::shape(convolution.getLhs());
    auto weights = cast<RankedTensorType>(convolution.getRhs().getType());
    int64_t rank = numbers.getInputSpatialDimensions().size();
    auto padding = paddingPairs(convolution.getPaddingAttr(), rank);
    bool changed = false;
    for (int64_t i = 0; i < rank; ++i)
      changed |=
          change(results[0][numbers.getOutputSpatialDimensions()[i]],
                 wrongPlaces(input[numbers.getInputSpatialDimensions()[i]],
                             padding[i].first, padding[i].second,
                             weights.getDimSize(
                                 numbers.getKernelSpatialDimensions()[i]),
                             (*convolution.getWindowStrides())[i],
                             (*convolution.getLhsDilation())[i],
                             (*convolution.getRhsDilation())[i], slip));
    return changed;
  };
}

static auto wrongWindow(WindowSlip slip) {
  return [=](Operation *op, Results &results) {
    auto reduce = cast<ReduceWindowOp>(op);
    if (!reduce.getBaseDilations() ||
        op->hasAttr(sizedAttributeName("window_dimensions")))
      return false;
    TrueShape input = SizedProgram::shape(op->getOperand(0));
    auto padding = paddingPairs(reduce.getPaddingAttr(), input.size());
    bool changed = false;
    for (TrueShape &shape : results)
      for (size_t i = 0; i < input.size(); ++i)
        changed |= change(
            shape[i], wrongPlaces(input[i], padding[i].first, padding[i].second,
                                  reduce.getWindowDimensions()[i],
                                  (*reduce.getWindowStrides())[i],
                                  (*reduce.getBaseDilations())[i],
                                  (*reduce.getWindowDilations())[i], slip));
    return changed;
  };
}

static bool windowIgnoresSizes(Operation *op, Results &results) {
  auto reduce = cast<ReduceWindowOp>(op);
  if (!op->hasAttr(sizedAttributeName("window_dimensions")))
    return false;
  TrueShape input = SizedProgram::shape(op->getOperand(0));
  auto padding = paddingPairs(reduce.getPaddingAttr(), input.size());
  bool changed = false;
  for (size_t i = 0; i < input.size(); ++i)
    changed |=
        change(results[0][i],
               wrongPlaces(input[i], padding[i].first, padding[i].second,
                           reduce.getWindowDimensions()[i],
                           (*reduce.getWindowStrides())[i],
                           (*reduce.getBaseDilations())[i],
                           (*reduce.getWindowDilations())[i], WindowSlip()));
  return changed;
}

static bool convolutionKeepsBatch(Operation *op, Results &results) {
  ConvDimensionNumbersAttr numbers =
      cast<ConvolutionOp>(op).getDimensionNumbers();
  return change(
      results[0][numbers.getOutputBatchDimension()],
      SizedProgram::shape(op->getOperand(0))[numbers.getInputBatchDimension()]);
}

static bool convolutionGivesInputs(Operation *op, Results &results) {
  ConvDimensionNumbersAttr numbers =
      cast<ConvolutionOp>(op).getDimensionNumbers();
  return change(results[0][numbers.getOutputFeatureDimension()],
                SizedProgram::shape(
                    op->getOperand(0))[numbers.getInputFeatureDimension()]);
}

static bool gatherMixesOffsets(Operation *op, Results &results) {
  // All of the batch first, then the slices: right for the usual positions.
  GatherDimensionNumbersAttr numbers = cast<GatherOp>(op).getDimensionNumbers();
  TrueShape batch, offsets;
  for (auto [i, extent] : llvm::enumerate(results[0]))
    (llvm::is_contained(numbers.getOffsetDims(), i) ? offsets : batch)
        .push_back(extent);
  llvm::append_range(batch, offsets);
  bool changed = batch != results[0];
  results[0] = batch;
  return changed;
}

static bool gatherTakesAll(Operation *op, Results &results) {
  auto gather = cast<GatherOp>(op);
  GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  TrueShape from = SizedProgram::shape(gather.getOperand());
  auto offset = numbers.getOffsetDims().begin();
  bool changed = false;
  for (size_t i = 0; i < from.size(); ++i)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), i))
      changed |= change(results[0][*offset++], from[i]);
  return changed;
}

static bool transformForgetsOne(Operation *op, Results &results) {
  if (cast<FftOp>(op).getFftType() != FftType::RFFT)
    return false;
  results[0].back() = results[0].back() - 1;
  return true;
}

static bool inverseGivesHalf(Operation *op, Results &results) {
  if (cast<FftOp>(op).getFftType() != FftType::IRFFT)
    return false;
  return change(results[0].back(),
                SizedProgram::shape(op->getOperand(0)).back());
}

static bool exchangeOnlySplits(Operation *op, Results &results) {
  auto exchange = cast<AllToAllOp>(op);
  Expression &extent = results[0][exchange.getConcatDimension()];
  extent = extent.floorDiv(exchange.getSplitCount());
  return exchange.getConcatDimension() != exchange.getSplitDimension();
}

static bool dynamicSliceTakesAll(Operation *op, Results &results) {
  return ofOperand(0)(op, results);
}

ArrayRef<RuleMutant> ruleMutants() {
  auto slip = [](auto set) {
    WindowSlip slip;
    set(slip);
    return slip;
  };
  using Slip = WindowSlip;
  static const std::vector<RuleMutant> mutants = {
      {"an elementwise result is one longer", "stablehlo.negate", addOne},
      {"an elementwise result has the bound", "stablehlo.exponential", atBound},
      {"a sum takes equal sizes for granted", "stablehlo.add", {}, true},
      {"a comparison takes equal sizes for granted",
       "stablehlo.compare",
       {},
       true},
      {"a choice takes equal sizes for granted", "stablehlo.select", {}, true},
      {"a bound takes equal sizes for granted", "stablehlo.clamp", {}, true},
      {"a map takes equal sizes for granted", "stablehlo.map", {}, true},
      {"a concatenation takes equal sizes for granted",
       "stablehlo.concatenate",
       {},
       true},
      {"a product takes equal sizes for granted",
       "stablehlo.dot_general",
       {},
       true},
      {"a reduction takes equal sizes for granted",
       "stablehlo.reduce",
       {},
       true},
      {"an order takes equal sizes for granted", "stablehlo.sort", {}, true},
      {"a broadcast takes equal sizes for granted",
       "stablehlo.broadcast_in_dim",
       {},
       true},
      {"a transposition goes the other way", "stablehlo.transpose",
       transposeInverts},
      {"a transposition does nothing", "stablehlo.transpose", ofOperand(0)},
      {"a reversal swaps dimensions", "stablehlo.reverse", swapDimensions},
      {"a concatenation has the first part's size", "stablehlo.concatenate",
       concatenateTakesFirst},
      {"a concatenation forgets the last part", "stablehlo.concatenate",
       concatenateForgetsLast},
      {"a pad forgets what is before", "stablehlo.pad",
       wrongPad(false, true, 1, true)},
      {"a pad forgets what is behind", "stablehlo.pad",
       wrongPad(true, false, 1, true)},
      {"a pad forgets what is between", "stablehlo.pad",
       wrongPad(true, true, 0, true)},
      {"a pad puts something behind the last element", "stablehlo.pad",
       wrongPad(true, true, 2, true)},
      {"a pad of nothing has less than nothing between", "stablehlo.pad",
       wrongPad(true, true, 1, false)},
      {"a slice rounds down", "stablehlo.slice", sliceRoundsDown},
      {"a slice forgets its start", "stablehlo.slice", sliceForgetsStart},
      {"a slice forgets its strides", "stablehlo.slice", sliceForgetsStride},
      {"a slice has the numbers of the bound", "stablehlo.slice",
       sliceIgnoresSizes},
      {"a reduction keeps the first dimensions", "stablehlo.reduce",
       reduceKeepsFirst},
      {"a product swaps its sides", "stablehlo.dot_general", dotSwapsSides},
      {"a product has the bound", "stablehlo.dot_general", atBound},
      {"a convolution forgets its strides", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.stride = true; }))},
      {"a convolution forgets the input's dilation", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.base = true; }))},
      {"a convolution forgets the kernel's dilation", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.window = true; }))},
      {"a convolution forgets the padding before", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.low = true; }))},
      {"a convolution forgets the padding behind", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.high = true; }))},
      {"a convolution rounds up", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.ceil = true; }))},
      {"a convolution forgets the first place", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.one = true; }))},
      {"a convolution has less than no place", "stablehlo.convolution",
       wrongConvolution(slip([](Slip &s) { s.clamp = true; }))},
      {"a convolution keeps the batch of groups", "stablehlo.convolution",
       convolutionKeepsBatch},
      {"a convolution gives as many features as it takes",
       "stablehlo.convolution", convolutionGivesInputs},
      {"a window forgets its strides", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.stride = true; }))},
      {"a window forgets the base's dilation", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.base = true; }))},
      {"a window forgets its own dilation", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.window = true; }))},
      {"a window forgets its size", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.size = true; }))},
      {"a window rounds up", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.ceil = true; }))},
      {"a window has less than no place", "stablehlo.reduce_window",
       wrongWindow(slip([](Slip &s) { s.clamp = true; }))},
      {"a window that grows has the bound's size", "stablehlo.reduce_window",
       windowIgnoresSizes},
      {"a gather has its slices behind the batch", "stablehlo.gather",
       gatherMixesOffsets},
      {"a gather takes whole dimensions", "stablehlo.gather", gatherTakesAll},
      {"a scatter swaps dimensions", "stablehlo.scatter", swapDimensions},
      {"a dynamic slice takes all", "stablehlo.dynamic_slice",
       dynamicSliceTakesAll},
      {"an update gives the update's shape", "stablehlo.dynamic_update_slice",
       ofOperand(1)},
      {"a solution has the matrix's shape", "stablehlo.triangular_solve",
       ofOperand(0)},
      {"a real transform forgets the middle", "stablehlo.fft",
       transformForgetsOne},
      {"an inverse transform has half", "stablehlo.fft", inverseGivesHalf},
      {"an exchange between devices only splits", "stablehlo.all_to_all",
       exchangeOnlySplits},
      {"a normalization is one longer", "stablehlo.batch_norm_inference",
       addOne},
  };
  return mutants;
}

} // namespace heddle::sized
