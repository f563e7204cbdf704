// Which operations have kernels over true extents.
//
// A loop of a kernel runs as far as the tensors that it walks truly do, so that
// all of them must say the same, as one expression: what calls are checked for
// is not enough. Positions are sums of multiples of loops, where these are
// sizes only for whole dimensions.

#include "passes/Dynamic/TrueExtents.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Kernel/Composites.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/Attention.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/SliceParts.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/WindowPadding.h"
#include "heddle/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// Whether the elements of an attribute that `which` accepts are the same at
/// each call.
static bool areFixed(Operation *op, StringRef name, ArrayRef<int64_t> atBound,
                     llvm::function_ref<bool(int64_t)> which) {
  TrueShape all = sizedAttribute(op, name, atBound);
  for (auto [i, number] : llvm::enumerate(atBound))
    if (which(i) && !all[i].isConstant(number))
      return false;
  return true;
}

/// An operand is a scalar, or walked by the loops of the result.
static bool runsElementwise(Operation *op) {
  RankedTensorType result = typeOf(op->getResult(0));
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    RankedTensorType type = typeOf(operand);
    return type.getRank() == 0 || size::haveSameSizes(type, result);
  });
}

static bool runs(BroadcastInDimOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  for (auto [i, dim] : llvm::enumerate(op.getBroadcastDimensions()))
    if (!size::isOne(operand, i) && !size::isSameSize(operand, i, result, dim))
      return false;
  return true;
}

/// A dimension is walked as a whole, as the first of equal parts, or from a
/// place within a known one; or a part of all elements in a row is, or the
/// first ones of the only dimension.
static bool runs(SliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  auto all = [](int64_t) { return true; };
  if (!areFixed(op, "start_indices", op.getStartIndices(), all) ||
      !areFixed(op, "strides", op.getStrides(), all))
    return false;
  bool isRow = operand.getRank() > 1, isVector = true;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    isRow &= i == 0 || size::isKnown(operand, i);
    isVector &= op.getStartIndices()[i] == 0 && op.getStrides()[i] == 1;
  }
  isVector &= llvm::count_if(operand.getShape(),
                             [](int64_t size) { return size != 1; }) <= 1;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    if (operand.getDimSize(i) != result.getDimSize(i)) {
      // The position says itself that it is not the loop of the whole.
      bool isPlaced = size::isKnown(operand, i) && size::isKnown(result, i) &&
                      (op.getStartIndices()[i] != 0 || op.getStrides()[i] != 1);
      if (!isRow && !isVector && !isPlaced && !isFirstOfParts(op, i))
        return false;
    } else if (!size::isKnown(operand, i) &&
               !size::isSameSize(operand, i, result, i)) {
      return false;
    }
  }
  return true;
}

/// Runs of elements are copied behind each other, wherever these begin.
static bool runs(ConcatenateOp op) {
  RankedTensorType result = typeOf(op);
  int64_t dim = op.getDimension();
  auto sum = size::Expression::constant(op.getContext(), 0);
  for (Value input : op.getInputs()) {
    for (int64_t i = 0; i < result.getRank(); ++i)
      if (i != dim && !size::isSameSize(typeOf(input), i, result, i))
        return false;
    sum = sum + size::extentOf(typeOf(input), dim);
  }
  return sum && sum == size::extentOf(result, dim);
}

static bool runs(TransposeOp op) {
  for (auto [i, from] : llvm::enumerate(op.getPermutation()))
    if (!size::isSameSize(typeOf(op.getOperand()), from, typeOf(op), i))
      return false;
  return true;
}

/// On the way there may be a row of all elements, in the same memory.
static bool runs(ReshapeOp op) {
  size::Expression elements = size::elementsOf(typeOf(op.getOperand()));
  return elements && elements == size::elementsOf(typeOf(op));
}

