// `--precision auto`: what is measured before types are chosen, and what is
// written behind.

#include "WithinBudget.h"

#include "BudgetedBuild.h"
#include "Fingerprint.h"
#include "heddle/Driver/ArtifactQueries.h"
#include "heddle/Driver/Model.h"
#include "heddle/Driver/OutputFiles.h"
#include "heddle/Driver/Targets.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/MappedFile.h"
#include "runtime/format/ArtifactWriter.h"
#include "runtime/format/RecordKeys.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Samples that calibrate at most, and calls that they take at most, unless one
/// sample takes more.
static constexpr size_t kMostSamples = 8, kMostCalls = 512;

/// The one that is compiled for: the best of this machine, where none is named.
bool BudgetedBuild::findTarget() {
  auto targets = resolveTargets(build.targets, session.diagnostics);
  if (!targets)
    return false;
  bool isNative = build.targets.empty() ||
                  build.targets == std::vector<std::string>{"native"};
  if (targets->size() != 1 && !isNative)
    return refuse(ErrorCode::BadCommandLine,
                  "--precision auto chooses for one target by its rates; " +
                      Twine(targets->size()) + " are named");
  target = targets->back();
  if (!runsHere(target->loaderNeeds()))
    return refuse(ErrorCode::TargetIllegal,
                  "--precision auto tries the program, and this machine does "
                  "not run code for " +
                      target->name());
  graphBuild = build;
  graphBuild.targets = {target->name().str()};
  graphBuild.precision.clear();
  graphBuild.budget = {};
  certificate.target = target->name().str();
  return true;
}

bool BudgetedBuild::makeGraph() {
  session.phases.begin("import");
  graph = importModel(session, model);
  if (!graph || !sparesWeights(session, *graph, build) ||
      !makeGraphStage(session, *graph, graphBuild))
    return false;
  func::FuncOp entry = entryFunction(*graph);
  if (!entry)
    return refuse(ErrorCode::BadCommandLine,
                  "--precision auto measures one entry; name one function");
  if ((*graph)->hasAttr(kSymbolsAttrName))
    return refuse(ErrorCode::BadCommandLine,
                  "--precision auto takes sizes that are fixed: give --dim or "
                  "--shape one size each");
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (entry.getArgAttr(i, kStateAttrName))
      return refuse(ErrorCode::BadCommandLine,
                    "--precision auto takes no states, as calls with equal "
                    "inputs must do the same");
  return true;
}

bool BudgetedBuild::readPolicy() {
  const std::string &path = build.budget.policy;
  if (!path.empty()) {
    auto file = MappedFile::open(path);
    if (!file)
      return refuse(ErrorCode::FileUnreadable,
                    llvm::toString(file.takeError()));
    ArrayRef<char> bytes = (*file)->bytes();
    certificate.policyHash = sha256(bytes);
    auto parsed = PrecisionPolicy::parse(StringRef(bytes.data(), bytes.size()));
    if (!parsed)
      return refuse(ErrorCode::BadPrecisionPolicy,
                    path + ": " + llvm::toString(parsed.takeError()));
    policy = std::move(*parsed);
  }
  candidates = findCandidates(*graph, *target);
  choices = findChoices(candidates, policy);
  if (!checkPins())
    return false;
  for (const PrecisionPolicy::Rule &rule : policy.rules())
    if (llvm::none_of(choices, [&](const ProductChoices &choice) {
          return choice.rule == &rule;
        }))
      session.diagnostics.warn(path + ": line " + Twine(rule.line) +
                               ": no product is left for the pattern '" +
                               rule.text + "'");
  certificate.otherProducts =
      candidates.all - int64_t(candidates.products.size());
  return true;
}

/// Whether products can have what is pinned.
bool BudgetedBuild::checkPins() {
  for (auto [candidate, choice] : llvm::zip_equal(candidates.products, choices))
    if (std::isinf(candidate.nanoseconds[choice.allowed.front()]))
      return refuse(ErrorCode::BadPrecisionPolicy,
                    build.budget.policy + ": line " + Twine(choice.rule->line) +
                        " pins " + choice.rule->type + " for " +
                        candidate.label +
                        ", whose second factor is no weight that kernels read "
                        "so; name another type, or leave out `pin`");
  return true;
}

