// Commands over storages, made of one entry's program.

#ifndef HEDDLE_PASSES_PLAN_PLANBUILDER_H
#define HEDDLE_PASSES_PLAN_PLANBUILDER_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Dynamic/BoundedSizes.h"
#include "passes/Plan/CommandTree.h"
#include "passes/Plan/OrderCounts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>

namespace heddle {

/// Makes the command tree of `main`, an entry whose operations are launches,
/// transfers, loops and branches.
class PlanBuilder {
public:
  /// `states` has the number of each of the module's states.
  PlanBuilder(mlir::func::FuncOp main, mlir::SymbolTable &symbols,
              const std::vector<std::string> &devices,
              const llvm::DenseMap<mlir::StringAttr, unsigned> &states)
      : main(main), symbols(symbols), states(states),
        sizes(main->getParentOfType<mlir::ModuleOp>()) {
    tree.devices = devices;
  }

  /// Makes the tree, with shared storages and commands in queues.
  mlir::LogicalResult run();
  mlir::func::FuncOp getMain() { return main; }
  CommandTree &getTree() { return tree; }

private:
  //===--- Storages -------------------------------------------------------===//

  unsigned addStorage(plan::BufferKind kind, int64_t place, mlir::Type type,
                      llvm::StringRef name, unsigned device = 0);
  /// One for a value between commands.
  unsigned addStorage(mlir::Type type, unsigned device = 0) {
    return addStorage(plan::BufferKind::Arena, 0, type, "", device);
  }
  /// The storage of a weight as it is on a device.
  unsigned weightStorage(kernel::WeightRefOp reference, unsigned device);
  bool differsByDevice(kernel::WeightRefOp reference);
  /// The storage of a weight that `op` lays out at load.
  unsigned laidOutWeight(kernel::LaunchOp op);
  /// The number of a device; that of the cpu where there is no name.
  unsigned deviceOf(mlir::StringAttr name) {
    return name ? llvm::find(tree.devices, name.getValue()) -
                      tree.devices.begin()
                : 0;
  }
  unsigned storageOf(mlir::Value value) { return storages.at(value); }
  llvm::SmallVector<unsigned> storagesOf(mlir::ValueRange values) {
    return llvm::map_to_vector(
        values, [&](mlir::Value value) { return storageOf(value); });
  }

  //===--- Commands -------------------------------------------------------===//

  void add(Command command) {
    tree.blocks[current].push_back(std::move(command));
  }
  /// Adds the commands of a block's operations.
  mlir::LogicalResult build(mlir::Block &block);
  /// A new block of commands made of `block`, and then by `finish`.
  mlir::FailureOr<unsigned> nested(mlir::Block &block,
                                   llvm::function_ref<void()> finish);
  /// Reads the sizes that `op` computes; null: that no operation does.
  void count(mlir::Operation *op);
  /// Finds for each size that the entry computes the devices with launches that
  /// are told it.
  void findCounted();
  bool isCounted(kernel::LaunchOp op) const;
  /// Where `value`, which lies in the process's memory or was brought there, is
  /// on a device: brought there if it is nowhere yet.
  unsigned storageOn(unsigned device, mlir::Value value);
  void collective(kernel::CollectiveOp op);
  mlir::LogicalResult launch(kernel::LaunchOp op);
  void transfer(kernel::TransferOp op);
  mlir::LogicalResult loop(stablehlo::WhileOp op);
  /// `cases` are in the order of the numbers that select them.
  mlir::LogicalResult branch(mlir::Operation *op,
                             llvm::ArrayRef<mlir::Block *> cases);
  void copy(mlir::Location loc, unsigned source, unsigned target);
  /// Copies as if all at once: what a loop carries may change places.
  void copyAll(mlir::Location loc, llvm::ArrayRef<unsigned> sources,
               llvm::ArrayRef<unsigned> targets);
  /// Moves a value between the place of its largest size and that of the size
  /// that the call chose.
  void resize(mlir::Location loc, unsigned source, unsigned target);

  //===--- The program's interface ----------------------------------------===//

  /// The storage of a result that is the output `number`.
  unsigned addOutput(unsigned result, unsigned number);
  /// The storage where the program finds what the caller gives as the input
  /// `number`.
  unsigned addInput(mlir::BlockArgument argument, unsigned number);
  void addStates();
  void addInputs();
  void returnResults(mlir::func::ReturnOp op);

  mlir::func::FuncOp main;
  mlir::SymbolTable &symbols;
  /// The states' numbers.
  const llvm::DenseMap<mlir::StringAttr, unsigned> &states;
  BoundedSizes sizes;
  CommandTree tree;
  /// The storages of the results, as far as they are known.
  llvm::SmallVector<std::optional<unsigned>> outputs;
  /// Sizes that launches are told, and the program computes; the devices of
  /// these launches by the size's name, and those sizes by kernel.
  llvm::SmallVector<CountedSize> counted;
  std::map<std::string, std::set<unsigned>> countingDevices;
  llvm::StringMap<llvm::SmallVector<llvm::StringRef>> countsOfKernels;
  unsigned current = 0; ///< The block that commands are added to.
  unsigned depth = 1;   ///< Of blocks, the outermost included.
  llvm::DenseMap<mlir::Value, unsigned> storages;
  /// Weights' storages, by name and device.
  std::map<std::pair<std::string, unsigned>, unsigned> weights;
  /// Those of weights that are laid out at load, by kernel, device and names.
  std::map<std::tuple<std::string, unsigned, std::vector<std::string>>,
           unsigned>
      laidOut;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_PLANBUILDER_H
