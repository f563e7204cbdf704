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
/// The program's inputs with the one that chooses behind them.
class Rounding {
public:
  Rounding(SmallVector<HostTensor> inputs, RankedTensorType type)
      : inputs(std::move(inputs)) {
    this->inputs.push_back(HostTensor::allocate(type));
  }
  void set(size_t product, int64_t choice) {
    inputs.back().set(product, choice);
  }
  ArrayRef<HostTensor> tensors() const { return inputs; }

private:
  SmallVector<HostTensor> inputs;
};
} // namespace

std::optional<Sensitivities> heddle::measureSensitivities(
    Session &session, ModuleOp graph, const BuildOptions &build,
    ErrorMetric metric, const CalibrationData &data, ArrayRef<size_t> samples,
    size_t products, function_ref<bool(size_t, unsigned)> isWanted) {
  std::unique_ptr<LoadedProgram> program =
      makeInstrumented(session, graph, build);
  if (!program)
    return std::nullopt;
  session.phases.begin("sensitivity");
  Sensitivities result;
  for (auto [place, sample] : llvm::enumerate(samples)) {
    auto inputs = data.read(session, sample);
    if (!inputs)
      return std::nullopt;
    Rounding rounding(std::move(*inputs), program->inputs().back().type);
    auto exact = program->call(rounding.tensors());
    if (!exact)
      return std::nullopt;
    result.emplace_back(products);
    for (size_t product = 0; product < products; ++product) {
      session.phases.progress("input " + Twine(place + 1) + " of " +
                              Twine(samples.size()) + ", product " +
                              Twine(product + 1) + " of " + Twine(products));
      if (reportIfCancelled(session, build.isCancelled))
        return std::nullopt;
      result.back()[product].fill(0);
      for (unsigned choice = 1; choice < kFactorTypes.size(); ++choice) {
        if (!isWanted(product, choice))
          continue;
        rounding.set(product, choice);
        auto found = program->call(rounding.tensors());
        if (!found)
          return std::nullopt;
        result.back()[product][choice] = errorMagnitude(metric, *found, *exact);
      }
      rounding.set(product, 0);
    }
  }
  return result;
}
