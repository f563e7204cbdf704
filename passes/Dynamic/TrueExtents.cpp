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
#include "heddle/Support/TensorTypes.h"
#include "passes/Dynamic/TrueWindows.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

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
  if (!isFixed(op, "start_indices", op.getStartIndices()) ||
      !isFixed(op, "strides", op.getStrides()))
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
  return size::haveAsManyElements(typeOf(op.getOperand()), typeOf(op));
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
  auto isComplex = [&](Type type) {
    return isa<ComplexType>(getElementTypeOrSelf(type));
  };
  if (llvm::any_of(op->getOperandTypes(), isComplex) ||
      llvm::any_of(op->getResultTypes(), isComplex))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ConstantOp, IotaOp, OptimizationBarrierOp, GatherOp,
            DynamicSliceOp>([](Operation *) { return true; })
      .Case<BroadcastInDimOp, TransposeOp, ReshapeOp, SliceOp, ConcatenateOp,
            ReduceOp, DotGeneralOp, DynamicUpdateSliceOp, ReverseOp, ScatterOp,
            SortOp>([](auto typed) { return runs(typed); })
      .Case<ConvolutionOp, ReduceWindowOp>(
          [](auto typed) { return windowsRunOverTrueExtents(typed); })
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

} // namespace heddle
