// Functions outside of the model that custom calls call: where the command line
// has them from.

#ifndef HEDDLE_DRIVER_CUSTOMCALLS_H
#define HEDDLE_DRIVER_CUSTOMCALLS_H

#include "heddle/Driver/Session.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/runtime.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace heddle {

/// The functions of --custom-call NAME=LIBRARY[:SYMBOL].
class CustomCallLibraries {
public:
  /// Opens the libraries; false after an error, which has been reported. The
  /// symbol is the name unless it is given.
  bool open(Session &session, llvm::ArrayRef<std::string> options);

  llvm::ArrayRef<heddle_custom_call> functions() const { return calls; }

  /// Calls the function of a marked custom call, or of a launch of one, as the
  /// runtime does; false if the call is neither. After an error, which has been
  /// reported, `results` do not fit.
  bool interpret(mlir::Operation *op, llvm::ArrayRef<InterpreterValue> operands,
                 llvm::SmallVectorImpl<InterpreterValue> &results) const;

private:
  std::vector<std::unique_ptr<std::string>> names;
  std::vector<heddle_custom_call> calls;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_CUSTOMCALLS_H
