// Extent rules of StableHLO's operations, in the words of their shape rules:
// what is a number there is an expression here.

#include "dialects/StableHlo/ResultExtents.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using heddle::size::Expression;
using heddle::size::extentsOf;

namespace heddle::stablehlo {

std::string sizedAttributeName(StringRef attribute) {
  return ("size." + attribute).str();
}

static TrueShape constants(MLIRContext *context, ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) {
    return Expression::constant(context, value);
  });
}

TrueShape sizedAttribute(Operation *op, StringRef attribute,
                         ArrayRef<int64_t> atBound) {
  auto sized =
      op->getAttrOfType<size::ExtentsAttr>(sizedAttributeName(attribute));
  if (!sized)
    return constants(op->getContext(), atBound);
  return llvm::map_to_vector(sized.getExtents(),
                             [](auto extent) { return Expression(extent); });
}

namespace {

/// The rules of one operation's kind each.
class Inference {
public:
  Inference(ExtentRules &rules, Operation *op)
      : rules(rules), op(op), context(op->getContext()) {}

  LogicalResult run(SmallVectorImpl<TrueShape> &results);

private:
  /// Nothing for a value that is no tensor.
  static TrueShape shapeOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? TrueShape(extentsOf(type)) : TrueShape();
  }
  Expression number(int64_t value) const {
    return Expression::constant(context, value);
  }
  TrueShape attribute(StringRef name, ArrayRef<int64_t> atBound) const {
    return sizedAttribute(op, name, atBound);
  }
  /// Each dimension of `shape` is that of `other`.
  LogicalResult meet(TrueShape &shape, const TrueShape &other);
  LogicalResult meet(Expression &extent, Expression other) {
    extent = rules.meet(extent, other, op);
    return success(bool(extent));
  }
  Expression product(const TrueShape &shape) const {
    Expression result = number(1);
    for (Expression extent : shape)
      result = result * extent;
    return result;
  }
  /// Where the window stands along one dimension.
  Expression places(Expression extent, Expression low, Expression high,
                    int64_t size, int64_t stride, int64_t baseDilation,
                    int64_t windowDilation) const;

  FailureOr<TrueShape> same(ValueRange values);
  FailureOr<TrueShape> broadcast(BroadcastInDimOp broadcast);
  FailureOr<TrueShape> concatenate(ConcatenateOp concatenate);
  FailureOr<TrueShape> pad(PadOp pad);
  FailureOr<TrueShape> slice(SliceOp slice);
  FailureOr<TrueShape> reshape(ReshapeOp reshape);
  FailureOr<TrueShape> product(DotGeneralOp dot);
  FailureOr<TrueShape> convolution(ConvolutionOp convolution);
  FailureOr<TrueShape> gather(GatherOp gather);
  FailureOr<TrueShape> reduce(ReduceOp reduce);
  FailureOr<TrueShape> reduceWindow(ReduceWindowOp reduce);
  FailureOr<TrueShape> fourier(FftOp fft);
  FailureOr<TrueShape> allToAll(AllToAllOp exchange);

  ExtentRules &rules;
  Operation *op;
  MLIRContext *context;
};

} // namespace

LogicalResult Inference::meet(TrueShape &shape, const TrueShape &other) {
  for (auto [extent, wanted] : llvm::zip_equal(shape, other))
    if (failed(meet(extent, wanted)))
      return failure();
  return success();
}

Expression Inference::places(Expression extent, Expression low, Expression high,
                             int64_t size, int64_t stride, int64_t baseDilation,
                             int64_t windowDilation) const {
  // Without an element there is nothing between elements.
  Expression dilated =
      baseDilation == 1
          ? extent
          : Expression::maximum((extent - 1) * baseDilation + 1, number(0));
  Expression padded = low + dilated + high;
  int64_t reach = (size - 1) * windowDilation + 1;
  return Expression::maximum((padded - reach).floorDiv(stride) + 1, number(0));
}

/// The extents of tensors that are of one shape.
FailureOr<TrueShape> Inference::same(ValueRange values) {
  TrueShape shape = shapeOf(values.front());
  for (Value value : values.drop_front())
    if (failed(meet(shape, shapeOf(value))))
      return failure();
  return shape;
}

FailureOr<TrueShape> Inference::broadcast(BroadcastInDimOp broadcast) {
  TrueShape shape = shapeOf(broadcast.getResult());
  for (auto [extent, dimension] : llvm::zip_equal(
           shapeOf(broadcast.getOperand()), broadcast.getBroadcastDimensions()))
    if (!extent.isConstant(1) && failed(meet(shape[dimension], extent)))
      return failure();
  return shape;
}

