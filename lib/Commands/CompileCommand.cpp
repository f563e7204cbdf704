// heddle compile and heddle check.

#include "heddle/Commands/CompileCommand.h"

#include "heddle/Driver/Build.h"
#include "heddle/Driver/Dump.h"
#include "heddle/Driver/OutputFiles.h"
#include "runtime/format/ArtifactWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace mlir;
using namespace heddle;

/// False, which is reported, if a dump would go to a file that is read, or to
/// the output.
static bool mayDump(Session &session, const CompileCommand &command,
                    StringRef output) {
  for (StringRef dump : command.build.dumpAfter) {
    StringRef file = dump.split('=').second;
    if (!sparesInputs(session, command.model, command.build, file))
      return false;
    if (!file.empty() && isSameFile(file, output)) {
      session.diagnostics.report(ErrorCode::BadCommandLine,
                                 "a dump and the output go to " + output);
      return false;
    }
  }
  return true;
}

/// What devices leave to the cpu, each node.
static void printHosted(raw_ostream &os,
                        const CompileSummary::Variant &variant) {
  if (variant.hosted.empty())
    return;
  os << "  on the cpu, for want of kernels for " << variant.name << ": "
     << variant.hosted.size() << " launches\n";
  for (const std::string &launch : variant.hosted)
    os << "    " << launch << "\n";
}

static void printSummary(raw_ostream &os, const CompileSummary &summary,
                         StringRef output) {
  os << output << ": " << formatBytes(summary.artifactBytes) << "\n";
  os << "  weights  " << summary.weights << ", "
     << formatBytes(summary.weightBytes) << "\n";
  os << "  kernels  " << summary.kernels << ", launched " << summary.launches
     << " times, arena " << formatBytes(summary.arenaBytes) << "\n";
  if (!summary.precision.empty())
    os << "  precision  " << summary.precision << "\n";
  os << "  targets  ";
  llvm::interleaveComma(summary.variants, os, [&](const auto &variant) {
    os << variant.name << " (" << formatBytes(variant.codeBytes) << ")";
  });
  bool hasGpuCode = llvm::any_of(
      summary.variants, [](const auto &variant) { return variant.hasGpuCode; });
  os << (hasGpuCode ? "\n" : "; no GPU code included\n");
  for (const CompileSummary::Variant &variant : summary.variants)
    printHosted(os, variant);
  if (summary.devices.size() > 1)
    os << "  devices  " << llvm::join(summary.devices, ", ") << "\n";
}

/// What is known of the errors of a program in mixed precision, in two lines.
static std::string certificateSummary(const llvm::json::Object &certificate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const llvm::json::Object *estimate = certificate.getObject("estimate");
  const llvm::json::Object *validation = certificate.getObject("validation");
  os << llvm::format("  E  estimated error %.3g of %.3g (%s)\n",
                     estimate->getNumber("error").value_or(0),
                     certificate.getNumber("max_error").value_or(0),
                     certificate.getString("metric").value_or("").str().c_str())
     << llvm::format("  V  measured error %.3g at most, on %d inputs\n",
                     validation->getNumber("max").value_or(0),
                     int(validation->getInteger("count").value_or(0)));
  return text;
}

static llvm::json::Object toJson(const CompileSummary &summary) {
  llvm::json::Array targets;
  for (const CompileSummary::Variant &variant : summary.variants)
    targets.push_back(
        llvm::json::Object{{"name", variant.name},
                           {"code_bytes", int64_t(variant.codeBytes)},
                           {"hosted", llvm::json::Array(variant.hosted)}});
  return llvm::json::Object{{"targets", std::move(targets)},
                            {"devices", llvm::json::Array(summary.devices)},
                            {"precision", summary.precision},
                            {"kernels", int64_t(summary.kernels)},
                            {"launches", int64_t(summary.launches)},
                            {"weights", int64_t(summary.weights)},
                            {"weight_bytes", int64_t(summary.weightBytes)},
                            {"arena_bytes", int64_t(summary.arenaBytes)},
                            {"artifact_bytes", int64_t(summary.artifactBytes)}};
}

