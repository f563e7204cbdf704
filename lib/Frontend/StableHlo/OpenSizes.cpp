// Fixes the open sizes of an entry by what the user and jax.export say of
// them.

#include "lib/Frontend/StableHlo/OpenSizes.h"

#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Frontend/DimensionExpression.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

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

static std::string toText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") +
            (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return text;
}

/// Whether the argument's type leaves room for `shape`.
static bool admits(RankedTensorType type, ArrayRef<int64_t> shape) {
  if (!type || static_cast<size_t>(type.getRank()) != shape.size())
    return false;
  ArrayRef<int64_t> bounds = stablehlo::boundsOf(type);
  for (auto [i, size] : llvm::enumerate(shape)) {
    bool bounded = !bounds.empty() && ShapedType::isStatic(bounds[i]);
    if (size < 0 || (!type.isDynamicDim(i) && type.getDimSize(i) != size) ||
        (bounded && size > bounds[i]))
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

/// Every option must say something of this program.
static LogicalResult checkOptions(func::FuncOp entry,
                                  const ExportedProgram *exported,
                                  const StableHloImportOptions &options) {
  std::vector<std::string> names;
  llvm::StringMap<unsigned> numbers;
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i) {
    names.push_back(nameOfArgument(entry, i));
    for (const std::string &key : keysOf(entry, i))
      numbers.try_emplace(key, i);
  }
  for (const auto &[key, shape] : options.shapes) {
    auto found = numbers.find(key);
    if (found == numbers.end())
      return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
             << "--shape " << key << "=" << toText(shape)
             << ": there is no argument '" << key << "'" << suggest(key, names);
    auto tensor =
        dyn_cast<RankedTensorType>(entry.getArgumentTypes()[found->second]);
    if (!admits(tensor, shape))
      return emitError(entry.getArgument(found->second).getLoc(),
                       ErrorCode::OnnxShapeOption)
             << "--shape " << key << "=" << toText(shape) << ": argument '"
             << names[found->second] << "' has type "
             << entry.getArgumentTypes()[found->second]
             << (!tensor ? ""
                 : stablehlo::boundsOf(tensor).empty()
                     ? ", of which only '?' can be fixed"
                     : ", of which only '?' can be fixed, within its bound");
  }
  for (const auto &[symbol, size] : options.dims) {
    if (!exported)
      return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
             << "--dim " << symbol << "=" << size
             << ": sizes of this program have no names; fix an argument's by "
                "--shape NAME=SHAPE";
    std::vector<std::string> symbols = symbolsOf(*exported);
    if (!llvm::is_contained(symbols, symbol))
      return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
             << "--dim " << symbol << "=" << size
             << ": no argument has a dimension '" << symbol << "'"
             << suggest(symbol, symbols);
  }
  return success();
}

/// The shape that the options give an argument; none if they say nothing of it.
static FailureOr<std::optional<SmallVector<int64_t>>>
givenShape(func::FuncOp entry, unsigned i, const ExportedProgram *exported,
           const StableHloImportOptions &options) {
  using Shape = std::optional<SmallVector<int64_t>>;
  BlockArgument argument = entry.getArgument(i);
  for (const std::string &key : keysOf(entry, i))
    if (auto found = options.shapes.find(key); found != options.shapes.end())
      return Shape(llvm::to_vector(found->second));
  if (!exported || i >= exported->shapes.size() || options.dims.empty())
    return Shape();
  llvm::StringMap<int64_t> symbols;
  for (const auto &[symbol, value] : options.dims)
    symbols[symbol] = value;
  SmallVector<int64_t> shape;
  for (const std::string &dimension : exported->shapes[i]) {
    llvm::Expected<int64_t> size = evaluateDimension(dimension, symbols);
    if (!size)
      return emitError(argument.getLoc(), ErrorCode::OnnxShapeOption)
             << "argument " << i << " of shape ("
             << llvm::join(exported->shapes[i], ", ")
             << "): " << llvm::toString(size.takeError());
    shape.push_back(*size);
  }
  return Shape(std::move(shape));
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

LogicalResult fixShapes(func::FuncOp entry, const ExportedProgram *exported,
                        const StableHloImportOptions &options) {
  SmallVector<Type> types = llvm::to_vector(entry.getArgumentTypes());
  bool changed = false;
  if (failed(checkOptions(entry, exported, options)))
    return failure();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape())
      continue;
    auto shape = givenShape(entry, i, exported, options);
    if (failed(shape))
      return failure();
    // What is to be done about it depends on the type.
    if (!*shape && !exported)
      continue;
    if (!*shape || !options.refine)
      return emitOpen(entry.getArgument(i), exported);
    if (!admits(tensor, **shape))
      return emitError(entry.getArgument(i).getLoc(),
                       ErrorCode::OnnxShapeOption)
             << "argument '" << nameOfArgument(entry, i) << "' of type "
             << tensor << " cannot have the shape " << toText(**shape);
    type = RankedTensorType::get(**shape, tensor.getElementType());
    changed = true;
  }
  return changed ? options.refine(entry, types) : success();
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
