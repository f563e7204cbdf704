// What an ONNX model says about itself, sizes that it leaves open included:
// nothing is imported.

#include "Importer.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// "float batchx3x224x224"; "?" where a dimension has neither size nor name.
static OnnxDeclaration declare(const ValueInfo &value) {
  OnnxDeclaration declaration;
  declaration.name = value.name.str();
  if (value.type.kind != ValueType::Tensor) {
    declaration.element = "no tensor";
    return declaration;
  }
  declaration.element = spell(value.type.element);
  declaration.isOpen = !value.type.hasShape;
  if (!value.type.hasShape)
    declaration.shape.push_back("*");
  for (const Dimension &dimension : value.type.shape) {
    bool known = dimension.extent && *dimension.extent >= 0;
    declaration.isOpen |= !known;
    declaration.shape.push_back(known ? std::to_string(*dimension.extent)
                                : dimension.symbol.empty()
                                    ? "?"
                                    : dimension.symbol.str());
  }
  return declaration;
}

std::optional<OnnxDescription> heddle::describeOnnx(MLIRContext *context,
                                                    StringRef path) {
  llvm::Expected<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  if (file)
    return describeOnnx(context, **file);
  heddle::emitError(FileLineColLoc::get(context, path, 0, 0),
                    ErrorCode::FileUnreadable)
      << llvm::toString(file.takeError());
  return std::nullopt;
}

std::optional<OnnxDescription> heddle::describeOnnx(MLIRContext *context,
                                                    const MappedFile &file) {
  Location loc = FileLineColLoc::get(context, file.path(), 0, 0);
  Model model;
  StringRef bytes(file.bytes().data(), file.bytes().size());
  if (std::optional<ReadError> error = readModel(bytes, model)) {
    emitUnreadable(loc, *error);
    return std::nullopt;
  }
  OnnxDescription description;
  llvm::StringSet<> weights;
  for (const Tensor &tensor : model.graph.initializers) {
    weights.insert(tensor.name);
    ++description.weights;
    if (std::optional<int64_t> count = elementCount(tensor.shape))
      description.weightBytes += packedBytes(tensor.type, *count).value_or(0);
  }
  for (const ValueInfo &input : model.graph.inputs)
    if (!weights.contains(input.name))
      description.inputs.push_back(declare(input));
  for (const ValueInfo &output : model.graph.outputs)
    description.outputs.push_back(declare(output));
  llvm::MapVector<StringRef, unsigned> counts;
  for (const Node &node : model.graph.nodes)
    ++counts[node.op];
  for (auto &[name, number] : counts)
    description.operators.emplace_back(name.str(), number);
  llvm::sort(description.operators, [](const auto &a, const auto &b) {
    return std::make_pair(-int64_t(a.second), a.first) <
           std::make_pair(-int64_t(b.second), b.first);
  });
  return description;
}
