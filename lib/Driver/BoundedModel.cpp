// Models with ranges of sizes: what the options say becomes sizes to import
// with, and sizes that a call chose become options again.

#include "heddle/Driver/BoundedModel.h"

#include "BoundedOptions.h"
#include "CheckSizes.h"
#include "dialects/Size/Expression.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/DeclareSizes.h"

using namespace mlir;
using namespace heddle;

bool heddle::hasBoundedSizes(const ModelOptions &options) {
  auto isRange = [](const std::string &text) {
    return StringRef(text).contains("..");
  };
  return llvm::any_of(options.dims, isRange) ||
         llvm::any_of(options.shapes, isRange);
}

/// Whether `text` stands among `all` beside a range of the same name.
static bool isBesideRange(ArrayRef<std::string> all, StringRef text) {
  return !text.contains("..") && llvm::any_of(all, [&](StringRef other) {
    return other.contains("..") &&
           other.rsplit('=').first == text.rsplit('=').first;
  });
}

bool heddle::isRanged(const ModelOptions &options, StringRef dim) {
  return isBesideRange(options.dims, dim);
}

bool heddle::isRangedShape(const ModelOptions &options, StringRef shape) {
  return isBesideRange(options.shapes, shape);
}

OwningOpRef<ModuleOp> heddle::importBoundedModel(
    Session &session, const ModelOptions &options,
    llvm::function_ref<OwningOpRef<ModuleOp>(const SizeOptions &)> import) {
  BoundedOptions bounded(options);
  if (!bounded.parse(session))
    return nullptr;
  while (true) {
    OwningOpRef<ModuleOp> module = import(bounded.forImport());
    if (!module)
      return nullptr;
    // Sizes that are one are declared so, from the beginning.
    std::optional<bool> changed = bounded.unify(session, *module);
    if (!changed)
      return nullptr;
    if (*changed)
      continue;
    if (options.checksSizes &&
        !checkSizes(session, *module, bounded.forImport(), import))
      return nullptr;
    return succeeded(declareSizes(entryFunction(*module))) ? std::move(module)
                                                           : nullptr;
  }
}

ModelOptions heddle::withDeclaredRanges(const ModelOptions &options,
                                        const StableHloProgram &program) {
  SmallVector<StringRef> given =
      llvm::map_to_vector(options.shapes, [](const std::string &text) {
        return StringRef(text).rsplit('=').first;
      });
  ModelOptions result = options;
  llvm::append_range(result.shapes, declaredRanges(program, given));
  return result;
}

/// Whether --shape's `text` is about input `i` of `signatures`.
static bool meansInput(StringRef text, unsigned i,
                       ArrayRef<TensorSignature> signatures) {
  return findArgument(signatures, text.rsplit('=').first) == i;
}

ModelOptions heddle::withRangesOf(const ModelOptions &options,
                                  ModuleOp module) {
  ModelOptions result = options;
  auto symbols = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  if (!symbols)
    return result;
  func::FuncOp main = entryFunction(module);
  SmallVector<TensorSignature> inputs = inputSignatures(main);
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto shape = main.getArgAttrOfType<size::ExtentsAttr>(i, kShapeAttrName);
    auto name = main.getArgAttrOfType<StringAttr>(i, "heddle.name");
    if (!shape || !name ||
        llvm::any_of(options.shapes, [&](const std::string &text) {
          return meansInput(text, i, inputs);
        }))
      continue;
    std::string text;
    for (size::ExpressionAttr attribute : shape.getExtents()) {
      size::Expression extent(attribute);
      text += text.empty() ? "=" : "x";
      if (std::optional<int64_t> number = extent.asConstant()) {
        text += std::to_string(*number);
        continue;
      }
      // A function of several is told by the arguments that have these.
      for (auto symbol : symbols.getAsRange<DictionaryAttr>())
        if (extent.asSymbol() == symbol.getAs<StringAttr>("name").getValue()) {
          for (StringRef end : {"minimum", "maximum"})
            text += (end == "maximum" ? ".." : "") +
                    std::to_string(symbol.getAs<IntegerAttr>(end).getInt());
          if (auto multiple = symbol.getAs<IntegerAttr>("multiple"))
            text += ":" + std::to_string(multiple.getInt());
        }
    }
    result.shapes.push_back(name.str() + text);
  }
  return result;
}

