// Which steps a random program is made of, and what is said of it as a whole.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/InferExtents.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace heddle::sized {

/// The same assumptions are made, and the same types given, from the beginning.
/// What only dropped operations took for granted is forgotten so.
void SizedProgram::walk() {
  auto fresh = std::make_unique<SizeAssumptions>(ranges);
  // As whoever reads models leaves them, types are those of the walk.
  OwningOpRef<ModuleOp> copy(owned->clone());
  auto before = copy->lookupSymbol<func::FuncOp>("main");
  std::string message;
  ScopedDiagnosticHandler listen(
      context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  if (failed(inferExtents(function, *fresh))) {
    wrongWalk = "the walk fails: " + message;
    return;
  }
  auto agree = [&](Type told, Type walked) {
    auto from = dyn_cast<RankedTensorType>(told);
    auto to = dyn_cast<RankedTensorType>(walked);
    if (!from || !to)
      return told == walked;
    return llvm::all_of(
        llvm::zip(size::extentsOf(from), size::extentsOf(to)), [&](auto pair) {
          return ranges.isZero(std::get<0>(pair) - std::get<1>(pair)) == true;
        });
  };
  for (auto [op, other] : llvm::zip_equal(before.front(), function.front()))
    for (auto [told, walked] :
         llvm::zip_equal(op.getResultTypes(), other.getResultTypes()))
      // Of two sizes that are taken for equal the walk goes on with one.
      if (fresh->assumptions().empty() && !agree(told, walked)) {
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
    Expression size = ranges.counted(Expression::symbol(context, symbol.name));
    if (llvm::none_of(function.getArguments(), [&](Value argument) {
          return llvm::is_contained(shape(argument), size);
        }))
      argument({size}, i32());
  }
  SmallVector<Value> results;
  for (Value value : llvm::reverse(values))
    if (value.getDefiningOp() && results.size() < 8 &&
        !isa<quant::QuantizedType>(element(value)))
      results.push_back(value);
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(
      function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  if (!mutant)
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
    owned.get()->setAttr(kSizeAssumptionsAttrName,
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
