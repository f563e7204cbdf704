// Arguments whose sizes a program leaves open.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_OPENSIZES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_OPENSIZES_H

#include "heddle/Frontend/Exported.h"
#include "heddle/Frontend/StableHlo.h"

#include <array>
#include <map>

namespace heddle {

/// The name that a location gives an argument, as JAX writes it.
llvm::StringRef nameIn(mlir::Location loc);

/// With symbolic shapes, @main computes their symbols and calls a function that
/// has the arguments' names: takes them.
void takeInnerNames(mlir::func::FuncOp entry);

/// What an option may call an argument: its name, argN or N.
std::array<std::string, 3> keysOf(mlir::func::FuncOp entry, unsigned i);

/// The symbols that dimensions are made of.
std::vector<std::string> symbolsOf(const ExportedProgram &exported);

/// What the options say of sizes, while a program is imported.
struct GivenSizes {
  const SizeOptions &options;
  /// Symbols that are others, because the program wants them equal.
  std::map<std::string, std::string> joined;
  size::Ranges ranges;
};

/// The types of the entry's arguments with the open sizes that the options
/// give. `exported` knows the symbolic dimensions of a result of jax.export;
/// else null.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
givenTypes(mlir::func::FuncOp entry, const ExportedProgram *exported,
           const GivenSizes &given);

/// The sizes of each argument that its type bounds, but for those of `given`
/// names: `NAME=0..8x4`. An argument of which a size is open and has no bound
/// is left out.
std::vector<std::string> rangesOfBounds(mlir::func::FuncOp entry,
                                        llvm::ArrayRef<llvm::StringRef> given);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_OPENSIZES_H
