// Attributes of many arguments and results of a function, set at once.

#ifndef HEDDLE_SUPPORT_SIGNATUREATTRIBUTES_H
#define HEDDLE_SUPPORT_SIGNATUREATTRIBUTES_H

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// The attributes of all arguments and results of a function, to be changed
/// and stored. MLIR keeps them in one list that lives as long as its context,
/// so that setting those of a thousand arguments one by one makes a thousand
/// lists of a thousand.
class SignatureAttributes {
public:
  explicit SignatureAttributes(mlir::FunctionOpInterface function)
      : function(function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.emplace_back(function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      results.emplace_back(function.getResultAttrDict(i));
  }

  mlir::NamedAttrList &argument(unsigned i) { return arguments[i]; }
  mlir::NamedAttrList &result(unsigned i) { return results[i]; }

  void store() {
    mlir::MLIRContext *context = function->getContext();
    auto dictionaries = [&](llvm::ArrayRef<mlir::NamedAttrList> lists) {
      return llvm::map_to_vector(lists, [&](const mlir::NamedAttrList &list) {
        return list.getDictionary(context);
      });
    };
    function.setAllArgAttrs(dictionaries(arguments));
    function.setAllResultAttrs(dictionaries(results));
  }

private:
  mlir::FunctionOpInterface function;
  llvm::SmallVector<mlir::NamedAttrList, 0> arguments, results;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_SIGNATUREATTRIBUTES_H
