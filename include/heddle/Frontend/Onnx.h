// ONNX models become StableHLO.

#ifndef HEDDLE_FRONTEND_ONNX_H
#define HEDDLE_FRONTEND_ONNX_H

#include "heddle/Frontend/ArgumentBinding.h"
#include "heddle/Frontend/SizeOptions.h"
#include "heddle/Support/MappedFile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// Called with each value of the main graph that nodes use or make, once and
/// under its name; what it returns stands for the name from then on. Inputs are
/// arguments of @main, weights constants.
using OnnxValueHook = std::function<mlir::Value(
    mlir::OpBuilder &builder, llvm::StringRef name, mlir::Value value)>;

struct OnnxImportOptions : SizeOptions {
  /// Inputs that become weights.
  std::vector<ArgumentBinding> bindings;
  /// May be null.
  OnnxValueHook onValue;
};

/// Imports the model at `path`. The module has one function @main, whose
/// arguments and results carry the model's names as `heddle.name`; weights are
/// handles over the mapped files, every op is located by the name of its node.
/// Null after an error, which the context's handler has seen: operators without
/// an import are listed all together.
///
/// Where calls choose sizes, types have these as their extents, and the module
/// two lists: the sizes in `heddle.symbols`, and in `heddle.size_assumptions`
/// what operators want of them and ranges do not say, expressions that must be
/// 0.
mlir::OwningOpRef<mlir::ModuleOp>
importOnnx(mlir::MLIRContext *context, llvm::StringRef path,
           const OnnxImportOptions &options = {});

/// The same for a model that has been opened, or is in memory. External data is
/// looked for in `folder`; without one, there must be none.
mlir::OwningOpRef<mlir::ModuleOp>
importOnnx(mlir::MLIRContext *context, std::shared_ptr<MappedFile> file,
           llvm::StringRef folder, const OnnxImportOptions &options = {});

/// An input or output as the model declares it.
struct OnnxDeclaration {
  std::string name;
  /// "float", as onnx spells it.
  std::string element;
  /// A number, the name of an open dimension, or "?"; one "*" if even the rank
  /// is open.
  std::vector<std::string> shape;
  /// Some size is not known.
  bool isOpen = false;
};

/// What a model says about itself.
struct OnnxDescription {
  std::vector<OnnxDeclaration> inputs, outputs;
  uint64_t weights = 0;
  uint64_t weightBytes = 0;
  /// Operators of the main graph by name, the most frequent first.
  std::vector<std::pair<std::string, unsigned>> operators;
};

/// Reads the model at `path` without importing it: it may leave sizes open.
/// None after an error, which the context's handler has seen.
std::optional<OnnxDescription> describeOnnx(mlir::MLIRContext *context,
                                            llvm::StringRef path);

/// The same for a model that has been opened, or is in memory.
std::optional<OnnxDescription> describeOnnx(mlir::MLIRContext *context,
                                            const MappedFile &file);

/// Writes a line for each operator that is read: its name and the operator sets
/// that gave it a form which is read.
void printOnnxOperators(llvm::raw_ostream &stream);

} // namespace heddle

#endif // HEDDLE_FRONTEND_ONNX_H
