// Scans become loops, ragged products become dense ones.

#include "passes/Graph/DecomposeChlo.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/Chlo/Chlo.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

bool allStatic(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

/// Zeros of any element type that is computed with.
Value zeros(OpBuilder &b, Location loc, RankedTensorType type) {
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    auto part = cast<FloatType>(complex.getElementType());
    APFloat zero = APFloat::getZero(part.getFloatSemantics());
    std::complex<APFloat> both(zero, zero);
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(type, ArrayRef(both)));
  }
  return ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
}

Value integers(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
               int64_t value) {
  auto type = RankedTensorType::get(shape, b.getI32Type());
  return ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// A loop that carries the step's number, the carried values and the outputs so
/// far: each step reads its slices of the inputs and writes those of the
/// outputs.
struct ScanToLoop : OpRewritePattern<chlo::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::ScanOp op,
                                PatternRewriter &rewriter) const override {
    if (!allStatic(op) || ShapedType::isDynamic(op.getNumSteps()))
      return rewriter.notifyMatchFailure(op, "sizes are not known");
    Location loc = op.getLoc();
    SmallVector<Value> initial = {integers(rewriter, loc, {}, 0)};
    llvm::append_range(initial, op.getInits());
    for (Value output : op.getOutputs())
      initial.push_back(zeros(rewriter, loc, typeOf(output)));

    OperationState state(loc, WhileOp::getOperationName());
    state.addOperands(initial);
    state.addTypes(ValueRange(initial).getTypes());
    state.addRegion();
    state.addRegion();
    auto loop = cast<WhileOp>(rewriter.create(state));
    SmallVector<Location> locations(initial.size(), loc);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Block *block = rewriter.createBlock(
          &loop.getCond(), {}, ValueRange(initial).getTypes(), locations);
      Value more =
          CompareOp::create(rewriter, loc, block->getArgument(0),
                            integers(rewriter, loc, {}, op.getNumSteps()),
                            ComparisonDirection::LT);
      ReturnOp::create(rewriter, loc, more);
      block = rewriter.createBlock(&loop.getBody(), {},
                                   ValueRange(initial).getTypes(), locations);
      buildStep(op, block, rewriter);
    }
    unsigned carries = op.getInits().size();
    SmallVector<Value> results(loop->getResults().drop_front(1 + carries));
    llvm::append_range(results,
                       loop->getResults().drop_front().take_front(carries));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static void buildStep(chlo::ScanOp op, Block *block, OpBuilder &b) {
    Location loc = op.getLoc();
    Value number = block->getArgument(0), zero = integers(b, loc, {}, 0);
    Value step = number;
    if (op.getIsReverse().value_or(false))
      step = SubtractOp::create(
          b, loc, integers(b, loc, {}, op.getNumSteps() - 1), number);
    int64_t dimension = op.getDimension();
    unsigned carries = op.getInits().size();
    auto startsFor = [&](RankedTensorType type) {
      SmallVector<Value> starts(type.getRank(), zero);
      starts[dimension] = step;
      return starts;
    };
    Block &given = op.getBody().front();
    IRMapping mapping;
    for (auto [input, argument] :
         llvm::zip(op.getInputs(), given.getArguments())) {
      RankedTensorType type = typeOf(input);
      SmallVector<int64_t> sizes(type.getShape());
      sizes[dimension] = 1;
      Value slice = DynamicSliceOp::create(b, loc, type.clone(sizes), input,
                                           startsFor(type),
                                           b.getDenseI64ArrayAttr(sizes));
      mapping.map(
          argument,
          ReshapeOp::create(b, loc, argument.getType(), slice).getResult());
    }
    mapping.map(given.getArguments().drop_front(op.getInputs().size()),
                block->getArguments().slice(1, carries));
    for (Operation &inner : given.without_terminator())
      b.clone(inner, mapping);
    SmallVector<Value> yielded = llvm::map_to_vector(
        given.getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });

    unsigned outputs = op.getOutputs().size();
    SmallVector<Value> next = {
        AddOp::create(b, loc, number, integers(b, loc, {}, 1))};
    llvm::append_range(next, ArrayRef<Value>(yielded).drop_front(outputs));
    for (unsigned k = 0; k < outputs; ++k) {
      Value whole = block->getArgument(1 + carries + k);
      RankedTensorType type = typeOf(whole);
      SmallVector<int64_t> sizes(type.getShape());
      sizes[dimension] = 1;
      Value slice = ReshapeOp::create(b, loc, type.clone(sizes), yielded[k]);
      next.push_back(DynamicUpdateSliceOp::create(b, loc, type, whole, slice,
                                                  startsFor(type)));
    }
    ReturnOp::create(b, loc, next);
  }
};

