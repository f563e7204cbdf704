// Steps with regions or functions of whole tensors, and those of several
// devices.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::sized {

/// A block of `count` values of `types` that `fill` ends, as a region.
static void addRegion(SizedProgram &p, OperationState &state, TypeRange types,
                      llvm::function_ref<SmallVector<Value>(Block &)> fill) {
  OpBuilder::InsertionGuard guard(p.builder);
  Block *block = new Block();
  state.addRegion()->push_back(block);
  Location loc = p.builder.getUnknownLoc();
  for (Type type : types)
    block->addArgument(type, loc);
  p.builder.setInsertionPointToEnd(block);
  stablehlo::ReturnOp::create(p.builder, loc, fill(*block));
}

/// `name` of both, where it must be valid.
static Value both(SizedProgram &p, StringRef name, Value x, Value y) {
  OperationState state(p.builder.getUnknownLoc(), name);
  state.addOperands({x, y});
  state.addTypes(x.getType());
  return p.builder.create(state)->getResult(0);
}

static bool branches(SizedProgram &p, StringRef name, Type selector,
                     unsigned count) {
  Type type = p.numberType();
  Value x = p.any(type);
  SmallVector<Value> others = {x};
  while (others.size() < count)
    others.push_back(p.like(p.nearly(x), type));
  double most = 0;
  for (Value other : others)
    most = std::max(most, p.largest(other));
  Operation *op =
      p.tell(name, p.argument({}, selector), {}, x.getType(),
             [&](OpBuilder &, OperationState &state) {
               for (Value other : others)
                 addRegion(p, state, {}, [&](Block &) -> SmallVector<Value> {
                   return {both(p, "stablehlo.add", other, other)};
                 });
             });
  if (op)
    p.setLargest(op->getResult(0), 2 * most);
  // Who walks into the branches is told that they agree.
  for (Value other : others)
    for (auto [extent, same] : llvm::zip_equal(p.shape(x), p.shape(other)))
      if (op && !p.agree(extent, same, op)) {
        p.drop(op);
        return false;
      }
  return op;
}

static bool choice(SizedProgram &p) {
  return branches(p, "stablehlo.if", p.i1(), 2);
}

static bool selection(SizedProgram &p) {
  return branches(p, "stablehlo.case", p.i32(), 3);
}

static bool loop(SizedProgram &p) {
  Type type = p.i32();
  Value x = p.any(type), y = p.like(p.shape(x), type);
  Value zero = p.scalar(type, 0), one = p.scalar(type, 1);
  Value times = p.scalar(type, p.number(0, 3));
  Type types[] = {zero.getType(), x.getType()};
  return p.tell(
      "stablehlo.while", {zero, x}, {}, types,
      [&](OpBuilder &, OperationState &state) {
        addRegion(p, state, types, [&](Block &block) -> SmallVector<Value> {
          return {stablehlo::CompareOp::create(
              p.builder, p.builder.getUnknownLoc(), block.getArgument(0), times,
              stablehlo::ComparisonDirection::LT)};
        });
        addRegion(p, state, types, [&](Block &block) -> SmallVector<Value> {
          return {both(p, "stablehlo.add", block.getArgument(0), one),
                  both(p, "stablehlo.add", block.getArgument(1), y)};
        });
      });
}

/// A function of its own stands for what it computes.
static bool composite(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  std::string name = "decomposition" + std::to_string(p.operations());
  Location loc = p.builder.getUnknownLoc();
  TrueShape shape = p.shape(x);
  std::reverse(shape.begin(), shape.end());
  SmallVector<int64_t> order;
  for (int64_t i = p.rank(x); i-- > 0;)
    order.push_back(i);
  Type result = p.type(shape, type);
  // The operands of a sum may have greater bounds than their sizes.
  if (cast<RankedTensorType>(x.getType()).getShape() !=
      ArrayRef<int64_t>(p.highs(p.shape(x))))
    return false;
  {
    OpBuilder::InsertionGuard guard(p.builder);
    p.builder.setInsertionPointToEnd(p.module().getBody());
    auto function = func::FuncOp::create(
        p.builder, loc, name, p.builder.getFunctionType(x.getType(), result));
    function.setPrivate();
    p.builder.setInsertionPointToEnd(function.addEntryBlock());
    OperationState turn(loc, "stablehlo.transpose");
    turn.addOperands(function.getArgument(0));
    turn.addAttributes(p.list("permutation", order));
    turn.addTypes(result);
    Value turned = p.builder.create(turn)->getResult(0);
    func::ReturnOp::create(p.builder, loc,
                           both(p, "stablehlo.add", turned, turned));
  }
  Operation *op = p.tell(
      "stablehlo.composite", x,
      {p.named("name", p.builder.getStringAttr("test.turned_and_doubled")),
       p.named("decomposition",
               FlatSymbolRefAttr::get(p.builder.getContext(), name))},
      result);
  if (op)
    p.setLargest(op->getResult(0), 2 * p.largest(x));
  return op;
}

ArrayRef<Step> controlSteps() {
  static const Step steps[] = {
      {"stablehlo.if", choice},
      {"stablehlo.case", selection},
      {"stablehlo.while", loop},
      {"stablehlo.composite", composite},
  };
  return steps;
}

//===----------------------------------------------------------------------===//
// Several devices
//===----------------------------------------------------------------------===//

static NamedAttribute groups(SizedProgram &p) {
  auto type = RankedTensorType::get({1, 2}, p.builder.getI64Type());
  return p.named("replica_groups",
                 DenseIntElementsAttr::get(type, ArrayRef<int64_t>{0, 1}));
}

static bool allReduce(SizedProgram &p) {
  p.typesOnly = true;
  Value x = p.any(p.f32());
  return p.emit("stablehlo.all_reduce", {x, p.any(p.f32())}, groups(p), p.f32(),
                [&](OpBuilder &, OperationState &state) {
                  p.addCombiner(state, "stablehlo.add", p.f32());
                });
}

static bool allToAll(SizedProgram &p) {
  p.typesOnly = true;
  TrueShape shape = {p.extent() * 2, p.extent()};
  if (!p.fits(shape))
    return false;
  int64_t other = p.number(0, 1);
  return p.emit("stablehlo.all_to_all", p.like(shape, p.f32()),
                {p.integer("split_dimension", 0),
                 p.integer("concat_dimension", other),
                 p.integer("split_count", 2), groups(p)},
                p.f32());
}

static bool allGather(SizedProgram &p) {
  p.typesOnly = true;
  Value x = p.any(p.f32());
  int64_t along = p.number(0, p.rank(x) - 1);
  TrueShape shape = p.shape(x);
  shape[along] = shape[along] * 2;
  return p.fits(shape) &&
         p.tell("stablehlo.all_gather", x,
                {p.integer("all_gather_dim", along), groups(p)},
                p.type(shape, p.f32()));
}

static bool permute(SizedProgram &p) {
  p.typesOnly = true;
  auto type = RankedTensorType::get({2, 2}, p.builder.getI64Type());
  return p.emit(
      "stablehlo.collective_permute", p.any(p.f32()),
      p.named("source_target_pairs",
              DenseIntElementsAttr::get(type, ArrayRef<int64_t>{0, 1, 1, 0})),
      p.f32());
}

ArrayRef<Step> distributionSteps() {
  static const Step steps[] = {
      {"stablehlo.all_reduce", allReduce, false},
      {"stablehlo.all_to_all", allToAll, false},
      {"stablehlo.all_gather", allGather, false},
      {"stablehlo.collective_permute", permute, false},
  };
  return steps;
}

} // namespace heddle::sized
