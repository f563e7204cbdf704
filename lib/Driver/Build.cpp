// From a model to an artifact, phase by phase, with dumps and stops between
// them.

#include "heddle/Driver/Build.h"

#include "CancelledPasses.h"
#include "Precision/WithinBudget.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Dump.h"
#include "heddle/Driver/InputRanges.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/OutputFiles.h"
#include "heddle/Driver/Reports.h"
#include "heddle/Driver/Targets.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/SignatureAttributes.h"
#include "heddle/Support/Suggestion.h"
#include "heddle/Target/Target.h"
#include "passes/Plan/ResolvedPlacement.h"
#include "runtime/format/ArtifactWriter.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Follows a module through the stages: dumps it where that was asked for, and
/// says where to stop. Where a stage has several modules, of which each is for
/// some of the targets, the second goes to NAME.1.mlir beside NAME.mlir.
class StageObserver {
public:
  StageObserver(Session &session, const BuildOptions &build,
                StringRef modelPath)
      : session(session), build(build), stem(llvm::sys::path::stem(modelPath)) {
  }

  /// False after an error about the options, which has been reported.
  bool check() { return checkNames() && checkDumps(); }

  /// After a stage, of which there are `modules` modules: failure ends the
  /// build, for an error or because it is to stop here.
  LogicalResult after(StringRef stage, ModuleOp module, unsigned modules) {
    for (const std::string &dump : build.dumpAfter) {
      auto [name, file] = StringRef(dump).split('=');
      if (name == stage && !writeDump(session, module, path(stage, file)))
        return failure();
    }
    if (build.failAfter == stage) {
      session.diagnostics.report(ErrorCode::InternalError,
                                 "asked to fail after " + stage);
      return failure();
    }
    if (build.stopAfter != stage)
      return success();
    std::string file = numbered(stopFile(), stopFiles);
    if (stopFiles++ && !build.replacesFiles &&
        llvm::sys::fs::is_regular_file(file)) {
      session.diagnostics.report(ErrorCode::FileExists,
                                 file + " exists and is no artifact");
      return failure();
    }
    if (!writeDump(session, module, file))
      return failure();
    stopped = stopFiles >= modules;
    return success(!stopped);
  }

  /// Whether `after` does anything with the module of this stage.
  bool looksAt(StringRef stage) const {
    return build.failAfter == stage || build.stopAfter == stage ||
           llvm::any_of(build.dumpAfter, [&](StringRef dump) {
             return dump.split('=').first == stage;
           });
  }

  bool hasStopped() const { return stopped; }

private:
  bool checkNames() {
    SmallVector<StringRef> names;
    if (!build.stopAfter.empty())
      names.push_back(build.stopAfter);
    if (!build.startFrom.empty())
      names.push_back(build.startFrom);
    if (!build.failAfter.empty())
      names.push_back(build.failAfter);
    for (const std::string &dump : build.dumpAfter)
      names.push_back(StringRef(dump).split('=').first);
    std::optional<StageInfo> start = findStage(build.startFrom);
    if (start && !start->onTensors) {
      session.diagnostics.report(
          ErrorCode::UnknownStage,
          "a build starts from one of " + listStages(/*onTensors=*/true) +
              ": later stages hold one target's part only");
      return false;
    }
    std::vector<std::string> known;
    for (const StageInfo &info : stages())
      known.push_back(info.name.str());
    for (StringRef name : names)
      if (!findStage(name)) {
        session.diagnostics.report(ErrorCode::UnknownStage,
                                   "there is no stage \"" + name + "\"" +
                                       suggest(name, known));
        return false;
      }
    return true;
  }

  /// A dump may not replace another one.
  bool checkDumps() {
    std::vector<std::string> files;
    for (StringRef dump : build.dumpAfter) {
      auto [stage, file] = dump.split('=');
      files.push_back(named(stage, file));
      for (const std::string &other : ArrayRef(files).drop_back())
        if (isSameFile(files.back(), other)) {
          session.diagnostics.report(ErrorCode::BadCommandLine,
                                     "two dumps go to " + files.back());
          return false;
        }
    }
    return true;
  }

  std::string named(StringRef stage, StringRef file) const {
    return file.empty() ? stem + "." + stage.str() + ".mlir" : file.str();
  }

  std::string stopFile() const {
    return named(build.stopAfter, build.stopFile);
  }

  static std::string numbered(std::string name, unsigned number) {
    if (number)
      name.insert(name.size() - llvm::sys::path::extension(name).size(),
                  "." + std::to_string(number));
    return name;
  }

  std::string path(StringRef stage, StringRef file) {
    return numbered(named(stage, file), written[stage]++);
  }