bool BudgetedBuild::openData() {
  func::FuncOp entry = entryFunction(*graph);
  bool isMeasured = false;
  for (const TensorSignature &output : outputSignatures(entry))
    if (isa<FloatType>(output.type.getElementType()))
      isMeasured = true;
    else
      certificate.unmeasured.push_back(output.name);
  if (!isMeasured)
    return refuse(ErrorCode::BadCommandLine,
                  "--precision auto measures errors of results that are "
                  "floats; the model has none");
  auto dataHash = sha256OfPath(build.budget.calibration);
  if (!dataHash)
    return refuse(ErrorCode::FileUnreadable,
                  llvm::toString(dataHash.takeError()));
  certificate.dataHash = *dataHash;
  data = CalibrationData::open(session, build.budget.calibration,
                               inputSignatures(entry));
  if (!data)
    return false;
  size_t callsPerSample = 1;
  bool tellsRanges = false;
  for (const ProductChoices &choice : choices) {
    callsPerSample += choice.allowed.size() - choice.allows(0);
    tellsRanges |= choice.allows(kBytesChoice);
  }
  callsPerSample += tellsRanges;
  size_t most =
      std::clamp<size_t>(kMostCalls / callsPerSample, 1, kMostSamples);
  split = splitSamples(data->size(), most);
  if (size_t wanted =
          splitSamples(data->size(), kMostSamples).calibration.size();
      most < wanted)
    session.diagnostics.warn(
        "of the inputs " + Twine(most) + " calibrate in place of " +
        Twine(wanted) + ", as each takes " + Twine(callsPerSample) +
        " calls: a policy that pins types, or leaves few open, takes less");
  return true;
}

bool BudgetedBuild::measure() {
  size_t products = candidates.products.size();
  if (products == 0) {
    sensitivities.errors.resize(split.calibration.size());
    return true;
  }
  auto isWanted = [&](size_t product, unsigned choice) {
    return choices[product].allows(choice);
  };
  session.phases.setPrefix("instrumented: ");
  auto measured =
      measureSensitivities(session, *graph, graphBuild, certificate.metric,
                           *data, split.calibration, products, isWanted);
  session.phases.setPrefix("");
  if (!measured)
    return false;
  sensitivities = std::move(*measured);
  worst.resize(products);
  for (size_t product = 0; product < products; ++product)
    for (unsigned choice = 0; choice < kFactorTypes.size(); ++choice) {
      double &most = worst[product][choice];
      most = choice == 0 || isWanted(product, choice) ? 0 : -1;
      for (const auto &sample : sensitivities.errors)
        most = std::max(
            most, choice == 0 || most < 0 ? most : sample[product][choice]);
    }
  return true;
}

std::unique_ptr<LoadedProgram> BudgetedBuild::compile(ModuleOp module,
                                                      StringRef prefix) {
  session.phases.setPrefix(prefix);
  auto program = LoadedProgram::make(session, module, graphBuild);
  session.phases.setPrefix("");
  return program;
}

/// Binds the certificate to the program and what it was made from, and writes
/// both.
bool BudgetedBuild::bind() {
  auto modelHash = sha256OfModel(model);
  if (!modelHash)
    return refuse(ErrorCode::FileUnreadable,
                  llvm::toString(modelHash.takeError()));
  certificate.modelHash = *modelHash;
  format::ArtifactReader reader;
  format::Error error = reader.open(chosen->artifact().path);
  if (!error) {
    certificate.programHash = sha256OfProgram(reader);
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(toJson(certificate));
    error = writer.copyWith(
        reader, {{kCertificateRecord.str(), text},
                 {format::precisionTiersKey, kCertificateTiers.str()}});
  }
  return !error || refuse(toErrorCode(error), error.message());
}

std::optional<BuildResult> BudgetedBuild::run() {
  certificate.metric =
      parseErrorMetric(build.budget.metric).value_or(ErrorMetric::RelativeL2);
  certificate.maxError = build.budget.maxError;
  if (!findTarget() || !makeGraph() || !readPolicy() || !openData() ||
      !measure() || !chooseAndValidate())
    return std::nullopt;
  session.phases.begin("certificate");
  if (!bind())
    return std::nullopt;
  session.phases.end();
  BuildResult result;
  result.complete = true;
  result.summary = chosen->summary();
  result.summary.artifactBytes = writer.size();
  result.certificate = toJson(certificate);
  return result;
}

std::optional<BuildResult>
heddle::buildWithinBudget(Session &session, const ModelOptions &model,
                          const BuildOptions &build,
                          format::ArtifactWriter &writer) {
  if (build.onPhase)
    session.phases.onBegin = build.onPhase;
  auto result = BudgetedBuild(session, model, build, writer).run();
  session.phases.end();
  return result;
}