static bool runs(ReduceOp op) {
  RankedTensorType first = typeOf(op.getInputs().front()),
                   result = typeOf(op->getResult(0));
  int64_t left = 0;
  for (int64_t i = 0; i < first.getRank(); ++i)
    if (!llvm::is_contained(op.getDimensions(), i) &&
        !size::isSameSize(first, i, result, left++))
      return false;
  auto areAs = [](auto values, RankedTensorType type) {
    return llvm::all_of(values, [&](Value value) {
      return size::haveSameSizes(typeOf(value), type);
    });
  };
  return areAs(op.getInputs(), first) && areAs(op->getResults(), result);
}

/// As many elements as there truly are are written, held by the kernel within
/// what there is.
static bool runs(DynamicUpdateSliceOp op) {
  return size::haveSameSizes(typeOf(op.getOperand()), typeOf(op));
}

/// A position may be held within a dimension by a number of 32 bits at least.
static bool runs(GatherOp op) {
  RankedTensorType operand = typeOf(op.getOperand());
  unsigned width = typeOf(op.getStartIndices()).getElementTypeBitWidth();
  TrueShape taken = sizedAttribute(op, "slice_sizes", op.getSliceSizes());
  return llvm::all_of(
      op.getDimensionNumbers().getStartIndexMap(), [&](int64_t dim) {
        return width >= 32 ||
               (size::isKnown(operand, dim) && taken[dim].isConstant());
      });
}

/// A position may be held within a dimension by a number of 32 bits at least.
static bool runs(DynamicSliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  for (auto [i, start] : llvm::enumerate(op.getStartIndices()))
    if ((!size::isKnown(operand, i) || !size::isKnown(result, i)) &&
        typeOf(start).getElementTypeBitWidth() < 32)
      return false;
  return true;
}

/// All tensors of a list are walked together.
static bool haveOneShape(ValueRange values) {
  return llvm::all_of(values, [&](Value value) {
    return size::haveSameSizes(typeOf(value), typeOf(values.front()));
  });
}

/// Updates go one by one to where their positions say, if there is such a
/// place.
static bool runs(ScatterOp op) {
  return haveOneShape(op.getInputs()) && haveOneShape(op.getUpdates()) &&
         haveOneShape(op->getResults()) &&
         size::haveSameSizes(typeOf(op.getInputs().front()),
                             typeOf(op->getResult(0)));
}

static bool runs(SortOp op) {
  return haveOneShape(op.getInputs()) && haveOneShape(op->getResults()) &&
         size::haveSameSizes(typeOf(op.getInputs().front()),
                             typeOf(op->getResult(0)));
}

/// There are as many as are asked for.
static bool runs(chlo::TopKOp op, const BoundedSizes &sizes) {
  RankedTensorType type = typeOf(op.getOperand());
  int64_t last = type.getRank() - 1;
  for (Value result : op->getResults())
    for (int64_t i = 0; i < last; ++i)
      if (!size::isSameSize(typeOf(result), i, type, i))
        return false;
  return sizes.checkedRanges().isNeverNegative(size::extentOf(type, last) -
                                               int64_t(op.getK()));
}

/// Nothing but what is known is read from its end.
static bool runs(ReverseOp op) {
  return llvm::all_of(op.getDimensions(), [&](int64_t dim) {
    return size::isKnown(typeOf(op), dim);
  });
}

static bool runs(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs());
  auto agree = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    return llvm::all_of(llvm::zip_equal(left, right), [&](auto pair) {
      auto [l, r] = pair;
      return size::isSameSize(lhs, l, rhs, r);
    });
  };
  return agree(numbers.getLhsBatchingDimensions(),
               numbers.getRhsBatchingDimensions()) &&
         agree(numbers.getLhsContractingDimensions(),
               numbers.getRhsContractingDimensions());
}