  Session &session;
  const BuildOptions &build;
  std::string stem;
  llvm::StringMap<unsigned> written;
  unsigned stopFiles = 0;
  bool stopped = false;
};
} // namespace

namespace {
/// Keeps the program that a stage begins with, for when our own code fails.
class Reproducer {
public:
  Reproducer(Session &session, const BuildOptions &build,
             ArrayRef<std::shared_ptr<const Target>> targets)
      : session(session), build(build), targets(targets) {}

  /// The program as it is after `stage`. A pass that fails leaves a half-done
  /// one, so this is a copy; weights are handles and cost nothing.
  void keep(Stage stage, ModuleOp module) {
    // One module is to lead to every variant: where targets part, it is the one
    // before.
    if (stageInfo(stage).perTarget && setsDispatchedAlike(targets).size() > 1)
      return;
    name = stageName(stage).str();
    copy = module.clone();
  }

  /// After a failure: a file among the reports, if heddle is at fault.
  void write() {
    DiagnosticPrinter &diagnostics = session.diagnostics;
    if (diagnostics.failureCode() != ExitCode::Internal || !copy)
      return;
    prepareReports();
    ReportPath report;
    int descriptor = openReport("heddle-reproducer", ".mlir", report);
    if (descriptor < 0)
      return;
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
    StringRef path = report.text;
    std::string header =
        ("// heddle compile --start-from=" + name + options() + " " + path)
            .str();
    if (!writeDump(session, *copy, path, header))
      return;
    diagnostics.note("the program before the stage that failed is in " + path);
  }

private:
  /// The command line's options that later stages read.
  std::string options() const {
    std::string text;
    for (const std::shared_ptr<const Target> &target : targets)
      text += (text.empty() ? " -t " : ",") + target->name().str();
    if (name == stageName(Stage::Import) && !build.precision.empty())
      text += " --precision " + build.precision;
    if (build.flushSubnormals)
      text += " --flush-subnormals";
    if (build.noHost)
      text += " --no-host";
    if (!build.placement.devices.empty())
      text += " --place " + llvm::join(build.placement.devices, ",");
    for (const std::string &rule : build.placement.rules)
      text += " --place-rule '" + rule + "'";
    if (build.placement.tensors)
      text += " --device-tensors";
    if (!build.placement.by.empty())
      text += " --place-by " + build.placement.by;
    return text;
  }

  Session &session;
  const BuildOptions &build;
  ArrayRef<std::shared_ptr<const Target>> targets;
  std::string name;
  OwningOpRef<ModuleOp> copy;
};
} // namespace

/// Whether devices and rules can be understood; what they match is known once
/// there are kernels.
static bool checkPlacement(Session &session, const Placement &placement) {
  if (placement.empty())
    return true;
  llvm::Expected<ResolvedPlacement> resolved = resolvePlacement(placement);
  if (!resolved)
    session.diagnostics.report(ErrorCode::BadPlacement,
                               llvm::toString(resolved.takeError()));
  return bool(resolved);
}

/// Whether products can have these factors or weights, which the graph stage
/// gives them.
static bool checkPrecision(Session &session, StringRef precision,
                           const std::optional<StageInfo> &start) {
  if (precision.empty())
    return true;
  // The ranges of activations that it wants are measured within a budget alone.
  if (precision == kFactorTypes[kBytesChoice]) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--precision " + precision +
            " is for single products within an error budget: give --precision "
            "auto, --max-error VALUE and --calibration DATA, and "
            "--precision-policy FILE with a line '* " +
            precision + "' for no other type");
    return false;
  }
  if (precision != kAnyFactorType &&
      !llvm::is_contained(kFactorTypes, precision)) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--precision is '" + precision + "'; " +
            alternatives(ArrayRef(kFactorTypes).take_front(kBytesChoice),
                         kAnyFactorType) +
            " is wanted");
    return false;
  }
  if (!start || start->stage == Stage::Import)
    return true;
  session.diagnostics.report(ErrorCode::BadCommandLine,
                             "--precision is for a model; the IR after " +
                                 start->name + " has its types");
  return false;
}

/// Whether a build can go on from `module` as from one after `start`.
static bool checkStage(Session &session, ModuleOp module,
                       const StageInfo &start) {
  std::optional<StageInfo> other = otherStage(module, start.stage);
  if (!other)
    return true;
  session.diagnostics.report(ErrorCode::UnknownStage,
                             "the file holds IR as it is after " + other->name +
                                 ", not after " + start.name);
  return false;
}

static LogicalResult runGraphStage(Session &session, ModuleOp module,
                                   StringRef precision) {
  session.phases.begin("graph");
  setCrashStage(stageName(Stage::Graph));
  return runStage(Stage::Graph, module, [&](PassManager &manager) {
    addPrecision(manager, precision);
  });
}

