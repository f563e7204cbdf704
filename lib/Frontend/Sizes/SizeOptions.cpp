// Reads the options on sizes, and writes what a model's import made of them.

#include "heddle/Frontend/SizeOptions.h"

#include "dialects/Size/ExpressionText.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/Suggestion.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace heddle {

/// Splits `NAME=REST` at the last '=': ONNX names may hold one.
static std::optional<std::pair<StringRef, StringRef>> split(StringRef text) {
  size_t at = text.rfind('=');
  if (at == StringRef::npos || at == 0)
    return std::nullopt;
  return std::make_pair(text.take_front(at), text.drop_front(at + 1));
}

LogicalResult parseShapeOption(StringRef text, SizeOptions &options) {
  auto parts = split(text);
  if (!parts)
    return failure();
  std::vector<int64_t> shape;
  SmallVector<StringRef> extents;
  if (!parts->second.empty())
    parts->second.split(extents, 'x');
  for (StringRef extent : extents) {
    int64_t value;
    if (extent.getAsInteger(10, value) || value < 0)
      return failure();
    shape.push_back(value);
  }
  options.shapes.emplace_back(parts->first.str(), std::move(shape));
  return success();
}

LogicalResult parseDimOption(StringRef text, SizeOptions &options) {
  auto parts = split(text);
  int64_t value;
  if (!parts || parts->second.getAsInteger(10, value) || value < 0)
    return failure();
  options.dims.emplace_back(parts->first.str(), value);
  return success();
}

int64_t ChosenSize::least() const {
  return llvm::divideCeilSigned(minimum, multiple) * multiple;
}

void ChosenSize::narrow(const ChosenSize &other) {
  minimum = std::max(minimum, other.minimum);
  maximum = std::min(maximum, other.maximum);
  // Multiples of both: none but 0 where the least of them is beyond.
  int64_t step = other.multiple / std::gcd(multiple, other.multiple);
  bool isBeyond = step > std::max<int64_t>(maximum, 1) / multiple;
  multiple = isBeyond ? maximum + 1 : multiple * step;
}

std::optional<ChosenSize> readRange(StringRef text) {
  auto [range, multiple] = text.split(':');
  auto [low, high] = range.split("..");
  ChosenSize size;
  if (low.getAsInteger(10, size.minimum) ||
      high.getAsInteger(10, size.maximum) ||
      (text.contains(':') && multiple.getAsInteger(10, size.multiple)))
    return std::nullopt;
  return size;
}

LogicalResult parseSizeOption(StringRef text, SizeOptions &options) {
  auto parts = split(text);
  std::optional<ChosenSize> size =
      parts ? readRange(parts->second) : std::nullopt;
  if (!size)
    return failure();
  size->name = parts->first.str();
  options.sizes.push_back(std::move(*size));
  return success();
}

LogicalResult parseSizedDimOption(StringRef text, SizeOptions &options) {
  auto parts = split(text);
  if (!parts)
    return failure();
  options.sizedDims.emplace_back(parts->first.str(), parts->second.str());
  return success();
}

LogicalResult parseSizedShapeOption(StringRef text, SizeOptions &options) {
  auto parts = split(text);
  if (!parts)
    return failure();
  std::vector<std::string> shape;
  // Commas within parentheses part arguments.
  size_t begin = 0;
  int depth = 0;
  StringRef list = parts->second;
  for (size_t i = 0; i <= list.size() && !list.empty(); ++i) {
    if (i < list.size())
      depth += (list[i] == '(') - (list[i] == ')');
    if (i < list.size() && (list[i] != ',' || depth > 0))
      continue;
    shape.push_back(list.slice(begin, i).trim().str());
    begin = i + 1;
  }
  options.sizedShapes.emplace_back(parts->first.str(), std::move(shape));
  return success();
}

std::optional<std::string> declareRanges(const SizeOptions &options,
                                         size::Ranges &ranges) {
  // A program has sizes as integers of 32 bits.
  constexpr int64_t kMost = INT32_MAX;
  llvm::StringSet<> names;
  for (const ChosenSize &size : options.sizes) {
    if (!names.insert(size.name).second)
      return "the size '" + size.name + "' is given twice";
    if (size.minimum < 0 || size.maximum < size.minimum ||
        size.maximum > kMost || size.multiple < 1 || size.isEmpty())
      return ("no size is from " + Twine(size.minimum) + " to " +
              Twine(size.maximum) + " and a multiple of " +
              Twine(size.multiple) + ", as '" + size.name +
              "' should be; at most " + Twine(kMost) + " is supported")
          .str();
    ranges.declare(size.name, {size.minimum, size.maximum, size.multiple});
  }
  return std::nullopt;
}

