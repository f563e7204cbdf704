// What a compiled program computes at each call's sizes, against what its
// static program computes: what stands behind the graph stage is tried, too.

#include "heddle/Artifact/Compile.h"
#include "heddle/Driver/Program.h"
#include "heddle/Pipeline/Registration.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"
#include "runtime/format/ArtifactWriter.h"
#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/InferExtents.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace heddle::sized {

namespace {
/// A program compiled for the oldest processors of this kind, and loaded.
class CompiledProgram {
public:
  explicit CompiledProgram(SizedProgram &program)
      : program(program), module(program.module().clone()), errors(text),
        session(CommonOptions(), "program", errors) {}

  /// Fails with `message`; the runtime's are in it, too.
  LogicalResult load();
  /// Empty if equal.
  std::string compare(const Sizes &sizes);
  std::string message;
  /// Whether something is not supported.
  bool isRefused = false;

private:
  LogicalResult compile(format::ArtifactWriter &writer);

  SizedProgram &program;
  OwningOpRef<ModuleOp> module;
  std::string text;
  llvm::raw_string_ostream errors;
  Session session;
  format::ArtifactWriter writer;
  std::unique_ptr<Program> loaded;
};
} // namespace

LogicalResult CompiledProgram::compile(format::ArtifactWriter &writer) {
  ScopedDiagnosticHandler listen(
      module->getContext(), [&](Diagnostic &diagnostic) {
        if (message.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
      });
  SmallString<64> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  if (format::Error error = writer.openTemporary(folder.c_str())) {
    message = error.message();
    return failure();
  }
  CompileOptions options;
  options.targets = {findTarget("x86-64-v3")};
  if (failed(runStage(heddle::Stage::Graph, *module)) ||
      failed(compileInto(*module, options, writer)))
    return failure();
  return success();
}

LogicalResult CompiledProgram::load() {
  if (failed(compile(writer))) {
    // Messages begin with the code.
    StringRef code = StringRef(message).ltrim('[').take_until(
        [](char c) { return c == ']' || c == ' '; });
    // An extent may be negative at the least sizes, which only an importer
    // would have ruled out.
    if (std::optional<ErrorCode> known = parseErrorName(code))
      isRefused = errorInfo(*known).exit == ExitCode::Unsupported ||
                  StringRef(message).contains("which may be negative");
    return failure();
  }
  loaded = Program::load(session,
                         "/proc/self/fd/" + std::to_string(writer.descriptor()),
                         0, "", "", {});
  if (loaded && loaded->prepare(/*threads=*/1))
    return success();
  message = text;
  return failure();
}

std::string CompiledProgram::compare(const Sizes &sizes) {
  OwningOpRef<ModuleOp> fixed(program.module().clone());
  if (failed(fixSizes(*fixed, [&](StringRef name) {
        return program.evaluated(
            Expression::symbol(program.builder.getContext(), name), sizes);
      })))
    return "the static program fails";
  auto main = fixed->lookupSymbol<func::FuncOp>("main");
  SmallVector<HostTensor> inputs;
  for (BlockArgument argument : main.getArguments())
    inputs.push_back(
        trueInput(program, cast<RankedTensorType>(argument.getType())));
  InterpreterOptions options;
  options.threads = 1;
  auto wanted = interpret(main, inputs, options);
  if (failed(wanted))
    return "the static program cannot be interpreted";
  if (!loaded->setSizesOf(inputs))
    return "the sizes are not told: " + text;
  SmallVector<HostTensor> found = loaded->makeOutputs(inputs);
  if (!loaded->call(inputs, found))
    return "the call fails: " + text;
  loaded->cutOutputs(found);
  Operation *end = program.main().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (found[i].shape() != (*wanted)[i].shape())
      return "result " + std::to_string(i) + " has another shape";
    bool isExact = program.largest(value) != SizedProgram::kInexact;
    std::string difference = compareElements((*wanted)[i], found[i], isExact);
    if (difference.empty())
      continue;
    std::string said;
    llvm::raw_string_ostream(said)
        << "of result " << i << ", " << *value.getDefiningOp() << ",\n  "
        << difference;
    return said;
  }
  return "";
}

std::string checkCompiled(SizedProgram &program, ArrayRef<Sizes> choices,
                          std::string &refusal) {
  DialectRegistry registry;
  registerAllDialects(registry);
  program.builder.getContext()->appendDialectRegistry(registry);
  CompiledProgram compiled(program);
  if (failed(compiled.load())) {
    if (!compiled.isRefused)
      return "compiled: " + compiled.message;
    refusal = compiled.message;
    return "";
  }
  for (const Sizes &sizes : choices) {
    if (!program.holds(sizes))
      continue;
    std::string problem = compiled.compare(sizes);
    if (!problem.empty())
      return "compiled, with " + program.text(sizes) + ": " + problem;
  }
  return "";
}

} // namespace heddle::sized
