// A convolution of an input with zeros between its points (a transposed
// convolution, a gradient), as one dense convolution per phase: output points
// that lie a multiple of the dilation apart meet the same taps. Where a
// target's kernels rather step over the zeros, it stays whole.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/ConvolutionPhases.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/ViewFolding.h"
#include "passes/Lower/Weights/WeightPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITDILATEDCONVOLUTION
#include "passes/Dispatch/Passes.h.inc"

namespace {
/// Builds the phases of one convolution.
class Splitter {
public:
  Splitter(kernel::ConvolutionOp op, WeightPrograms &weights)
      : op(op), weights(weights), builder(op), loc(op.getLoc()),
        result(cast<RankedTensorType>(op.getType())) {
    ArrayRef<int64_t> input = typeOf(op.getInput()).getShape();
    for (unsigned i = 0; i < op.getNumSpatialDims(); ++i)
      dims.push_back({input[i + 1], op.getKernelExtents()[i],
                      result.getDimSize(i + 1), op.getStrides()[i],
                      op.getLhsDilation()[i], op.getRhsDilation()[i],
                      op.getPadding()[2 * i]});
  }

  /// Whether the target has the convolution split, and it can be.
  bool isSplit(const DilationFacts &facts) {
    if (size::hasExtents(typeOf(op.getInput())) || size::hasExtents(result))
      return false;
    int64_t count = 1;
    for (const DilatedDimension &dim : dims)
      count *= dim.lhsDilation;
    if (count == 1 || count > facts.maximumPhases ||
        result.getNumElements() == 0)
      return false;
    int64_t channels = result.getShape().back();
    double products = double(result.getNumElements()) / count *
                      typeOf(op.getWeights()).getNumElements() / channels;
    if (op.getGroups() == 1 && channels >= facts.leastChannels &&
        products < facts.leastProducts)
      return false;
    for (const DilatedDimension &dim : dims) {
      SmallVector<ConvolutionPhase> &list = phases.emplace_back();
      for (int64_t number = 0; number < dim.lhsDilation; ++number) {
        std::optional<ConvolutionPhase> phase = dim.phase(number);
        if (!phase)
          return false;
        list.push_back(*phase);
      }
    }
    return true;
  }

  void split() {
    SmallVector<ConvolutionPhase> chosen;
    Value joined = join(chosen);
    // [N, points, phases, ..., C] is [N, points * phases, ..., C].
    SmallVector<int64_t> shape = {result.getDimSize(0)};
    for (const DilatedDimension &dim : dims)
      shape.push_back(dim.points() * dim.lhsDilation);
    shape.push_back(result.getShape().back());
    joined = tensor::CollapseShapeOp::create(builder, loc, result.clone(shape),
                                             joined, pointsAndPhases());
    if (ArrayRef<int64_t>(shape) != result.getShape())
      joined = part(joined, SmallVector<int64_t>(shape.size(), 0),
                    SmallVector<int64_t>(shape.size(), 1), result.getShape());
    op.replaceAllUsesWith(joined);
    op.erase();
  }

private:
  /// [N, points, phase, ..., C] as dimensions of [N, points, ..., C].
  SmallVector<ReassociationIndices> pointsAndPhases() {
    SmallVector<ReassociationIndices> groups = {{0}};
    for (int64_t i = 0, e = dims.size(); i < e; ++i)
      groups.push_back({2 * i + 1, 2 * i + 2});
    groups.push_back({static_cast<int64_t>(2 * dims.size() + 1)});
    return groups;
  }

