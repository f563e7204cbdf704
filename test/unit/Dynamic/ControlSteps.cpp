// Steps with regions or functions of whole tensors.

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

/// What `round` makes of `x`, up to `most` times.
static Operation *counted(SizedProgram &p, Value x, int64_t most,
                          llvm::function_ref<Value(Value)> round) {
  Type type = p.i32();
  Value zero = p.scalar(type, 0), one = p.scalar(type, 1);
  Value times = p.scalar(type, p.number(0, most));
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
          Value next = round(block.getArgument(1));
          return {both(p, "stablehlo.add", block.getArgument(0), one), next};
        });
      });
}

static bool loop(SizedProgram &p) {
  Type type = p.i32();
  Value x = p.any(type), y = p.like(p.shape(x), type);
  return counted(p, x, 3,
                 [&](Value sum) { return both(p, "stablehlo.add", sum, y); });
}

/// What adds up the rows of a tensor, as often as a size says.
static bool rows(SizedProgram &p) {
  Type type = p.i32();
  Value x =
      p.any([&](Value value) { return p.low(p.shape(value)[0]) > 0; }, type);
  if (!x)
    return false;
  TrueShape shape = p.shape(x), sizes = shape;
  sizes[0] = p.constant(1);
  TrueShape rest(shape.begin() + 1, shape.end());
  Value zero = p.scalar(type, 0), one = p.scalar(type, 1);
  Attribute count = size::extentsAttr(p.builder.getContext(), {shape[0]});
  Value times =
      p.tell("size.tensor", {}, p.named("elements", count), p.type({}, type))
          ->getResult(0);
  SmallVector<NamedAttribute> attributes = {
      p.list("slice_sizes", p.highs(sizes))};
  p.addSized(attributes, {{"slice_sizes", sizes}});
  Value sum = p.like(rest, type);
  Type types[] = {zero.getType(), sum.getType()};
  bool isWhole = true;
  Operation *op = p.tell(
      "stablehlo.while", {zero, sum}, {}, types,
      [&](OpBuilder &, OperationState &state) {
        addRegion(p, state, types, [&](Block &block) -> SmallVector<Value> {
          return {stablehlo::CompareOp::create(
              p.builder, p.builder.getUnknownLoc(), block.getArgument(0), times,
              stablehlo::ComparisonDirection::LT)};
        });
        addRegion(p, state, types, [&](Block &block) -> SmallVector<Value> {
          SmallVector<Value> operands = {x, block.getArgument(0)};
          operands.append(rest.size(), zero);
          Operation *row =
              p.emit("stablehlo.dynamic_slice", operands, attributes, type);
          Operation *flat = row ? p.tell("stablehlo.reshape", row->getResult(0),
                                         {}, sum.getType())
                                : nullptr;
          isWhole = flat;
          return {
              both(p, "stablehlo.add", block.getArgument(0), one),
              both(p, "stablehlo.add", block.getArgument(1),
                   flat ? Value(flat->getResult(0)) : block.getArgument(1))};
        });
      });
  if (op && !isWhole) {
    p.drop(op);
    return false;
  }
  return op;
}

/// `x` turned around, by a loop.
static Operation *turnedByLoop(SizedProgram &p, Value x) {
  return counted(p, x, 2, [&](Value carried) -> Value {
    // What is turned is no argument: its size is that of a result.
    Value twice = both(p, "stablehlo.add", carried, carried);
    Operation *turned = p.emit("stablehlo.reverse", twice,
                               p.list("dimensions", {0}), p.element(x));
    return turned ? Value(turned->getResult(0)) : carried;
  });
}

/// A function of its own, within which something must be masked.
static bool reducedComposite(SizedProgram &p, Value x, StringRef name) {
  Type type = p.element(x);
  Location loc = p.builder.getUnknownLoc();
  func::FuncOp function;
  Operation *reduced = nullptr;
  {
    OpBuilder::InsertionGuard guard(p.builder);
    p.builder.setInsertionPointToEnd(p.module().getBody());
    function = func::FuncOp::create(p.builder, loc, name,
                                    p.builder.getFunctionType(x.getType(), {}));
    function.setPrivate();
    p.builder.setInsertionPointToEnd(function.addEntryBlock());
    Value first = p.scalar(type, -2), from = function.getArgument(0);
    if (p.chance(50))
      from = turnedByLoop(p, from)->getResult(1);
    reduced = p.emit("stablehlo.reduce", {from, first},
                     p.list("dimensions", {p.number(0, p.rank(x) - 1)}), type,
                     [&](OpBuilder &, OperationState &state) {
                       p.addCombiner(state, "stablehlo.maximum", type);
                     });
    if (!reduced) {
      function.erase();
      return false;
    }
    func::ReturnOp::create(p.builder, loc, reduced->getResults());
    function.setType(
        p.builder.getFunctionType(x.getType(), reduced->getResultTypes()));
  }
  return p.tell("stablehlo.composite", x,
                {p.named("name", p.builder.getStringAttr("test.largest")),
                 p.named("decomposition",
                         FlatSymbolRefAttr::get(p.builder.getContext(), name))},
                reduced->getResultTypes());
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
  if (p.chance(50))
    return reducedComposite(p, x, name);
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
      {"stablehlo.if", choice},           {"stablehlo.case", selection},
      {"stablehlo.while", loop},          {"stablehlo.while", rows},
      {"stablehlo.composite", composite},
  };
  return steps;
}

} // namespace heddle::sized
