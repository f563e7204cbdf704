// StableHLO programs, as text or MLIR bytecode, become models.

#ifndef HEDDLE_FRONTEND_STABLEHLO_H
#define HEDDLE_FRONTEND_STABLEHLO_H

#include "heddle/Frontend/ArgumentBinding.h"
#include "heddle/Frontend/Exported.h"
#include "heddle/Frontend/SizeOptions.h"
#include "heddle/Support/MappedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

class TrialKeeper;

/// Sizes that a program leaves open are given by the name of its argument or,
/// for a result of jax.export, of its symbolic dimension. Without that they are
/// refused.
struct StableHloImportOptions : SizeOptions {
  std::vector<ArgumentBinding> bindings;
  /// Parses in a process of its own first, whose death is an error: damaged
  /// bytecode can bring MLIR's reader down.
  bool trial = true;
  /// Has the process for that, and keeps it for the next file; null: the
  /// process ends with the trial.
  TrialKeeper *trials = nullptr;
};

/// A program as its file has it.
struct StableHloProgram {
  std::string path;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The function that is the model; empty for @main, or the only public one.
  std::string entry;
  /// What jax.export says of it; null for other programs.
  std::shared_ptr<const ExportedProgram> exported;

  /// The same, to be imported with sizes of its own.
  StableHloProgram clone() const {
    return {path, module.get().clone(), entry, exported};
  }
};

/// Whether a module that was read may be a model; false after an error, which
/// it has reported.
using AcceptModule = llvm::function_ref<bool(mlir::ModuleOp)>;

/// Reads the program at `path`, `trialFirst` and `trials` as in the options, of
/// which the function `entry` is wanted; nothing after an error, which the
/// context's handler has seen. `accept`, if there is one, sees the module
/// before the function is looked for. Where values lie over devices is dropped
/// before, unless `keepsShardings` leaves that to `accept`.
std::optional<StableHloProgram>
parseStableHlo(mlir::MLIRContext *context, llvm::StringRef path,
               bool trialFirst = true, TrialKeeper *trials = nullptr,
               llvm::StringRef entry = "", AcceptModule accept = nullptr,
               bool keepsShardings = false);

/// The same for a program that has been opened, or is in memory.
std::optional<StableHloProgram>
parseStableHlo(mlir::MLIRContext *context, const MappedFile &file,
               bool trialFirst = true, TrialKeeper *trials = nullptr,
               llvm::StringRef entry = "", AcceptModule accept = nullptr,
               bool keepsShardings = false);

/// The sizes of the entry's arguments that their types bound, but for those of
/// `given` names: `NAME=0..8x4`. An argument of which a size is open and has no
/// bound is left out.
std::vector<std::string> declaredRanges(const StableHloProgram &program,
                                        llvm::ArrayRef<llvm::StringRef> given);

/// What options may say of an argument.
struct ArgumentDescription {
  /// What they may call it: first its name.
  std::vector<std::string> names;
  /// Its sizes, those that are open as ShapedType::kDynamic; none if there may
  /// be any number of them.
  std::optional<std::vector<int64_t>> shape;
};

std::vector<ArgumentDescription>
describeArguments(const StableHloProgram &program);

/// The symbolic dimensions of the entry's arguments.
std::vector<std::string> dimensionNames(const StableHloProgram &program);

/// Imports `program`, which is no more afterwards. The module has one public
/// function, @main, whose arguments and results have names (`heddle.name`);
/// constants over 1 KiB are handles. Where calls choose sizes, types have these
/// as their extents, and the module says which there are and what is taken for
/// granted of them (heddle/Support/EntrySizes.h). Null after an error, which
/// the context's handler has seen.
mlir::OwningOpRef<mlir::ModuleOp>
importStableHlo(StableHloProgram program,
                const StableHloImportOptions &options);

/// Reads and imports the program at `path`.
mlir::OwningOpRef<mlir::ModuleOp>
importStableHlo(mlir::MLIRContext *context, llvm::StringRef path,
                const StableHloImportOptions &options = {});

/// Makes a parsed module a model, as the import of a file does: `entry` becomes
/// @main, arguments and results get names, constants over 1 KiB handles.
mlir::LogicalResult
adoptStableHlo(mlir::ModuleOp module, mlir::func::FuncOp entry,
               llvm::StringRef path,
               llvm::ArrayRef<ArgumentBinding> bindings = {});

} // namespace heddle

#endif // HEDDLE_FRONTEND_STABLEHLO_H