/// Images are as many and as large as there are, with a border and windows of
/// known sizes.
static bool runs(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType input = typeOf(op.getLhs()), result = typeOf(op);
  SmallVector<int64_t> padding;
  bool isCut = false;
  for (auto [low, high] : op.getPaddingOrDefault()) {
    padding.append({low, high});
    isCut |= low < 0 || high < 0;
  }
  // A cut or spread image becomes other operations on the way.
  bool isSpread = llvm::any_of(op.getLhsDilationOrDefault(),
                               [](int64_t dilation) { return dilation != 1; });
  return op.getBatchGroupCount() == 1 && !isCut && !isSpread &&
         !size::hasExtents(typeOf(op.getRhs())) &&
         op.getNumSpatialDimensions() > 0 &&
         areFixed(op, "padding", padding, [](int64_t) { return true; }) &&
         size::isKnown(input, numbers.getInputFeatureDimension()) &&
         size::isKnown(result, numbers.getOutputFeatureDimension()) &&
         size::isSameSize(input, numbers.getInputBatchDimension(), result,
                          numbers.getOutputBatchDimension());
}

/// Whether each window is everything up to its point along one dimension, or
/// everything from it on: then one walk is enough. Of a dimension that is open,
/// window and padding follow from sizes.
static bool isWalk(ReduceWindowOp op) {
  RankedTensorType input = typeOf(op.getInputs().front());
  auto padding = op.getPaddingOrDefault();
  SmallVector<int64_t> flat;
  for (auto [low, high] : padding)
    flat.append({low, high});
  TrueShape windows =
      sizedAttribute(op, "window_dimensions", op.getWindowDimensions());
  TrueShape pads = sizedAttribute(op, "padding", flat);
  auto areOnes = [](ArrayRef<int64_t> steps) {
    return llvm::all_of(steps, [](int64_t step) { return step == 1; });
  };
  if (!areOnes(op.getWindowStridesOrDefault()) ||
      !areOnes(op.getBaseDilationsOrDefault()) ||
      !areOnes(op.getWindowDilationsOrDefault()))
    return false;
  unsigned walked = 0;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    size::Expression low = pads[2 * i], high = pads[2 * i + 1];
    if (windows[i].isConstant(1) && low.isConstant(0) && high.isConstant(0))
      continue;
    size::Expression rest = size::extentOf(input, i) - 1;
    // The bounds say the same to the kernel.
    int64_t last = input.getDimSize(i) - 1;
    bool isUpTo = low == rest && high.isConstant(0) &&
                  padding[i] == std::pair<int64_t, int64_t>(last, 0);
    bool isFrom = high == rest && low.isConstant(0) &&
                  padding[i] == std::pair<int64_t, int64_t>(0, last);
    if (windows[i] != size::extentOf(input, i) ||
        op.getWindowDimensions()[i] != input.getDimSize(i) ||
        (!isUpTo && !isFrom))
      return false;
    ++walked;
  }
  return walked == 1;
}

/// Windows move along what is open where what they find beyond the border does
/// not count.
static bool runs(ReduceWindowOp op) {
  RankedTensorType input = typeOf(op.getInputs().front()),
                   result = typeOf(op.getResult(0));
  bool areInitsNumbers = llvm::all_of(op.getInitValues(), [](Value init) {
    return matchPattern(init, m_Constant());
  });
  if (isWalk(op))
    return size::haveSameSizes(input, result) && areInitsNumbers &&
           skipsPadding(op);
  if (size::hasSizedAttributes(op))
    return false;
  auto padding = op.getPaddingOrDefault();
  SmallVector<int64_t> flat;
  for (auto [low, high] : padding)
    flat.append({low, high});
  auto all = [](int64_t) { return true; };
  if (!areFixed(op, "padding", flat, all) ||
      !areFixed(op, "window_dimensions", op.getWindowDimensions(), all))
    return false;
  bool moves = false;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    bool isPlain = op.getWindowDimensions()[i] == 1 &&
                   op.getWindowStridesOrDefault()[i] == 1 &&
                   op.getBaseDilationsOrDefault()[i] == 1 &&
                   padding[i] == std::pair<int64_t, int64_t>(0, 0);
    bool isOpen = !size::isKnown(input, i) || !size::isKnown(result, i);
    if (isOpen && isPlain && !size::isSameSize(input, i, result, i))
      return false;
    moves |= isOpen && !isPlain;
  }
  return !moves || (skipsPadding(op) && areInitsNumbers);
}