FailureOr<TrueShape> Inference::concatenate(ConcatenateOp concatenate) {
  int64_t along = concatenate.getDimension();
  TrueShape shape = shapeOf(concatenate.getInputs().front());
  for (Value input : concatenate.getInputs().drop_front())
    for (auto [dimension, extent] : llvm::enumerate(shapeOf(input))) {
      if (int64_t(dimension) == along)
        shape[dimension] = shape[dimension] + extent;
      else if (failed(meet(shape[dimension], extent)))
        return failure();
    }
  return shape;
}

FailureOr<TrueShape> Inference::pad(PadOp pad) {
  TrueShape shape = shapeOf(pad.getOperand());
  TrueShape low = attribute("edge_padding_low", pad.getEdgePaddingLow());
  TrueShape high = attribute("edge_padding_high", pad.getEdgePaddingHigh());
  for (auto [extent, before, behind, between] :
       llvm::zip_equal(shape, low, high, pad.getInteriorPadding())) {
    if (between != 0)
      extent = Expression::maximum(extent * (between + 1) - between, number(0));
    extent = before + extent + behind;
  }
  return shape;
}

FailureOr<TrueShape> Inference::slice(SliceOp slice) {
  TrueShape shape;
  for (auto [start, limit, stride] :
       llvm::zip_equal(attribute("start_indices", slice.getStartIndices()),
                       attribute("limit_indices", slice.getLimitIndices()),
                       slice.getStrides()))
    shape.push_back((limit - start).ceilDiv(stride));
  return shape;
}

FailureOr<TrueShape> Inference::reshape(ReshapeOp reshape) {
  TrueShape shape = shapeOf(reshape.getResult());
  Expression elements = product(shapeOf(reshape.getOperand()));
  if (failed(meet(elements, product(shape))))
    return failure();
  return shape;
}

FailureOr<TrueShape> Inference::product(DotGeneralOp dot) {
  TrueShape lhs = shapeOf(dot.getLhs()), rhs = shapeOf(dot.getRhs()), shape;
  DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions(),
                    rhsBatch = numbers.getRhsBatchingDimensions(),
                    lhsSummed = numbers.getLhsContractingDimensions(),
                    rhsSummed = numbers.getRhsContractingDimensions();
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch)) {
    if (failed(meet(lhs[l], rhs[r])))
      return failure();
    shape.push_back(lhs[l]);
  }
  for (auto [l, r] : llvm::zip_equal(lhsSummed, rhsSummed))
    if (failed(meet(lhs[l], rhs[r])))
      return failure();
  auto addFree = [&](const TrueShape &side, ArrayRef<int64_t> batch,
                     ArrayRef<int64_t> summed) {
    for (auto [dimension, extent] : llvm::enumerate(side))
      if (!llvm::is_contained(batch, dimension) &&
          !llvm::is_contained(summed, dimension))
        shape.push_back(extent);
  };
  addFree(lhs, lhsBatch, lhsSummed);
  addFree(rhs, rhsBatch, rhsSummed);
  return shape;
}

/// Numbers of an optional list, `otherwise` where it is missing.
static SmallVector<int64_t> listOr(std::optional<ArrayRef<int64_t>> list,
                                   int64_t count, int64_t otherwise) {
  return list ? SmallVector<int64_t>(*list)
              : SmallVector<int64_t>(count, otherwise);
}

/// Low and high paddings, in turn.
static SmallVector<int64_t> flatPadding(DenseIntElementsAttr padding,
                                        int64_t rank) {
  SmallVector<int64_t> flat;
  for (auto [low, high] : paddingPairs(padding, rank)) {
    flat.push_back(low);
    flat.push_back(high);
  }
  return flat;
}

FailureOr<TrueShape> Inference::convolution(ConvolutionOp convolution) {
  TrueShape input = shapeOf(convolution.getLhs());
  auto weights = cast<RankedTensorType>(convolution.getRhs().getType());
  ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
  int64_t rank = numbers.getInputSpatialDimensions().size();
  SmallVector<int64_t> strides =
      listOr(convolution.getWindowStrides(), rank, 1);
  SmallVector<int64_t> inputDilation =
      listOr(convolution.getLhsDilation(), rank, 1);
  SmallVector<int64_t> kernelDilation =
      listOr(convolution.getRhsDilation(), rank, 1);
  TrueShape padding =
      attribute("padding", flatPadding(convolution.getPaddingAttr(), rank));
  // Windows of weights that depend on a size are an exotic that no kernel has.
  for (int64_t i = 0; i < rank; ++i)
    if (!size::extentOf(weights, numbers.getKernelSpatialDimensions()[i])
             .isConstant())
      return op->emitOpError("has a window whose size is chosen by calls");
  TrueShape shape(input.size());
  shape[numbers.getOutputBatchDimension()] =
      input[numbers.getInputBatchDimension()].floorDiv(
          convolution.getBatchGroupCount());
  shape[numbers.getOutputFeatureDimension()] =
      size::extentOf(weights, numbers.getKernelOutputFeatureDimension());
  for (int64_t i = 0; i < rank; ++i)
    shape[numbers.getOutputSpatialDimensions()[i]] =
        places(input[numbers.getInputSpatialDimensions()[i]], padding[2 * i],
               padding[2 * i + 1],
               weights.getDimSize(numbers.getKernelSpatialDimensions()[i]),
               strides[i], inputDilation[i], kernelDilation[i]);
  return shape;
}

