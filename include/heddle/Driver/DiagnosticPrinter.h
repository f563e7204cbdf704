// Shows diagnostics to the user: `model.onnx: Conv_12: error[HDL-0205]: text`.

#ifndef HEDDLE_DRIVER_DIAGNOSTICPRINTER_H
#define HEDDLE_DRIVER_DIAGNOSTICPRINTER_H

#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <optional>
#include <string>

namespace heddle {

/// A location as a user knows it: where in which file, and the nodes of the
/// model, all of them when locations were fused.
struct PlaceInModel {
  std::string file;
  unsigned line = 0, column = 0;
  llvm::SmallVector<std::string, 1> nodes;
};

PlaceInModel describeLocation(mlir::Location loc);

/// Prints every diagnostic of a context, and remembers how the program has to
/// end. MLIR's own handler shows no node name around a file position and only
/// one part of a fused location.
class DiagnosticPrinter {
public:
  /// `json` prints one object per line. `fileName` stands before errors that
  /// name no file.
  DiagnosticPrinter(llvm::raw_ostream &os, bool json, llvm::StringRef fileName);

  /// From now on `name` stands there.
  void setFileName(llvm::StringRef name) { fileName = name.str(); }

  /// Installs the printer as the handler of `context`.
  mlir::DiagnosticEngine::HandlerID attach(mlir::MLIRContext &context);

  /// The code of errors that carry none, from now on: parsers and verifiers of
  /// MLIR itself speak about the model while it is read, and about our own
  /// mistakes afterwards.
  void setDefaultCode(ErrorCode code) { defaultCode = code; }

  /// Reports an error that belongs to no operation; `node` may be empty.
  void report(ErrorCode code, const llvm::Twine &message,
              llvm::StringRef node = {});
  void warn(const llvm::Twine &message);
  void note(const llvm::Twine &message);

  /// Of the first error; Ok without one.
  ExitCode exitCode() const;
  /// The same, but a failure that reported nothing is our own.
  ExitCode failureCode();
  std::optional<ErrorCode> firstError() const { return first; }
  const std::string &firstMessage() const { return firstText; }

  /// How a command ends that has failed, as a document: {"status": "failed",
  /// "exit_code", "error"}, where the error is the first that was reported, in
  /// the form of its line.
  llvm::json::Object failureDocument();

private:
  void handle(mlir::Diagnostic &diagnostic);
  void print(mlir::DiagnosticSeverity severity, std::optional<ErrorCode> code,
             const PlaceInModel &place, const std::string &message,
             llvm::ArrayRef<std::pair<PlaceInModel, std::string>> notes);

  llvm::raw_ostream &os;
  bool json;
  std::string fileName;
  ErrorCode defaultCode = ErrorCode::InternalError;
  std::optional<ErrorCode> first;
  std::string firstText;
  llvm::json::Object firstLine;
  /// Codes whose help was printed.
  llvm::SmallSet<ErrorCode, 4> helped;
  std::mutex mutex;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_DIAGNOSTICPRINTER_H
