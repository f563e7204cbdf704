// How operations of random programs get their types, and are thrown away where
// they are not valid.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace heddle::sized {

/// Takes every two sizes that an operation wants equal to be.
class SizedProgram::ForgetfulRules : public stablehlo::ExtentRules {
public:
  explicit ForgetfulRules(SizeAssumptions &rules) : rules(rules) {}
  Expression meet(Expression a, Expression, Operation *) override { return a; }
  Expression simplified(Expression expression) override {
    return rules.simplified(expression);
  }

private:
  SizeAssumptions &rules;
};

Operation *SizedProgram::create(StringRef name, ValueRange operands,
                                ArrayRef<NamedAttribute> attributes,
                                TypeRange results, Regions regions) {
  OperationState state(UnknownLoc::get(context), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(results);
  if (regions)
    regions(builder, state);
  return builder.create(state);
}

Operation *SizedProgram::keep(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    if (!fits(shape(result))) {
      op->erase();
      return nullptr;
    }
  }
  // Greatest sizes that do not fit each other: whoever reads models says so.
  if (!mutant && failed(verify(op))) {
    ++refused["bound: '" + op->getName().getStringRef().str() +
              "' has sizes that do not reach their bounds together"];
    op->erase();
    return nullptr;
  }
  ++count;
  if (builder.getInsertionBlock() == &function.front())
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        values.push_back(result);
  // A sum of what is not known to be whole depends on its order.
  for (Value result : op->getResults())
    magnitudes[result] = kInexact;
  return op;
}

/// Whether the rule gives the extents of the results of `op`.
LogicalResult SizedProgram::applyRule(Operation *op,
                                      SmallVectorImpl<TrueShape> &results) {
  ForgetfulRules forgetful(*assumptions);
  bool isMutated = mutant && op->getName().getStringRef() == mutant->operation;
  bool forgets = isMutated && mutant->forgetsEqualities;
  mutated += forgets;
  std::string message;
  ScopedDiagnosticHandler listen(
      context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  stablehlo::ExtentRules &rules =
      forgets ? static_cast<stablehlo::ExtentRules &>(forgetful) : *assumptions;
  if (succeeded(stablehlo::inferExtents(op, rules, results)))
    return success();
  ++refused["rule: " + message];
  return failure();
}

/// What a wrong rule gives in place of `results`.
void SizedProgram::mutate(Operation *op, SmallVectorImpl<TrueShape> &results) {
  if (mutant && mutant->change &&
      op->getName().getStringRef() == mutant->operation)
    mutated += mutant->change(op, results);
}

/// The shapes that the operation itself gives its results where its operands
/// have their bounds; nothing where it is told.
LogicalResult
SizedProgram::inferBounds(Operation *op,
                          SmallVectorImpl<RankedTensorType> &types) {
  if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> inferred;
    if (failed(infer.inferReturnTypes(
            context, std::nullopt, op->getOperands(), op->getAttrDictionary(),
            op->getPropertiesStorage(), op->getRegions(), inferred)))
      return failure();
    for (Type type : inferred)
      types.push_back(cast<RankedTensorType>(type));
    return success();
  }
  Type element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
    types.push_back(
        RankedTensorType::get(stablehlo::productShape(dot), element));
  else if (op->hasTrait<OpTrait::Elementwise>())
    types.push_back(RankedTensorType::get(
        cast<RankedTensorType>(op->getOperand(0).getType()).getShape(),
        element));
  return success();
}

LogicalResult SizedProgram::giveTypes(Operation *op, Type element) {
  SmallVector<RankedTensorType> atBound;
  SmallVector<TrueShape> results;
  if (failed(inferBounds(op, atBound)) || failed(applyRule(op, results)))
    return failure();
  // Bounds are those of the right rule.
  SmallVector<SmallVector<int64_t>> bounds;
  for (auto [i, extents] : llvm::enumerate(results)) {
    bounds.push_back(highs(extents));
    for (auto [j, extent] : llvm::enumerate(extents)) {
      if (low(extent) < 0 || bounds[i][j] == INT64_MAX)
        return failure();
      if (atBound.empty())
        continue;
      // A size that is greatest where others are not.
      if (atBound[i].getDimSize(j) < bounds[i][j]) {
        ++refused["bound: an extent may be above what the operation gives of "
                  "the greatest sizes"];
        return failure();
      }
      bounds[i][j] = atBound[i].getDimSize(j);
    }
  }
  mutate(op, results);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (llvm::any_of(results[i], [](Expression e) { return !e; }))
      return failure();
    Type of = atBound.empty() ? element : atBound[i].getElementType();
    result.setType(
        size::withExtents(RankedTensorType::get(bounds[i], of), results[i]));
  }
  return success();
}

Operation *SizedProgram::emit(StringRef name, ValueRange operands,
                              ArrayRef<NamedAttribute> attributes, Type element,
                              Regions regions) {
  unsigned results = 1;
  // As many as there are inputs, each with an initial value or alone.
  if (name == "stablehlo.reduce" || name == "stablehlo.reduce_window")
    results = operands.size() / 2;
  else if (name == "stablehlo.sort" ||
           name == "stablehlo.optimization_barrier" ||
           name == "stablehlo.all_to_all" || name == "stablehlo.all_reduce")
    results = operands.size();
  SmallVector<Type> types(results, RankedTensorType::get({}, element));
  Operation *op = create(name, operands, attributes, types, regions);
  if (failed(giveTypes(op, element))) {
    op->erase();
    return nullptr;
  }
  return keep(op);
}

Operation *SizedProgram::tell(StringRef name, ValueRange operands,
                              ArrayRef<NamedAttribute> attributes,
                              TypeRange results, Regions regions) {
  Operation *op = create(name, operands, attributes, results, regions);
  SmallVector<TrueShape> extents;
  if (isa<stablehlo::StableHloDialect>(op->getDialect()) &&
      failed(applyRule(op, extents))) {
    op->erase();
    return nullptr;
  }
  mutate(op, extents);
  for (auto [result, changed] : llvm::zip(op->getResults(), extents))
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(size::withExtents(type, changed));
  return keep(op);
}

void SizedProgram::drop(Operation *op) {
  llvm::erase_if(values,
                 [&](Value value) { return value.getDefiningOp() == op; });
  op->erase();
  --count;
}

void SizedProgram::addCombiner(OperationState &state, StringRef operation,
                               ArrayRef<Type> elements) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = new Block();
  state.addRegion()->push_back(body);
  Location loc = UnknownLoc::get(context);
  for (unsigned side = 0; side < 2; ++side)
    for (Type element : elements)
      body->addArgument(RankedTensorType::get({}, element), loc);
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> results;
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value left = body->getArgument(i);
    OperationState combine(loc, operation);
    combine.addOperands({left, body->getArgument(elements.size() + i)});
    combine.addTypes(left.getType());
    results.push_back(builder.create(combine)->getResult(0));
  }
  stablehlo::ReturnOp::create(builder, loc, results);
}

void SizedProgram::addComparator(OperationState &state, StringRef direction,
                                 ArrayRef<Type> elements) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = new Block();
  state.addRegion()->push_back(body);
  Location loc = UnknownLoc::get(context);
  for (Type element : elements)
    for (unsigned side = 0; side < 2; ++side)
      body->addArgument(RankedTensorType::get({}, element), loc);
  builder.setInsertionPointToEnd(body);
  Value result = stablehlo::CompareOp::create(
      builder, loc, body->getArgument(0), body->getArgument(1),
      *stablehlo::symbolizeComparisonDirection(direction));
  stablehlo::ReturnOp::create(builder, loc, result);
}

} // namespace heddle::sized