FailureOr<TrueShape> Inference::gather(GatherOp gather) {
  GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  TrueShape batch = shapeOf(gather.getStartIndices());
  if (numbers.getIndexVectorDim() < int64_t(batch.size()))
    batch.erase(batch.begin() + numbers.getIndexVectorDim());
  TrueShape offset;
  for (auto [dimension, extent] :
       llvm::enumerate(attribute("slice_sizes", gather.getSliceSizes())))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), dimension) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), dimension))
      offset.push_back(extent);
  TrueShape shape;
  auto nextBatch = batch.begin(), nextOffset = offset.begin();
  for (size_t i = 0, rank = batch.size() + offset.size(); i < rank; ++i)
    shape.push_back(llvm::is_contained(numbers.getOffsetDims(), i)
                        ? *nextOffset++
                        : *nextBatch++);
  return shape;
}

FailureOr<TrueShape> Inference::reduce(ReduceOp reduce) {
  FailureOr<TrueShape> whole = same(reduce.getInputs());
  if (failed(whole))
    return failure();
  TrueShape shape;
  for (auto [dimension, extent] : llvm::enumerate(*whole))
    if (!llvm::is_contained(reduce.getDimensions(), dimension))
      shape.push_back(extent);
  return shape;
}

FailureOr<TrueShape> Inference::reduceWindow(ReduceWindowOp reduce) {
  FailureOr<TrueShape> shape = same(reduce.getInputs());
  if (failed(shape))
    return failure();
  int64_t rank = shape->size();
  SmallVector<int64_t> strides = listOr(reduce.getWindowStrides(), rank, 1);
  SmallVector<int64_t> base = listOr(reduce.getBaseDilations(), rank, 1);
  SmallVector<int64_t> window = listOr(reduce.getWindowDilations(), rank, 1);
  TrueShape sizes =
      attribute("window_dimensions", reduce.getWindowDimensions());
  TrueShape padding =
      attribute("padding", flatPadding(reduce.getPaddingAttr(), rank));
  for (int64_t i = 0; i < rank; ++i) {
    Expression &extent = (*shape)[i];
    // A window over all of a dimension, as of a global pooling: it stands once.
    if (!sizes[i].isConstant()) {
      if (strides[i] != 1 || base[i] != 1 || window[i] != 1)
        return op->emitOpError("has a window whose size is chosen by calls, "
                               "with strides or dilations");
      extent = Expression::maximum(extent + padding[2 * i] +
                                       padding[2 * i + 1] - sizes[i] + 1,
                                   number(0));
      continue;
    }
    extent = places(extent, padding[2 * i], padding[2 * i + 1],
                    *sizes[i].asConstant(), strides[i], base[i], window[i]);
  }
  return shape;
}

FailureOr<TrueShape> Inference::fourier(FftOp fft) {
  TrueShape shape = shapeOf(fft.getOperand());
  TrueShape lengths = attribute("fft_length", fft.getFftLength());
  if (fft.getFftType() == FftType::RFFT)
    shape.back() = lengths.back().floorDiv(2) + 1;
  else if (fft.getFftType() == FftType::IRFFT)
    shape.back() = lengths.back();
  return shape;
}

FailureOr<TrueShape> Inference::allToAll(AllToAllOp exchange) {
  TrueShape shape = shapeOf(exchange.getOperands().front());
  int64_t count = exchange.getSplitCount();
  shape[exchange.getSplitDimension()] =
      shape[exchange.getSplitDimension()].floorDiv(count);
  shape[exchange.getConcatDimension()] =
      shape[exchange.getConcatDimension()] * count;
  return shape;
}

