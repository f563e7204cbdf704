// The walk over a model: scopes of names, inputs and their sizes, weights,
// functions, and the report of what is not read.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_IMPORTER_H
#define HEDDLE_LIB_FRONTEND_ONNX_IMPORTER_H

#include "NodeImporter.h"
#include "heddle/Frontend/Onnx.h"
#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {
class BoundParameter;
}

namespace heddle::onnx {

/// What a name stands for. Initializers become constants when they are first
/// used.
struct Definition {
  mlir::Value value;
  const Tensor *initializer = nullptr;
  /// Depends on a node that could not be imported.
  bool isPoisoned = false;
};

/// The names of a graph or function body; those of an enclosing graph are
/// visible inside.
struct Scope {
  const Scope *parent = nullptr;
  llvm::StringMap<Definition> names;
  llvm::ArrayRef<OperatorSet> operatorSets;
  /// Attributes that the caller of a function gave, for `ref_attr_name`.
  llvm::StringMap<const onnx::Attribute *> functionAttributes;
  /// Put before node names inside a function: the name of the calling node.
  std::string path;
};

/// Reports why a file is no model that can be read.
mlir::InFlightDiagnostic emitUnreadable(mlir::Location loc,
                                        const ReadError &error);

class Importer {
public:
  Importer(mlir::MLIRContext *context, const OnnxImportOptions &options,
           std::shared_ptr<MappedFile> file, std::optional<FileScope> files)
      : context(context), options(options), file(std::move(file)),
        files(std::move(files)), builder(context), constants(context) {}

  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  mlir::LogicalResult checkModel();
  mlir::LogicalResult checkOperatorSets(llvm::ArrayRef<OperatorSet> sets,
                                        llvm::StringRef where);
  mlir::LogicalResult checkFunctions();
  /// Notes every node whose operator has no import, also inside functions and
  /// nested graphs.
  void listUnknownOperators(llvm::ArrayRef<Node> nodes,
                            llvm::ArrayRef<OperatorSet> sets,
                            llvm::StringRef path);

  mlir::LogicalResult importInputs(Scope &scope);
  /// Makes inputs weights, as options say; the others are the module's.
  mlir::LogicalResult bindInputs(Scope &scope);
  mlir::LogicalResult bindInput(const ValueInfo &input,
                                const BoundParameter &parameter, Scope &scope);
  /// Replaces initializers that options name; `rest` are the other bindings.
  mlir::LogicalResult bindInitializers(std::vector<ArgumentBinding> &rest,
                                       Scope &scope);
  /// Makes a named dimension the size that a bound tensor has there.
  mlir::LogicalResult fixDimension(const Dimension &dimension, int64_t size,
                                   mlir::Location loc);
  mlir::LogicalResult checkShapeOptions();
  mlir::LogicalResult declareSizes();
  /// Whether it begins like a size that a node computes: NODE.count.
  bool mayBeComputed(llvm::StringRef name);
  /// What options say of sizes that the program computes, it does compute.
  mlir::LogicalResult checkGivenSizes();
  /// An extent as options spell it, over sizes that are declared.
  mlir::FailureOr<Extent> readExtent(llvm::StringRef text, mlir::Location loc);
  /// What options say of a named dimension, and of an input; nothing if they do
  /// not.
  mlir::FailureOr<std::optional<Extent>>
  chosenExtent(const Dimension &dimension, mlir::Location loc);
  mlir::FailureOr<std::optional<Shape>> chosenShape(const ValueInfo &input,
                                                    mlir::Location loc);
  /// Notes on the module which sizes calls choose, and what was taken for
  /// granted of them.
  void recordSizes();
  mlir::LogicalResult importOutputs(const Scope &scope);
  mlir::LogicalResult addInitializers(const Graph &graph, Scope &scope);
  mlir::LogicalResult importNodes(llvm::ArrayRef<Node> nodes, Scope &scope);
  mlir::LogicalResult importNode(const Node &node, size_t position,
                                 Scope &scope);
  mlir::LogicalResult importCall(const Node &node, const Function &function,
                                 llvm::ArrayRef<Definition *> operands,
                                 Scope &scope, mlir::Location loc);
  /// Imports a graph of an attribute; its outputs, in order.
  mlir::FailureOr<llvm::SmallVector<Definition>>
  importBody(const Graph &graph, llvm::ArrayRef<mlir::Value> arguments,
             const Scope &outer, mlir::Location loc);
  mlir::LogicalResult importIf(const Node &node,
                               llvm::ArrayRef<mlir::Value> operands,
                               Scope &scope, mlir::Location loc);
  mlir::LogicalResult importLoop(const Node &node,
                                 llvm::ArrayRef<mlir::Value> operands,
                                 Scope &scope, mlir::Location loc);
  mlir::LogicalResult importScan(const Node &node,
                                 llvm::ArrayRef<mlir::Value> operands,
                                 Scope &scope, mlir::Location loc);
  /// What Loop and Scan have in common, and the ways of writing it.
  struct Repetition;
  struct Step;
  struct Written;
  mlir::LogicalResult importRepetition(Repetition &loop, Scope &scope);
  mlir::FailureOr<Step> importStep(const Repetition &loop, mlir::Value number,
                                   mlir::ValueRange states, const Scope &scope);
  Written unroll(const Repetition &loop, const Scope &scope);
  Written writeLoop(const Repetition &loop, const Scope &scope);
  mlir::LogicalResult poisonOutputs(const Node &node, Scope &scope,
                                    mlir::Location loc);
  mlir::LogicalResult defineOutputs(const Node &node, mlir::ValueRange values,
                                    Scope &scope, mlir::Location loc);
  /// Notes that the node cannot be compiled, and goes on without its results.
  mlir::LogicalResult refuse(const Node &node, Scope &scope, mlir::Location loc,
                             const llvm::Twine &why);
  mlir::LogicalResult define(llvm::StringRef name, Definition definition,
                             Scope &scope, mlir::Location loc);
  /// Defines what a node makes.
  mlir::LogicalResult defineResult(llvm::StringRef name, Definition definition,
                                   Scope &scope, mlir::Location loc);
  /// What a value of the main graph becomes by `options.onValue`.
  mlir::Value announced(mlir::OpBuilder &at, llvm::StringRef name,
                        mlir::Value value);
  bool isOfMainGraph(const Tensor &tensor) const;
  Definition *lookup(llvm::StringRef name, const Scope &scope);
  mlir::FailureOr<mlir::Value> materialize(Definition &definition,
                                           mlir::Location loc);
  mlir::ElementsAttr externalConstant(const Tensor &tensor,
                                      std::string &message, ErrorCode &code);

