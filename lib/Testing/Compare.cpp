// heddle compare: a model's numbers against a reference.

#include "ComparedCall.h"

#include "heddle/Driver/BoundedModel.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/Prepare.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Testing/PeerFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace heddle;

InterpreterOptions heddle::interpreterOptions(const Subject &subject) {
  InterpreterOptions options;
  if (subject.command.threads)
    options.threads = subject.command.threads;
  options.onCustomCall = [&](Operation *op, ArrayRef<InterpreterValue> operands,
                             SmallVectorImpl<InterpreterValue> &results) {
    return subject.customCalls.interpret(op, operands, results);
  };
  return options;
}

std::optional<Tensors> heddle::interpretModule(const Subject &subject,
                                               ModuleOp module,
                                               ArrayRef<HostTensor> inputs) {
  FailureOr<Tensors> results =
      interpret(entryFunction(module), inputs, interpreterOptions(subject));
  if (failed(results))
    return std::nullopt;
  return std::move(*results);
}

std::optional<Tensors> heddle::runCompiled(const Subject &subject,
                                           ModuleOp module,
                                           ArrayRef<HostTensor> inputs) {
  auto artifact = prepareModule(subject.session, module, subject.command.build);
  if (!artifact)
    return std::nullopt;
  std::unique_ptr<Program> program =
      Program::load(subject.session, artifact->path, 0, "", "",
                    subject.customCalls.functions());
  if (!program || !program->prepare(subject.command.threads))
    return std::nullopt;
  Tensors results = program->makeOutputs(inputs);
  if (!program->call(inputs, results))
    return std::nullopt;
  program->cutOutputs(results);
  return results;
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
    if (tensor && output.takes(cast<RankedTensorType>(
                      tensor.type().clone(output.type.getElementType()))))
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
  auto folder = PeerFolder::make(session, "onnxruntime", command.model.path,
                                 inputs, feeds);
  if (!folder)
    return std::nullopt;
  // What Python prints is no line of ours.
  std::string data = folder->feeds(), results = folder->file("results.npz"),
              printed = folder->printed();
  StringRef arguments[] = {folder->python(),   "-c", onnxruntimeProgram,
                           command.model.path, data, results};
  if (llvm::sys::ExecuteAndWait(
          folder->python(), arguments,
          /*Env=*/std::nullopt,
          {StringRef(), StringRef(printed), StringRef(printed)}) != 0) {
    folder->reportFailure();
    return std::nullopt;
  }
  auto tensors = readTensors(session, results);
  if (!tensors)
    return std::nullopt;
  return inOrder(session, outputs, std::move(*tensors), "onnxruntime");
}

std::optional<std::vector<Comparison>>
heddle::compareAll(const Subject &subject, ArrayRef<TensorSignature> outputs,
                   ArrayRef<HostTensor> actual, ArrayRef<HostTensor> expected) {
  std::vector<Comparison> list;
  for (auto [signature, ours, theirs] : llvm::zip(outputs, actual, expected)) {
    llvm::Expected<TensorDistance> distance = compareTensors(ours, theirs);
    if (!distance) {
      subject.session.diagnostics.report(ErrorCode::WrongTensor,
                                         llvm::toString(distance.takeError()),
                                         signature.name);
      return std::nullopt;
    }
    bool within = distance->nonFiniteMismatches == 0 &&
                  (distance->relativeL2 <= subject.command.relativeTolerance ||
                   distance->maxAbsolute <= subject.command.absoluteTolerance);
    list.push_back({signature.name, *distance, within});
  }
  return list;
}

const Comparison *heddle::firstWrong(ArrayRef<Comparison> list) {
  auto wrong = llvm::find_if(
      list, [](const Comparison &entry) { return !entry.within; });
  return wrong == list.end() ? nullptr : wrong;
}

