// Reads the ranges of --dim and --shape, and which of them are one size.

#include "BoundedOptions.h"

#include "dialects/Size/ExpressionText.h"
#include "heddle/Driver/BoundedModel.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;

std::optional<ChosenSize> heddle::parseSizeRange(StringRef text) {
  std::optional<ChosenSize> size = readRange(text);
  if (!size || size->minimum < 0 ||
      size->maximum < std::max<int64_t>(size->minimum, 1) ||
      size->maximum > INT32_MAX || size->multiple < 1 || size->isEmpty())
    return std::nullopt;
  return size;
}

std::optional<std::string> heddle::findSaidTwice(const ModelOptions &options) {
  std::pair<StringRef, ArrayRef<std::string>> lists[] = {
      {"--shape ", options.shapes}, {"--dim ", options.dims}};
  for (auto [option, texts] : lists) {
    llvm::StringMap<StringRef> said;
    for (StringRef text : texts) {
      auto [name, value] = text.rsplit('=');
      int64_t number;
      // What stands beside a range says what to run.
      if (isRangedShape(options, text) ||
          (isRanged(options, text) && !value.getAsInteger(10, number)))
        continue;
      auto [earlier, isFirst] = said.try_emplace(name, text);
      if (!isFirst && earlier->second != text)
        return (option + earlier->second + " and " + option + text +
                " both say what '" + name + "' is")
            .str();
    }
  }
  return std::nullopt;
}

/// The size that `text`, a range, leaves no choice of.
static std::optional<int64_t> onlySize(StringRef text) {
  std::optional<ChosenSize> size = parseSizeRange(text);
  return size && size->least() == size->greatest()
             ? std::optional(size->least())
             : std::nullopt;
}

std::optional<unsigned>
BoundedOptions::addSymbol(Session &session, StringRef range, std::string name,
                          bool isNamed, StringRef text) {
  std::optional<ChosenSize> parsed = parseSizeRange(range);
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
  parsed->name = std::move(name);
  symbols.push_back({std::move(*parsed), isNamed});
  return symbols.size() - 1;
}

bool BoundedOptions::parseShape(Session &session, const std::string &text) {
  if (!StringRef(text).contains("..")) {
    // Beside a range it is what to run, not what to compile.
    SizeOptions called;
    if (succeeded(parseShapeOption(text, isRangedShape(options, text) ? called
                                                                      : fixed)))
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
    if (auto only = onlySize(part); only && !made.name.empty()) {
      made.parts.back() = std::to_string(*only);
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
  auto [name, value] = StringRef(text).rsplit('=');
  int64_t number;
  // What to run, not what to compile.
  if (isRanged(options, text) && !value.getAsInteger(10, number))
    return true;
  // A range of one size is that size.
  if (auto only = onlySize(value); only && !name.empty()) {
    fixed.dims.emplace_back(name.str(), *only);
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
  if (auto problem = findSaidTwice(options)) {
    session.diagnostics.report(ErrorCode::OnnxShapeOption, *problem);
    return false;
  }
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
    result.sizes.push_back(symbol.size);
  for (const Template &each : shapes) {
    std::vector<std::string> extents;
    for (auto [part, symbol] : llvm::zip_equal(each.parts, each.symbols))
      extents.push_back(symbol ? size::spellSymbol(symbols[*symbol].size.name)
                               : part);
    result.sizedShapes.emplace_back(each.name, std::move(extents));
  }
  return result;
}

std::optional<unsigned> BoundedOptions::find(StringRef name) const {
  for (unsigned i = 0; i < symbols.size(); ++i)
    if (symbols[i].size.name == name)
      return i;
  return std::nullopt;
}

bool BoundedOptions::join(Session &session, unsigned first, unsigned second) {
  ChosenSize &size = symbols[first].size;
  size.narrow(symbols[second].size);
  if (size.isEmpty()) {
    session.diagnostics.report(
        ErrorCode::OnnxShapeOption,
        "'" + size.name + "' and '" + symbols[second].size.name +
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
    std::optional<size::SymbolPair> pair = size::differingSymbols(zero);
    if (!pair)
      continue;
    // Those that an earlier assumption made one are not there any more.
    std::optional<unsigned> first = find(pair->first),
                            second = find(pair->second);
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
