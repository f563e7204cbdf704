// heddle run: one call, outputs and states into files or summed up.

#include "LaunchedCommand.h"
#include "ProgramOpening.h"

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

/// Writes every output and state; false after an error.
static bool writeTensors(Session &session, ArrayRef<TensorSignature> signatures,
                         ArrayRef<HostTensor> tensors, StringRef folder,
                         std::vector<std::string> &files) {
  if (std::error_code problem = llvm::sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all)) {
    session.diagnostics.report(ErrorCode::FileUnwritable,
                               folder + ": " + problem.message());
    return false;
  }
  for (auto [signature, tensor] : llvm::zip(signatures, tensors)) {
    SmallString<128> path(folder);
    std::string name = fileName(signature.name);
    // Two names may differ in replaced characters only.
    for (unsigned n = 1; llvm::is_contained(files, name); ++n)
      name = fileName(signature.name + "_" + std::to_string(n));
    llvm::sys::path::append(path, name);
    if (llvm::Error error = writeNpy(path, tensor)) {
      session.diagnostics.report(ErrorCode::FileUnwritable,
                                 path + ": " +
                                     llvm::toString(std::move(error)));
      return false;
    }
    files.push_back(name);
  }
  return true;
}

/// Says of a tensor what is in it, and in which file, if it is in one.
static llvm::json::Object describe(raw_ostream &os,
                                   const TensorSignature &signature,
                                   const HostTensor &tensor, StringRef file) {
  Summary summary = summarize(tensor);
  llvm::json::Object object{{"name", llvm::json::fixUTF8(signature.name)},
                            {"type", typeText(tensor.type())},
                            {"nans", summary.nans}};
  os << (signature.isState ? "state " : "") << signature.name << ": "
     << typeText(tensor.type());
  if (summary.least <= summary.greatest) {
    os << llvm::format(", from %g to %g, mean %g", summary.least,
                       summary.greatest,
                       summary.sum / double(tensor.size() - summary.nans));
    // JSON has no infinities.
    if (std::isfinite(summary.least) && std::isfinite(summary.greatest)) {
      object["least"] = summary.least;
      object["greatest"] = summary.greatest;
    }
  }
  os << ", " << summary.nans << " NaN\n";
  if (!file.empty()) {
    os << "  in " << file << "\n";
    object["file"] = file.str();
  }
  return object;
}

static int run(const RunCommand &command, heddle_group *group) {
  Session session(command.common, command.model.path);
  ProgramOpening opening(session, command, group);
  if (!opening.open())
    return session.fail();
  std::unique_ptr<Program> program = opening.load(HEDDLE_VERIFY_WEIGHTS);
  if (!program || !opening.prepare(*program))
    return session.fail();
  SmallVector<HostTensor> tensors = program->makeOutputs(opening.inputs);
  if (!program->call(opening.inputs, tensors))
    return session.fail();
  program->cutOutputs(tensors);
  std::optional<SmallVector<HostTensor>> states = program->readStates();
  if (!states)
    return session.fail();
  llvm::append_range(tensors, *states);
  SmallVector<TensorSignature> signatures(program->outputs());
  llvm::append_range(signatures, program->states());

  if (!command.devices.empty())
    session.text() << "target: " << program->report().variant << "\n";
  if (program->isPartitioned())
    session.text() << "devices: " << program->rankCount() << "\n";
  for (const std::string &line : opening.madeUp)
    session.text() << "made up: " << line << "\n";
  std::vector<std::string> files;
  if (!command.output.empty() &&
      !writeTensors(session, signatures, tensors, command.output, files))
    return session.fail();

  llvm::json::Array outputList, stateList;
  for (auto [index, signature] : llvm::enumerate(signatures)) {
    SmallString<128> path;
    if (index < files.size())
      llvm::sys::path::append(path, command.output, files[index]);
    (signature.isState ? stateList : outputList)
        .push_back(describe(session.text(), signature, tensors[index], path));
  }
  return session.finish(
      llvm::json::Object{{"variant", std::string(program->report().variant)},
                         {"threads", int64_t(program->threads())},
                         {"devices", int64_t(program->rankCount())},
                         {"made_up", llvm::json::Array(opening.madeUp)},
                         {"outputs", std::move(outputList)},
                         {"states", std::move(stateList)}});
}

int heddle::runRun(const RunCommand &command) {
  return runLaunched(command,
                     [&](heddle_group *group) { return run(command, group); });
}