/// What a reader of the artifact cannot see from it: which integers the model
/// indexes with. Arguments carry it through the stages, so that a dump does
/// too.
static void markRanges(ModuleOp module) {
  Builder builder(module.getContext());
  for (func::FuncOp entry : kernel::entryFunctions(module)) {
    SignatureAttributes attributes(entry);
    for (auto [i, input] : llvm::enumerate(inputSignatures(entry)))
      if (input.range)
        attributes.argument(i).set(
            kRangeAttrName, builder.getDenseI64ArrayAttr(
                                {input.range->first, input.range->second}));
    attributes.store();
  }
}

static void recordRanges(ModuleOp module, CompileOptions &options) {
  for (func::FuncOp entry : kernel::entryFunctions(module))
    for (const TensorSignature &input : inputSignatures(entry))
      if (input.range)
        options.records.emplace_back(
            rangeRecordKey(entry.getName(), input.name),
            std::to_string(input.range->first) + ".." +
                std::to_string(input.range->second));
}

/// How many modules there are after a stage of a build for `targets`, whose
/// code has the names of `named`.
static unsigned countModules(const StageInfo &info,
                             ArrayRef<std::shared_ptr<const Target>> targets,
                             ArrayRef<std::shared_ptr<const Target>> named) {
  if (!info.perTarget)
    return 1;
  if (info.stage == Stage::Dispatch)
    return setsDispatchedAlike(targets).size();
  return llvm::count_if(named, [&](const auto &target) {
    return info.stage != Stage::Kernel || target->kind() == info.targetKind;
  });
}

/// The way of a module from the stage `build.startFrom` (empty: imported just
/// now) on.
static std::optional<BuildResult>
buildFrom(Session &session, ModuleOp module, const BuildOptions &build,
          ArrayRef<std::shared_ptr<const Target>> targets,
          StageObserver &observer, format::ArtifactWriter &writer) {
  std::optional<StageInfo> start = findStage(build.startFrom);
  BuildResult result;
  Reproducer reproducer(session, build, targets);
  CancelledPasses cancelled(session, module.getContext(), build.isCancelled);
  auto ended = [&]() -> std::optional<BuildResult> {
    session.phases.end();
    if (cancelled.ends())
      return std::nullopt;
    if (observer.hasStopped())
      return result;
    reproducer.write();
    return std::nullopt;
  };
  if (!start) {
    markRanges(module);
    if (cancelled.ends() ||
        failed(observer.after(stageName(Stage::Import), module, 1)))
      return ended();
  }
  CompileOptions options;
  recordRanges(module, options);
  if (!start || start->stage == Stage::Import) {
    reproducer.keep(Stage::Import, module);
    if (failed(runGraphStage(session, module, build.precision)) ||
        cancelled.ends() ||
        failed(observer.after(stageName(Stage::Graph), module, 1)))
      return ended();
  } else {
    options.passed = start->stage;
  }
  reproducer.keep(options.passed, module);

  options.targets = targets.vec();
  options.flushSubnormals = build.flushSubnormals;
  options.placement = build.placement;
  options.noHost = build.noHost;
  options.onPhase = [&](StringRef phase) {
    session.phases.begin(phase);
    setCrashStage(phase);
  };
  std::vector<std::shared_ptr<const Target>> named;
  options.onVariants = [&](ArrayRef<std::shared_ptr<const Target>> variants) {
    named = variants.vec();
  };
  options.isCancelled = build.isCancelled;
  options.showsKernels = [&](StringRef stage) {
    return observer.looksAt(stage);
  };
  options.afterStage = [&](StringRef stage, ModuleOp stageModule) {
    if (cancelled.ends())
      return failure();
    std::optional<StageInfo> info = findStage(stage);
    if (info->onTensors)
      reproducer.keep(info->stage, stageModule);
    return observer.after(stage, stageModule,
                          countModules(*info, targets, named));
  };
  if (failed(compileInto(module, options, writer, &result.summary)))
    return ended();
  session.phases.end();
  result.complete = true;
  return result;
}

/// Says what calls will be refused for beyond the ranges of sizes.
static void remarkAssumptions(ModuleOp module) {
  auto assumptions = module->getAttrOfType<ArrayAttr>(kSizeAssumptionsAttrName);
  if (!assumptions)
    return;
  for (auto assumption : assumptions.getAsRange<DictionaryAttr>()) {
    Location loc = UnknownLoc::get(module.getContext());
    if (auto node = assumption.getAs<StringAttr>("node"))
      loc = NameLoc::get(node);
    emitRemark(loc) << "takes for granted that "
                    << assumption.getAs<StringAttr>("text").getValue()
                    << "; calls of other sizes are refused";
  }
}

