// Operations that sum over what is cut: each device has a term.

#include "passes/Sharding/Partitioner.h"

#include "dialects/Sharding/LocalOperation.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/NeutralElement.h"

using namespace mlir;

namespace heddle {

std::optional<OperationName> Partitioner::joinsBy(Operation *op) {
  auto element = [](Value value) { return getElementTypeOrSelf(value); };
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    Operation *joining = joiningOperation(reduce.getBody().front());
    bool canJoin = reduce.getInputs().size() == 1 &&
                   element(op->getOperand(0)) == element(op->getResult(0)) &&
                   neutralElement(joining, element(op->getResult(0)));
    return canJoin ? std::optional(joining->getName()) : std::nullopt;
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    Operation *joining =
        joiningOperation(scatter.getUpdateComputation().front());
    bool canJoin = scatter.getInputs().size() == 1 &&
                   neutralElement(joining, element(op->getResult(0)));
    return canJoin ? std::optional(joining->getName()) : std::nullopt;
  }
  OperationName sum(stablehlo::AddOp::getOperationName(), op->getContext());
  if (isa<stablehlo::GatherOp>(op))
    return neutralElement(sum, element(op->getResult(0))) ? std::optional(sum)
                                                          : std::nullopt;
  bool isNumber =
      isa<FloatType, IntegerType, ComplexType>(element(op->getResult(0)));
  if (isNumber &&
      isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp>(
          op))
    return sum;
  return std::nullopt;
}

/// Whether what a reduction begins with changes nothing, however often it is
/// counted.
static bool beginsWithNothing(stablehlo::ReduceOp op) {
  Value init = op.getInitValues().front();
  Operation *joining = joiningOperation(op.getBody().front());
  if (isa<stablehlo::AddOp>(joining) && isSplatOf(init, 0))
    return true;
  ElementsAttr value = constantValue(init);
  return value && value.isSplat() &&
         value.getSplatValue<Attribute>() ==
             neutralElement(joining, value.getElementType());
}

void Partitioner::fillPadding(Operation *op, Operation *local, unsigned index,
                              const sharding::FactorRule &rule,
                              const OperationCut &cut, Attribute fill,
                              function_ref<bool(int64_t)> isFilled) {
  const sharding::TensorFactors &tensor = rule.operands[index];
  ArrayRef<int64_t> whole = sharding::shapeOf(op->getOperand(index));
  for (auto [dim, factors] : llvm::enumerate(tensor))
    for (int64_t factor : factors)
      if (isFilled(factor) && cut.pads(tensor, factor))
        local->setOperand(index, collectives.fillBeyond(
                                     local->getOperand(index), dim, whole[dim],
                                     cut.axesOf(factor), fill, op->getLoc()));
}

void Partitioner::prepareTerms(Operation *op, Operation *local,
                               const sharding::FactorRule &rule,
                               const OperationCut &cut,
                               ArrayRef<sdy::AxisRefAttr> termAxes) {
  // What lies beyond a table is not taken as a term.
  if (isa<stablehlo::GatherOp>(op))
    return;
  Location loc = op->getLoc();
  builder.setInsertionPoint(local);
  auto reduce = dyn_cast<stablehlo::ReduceOp>(local);
  Type element = getElementTypeOrSelf(local->getResult(0));
  Attribute neutral = neutralElement(*joinsBy(op), element);
  for (unsigned index = 0; index < rule.operands.size(); ++index) {
    bool isTerm = reduce || (isa<stablehlo::ScatterOp>(op) && index == 2);
    Type partElement = getElementTypeOrSelf(local->getOperand(index));
    fillPadding(
        op, local, index, rule, cut,
        isTerm ? neutral : zeroElement(partElement), [&](int64_t factor) {
          return rule.factors[factor].kind == sharding::FactorKind::Reduction;
        });
  }
  if (isa<stablehlo::ScatterOp>(op)) {
    // The first device alone adds to what is there.
    Value input = local->getOperand(0);
    auto type = cast<RankedTensorType>(input.getType());
    Value isFirst = collectives.isFirst(termAxes, loc);
    local->setOperand(0, stablehlo::SelectOp::create(
                             builder, loc, type, isFirst, input,
                             createSplat(builder, loc, type, neutral)));
  }
  // What terms are added to counts once; it is joined with their sum.
  if (reduce && !beginsWithNothing(cast<stablehlo::ReduceOp>(op)))
    local->setOperand(
        1,
        createSplat(builder, loc, RankedTensorType::get({}, element), neutral));
}

