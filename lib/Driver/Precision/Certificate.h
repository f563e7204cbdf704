// What is known of the errors of a program in mixed precision, and how it is
// known: the record that the artifact keeps.

#ifndef HEDDLE_DRIVER_PRECISION_CERTIFICATE_H
#define HEDDLE_DRIVER_PRECISION_CERTIFICATE_H

#include "Assignment.h"
#include "Candidates.h"
#include "ErrorMetric.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace heddle {

namespace format {
class ArtifactReader;
} // namespace format

/// Key of the manifest's record that holds the certificate, as JSON.
inline constexpr llvm::StringLiteral kCertificateRecord =
    "precision.certificate";

/// The tiers that a certificate has, as `format::precisionTiersKey` says them:
/// E and V.
inline constexpr llvm::StringLiteral kCertificateTiers = "EV";

/// What an estimate is multiplied by to be E: inputs that differ from those of
/// the calibration have this room.
inline constexpr double kEstimateMargin = 1.25;

struct ProductRecord {
  std::string node, kind;
  unsigned choice = 0;
  /// Of each type, the largest magnitude that rounding this product's factors
  /// alone had for an input of the calibration; negative: not measured.
  std::array<double, kFactorTypes.size()> errors;
  double nanosecondsSaved = 0;
  /// Why it has this type.
  std::string reason;
  /// From where to where the bytes of `w8a8` reach.
  std::optional<FactorRange> firstFactor = {};
};

/// The final program on inputs that were held out.
struct Validation {
  /// Errors, not magnitudes, in the order of the samples.
  std::vector<double> errors;

  double largest() const;
  /// The least error that 99 of 100 do not exceed.
  double percentile99() const;
  size_t countAbove(double maxError) const;
};

/// Of a sample of the calibration: errors of the final program.
struct Prediction {
  size_t sample;
  double estimated, measured;
};

struct PrecisionCertificate {
  ErrorMetric metric;
  double maxError = 0;
  std::vector<ProductRecord> products;
  /// Contractions and convolutions of f32 that nothing could be chosen for.
  int64_t otherProducts = 0;
  std::vector<Prediction> predictions;
  std::vector<size_t> heldOut;
  Validation validation;
  /// How many programs were tried on the held-out inputs before the final one,
  /// and were beyond the budget.
  unsigned tightenings = 0;
  /// Estimated nanoseconds of all candidates and their casts.
  double nanosecondsExact = 0, nanosecondsChosen = 0;
  bool isAssignmentExact = true;
  /// Results that no error is measured of, because they are no floats.
  std::vector<std::string> unmeasured;
  std::string target;
  /// SHA-256 (Fingerprint.h); `policyHash` is empty without a policy.
  std::string modelHash, policyHash, dataHash, programHash;

  /// What the errors of all choices are together if they are independent.
  double independentError() const;
  /// E: the larger of that and of what was measured on inputs of the
  /// calibration, times the margin.
  double estimate() const;
};

llvm::json::Object toJson(const PrecisionCertificate &certificate);

/// Shows a certificate as an artifact has it. False if it is none that this
/// version understands.
bool printCertificate(llvm::raw_ostream &os,
                      const llvm::json::Object &certificate);

/// Reads the certificate of an artifact and checks that it is about this
/// program. An error is one sentence.
llvm::Expected<llvm::json::Object>
readCertificate(const format::ArtifactReader &artifact);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_CERTIFICATE_H
