// True extents through a program, from its arguments on.

#ifndef HEDDLE_DIALECTS_STABLEHLO_INFEREXTENTS_H
#define HEDDLE_DIALECTS_STABLEHLO_INFEREXTENTS_H

#include "dialects/StableHlo/SizeAssumptions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Gives each value of `function` its true extents by its operation's rule,
/// regions included, and the function its results' types. What is told its
/// extents (an iota, a broadcast) has them. Reports where two sizes are never
/// equal, and where a loop changes the size of what it carries.
mlir::LogicalResult inferExtents(mlir::func::FuncOp function,
                                 SizeAssumptions &assumptions);

/// The same for a function whose types have extents: those of results must be
/// what the rules give. A result that has none gets them.
mlir::LogicalResult checkExtents(mlir::func::FuncOp function,
                                 stablehlo::ExtentRules &rules);

/// A program of true extents at one choice of sizes: a static one, but for the
/// sizes that `isLeftOpen` names. Fails, after an error, where an expression of
/// the others has no value there or is beyond its bound.
mlir::LogicalResult
fixSizes(mlir::ModuleOp module,
         llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> of,
         llvm::function_ref<bool(llvm::StringRef)> isLeftOpen = nullptr);

} // namespace heddle

#endif // HEDDLE_DIALECTS_STABLEHLO_INFEREXTENTS_H
