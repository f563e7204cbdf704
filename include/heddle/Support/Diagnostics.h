// Errors with stable codes. A front end or pass writes
//
//   return emitError(loc, ErrorCode::OnnxExternalPath) << "..." ;
//
// which any MLIR handler prints as "[HDL-0206] ...", and heddle's own as
// "model.onnx: Conv_12: error[HDL-0206]: ...".

#ifndef HEDDLE_SUPPORT_DIAGNOSTICS_H
#define HEDDLE_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// How a tool ends; scripts rely on the numbers.
enum class ExitCode : int {
  Ok = 0,
  BadInput = 1,
  Usage = 2,
  Unsupported = 3,
  CheckFailed = 4,
  TargetMismatch = 5,
  ResourceLimit = 6,
  ArtifactRejected = 7,
  Internal = 70,
};

/// Every error that a user can see, with its number as value.
enum class ErrorCode : unsigned {
#define HEDDLE_ERROR(name, number, exit, meaning, help) name = number,
#include "heddle/Support/ErrorCodes.def"
};

/// One row of the table of errors.
struct ErrorInfo {
  ErrorCode code;
  ExitCode exit;
  llvm::StringRef meaning;
  llvm::StringRef help;
};

/// All errors, by ascending code.
llvm::ArrayRef<ErrorInfo> allErrors();

const ErrorInfo &errorInfo(ErrorCode code);

/// "HDL-0206".
std::string errorName(ErrorCode code);

/// The inverse of errorName; also takes "0206", "206" and lower case. None for
/// what is not in the table.
std::optional<ErrorCode> parseErrorName(llvm::StringRef name);

/// Reports an error whose text starts with its code.
mlir::InFlightDiagnostic emitError(mlir::Location loc, ErrorCode code);

/// Cuts the "[HDL-nnnn] " that emitError put in front of `message`, possibly
/// behind the
/// "'stablehlo.add' op " of an op error; none if there is no code.
std::optional<ErrorCode> takeErrorCode(std::string &message);

} // namespace heddle

#endif // HEDDLE_SUPPORT_DIAGNOSTICS_H
