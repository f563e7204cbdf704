// Compiles a module into a temporary file and calls it once.

#include "CompiledRun.h"

#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/Program.h"
#include "heddle/Pipeline/Stages.h"
#include "runtime/format/ArtifactWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace heddle {

std::optional<SmallVector<HostTensor>>
compileAndRun(Session &session, ModuleOp module,
              const std::shared_ptr<const Target> &target,
              ArrayRef<heddle_custom_call> customCalls,
              ArrayRef<HostTensor> inputs) {
  if (failed(runStage(Stage::Graph, module)))
    return std::nullopt;
  SmallString<64> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  format::ArtifactWriter writer;
  if (format::Error error = writer.openTemporary(folder.c_str())) {
    session.diagnostics.report(ErrorCode::FileUnwritable, error.message());
    return std::nullopt;
  }
  CompileOptions options;
  options.targets = {target};
  CompileSummary summary;
  if (failed(compileInto(module, options, writer, &summary)))
    return std::nullopt;
  // The name of a variant may be a lower target's (Target::nameFor).
  auto program = Program::load(
      session, "/proc/self/fd/" + std::to_string(writer.descriptor()), 0,
      summary.variants.front().name, "", customCalls);
  if (!program || !program->prepare(/*threads=*/1))
    return std::nullopt;
  SmallVector<HostTensor> outputs = program->makeOutputs({});
  if (!program->call(inputs, outputs))
    return std::nullopt;
  program->cutOutputs(outputs);
  return outputs;
}

std::string firstError(StringRef printed, bool &refused) {
  size_t begin = printed.find("error[");
  refused = false;
  if (begin == StringRef::npos)
    return "the compiler failed without saying why";
  StringRef line = printed.drop_front(begin).split('\n').first;
  line.consume_front("error");
  auto [code, text] = line.split(": ");
  if (std::optional<ErrorCode> known = parseErrorName(code.trim("[]")))
    refused = errorInfo(*known).exit == ExitCode::Unsupported;
  return (code + " " + text).str();
}

void settle(ProgramOutcome &outcome, std::vector<std::string> refusals,
            StringRef nothing) {
  if (!outcome.messages.empty()) {
    outcome.kind = ProgramOutcome::Failed;
  } else if (!refusals.empty()) {
    outcome.kind = ProgramOutcome::Skipped;
    outcome.refused = true;
    outcome.messages = std::move(refusals);
  } else if (outcome.checks == 0) {
    outcome.kind = ProgramOutcome::Skipped;
    outcome.messages = {nothing.str()};
  }
}

void dropOtherFunctions(ModuleOp module, Operation *kept) {
  for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other != kept && other.isPublic() &&
        SymbolTable::symbolKnownUseEmpty(other, module))
      other.erase();
}

} // namespace heddle
