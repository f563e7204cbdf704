// What an operator's import function sees of its node.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_NODEIMPORTER_H
#define HEDDLE_LIB_FRONTEND_ONNX_NODEIMPORTER_H

#include "Emitter.h"
#include "Literal.h"
#include "Model.h"
#include "Operators.h"
#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/StringSet.h"

namespace heddle::onnx {

/// The StableHLO element type of an ONNX type; null for strings and the like.
mlir::Type elementType(mlir::MLIRContext *context, DataType type);

/// The constant that an embedded tensor holds; null and a message after an
/// error. `file` is the mapped model.
mlir::ElementsAttr tensorConstant(mlir::MLIRContext *context,
                                  const Tensor &tensor,
                                  const std::shared_ptr<MappedFile> &file,
                                  std::string &message);

/// One node under import. Import functions read operands and attributes here,
/// write StableHLO through `emit`, and set the results. An attribute that a
/// function does not ask for makes the node unsupported: nothing is skipped
/// silently.
class NodeImporter {
public:
  /// Reads a tensor whose data lies in another file; null and a message if it
  /// cannot.
  using ExternalReader =
      llvm::function_ref<mlir::ElementsAttr(const Tensor &, std::string &)>;

  NodeImporter(
      const Node &node, int version,
      llvm::ArrayRef<std::pair<llvm::StringRef, const Attribute *>> attributes,
      llvm::ArrayRef<mlir::Value> operands, Emitter &emit,
      const std::shared_ptr<MappedFile> &file, ExternalReader readExternal)
      : emit(emit), node(node), operatorVersion(version),
        attributes(attributes), operands(operands), file(file),
        readExternal(readExternal), results(node.outputs.size()) {}

  Emitter &emit;

  llvm::StringRef op() const { return node.op; }
  /// The operator set in which this form of the operator appeared.
  int version() const { return operatorVersion; }
  mlir::OpBuilder &builder() { return emit.builder; }

  //===--- Operands ---===//
  size_t numOperands() const { return operands.size(); }
  /// Whether an optional operand is given.
  bool has(size_t i) const { return i < operands.size() && operands[i]; }
  mlir::Value operand(size_t i) const { return operands[i]; }
  llvm::ArrayRef<mlir::Value> allOperands() const { return operands; }
  RankedTensorType type(size_t i) const { return Emitter::typeOf(operands[i]); }
  Shape shape(size_t i) const { return emit.shapeOf(operands[i]); }
  /// Where the operator is computed for known sizes only: see
  /// `Emitter::knownShapeOf`.
  OwnedExtents knownShape(size_t i) const {
    return emit.knownShapeOf(operands[i]);
  }
  int64_t rank(size_t i) const { return type(i).getRank(); }
  mlir::Type element(size_t i) const { return type(i).getElementType(); }
  /// The value of an operand that is known when compiling.
  std::optional<Literal> literal(size_t i) const {
    return readLiteral(operands[i]);
  }
  /// A fault: the operand, called `what`, follows from what callers give.
  void mustBeKnown(size_t i, llvm::StringRef what);
  /// The integers of an operand that must be known (shapes, axes); a fault that
  /// calls it `what` if it is not.
  std::optional<OwnedExtents> integers(size_t i, llvm::StringRef what);
  std::optional<int64_t> integer(size_t i, llvm::StringRef what);
  /// The same of integers that may follow from sizes which calls choose.
  std::optional<Shape> sizes(size_t i, llvm::StringRef what);
  std::optional<Extent> size(size_t i, llvm::StringRef what);
  /// Integers that are the operand `i` since a version of the operator, and
  /// were an attribute before: whether they are given at all.
  bool isGiven(size_t i, llvm::StringRef attribute, int since) const {
    return has(i) || (version() < since && hasAttribute(attribute));
  }
  /// Their values; a fault if they are not given.
  std::optional<OwnedExtents> integers(size_t i, llvm::StringRef what,
                                       llvm::StringRef attribute, int since);
  std::optional<Shape> sizes(size_t i, llvm::StringRef what,
                             llvm::StringRef attribute, int since);
  std::optional<double> number(size_t i, llvm::StringRef what);

  //===--- Attributes ---===//
  bool hasAttribute(llvm::StringRef name) const;
  int64_t integerAttribute(llvm::StringRef name, int64_t otherwise);
  double floatAttribute(llvm::StringRef name, double otherwise);
  llvm::StringRef stringAttribute(llvm::StringRef name,
                                  llvm::StringRef otherwise);
  std::optional<OwnedExtents> integersAttribute(llvm::StringRef name);
  std::optional<llvm::SmallVector<float>> floatsAttribute(llvm::StringRef name);
  std::optional<llvm::SmallVector<llvm::StringRef>>
  stringsAttribute(llvm::StringRef name);
  const Tensor *tensorAttribute(llvm::StringRef name);
  /// The value of such a tensor; null and a message if it cannot be read.
  mlir::ElementsAttr constant(const Tensor &tensor, std::string &message) {
    return tensor.isExternal ? readExternal(tensor, message)
                             : tensorConstant(emit.builder.getContext(), tensor,
                                              file, message);
  }
  /// The element type that an attribute such as `to` names; null and a fault if
  /// StableHLO has none.
  mlir::Type typeAttribute(llvm::StringRef name, mlir::Type otherwise);
  /// Says that an attribute has no meaning here (training, storage hints).
  void ignoreAttribute(llvm::StringRef name) { asked.insert(name); }

  /// `axis` within [-rank, rank), made non-negative; a fault and 0 otherwise.
  int64_t normalizeAxis(int64_t axis, int64_t rank);
  /// All of them, each once; nothing after a fault.
  std::optional<OwnedExtents> normalizeAxes(Extents axes, int64_t rank);

  //===--- Results ---===//
  size_t numResults() const { return results.size(); }
  /// Whether anything names this result.
  bool wants(size_t i) const {
    return i < results.size() && !node.outputs[i].empty();
  }
  void set(size_t i, mlir::Value value) {
    if (i < results.size())
      results[i] = value;
  }
  llvm::ArrayRef<mlir::Value> allResults() const { return results; }
  llvm::LogicalResult result(mlir::Value value) {
    set(0, value);
    return mlir::success();
  }

  /// The node is well-formed ONNX that heddle cannot compile.
  llvm::LogicalResult unsupported(const llvm::Twine &why);
  /// The node breaks its operator's rules.
  llvm::LogicalResult invalid(const llvm::Twine &why);
  bool isUnsupported() const { return !unsupportedReason.empty(); }
  llvm::StringRef reason() const { return unsupportedReason; }
  /// The first attribute of the node that nobody asked for; empty if none.
  llvm::StringRef unreadAttribute() const;

private:
  const Attribute *find(llvm::StringRef name, Attribute::Kind kind,
                        llvm::StringRef kindName);

  const Node &node;
  int operatorVersion;
  llvm::ArrayRef<std::pair<llvm::StringRef, const Attribute *>> attributes;
  llvm::ArrayRef<mlir::Value> operands;
  const std::shared_ptr<MappedFile> &file;
  ExternalReader readExternal;
  llvm::SmallVector<mlir::Value> results;
  llvm::StringSet<> asked;
  std::string unsupportedReason;
};

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_NODEIMPORTER_H
