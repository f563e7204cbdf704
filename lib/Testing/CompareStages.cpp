// heddle compare --stages and --bisect: after which stage, and which pass, the
// program computes something else.
//
// As long as a program is on tensors the interpreter can run it. The first
// program whose numbers differ was made by the one to look at; if none differs,
// it is what comes after: kernels, machine code, the plan, the runtime.

#include "Comparison.h"

#include "heddle/Driver/Dump.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/Targets.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Pipeline/Stages.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace heddle;

/// The tensor as `type` has it, where that is another word for the same bytes:
/// from heddle-lower on complex numbers are pairs of real ones and integers
/// have no sign, from heddle-dispatch on what kernels do not hold is the bits
/// of a byte.
static HostTensor seenAs(const HostTensor &tensor, RankedTensorType type) {
  if (!type || tensor.type() == type ||
      HostTensor::byteSize(type) != HostTensor::byteSize(tensor.type()))
    return tensor;
  auto owner = std::make_shared<HostTensor>(tensor);
  return HostTensor::view(type, owner->bytes(), owner);
}

namespace {
/// Interprets programs one after the other, and remembers the first that
/// differs.
class Search {
public:
  Search(const Subject &subject, ArrayRef<HostTensor> reference)
      : subject(subject), reference(reference) {}

  /// False after an error, which has been reported.
  bool look(StringRef step, ModuleOp module) {
    Tensors inputs(subject.inputs);
    for (auto [input, type] :
         llvm::zip(inputs, entryFunction(module).getArgumentTypes()))
      input = seenAs(input, dyn_cast<RankedTensorType>(type));
    auto results = interpretModule(subject, module, inputs);
    if (!results)
      return false;
    for (auto [result, expected] : llvm::zip(*results, reference))
      result = seenAs(result, expected.type());
    auto list = compareAll(subject, subject.outputs, *results, reference);
    if (!list)
      return false;
    raw_ostream &os = subject.session.text();
    os << step << ", interpreted:\n";
    steps.push_back(llvm::json::Object{
        {"step", step.str()},
        {"outputs", printComparisons(os, *list, subject.outputs)}});
    if (first.empty() && firstWrong(*list))
      first = step.str();
    return true;
  }

  const Subject &subject;
  ArrayRef<HostTensor> reference;
  llvm::json::Array steps;
  /// The first step after which the numbers differ.
  std::string first;
};

/// Interprets the program after every pass that changed it, up to the first
/// that differs.
class AfterEachPass : public PassInstrumentation {
public:
  AfterEachPass(Search &search, bool &good) : search(search), good(good) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isPass(pass))
      before = OperationFingerPrint(moduleOf(op));
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isPass(pass) || !good || !search.first.empty())
      return;
    ModuleOp module = moduleOf(op);
    if (before && *before == OperationFingerPrint(module))
      return;
    good = search.look(("pass " + pass->getArgument()).str(), module);
  }

private:
  /// What applies passes to nested operations is a pass too, without a name.
  static bool isPass(Pass *pass) { return !pass->getArgument().empty(); }
  static ModuleOp moduleOf(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module ? module : op->getParentOfType<ModuleOp>();
  }

  Search &search;
  bool &good;
  std::optional<OperationFingerPrint> before;
};

} // namespace

/// The stages that end on tensors, after the import.
static std::vector<StageInfo> searchedStages() {
  std::vector<StageInfo> searched = stages();
  llvm::erase_if(searched, [](const StageInfo &info) {
    return info.stage == Stage::Import || !info.onTensors;
  });
  return searched;
}

/// The files that stand in for what stages make.
static std::optional<llvm::StringMap<std::string>>
stageFiles(const Subject &subject) {
  llvm::StringMap<std::string> files;
  for (const std::string &text : subject.command.stageFiles) {
    auto [name, file] = StringRef(text).split('=');
    if (file.empty() ||
        llvm::none_of(searchedStages(), [name = name](const StageInfo &stage) {
          return stage.name == name;
        })) {
      subject.session.diagnostics.report(
          ErrorCode::UnknownStage,
          "\"" + text +
              "\" names no stage that ends on tensors: write --stage-file "
              "heddle-graph=FILE, heddle-lower=FILE or heddle-dispatch=FILE");
      return std::nullopt;
    }
    files[name] = file.str();
  }
  return files;
}

/// Passes `stage`, and looks after each of its passes where that was asked for.
static bool passStage(Search &search, Stage stage, ModuleOp module) {
  MLIRContext *context = module.getContext();
  bool threaded = context->isMultithreadingEnabled();
  // The interpreter looks at the whole module between passes on functions.
  context->disableMultithreading();
  llvm::scope_exit restore([&] { context->enableMultithreading(threaded); });
  bool good = true;
  auto prepare = [&](PassManager &manager) {
    if (stage == Stage::Graph)
      addPrecision(manager, search.subject.command.build.precision);
    if (search.subject.command.bisect)
      manager.addInstrumentation(std::make_unique<AfterEachPass>(search, good));
  };
  return succeeded(runStage(stage, module, prepare)) && good;
}

bool heddle::compareStages(const Subject &subject,
                           ArrayRef<HostTensor> reference,
                           llvm::json::Object &document, bool &found) {
  auto files = stageFiles(subject);
  auto targets = resolveTargets(subject.command.build.targets,
                                subject.session.diagnostics);
  if (!files || !targets)
    return false;
  // The best one, as a loader would choose.
  StringRef target = targets->back()->name();
  Search search(subject, reference);
  OwningOpRef<ModuleOp> module = ModuleOp(subject.module).clone();
  auto look = [&](StringRef stage) {
    return search.look(("stage " + stage).str(), *module);
  };
  bool good = look("import");
  for (const StageInfo &stage : searchedStages()) {
    if (!good || !search.first.empty())
      break;
    auto file = files->find(stage.name);
    if (file == files->end()) {
      if (stage.perTarget)
        (*module)->setAttr(targetAttrName,
                           StringAttr::get(module->getContext(), target));
      good = passStage(search, stage.stage, *module);
    } else {
      module = readDump(subject.session, file->second);
      good = bool(module);
    }
    good = good && (!search.first.empty() || look(stage.name));
  }
  if (!good)
    return false;
  found = !search.first.empty();
  raw_ostream &os = subject.session.text();
  if (found)
    os << "the first that differs: " << search.first << "\n";
  else
    os << "the program computes the same up to heddle-dispatch, the last stage "
          "on tensors\n";
  document["stages"] = std::move(search.steps);
  document["first_differing"] =
      found ? llvm::json::Value(search.first) : llvm::json::Value(nullptr);
  return true;
}
