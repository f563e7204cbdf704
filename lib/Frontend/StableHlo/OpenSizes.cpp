// Fixes the open sizes of an entry by what the user and jax.export say of
// them.

#include "lib/Frontend/StableHlo/OpenSizes.h"

#include "dialects/Size/ExpressionText.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Suggestion.h"
#include "heddle/Support/TensorLimits.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using heddle::size::Expression;

namespace heddle {

StringRef nameIn(Location loc) {
  auto named = loc->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

void takeInnerNames(func::FuncOp entry) {
  entry.walk([&](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    for (auto [operand, inner] :
         llvm::zip(call.getOperands(), callee.getArguments()))
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && nameIn(argument.getLoc()).empty())
        argument.setLoc(inner.getLoc());
  });
}

static std::string nameOfArgument(func::FuncOp entry, unsigned i) {
  auto name = entry.getArgAttrOfType<StringAttr>(i, "heddle.name");
  StringRef given =
      name ? name.getValue() : nameIn(entry.getArgument(i).getLoc());
  return given.empty() ? "arg" + std::to_string(i) : given.str();
}

std::array<std::string, 3> keysOf(func::FuncOp entry, unsigned i) {
  return {nameOfArgument(entry, i), "arg" + std::to_string(i),
          std::to_string(i)};
}

using Extents = SmallVector<Expression>;

static std::string toText(ArrayRef<Expression> shape) {
  return llvm::join(
      llvm::map_range(shape, [](Expression extent) { return extent.text(); }),
      "x");
}

/// Whether the argument's type leaves room for `shape`.
static bool admits(RankedTensorType type, ArrayRef<Expression> shape,
                   const size::Ranges &ranges) {
  if (!type || static_cast<size_t>(type.getRank()) != shape.size())
    return false;
  ArrayRef<int64_t> bounds = stablehlo::boundsOf(type);
  for (auto [i, size] : llvm::enumerate(shape)) {
    size::Interval interval = ranges.interval(size);
    bool bounded = !bounds.empty() && ShapedType::isStatic(bounds[i]);
    if (interval.low < 0 ||
        (!type.isDynamicDim(i) && !size.isConstant(type.getDimSize(i))) ||
        (bounded && interval.high > bounds[i]))
      return false;
  }
  return true;
}

std::vector<std::string> symbolsOf(const ExportedProgram &exported) {
  // Dimensions are expressions, such as 2*rows + 1.
  std::vector<std::string> symbols;
  for (const std::vector<std::string> &shape : exported.shapes)
    for (StringRef dimension : shape)
      while (!dimension.empty()) {
        StringRef word = dimension.take_while(
            [](char c) { return llvm::isAlnum(c) || c == '_'; });
        if (!word.empty() && !llvm::isDigit(word.front()) &&
            !llvm::is_contained(symbols, word))
          symbols.push_back(word.str());
        dimension = dimension.drop_front(std::max<size_t>(word.size(), 1));
      }
  return symbols;
}

namespace {

/// Reads what the options say of one program.
class SizeReader {
public:
  SizeReader(func::FuncOp entry, const ExportedProgram *exported,
             const GivenSizes &given)
      : entry(entry), exported(exported), given(given), options(given.options),
        context(entry.getContext()) {
    // Of all sizes, also of those that are others by now; their ranges were
    // found proper.
    (void)declareRanges(options, ranges);
  }

  /// Every option must say something of this program.
  LogicalResult checkOptions();
  /// The shape that the options give an argument; none if they say nothing of
  /// it.
  FailureOr<std::optional<Extents>> shapeOf(unsigned i);
  /// Every size must be one of an argument.
  LogicalResult checkUse();

private:
  FailureOr<Extents> readShape(const std::vector<std::string> &texts,
                               Location loc);
  Expression readDimension(StringRef text, std::string &problem);
  Expression valueOf(StringRef symbol, std::string &problem);
  Expression number(int64_t value) const {
    return Expression::constant(context, value);
  }
  /// The expression with the symbols that stand for all that are equal, each
  /// counted in what it is a multiple of.
  Expression joined(Expression extent) const {
    return given.ranges.counted(extent.substituted([&](StringRef name) {
      auto leader = given.joined.find(name.str());
      return Expression::symbol(context, leader == given.joined.end()
                                             ? name
                                             : StringRef(leader->second));
    }));
  }
  LogicalResult checkShape(StringRef key, ArrayRef<Expression> shape);
  LogicalResult checkDim(StringRef symbol, const Twine &size);