//===----------------------------------------------------------------------===//
// ragged_dot
//===----------------------------------------------------------------------===//

/// One product per group; what lies outside of a group is taken out before the
/// groups are added (groups of rows), or out of both factors before they are
/// multiplied (groups of summands). Products of whole batches need neither.
class RaggedProduct {
public:
  RaggedProduct(chlo::RaggedDotOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()),
        numbers(op.getRaggedDotDimensionNumbers()),
        ragged(numbers.getLhsRaggedDimensions()[0]),
        groups(typeOf(op.getGroupSizes()).getDimSize(0)) {}

  Value build() {
    auto result = cast<RankedTensorType>(op.getType());
    if (llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged))
      return dot(op.getLhs(), op.getRhs(), result,
                 DotDimensionNumbersAttr::get(
                     op.getContext(), numbers.getLhsBatchingDimensions(),
                     numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions()));
    auto contracting =
        llvm::find(numbers.getLhsContractingDimensions(), ragged);
    if (contracting == numbers.getLhsContractingDimensions().end())
      return sumOfGroups(result);
    int64_t summand =
        contracting - numbers.getLhsContractingDimensions().begin();
    return dot(inGroups(perGroup(op.getLhs()), 1 + ragged),
               inGroups(perGroup(op.getRhs()),
                        1 + numbers.getRhsContractingDimensions()[summand]),
               result, numbersWithGroups(/*rhsGroup=*/0, /*rhsShift=*/1));
  }

