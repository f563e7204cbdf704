// Inputs and initializers of a model in whose place --bind puts tensors of
// files.

#include "Importer.h"

#include "lib/Frontend/Bindings/ParameterFile.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Whether a tensor of the type can be an input that is declared so.
static bool fitsDeclared(RankedTensorType type, const ValueType &declared) {
  if (!declared.hasShape)
    return true;
  if (int64_t(declared.shape.size()) != type.getRank())
    return false;
  for (auto [dimension, size] :
       llvm::zip_equal(declared.shape, type.getShape()))
    if (dimension.extent.value_or(-1) >= 0 && *dimension.extent != size)
      return false;
  return true;
}

/// The sizes that are declared, -1 for those that are not.
static SmallVector<int64_t> declaredShape(const ValueType &declared) {
  SmallVector<int64_t> shape;
  for (const Dimension &dimension : declared.shape)
    shape.push_back(dimension.extent.value_or(-1));
  return shape;
}

LogicalResult Importer::bindInput(const ValueInfo &input,
                                  const BoundParameter &parameter,
                                  Scope &scope) {
  const ValueType &declared = input.type;
  Location loc = named(input.name);
  Type element = declared.kind == ValueType::Tensor
                     ? elementType(context, declared.element)
                     : Type();
  Type wanted = element ? element : builder.getF32Type();
  if (failed(parameter.check(loc, wanted)))
    return failure();
  RankedTensorType type = parameter.typeFor(wanted);
  if (type.getElementType() != element || !fitsDeclared(type, declared))
    return heddle::emitError(loc, ErrorCode::StableHloBind)
           << "the tensor for it in " << parameter.file() << " is " << type
           << ", which is not what the model declares"
           << parameter.hint(input.name, declaredShape(declared));
  for (auto [dimension, size] : llvm::zip(declared.shape, type.getShape()))
    if (failed(fixDimension(dimension, size, loc)))
      return failure();
  Definition definition;
  definition.value =
      announced(constants, input.name,
                parameter.value(constants, loc, input.name, element));
  return define(input.name, definition, scope, loc);
}

/// An initializer as an input of its type.
static ValueInfo asInput(const Tensor &initializer) {
  ValueInfo input;
  input.name = initializer.name;
  input.type.kind = ValueType::Tensor;
  input.type.element = initializer.type;
  input.type.hasShape = true;
  for (int64_t size : initializer.shape)
    input.type.shape.push_back({size, ""});
  return input;
}

LogicalResult Importer::bindInitializers(std::vector<ArgumentBinding> &rest,
                                         Scope &scope) {
  llvm::StringMap<const Tensor *> initializers;
  for (const Tensor &tensor : model.graph.initializers)
    initializers[tensor.name] = &tensor;
  for (const ArgumentBinding &binding : options.bindings) {
    const Tensor *tensor = initializers.lookup(binding.argument);
    if (!tensor || binding.argument.empty()) {
      rest.push_back(binding);
      continue;
    }
    auto bind = [&](unsigned, const BoundParameter &parameter) {
      return bindInput(asInput(*tensor), parameter, scope);
    };
    if (!boundInitializers.insert(tensor).second)
      return heddle::emitError(modelLocation(), ErrorCode::StableHloBind)
             << "two bindings name the initializer '" << binding.argument
             << "'";
    if (failed(heddle::bindInputs(modelLocation(), binding.argument, binding,
                                  bind)))
      return failure();
  }
  return success();
}

LogicalResult Importer::bindInputs(Scope &scope) {
  std::vector<ArgumentBinding> bindings;
  if (failed(bindInitializers(bindings, scope)))
    return failure();
  SmallVector<const ValueInfo *> inputs = realInputs(model.graph);
  std::vector<std::string> names;
  for (const ValueInfo *input : inputs)
    names.push_back(input->name.str());
  llvm::SmallDenseSet<const ValueInfo *> bound;
  auto bind = [&](unsigned i,
                  const BoundParameter &parameter) -> LogicalResult {
    const ValueInfo &input = *inputs[i];
    bound.insert(&input);
    return bindInput(input, parameter, scope);
  };
  if (failed(heddle::bindInputs(modelLocation(), names, bindings, bind)))
    return failure();
  for (const ValueInfo *input : inputs)
    if (!bound.contains(input))
      freeInputs.push_back(input);
  return success();
}
