// Diagnostics for people and as JSON lines: the node's name, the error's code,
// what helps.

#include "heddle/Driver/DiagnosticPrinter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace heddle;

/// The first position in a file. Names below a node's own are of the functions
/// that an exporter was in.
static void describeFile(Location loc, PlaceInModel &place) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file || !place.file.empty())
    return;
  place.file = file.getFilename().str();
  place.line = file.getLine();
  place.column = file.getColumn();
}

static void describe(Location loc, PlaceInModel &place) {
  TypeSwitch<LocationAttr>(LocationAttr(loc))
      .Case([&](NameLoc name) {
        std::string text = name.getName().str();
        if (!text.empty() && !llvm::is_contained(place.nodes, text))
          place.nodes.push_back(std::move(text));
        describeFile(name.getChildLoc(), place);
      })
      .Case([&](FileLineColLoc file) { describeFile(file, place); })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          describe(part, place);
      })
      .Case([&](CallSiteLoc call) {
        describe(call.getCallee(), place);
        describe(call.getCaller(), place);
      });
}

PlaceInModel heddle::describeLocation(Location loc) {
  PlaceInModel place;
  describe(loc, place);
  return place;
}

DiagnosticPrinter::DiagnosticPrinter(raw_ostream &os, bool json,
                                     StringRef fileName)
    : os(os), json(json), fileName(fileName) {}

DiagnosticEngine::HandlerID DiagnosticPrinter::attach(MLIRContext &context) {
  // Operations are printed by `inspect` and dumps, not below every error.
  context.printOpOnDiagnostic(false);
  return context.getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) {
        handle(diagnostic);
        return success();
      });
}

void DiagnosticPrinter::handle(Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  std::optional<ErrorCode> code = takeErrorCode(message);
  if (!code && diagnostic.getSeverity() == DiagnosticSeverity::Error)
    code = defaultCode;
  SmallVector<std::pair<PlaceInModel, std::string>> notes;
  for (Diagnostic &note : diagnostic.getNotes())
    notes.emplace_back(describeLocation(note.getLocation()), note.str());
  print(diagnostic.getSeverity(), code,
        describeLocation(diagnostic.getLocation()), message, notes);
}

void DiagnosticPrinter::report(ErrorCode code, const Twine &message,
                               StringRef node) {
  PlaceInModel place;
  if (!node.empty())
    place.nodes.push_back(node.str());
  print(DiagnosticSeverity::Error, code, place, message.str(), {});
}

void DiagnosticPrinter::warn(const Twine &message) {
  print(DiagnosticSeverity::Warning, std::nullopt, {}, message.str(), {});
}

void DiagnosticPrinter::note(const Twine &message) {
  print(DiagnosticSeverity::Note, std::nullopt, {}, message.str(), {});
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "error";
}

/// UTF-8 that moves no cursor and colours nothing: names are a model's, which
/// anybody may have written.
static std::string shown(StringRef text) {
  std::string safe;
  for (char c : llvm::json::fixUTF8(text)) {
    bool isControl =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
        c == 0x7f;
    if (isControl)
      safe += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c),
                                      /*LowerCase=*/true, /*Width=*/2);
    else
      safe += c;
  }
  return safe;
}

/// "model.onnx: Conv_12: ".
static void printPlace(raw_ostream &os, const PlaceInModel &place,
                       StringRef fileName) {
  StringRef file = place.file.empty() ? fileName : StringRef(place.file);
  if (!file.empty()) {
    os << shown(file);
    if (place.line)
      os << ":" << place.line << ":" << place.column;
    os << ": ";
  }
  if (!place.nodes.empty())
    os << shown(place.nodes.front()) << ": ";
}

static llvm::json::Object placeAsJson(const PlaceInModel &place,
                                      StringRef fileName) {
  llvm::json::Object object;
  object["file"] = place.file.empty() ? fileName.str() : place.file;
  if (place.line) {
    object["line"] = place.line;
    object["column"] = place.column;
  }
  object["nodes"] = llvm::json::Array(place.nodes);
  return object;
}

void DiagnosticPrinter::print(
    DiagnosticSeverity severity, std::optional<ErrorCode> code,
    const PlaceInModel &place, const std::string &message,
    ArrayRef<std::pair<PlaceInModel, std::string>> notes) {
  // MLIR's threads report too.
  std::lock_guard<std::mutex> lock(mutex);
  bool isFirst = severity == DiagnosticSeverity::Error && code && !first;
  if (isFirst) {
    first = code;
    firstText = message;
  }
  if (json) {
    llvm::json::Object line = placeAsJson(place, fileName);
    line["severity"] = severityName(severity);
    line["message"] = llvm::json::fixUTF8(message);
    if (code) {
      line["code"] = errorName(*code);
      line["help"] = errorInfo(*code).help;
    }
    llvm::json::Array list;
    for (auto &[notePlace, note] : notes) {
      llvm::json::Object object = placeAsJson(notePlace, fileName);
      object["message"] = llvm::json::fixUTF8(note);
      list.push_back(std::move(object));
    }
    line["notes"] = std::move(list);
    if (isFirst)
      firstLine = line;
    os << llvm::json::Value(std::move(line)) << "\n";
    os.flush();
    return;
  }

  printPlace(os, place, fileName);
  os << severityName(severity);
  if (code)
    os << "[" << errorName(*code) << "]";
  os << ": " << shown(message) << "\n";
  if (place.nodes.size() > 1) {
    printPlace(os, {place.file, place.line, place.column, {}}, fileName);
    os << "note: made from ";
    llvm::interleaveComma(place.nodes, os,
                          [&](StringRef node) { os << shown(node); });
    os << "\n";
  }
  for (auto &[notePlace, note] : notes) {
    printPlace(os, notePlace, fileName);
    os << "note: " << shown(note) << "\n";
  }
  if (code && helped.insert(*code).second)
    os << "help: " << errorInfo(*code).help << "\n";
  os.flush();
}

ExitCode DiagnosticPrinter::exitCode() const {
  return first ? errorInfo(*first).exit : ExitCode::Ok;
}

llvm::json::Object DiagnosticPrinter::failureDocument() {
  ExitCode code = failureCode();
  return llvm::json::Object{{"status", "failed"},
                            {"exit_code", int(code)},
                            {"error", llvm::json::Object(firstLine)}};
}

ExitCode DiagnosticPrinter::failureCode() {
  if (!first)
    report(ErrorCode::InternalError, "a step failed without saying why");
  return exitCode();
}