std::string heddle::distanceText(const TensorDistance &distance,
                                 ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("relative L2 %.2e, largest difference %.2e",
                     distance.relativeL2, distance.maxAbsolute);
  if (distance.worstIndex >= 0)
    os << " at " << indexText(shape, distance.worstIndex);
  if (distance.nonFiniteMismatches)
    os << ", " << distance.nonFiniteMismatches
       << " NaN or infinite in one only";
  return text;
}

/// The worst first.
static std::vector<const Comparison *> sorted(ArrayRef<Comparison> list) {
  std::vector<const Comparison *> order;
  for (const Comparison &entry : list)
    order.push_back(&entry);
  llvm::sort(order, [](const Comparison *a, const Comparison *b) {
    return std::make_tuple(-a->distance.nonFiniteMismatches,
                           -a->distance.relativeL2, StringRef(a->name), a) <
           std::make_tuple(-b->distance.nonFiniteMismatches,
                           -b->distance.relativeL2, StringRef(b->name), b);
  });
  return order;
}

llvm::json::Array heddle::printComparisons(raw_ostream &os,
                                           ArrayRef<Comparison> list,
                                           ArrayRef<TensorSignature> outputs) {
  llvm::json::Array array;
  for (const Comparison *entry : sorted(list)) {
    const TensorDistance &distance = entry->distance;
    os << llvm::left_justify(entry->within ? "  ok" : "  WRONG", 9)
       << distanceText(distance, outputs[entry - list.data()].type.getShape())
       << "  " << entry->name << "\n";
    array.push_back(llvm::json::Object{
        {"name", llvm::json::fixUTF8(entry->name)},
        {"within", entry->within},
        {"relative_l2", distance.relativeL2},
        {"max_absolute", distance.maxAbsolute},
        {"max_ulp", int64_t(std::min<uint64_t>(distance.maxUlp, INT64_MAX))},
        {"non_finite_mismatches", distance.nonFiniteMismatches}});
  }
  return array;
}

/// What of the command looks for the place of a difference.
static bool locate(const Subject &subject, ArrayRef<HostTensor> expected,
                   llvm::json::Object &document, bool &found) {
  const CompareCommand &command = subject.command;
  subject.session.phases.hide();
  if ((command.stages || command.bisect || !command.stageFiles.empty()) &&
      !compareStages(subject, expected, document, found))
    return false;
  if (command.layers && !compareLayers(subject, document))
    return false;
  return !command.reduce || reduceModel(subject, document);
}

std::optional<Tensors> heddle::referenceOf(const Subject &subject) {
  Session &session = subject.session;
  const CompareCommand &command = subject.command;
  if (command.against == "reference")
    return interpretModule(subject, subject.module, subject.inputs);
  if (command.against == "onnxruntime")
    return runOnnxruntime(session, command,
                          inputSignatures(entryFunction(subject.module)),
                          subject.inputs, subject.outputs);
  auto named = readTensors(session, command.against, TensorRole::Output);
  return named ? inOrder(session, subject.outputs, std::move(*named),
                         command.against)
               : std::nullopt;
}

