// Reads the ranges of --dim and --shape, and which of them are one size.

#include "BoundedOptions.h"

#include "dialects/Size/ExpressionText.h"
#include "heddle/Driver/BoundedModel.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

std::optional<SizeRange> heddle::parseSizeRange(StringRef text) {
  auto [ends, multiple] = text.split(':');
  auto [low, high] = ends.split("..");
  SizeRange range;
  if (low.getAsInteger(10, range.least) ||
      high.getAsInteger(10, range.greatest) || range.least < 0 ||
      range.greatest < std::max<int64_t>(range.least, 1) ||
      range.greatest > INT32_MAX)
    return std::nullopt;
  if (text.contains(':') &&
      (multiple.getAsInteger(10, range.multiple) || range.multiple < 1 ||
       range.greatest / range.multiple * range.multiple < range.least))
    return std::nullopt;
  return range;
}

std::optional<unsigned>
BoundedOptions::addSymbol(Session &session, StringRef range, std::string name,
                          bool isNamed, StringRef text) {
  std::optional<SizeRange> parsed = parseSizeRange(range);
  if (!parsed || name.empty()) {
    session.diagnostics.report(
        ErrorCode::OnnxShapeOption,
        "\"" + text + "\" gives no range of sizes: write " +
            (isNamed ? "--dim NAME=1..8, --dim NAME=64..512:32 for multiples "
                       "of 32"
                     : "--shape NAME=1..8x128") +
            ", the bound at most 2147483647");
    return std::nullopt;
  }
  symbols.push_back({std::move(name), *parsed, isNamed});
  return symbols.size() - 1;
}

bool BoundedOptions::parseShape(Session &session, const std::string &text) {
  if (!StringRef(text).contains("..")) {
    if (succeeded(parseShapeOption(text, fixed)))
      return true;
    session.diagnostics.report(ErrorCode::OnnxShapeOption,
                               "\"" + text +
                                   "\" is no shape: write --shape NAME=1x128");
    return false;
  }
  auto [name, list] = StringRef(text).rsplit('=');
  Template made;
  made.name = list.empty() ? "" : name.str();
  SmallVector<StringRef> parts;
  (list.empty() ? name : list).split(parts, 'x');
  for (auto [i, part] : llvm::enumerate(parts)) {
    made.parts.push_back(part.str());
    made.symbols.emplace_back();
    int64_t number;
    if (!made.name.empty() && !part.getAsInteger(10, number))
      continue;
    std::optional<SizeRange> range = parseSizeRange(part);
    if (range && !made.name.empty() && range->first() == range->last()) {
      made.parts.back() = std::to_string(range->first());
      continue;
    }
    made.symbols.back() =
        addSymbol(session, part,
                  made.name.empty() ? "" : made.name + "." + std::to_string(i),
                  /*isNamed=*/false, text);
    if (!made.symbols.back())
      return false;
  }
  shapes.push_back(std::move(made));
  return true;
}

bool BoundedOptions::parseDim(Session &session, const std::string &text) {
  // What to run, not what to compile.
  if (isRanged(options, text))
    return true;
  auto [name, value] = StringRef(text).rsplit('=');
  // A range of one size is that size.
  std::optional<SizeRange> range = parseSizeRange(value);
  if (range && !name.empty() && range->first() == range->last()) {
    fixed.dims.emplace_back(name.str(), range->first());
    return true;
  }
  if (value.contains(".."))
    return addSymbol(session, value, name.str(), /*isNamed=*/true, text)
        .has_value();
  // A number, or what follows from other sizes.
  if (succeeded(parseDimOption(text, fixed)) ||
      (!value.empty() && succeeded(parseSizedDimOption(text, fixed))))
    return true;
  session.diagnostics.report(ErrorCode::OnnxShapeOption,
                             "\"" + text +
                                 "\" is no dimension: write --dim NAME=8");
  return false;
}

bool BoundedOptions::parse(Session &session) {
  return llvm::all_of(options.dims,
                      [&](const std::string &text) {
                        return parseDim(session, text);
                      }) &&
         llvm::all_of(options.shapes, [&](const std::string &text) {
           return parseShape(session, text);
         });
}

SizeOptions BoundedOptions::forImport() const {
  SizeOptions result = fixed;
  for (const Symbol &symbol : symbols)
    result.sizes.push_back({symbol.name, symbol.range.least,
                            symbol.range.greatest, symbol.range.multiple});
  for (const Template &each : shapes) {
    std::vector<std::string> extents;
    for (auto [part, symbol] : llvm::zip_equal(each.parts, each.symbols))
      extents.push_back(symbol ? size::spellSymbol(symbols[*symbol].name)
                               : part);
    result.sizedShapes.emplace_back(each.name, std::move(extents));
  }
  return result;
}

std::optional<unsigned> BoundedOptions::find(StringRef name) const {
  for (unsigned i = 0; i < symbols.size(); ++i)
    if (symbols[i].name == name)
      return i;
  return std::nullopt;
}

bool BoundedOptions::join(Session &session, unsigned first, unsigned second) {
  SizeRange &range = symbols[first].range;
  const SizeRange &other = symbols[second].range;
  range.least = std::max(range.least, other.least);
  range.greatest = std::min(range.greatest, other.greatest);
  range.multiple = std::lcm(range.multiple, other.multiple);
  if (range.greatest / range.multiple * range.multiple < range.least) {
    session.diagnostics.report(
        ErrorCode::OnnxShapeOption,
        "'" + symbols[first].name + "' and '" + symbols[second].name +
            "' must be equal, but have no size in common");
    return false;
  }
  for (Template &each : shapes)
    for (std::optional<unsigned> &symbol : each.symbols)
      if (symbol && *symbol >= second)
        symbol = *symbol == second ? first : *symbol - 1;
  symbols.erase(symbols.begin() + second);
  return true;
}

std::optional<bool> BoundedOptions::unify(Session &session, ModuleOp module) {
  auto assumptions = module->getAttrOfType<ArrayAttr>(kSizeAssumptionsAttrName);
  if (!assumptions)
    return false;
  bool changed = false;
  for (auto assumption : assumptions.getAsRange<DictionaryAttr>()) {
    size::Expression zero(assumption.getAs<size::ExpressionAttr>("zero"));
    SmallVector<StringRef> names = zero.symbols();
    if (names.size() != 2)
      continue;
    auto difference = size::Expression::symbol(module.getContext(), names[0]) -
                      size::Expression::symbol(module.getContext(), names[1]);
    if (zero != difference && zero != -difference)
      continue;
    // Those that an earlier assumption made one are not there any more.
    std::optional<unsigned> first = find(names[0]), second = find(names[1]);
    if (!first || !second)
      continue;
    // Whose name the user gave stays; else the one that comes first.
    if (symbols[*first].isNamed == symbols[*second].isNamed
            ? *second < *first
            : symbols[*second].isNamed)
      std::swap(first, second);
    if (symbols[*second].isNamed)
      continue;
    if (!join(session, *first, *second))
      return std::nullopt;
    changed = true;
  }
  return changed;
}