/// The axes over which a dimension is to be cut besides what it is cut over, if
/// terms are along all of them, so that each device needs its part of the sum
/// only; none otherwise.
static Axes scatteredOver(ArrayRef<sdy::AxisRefAttr> now,
                          ArrayRef<sdy::AxisRefAttr> then, int64_t size,
                          ArrayRef<sdy::AxisRefAttr> termAxes,
                          sdy::MeshAttr mesh) {
  if (commonPrefix(now, then, mesh) != now || !refines(then, now, size, mesh))
    return {};
  Axes added = withoutPrefix(then, now, mesh);
  bool areTerms = llvm::all_of(added, [&](sdy::AxisRefAttr axis) {
    return llvm::is_contained(termAxes, axis);
  });
  return areTerms ? added : Axes();
}

void Partitioner::scatterTerms(Part &part, OperationName by, int64_t dim,
                               const Axes &cut,
                               ArrayRef<sdy::AxisRefAttr> added, Location loc) {
  int64_t size = sdy::partSize(part.whole.getDimSize(dim), cut, mesh) *
                 sdy::partCount(added, mesh);
  Value padded = collectives.resize(part.value, dim, size, loc);
  part.value = collectives.reduceScatter(padded, by, dim, added, loc);
  part.layout.dims[dim] = cut;
}

Part Partitioner::joinTerms(Operation *op, Part part, OperationName by,
                            ArrayRef<sdy::AxisRefAttr> axes,
                            const std::optional<Layout> &wanted) {
  Location loc = op->getLoc();
  Axes left = canonicalAxes(axes, mesh);
  for (int64_t dim = 0; wanted && dim < part.whole.getRank(); ++dim) {
    Axes added = scatteredOver(part.layout.dims[dim], wanted->dims[dim],
                               part.whole.getDimSize(dim), left, mesh);
    if (added.empty())
      continue;
    scatterTerms(part, by, dim, wanted->dims[dim], added, loc);
    llvm::erase_if(left, [&](sdy::AxisRefAttr axis) {
      return llvm::is_contained(added, axis);
    });
  }
  if (!left.empty())
    part.value = collectives.reduce(part.value, by, left, loc);
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  if (reduce && !beginsWithNothing(reduce)) {
    Value begin = stablehlo::BroadcastInDimOp::create(
        builder, loc, part.value.getType(),
        wholeOf(reduce.getInitValues().front(), loc),
        builder.getDenseI64ArrayAttr({}));
    part.value = collectives.join(by, begin, part.value, loc);
  }
  return part;
}

Axes Partitioner::leftToUsers(Operation *op) {
  Axes left;
  for (Operation *user : op->getUsers()) {
    Axes axes;
    if (auto reduce = dyn_cast<sdy::AllReduceOp>(user))
      axes = Axes(reduce.getReductionAxes().getAxes());
    else if (auto scatter = dyn_cast<sdy::ReduceScatterOp>(user))
      for (sdy::AxisRefListAttr list :
           scatter.getReduceScatterAxes().getLists())
        llvm::append_range(axes, list.getAxes());
    else
      return {};
    if (left.empty())
      left = axes;
    if (left != axes)
      return {};
  }
  return left;
}

static OperationName nameOf(sdy::Reduction reduction, MLIRContext *context) {
  switch (reduction) {
  case sdy::Reduction::Sum:
    break;
  case sdy::Reduction::Max:
    return {stablehlo::MaxOp::getOperationName(), context};
  case sdy::Reduction::Min:
    return {stablehlo::MinOp::getOperationName(), context};
  }
  return {stablehlo::AddOp::getOperationName(), context};
}

LogicalResult Partitioner::visitAllReduce(sdy::AllReduceOp op) {
  Part part = partOf(op.getTensor());
  Axes axes = canonicalAxes(op.getReductionAxes().getAxes(), mesh);
  if (!axes.empty())
    part.value = collectives.reduce(
        part.value, nameOf(op.getReductionOp(), op.getContext()), axes,
        op.getLoc());
  setResult(op.getResult(), part.value, part.layout, op.getLoc());
  return success();
}

LogicalResult Partitioner::visitReduceScatter(sdy::ReduceScatterOp op) {
  Part part = partOf(op.getTensor());
  OperationName by = nameOf(op.getReductionOp(), op.getContext());
  for (auto [dim, list] :
       llvm::enumerate(op.getReduceScatterAxes().getLists())) {
    Axes axes = canonicalAxes(list.getAxes(), mesh);
    if (axes.empty())
      continue;
    Axes cut = joined(part.layout.dims[dim], axes, mesh);
    int64_t size = part.whole.getDimSize(dim);
    if (!refines(cut, part.layout.dims[dim], size, mesh))
      return op.emitError("cuts dimension ")
             << dim << " of size " << size
             << " into parts of parts of unequal size";
    scatterTerms(part, by, dim, cut, axes, op.getLoc());
  }
  setResult(op.getResult(), part.value, part.layout, op.getLoc());
  return success();
}

} // namespace heddle
