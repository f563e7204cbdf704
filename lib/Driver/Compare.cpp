// heddle compare: a model's numbers against a reference.

#include "heddle/Driver/Build.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/Prepare.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/CompareTensors.h"
#include "heddle/Support/TensorFile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace heddle;

using Tensors = SmallVector<HostTensor>;

/// Evaluates the model where the program's numbers should come from.
static std::optional<Tensors> interpretModel(Session &session, ModuleOp module,
                                             const CompareCommand &command,
                                             ArrayRef<HostTensor> inputs) {
  InterpreterOptions options;
  if (command.threads)
    options.threads = command.threads;
  FailureOr<Tensors> results =
      interpret(entryFunction(module), inputs, options);
  if (failed(results))
    return std::nullopt;
  return std::move(*results);
}

/// Puts named tensors into the order of the outputs.
static std::optional<Tensors>
inOrder(Session &session, ArrayRef<TensorSignature> outputs,
        std::vector<std::pair<std::string, HostTensor>> named,
        StringRef where) {
  Tensors tensors(outputs.size());
  for (auto &[name, tensor] : named)
    if (std::optional<size_t> index = findTensor(outputs, name))
      tensors[*index] = std::move(tensor);
  for (auto [output, tensor] : llvm::zip(outputs, tensors)) {
    if (tensor && tensor.type().getShape() == output.type.getShape())
      continue;
    session.diagnostics.report(
        ErrorCode::WrongTensor,
        tensor ? "in " + where + " the output has the shape " +
                     typeText(tensor.type()) + ", here " + typeText(output.type)
               : where + " has no such output",
        output.name);
    return std::nullopt;
  }
  return tensors;
}

