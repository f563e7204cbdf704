// Tells text that cannot be read from operations that break a rule, by MLIR's
// words.

#include "lib/Frontend/StableHlo/ParseErrors.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace heddle {

/// Reports one diagnostic again. `prefix` names the operation where the message
/// does not.
static void reportAgain(Diagnostic &diagnostic, StringRef prefix) {
  Location loc = diagnostic.getLocation();
  std::string message = diagnostic.str();
  auto again = [&]() -> InFlightDiagnostic {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
      return mlir::emitWarning(loc) << message;
    if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      return mlir::emitRemark(loc) << message;
    // Errors with a code of their own keep it.
    std::string rest = message;
    if (takeErrorCode(rest))
      return mlir::emitError(loc) << message;
    bool isRule = !prefix.empty() || (StringRef(message).starts_with("'") &&
                                      StringRef(message).contains("' op "));
    auto error = emitError(loc, isRule ? ErrorCode::StableHloInvalid
                                       : ErrorCode::StableHloParse);
    error << prefix << message;
    return error;
  }();
  for (Diagnostic &note : diagnostic.getNotes())
    again.attachNote(note.getLocation()) << note.str();
}

void ParseErrors::report(std::vector<Diagnostic> held) {
  for (size_t i = 0; i < held.size(); ++i) {
    std::string prefix;
    if (i + 1 < held.size()) {
      std::string next = held[i + 1].str();
      StringRef name = next;
      if (name.consume_back("failed to infer returned types") &&
          held[i].getLocation() == held[i + 1].getLocation() &&
          !StringRef(held[i].str()).starts_with("'"))
        prefix = name.str();
    }
    reportAgain(held[i], prefix);
    i += !prefix.empty();
  }
}

} // namespace heddle
