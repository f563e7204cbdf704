// Calls an instrumented program, product by product.

#include "Sensitivity.h"

#include "heddle/Driver/Build.h"
#include "lib/Driver/CancelledPasses.h"
#include "passes/Precision/Passes.h"
#include "runtime/format/ArtifactWriter.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace heddle;

std::unique_ptr<LoadedProgram> LoadedProgram::make(Session &session,
                                                   ModuleOp graph,
                                                   const BuildOptions &build) {
  auto result = std::make_unique<LoadedProgram>();
  auto prepared = prepareGraph(session, graph, build, &result->compiled);
  if (!prepared)
    return nullptr;
  result->prepared = std::move(*prepared);
  result->program = Program::load(session, result->prepared.path, 0, "", "");
  if (!result->program || !result->program->prepare(/*threads=*/0))
    return nullptr;
  return result;
}

std::optional<SmallVector<HostTensor>>
LoadedProgram::call(ArrayRef<HostTensor> inputs) {
  SmallVector<HostTensor> results = program->makeOutputs(inputs);
  if (!program->call(inputs, results))
    return std::nullopt;
  return results;
}

static std::unique_ptr<LoadedProgram>
makeInstrumented(Session &session, ModuleOp graph, const BuildOptions &build) {
  OwningOpRef<ModuleOp> copy = graph.clone();
  PassManager manager(copy->getContext());
  InstrumentPrecisionOptions options;
  for (StringRef type : ArrayRef(kFactorTypes).drop_front())
    options.formats.push_back(type.str());
  manager.addPass(createInstrumentPrecision(std::move(options)));
  if (failed(manager.run(*copy)))
    return nullptr;
  return LoadedProgram::make(session, *copy, build);
}

namespace {
/// The inputs of an instrumented program: the program's own, behind them the
/// one that chooses and the one with the scales of bytes.
class Rounding {
public:
  Rounding(SmallVector<HostTensor> own, ArrayRef<TensorSignature> all)
      : inputs(std::move(own)) {
    for (const TensorSignature &added : all.take_back(2))
      inputs.push_back(HostTensor::allocate(added.type));
  }
  void set(size_t product, int64_t choice) {
    inputs[inputs.size() - 2].set(product, choice);
  }
  void setScale(size_t product, const ByteScale &scale) {
    inputs.back().set(2 * product, double(scale.scale));
    inputs.back().set(2 * product + 1, double(scale.zeroPoint));
  }
  ArrayRef<HostTensor> tensors() const { return inputs; }

private:
  SmallVector<HostTensor> inputs;
};

/// Calls an instrumented program. Steps that return false have reported an
/// error.
class Measurement {
public:
  using IsWanted = function_ref<bool(size_t product, unsigned choice)>;

  Measurement(Session &session, const BuildOptions &build,
              LoadedProgram &program, ErrorMetric metric,
              const CalibrationData &data, size_t products, IsWanted isWanted)
      : session(session), build(build), program(program), metric(metric),
        data(data), products(products), isWanted(isWanted) {
    result.ranges.resize(products);
  }

  bool measureRange(size_t sample);
  bool measureErrors(size_t sample, const Twine &progress);
  Sensitivities take() { return std::move(result); }

private:
  /// The inputs with nothing rounded.
  std::optional<Rounding> read(size_t sample) {
    auto inputs = data.read(session, sample);
    if (!inputs)
      return std::nullopt;
    return Rounding(std::move(*inputs), program.inputs());
  }
  /// The program's own results; what factors reach to is behind them.
  static ArrayRef<HostTensor> own(ArrayRef<HostTensor> results) {
    return results.drop_back();
  }

  Session &session;
  const BuildOptions &build;
  LoadedProgram &program;
  ErrorMetric metric;
  const CalibrationData &data;
  size_t products;
  IsWanted isWanted;
  Sensitivities result;
};
} // namespace

bool Measurement::measureRange(size_t sample) {
  if (reportIfCancelled(session, build.isCancelled))
    return false;
  std::optional<Rounding> rounding = read(sample);
  auto results = rounding ? program.call(rounding->tensors()) : std::nullopt;
  if (!results)
    return false;
  const HostTensor &extremes = results->back();
  for (size_t product = 0; product < products; ++product) {
    double least = extremes.floatAt(2 * product),
           largest = extremes.floatAt(2 * product + 1);
    // Of no numbers the least is above all.
    if (least > largest)
      continue;
    result.ranges[product].add(least);
    result.ranges[product].add(largest);
  }
  return true;
}

bool Measurement::measureErrors(size_t sample, const Twine &progress) {
  std::optional<Rounding> rounding = read(sample);
  if (!rounding)
    return false;
  for (auto [product, range] : llvm::enumerate(result.ranges))
    rounding->setScale(product, range.scale());
  auto exact = program.call(rounding->tensors());
  if (!exact)
    return false;
  auto &errors = result.errors.emplace_back(products);
  for (size_t product = 0; product < products; ++product) {
    session.phases.progress(progress + ", product " + Twine(product + 1) +
                            " of " + Twine(products));
    if (reportIfCancelled(session, build.isCancelled))
      return false;
    errors[product].fill(0);
    for (unsigned choice = 1; choice < kFactorTypes.size(); ++choice) {
      if (!isWanted(product, choice))
        continue;
      rounding->set(product, choice);
      auto found = program.call(rounding->tensors());
      if (!found)
        return false;
      errors[product][choice] =
          errorMagnitude(metric, own(*found), own(*exact));
    }
    rounding->set(product, 0);
  }
  return true;
}

std::optional<Sensitivities> heddle::measureSensitivities(
    Session &session, ModuleOp graph, const BuildOptions &build,
    ErrorMetric metric, const CalibrationData &data, ArrayRef<size_t> samples,
    size_t products, function_ref<bool(size_t, unsigned)> isWanted) {
  std::unique_ptr<LoadedProgram> program =
      makeInstrumented(session, graph, build);
  if (!program)
    return std::nullopt;
  Measurement measurement(session, build, *program, metric, data, products,
                          isWanted);
  auto wantsBytes = [&](size_t product) {
    return isWanted(product, kBytesChoice);
  };
  if (llvm::any_of(llvm::seq(products), wantsBytes)) {
    session.phases.begin("ranges");
    for (size_t sample : samples)
      if (!measurement.measureRange(sample))
        return std::nullopt;
  }
  session.phases.begin("sensitivity");
  for (auto [place, sample] : llvm::enumerate(samples))
    if (!measurement.measureErrors(sample, "input " + Twine(place + 1) +
                                               " of " + Twine(samples.size())))
      return std::nullopt;
  return measurement.take();
}
