// The files of --bind.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H

#include "heddle/Frontend/ArgumentBinding.h"
#include "lib/Frontend/Bindings/Parameter.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <vector>

namespace heddle {

/// The tensors of one file.
class ParameterFile {
public:
  /// Fails after an error at `loc`.
  static mlir::FailureOr<ParameterFile> read(mlir::Location loc,
                                             llvm::StringRef path);

  /// The tensor called `name`; null if there is none.
  const Parameter *find(llvm::StringRef name) const;
  /// The tensor for input `number` of that name; with `named`, the only one of
  /// the file will do, too. Null if there is none.
  const Parameter *find(llvm::StringRef name, unsigned number,
                        bool named) const;
  std::vector<std::string> names() const;

private:
  std::vector<Parameter> parameters;
};

/// A tensor as a binding takes it.
class BoundParameter {
public:
  BoundParameter(const Parameter &parameter, const ArgumentBinding &binding)
      : parameter(parameter), binding(binding) {}

  /// Fails after an error at `loc` if it is in a form that is not read as
  /// `element`, or is no matrix and should be transposed. Then nothing else is
  /// asked.
  mlir::LogicalResult check(mlir::Location loc, mlir::Type element) const;
  /// The type that it has for an input whose elements are declared as
  /// `element`: the tensor's own, but for numbers that stand for any floats,
  /// and for narrower floats, which widen exactly. The shape is that of the
  /// transpose, if the binding says so.
  mlir::RankedTensorType typeFor(mlir::Type element) const;
  /// What to say behind an error about the type of the input `name` of `shape`:
  /// how the transpose is bound, where that would fit.
  std::string hint(llvm::StringRef name, llvm::ArrayRef<int64_t> shape) const;
  /// The value of that type, written by `builder`; `element` is that type's.
  mlir::Value value(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::StringRef name, mlir::Type element) const;
  /// "'model.gguf'", for messages.
  std::string file() const { return "'" + binding.file + "'"; }

private:
  /// Whether an input of `element` takes the numbers as they are stored.
  bool isTakenAsStored(mlir::Type element) const;

  const Parameter &parameter;
  const ArgumentBinding &binding;
};

/// Reads the files of `bindings`, and calls `bind` for each of the inputs
/// called `names` that one of them is for, once. Fails if `bind` does, and
/// after an error at `loc` for a binding that no input or no tensor is there
/// for.
mlir::LogicalResult
bindInputs(mlir::Location loc, llvm::ArrayRef<std::string> names,
           llvm::ArrayRef<ArgumentBinding> bindings,
           llvm::function_ref<mlir::LogicalResult(unsigned number,
                                                  const BoundParameter &)>
               bind);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H
