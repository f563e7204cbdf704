// What custom calls mean: one table from a target's name to the rule that
// expresses the call in StableHLO and in composites of ours.

#ifndef HEDDLE_PASSES_GRAPH_CUSTOMCALLS_CUSTOMCALLS_H
#define HEDDLE_PASSES_GRAPH_CUSTOMCALLS_CUSTOMCALLS_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// Writes what `op` computes before it and says so in `results`, one value for
/// each result of `op`; a null value for one that nobody uses. A call that
/// cannot be expressed is an error, reported at `op`.
using ExpandCustomCall = mlir::LogicalResult (*)(
    mlir::OpBuilder &builder, stablehlo::CustomCallOp op,
    llvm::SmallVectorImpl<mlir::Value> &results);

/// A row of the table.
struct CustomCallRule {
  llvm::StringRef target;
  ExpandCustomCall expand;
};

/// The rule for a target's name; null if the name is unknown.
const CustomCallRule *findCustomCallRule(llvm::StringRef target);

/// The rows of each group, for the table.
llvm::ArrayRef<CustomCallRule> annotationCustomCalls();
llvm::ArrayRef<CustomCallRule> topKCustomCalls();
llvm::ArrayRef<CustomCallRule> hostCustomCalls();
llvm::ArrayRef<CustomCallRule> elementwiseCustomCalls();

/// LAPACK's routines have names per type: `lapack_sgetrf_ffi`. These rows have
/// the part between the type's letter and the suffix: `getrf`.
llvm::ArrayRef<CustomCallRule> factorizationCustomCalls();
llvm::ArrayRef<CustomCallRule> spectralCustomCalls();

/// The attribute `name` of the call's configuration, whichever way the call
/// carries it; null if there is none.
mlir::Attribute customCallAttribute(stablehlo::CustomCallOp op,
                                    llvm::StringRef name);

/// The configuration's letter, as LAPACK names its options: 'L' of `uplo = 76`.
/// `fallback` if there is none.
char customCallLetter(stablehlo::CustomCallOp op, llvm::StringRef name,
                      char fallback);

/// Checks the number of operands and results, and that all are tensors of
/// static shape; an error otherwise.
mlir::LogicalResult checkArity(stablehlo::CustomCallOp op, unsigned operands,
                               unsigned results);

/// `stablehlo.composite "heddle.<routine>"`: computed by a routine of the
/// compiled program (docs/decisions/routines.md).
mlir::ValueRange
createRoutine(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::StringRef routine, mlir::TypeRange results,
              mlir::ValueRange operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// LAPACK's `info` in the form of `type`: 1 for each element of the batch whose
/// part of `value` holds a NaN, which is how routines say that they failed.
mlir::Value holdsNan(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::Type type);

/// A constant with `value` in every element.
mlir::Value createFilled(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, int64_t value);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_CUSTOMCALLS_CUSTOMCALLS_H
