// The model's signature: inputs with the sizes that options fix, outputs with
// their names.

#include "Importer.h"

#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/SignatureAttributes.h"
#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

SmallVector<const ValueInfo *> heddle::onnx::realInputs(const Graph &graph) {
  llvm::StringSet<> weights;
  for (const Tensor &tensor : graph.initializers)
    weights.insert(tensor.name);
  SmallVector<const ValueInfo *> inputs;
  for (const ValueInfo &input : graph.inputs)
    if (!weights.contains(input.name))
      inputs.push_back(&input);
  return inputs;
}

template <typename T>
static const T *findOption(const std::vector<std::pair<std::string, T>> &list,
                           StringRef name) {
  for (const auto &[key, value] : list)
    if (key == name)
      return &value;
  return nullptr;
}

/// The name as a shell takes it.
static std::string quoted(StringRef name) {
  bool plain = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_-./:,@+").contains(c);
  });
  if (plain)
    return name.str();
  std::string text = "'";
  for (char c : name)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// "; s77 is dimension 0 of x, s12 dimension 1 of y": exporters make up names
/// that their users never wrote.
static std::string explainSymbols(ArrayRef<const ValueInfo *> inputs) {
  llvm::StringSet<> known;
  std::string all;
  for (const ValueInfo *input : inputs)
    for (auto [i, dimension] : llvm::enumerate(input->type.shape))
      if (!dimension.symbol.empty() && known.insert(dimension.symbol).second)
        all += (all.empty() ? "; " : ", ") + dimension.symbol.str() +
               (all.empty() ? " is" : "") + " dimension " + std::to_string(i) +
               " of " + input->name.str();
  return all;
}

LogicalResult Importer::checkShapeOptions() {
  SmallVector<const ValueInfo *> inputs = realInputs(model.graph);
  std::vector<std::string> names, symbols;
  for (const ValueInfo *input : inputs) {
    names.push_back(input->name.str());
    for (const Dimension &dimension : input->type.shape)
      if (!dimension.symbol.empty() &&
          !llvm::is_contained(symbols, dimension.symbol))
        symbols.push_back(dimension.symbol.str());
  }
  std::vector<std::string> shaped, named;
  for (const auto &[name, shape] : options.shapes)
    shaped.push_back(name);
  for (const auto &[name, shape] : options.sizedShapes)
    shaped.push_back(name);
  for (const auto &[name, extent] : options.dims)
    named.push_back(name);
  for (const auto &[name, extent] : options.sizedDims)
    named.push_back(name);
  for (const std::string &name : shaped)
    if (!llvm::is_contained(names, name))
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "--shape names the input '" << name
             << "', which the model does not have" << suggest(name, names);
  for (const std::string &name : named) {
    if (!llvm::is_contained(symbols, name) && !mayBeComputed(name))
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "--dim names the dimension '" << name
             << "', which no input of the model has" << suggest(name, symbols)
             << explainSymbols(inputs);
  }
  return success();
}

bool Importer::mayBeComputed(StringRef name) {
  for (auto [i, node] : llvm::enumerate(model.graph.nodes)) {
    StringRef rest = name;
    Location loc = nodeLocation(node, i, "");
    if (rest.consume_front(cast<NameLoc>(loc).getName()) &&
        (rest.starts_with(".") || rest.starts_with("/")))
      return true;
  }
  return false;
}

LogicalResult Importer::declareSizes() {
  SizeScope &scope = decompositions->sizes;
  if (auto problem = heddle::declareRanges(options, scope.ranges))
    return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
           << *problem;
  llvm::StringSet<> symbols;
  for (const ValueInfo *input : realInputs(model.graph))
    for (const Dimension &dimension : input->type.shape)
      symbols.insert(dimension.symbol);
  auto give = [&](StringRef name, size::SymbolFacts range) {
    if (!symbols.contains(name) && mayBeComputed(name))
      scope.given[name].range = range;
  };
  for (const auto &[name, size] : options.dims)
    give(name, {size, size, 1});
  for (const ChosenSize &size : options.sizes)
    give(size.name, {size.minimum, size.maximum, size.multiple});
  return success();
}

