// A build within an error budget, step by step: preparations
// (WithinBudget.cpp), the choice and its trial (ChosenProgram.cpp), and what is
// said where there is no program (BudgetRefusals.cpp).

#ifndef HEDDLE_DRIVER_PRECISION_BUDGETEDBUILD_H
#define HEDDLE_DRIVER_PRECISION_BUDGETEDBUILD_H

#include "Certificate.h"
#include "Choices.h"
#include "Sensitivity.h"
#include "heddle/Driver/Build.h"

#include <map>

namespace heddle {

/// The way of `buildWithinBudget`. Steps that return false have reported an
/// error.
class BudgetedBuild {
public:
  BudgetedBuild(Session &session, const ModelOptions &model,
                const BuildOptions &build, format::ArtifactWriter &writer)
      : session(session), model(model), build(build), writer(writer) {}

  std::optional<BuildResult> run();

private:
  // Before types are chosen (WithinBudget.cpp), in this order.
  bool findTarget();
  bool makeGraph();
  bool readPolicy();
  bool checkPins();
  bool openData();
  bool measure();

  // The program (ChosenProgram.cpp).
  bool chooseAndValidate();
  double pinnedSquares() const;
  bool choose(double scale);
  bool chooseOther(double &scale, llvm::ArrayRef<unsigned> tried);
  bool compileChosen();
  std::optional<llvm::SmallVector<HostTensor>>
  exactResults(size_t sample, llvm::ArrayRef<HostTensor> inputs);
  std::optional<double> errorOf(size_t sample);
  bool predict();
  bool validate();
  double worstError() const;
  bool isMostExact() const;
  void describeProducts();

  // Where there is none (BudgetRefusals.cpp).
  bool refusePins();
  bool refuseMeasured();

  bool bind();
  std::unique_ptr<LoadedProgram> compile(mlir::ModuleOp module,
                                         llvm::StringRef prefix);
  bool refuse(ErrorCode code, const llvm::Twine &what) {
    session.diagnostics.report(code, what);
    return false;
  }

  /// Of the magnitudes that the estimate may have.
  double budgetMagnitude() const {
    return toMagnitude(certificate.metric, certificate.maxError) /
           kEstimateMargin;
  }

  Session &session;
  const ModelOptions &model;
  const BuildOptions &build;
  format::ArtifactWriter &writer;

  /// Options of the programs that are compiled from the graph.
  BuildOptions graphBuild;
  std::shared_ptr<const Target> target;
  mlir::OwningOpRef<mlir::ModuleOp> graph;
  PrecisionPolicy policy;
  PrecisionCandidates candidates;
  std::vector<ProductChoices> choices;
  std::optional<CalibrationData> data;
  SampleSplit split;
  Sensitivities sensitivities;
  WorstErrors worst;

  AssignmentProblem problem;
  Assignment assignment;
  std::vector<unsigned> types;
  std::unique_ptr<LoadedProgram> exact, chosen;
  std::map<size_t, llvm::SmallVector<HostTensor>> keptResults;
  size_t keptBytes = 0;
  PrecisionCertificate certificate;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_BUDGETEDBUILD_H
