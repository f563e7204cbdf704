// Reads the ranges of --dim and --shape, ties sizes that must be equal, and
// counts what is chosen by a call.

#include "lib/Driver/BoundedOptions.h"

#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

bool heddle::isRanged(const ModelOptions &options, StringRef dim) {
  if (dim.contains(".."))
    return false;
  StringRef name = dim.rsplit('=').first;
  return llvm::any_of(options.dims, [&](StringRef other) {
    return other.contains("..") && other.rsplit('=').first == name;
  });
}

std::string BoundedOptions::Template::print(ArrayRef<int64_t> sizes) const {
  std::string text = name;
  for (auto [i, part] : llvm::enumerate(parts)) {
    text += i ? "x" : "";
    text += symbols[i] ? std::to_string(sizes[*symbols[i]]) : part;
  }
  return text;
}

bool BoundedOptions::addRange(StringRef text, const std::string &name,
                              unsigned &symbol) {
  auto [low, high] = text.split("..");
  BoundedSymbol found{name, 0, 0};
  if (low.getAsInteger(10, found.minimum) ||
      high.getAsInteger(10, found.maximum) || found.minimum < 0 ||
      found.maximum < std::max<int64_t>(found.minimum, 1) ||
      found.maximum > INT32_MAX)
    return false;
  symbol = symbolList.size();
  symbolList.push_back(std::move(found));
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
                (isShape ? "--shape NAME=1..8x128" : "--dim NAME=1..8"));
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

std::string BoundedOptions::describe(ArrayRef<int64_t> sizes) const {
  std::string text;
  for (auto [symbol, size] : llvm::zip_equal(symbolList, sizes))
    text +=
        (text.empty() ? "" : ", ") + symbol.name + " = " + std::to_string(size);
  return text;
}

SmallVector<SmallVector<int64_t>>
BoundedOptions::leastPoints(bool oneIsSpecial) const {
  SmallVector<SmallVector<int64_t>> points;
  for (int64_t more : {0, 1}) {
    SmallVector<int64_t> all = maxima();
    for (auto [i, symbol] : llvm::enumerate(symbolList)) {
      int64_t size = symbol.minimum + more;
      // One more helps where none is not taken.
      if (size >= symbol.maximum || (oneIsSpecial && size < 2) ||
          (more && symbol.minimum > 0))
        continue;
      SmallVector<int64_t> one = maxima();
      one[i] = all[i] = size;
      points.push_back(std::move(one));
    }
    if (symbolList.size() > 1)
      points.push_back(std::move(all));
  }
  return points;
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

/// The largest sizes, those of --shape all the least of them: programs with
/// several bounds may want sizes within all of these.
SmallVector<int64_t> BoundedOptions::equalMaxima() const {
  SmallVector<int64_t> sizes = maxima();
  for (int64_t size : ArrayRef(sizes).drop_front(named))
    for (unsigned i = named; i < sizes.size(); ++i)
      sizes[i] = std::min(sizes[i], size);
  return sizes;
}

/// For each symbol the first of those that it must be equal to. `base` are
/// sizes that the program takes.
SmallVector<unsigned> BoundedOptions::findLeaders(
    ArrayRef<int64_t> base,
    llvm::function_ref<bool(ArrayRef<int64_t>)> imports) const {
  auto importsWithLess = [&](ArrayRef<unsigned> smaller) {
    SmallVector<int64_t> sizes(base);
    for (unsigned i : smaller)
      --sizes[i];
    return imports(sizes);
  };
  SmallVector<unsigned> leaders(symbolList.size());
  SmallVector<unsigned> open;
  for (unsigned i = 0; i < symbolList.size(); ++i) {
    leaders[i] = i;
    if (i >= named && !importsWithLess({i}))
      open.push_back(i);
  }
  auto alike = [&](unsigned i, unsigned j) { return base[i] == base[j]; };
  for (size_t a = 0; a < open.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (leaders[open[a]] == open[a] && leaders[open[b]] == open[b] &&
          alike(open[a], open[b]) && importsWithLess({open[b], open[a]}))
        leaders[open[a]] = open[b];
  // More than two that are equal.
  auto isAlone = [&](unsigned i) {
    return llvm::count(leaders, i) == 1 && leaders[i] == i;
  };
  SmallVector<unsigned> rest;
  for (unsigned i : open)
    if (isAlone(i))
      rest.push_back(i);
  for (unsigned i : rest)
    if (alike(i, rest.front()))
      leaders[i] = rest.front();
  return leaders;
}

bool BoundedOptions::tie(Session &session,
                         llvm::function_ref<bool(ArrayRef<int64_t>)> imports) {
  SmallVector<int64_t> base = maxima();
  if (equalMaxima() != base && !imports(base))
    base = equalMaxima();
  SmallVector<unsigned> leaders = findLeaders(base, imports);
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
