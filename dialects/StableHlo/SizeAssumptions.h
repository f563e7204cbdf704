// What a program takes for granted of the sizes that calls choose.

#ifndef HEDDLE_DIALECTS_STABLEHLO_SIZEASSUMPTIONS_H
#define HEDDLE_DIALECTS_STABLEHLO_SIZEASSUMPTIONS_H

#include "dialects/Size/Ranges.h"
#include "dialects/StableHlo/ResultExtents.h"

#include "mlir/IR/Location.h"

#include <vector>

namespace heddle {

/// What must be so at each call, because an operation wants it: the expression
/// is 0.
struct SizeAssumption {
  size::Expression isZero;
  mlir::Location location;
  std::string text; ///< "batch = 8", for whoever calls.
};

/// Which of two equal expressions a program goes on with: a number, else the
/// shorter one, else the first by its text, so that it is always the same.
size::Expression preferred(size::Expression a, size::Expression b);

/// Decides by the ranges of symbols, and keeps what it cannot decide.
class SizeAssumptions : public stablehlo::ExtentRules {
public:
  explicit SizeAssumptions(size::Ranges &ranges) : ranges(ranges) {}

  size::Expression meet(size::Expression a, size::Expression b,
                        mlir::Operation *op) override;
  size::Expression simplified(size::Expression expression) override {
    return ranges.simplified(expression);
  }

  llvm::ArrayRef<SizeAssumption> assumptions() const { return assumed; }

protected:
  /// Keeps it, unless it is kept already.
  void assume(size::Expression isZero, mlir::Operation *op,
              const llvm::Twine &text);

private:
  size::Ranges &ranges;
  std::vector<SizeAssumption> assumed;
};

} // namespace heddle

#endif // HEDDLE_DIALECTS_STABLEHLO_SIZEASSUMPTIONS_H
