// Collectives along any dimension become collectives along a new first one,
// where pieces follow each other in memory, between reshapes and transposes.

#include "passes/Sharding/Passes.h"

#include "dialects/StableHlo/ReplicaGroups.h"
#include "heddle/Support/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
#define GEN_PASS_DEF_LEADCOLLECTIVES
#include "passes/Sharding/Passes.h.inc"

/// The type with a new first dimension.
static RankedTensorType prepend(RankedTensorType type, int64_t size) {
  SmallVector<int64_t> shape = {size};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

namespace {
/// Writes what stands around a collective of groups of `count` devices.
struct Mover {
  OpBuilder builder;
  Location loc;
  int64_t count;

  Value reshaped(Value value, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(builder, loc, typeOf(value).clone(shape), value);
  }

  Value transposed(Value value, ArrayRef<int64_t> order) {
    auto type = typeOf(value);
    auto shape = llvm::map_to_vector(
        order, [&](int64_t dim) { return type.getDimSize(dim); });
    return TransposeOp::create(builder, loc, type.clone(shape), value,
                               builder.getDenseI64ArrayAttr(order));
  }

  /// [a, n * p, b] => [n, a, p, b]: the pieces along `dim` come first.
  Value piecesFirst(Value value, int64_t dim) {
    SmallVector<int64_t> shape(typeOf(value).getShape());
    shape[dim] /= count;
    shape.insert(shape.begin() + dim, count);
    SmallVector<int64_t> order = {dim};
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      if (i != dim)
        order.push_back(i);
    return transposed(reshaped(value, shape), order);
  }

  /// [n, a, p, b] => [a, n * p, b]: what came first lies along `dim`.
  Value piecesAlong(Value value, int64_t dim) {
    int64_t rank = typeOf(value).getRank();
    SmallVector<int64_t> order;
    for (int64_t i = 1; i < rank; ++i) {
      if (i == dim + 1)
        order.push_back(0);
      order.push_back(i);
    }
    Value moved = transposed(value, order);
    SmallVector<int64_t> shape(typeOf(moved).getShape());
    shape[dim] *= shape[dim + 1];
    shape.erase(shape.begin() + dim + 1);
    return reshaped(moved, shape);
  }

  /// A new first dimension of one.
  Value single(Value value) {
    return reshaped(value, prepend(typeOf(value), 1).getShape());
  }
};
} // namespace

/// The collective of one operand, with a result of `type`.
static Operation *copyFor(OpBuilder &builder, Operation *op, Value operand,
                          Type type) {
  OperationState state(op->getLoc(), op->getName(), operand, type,
                       op->getAttrs());
  for (Region &region : op->getRegions()) {
    IRMapping mapping;
    region.cloneInto(state.addRegion(), mapping);
  }
  return builder.create(state);
}

/// The collective with another operand and result, along first dimensions.
static Value again(Mover &mover, Operation *op, Value operand,
                   RankedTensorType type, ArrayRef<StringRef> dimensions) {
  Operation *copy = copyFor(mover.builder, op, operand, type);
  for (StringRef name : dimensions)
    copy->setAttr(name, mover.builder.getI64IntegerAttr(0));
  return copy->getResult(0);
}

/// One collective for each operand, which are then moved one by one.
static void splitOperands(Operation *op, SmallVectorImpl<Operation *> &parts) {
  if (op->getNumOperands() == 1) {
    parts.push_back(op);
    return;
  }
  OpBuilder builder(op);
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    parts.push_back(copyFor(builder, op, operand, result.getType()));
    result.replaceAllUsesWith(parts.back()->getResult(0));
  }
  op->erase();
}

/// How much larger a dimension is on one side than on the other.
static int64_t ratio(int64_t whole, int64_t part) {
  return part ? whole / part : 1;
}

static void lead(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0), moved;
  RankedTensorType from = typeOf(operand), to = typeOf(result);
  Mover mover{OpBuilder(op), op->getLoc(), 1};
  if (from.getNumElements() == 0) {
    moved = mover.reshaped(operand, to.getShape()); // nothing is exchanged
  } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
    int64_t dim = gather.getAllGatherDim();
    if (isLeading(operand, dim))
      return;
    mover.count = ratio(to.getDimSize(dim), from.getDimSize(dim));
    Value all = again(mover, op, mover.single(operand),
                      prepend(from, mover.count), {"all_gather_dim"});
    moved = mover.piecesAlong(all, dim);
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    int64_t dim = scatter.getScatterDimension();
    if (isLeading(operand, dim))
      return;
    mover.count = ratio(from.getDimSize(dim), to.getDimSize(dim));
    Value own = again(mover, op, mover.piecesFirst(operand, dim),
                      prepend(to, 1), {"scatter_dimension"});
    moved = mover.reshaped(own, to.getShape());
  } else {
    auto exchange = cast<AllToAllOp>(op);
    int64_t split = exchange.getSplitDimension(),
            concat = exchange.getConcatDimension();
    mover.count = exchange.getSplitCount();
    if (isLeading(operand, split) && isLeading(operand, concat) &&
        split == concat)
      return;
    Value pieces = mover.piecesFirst(operand, split);
    Value taken = again(mover, op, pieces, typeOf(pieces),
                        {"split_dimension", "concat_dimension"});
    moved = mover.piecesAlong(taken, concat);
  }
  result.replaceAllUsesWith(moved);
  op->erase();
}

namespace {
struct LeadCollectives : impl::LeadCollectivesBase<LeadCollectives> {
  using LeadCollectivesBase::LeadCollectivesBase;

  void runOnOperation() override {
    SmallVector<Operation *> found, parts;
    getOperation().walk([&](Operation *op) {
      if (isa<AllGatherOp, ReduceScatterOp, AllToAllOp>(op))
        found.push_back(op);
    });
    for (Operation *op : found)
      splitOperands(op, parts);
    for (Operation *op : parts)
      lead(op);
  }
};
} // namespace
} // namespace heddle
