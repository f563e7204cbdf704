// Functions, regions and calls in the program of one device.

#include "passes/Sharding/Partitioner.h"

#include "dialects/Sdy/ValueShardings.h"
#include "heddle/Support/PartTypes.h"

using namespace mlir;

namespace heddle {

/// Composites and named computations may hold others this deep.
static constexpr unsigned kDepthLimit = 256;

static Layout layoutOfAttribute(Attribute attribute, Type type,
                                sdy::MeshAttr mesh) {
  return layoutOf(dyn_cast_or_null<sdy::TensorShardingAttr>(attribute),
                  rankOf(type), mesh);
}

static Layout argumentLayout(func::FuncOp function, unsigned index,
                             sdy::MeshAttr mesh) {
  return layoutOfAttribute(function.getArgAttr(index, sdy::kShardingAttr),
                           function.getArgumentTypes()[index], mesh);
}

static Layout resultLayout(func::FuncOp function, unsigned index,
                           sdy::MeshAttr mesh) {
  return layoutOfAttribute(function.getResultAttr(index, sdy::kShardingAttr),
                           function.getResultTypes()[index], mesh);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::partition(func::FuncOp function) {
  parts.clear();
  auto whole = module.lookupSymbol<func::FuncOp>(function.getSymName());
  function.eraseBody();
  FunctionType type = function.getFunctionType();
  SmallVector<Layout> arguments, results;
  SmallVector<Type> argumentTypes, resultTypes;
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    arguments.push_back(argumentLayout(function, i, mesh));
    argumentTypes.push_back(localType(type.getInput(i), arguments.back()));
  }
  for (unsigned i = 0; i < type.getNumResults(); ++i) {
    results.push_back(resultLayout(function, i, mesh));
    resultTypes.push_back(localType(type.getResult(i), results.back()));
  }
  std::optional<SmallVector<Layout>> yields = std::move(results);
  if (failed(
          fillRegion(whole.getBody(), function.getBody(), arguments, yields)))
    return failure();
  function.setFunctionType(
      FunctionType::get(function.getContext(), argumentTypes, resultTypes));
  for (unsigned i = 0; i < type.getNumInputs(); ++i)
    if (type.getInput(i) != argumentTypes[i])
      function.setArgAttr(i, kWholeTypeAttrName,
                          TypeAttr::get(type.getInput(i)));
  for (unsigned i = 0; i < type.getNumResults(); ++i)
    if (type.getResult(i) != resultTypes[i])
      function.setResultAttr(i, kWholeTypeAttrName,
                             TypeAttr::get(type.getResult(i)));
  return success();
}

LogicalResult
Partitioner::fillRegion(Region &from, Region &to, ArrayRef<Layout> arguments,
                        std::optional<SmallVector<Layout>> &yields) {
  if (!from.hasOneBlock())
    return emitError(from.getLoc(),
                     "a region of several blocks is not partitioned");
  OpBuilder::InsertionGuard guard(builder);
  Block &old = from.front();
  Block *block = builder.createBlock(&to);
  for (auto [argument, layout] : llvm::zip_equal(old.getArguments(), arguments))
    setPart(argument,
            block->addArgument(localType(argument.getType(), layout),
                               argument.getLoc()),
            layout);
  if (failed(visitBlock(old)))
    return failure();
  Operation *end = old.getTerminator();
  if (!yields) {
    yields.emplace();
    for (Value value : end->getOperands())
      yields->push_back(partOf(value).layout);
  }
  SmallVector<Value> values;
  for (auto [value, layout] : llvm::zip_equal(end->getOperands(), *yields))
    values.push_back(moved(partOf(value), layout, end->getLoc()));
  IRMapping none;
  for (Value value : end->getOperands())
    none.map(value, value);
  builder.clone(*end, none)->setOperands(values);
  return success();
}

LogicalResult Partitioner::visitCall(func::CallOp op) {
  auto callee = module.lookupSymbol<func::FuncOp>(op.getCallee());
  // The module is one of whole tensors, so that the types are those of the
  // whole whether or not the callee has been partitioned.
  SmallVector<Value> operands;
  for (auto [index, operand] : llvm::enumerate(op.getOperands()))
    operands.push_back(moved(partOf(operand),
                             argumentLayout(callee, index, mesh), op.getLoc()));
  SmallVector<Type> types;
  SmallVector<Layout> layouts;
  for (auto [index, type] : llvm::enumerate(op.getResultTypes())) {
    layouts.push_back(resultLayout(callee, index, mesh));
    types.push_back(localType(type, layouts.back()));
  }
  auto local = func::CallOp::create(builder, op.getLoc(), op.getCallee(), types,
                                    operands);
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    setResult(result, local.getResult(index), layouts[index], op.getLoc());
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies that are put in place
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::visitInline(Operation *op, Block &body) {
  if (inlineDepth == kDepthLimit)
    return op->emitError("holds computations that hold others, more than ")
           << kDepthLimit << " deep";
  ++inlineDepth;
  LogicalResult visited = visitBlock(body);
  --inlineDepth;
  if (failed(visited))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands())) {
    Part part = partOf(value);
    setResult(result, part.value, part.layout, op->getLoc());
  }
  return success();
}

