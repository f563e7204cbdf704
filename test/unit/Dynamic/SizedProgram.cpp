// A random program while it is made: its sizes, its arguments and how
// operations get their types.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/InferExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace heddle::sized {

/// Elements of the largest tensor that is computed with.
static constexpr int64_t kMostElements = 2048;

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

SizedProgram::SizedProgram(MLIRContext *context, uint64_t seed, Scale scale,
                           const RuleMutant *mutant)
    : builder(context), context(context), random(seed), howLarge(scale),
      mutant(mutant) {
  owned = ModuleOp::create(UnknownLoc::get(context));
  builder.setInsertionPointToEnd(owned->getBody());
  function = func::FuncOp::create(builder, UnknownLoc::get(context), "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  assumptions = std::make_unique<SizeAssumptions>(ranges);
  declareSymbols();
}

SizedProgram::~SizedProgram() = default;

void SizedProgram::declareSymbols() {
  static const char *const names[] = {"a", "batch", "c2"};
  // One program in ten has none: the rules of numbers.
  int64_t symbols = chance(10) ? 0 : number(1, 3);
  for (int64_t i = 0; i < symbols; ++i) {
    size::SymbolFacts facts;
    facts.multiple = chance(15) ? 2 : 1;
    facts.minimum = chance(40) ? 0 : facts.multiple * number(1, 2);
    int64_t steps = howLarge == Scale::Small    ? number(1, 3)
                    : howLarge == Scale::Medium ? number(5, 12)
                                                : number(1000, 1 << 20);
    facts.maximum = facts.minimum + steps * facts.multiple;
    ranges.declare(names[i], facts);
    declared.push_back({names[i], facts});
  }
}

std::vector<Sizes> SizedProgram::choices(unsigned count) {
  std::vector<Sizes> all = {{}};
  if (howLarge == Scale::Small) {
    for (const Symbol &symbol : declared) {
      std::vector<Sizes> longer;
      for (const Sizes &sizes : all)
        for (int64_t value = symbol.facts.minimum;
             value <= symbol.facts.maximum; value += symbol.facts.multiple) {
          longer.push_back(sizes);
          longer.back().push_back(value);
        }
      all = std::move(longer);
    }
    return all;
  }
  all = {{}, {}};
  for (const Symbol &symbol : declared) {
    all[0].push_back(symbol.facts.minimum);
    all[1].push_back(symbol.facts.maximum);
  }
  for (unsigned i = 0; i < count; ++i) {
    Sizes sizes;
    for (const Symbol &symbol : declared)
      sizes.push_back(
          symbol.facts.minimum +
          symbol.facts.multiple *
              number(0, (symbol.facts.maximum - symbol.facts.minimum) /
                            symbol.facts.multiple));
    all.push_back(std::move(sizes));
  }
  return all;
}

std::string SizedProgram::text(const Sizes &sizes) const {
  std::string text;
  for (auto [symbol, value] : llvm::zip_equal(declared, sizes))
    text += (text.empty() ? "" : ", ") + symbol.name + " = " +
            std::to_string(value);
  return text;
}

std::optional<int64_t> SizedProgram::evaluated(Expression expression,
                                               const Sizes &sizes) const {
  return expression.evaluated([&](StringRef name) -> std::optional<int64_t> {
    for (auto [symbol, value] : llvm::zip_equal(declared, sizes))
      if (symbol.name == name)
        return value;
    return std::nullopt;
  });
}

bool SizedProgram::holds(const Sizes &sizes) const {
  return llvm::all_of(assumptions->assumptions(),
                      [&](const SizeAssumption &each) {
                        return evaluated(each.isZero, sizes) == 0;
                      });
}

SmallVector<int64_t> SizedProgram::permutation(int64_t count) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < count; ++i)
    order.insert(order.begin() + number(0, i), i);
  return order;
}

//===----------------------------------------------------------------------===//
// Extents and types
//===----------------------------------------------------------------------===//

Expression SizedProgram::extent(int64_t least) {
  auto symbol = [&] {
    return Expression::symbol(
        context, declared[number(0, int64_t(declared.size()) - 1)].name);
  };
  int64_t most = howLarge == Scale::Small    ? 10
                 : howLarge == Scale::Medium ? 24
                                             : int64_t(1) << 40;
  for (unsigned attempt = 0; !declared.empty() && attempt < 8; ++attempt) {
    if (chance(25))
      break;
    Expression result = symbol();
    switch (number(0, 14)) {
    case 0:
      result = result * 2;
      break;
    case 1:
      result = result + symbol();
      break;
    case 2:
      result = result + number(1, 3);
      break;
    case 3:
      result = result.floorDiv(number(2, 3));
      break;
    case 4:
      result = (result + number(0, 1)).ceilDiv(number(2, 3));
      break;
    case 5:
      result = result * symbol();
      break;
    case 6:
      result = Expression::minimum(result, symbol());
      break;
    case 7:
      result = Expression::maximum(result, constant(number(1, 3)));
      break;
    case 8:
      result = result - 1;
      break;
    case 9:
      result = result.mod(number(2, 3)) + number(0, 1);
      break;
    default:
      break;
    }
    result = ranges.simplified(result);
    if (result && low(result) >= least && high(result) <= most)
      return result;
  }
  if (least <= 0 && chance(4))
    return constant(0);
  return constant(std::max(least, number(1, 4)));
}