/// Whether `dim` says how a dimension follows from sizes.
static bool isDerived(StringRef dim) {
  int64_t number;
  StringRef value = dim.rsplit('=').second;
  return !value.contains("..") && value.getAsInteger(10, number);
}

/// "x=2x128".
static std::string shapeOption(StringRef name, ArrayRef<int64_t> shape) {
  std::string text = name.str() + "=";
  llvm::raw_string_ostream stream(text);
  llvm::interleave(shape, stream, "x");
  return text;
}

/// The shape that a call with `inputs` finds of each of `program.feeds()`: a
/// state has room for more than the call has.
static SmallVector<ArrayRef<int64_t>>
shapesOfCall(const Program &program, ArrayRef<HostTensor> inputs) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (const HostTensor &input : inputs)
    shapes.push_back(input.shape());
  for (size_t i = 0; i < program.states().size(); ++i)
    shapes.push_back(program.partOfState(i));
  return shapes;
}

ModelOptions heddle::withSizes(const ModelOptions &options,
                               const Program &program,
                               ArrayRef<HostTensor> inputs) {
  ModelOptions result = options;
  result.dims.clear();
  // A size that others follow from need not be a dimension: then the shapes
  // say it all.
  bool byShapes = llvm::any_of(options.dims, isDerived);
  for (const std::string &text : options.dims) {
    StringRef name = StringRef(text).rsplit('=').first;
    bool isRange = StringRef(text).contains("..");
    if (isRanged(options, text) || (byShapes && (isRange || isDerived(text))))
      continue;
    if (!isRange || program.computesSize(name)) {
      result.dims.push_back(text);
      continue;
    }
    for (const auto &[known, size] : program.sizes())
      if (known == name)
        result.dims.push_back((name + "=" + Twine(size)).str());
  }
  SmallVector<TensorSignature> signatures = program.feeds();
  SmallVector<ArrayRef<int64_t>> shapes = shapesOfCall(program, inputs);
  result.shapes.clear();
  for (const std::string &text : options.shapes) {
    std::string shape = text;
    for (auto [i, found] : llvm::enumerate(shapes))
      if (StringRef(text).contains("..") && meansInput(text, i, signatures))
        shape = shapeOption(StringRef(text).rsplit('=').first, found);
    if (!isRangedShape(options, text))
      result.shapes.push_back(std::move(shape));
  }
  if (byShapes)
    for (auto [i, found] : llvm::enumerate(shapes))
      if (llvm::none_of(options.shapes, [&, i = i](const std::string &text) {
            return meansInput(text, i, signatures);
          }))
        result.shapes.push_back(shapeOption(signatures[i].name, found));
  return result;
}

/// Whether a size has no name of its own, but that of an input's dimension, as
/// "x.0".
static bool isDimensionOfInput(StringRef size) {
  unsigned dimension;
  return size.contains('.') &&
         !size.rsplit('.').second.getAsInteger(10, dimension);
}

ModelOptions heddle::withSizesOfCall(const ModelOptions &options,
                                     const Program &program,
                                     ArrayRef<HostTensor> inputs) {
  ModelOptions result = options;
  // What is computed keeps its range.
  llvm::erase_if(result.dims, [&](StringRef text) {
    StringRef name = text.rsplit('=').first;
    return !program.computesSize(name) &&
           (text.contains("..") || isDerived(text) || program.hasSize(name));
  });
  // What has no name of its own is said by shapes.
  for (const auto &[name, size] : program.sizes())
    if (!program.computesSize(name) && !isDimensionOfInput(name))
      result.dims.push_back(name + "=" + std::to_string(size));
  SmallVector<TensorSignature> signatures = program.feeds();
  // Of inputs that the program does not have, as it has them as weights, the
  // options say the shapes.
  llvm::erase_if(result.shapes, [&](StringRef text) {
    return findArgument(signatures, text.rsplit('=').first).has_value();
  });
  for (auto [signature, shape] :
       llvm::zip_equal(signatures, shapesOfCall(program, inputs)))
    result.shapes.push_back(shapeOption(signature.name, shape));
  return result;
}