private:
  Value dot(Value lhs, Value rhs, RankedTensorType type,
            DotDimensionNumbersAttr how) {
    return DotGeneralOp::create(b, loc, type, lhs, rhs, how, ArrayAttr(),
                                DotAlgorithmAttr());
  }

  /// Groups come first among the batches of lhs, which has got a dimension for
  /// them in front.
  DotDimensionNumbersAttr numbersWithGroups(int64_t rhsGroup,
                                            int64_t rhsShift) {
    auto shifted = [](ArrayRef<int64_t> dims, int64_t by) {
      return llvm::map_to_vector(dims, [by](int64_t d) { return d + by; });
    };
    SmallVector<int64_t> lhsBatch = {0}, rhsBatch = {rhsGroup};
    llvm::append_range(lhsBatch,
                       shifted(numbers.getLhsBatchingDimensions(), 1));
    llvm::append_range(rhsBatch,
                       shifted(numbers.getRhsBatchingDimensions(), rhsShift));
    return DotDimensionNumbersAttr::get(
        op.getContext(), lhsBatch, rhsBatch,
        shifted(numbers.getLhsContractingDimensions(), 1),
        shifted(numbers.getRhsContractingDimensions(), rhsShift));
  }

  /// The value again for each group, in a first dimension.
  Value perGroup(Value value) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> shape = {groups};
    llvm::append_range(shape, type.getShape());
    return BroadcastInDimOp::create(
        b, loc, type.clone(shape), value,
        llvm::to_vector(llvm::seq<int64_t>(1, type.getRank() + 1)));
  }

  /// Whether position p of the ragged dimension is in group g: [groups,
  /// extent].
  Value membership() {
    int64_t extent = typeOf(op.getLhs()).getDimSize(ragged);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto square = RankedTensorType::get({groups, groups}, i32);
    auto list = RankedTensorType::get({groups}, i32);
    auto table = RankedTensorType::get({groups, extent}, i32);
    auto spread = [&](Value value, RankedTensorType to,
                      int64_t along) -> Value {
      return BroadcastInDimOp::create(b, loc, to, value,
                                      SmallVector<int64_t>{along});
    };
    auto iota = [&](RankedTensorType type, int64_t along) -> Value {
      return IotaOp::create(b, loc, type, along);
    };
    auto compare = [&](Value x, Value y, ComparisonDirection how) -> Value {
      return CompareOp::create(b, loc, x, y, how);
    };
    // A size below zero is none; one beyond the extent fills it.
    Value sizes = op.getGroupSizes();
    if (typeOf(sizes).getElementType() != i64)
      sizes = ConvertOp::create(b, loc, list.clone(i64), sizes);
    sizes = ClampOp::create(b, loc, bound(0), sizes, bound(extent));
    sizes = ConvertOp::create(b, loc, list, sizes);
    // Group g ends where the sizes up to its own have been counted.
    Value counted = SelectOp::create(
        b, loc,
        compare(iota(square, 1), iota(square, 0), ComparisonDirection::LE),
        spread(sizes, square, 1), integers(b, loc, {groups, groups}, 0));
    Value ends = sum(counted, list, 1);
    Value starts = SubtractOp::create(b, loc, ends, sizes);
    Value position = iota(table, 1);
    Value begun =
        compare(position, spread(starts, table, 0), ComparisonDirection::GE);
    Value open =
        compare(position, spread(ends, table, 0), ComparisonDirection::LT);
    return AndOp::create(b, loc, begun, open);
  }

  Value bound(int64_t value) {
    auto type = RankedTensorType::get({}, b.getI64Type());
    return ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getI64IntegerAttr(value)));
  }

  Value sum(Value value, RankedTensorType type, int64_t dimension) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto reduce = ReduceOp::create(b, loc, TypeRange(type), ValueRange(value),
                                   ValueRange(zeros(b, loc, scalar)),
                                   b.getDenseI64ArrayAttr({dimension}));
    OpBuilder::InsertionGuard guard(b);
    Block *block =
        b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value both =
        AddOp::create(b, loc, block->getArgument(0), block->getArgument(1));
    ReturnOp::create(b, loc, both);
    return reduce->getResult(0);
  }

  /// Zeros where dimension `dim` of `value`, which has groups first, is at a
  /// position of another group.
  Value inGroups(Value value, int64_t dim) {
    RankedTensorType type = typeOf(value);
    Value inside =
        BroadcastInDimOp::create(b, loc, type.clone(b.getI1Type()),
                                 membership(), SmallVector<int64_t>{0, dim});
    return SelectOp::create(b, loc, inside, value, zeros(b, loc, type));
  }

  /// Groups of rows: each row has one group, or none.
  Value sumOfGroups(RankedTensorType result) {
    SmallVector<int64_t> shape = {groups};
    llvm::append_range(shape, result.getShape());
    // Where the rows are in the result: behind batches and rows before.
    int64_t row = numbers.getLhsBatchingDimensions().size();
    for (int64_t d = 0; d < ragged; ++d)
      row += !llvm::is_contained(numbers.getLhsBatchingDimensions(), d) &&
             !llvm::is_contained(numbers.getLhsContractingDimensions(), d);
    Value products =
        dot(perGroup(op.getLhs()), op.getRhs(), result.clone(shape),
            numbersWithGroups(numbers.getRhsGroupDimensions()[0],
                              /*rhsShift=*/0));
    return sum(inGroups(products, 1 + row), result, 0);
  }

  chlo::RaggedDotOp op;
  OpBuilder &b;
  Location loc;
  chlo::RaggedDotDimensionNumbersAttr numbers;
  int64_t ragged, groups;
};

struct RaggedDotToProducts : OpRewritePattern<chlo::RaggedDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::RaggedDotOp op,
                                PatternRewriter &rewriter) const override {
    if (!allStatic(op) || typeOf(op.getGroupSizes()).getRank() != 1 ||
        typeOf(op.getLhs())
                .getDimSize(op.getRaggedDotDimensionNumbers()
                                .getLhsRaggedDimensions()[0]) >
            std::numeric_limits<int32_t>::max())
      return rewriter.notifyMatchFailure(op, "no single list of known length");
    rewriter.replaceOp(op, RaggedProduct(op, rewriter).build());
    return success();
  }
};

/// Operands are broadcast, and what is computed of them is StableHLO's.
struct ExpandBroadcasting : RewritePattern {
  ExpandBroadcasting(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (size::isSized(op))
      return rewriter.notifyMatchFailure(op, "calls choose its sizes");
    Value value = chlo::expandBroadcasting(rewriter, op, op->getOperands());
    if (!value)
      return rewriter.notifyMatchFailure(op, "sizes are not known");
    rewriter.replaceOp(op, value);
    return success();
  }
};

} // namespace

void populateExpandBroadcastingPatterns(RewritePatternSet &patterns) {
  for (StringRef name : chlo::broadcastingOperations())
    patterns.add<ExpandBroadcasting>(name, patterns.getContext());
}

void populateDecomposeChloPatterns(RewritePatternSet &patterns) {
  patterns.add<ScanToLoop, RaggedDotToProducts>(patterns.getContext());
}

} // namespace heddle