/// Without a key a row is zero, where the kernel divides by the sum of nothing.
static bool runs(const Attention &attention, const BoundedSizes &sizes) {
  RankedTensorType query = typeOf(attention.query), key = typeOf(attention.key),
                   value = typeOf(attention.value);
  int64_t rank = query.getRank();
  if (!size::isKnown(query, rank - 1) || !size::isKnown(value, rank - 1) ||
      !size::isSameSize(key, rank - 2, value, rank - 2) ||
      !sizes.ranges().isAlwaysPositive(size::extentOf(key, rank - 2)))
    return false;
  bool areShared = attention.headsPerKey() != 1;
  for (int64_t i = 0; i + 2 < rank; ++i) {
    bool isHead = areShared && i + 3 == rank;
    if (isHead ? !size::isKnown(query, i) || !size::isKnown(key, i)
               : !size::isSameSize(query, i, key, i))
      return false;
    if (!size::isSameSize(key, i, value, i))
      return false;
  }
  if (!attention.mask)
    return true;
  // Of trailing dimensions of [batch.., row, column].
  RankedTensorType mask = typeOf(attention.mask);
  for (int64_t i = 0; i < mask.getRank(); ++i) {
    int64_t place = i + rank - mask.getRank();
    bool same = place + 1 == rank ? size::isSameSize(mask, i, key, rank - 2)
                                  : size::isSameSize(mask, i, query, place);
    if (!same && !size::isOne(mask, i))
      return false;
  }
  return true;
}

static bool runs(Operation *op, const BoundedSizes &sizes);

static bool runs(CompositeOp op, const BoundedSizes &sizes) {
  if (op.getName() == "chlo.erf")
    return runsElementwise(op);
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDecompositionAttr());
  if (kernel::isNeutralComposite(op.getName()) || !function ||
      !function.getBody().hasOneBlock())
    return false;
  if (op.getName() == kernel::kAttentionName) {
    std::optional<Attention> attention = Attention::read(
        op.getInputs(), op.getCompositeAttributes(), op->getResultTypes());
    if (!attention || !runs(*attention, sizes))
      return false;
  }
  // A target without a kernel for the whole computes what it is made of.
  return llvm::all_of(function.getBody().front(),
                      [&](Operation &inner) { return runs(&inner, sizes); });
}

/// Whether what comes out of a loop or a branch has the extents, as
/// expressions, of what goes round in it: it is copied, byte by byte.
static bool carriesOneShape(Operation *op) {
  auto areAsResults = [&](TypeRange types) {
    return llvm::equal(types, op->getResultTypes());
  };
  if (auto loop = dyn_cast<WhileOp>(op))
    return areAsResults(op->getOperandTypes()) &&
           areAsResults(loop.getCond().getArgumentTypes()) &&
           areAsResults(loop.getBody().getArgumentTypes()) &&
           areAsResults(
               loop.getBody().front().getTerminator()->getOperandTypes());
  return llvm::all_of(op->getRegions(), [&](Region &region) {
    return areAsResults(region.front().getTerminator()->getOperandTypes());
  });
}