  func::FuncOp entry;
  const ExportedProgram *exported;
  const GivenSizes &given;
  const SizeOptions &options;
  MLIRContext *context;
  size::Ranges ranges;
  llvm::StringSet<> used;
};

} // namespace

FailureOr<Extents> SizeReader::readShape(const std::vector<std::string> &texts,
                                         Location loc) {
  Extents shape;
  for (const std::string &text : texts) {
    std::string problem;
    Expression extent =
        readExtent(context, text, options, ranges, used, problem);
    if (!extent)
      return emitError(loc, ErrorCode::OnnxShapeOption) << problem;
    shape.push_back(joined(extent));
  }
  return shape;
}

LogicalResult SizeReader::checkShape(StringRef key,
                                     ArrayRef<Expression> shape) {
  std::vector<std::string> names;
  std::optional<unsigned> found;
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i) {
    names.push_back(nameOfArgument(entry, i));
    if (!found && llvm::is_contained(keysOf(entry, i), key))
      found = i;
  }
  if (!found)
    return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
           << "--shape " << key << "=" << toText(shape)
           << ": there is no argument '" << key << "'" << suggest(key, names);
  auto tensor = dyn_cast<RankedTensorType>(entry.getArgumentTypes()[*found]);
  if (!admits(tensor, shape, given.ranges))
    return emitError(entry.getArgument(*found).getLoc(),
                     ErrorCode::OnnxShapeOption)
           << "--shape " << key << "=" << toText(shape) << ": argument '"
           << names[*found] << "' has type " << entry.getArgumentTypes()[*found]
           << (!tensor ? ""
               : stablehlo::boundsOf(tensor).empty()
                   ? ", of which only '?' can be fixed"
                   : ", of which only '?' can be fixed, within its bound");
  return success();
}

LogicalResult SizeReader::checkDim(StringRef symbol, const Twine &size) {
  if (!exported)
    return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
           << "--dim " << symbol << size
           << ": sizes of this program have no names; fix an argument's by "
              "--shape NAME=SHAPE";
  std::vector<std::string> symbols = symbolsOf(*exported);
  if (llvm::is_contained(symbols, symbol))
    return success();
  return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
         << "--dim " << symbol << size << ": no argument has a dimension '"
         << symbol << "'" << suggest(symbol, symbols);
}

LogicalResult SizeReader::checkOptions() {
  for (const auto &[key, shape] : options.shapes)
    if (failed(checkShape(key, llvm::map_to_vector(shape, [&](int64_t size) {
                            return number(size);
                          }))))
      return failure();
  for (const auto &[key, texts] : options.sizedShapes) {
    FailureOr<Extents> shape = readShape(texts, entry.getLoc());
    if (failed(shape) || failed(checkShape(key, *shape)))
      return failure();
  }
  for (const auto &[symbol, size] : options.dims)
    if (failed(checkDim(symbol, "=" + Twine(size))))
      return failure();
  for (const auto &[symbol, text] : options.sizedDims)
    if (failed(checkDim(symbol, "=" + text)))
      return failure();
  return success();
}

LogicalResult SizeReader::checkUse() {
  for (const ChosenSize &size : options.sizes)
    if (!used.contains(size.name) &&
        succeeded(checkDim(size.name, "=" + Twine(size.minimum) + ".." +
                                          Twine(size.maximum))))
      return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
             << "no argument has the size '" << size.name << "'";
    else if (!used.contains(size.name))
      return failure();
  return success();
}

/// What the options say a symbolic dimension is; null if they do not.
Expression SizeReader::valueOf(StringRef symbol, std::string &problem) {
  for (const auto &[name, size] : options.dims)
    if (name == symbol)
      return number(size);
  for (const auto &[name, text] : options.sizedDims)
    if (name == symbol) {
      Expression extent =
          readExtent(context, text, options, ranges, used, problem);
      return extent ? joined(extent) : extent;
    }
  for (const ChosenSize &size : options.sizes)
    if (size.name == symbol) {
      used.insert(symbol);
      return joined(Expression::symbol(context, symbol));
    }
  problem = ("the dimension '" + symbol +
             "' has no value: give it one by --dim " + symbol + "=NUMBER")
                .str();
  return {};
}

Expression SizeReader::readDimension(StringRef text, std::string &problem) {
  Expression dimension = size::parseExpression(context, text, problem);
  if (!dimension) {
    problem = ("'" + text + "' " + problem).str();
    return {};
  }
  dimension =
      given.ranges.simplified(dimension.substituted([&](StringRef symbol) {
        return problem.empty() ? valueOf(symbol, problem) : Expression();
      }));
  if (!dimension && problem.empty())
    problem = ("'" + text + "' has no value of 64 bits").str();
  return dimension;
}

