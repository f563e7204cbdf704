// Loops of StableHLO with what they carry and collect.

#include "LoopEmitter.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value heddle::onnx::integerScalar(Emitter &emit, const Extent &value) {
  return emit.number(value, emit.builder.getI64Type());
}

LoopEmitter::LoopEmitter(Emitter &emit, ValueRange initial) : emit(emit) {
  initials.push_back(integerScalar(emit, 0));
  initials.append(initial.begin(), initial.end());
  before = emit.builder.saveInsertionPoint();
  body = &region.emplaceBlock();
  for (Value value : initials)
    body->addArgument(value.getType(), emit.loc);
  emit.builder.setInsertionPointToEnd(body);
}

LoopEmitter::~LoopEmitter() {
  emit.builder.restoreInsertionPoint(before);
  region.dropAllReferences();
}

Value LoopEmitter::carry(llvm::function_ref<Value()> initial) {
  {
    OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.restoreInsertionPoint(before);
    initials.push_back(initial());
    before = emit.builder.saveInsertionPoint();
  }
  return body->addArgument(initials.back().getType(), emit.loc);
}

Value LoopEmitter::collect(Value piece, int64_t axis, const Extent &steps,
                           Value at) {
  Shape row = emit.shapeOf(piece);
  row.insert(row.begin() + axis, 1);
  Shape shape = row;
  shape[axis] = steps;
  RankedTensorType type = emit.type(shape, Emitter::elementOf(piece));
  Value rows = carry([&] { return emit.splat(type, 0); });
  if (steps.is(0))
    return rows;
  SmallVector<Value> starts(shape.size(), integerScalar(emit, 0));
  starts[axis] = at;
  return stablehlo::DynamicUpdateSliceOp::create(
      emit.builder, emit.loc, rows.getType(), rows, emit.reshape(piece, row),
      starts);
}

std::optional<SmallVector<Value>>
LoopEmitter::finish(ValueRange next, Value count,
                    std::optional<unsigned> condition) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  SmallVector<Value> yielded{emit.add(number(), integerScalar(emit, 1))};
  yielded.append(next.begin(), next.end());
  if (TypeRange(ValueRange(yielded)) != TypeRange(ValueRange(initials)))
    return std::nullopt;
  stablehlo::ReturnOp::create(builder, loc, yielded);

  builder.restoreInsertionPoint(before);
  auto loop = stablehlo::WhileOp::create(
      builder, loc, TypeRange(ValueRange(initials)), initials);
  before = builder.saveInsertionPoint();
  loop.getBody().takeBody(region);
  Block *test = &loop.getCond().emplaceBlock();
  for (Value value : initials)
    test->addArgument(value.getType(), loc);
  builder.setInsertionPointToEnd(test);
  Value goesOn;
  if (count)
    goesOn = emit.compare(test->getArgument(0), count,
                          stablehlo::ComparisonDirection::LT);
  if (condition) {
    Value flag = emit.reshape(test->getArgument(1 + *condition), {});
    goesOn = goesOn ? emit.binary<stablehlo::AndOp>(goesOn, flag) : flag;
  }
  stablehlo::ReturnOp::create(builder, loc, goesOn);
  builder.restoreInsertionPoint(before);
  return SmallVector<Value>(loop->getResults().drop_front());
}

Value heddle::onnx::sliceAt(Emitter &emit, Value value, int64_t dimension,
                            Value position) {
  if (std::optional<Literal> known = readLiteral(position)) {
    int64_t at = known->integers.front();
    return emit.sliceDim(value, dimension, at, at + 1);
  }
  Shape sizes = emit.shapeOf(value);
  sizes[dimension] = 1;
  Value zero = emit.splatInteger(Emitter::typeOf(position), 0);
  SmallVector<Value> starts(sizes.size(), zero);
  starts[dimension] = position;
  auto op = stablehlo::DynamicSliceOp::create(
      emit.builder, emit.loc, emit.type(sizes, Emitter::elementOf(value)),
      value, starts, sizes.bounds());
  emit.setSized(op, {{"slice_sizes", sizes}});
  return op;
}

std::optional<SmallVector<Value>> heddle::onnx::emitIf(Emitter &emit,
                                                       Value condition,
                                                       Branch onTrue,
                                                       Branch onFalse) {
  OpBuilder::InsertionGuard guard(emit.builder);
  OpBuilder::InsertPoint here = emit.builder.saveInsertionPoint();
  // Taken by the op once both are whole.
  Region regions[2];
  llvm::scope_exit abandon([&] {
    for (Region &started : regions)
      started.dropAllReferences();
  });
  Branch branches[] = {onTrue, onFalse};
  SmallVector<Value> results[2];
  for (auto [branch, region, values] :
       llvm::zip_equal(branches, regions, results)) {
    emit.builder.setInsertionPointToEnd(&region.emplaceBlock());
    std::optional<SmallVector<Value>> given = branch();
    if (!given)
      return std::nullopt;
    values = std::move(*given);
    stablehlo::ReturnOp::create(emit.builder, emit.loc, values);
  }
  TypeRange types{ValueRange(results[0])};
  if (types != TypeRange(ValueRange(results[1])))
    return std::nullopt;
  emit.builder.restoreInsertionPoint(here);
  auto choice =
      stablehlo::IfOp::create(emit.builder, emit.loc, types, condition);
  choice.getTrueBranch().takeBody(regions[0]);
  choice.getFalseBranch().takeBody(regions[1]);
  return SmallVector<Value>(choice->getResults());
}
