// Reads the ranges of --dim and --shape, and counts what is chosen by a call.

#include "BoundedOptions.h"

#include "heddle/Driver/BoundedModel.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Dynamic/TiedSizes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

std::string BoundedOptions::Template::print(ArrayRef<int64_t> sizes) const {
  std::string text = name;
  for (auto [i, part] : llvm::enumerate(parts)) {
    text += i ? "x" : "";
    text += symbols[i] ? std::to_string(sizes[*symbols[i]]) : part;
  }
  return text;
}

std::optional<SizeRange> heddle::parseSizeRange(StringRef text) {
  auto [low, high] = text.split("..");
  SizeRange range;
  if (low.getAsInteger(10, range.least) ||
      high.getAsInteger(10, range.greatest) || range.least < 0 ||
      range.greatest < std::max<int64_t>(range.least, 1) ||
      range.greatest > INT32_MAX)
    return std::nullopt;
  return range;
}

bool BoundedOptions::addRange(StringRef text, const std::string &name,
                              unsigned &symbol) {
  std::optional<SizeRange> range = parseSizeRange(text);
  if (!range)
    return false;
  symbol = symbolList.size();
  symbolList.push_back({name, range->least, range->greatest});
  return true;
}

bool BoundedOptions::parse(Session &session) {
  auto read = [&](const std::string &text, std::vector<Template> &list,
                  bool isShape) {
    Template made;
    size_t equals = text.rfind('=');
    made.name = text.substr(0, equals == std::string::npos ? 0 : equals + 1);
    std::string input = made.name.substr(0, made.name.empty() ? 0 : equals);
    SmallVector<StringRef> parts;
    StringRef rest = StringRef(text).drop_front(made.name.size());
    if (isShape)
      rest.split(parts, 'x');
    else
      parts.push_back(rest);
    for (auto [i, part] : llvm::enumerate(parts)) {
      made.parts.push_back(part.str());
      made.symbols.emplace_back();
      if (!part.contains(".."))
        continue;
      std::string symbol = isShape ? input + "." + std::to_string(i) : input;
      unsigned number = 0;
      if (made.name.empty() || !addRange(part, symbol, number)) {
        session.diagnostics.report(
            ErrorCode::OnnxShapeOption,
            "\"" + text + "\" gives no range of sizes: write " +
                (isShape ? "--shape NAME=1..8x128" : "--dim NAME=1..8") +
                ", the bound at most 2147483647");
        return false;
      }
      made.symbols.back() = number;
    }
    list.push_back(std::move(made));
    return true;
  };
  for (const std::string &text : options.dims)
    if (!isRanged(options, text) && !read(text, dims, /*isShape=*/false))
      return false;
  named = symbolList.size();
  for (const std::string &text : options.shapes)
    if (!read(text, shapes, /*isShape=*/true))
      return false;
  // Which of them are one is tried for each pair.
  return symbolList.size() <= 32 || checkCount(session);
}

bool BoundedOptions::checkCount(Session &session) const {
  constexpr size_t most = 4;
  if (symbolList.size() <= most)
    return true;
  std::string names;
  for (const BoundedSymbol &symbol : symbolList)
    names += (names.empty() ? "" : ", ") + symbol.name;
  session.diagnostics.report(
      ErrorCode::OnnxShapeOption,
      "there are " + Twine(symbolList.size()) +
          " ranges of sizes that do not depend on each other (" + names +
          "); at most 4 are taken: fix others by --shape NAME=SHAPE");
  return false;
}

ModelOptions BoundedOptions::at(ArrayRef<int64_t> sizes) const {
  ModelOptions result = options;
  result.isSample = true;
  result.dims.clear();
  for (const Template &each : dims)
    result.dims.push_back(each.print(sizes));
  result.shapes.clear();
  for (const Template &each : shapes)
    result.shapes.push_back(each.print(sizes));
  return result;
}

bool BoundedOptions::tie(Session &session,
                         llvm::function_ref<bool(ArrayRef<int64_t>)> imports) {
  SmallVector<unsigned> leaders = findTies(symbolList, named, imports);
  std::vector<BoundedSymbol> kept;
  SmallVector<unsigned> numbers(symbolList.size());
  for (unsigned i = 0; i < symbolList.size(); ++i) {
    if (leaders[i] == i) {
      numbers[i] = kept.size();
      kept.push_back(symbolList[i]);
      continue;
    }
    numbers[i] = numbers[leaders[i]];
    BoundedSymbol &leader = kept[numbers[i]];
    leader.minimum = std::max(leader.minimum, symbolList[i].minimum);
    leader.maximum = std::min(leader.maximum, symbolList[i].maximum);
    if (leader.minimum <= leader.maximum)
      continue;
    session.diagnostics.report(ErrorCode::OnnxShapeOption,
                               "'" + leader.name + "' and '" +
                                   symbolList[i].name +
                                   "' must be equal, but have no size in "
                                   "common");
    return false;
  }
  symbolList = std::move(kept);
  for (Template &each : shapes)
    for (std::optional<unsigned> &symbol : each.symbols)
      if (symbol)
        symbol = numbers[*symbol];
  return true;
}