TrueShape SizedProgram::extents(int64_t rank) {
  TrueShape result;
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(extent());
  while (!fits(result))
    result[number(0, rank - 1)] = constant(number(1, 2));
  return result;
}

Expression SizedProgram::rival(Expression extent) {
  if (extent.isConstant()) {
    // A symbol that reaches it.
    for (const Symbol &symbol : declared)
      if (extent.isConstant(symbol.facts.maximum) &&
          symbol.facts.minimum < symbol.facts.maximum)
        return Expression::symbol(context, symbol.name);
    return {};
  }
  int64_t greatest = high(extent);
  Expression other = ranges.simplified(
      greatest - (greatest - extent).floorDiv(number(2, 3)) * 2);
  return other && low(other) >= 0 && high(other) == greatest && other != extent
             ? other
             : Expression();
}

bool SizedProgram::fits(ArrayRef<Expression> extents) const {
  int64_t most = howLarge == Scale::Huge ? int64_t(1) << 55 : kMostElements;
  int64_t elements = 1;
  for (Expression extent : extents)
    if (llvm::MulOverflow(elements, std::max<int64_t>(high(extent), 1),
                          elements) ||
        elements > most)
      return false;
  return true;
}

SmallVector<int64_t> SizedProgram::highs(ArrayRef<Expression> values) const {
  return llvm::map_to_vector(values, [&](Expression e) { return high(e); });
}

