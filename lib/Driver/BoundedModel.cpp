#include "lib/Driver/BoundedModel.h"

#include "lib/Driver/DynamicForms.h"
#include "passes/Graph/Bounded/BoundDimensions.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

bool heddle::hasBoundedSizes(const ModelOptions &options) {
  auto isRange = [](const std::string &text) {
    return StringRef(text).contains("..");
  };
  return llvm::any_of(options.dims, isRange) ||
         llvm::any_of(options.shapes, isRange);
}

/// Whether `dim`, a size, stands beside a range for the same dimension.
static bool isRanged(const ModelOptions &options, StringRef dim) {
  if (dim.contains(".."))
    return false;
  StringRef name = dim.rsplit('=').first;
  return llvm::any_of(options.dims, [&](StringRef other) {
    return other.contains("..") && other.rsplit('=').first == name;
  });
}

namespace {
/// The options of a model with some sizes open.
class BoundedOptions {
public:
  explicit BoundedOptions(const ModelOptions &options) : options(options) {}

  /// Finds the ranges; false after an error, which has been reported.
  bool parse(Session &session);
  /// Symbols that must be one because the program wants their sizes equal.
  void tie(llvm::function_ref<bool(const ModelOptions &)> imports);

  ArrayRef<BoundedSymbol> symbols() const { return symbolList; }
  /// The options with these sizes.
  ModelOptions at(ArrayRef<int64_t> sizes) const;

private:
  bool addRange(StringRef text, const std::string &name, unsigned &symbol);
  ModelOptions largestBut(ArrayRef<unsigned> smaller) const;

  /// "NAME=" and the parts of what follows, of which some are symbols.
  struct Template {
    std::string name;
    SmallVector<std::string> parts;
    SmallVector<std::optional<unsigned>> symbols;
    std::string print(ArrayRef<int64_t> sizes) const;
  };

  const ModelOptions &options;
  std::vector<BoundedSymbol> symbolList;
  std::vector<Template> shapes, dims;
  unsigned named = 0; ///< Symbols of --dim; those of --shape follow.
};
} // namespace

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
  constexpr size_t most = 4;
  if (symbolList.size() <= most)
    return true;
  session.diagnostics.report(ErrorCode::OnnxShapeOption,
                             "there are " + Twine(symbolList.size()) +
                                 " ranges of sizes; at most 4 are taken");
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

ModelOptions BoundedOptions::largestBut(ArrayRef<unsigned> smaller) const {
  SmallVector<int64_t> sizes;
  for (const BoundedSymbol &symbol : symbolList)
    sizes.push_back(symbol.maximum);
  for (unsigned i : smaller)
    --sizes[i];
  return at(sizes);
}

void BoundedOptions::tie(
    llvm::function_ref<bool(const ModelOptions &)> imports) {
  SmallVector<unsigned> leaders(symbolList.size());
  SmallVector<unsigned> open;
  for (unsigned i = 0; i < symbolList.size(); ++i) {
    leaders[i] = i;
    if (i >= named && !imports(largestBut({i})))
      open.push_back(i);
  }
  auto alike = [&](unsigned i, unsigned j) {
    return symbolList[i].maximum == symbolList[j].maximum;
  };
  for (size_t a = 0; a < open.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (leaders[open[a]] == open[a] && leaders[open[b]] == open[b] &&
          alike(open[a], open[b]) && imports(largestBut({open[b], open[a]})))
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

  std::vector<BoundedSymbol> kept;
  SmallVector<unsigned> numbers(symbolList.size());
  for (unsigned i = 0; i < symbolList.size(); ++i) {
    BoundedSymbol &leader = symbolList[leaders[i]];
    if (leaders[i] == i) {
      numbers[i] = kept.size();
      kept.push_back(leader);
    } else {
      numbers[i] = numbers[leaders[i]];
      kept[numbers[i]].minimum =
          std::max(kept[numbers[i]].minimum, symbolList[i].minimum);
    }
  }
  symbolList = std::move(kept);
  for (Template &each : shapes)
    for (std::optional<unsigned> &symbol : each.symbols)
      if (symbol)
        symbol = numbers[*symbol];
}

OwningOpRef<ModuleOp> heddle::importBoundedModel(
    Session &session, const ModelOptions &options,
    llvm::function_ref<OwningOpRef<ModuleOp>(const ModelOptions &)> importOne) {
  BoundedOptions bounded(options);
  if (!bounded.parse(session))
    return nullptr;
  SmallVector<int64_t> maxima;
  for (const BoundedSymbol &symbol : bounded.symbols())
    maxima.push_back(symbol.maximum);
  // What is wrong with the model itself is told once.
  OwningOpRef<ModuleOp> largest = importOne(bounded.at(maxima));
  if (!largest)
    return nullptr;
  bounded.tie([&](const ModelOptions &sample) {
    ScopedDiagnosticHandler quiet(&session.context(),
                                  [](Diagnostic &) { return success(); });
    return bool(importOne(sample));
  });
  // Near 0, a size of 1 means broadcasting in ONNX.
  bool above = fileKindOf(options.path) == FileKind::Onnx;
  SampleSizes sizes(&session.context(), bounded.symbols(), above);
  std::vector<OwningOpRef<ModuleOp>> others;
  fixDynamicForms(*largest);
  for (ArrayRef<int64_t> point : sizes.points().drop_front()) {
    others.push_back(importOne(bounded.at(point)));
    if (!others.back())
      return nullptr;
    fixDynamicForms(*others.back());
  }
  SmallVector<ModuleOp> modules =
      llvm::map_to_vector(others, [](auto &module) { return module.get(); });
  if (failed(boundDimensions(*largest, modules, sizes)))
    return nullptr;
  return largest;
}

ModelOptions heddle::withSizes(const ModelOptions &options,
                               const Program &program,
                               ArrayRef<HostTensor> inputs) {
  ModelOptions result = options;
  result.dims.clear();
  for (const std::string &text : options.dims) {
    StringRef name = StringRef(text).rsplit('=').first;
    if (isRanged(options, text))
      continue;
    if (!StringRef(text).contains("..")) {
      result.dims.push_back(text);
      continue;
    }
    for (const auto &[known, size] : program.sizes())
      if (known == name)
        result.dims.push_back((name + "=" + Twine(size)).str());
  }
  result.shapes.clear();
  for (const std::string &text : options.shapes) {
    StringRef name = StringRef(text).rsplit('=').first;
    std::string shape = text;
    for (auto [signature, tensor] : llvm::zip_equal(program.inputs(), inputs))
      if (signature.name == name && StringRef(text).contains("..")) {
        shape = name.str() + "=";
        llvm::raw_string_ostream stream(shape);
        llvm::interleave(tensor.shape(), stream, "x");
      }
    result.shapes.push_back(std::move(shape));
  }
  return result;
}
