// A random program while it is made: its sizes, extents and values.

#include "test/unit/Dynamic/SizedProgram.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::sized {

/// Elements of the largest tensor that is computed with.
static constexpr int64_t kMostElements = 2048;

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
    facts.multiple = chance(15) ? 2 : chance(10) ? 4 : 1;
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
    switch (number(0, 16)) {
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
    case 10: // What is left is the most where the size is the least,
      result = constant(high(result) + number(0, 1)) - result;
      break;
    case 11: // and this where it is neither.
      result = result * (constant(high(result) + number(0, 1)) - result);
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
  int64_t least = low(extent), greatest = high(extent);
  // A symbol that reaches it, or what is equal from some value on.
  for (const Symbol &symbol : declared) {
    Expression other = ranges.counted(Expression::symbol(context, symbol.name));
    if (high(other) == greatest && other != extent && chance(60))
      return other;
  }
  if (least == greatest)
    return {};
  Expression other = ranges.simplified(
      Expression::maximum(extent, constant(number(least + 1, greatest))));
  return other && high(other) == greatest && other != extent ? other
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
  if (extents.empty() || !chance(mutant ? 30 : 20))
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

void SizedProgram::addSized(
    SmallVectorImpl<NamedAttribute> &attributes,
    std::initializer_list<std::pair<StringRef, ArrayRef<Expression>>> sized) {
  // One that is constant stands beside the other: of the bound it may differ.
  bool isSized = false;
  for (const auto &each : sized)
    isSized |=
        llvm::any_of(each.second, [](Expression e) { return !e.isConstant(); });
  for (const auto &[name, values] : sized)
    if (isSized)
      attributes.push_back(named(stablehlo::sizedAttributeName(name),
                                 size::extentsAttr(context, values)));
}

} // namespace heddle::sized