LogicalResult Importer::checkGivenSizes() {
  const SizeScope &scope = decompositions->sizes;
  std::vector<std::string> names;
  for (const SizeScope::Computed &each : scope.computed)
    names.push_back(each.name);
  for (const auto &given : scope.given)
    if (!given.second.isUsed)
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "--dim names the size '" << given.first()
             << "', which the program does not compute"
             << suggest(given.first(), names);
  return success();
}

FailureOr<Extent> Importer::readExtent(StringRef text, Location loc) {
  std::string problem;
  size::Expression extent = heddle::readExtent(
      context, text, options, decompositions->sizes.ranges, usedSizes, problem);
  if (!extent)
    return heddle::emitError(loc, ErrorCode::OnnxShapeOption) << problem;
  return Extent(extent, decompositions->sizes);
}

FailureOr<std::optional<Extent>>
Importer::chosenExtent(const Dimension &dimension, Location loc) {
  if (dimension.symbol.empty())
    return std::optional<Extent>();
  if (const int64_t *number = findOption(options.dims, dimension.symbol))
    return std::optional<Extent>(*number);
  if (auto known = fixedDimensions.find(dimension.symbol);
      known != fixedDimensions.end())
    return std::optional<Extent>(known->second);
  const std::string *text = findOption(options.sizedDims, dimension.symbol);
  if (text) {
    FailureOr<Extent> extent = readExtent(*text, loc);
    return failed(extent) ? FailureOr<std::optional<Extent>>(failure())
                          : FailureOr<std::optional<Extent>>(*extent);
  }
  for (const ChosenSize &size : options.sizes) {
    if (size.name != dimension.symbol)
      continue;
    usedSizes.insert(size.name);
    return std::optional<Extent>(Extent(
        size::Expression::symbol(context, size.name), decompositions->sizes));
  }
  return std::optional<Extent>();
}

FailureOr<std::optional<Shape>> Importer::chosenShape(const ValueInfo &input,
                                                      Location loc) {
  if (const auto *fixed = findOption(options.shapes, input.name))
    return std::optional<Shape>(Shape(Extents(*fixed)));
  const auto *sized = findOption(options.sizedShapes, input.name);
  if (!sized)
    return std::optional<Shape>();
  Shape shape;
  for (const std::string &text : *sized) {
    FailureOr<Extent> extent = readExtent(text, loc);
    if (failed(extent))
      return failure();
    shape.push_back(*extent);
  }
  return std::optional<Shape>(shape);
}

LogicalResult Importer::fixDimension(const Dimension &dimension, int64_t size,
                                     Location loc) {
  if (dimension.symbol.empty())
    return success();
  for (const ChosenSize &each : options.sizes) {
    if (each.name != dimension.symbol)
      continue;
    if (!each.holds(size))
      return heddle::emitError(loc, ErrorCode::OnnxShapeOption)
             << "the tensor for it makes '" << dimension.symbol << "' " << size
             << ", which its range does not have";
    if (!fixedDimensions.contains(each.name))
      decompositions->sizes.ranges.declare(each.name, {size, size, 1});
  }
  FailureOr<std::optional<Extent>> chosen = chosenExtent(dimension, loc);
  if (failed(chosen))
    return failure();
  if (*chosen && !Extent::meet(**chosen, size))
    return heddle::emitError(loc, ErrorCode::OnnxShapeOption)
           << "the tensor for it makes '" << dimension.symbol << "' " << size
           << ", which elsewhere is " << (*chosen)->text();
  fixedDimensions.try_emplace(dimension.symbol, size);
  return success();
}

/// An example of what would fix an open dimension: one sample, a middling
/// length.
static int64_t exampleExtent(size_t dimension) {
  return dimension == 0 ? 1 : 128;
}

