// What the parser and the verifiers say, in words for whoever has the file.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_PARSEERRORS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_PARSEERRORS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <vector>

namespace heddle {

/// Holds back what is reported while a file is parsed; afterwards reports it
/// with codes that tell text which cannot be read from operations that break a
/// rule. The first half of an error that inferring types reports in two (the
/// rule, then the operation) gets the operation's name.
class ParseErrors {
public:
  explicit ParseErrors(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          held.push_back(std::move(diagnostic));
          return mlir::success();
        }) {}

  /// What was held back; to be reported when this object is gone.
  std::vector<mlir::Diagnostic> take() { return std::move(held); }

  static void report(std::vector<mlir::Diagnostic> held);

private:
  std::vector<mlir::Diagnostic> held;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_PARSEERRORS_H
