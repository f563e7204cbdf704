// Tables of an artifact that have each entry once: of expressions, of nodes.

#include "lib/Artifact/ExpressionTable.h"

#include "heddle/Support/EntrySizes.h"

using namespace mlir;
using namespace heddle;

uint32_t ExpressionTable::operator()(int64_t value) {
  auto [entry, isNew] = known.try_emplace(value, table.size());
  if (isNew)
    table.emplace_back(value, 0, 0, format::ExpressionKind::constant);
  return entry->second;
}

ExpressionTable::ExpressionTable(std::vector<format::Expression> &table,
                                 ModuleOp module)
    : table(table) {
  if (auto symbols = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName))
    for (auto [i, symbol] :
         llvm::enumerate(symbols.getAsRange<DictionaryAttr>()))
      symbolNumbers[symbol.getAs<StringAttr>("name").getValue()] = i;
}

uint32_t ExpressionTable::symbol(StringRef name) {
  auto number = symbolNumbers.find(name);
  assert(number != symbolNumbers.end() &&
         "an entry's symbols are the module's");
  auto [entry, isNew] = symbolEntries.try_emplace(name, table.size());
  if (isNew)
    table.emplace_back(number->second, 0, 0, format::ExpressionKind::symbol);
  return entry->second;
}

uint32_t ExpressionTable::factor(Attribute factor) {
  auto size = dyn_cast<size::SymbolAttr>(factor);
  if (size && size.getUnit() == 1)
    return symbol(size.getName());
  if (auto known = knownExpressions.find(factor);
      known != knownExpressions.end())
    return known->second;
  if (size) {
    uint32_t whole = symbol(size.getName()), unit = (*this)(size.getUnit());
    return knownExpressions[factor] =
               add(format::ExpressionKind::floordiv, whole, unit);
  }
  auto atom = cast<size::AtomAttr>(factor);
  uint32_t lhs = (*this)(size::Expression(atom.getLhs())),
           rhs = (*this)(size::Expression(atom.getRhs()));
  auto entry = [&] {
    switch (atom.getFunction()) {
    case size::Function::FloorDiv:
      return add(format::ExpressionKind::floordiv, lhs, rhs);
    case size::Function::Minimum:
      return add(format::ExpressionKind::min, lhs, rhs);
    case size::Function::IsPositive:
      return add(format::ExpressionKind::less, rhs, lhs);
    case size::Function::IsZero:
      return add(format::ExpressionKind::equal, lhs, rhs);
    }
    llvm_unreachable("four functions");
  }();
  return knownExpressions[factor] = entry;
}

uint32_t ExpressionTable::operator()(size::Expression expression) {
  if (std::optional<int64_t> value = expression.asConstant())
    return (*this)(*value);
  if (auto known = knownExpressions.find(expression.attribute());
      known != knownExpressions.end())
    return known->second;
  std::optional<uint32_t> sum;
  for (auto [whole, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    auto [coefficient, factors] = size::withReducedUnits(whole, monomial);
    std::optional<uint32_t> term;
    auto times = [&](uint32_t by) {
      term = term ? add(format::ExpressionKind::mul, *term, by) : by;
    };
    for (Attribute each : factors)
      times(factor(each));
    if (!term || coefficient != 1)
      times((*this)(coefficient));
    sum = sum ? add(format::ExpressionKind::add, *sum, *term) : *term;
  }
  return knownExpressions[expression.attribute()] = *sum;
}

uint32_t ExpressionTable::add(format::ExpressionKind kind, uint32_t lhs,
                              uint32_t rhs, int64_t value) {
  table.emplace_back(value, lhs, rhs, kind);
  return table.size() - 1;
}

uint32_t ExpressionTable::choose(ArrayRef<uint32_t> conditions,
                                 ArrayRef<uint32_t> values) {
  uint32_t chosen = values.back();
  if (llvm::all_equal(values))
    return chosen;
  for (size_t i = conditions.size(); i-- > 0;)
    chosen =
        add(format::ExpressionKind::select, values[i], chosen, conditions[i]);
  return chosen;
}

uint32_t NodeTable::operator()(StringRef name) {
  auto [entry, isNew] = known.try_emplace(name, names.size());
  if (isNew)
    names.push_back(name.str());
  return entry->second;
}