namespace {
/// A folder that goes away with its files.
struct TemporaryFolder {
  TemporaryFolder() {
    failed = bool(llvm::sys::fs::createUniqueDirectory("heddle", path));
  }
  ~TemporaryFolder() {
    if (!failed)
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(StringRef name) const {
    SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  SmallString<128> path;
  bool failed;
};
} // namespace

/// Runs with optimizations off, so that the numbers are the operators' own.
static constexpr StringLiteral onnxruntimeProgram = R"(
import sys
import numpy as np
import onnxruntime
model, feeds, results = sys.argv[1:]
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
values = session.run(None, dict(np.load(feeds)))
np.savez(results, **{output.name: value for output, value in zip(session.get_outputs(), values)})
)";

static std::optional<Tensors>
runOnnxruntime(Session &session, const CompareCommand &command,
               ArrayRef<TensorSignature> inputs, ArrayRef<HostTensor> feeds,
               ArrayRef<TensorSignature> outputs) {
  auto refuse = [&](const Twine &why) {
    session.diagnostics.report(ErrorCode::MissingPeer, why);
    return std::nullopt;
  };
  if (fileKindOf(command.model.path) != FileKind::Onnx)
    return refuse("onnxruntime runs ONNX models only");
  const char *chosen = std::getenv("HEDDLE_PYTHON");
  auto python = llvm::sys::findProgramByName(chosen ? chosen : "python3");
  if (!python)
    return refuse("there is no python3");
  TemporaryFolder folder;
  if (folder.failed)
    return refuse("no temporary folder can be made");

  std::vector<NamedTensor> named;
  for (auto [input, tensor] : llvm::zip(inputs, feeds))
    named.push_back({input.name, tensor});
  auto bytes = encodeNpz(named);
  if (!bytes)
    return refuse(llvm::toString(bytes.takeError()));
  if (llvm::Error error = writeBytes(folder.file("feeds.npz"), *bytes))
    return refuse(llvm::toString(std::move(error)));
  std::string feedsPath = folder.file("feeds.npz"),
              resultsPath = folder.file("results.npz");
  StringRef arguments[] = {
      *python,   "-c",       onnxruntimeProgram, command.model.path,
      feedsPath, resultsPath};
  if (llvm::sys::ExecuteAndWait(*python, arguments) != 0)
    return refuse("onnxruntime failed; its message is above");
  auto results = readTensors(session, resultsPath);
  if (!results)
    return std::nullopt;
  return inOrder(session, outputs, std::move(*results), "onnxruntime");
}

namespace {
struct Comparison {
  std::string name;
  TensorDistance distance;
  bool within = false;
};
} // namespace

/// The worst first.
static std::optional<std::vector<Comparison>>
compareAll(Session &session, const CompareCommand &command,
           ArrayRef<TensorSignature> outputs, ArrayRef<HostTensor> actual,
           ArrayRef<HostTensor> expected) {
  std::vector<Comparison> list;
  for (auto [signature, ours, theirs] : llvm::zip(outputs, actual, expected)) {
    llvm::Expected<TensorDistance> distance = compareTensors(ours, theirs);
    if (!distance) {
      session.diagnostics.report(ErrorCode::WrongTensor,
                                 llvm::toString(distance.takeError()),
                                 signature.name);
      return std::nullopt;
    }
    bool within = distance->nonFiniteMismatches == 0 &&
                  (distance->relativeL2 <= command.relativeTolerance ||
                   distance->maxAbsolute <= command.absoluteTolerance);
    list.push_back({signature.name, *distance, within});
  }
  llvm::sort(list, [](const Comparison &a, const Comparison &b) {
    return std::make_tuple(-a.distance.nonFiniteMismatches,
                           -a.distance.relativeL2, a.name) <
           std::make_tuple(-b.distance.nonFiniteMismatches,
                           -b.distance.relativeL2, b.name);
  });
  return list;
}

static llvm::json::Array print(raw_ostream &os, ArrayRef<Comparison> list,
                               ArrayRef<TensorSignature> outputs) {
  llvm::json::Array array;
  for (const Comparison &entry : list) {
    const TensorDistance &distance = entry.distance;
    os << llvm::format("  %-6s relative L2 %.2e, largest difference %.2e",
                       entry.within ? "ok" : "WRONG", distance.relativeL2,
                       distance.maxAbsolute);
    ArrayRef<int64_t> shape =
        outputs[*findTensor(outputs, entry.name)].type.getShape();
    if (distance.worstIndex >= 0)
      os << " at " << indexText(shape, distance.worstIndex);
    if (distance.nonFiniteMismatches)
      os << ", " << distance.nonFiniteMismatches
         << " NaN or infinite in one only";
    os << "  " << entry.name << "\n";
    array.push_back(llvm::json::Object{
        {"name", llvm::json::fixUTF8(entry.name)},
        {"within", entry.within},
        {"relative_l2", distance.relativeL2},
        {"max_absolute", distance.maxAbsolute},
        {"max_ulp", int64_t(std::min<uint64_t>(distance.maxUlp, INT64_MAX))},
        {"non_finite_mismatches", distance.nonFiniteMismatches}});
  }
  return array;
}

/// The first stage whose interpretation differs from the imported model's is
/// the one to look at. Stages that still are tensors can be interpreted.
static bool compareStages(Session &session, const CompareCommand &command,
                          ModuleOp module, ArrayRef<HostTensor> inputs,
                          ArrayRef<TensorSignature> outputs,
                          ArrayRef<HostTensor> reference,
                          llvm::json::Array &document) {
  auto stage = [&](StringRef name, ModuleOp stageModule) {
    auto results = interpretModel(session, stageModule, command, inputs);
    if (!results)
      return false;
    auto list = compareAll(session, command, outputs, *results, reference);
    if (!list)
      return false;
    session.text() << "stage " << name << ", interpreted:\n";
    document.push_back(llvm::json::Object{
        {"stage", name}, {"outputs", print(session.text(), *list, outputs)}});
    return true;
  };
  if (!stage("import", module))
    return false;
  PassManager manager(module.getContext());
  buildGraphPipeline(manager, GraphPipelineOptions());
  return succeeded(manager.run(module)) && stage("heddle-graph", module);
}

int heddle::runCompare(const CompareCommand &command) {
  Session session(command.common, command.model.path);
  OwningOpRef<ModuleOp> module = importModel(session, command.model);
  if (!module)
    return session.fail();
  ModelOptions program = command.model;
  if (!command.artifact.empty())
    program.path = command.artifact;
  std::optional<PreparedArtifact> artifact =
      prepareArtifact(session, program, command.build);
  if (!artifact)
    return session.fail();
  std::unique_ptr<Program> compiled =
      Program::load(session, artifact->path, HEDDLE_VERIFY_WEIGHTS, "", "");
  if (!compiled)
    return session.fail();
  std::vector<std::string> madeUp;
  auto inputs = gatherFeeds(session, compiled->inputs(), command.feed, madeUp);
  if (!inputs || !compiled->prepare(command.threads))
    return session.fail();
  Tensors actual = compiled->makeOutputs();
  session.phases.begin("run");
  if (!compiled->call(*inputs, actual))
    return session.fail();

  session.phases.begin("reference");
  std::optional<Tensors> expected;
  ArrayRef<TensorSignature> outputs = compiled->outputs();
  if (command.against == "reference") {
    expected = interpretModel(session, *module, command, *inputs);
  } else if (command.against == "onnxruntime") {
    expected =
        runOnnxruntime(session, command, compiled->inputs(), *inputs, outputs);
  } else if (auto named = readTensors(session, command.against)) {
    expected = inOrder(session, outputs, std::move(*named), command.against);
  }
  session.phases.end();
  if (!expected)
    return session.fail();
  auto list = compareAll(session, command, outputs, actual, *expected);
  if (!list)
    return session.fail();

  for (const std::string &line : madeUp)
    session.text() << "made up: " << line << "\n";
  session.text() << "compiled for " << compiled->report().variant
                 << ", against " << command.against << ":\n";
  llvm::json::Object document{
      {"against", command.against},
      {"made_up", llvm::json::Array(madeUp)},
      {"outputs", print(session.text(), *list, outputs)}};
  llvm::json::Array stages;
  if (command.stages && !compareStages(session, command, *module, *inputs,
                                       outputs, *expected, stages))
    return session.fail();
  document["stages"] = std::move(stages);
  auto wrong = llvm::find_if(
      *list, [](const Comparison &entry) { return !entry.within; });
  if (wrong == list->end())
    return session.finish(std::move(document));
  session.diagnostics.report(ErrorCode::ComparisonFailed,
                             "the output differs from " + command.against,
                             wrong->name);
  return session.finish(std::move(document), ExitCode::CheckFailed);
}