LogicalResult Inference::run(SmallVectorImpl<TrueShape> &results) {
  auto all = [&](FailureOr<TrueShape> shape) -> LogicalResult {
    if (failed(shape))
      return failure();
    for (Expression &extent : *shape)
      if (!(extent = rules.simplified(extent)))
        return op->emitOpError("has an extent that is too long an expression");
    results.append(op->getNumResults(), *shape);
    return success();
  };
  // As its types say.
  auto told = [&] {
    for (Value result : op->getResults())
      results.push_back(shapeOf(result));
    return success();
  };
  if (op->getNumResults() == 0)
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](BroadcastInDimOp x) { return all(broadcast(x)); })
      .Case([&](ConcatenateOp x) { return all(concatenate(x)); })
      .Case([&](PadOp x) { return all(pad(x)); })
      .Case([&](SliceOp x) { return all(slice(x)); })
      .Case([&](ReshapeOp x) { return all(reshape(x)); })
      .Case([&](DotGeneralOp x) { return all(product(x)); })
      .Case([&](ConvolutionOp x) { return all(convolution(x)); })
      .Case([&](GatherOp x) { return all(gather(x)); })
      .Case([&](ReduceOp x) { return all(reduce(x)); })
      .Case([&](ReduceWindowOp x) { return all(reduceWindow(x)); })
      .Case([&](FftOp x) { return all(fourier(x)); })
      .Case([&](AllToAllOp x) { return all(allToAll(x)); })
      .Case([&](TransposeOp x) {
        TrueShape from = shapeOf(x.getOperand()), shape;
        for (int64_t dimension : x.getPermutation())
          shape.push_back(from[dimension]);
        return all(shape);
      })
      .Case([&](DynamicSliceOp x) {
        return all(attribute("slice_sizes", x.getSliceSizes()));
      })
      // A count that the program computes: a symbol that its type names.
      .Case([&](SetDimensionSizeOp x) {
        TrueShape shape = shapeOf(x.getOperand());
        shape[x.getDimension()] = shapeOf(x.getResult())[x.getDimension()];
        return all(shape);
      })
      .Case([&](BroadcastOp x) {
        TrueShape shape = attribute("broadcast_sizes", x.getBroadcastSizes());
        llvm::append_range(shape, shapeOf(x.getOperand()));
        return all(shape);
      })
      // The shape of one operand, whatever the others are.
      .Case<DynamicUpdateSliceOp, ReverseOp, CholeskyOp, SelectAndScatterOp,
            ReducePrecisionOp, CollectivePermuteOp>(
          [&](Operation *x) { return all(shapeOf(x->getOperand(0))); })
      // As many features everywhere.
      .Case([&](BatchNormInferenceOp x) -> LogicalResult {
        TrueShape shape = shapeOf(x.getOperand());
        Expression &features = shape[x.getFeatureIndex()];
        for (Value vector : x->getOperands().drop_front())
          if (failed(meet(features, shapeOf(vector).front())))
            return failure();
        return all(shape);
      })
      .Case([&](TriangularSolveOp x) { return all(shapeOf(x.getB())); })
      .Case([&](ScatterOp x) { return all(same(x.getInputs())); })
      .Case([&](SelectOp x) {
        ValueRange tensors = x->getOperands();
        bool isScalar = shapeOf(x.getPred()).empty();
        return all(same(isScalar ? tensors.drop_front() : tensors));
      })
      .Case([&](ClampOp x) {
        SmallVector<Value> tensors = {x.getOperand()};
        for (Value bound : {x.getMin(), x.getMax()})
          if (!shapeOf(bound).empty())
            tensors.push_back(bound);
        return all(same(tensors));
      })
      // What is carried around has one shape; branches are checked by who
      // walks into them.
      .Case<ConstantOp, IotaOp, BitcastConvertOp, IfOp, CaseOp, WhileOp,
            CustomCallOp, CompositeOp, TupleOp, GetTupleElementOp, RngOp,
            RngBitGeneratorOp, AfterAllOp, CreateTokenOp, InfeedOp, OutfeedOp,
            SendOp, RecvOp, AsyncStartOp, AsyncDoneOp, GetDimensionSizeOp,
            ReplicaIdOp, PartitionIdOp, BatchNormTrainingOp, BatchNormGradOp,
            AllGatherOp, ReduceScatterOp, size::TensorOp>(
          [&](Operation *) { return told(); })
      .Case<OptimizationBarrierOp, AllReduceOp, CollectiveBroadcastOp,
            CollectiveReduceOp>([&](Operation *x) {
        for (Value operand : x->getOperands())
          results.push_back(shapeOf(operand));
        return success();
      })
      .Default([&](Operation *x) -> LogicalResult {
        // Elementwise, and what maps or orders elements of equal shapes.
        if (x->hasTrait<OpTrait::Elementwise>() || isa<MapOp, SortOp>(x) ||
            x->hasTrait<OpTrait::SameOperandsAndResultShape>())
          return all(same(x->getOperands()));
        // What other dialects add is told its sizes.
        if (!isa_and_nonnull<StableHloDialect>(x->getDialect()))
          return told();
        return x->emitOpError("has no rule for extents that calls choose");
      });
}

LogicalResult inferExtents(Operation *op, ExtentRules &rules,
                           SmallVectorImpl<TrueShape> &results) {
  return Inference(rules, op).run(results);
}

} // namespace heddle::stablehlo
