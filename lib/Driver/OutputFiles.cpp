// Which files a build may write to: one slip must not cost a model or any other
// file that heddle cannot make again.

#include "heddle/Driver/OutputFiles.h"

#include "heddle/Driver/FileKind.h"
#include "heddle/Frontend/ArgumentBinding.h"
#include "heddle/Support/Weights.h"

#include "llvm/Support/FileSystem.h"

using namespace heddle;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// The files that a build reads: the models', and those that options name.
/// Shardings in words are no files.
static std::vector<std::string> filesRead(const ModelOptions &model,
                                          const BuildOptions &build) {
  std::vector<std::string> files;
  // A model in memory has no more than a name.
  if (model.entries.empty() && !model.memory)
    files.push_back(model.path);
  for (const EntryModel &entry : model.entries)
    if (!entry.memory)
      files.push_back(entry.path);
  files.push_back(build.budget.calibration);
  files.push_back(build.budget.policy);
  for (StringRef bind : model.binds)
    if (std::optional<ArgumentBinding> binding = parseBinding(bind))
      files.push_back(binding->file);
  files.insert(files.end(), model.shards.begin(), model.shards.end());
  return files;
}

/// False, which is reported, if `output` is the file `input`.
static bool sparesInput(Session &session, StringRef input, StringRef output,
                        const llvm::Twine &what) {
  bool equal = false;
  if (input.empty() || fs::equivalent(output, input, equal) || !equal)
    return true;
  session.diagnostics.report(ErrorCode::BadCommandLine,
                             "the output would replace " + what +
                                 ": name another file");
  return false;
}

bool heddle::sparesInputs(Session &session, const ModelOptions &model,
                          const BuildOptions &build, StringRef output) {
  for (const std::string &input : filesRead(model, build))
    if (!sparesInput(session, input, output,
                     input == model.path ? "the model"
                                         : input + ", which is read"))
      return false;
  return true;
}

bool heddle::sparesWeights(Session &session, mlir::ModuleOp module,
                           const BuildOptions &build) {
  std::vector<StringRef> outputs = {build.output, build.stopFile};
  for (StringRef dump : build.dumpAfter)
    outputs.push_back(dump.split('=').second);
  for (const std::string &input : weightFiles(module))
    for (StringRef output : outputs)
      if (!sparesInput(session, input, output,
                       input + ", which holds weights of the model"))
        return false;
  return true;
}

bool heddle::mayReplace(Session &session, const ModelOptions &model,
                        const BuildOptions &build, StringRef output) {
  if (!sparesInputs(session, model, build, output))
    return false;
  // What is no file is refused by whoever opens it.
  if (!fs::is_regular_file(output) || build.replacesFiles)
    return true;
  bool isArtifact = fileKindOf(output) == FileKind::Artifact;
  if (isArtifact && build.stopAfter.empty())
    return true;
  session.diagnostics.report(ErrorCode::FileExists,
                             output + " exists" +
                                 (isArtifact ? ", and this makes no artifact"
                                             : " and is no artifact"));
  return false;
}