/// Code is made for the targets of the table: what `module` says of one must be
/// what the table says.
static bool checkKnown(Session &session, ModuleOp module,
                       const Target &target) {
  if (!findTarget(target.name()) ||
      isa<StringAttr>(targetAttr(target, module.getContext())))
    return true;
  std::string name = target.name().str();
  session.diagnostics.report(
      ErrorCode::TargetIllegal,
      "the module's heddle.target says other things of " + name +
          " than this heddle knows, and code is made by the latter; write "
          "heddle.target = \"" +
          name + "\", or start from heddle-lower");
  return false;
}

std::optional<BuildResult> heddle::buildInto(Session &session,
                                             const ModelOptions &model,
                                             const BuildOptions &build,
                                             format::ArtifactWriter &writer) {
  StageObserver observer(session, build, model.path);
  if (!observer.check() || !checkPlacement(session, build.placement))
    return std::nullopt;
  std::optional<StageInfo> start = findStage(build.startFrom);
  if (!checkPrecision(session, build.precision, start) ||
      !checkBudget(session, model, build))
    return std::nullopt;
  if (build.precision == "auto")
    return buildWithinBudget(session, model, build, writer);
  // A dispatched module names a target itself.
  bool hasTarget = start && start->perTarget && build.targets.empty();
  std::optional<std::vector<std::shared_ptr<const Target>>> targets;
  if (!hasTarget &&
      !(targets = resolveTargets(build.targets, session.diagnostics)))
    return std::nullopt;

  if (start && !(model.entries.empty() && model.states.empty())) {
    session.diagnostics.report(
        ErrorCode::BadCommandLine,
        "--entry and --state are about models; the IR of a stage has its "
        "entries and states");
    return std::nullopt;
  }
  if (build.onPhase)
    session.phases.onBegin = build.onPhase;
  session.phases.begin("import");
  OwningOpRef<ModuleOp> module =
      start ? readDump(session, model.path) : importModel(session, model);
  if (!module || (start && !checkStage(session, *module, *start)) ||
      (start && failed(checkSizeAttributes(*module))) ||
      !sparesWeights(session, *module, build))
    return std::nullopt;
  remarkAssumptions(*module);
  if (hasTarget) {
    std::vector<std::string> names;
    if (std::shared_ptr<const Target> target = targetOf(*module)) {
      if (!checkKnown(session, *module, *target))
        return std::nullopt;
      names.push_back(target->name().str());
    }
    if (!(targets = resolveTargets(names, session.diagnostics)))
      return std::nullopt;
  }
  return buildFrom(session, *module, build, *targets, observer, writer);
}

bool heddle::makeGraphStage(Session &session, ModuleOp module,
                            const BuildOptions &build) {
  CancelledPasses cancelled(session, module.getContext(), build.isCancelled);
  remarkAssumptions(module);
  markRanges(module);
  return succeeded(runGraphStage(session, module, build.precision)) &&
         !cancelled.ends();
}

std::optional<BuildResult>
heddle::buildGraphInto(Session &session, ModuleOp graph,
                       const BuildOptions &build,
                       format::ArtifactWriter &writer) {
  BuildOptions options = build;
  options.startFrom = stageName(Stage::Graph).str();
  StageObserver observer(session, options, "module");
  auto targets = resolveTargets(options.targets, session.diagnostics);
  if (!targets)
    return std::nullopt;
  return buildFrom(session, graph, options, *targets, observer, writer);
}

std::optional<BuildResult>
heddle::buildModuleInto(Session &session, ModuleOp module,
                        const BuildOptions &build,
                        format::ArtifactWriter &writer) {
  BuildOptions quiet;
  quiet.targets = build.targets;
  quiet.precision = build.precision;
  quiet.flushSubnormals = build.flushSubnormals;
  quiet.placement = build.placement;
  quiet.noHost = build.noHost;
  quiet.placement.isPiece = true;
  StageObserver observer(session, quiet, "module");
  auto targets = resolveTargets(quiet.targets, session.diagnostics);
  if (!targets)
    return std::nullopt;
  return buildFrom(session, module, quiet, *targets, observer, writer);
}

std::optional<BuildResult> heddle::buildArtifact(Session &session,
                                                 const ModelOptions &model,
                                                 const BuildOptions &build,
                                                 StringRef output) {
  if (!mayReplace(session, model, build, output))
    return std::nullopt;
  format::ArtifactWriter writer;
  if (format::Error error = writer.open(output.str())) {
    session.diagnostics.report(toErrorCode(error), error.message());
    return std::nullopt;
  }
  BuildOptions named = build;
  named.output = output.str();
  return buildInto(session, model, named, writer);
}
