// The files of --bind.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H

#include "heddle/Frontend/ArgumentBinding.h"
#include "heddle/Support/MappedFile.h"
#include "heddle/Support/TensorFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
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

  llvm::StringRef path() const { return file->path(); }
  /// The tensor for input `number` of that name; with `named`, the only one of
  /// the file will do, too. Null if there is none.
  const NamedTensor *find(llvm::StringRef name, unsigned number,
                          bool named) const;
  std::vector<std::string> names() const;
  /// The elements of one of its tensors: over the file itself where its bytes
  /// lie there.
  mlir::ElementsAttr elements(const NamedTensor &tensor,
                              llvm::StringRef name) const;

private:
  std::shared_ptr<MappedFile> file;
  std::vector<NamedTensor> tensors;
};

/// Reads the files of `bindings`, and calls `bind` for each of the inputs
/// called `names` that one of them is for, once. Fails if `bind` does, and
/// after an error at `loc` for a binding that no input or no tensor is there
/// for.
mlir::LogicalResult bindInputs(
    mlir::Location loc, llvm::ArrayRef<std::string> names,
    llvm::ArrayRef<ArgumentBinding> bindings,
    llvm::function_ref<mlir::LogicalResult(unsigned number, const NamedTensor &,
                                           const ParameterFile &)>
        bind);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_PARAMETERFILE_H