LogicalResult Partitioner::visitComposite(stablehlo::CompositeOp op) {
  auto body = module.lookupSymbol<func::FuncOp>(op.getDecomposition());
  if (!body || body.isExternal() || !body.getBody().hasOneBlock())
    return op.emitError("is a composite without a body, which cannot be cut");
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op.getInputs()))
    setPart(argument, partOf(operand).value, partOf(operand).layout);
  return visitInline(op, body.getBody().front());
}

LogicalResult Partitioner::visitNamed(sdy::NamedComputationOp op) {
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody().getArguments(), op.getOperands())) {
    Part part = partOf(operand);
    setResult(argument, part.value, part.layout, op.getLoc());
  }
  return visitInline(op, op.getBody().front());
}

LogicalResult Partitioner::visitManual(sdy::ManualComputationOp op) {
  Location loc = op.getLoc();
  for (auto [argument, operand, sharding] :
       llvm::zip_equal(op.getBody().getArguments(), op.getTensors(),
                       op.getInShardings().getShardings())) {
    Layout to = layoutOf(sharding, rankOf(operand.getType()), mesh);
    setPart(argument, moved(partOf(operand), to, loc),
            namedLayout(argument).value_or(
                Layout::whole(rankOf(argument.getType()))));
  }
  ++manualDepth;
  LogicalResult visited = visitBlock(op.getBody().front());
  --manualDepth;
  if (failed(visited))
    return failure();
  Operation *end = op.getBody().front().getTerminator();
  for (auto [result, value, sharding] :
       llvm::zip_equal(op.getResults(), end->getOperands(),
                       op.getOutShardings().getShardings())) {
    sdy::TensorShardingAttr free =
        sdy::withoutManualAxes(sharding, op.getManualAxes());
    int64_t rank = rankOf(result.getType());
    setPart(result, moved(partOf(value), layoutOf(free, rank, mesh), loc),
            layoutOf(sharding, rank, mesh));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::visitWhile(stablehlo::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<Layout> layouts;
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperand(), op.getResults())) {
    Layout layout = namedLayout(result).value_or(partOf(operand).layout);
    operands.push_back(moved(partOf(operand), layout, loc));
    types.push_back(localType(result.getType(), layout));
    layouts.push_back(layout);
  }
  auto local = stablehlo::WhileOp::create(builder, loc, types, operands);
  std::optional<SmallVector<Layout>> condition, state = layouts;
  condition.emplace(1, Layout::whole(0));
  if (failed(fillRegion(op.getCond(), local.getCond(), layouts, condition)) ||
      failed(fillRegion(op.getBody(), local.getBody(), layouts, state)))
    return failure();
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    setPart(result, local->getResult(index), layouts[index]);
  return success();
}

LogicalResult Partitioner::visitBranches(Operation *op) {
  Location loc = op->getLoc();
  OperationState state(loc, op->getName());
  state.addOperands(wholeOf(op->getOperand(0), loc));
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  // Types follow when it is known how the branches' results lie.
  state.addTypes(op->getResultTypes());
  Operation *local = builder.create(state);
  std::optional<SmallVector<Layout>> layouts;
  auto named = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return namedLayout(result); });
  if (llvm::all_of(named, [](auto &layout) { return layout.has_value(); })) {
    layouts.emplace();
    for (std::optional<Layout> &layout : named)
      layouts->push_back(*layout);
  }
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), local->getRegions()))
    if (failed(fillRegion(from, to, {}, layouts)))
      return failure();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    local->getResult(index).setType(
        localType(result.getType(), (*layouts)[index]));
    setPart(result, local->getResult(index), (*layouts)[index]);
  }
  return success();
}

} // namespace heddle
