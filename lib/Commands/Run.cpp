// heddle run: one call, outputs into files or summed up.

#include "heddle/Driver/CustomCalls.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Prepare.h"
#include "heddle/Support/TensorFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;

namespace {
struct Summary {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  int64_t nans = 0;
};
} // namespace

/// Complex numbers count by their absolute value.
static Summary summarize(const HostTensor &tensor) {
  Summary summary;
  bool complex = elementClass(tensor.kind()) == ElementClass::Complex;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = complex ? std::abs(tensor.complexAt(i)) : tensor.floatAt(i);
    if (std::isnan(value)) {
      ++summary.nans;
      continue;
    }
    summary.least = std::min(summary.least, value);
    summary.greatest = std::max(summary.greatest, value);
    summary.sum += value;
  }
  return summary;
}

static std::string fileName(StringRef outputName) {
  std::string name = outputName.str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '.' && c != '_' && c != '-')
      c = '_';
  // A name of dots alone would leave the folder.
  if (name.find_first_not_of('.') == std::string::npos)
    name.insert(0, "_");
  return name + ".npy";
}

/// Writes every output; false after an error.
static bool writeOutputs(Session &session, ArrayRef<TensorSignature> outputs,
                         ArrayRef<HostTensor> tensors, StringRef folder,
                         std::vector<std::string> &files) {
  if (std::error_code problem = llvm::sys::fs::create_directories(folder)) {
    session.diagnostics.report(ErrorCode::FileUnwritable,
                               folder + ": " + problem.message());
    return false;
  }
  for (auto [signature, tensor] : llvm::zip(outputs, tensors)) {
    SmallString<128> path(folder);
    std::string name = fileName(signature.name);
    // Two names may differ in replaced characters only.
    for (unsigned n = 1; llvm::is_contained(files, name); ++n)
      name = fileName(signature.name + "_" + std::to_string(n));
    llvm::sys::path::append(path, name);
    if (llvm::Error error = writeNpy(path, tensor)) {
      session.diagnostics.report(ErrorCode::FileUnwritable,
                                 llvm::toString(std::move(error)));
      return false;
    }
    files.push_back(name);
  }
  return true;
}

int heddle::runRun(const RunCommand &command) {
  Session session(command.common, command.model.path);
  CustomCallLibraries customCalls;
  if (!customCalls.open(session, command.model.customCalls))
    return session.fail();
  std::optional<PreparedArtifact> artifact =
      prepareArtifact(session, command.model, command.build);
  if (!artifact)
    return session.fail();
  std::unique_ptr<Program> program =
      Program::load(session, artifact->path, HEDDLE_VERIFY_WEIGHTS,
                    command.variant, command.entry, customCalls.functions());
  if (!program)
    return session.fail();
  if (!program->setSizes(command.model))
    return session.fail();
  std::vector<std::string> madeUp;
  auto inputs = gatherFeeds(session, program->inputs(), command.feed, madeUp);
  if (!inputs || !program->prepare(command.threads))
    return session.fail();
  SmallVector<HostTensor> outputs = program->makeOutputs(*inputs);
  if (!program->call(*inputs, outputs))
    return session.fail();

  for (const std::string &line : madeUp)
    session.text() << "made up: " << line << "\n";
  std::vector<std::string> files;
  if (!command.output.empty() && !writeOutputs(session, program->outputs(),
                                               outputs, command.output, files))
    return session.fail();

  llvm::json::Array list;
  for (auto [index, signature] : llvm::enumerate(program->outputs())) {
    Summary summary = summarize(outputs[index]);
    llvm::json::Object object{{"name", llvm::json::fixUTF8(signature.name)},
                              {"type", typeText(outputs[index].type())},
                              {"nans", summary.nans}};
    session.text() << signature.name << ": " << typeText(outputs[index].type());
    if (summary.least <= summary.greatest) {
      session.text() << llvm::format(
          ", from %g to %g, mean %g", summary.least, summary.greatest,
          summary.sum / double(outputs[index].size() - summary.nans));
      // JSON has no infinities.
      if (std::isfinite(summary.least) && std::isfinite(summary.greatest)) {
        object["least"] = summary.least;
        object["greatest"] = summary.greatest;
      }
    }
    session.text() << ", " << summary.nans << " NaN\n";
    if (index < files.size()) {
      SmallString<128> path(command.output);
      llvm::sys::path::append(path, files[index]);
      session.text() << "  in " << path << "\n";
      object["file"] = path.str().str();
    }
    list.push_back(std::move(object));
  }
  return session.finish(
      llvm::json::Object{{"variant", std::string(program->report().variant)},
                         {"threads", int64_t(program->threads())},
                         {"made_up", llvm::json::Array(madeUp)},
                         {"outputs", std::move(list)}});
}
