// Command trees become programs of the plan dialect.

#ifndef HEDDLE_PASSES_PLAN_EMITPLAN_H
#define HEDDLE_PASSES_PLAN_EMITPLAN_H

#include "dialects/Size/Ranges.h"
#include "passes/Plan/CommandTree.h"
#include "passes/Plan/EntryTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <map>

namespace heddle {

/// Makes the programs of one module. They share the weights that lie in
/// memories of devices, and the program that brings them there.
class PlanEmitter {
public:
  /// `ranges` are those of the sizes that calls choose.
  PlanEmitter(mlir::ModuleOp module, const std::vector<std::string> &devices,
              const size::Ranges &ranges);

  /// Gives places to the weights that `tree` reads on devices.
  void addWeights(const CommandTree &tree);
  /// The states that programs name by their numbers.
  void emitStates(llvm::ArrayRef<EntryState> states);
  /// The program that fills the persistent memory, if there is any.
  void emitInit(mlir::SymbolTable &symbols);
  plan::ProgramOp emit(mlir::func::FuncOp main, CommandTree &tree);

private:
  /// A part of persistent memory is, on a device, a weight as it is stored, or
  /// what a kernel makes of weights.
  using PartName = std::tuple<unsigned, std::string, std::vector<std::string>>;

  /// What a program needs of each device's memory; of the process's as an
  /// expression, too, where that is what calls choose.
  struct Arenas {
    std::vector<int64_t> bytes;
    size::ExpressionAttr chosen = {};
  };

  static PartName partName(const Storage &storage);
  CommandTree initCommands();
  plan::ProgramOp createProgram(mlir::OpBuilder &builder, mlir::Location loc,
                                llvm::StringRef name, const Arenas &arenas);
  plan::ProgramOp emit(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef name, CommandTree &tree);
  mlir::ArrayAttr memories(llvm::ArrayRef<int64_t> sizes, bool withHost);
  mlir::Value createBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                           const Storage &storage);
  Arenas placeInArenas(CommandTree &tree, llvm::ArrayRef<LiveRange> lives);
  /// By the sizes of a call; false where no such places are known.
  bool placeBySizes(CommandTree &tree, llvm::ArrayRef<unsigned> ids,
                    llvm::ArrayRef<LiveRange> lives, Arenas &arenas);

  mlir::ModuleOp module;
  mlir::Builder attributes;
  std::vector<std::string> devices;
  const size::Ranges &ranges;
  /// Weights' places among the module's.
  llvm::StringMap<int64_t> positions;
  std::vector<Storage> persistent;
  std::map<PartName, int64_t> offsets;
  std::vector<int64_t> persistentBytes; ///< By device.
  mlir::FlatSymbolRefAttr init;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_EMITPLAN_H
