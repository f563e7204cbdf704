// The model's signature: inputs with the sizes that options fix, outputs with
// their names.

#include "Importer.h"

#include "heddle/Support/SignatureAttributes.h"
#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Splits `NAME=REST` at the last '=': ONNX names may hold one.
static std::optional<std::pair<StringRef, StringRef>> split(StringRef text) {
  size_t at = text.rfind('=');
  if (at == StringRef::npos || at == 0)
    return std::nullopt;
  return std::make_pair(text.take_front(at), text.drop_front(at + 1));
}

LogicalResult heddle::parseOnnxShape(StringRef text,
                                     OnnxImportOptions &options) {
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

LogicalResult heddle::parseOnnxDim(StringRef text, OnnxImportOptions &options) {
  auto parts = split(text);
  int64_t value;
  if (!parts || parts->second.getAsInteger(10, value) || value < 0)
    return failure();
  options.dims.emplace_back(parts->first.str(), value);
  return success();
}

/// Inputs that are no initializer: older files list the weights as inputs too.
static SmallVector<const ValueInfo *> realInputs(const Graph &graph) {
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
  for (const auto &[name, shape] : options.shapes) {
    const ValueInfo *found = nullptr;
    for (const ValueInfo *input : inputs)
      if (input->name == name)
        found = input;
    if (!found)
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "--shape names the input '" << name
             << "', which the model does not have" << suggest(name, names);
  }
  for (const auto &[name, extent] : options.dims) {
    if (!llvm::is_contained(symbols, name))
      return heddle::emitError(modelLocation(), ErrorCode::OnnxShapeOption)
             << "--dim names the dimension '" << name
             << "', which no input of the model has" << suggest(name, symbols)
             << explainSymbols(inputs);
  }
  return success();
}

/// An example of what would fix an open dimension: one sample, a middling
/// length.
static int64_t exampleExtent(size_t dimension) {
  return dimension == 0 ? 1 : 128;
}

LogicalResult Importer::importInputs(Scope &scope) {
  std::vector<std::string> open, remedies;
  for (const ValueInfo *input : realInputs(model.graph)) {
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

    OwnedExtents shape;
    const auto *fixed = findOption(options.shapes, input->name);
    if (fixed)
      shape.assign(fixed->begin(), fixed->end());
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
    OwnedExtents example(shape);
    for (size_t i = 0; i < declared.shape.size(); ++i) {
      const Dimension &dimension = declared.shape[i];
      const int64_t *named = dimension.symbol.empty()
                                 ? nullptr
                                 : findOption(options.dims, dimension.symbol);
      std::optional<int64_t> extent = dimension.extent;
      // Some exporters write -1 or 0 for what they do not know; 0 is a legal
      // extent and stays.
      if (extent && *extent < 0)
        extent.reset();
      if (!extent && named)
        extent = *named;
      if (fixed) {
        if (extent && *extent != shape[i])
          return heddle::emitError(loc, ErrorCode::OnnxShapeOption)
                 << "--shape gives dimension " << i << " of the input "
                 << shape[i] << ", the model or --dim " << *extent;
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

  main.setFunctionType(
      builder.getFunctionType(main.front().getArgumentTypes(), {}));
  SignatureAttributes attributes(main);
  for (auto [i, input] : llvm::enumerate(realInputs(model.graph)))
    attributes.argument(i).set("heddle.name",
                               builder.getStringAttr(input->name));
  attributes.store();
  return success();
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
  func::ReturnOp::create(builder, modelLocation(), results);
  main.setFunctionType(builder.getFunctionType(main.front().getArgumentTypes(),
                                               TypeRange(ValueRange(results))));
  SignatureAttributes attributes(main);
  for (auto [i, output] : llvm::enumerate(model.graph.outputs))
    attributes.result(i).set("heddle.name", builder.getStringAttr(output.name));
  attributes.store();
  return success();
}