  /// A generic of `shape` whose point d is point starts + d * steps of `value`.
  Value part(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
             ArrayRef<int64_t> shape) {
    SmallVector<AffineExpr> position;
    for (auto [i, start, step] : llvm::enumerate(starts, steps))
      position.push_back(builder.getAffineDimExpr(i) * step + start);
    return createPointwise(
        builder, loc, typeOf(value).clone(shape), value,
        AffineMap::get(shape.size(), 0, position, builder.getContext()),
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }

  /// The phases that begin with `chosen`, next to each other in a dimension
  /// after each spatial one.
  Value join(SmallVectorImpl<ConvolutionPhase> &chosen) {
    size_t depth = chosen.size();
    if (depth == dims.size())
      return convolve(chosen);
    SmallVector<Value> parts;
    for (const ConvolutionPhase &phase : phases[depth]) {
      chosen.push_back(phase);
      parts.push_back(join(chosen));
      chosen.pop_back();
    }
    if (parts.size() == 1)
      return parts.front();
    SmallVector<int64_t> shape(typeOf(parts.front()).getShape());
    int64_t dimension = 2 * depth + 2;
    shape[dimension] = parts.size();
    return kernel::ConcatenateOp::create(builder, loc, result.clone(shape),
                                         parts,
                                         builder.getI64IntegerAttr(dimension));
  }

  /// The taps of a phase; those of a weight are a weight.
  Value taps(ArrayRef<ConvolutionPhase> chosen) {
    Value all = op.getWeights();
    RankedTensorType type = typeOf(all);
    SmallVector<int64_t> starts(type.getRank(), 0), steps(type.getRank(), 1);
    SmallVector<int64_t> limits(type.getShape()), shape(limits);
    for (auto [i, phase] : llvm::enumerate(chosen)) {
      starts[i] = phase.start;
      steps[i] = phase.step;
      shape[i] = phase.count;
    }
    if (type.getShape() == ArrayRef<int64_t>(shape))
      return all;
    kernel::WeightOp weight = weights.referredTo(all);
    if (!weight)
      return part(all, starts, steps, shape);
    kernel::WeightOp fewer = weights.derive(
        weight,
        [&](OpBuilder &b, Value value) {
          return stablehlo::SliceOp::create(
              b, loc, typeOf(value).clone(shape), value,
              b.getDenseI64ArrayAttr(starts), b.getDenseI64ArrayAttr(limits),
              b.getDenseI64ArrayAttr(steps));
        },
        /*packing=*/"");
    Value reference = weights.reference(builder, fewer);
    reference.setType(loweredTensorType(reference.getType()));
    return reference;
  }

  /// The input without the points that negative paddings cut off, which become
  /// zero.
  Value cutInput(SmallVectorImpl<int64_t> &padding) {
    if (llvm::all_of(padding, [](int64_t points) { return points >= 0; }))
      return op.getInput();
    RankedTensorType type = typeOf(op.getInput());
    SmallVector<int64_t> low(type.getRank(), 0), high = low, none = low;
    SmallVector<int64_t> shape(type.getShape());
    for (unsigned i = 0; i < dims.size(); ++i) {
      low[i + 1] = std::min<int64_t>(padding[2 * i], 0);
      high[i + 1] = std::min<int64_t>(padding[2 * i + 1], 0);
      padding[2 * i] -= low[i + 1];
      padding[2 * i + 1] -= high[i + 1];
      shape[i + 1] += low[i + 1] + high[i + 1];
    }
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
    return kernel::PadOp::create(builder, loc, type.clone(shape), op.getInput(),
                                 zero, low, high, none);
  }

  /// One phase, as [N, points, 1, ..., C].
  Value convolve(ArrayRef<ConvolutionPhase> chosen) {
    SmallVector<int64_t> shape = {result.getDimSize(0)}, withPhases = shape;
    SmallVector<int64_t> dilation, padding;
    bool isEmpty = false;
    for (auto [dim, phase] : llvm::zip_equal(dims, chosen)) {
      shape.push_back(dim.points());
      withPhases.append({dim.points(), 1});
      dilation.push_back(phase.dilation);
      padding.append({phase.low, phase.high});
      isEmpty |= phase.count == 0;
    }
    shape.push_back(result.getShape().back());
    withPhases.push_back(result.getShape().back());
    Value sums;
    if (isEmpty) {
      // No tap meets a point of the input.
      sums =
          createPointwise(builder, loc, result.clone(shape), {}, {},
                          [&](OpBuilder &b, Location at, ValueRange) -> Value {
                            return arith::ConstantOp::create(
                                b, at, b.getZeroAttr(result.getElementType()));
                          });
    } else {
      Value input = cutInput(padding), filter = taps(chosen);
      auto dense = cast<kernel::ConvolutionOp>(builder.clone(*op));
      dense.getInputMutable().assign(input);
      dense.getWeightsMutable().assign(filter);
      dense.setLhsDilation(SmallVector<int64_t>(dims.size(), 1));
      dense.setRhsDilation(dilation);
      dense.setPadding(padding);
      sums = dense.getResult();
      sums.setType(result.clone(shape));
    }
    return tensor::ExpandShapeOp::create(builder, loc, result.clone(withPhases),
                                         sums, pointsAndPhases());
  }

  kernel::ConvolutionOp op;
  WeightPrograms &weights;
  OpBuilder builder;
  Location loc;
  RankedTensorType result;
  SmallVector<DilatedDimension> dims;
  /// For each dimension.
  SmallVector<SmallVector<ConvolutionPhase>> phases;
};

struct SplitDilatedConvolution
    : impl::SplitDilatedConvolutionBase<SplitDilatedConvolution> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const DilationFacts &facts = target->dispatchFacts().dilation;
    SmallVector<kernel::ConvolutionOp> convolutions;
    getOperation().walk([&](kernel::ConvolutionOp op) {
      if (llvm::any_of(op.getLhsDilation(), [](int64_t n) { return n > 1; }))
        convolutions.push_back(op);
    });
    if (convolutions.empty())
      return;
    WeightPrograms weights(getOperation());
    for (kernel::ConvolutionOp op : convolutions)
      if (Splitter splitter(op, weights); splitter.isSplit(facts))
        splitter.split();
    for (auto function : getOperation().getOps<func::FuncOp>())
      legalizeReads(function);
  }
};
} // namespace
} // namespace heddle