static bool runs(Operation *op, const BoundedSizes &sizes) {
  // Control flow passes values on that its blocks read from outside, too.
  bool isSized = op->walk([](Operation *inner) {
                     return size::isSized(inner) && !isa<size::TensorOp>(inner)
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   }).wasInterrupted();
  if (!isSized || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  auto hasNone = [&](Type type) {
    if (isa<ComplexType>(getElementTypeOrSelf(type)))
      return true;
    // No launch is told what the data decides.
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && sizes.isComputed(tensor);
  };
  if (llvm::any_of(op->getOperandTypes(), hasNone) ||
      llvm::any_of(op->getResultTypes(), hasNone))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ConstantOp, IotaOp, OptimizationBarrierOp>(
          [](Operation *) { return true; })
      .Case<BroadcastInDimOp, TransposeOp, ReshapeOp, SliceOp, ConcatenateOp,
            ReduceOp, GatherOp, DotGeneralOp, DynamicUpdateSliceOp,
            ConvolutionOp, ReduceWindowOp, DynamicSliceOp, ReverseOp, ScatterOp,
            SortOp>([](auto typed) { return runs(typed); })
      .Case([&](CompositeOp o) { return runs(o, sizes); })
      .Case<WhileOp, IfOp, CaseOp>([&](Operation *o) {
        return carriesOneShape(o) &&
               llvm::all_of(o->getRegions(), [&](Region &region) {
                 return llvm::all_of(region.front(), [&](Operation &inner) {
                   return runs(&inner, sizes);
                 });
               });
      })
      .Case([&](chlo::TopKOp o) { return runs(o, sizes); })
      .Case<ClampOp, SelectOp>([](Operation *o) { return runsElementwise(o); })
      .Case([](BitcastConvertOp o) {
        return typeOf(o.getOperand()).getRank() == typeOf(o).getRank() &&
               runsElementwise(o);
      })
      .Case<MapOp, chlo::ZetaOp, chlo::PolygammaOp, RngOp>(
          [](Operation *) { return false; })
      .Default([](Operation *o) {
        return o->hasTrait<OpTrait::Elementwise>() && o->getNumResults() == 1 &&
               runsElementwise(o);
      });
}

bool runsOverTrueExtents(Operation *op, const BoundedSizes &sizes) {
  return runs(op, sizes);
}

/// Holds the positions of `op` within what they truly point into: lowering
/// holds them within the bound.
static void holdPositions(GatherOp op) {
  RankedTensorType operand = typeOf(op.getOperand()),
                   starts = typeOf(op.getStartIndices());
  auto numbers = op.getDimensionNumbers();
  SmallVector<size::Expression> last;
  bool isOpen = false;
  TrueShape taken = sizedAttribute(op, "slice_sizes", op.getSliceSizes());
  for (int64_t dim : numbers.getStartIndexMap()) {
    last.push_back(size::extentOf(operand, dim) - taken[dim]);
    isOpen |= !size::isKnown(operand, dim) || !taken[dim].isConstant();
  }
  if (!isOpen)
    return;
  OpBuilder b(op);
  bool isVector = numbers.getIndexVectorDim() < starts.getRank();
  SmallVector<int64_t> shape, place;
  if (isVector) {
    shape.push_back(last.size());
    place.push_back(numbers.getIndexVectorDim());
  }
  Value limits = size::TensorOp::create(
      b, op.getLoc(), RankedTensorType::get(shape, starts.getElementType()),
      size::extentsAttr(b.getContext(), last));
  Value spread = BroadcastInDimOp::create(b, op.getLoc(), starts, limits,
                                          b.getDenseI64ArrayAttr(place));
  op.getStartIndicesMutable().assign(
      MinOp::create(b, op.getLoc(), starts, op.getStartIndices(), spread));
}

static void holdPositions(DynamicSliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  OpBuilder b(op);
  for (auto [i, start] : llvm::enumerate(op.getStartIndicesMutable())) {
    if (size::isKnown(operand, i) && size::isKnown(result, i))
      continue;
    size::Expression last =
        size::extentOf(operand, i) - size::extentOf(result, i);
    RankedTensorType type = typeOf(start.get());
    Value limit = size::TensorOp::create(
        b, op.getLoc(), type, size::extentsAttr(b.getContext(), {last}));
    // All of a dimension begins at 0.
    start.set(last.isConstant(0)
                  ? limit
                  : MinOp::create(b, op.getLoc(), type, start.get(), limit)
                        .getResult());
  }
}

void holdWithinTrueExtents(func::FuncOp entry) {
  SmallVector<Operation *> readers;
  entry.walk([&](Operation *op) {
    if (isa<GatherOp, DynamicSliceOp>(op))
      readers.push_back(op);
  });
  for (Operation *op : readers)
    llvm::TypeSwitch<Operation *>(op).Case<GatherOp, DynamicSliceOp>(
        [](auto reader) { holdPositions(reader); });
}

} // namespace heddle