RankedTensorType SizedProgram::type(ArrayRef<Expression> extents,
                                    Type element) {
  TrueShape simple = llvm::map_to_vector(
      extents, [&](Expression e) { return ranges.simplified(e); });
  return size::withExtents(RankedTensorType::get(highs(simple), element),
                           simple);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value SizedProgram::argument(ArrayRef<Expression> extents, Type element) {
  Value value = function.front().addArgument(type(extents, element),
                                             UnknownLoc::get(context));
  // Those of inner regions stay theirs; what is an argument is seen everywhere.
  values.push_back(value);
  return value;
}

double SizedProgram::largest(Value value) const {
  auto found = magnitudes.find(value);
  return found == magnitudes.end() ? 8.0 : found->second;
}

Value SizedProgram::any(llvm::function_ref<bool(Value)> wanted, Type type) {
  SmallVector<Value> found = llvm::filter_to_vector(values, [&](Value value) {
    return element(value) == type && rank(value) > 0 && wanted(value);
  });
  if (!found.empty() && chance(75))
    return found[number(0, int64_t(found.size()) - 1)];
  for (unsigned attempt = 0; attempt < 6; ++attempt) {
    Value made = argument(extents(number(1, 3)), type);
    if (wanted(made))
      return made;
  }
  return found.empty() ? Value() : found.front();
}

Value SizedProgram::like(ArrayRef<Expression> extents, Type type) {
  SmallVector<Value> found = llvm::filter_to_vector(values, [&](Value value) {
    return element(value) == type &&
           ArrayRef<Expression>(shape(value)) == extents;
  });
  if (!found.empty() && chance(75))
    return found[number(0, int64_t(found.size()) - 1)];
  return argument(extents, type);
}

TrueShape SizedProgram::nearly(Value value) {
  TrueShape extents = shape(value);
  if (extents.empty() || !chance(mutant ? 30 : 8))
    return extents;
  Expression &one = extents[number(0, int64_t(extents.size()) - 1)];
  if (Expression other = rival(one))
    one = other;
  return extents;
}

Value SizedProgram::splat(ArrayRef<Expression> extents, Type element,
                          int64_t value) {
  RankedTensorType type = this->type(extents, element);
  Attribute one = isa<FloatType>(element)
                      ? Attribute(builder.getFloatAttr(element, double(value)))
                      : Attribute(builder.getIntegerAttr(element, value));
  OperationState state(UnknownLoc::get(context), "stablehlo.constant");
  state.addAttribute("value", DenseElementsAttr::get(type, one));
  state.addTypes(type);
  Value result = builder.create(state)->getResult(0);
  magnitudes[result] = std::abs(double(value));
  return result;
}

NamedAttribute SizedProgram::padding(ArrayRef<int64_t> lowAndHigh) {
  auto type = RankedTensorType::get({int64_t(lowAndHigh.size()) / 2, 2},
                                    builder.getI64Type());
  return named("padding", DenseIntElementsAttr::get(type, lowAndHigh));
}

void SizedProgram::addSized(SmallVectorImpl<NamedAttribute> &attributes,
                            StringRef name, ArrayRef<Expression> values) {
  if (!llvm::all_of(values, [](Expression e) { return e.isConstant(); }))
    attributes.push_back(named(stablehlo::sizedAttributeName(name),
                               size::extentsAttr(context, values)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// The same assumptions are made, and the same types given, from the beginning.
/// What only dropped operations took for granted is forgotten so.
void SizedProgram::walk() {
  auto fresh = std::make_unique<SizeAssumptions>(ranges);
  OwningOpRef<ModuleOp> copy(owned->clone());
  auto main = copy->lookupSymbol<func::FuncOp>("main");
  std::string message;
  ScopedDiagnosticHandler listen(
      context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  if (failed(inferExtents(main, *fresh))) {
    wrongWalk = "the walk fails: " + message;
    return;
  }
  for (auto [op, other] : llvm::zip_equal(function.front(), main.front()))
    // Of two sizes that are taken for equal the walk goes on with one.
    if (fresh->assumptions().empty() &&
        op.getResultTypes() != other.getResultTypes()) {
      llvm::raw_string_ostream(wrongWalk)
          << "walked over, an operation has another type: " << other;
      return;
    }
  assumptions = std::move(fresh);
}

void SizedProgram::finish() {
  Location loc = UnknownLoc::get(context);
  // An input tells the value of each symbol.
  for (const Symbol &symbol : declared) {
    auto size = Expression::symbol(context, symbol.name);
    if (llvm::none_of(function.getArguments(), [&](Value argument) {
          return llvm::is_contained(shape(argument), size);
        }))
      argument({size}, i32());
  }
  SmallVector<Value> results;
  for (Value value : llvm::reverse(values))
    if (value.getDefiningOp() && results.size() < 8)
      results.push_back(value);
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(
      function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  if (!mutant && !noWalk)
    walk();
  SmallVector<Attribute> symbols, assumed;
  for (const Symbol &symbol : declared) {
    SmallVector<NamedAttribute> facts = {
        named("name", builder.getStringAttr(symbol.name)),
        integer("minimum", symbol.facts.minimum),
        integer("maximum", symbol.facts.maximum)};
    if (symbol.facts.multiple != 1)
      facts.push_back(integer("multiple", symbol.facts.multiple));
    symbols.push_back(builder.getDictionaryAttr(facts));
  }
  for (const SizeAssumption &each : assumptions->assumptions())
    assumed.push_back(builder.getDictionaryAttr(
        {named("zero", each.isZero.attribute()),
         named("text", builder.getStringAttr(each.text))}));
  owned.get()->setAttr(kSymbolsAttrName, builder.getArrayAttr(symbols));
  if (!assumed.empty())
    owned.get()->setAttr("heddle.size_assumptions",
                         builder.getArrayAttr(assumed));
}

std::vector<Step> allSteps() {
  std::vector<Step> all;
  for (ArrayRef<Step> steps :
       {elementwiseSteps(), shapeSteps(), contractionSteps(), reductionSteps(),
        indexingSteps(), controlSteps(), distributionSteps()})
    all.insert(all.end(), steps.begin(), steps.end());
  return all;
}

std::unique_ptr<SizedProgram> makeProgram(MLIRContext *context, uint64_t number,
                                          const RuleMutant *mutant,
                                          const Step *about) {
  static const std::vector<Step> steps = allSteps();
  uint64_t round = number / steps.size();
  Scale scale = round % 8 == 7   ? Scale::Huge
                : round % 3 == 2 ? Scale::Medium
                                 : Scale::Small;
  auto program = std::make_unique<SizedProgram>(context, number, scale, mutant);
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) {});
  const Step &first = about ? *about : steps[number % steps.size()];
  auto another = [&] {
    const Step &step = steps[program->number(0, int64_t(steps.size()) - 1)];
    if (step.isCommon)
      step.add(*program);
  };
  // Something before it, at times.
  if (program->chance(30))
    another();
  for (unsigned attempt = 0; attempt < 8 && !first.add(*program); ++attempt)
    ;
  for (int64_t more = program->number(0, 4); more > 0; --more)
    another();
  program->finish();
  return program;
}

} // namespace heddle::sized
