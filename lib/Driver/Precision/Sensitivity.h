// What rounding the factors of each product alone does to a program's results.

#ifndef HEDDLE_DRIVER_PRECISION_SENSITIVITY_H
#define HEDDLE_DRIVER_PRECISION_SENSITIVITY_H

#include "CalibrationData.h"
#include "Candidates.h"
#include "ErrorMetric.h"
#include "heddle/Driver/Prepare.h"

namespace heddle {

/// A compiled program that is called with tensors in memory.
class LoadedProgram {
public:
  /// Compiles `graph`, which has passed the graph stage and is used up. None
  /// after an error, which has been reported.
  static std::unique_ptr<LoadedProgram>
  make(Session &session, mlir::ModuleOp graph, const BuildOptions &build);

  /// The results; none after an error, which has been reported.
  std::optional<llvm::SmallVector<HostTensor>>
  call(llvm::ArrayRef<HostTensor> inputs);

  const PreparedArtifact &artifact() const { return prepared; }
  const CompileSummary &summary() const { return compiled; }
  llvm::ArrayRef<TensorSignature> inputs() const { return program->inputs(); }
  llvm::ArrayRef<TensorSignature> outputs() const { return program->outputs(); }

private:
  PreparedArtifact prepared;
  CompileSummary compiled;
  std::unique_ptr<Program> program;
};

struct Sensitivities {
  /// Magnitudes of errors (ErrorMetric.h), by sample, product and choice; 0
  /// where nothing was measured.
  std::vector<std::vector<std::array<double, kFactorTypes.size()>>> errors;
  /// Of each product, zero and what was met in any sample; only zero where
  /// bytes are not wanted of any product.
  std::vector<FactorRange> ranges;
};

/// Measures by calls of an instrumented copy of `graph`: for each sample one
/// that tells ranges, where bytes are wanted, whose scales follow from the
/// ranges in all samples; one with nothing rounded; and one for each product
/// and each of its choices that `isWanted`. None after an error, which has been
/// reported.
std::optional<Sensitivities> measureSensitivities(
    Session &session, mlir::ModuleOp graph, const BuildOptions &build,
    ErrorMetric metric, const CalibrationData &data,
    llvm::ArrayRef<size_t> samples, size_t products,
    llvm::function_ref<bool(size_t product, unsigned choice)> isWanted);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_SENSITIVITY_H