  void report(mlir::Location loc, llvm::StringRef domain, llvm::StringRef op,
              int64_t operatorSet, const llvm::Twine &reason);
  mlir::LogicalResult reportOffences();
  void eraseDeadOps();

  const Function *lookupFunction(const Node &node) const;
  mlir::Location nodeLocation(const Node &node, size_t position,
                              llvm::StringRef path);
  mlir::Location named(llvm::StringRef name);
  mlir::Location modelLocation();

  mlir::MLIRContext *context;
  const OnnxImportOptions &options;
  std::shared_ptr<MappedFile> file;
  std::optional<FileScope> files;
  Model model;
  llvm::StringMap<const Function *> functions;
  OperatorTable operators;
  mlir::OpBuilder builder;
  /// Weights and other initializers stand at the start of @main.
  mlir::OpBuilder constants;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  std::unique_ptr<Decompositions> decompositions;

  struct Offence {
    mlir::Location loc;
    std::string text;
  };
  std::vector<Offence> offences;
  /// Sizes that inputs have.
  llvm::StringSet<> usedSizes;
  /// Named dimensions that tensors for inputs have.
  llvm::StringMap<int64_t> fixedDimensions;
  /// Initializers that tensors of files stand in for.
  llvm::SmallPtrSet<const Tensor *, 4> boundInitializers;
  /// Inputs that callers give.
  llvm::SmallVector<const ValueInfo *> freeInputs;
  /// Nodes imported inside bodies so far.
  int64_t bodyNodes = 0;
};

/// Inputs that are no initializer: older files list the weights as inputs too.
llvm::SmallVector<const ValueInfo *> realInputs(const Graph &graph);
/// Null if the node has no such attribute.
const onnx::Attribute *findAttribute(const Node &node, llvm::StringRef name);
bool anyPoisoned(llvm::ArrayRef<Definition> definitions);
/// Whether the value is a sequence of tensors.
inline bool isSequence(mlir::Value value) {
  return value && llvm::isa<mlir::TupleType>(value.getType());
}
/// A known condition; nothing if it is computed from the inputs.
std::optional<bool> knownBool(mlir::Value value);

/// The version of a domain that a list of operator sets imports; 0 if it does
/// not.
int64_t operatorSetOf(llvm::ArrayRef<OperatorSet> sets, llvm::StringRef domain);

/// Whether the name is one of the default domain's.
inline bool isDefaultDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_IMPORTER_H