/// A build that ends with the IR of a stage in `output`; what was made of an
/// artifact by then goes to a file that never gets a name.
static std::optional<BuildResult>
buildUpTo(Session &session, const CompileCommand &command, StringRef output) {
  if (!mayReplace(session, command.model, command.build, output))
    return std::nullopt;
  format::ArtifactWriter writer;
  if (format::Error error = writer.openTemporary(nullptr)) {
    session.diagnostics.report(ErrorCode::FileUnwritable, error.message());
    return std::nullopt;
  }
  BuildOptions build = command.build;
  build.stopFile = output.str();
  return buildInto(session, command.model, build, writer);
}

/// Without a model of its own a command speaks of the first entry's.
static std::string nameOf(const ModelOptions &model) {
  return model.entries.empty() ? model.path : model.entries.front().path;
}

/// False without anything to compile, which has been reported.
static bool hasModel(Session &session, const ModelOptions &model) {
  if (!model.path.empty() || !model.entries.empty())
    return true;
  session.diagnostics.report(ErrorCode::BadCommandLine,
                             "a model is missing, or --entry NAME=MODEL");
  return false;
}

int heddle::runCompile(const CompileCommand &given) {
  CompileCommand command = given;
  Session session(command.common, nameOf(command.model));
  if (!hasModel(session, command.model))
    return session.fail();
  if (command.model.path.empty())
    command.model.path = nameOf(command.model);
  bool stops = !command.build.stopAfter.empty();
  std::string output = command.output;
  if (output.empty())
    output = (llvm::sys::path::stem(command.model.path) + "." +
              (stops ? command.build.stopAfter + ".mlir" : "heddle"))
                 .str();
  command.build.replacesFiles = command.force;
  if (!mayDump(session, command, output))
    return session.fail();
  std::optional<BuildResult> result =
      stops ? buildUpTo(session, command, output)
            : buildArtifact(session, command.model, command.build, output);
  if (!result)
    return session.fail();
  llvm::json::Object document = toJson(result->summary);
  document["phases"] = session.phases.toJson();
  document["seconds"] = session.phases.totalSeconds();
  document["peak_bytes"] = int64_t(session.phases.peakBytes());
  document["output"] = output;
  if (result->complete && !command.common.quiet) {
    session.text() << llvm::format(
        "%-20s %8.2f s  %12s\n", "total", session.phases.totalSeconds(),
        formatBytes(session.phases.peakBytes()).c_str());
    printSummary(session.text(), result->summary, output);
    if (result->certificate)
      session.text() << certificateSummary(*result->certificate);
  }
  if (result->certificate)
    document["certificate"] = std::move(*result->certificate);
  return session.finish(std::move(document));
}

int heddle::runCheck(const CheckCommand &command) {
  Session session(command.common, nameOf(command.model));
  if (!hasModel(session, command.model))
    return session.fail();
  // All that can be refused is refused by the same code that compiles; the
  // result goes to a file that never gets a name.
  format::ArtifactWriter writer;
  if (format::Error error = writer.openTemporary(nullptr))
    return session.fail(ErrorCode::FileUnwritable, error.message());
  BuildOptions build = command.build;
  std::optional<BuildResult> result =
      buildInto(session, command.model, build, writer);
  if (!result)
    return session.fail();
  session.text() << nameOf(command.model) << ": compiles, "
                 << result->summary.kernels << " kernels for "
                 << result->summary.variants.size() << " targets\n";
  for (const CompileSummary::Variant &variant : result->summary.variants)
    printHosted(session.text(), variant);
  llvm::json::Object document = toJson(result->summary);
  document["compiles"] = true;
  return session.finish(std::move(document));
}