FailureOr<std::optional<Extents>> SizeReader::shapeOf(unsigned i) {
  BlockArgument argument = entry.getArgument(i);
  for (const std::string &key : keysOf(entry, i)) {
    for (const auto &[name, shape] : options.shapes)
      if (name == key)
        return std::optional(Extents(llvm::map_to_vector(
            shape, [&](int64_t size) { return number(size); })));
    for (const auto &[name, texts] : options.sizedShapes)
      if (name == key) {
        FailureOr<Extents> shape = readShape(texts, argument.getLoc());
        return failed(shape) ? FailureOr<std::optional<Extents>>(failure())
                             : std::optional(*shape);
      }
  }
  if (!exported || i >= exported->shapes.size() ||
      (options.dims.empty() && options.sizedDims.empty() &&
       options.sizes.empty()))
    return std::optional<Extents>();
  Extents shape;
  for (const std::string &dimension : exported->shapes[i]) {
    std::string problem;
    shape.push_back(readDimension(dimension, problem));
    if (!shape.back())
      return emitError(argument.getLoc(), ErrorCode::OnnxShapeOption)
             << "argument " << i << " of shape ("
             << llvm::join(exported->shapes[i], ", ") << "): " << problem;
  }
  return std::optional(std::move(shape));
}

/// What must be done about an argument of unknown size.
static InFlightDiagnostic emitOpen(BlockArgument argument,
                                   const ExportedProgram *exported) {
  unsigned i = argument.getArgNumber();
  if (exported && i < exported->shapes.size())
    return emitError(argument.getLoc(), ErrorCode::ExportedUnsupported)
           << "argument " << i << " has the symbolic shape ("
           << llvm::join(exported->shapes[i], ", ")
           << "); sizes must be known when compiling: fix each symbol by --dim "
              "NAME=NUMBER";
  return emitError(argument.getLoc(), ErrorCode::StableHloDynamicShape)
         << "argument " << i << " has type " << argument.getType()
         << "; a tensor of known size is wanted: fix it by --shape arg" << i
         << "=SHAPE";
}

/// The type of an argument of that shape; null after an error.
static RankedTensorType typeOf(BlockArgument argument, RankedTensorType open,
                               ArrayRef<Expression> shape,
                               const size::Ranges &ranges) {
  auto bound = RankedTensorType::get(
      llvm::map_to_vector(
          shape, [&](Expression size) { return ranges.interval(size).high; }),
      open.getElementType());
  std::optional<uint64_t> bytes = storedBytes(bound);
  if (bytes && *bytes <= maximumTensorBytes)
    return size::withExtents(bound, shape);
  emitError(argument.getLoc(), ErrorCode::TensorTooLarge)
      << "argument " << argument.getArgNumber() << " of shape " << toText(shape)
      << " takes more than 2^40 bytes";
  return {};
}

FailureOr<SmallVector<Type>> givenTypes(func::FuncOp entry,
                                        const ExportedProgram *exported,
                                        const GivenSizes &given) {
  SmallVector<Type> types = llvm::to_vector(entry.getArgumentTypes());
  SizeReader reader(entry, exported, given);
  if (failed(reader.checkOptions()))
    return failure();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape())
      continue;
    BlockArgument argument = entry.getArgument(i);
    auto shape = reader.shapeOf(i);
    if (failed(shape))
      return failure();
    // What is to be done about it depends on the type.
    if (!*shape && !exported)
      continue;
    if (!*shape)
      return emitOpen(argument, exported);
    if (!admits(tensor, **shape, given.ranges))
      return emitError(argument.getLoc(), ErrorCode::OnnxShapeOption)
             << "argument '" << nameOfArgument(entry, i) << "' of type "
             << tensor << " cannot have the shape " << toText(**shape);
    type = typeOf(argument, tensor, **shape, given.ranges);
    if (!type)
      return failure();
  }
  if (failed(reader.checkUse()))
    return failure();
  return types;
}

std::vector<std::string> rangesOfBounds(func::FuncOp entry,
                                        ArrayRef<StringRef> given) {
  std::vector<std::string> ranges;
  llvm::StringSet<> taken;
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i) {
    std::array<std::string, 3> keys = keysOf(entry, i);
    bool isFirst = taken.insert(keys.front()).second;
    auto type = dyn_cast<RankedTensorType>(entry.getArgumentTypes()[i]);
    if (!type || type.hasStaticShape() || stablehlo::boundsOf(type).empty() ||
        llvm::any_of(keys, [&](const std::string &key) {
          return llvm::is_contained(given, key);
        }))
      continue;
    std::string text;
    bool allBounded = true;
    for (auto [size, bound] :
         llvm::zip_equal(type.getShape(), stablehlo::boundsOf(type))) {
      text += text.empty() ? "=" : "x";
      allBounded &= ShapedType::isStatic(size) || ShapedType::isStatic(bound);
      if (ShapedType::isStatic(size))
        text += std::to_string(size);
      else
        text += (bound > 0 ? "0.." : "") + std::to_string(bound);
    }
    if (allBounded)
      ranges.push_back((isFirst ? keys[0] : keys[1]) + text);
  }
  return ranges;
}

} // namespace heddle