LogicalResult Importer::importInputs(Scope &scope) {
  std::vector<std::string> open, remedies;
  if (failed(declareSizes()) || failed(bindInputs(scope)))
    return failure();
  for (const ValueInfo *input : freeInputs) {
    Location loc = named(input->name);
    const ValueType &declared = input->type;
    Type element = declared.kind == ValueType::Tensor
                       ? elementType(context, declared.element)
                       : Type();
    if (!element)
      return heddle::emitError(loc, ErrorCode::OnnxType)
             << "the input is "
             << (declared.kind == ValueType::Tensor
                     ? "a tensor of the element type " + spell(declared.element)
                     : std::string("no tensor"))
             << ", which heddle does not take";

    FailureOr<std::optional<Shape>> given = chosenShape(*input, loc);
    if (failed(given))
      return failure();
    const std::optional<Shape> &fixed = *given;
    Shape shape = fixed.value_or(Shape());
    if (fixed && declared.hasShape && fixed->size() != declared.shape.size())
      return heddle::emitError(loc, ErrorCode::OnnxShapeOption)
             << "--shape gives the input " << fixed->size()
             << " dimensions, the model " << declared.shape.size();
    if (!fixed && !declared.hasShape) {
      open.push_back(input->name.str());
      remedies.push_back("--shape " + quoted(input->name) + "=1x128");
      continue;
    }
    SmallVector<std::string> symbols;
    bool nameless = false;
    Shape example = shape;
    for (size_t i = 0; i < declared.shape.size(); ++i) {
      const Dimension &dimension = declared.shape[i];
      FailureOr<std::optional<Extent>> named = chosenExtent(dimension, loc);
      if (failed(named))
        return failure();
      std::optional<Extent> extent;
      // Some exporters write -1 or 0 for what they do not know; 0 is a legal
      // extent and stays.
      if (dimension.extent && *dimension.extent >= 0)
        extent = *dimension.extent;
      if (!extent)
        extent = *named;
      if (fixed) {
        // A size is a number or what calls choose, not both.
        bool isChosen =
            extent && bool(extent->known()) != bool(shape[i].known());
        if (isChosen || (extent && !Extent::meet(*extent, shape[i])))
          return heddle::emitError(loc, ErrorCode::OnnxShapeOption)
                 << "--shape gives dimension " << i << " of the input "
                 << shape[i].text() << ", the model or --dim " << extent->text()
                 << (isChosen ? ": one of them leaves the size to each call, "
                                "and the other does not"
                              : "");
        continue;
      }
      if (!extent && dimension.symbol.empty())
        nameless = true;
      else if (!extent)
        symbols.push_back("--dim " + quoted(dimension.symbol) + "=" +
                          std::to_string(exampleExtent(i)));
      shape.push_back(extent.value_or(0));
      example.push_back(extent.value_or(exampleExtent(i)));
    }
    if (nameless || !symbols.empty()) {
      open.push_back(input->name.str());
      if (nameless)
        symbols = {"--shape " + quoted(input->name) + "=" +
                   spellShape(example)};
      for (std::string &remedy : symbols)
        if (!llvm::is_contained(remedies, remedy))
          remedies.push_back(std::move(remedy));
      continue;
    }

    // The same limits as for any value hold for what the user or the file
    // claims.
    Emitter checked(builder, loc, *decompositions);
    RankedTensorType type = checked.type(shape, element);
    if (checked.hasFault())
      return heddle::emitError(loc, checked.faultCode())
             << "input: " << checked.faultMessage();
    Definition definition;
    definition.value = main.front().addArgument(type, loc);
    if (failed(define(input->name, definition, scope, loc)))
      return failure();
  }
  if (!open.empty())
    return heddle::emitError(modelLocation(), ErrorCode::OnnxDynamicShape)
           << "the sizes of " << llvm::join(open, ", ")
           << " are not fixed; say for example " << llvm::join(remedies, " ")
           << explainSymbols(realInputs(model.graph));
  for (const ChosenSize &size : options.sizes)
    if (!usedSizes.contains(size.name) &&
        !decompositions->sizes.given.contains(size.name))
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "no input of the model has the size '" << size.name << "'"
             << explainSymbols(realInputs(model.graph));

  main.setFunctionType(
      builder.getFunctionType(main.front().getArgumentTypes(), {}));
  SignatureAttributes attributes(main);
  for (auto [i, input] : llvm::enumerate(freeInputs))
    attributes.argument(i).set("heddle.name",
                               builder.getStringAttr(input->name));
  attributes.store();
  for (auto [i, input] : llvm::enumerate(freeInputs))
    scope.names[input->name].value =
        announced(builder, input->name, main.getArgument(i));
  return success();
}