size::Expression readExtent(MLIRContext *context, StringRef text,
                            const SizeOptions &options,
                            const size::Ranges &ranges, llvm::StringSet<> &used,
                            std::string &problem) {
  size::Expression extent = size::parseExpression(context, text, problem);
  if (!extent) {
    problem = ("'" + text + "' " + problem).str();
    return {};
  }
  std::vector<std::string> names;
  for (const ChosenSize &size : options.sizes)
    names.push_back(size.name);
  for (StringRef name : extent.symbols()) {
    used.insert(name);
    if (llvm::is_contained(names, name))
      continue;
    problem = ("'" + text + "' names the size '" + name +
               "', for which no range is given")
                  .str() +
              suggest(name, names);
    return {};
  }
  if (auto divisor = ranges.improperDivisor(extent)) {
    problem = ("'" + text + "' divides by " + divisor->text() +
               ", which the ranges leave to be from " +
               Twine(ranges.interval(*divisor).low) +
               " on: a divisor must be 1 or more")
                  .str();
    return {};
  }
  if (ranges.interval(extent).high < 0) {
    problem = ("'" + text + "' is negative for all sizes").str();
    return {};
  }
  return extent;
}

/// Leaves out the least choices of a size that make `gap` negative, if it is a
/// multiple of that size and a number.
static void raiseLeast(std::vector<ChosenSize> &sizes, size::Expression gap) {
  for (ChosenSize &size : sizes) {
    auto at = [&](int64_t value) {
      return gap.evaluated([&](StringRef name) {
        return name == size.name ? std::optional(value) : std::nullopt;
      });
    };
    std::optional<int64_t> none = at(0), one = at(size.multiple);
    if (!none || !one || *one <= *none)
      continue;
    int64_t factor = *one - *none;
    if (gap != size::Expression::units(gap.context(), size.name,
                                       size.multiple) *
                       factor +
                   *none)
      continue;
    ChosenSize raised = size;
    raised.minimum =
        std::max(raised.minimum,
                 llvm::divideCeilSigned(-*none, factor) * size.multiple);
    if (!raised.isEmpty() && raised.least() <= raised.greatest())
      size = raised;
  }
}

void recordSizes(ModuleOp module, ArrayRef<ChosenSize> declared,
                 ArrayRef<RecordedAssumption> assumptions) {
  std::vector<ChosenSize> sizes(declared);
  for (const RecordedAssumption &each : assumptions)
    if (std::optional<size::Expression> gap =
            size::notNegativeIfZero(each.zero))
      raiseLeast(sizes, *gap);
  Builder builder(module.getContext());
  SmallVector<Attribute> symbols, assumed;
  for (const ChosenSize &size : sizes) {
    SmallVector<NamedAttribute> facts = {
        builder.getNamedAttr("name", builder.getStringAttr(size.name)),
        builder.getNamedAttr("minimum",
                             builder.getI64IntegerAttr(size.minimum)),
        builder.getNamedAttr("maximum",
                             builder.getI64IntegerAttr(size.maximum))};
    if (size.multiple != 1)
      facts.push_back(builder.getNamedAttr(
          "multiple", builder.getI64IntegerAttr(size.multiple)));
    if (size.isComputed)
      facts.push_back(
          builder.getNamedAttr(kIsComputedName, builder.getUnitAttr()));
    symbols.push_back(builder.getDictionaryAttr(facts));
  }
  for (const RecordedAssumption &each : assumptions) {
    SmallVector<NamedAttribute> parts = {
        builder.getNamedAttr("zero", each.zero.attribute()),
        builder.getNamedAttr("text", builder.getStringAttr(each.text))};
    if (!each.node.empty())
      parts.push_back(
          builder.getNamedAttr("node", builder.getStringAttr(each.node)));
    assumed.push_back(builder.getDictionaryAttr(parts));
  }
  module->setAttr(kSymbolsAttrName, builder.getArrayAttr(symbols));
  if (!assumed.empty())
    module->setAttr(kSizeAssumptionsAttrName, builder.getArrayAttr(assumed));
}

} // namespace heddle