int heddle::runCompare(const CompareCommand &given) {
  CompareCommand command = given;
  if (command.reduced.empty())
    command.reduced =
        (llvm::sys::path::stem(command.model.path) + ".reduced.mlir").str();
  Session session(command.common, command.model.path);
  auto refuse = [&](const Twine &why) {
    return session.fail(ErrorCode::BadCommandLine, why);
  };
  if (!command.artifact.empty() && (command.layers || command.reduce))
    return refuse("--layers and --reduce compile parts of the model: they take "
                  "no artifact");
  CustomCallLibraries customCalls;
  if (!customCalls.open(session, command.model.customCalls))
    return session.fail();
  // Types of the artifact's tensors and of the model's are compared: they are
  // of one context, whichever is read first.
  session.context();
  bool searches =
      command.layers || command.reduce || command.stages || command.bisect;
  if (!command.model.mesh.empty() && (searches || !command.stageFiles.empty()))
    return refuse("--layers, --reduce, --stages and --bisect look at the "
                  "program of one device: they take no --mesh");
  // To the reference states are inputs and outputs, and there is one device.
  ModelOptions program = command.model;
  command.model.states.clear();
  command.model.mesh.clear();
  command.model.shards.clear();
  bool isMade = !command.artifact.empty(),
       bounded = !isMade && hasBoundedSizes(command.model);
  OwningOpRef<ModuleOp> module;
  if (!isMade && !bounded) {
    module = importModel(session, command.model);
    if (!module)
      return session.fail();
    // Types of arguments may bound sizes, too.
    command.model = withRangesOf(command.model, *module);
    program.shapes = command.model.shapes;
    bounded = hasBoundedSizes(command.model);
  }
  ModelOptions states = program;
  if (isMade) {
    // What the model was compiled with is in the artifact.
    program.path = command.artifact;
    program.states.clear();
    program.shapes.clear();
    program.binds.clear();
  }
  std::optional<PreparedArtifact> artifact =
      prepareArtifact(session, program, command.build);
  if (!artifact)
    return session.fail();
  std::unique_ptr<Program> compiled =
      Program::load(session, artifact->path, HEDDLE_VERIFY_WEIGHTS, "", "",
                    customCalls.functions());
  if (!compiled)
    return session.fail();
  bounded |= isMade && !compiled->sizes().empty();
  if (bounded && searches)
    return refuse("--layers, --reduce, --stages and --bisect take sizes that "
                  "are fixed");
  bool tries = bounded && triesSizes(command, *compiled);
  if ((isMade || bounded) && !compiled->setSizes(command.model))
    return session.fail();
  // Also the sizes that no input tells are the largest.
  SmallVector<int64_t> largest = llvm::map_to_vector(
      compiled->sizes(), [](const auto &size) { return size.second; });
  if (tries && !compiled->setSizes(largest))
    return session.fail();
  ProgramCall call;
  if (!compiled->prepare(command.threads) ||
      !call.run(session, command, *compiled))
    return session.fail();

  // The reference is the program for these sizes alone.
  if (bounded)
    module = nullptr;
  ReferenceCall reference(session, command, states, customCalls);
  if (!reference.run(*compiled, call, std::move(module)))
    return session.fail();

  for (const std::string &line : call.madeUp)
    session.text() << "made up: " << line << "\n";
  session.text() << "compiled for " << compiled->report().variant;
  if (compiled->rankCount() > 1)
    session.text() << " on " << compiled->rankCount() << " devices";
  session.text() << ", against " << command.against << ":\n";
  bool flushes = compiled->report().flushes_subnormals;
  if (flushes)
    session.text() << "the program flushes subnormal numbers to zero, "
                   << command.against << " does not\n";
  llvm::json::Object document{
      {"against", command.against},
      {"made_up", llvm::json::Array(call.madeUp)},
      {"devices", int64_t(compiled->rankCount())},
      {"flushes_subnormals", flushes},
      {"outputs", printComparisons(session.text(), reference.comparisons(),
                                   reference.outputs())}};
  bool found = false;
  if (!locate(reference.subject(), reference.expected(), document, found))
    return session.fail();
  // What was found stands before what follows from it.
  session.text().flush();
  const Comparison *wrong = firstWrong(reference.comparisons());
  if (wrong)
    session.diagnostics.report(ErrorCode::ComparisonFailed,
                               "the output differs from " + command.against,
                               wrong->name);
  else if (found)
    session.diagnostics.report(ErrorCode::ComparisonFailed,
                               "a stage differs from " + command.against);
  bool differs = wrong || found;
  if (tries && !compareOtherSizes(session, command, states, customCalls,
                                  *compiled, document, differs))
    return session.fail();
  return session.finish(std::move(document),
                        differs ? ExitCode::CheckFailed : ExitCode::Ok);
}