void Importer::recordSizes() {
  const auto &computed = decompositions->sizes.computed;
  if (options.sizes.empty() && computed.empty())
    return;
  std::vector<RecordedAssumption> assumptions;
  for (const SizeScope::Assumption &each : decompositions->sizes.assumptions)
    assumptions.push_back({each.isZero, each.text, each.node});
  std::vector<ChosenSize> open;
  for (const ChosenSize &size : options.sizes)
    if (!fixedDimensions.contains(size.name) &&
        !decompositions->sizes.given.contains(size.name))
      open.push_back(size);
  for (const SizeScope::Computed &each : computed) {
    ChosenSize size;
    size.name = each.name;
    size.minimum = each.range.minimum;
    size.maximum = each.range.maximum;
    size.multiple = each.range.multiple;
    size.isComputed = true;
    open.push_back(std::move(size));
  }
  heddle::recordSizes(*module, open, assumptions);
}

LogicalResult Importer::importOutputs(const Scope &scope) {
  SmallVector<Value> results;
  for (const ValueInfo &output : model.graph.outputs) {
    Location loc = named(output.name);
    Definition *definition = lookup(output.name, scope);
    if (!definition)
      return heddle::emitError(loc, ErrorCode::OnnxGraph)
             << "nothing defines the output";
    FailureOr<Value> value = materialize(*definition, loc);
    if (failed(value))
      return failure();
    if (isSequence(*value))
      return heddle::emitError(loc, ErrorCode::OnnxType)
             << "the output is a sequence of "
             << cast<TupleType>(value->getType()).size()
             << " tensors; make each tensor an output of its own";
    Type element = elementType(context, output.type.element);
    if (output.type.kind == ValueType::Tensor && element &&
        element != Emitter::elementOf(*value))
      return heddle::emitError(loc, ErrorCode::OnnxGraph)
             << "the output is declared as " << spell(output.type.element)
             << ", but computed as " << Emitter::elementOf(*value);
    results.push_back(*value);
  }
  if (results.empty())
    return heddle::emitError(modelLocation(), ErrorCode::OnnxGraph)
           << "the graph has no outputs";
  // Counts that shapes depend on follow the model's own outputs.
  const auto &computed = decompositions->sizes.computed;
  for (const SizeScope::Computed &each : computed)
    results.push_back(each.count);
  func::ReturnOp::create(builder, modelLocation(), results);
  main.setFunctionType(builder.getFunctionType(main.front().getArgumentTypes(),
                                               TypeRange(ValueRange(results))));
  SignatureAttributes attributes(main);
  for (auto [i, output] : llvm::enumerate(model.graph.outputs))
    attributes.result(i).set("heddle.name", builder.getStringAttr(output.name));
  for (auto [i, each] : llvm::enumerate(computed)) {
    NamedAttrList &result = attributes.result(model.graph.outputs.size() + i);
    result.set("heddle.name", builder.getStringAttr(each.name));
    result.set(kExtentAttrName, builder.getStringAttr(each.name));
  }
  attributes.store();
  return success();
}
