// Makes of a function on whole tensors the program of one device.

#ifndef HEDDLE_PASSES_SHARDING_PARTITIONER_H
#define HEDDLE_PASSES_SHARDING_PARTITIONER_H

#include "passes/Sharding/OperationCut.h"
#include "passes/Sharding/Reshard.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// What stands for a value in the program of one device.
struct Part {
  mlir::Value value;
  /// The type of all of the tensor; null for values that are no tensors.
  mlir::RankedTensorType whole;
  Layout layout;
};

/// Partitions functions over one mesh, operation by operation, in order. An
/// operation is computed on parts as far as its rule and the layouts of its
/// tensors allow; what it needs more of is gathered first.
class Partitioner {
public:
  /// `module` has the program on whole tensors; it is not changed.
  Partitioner(mlir::ModuleOp module, sdy::MeshAttr mesh)
      : module(module), mesh(mesh), builder(module.getContext()),
        collectives(builder, mesh) {}

  /// Replaces signature and body of a function by those of the function of its
  /// name in the module; results have the layouts that it names, or lie whole
  /// on each device.
  mlir::LogicalResult partition(mlir::func::FuncOp function);

private:
  //===--- Values -------------------------------------------------------===//

  Part &partOf(mlir::Value value) { return parts[value]; }
  void setPart(mlir::Value value, mlir::Value local, Layout layout);
  /// The same of a result or an argument, which is moved to how the program
  /// names it.
  void setResult(mlir::Value value, mlir::Value local, Layout layout,
                 mlir::Location loc);
  mlir::Value moved(const Part &part, const Layout &to, mlir::Location loc);
  mlir::Value wholeOf(mlir::Value value, mlir::Location loc);
  mlir::Type localType(mlir::Type type, const Layout &layout);
  /// The layout that the program names for a value; nothing if it names none.
  std::optional<Layout> namedLayout(mlir::Value value);

  //===--- Operations ---------------------------------------------------===//

  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visit(mlir::Operation *op);
  /// The same operation on whole tensors, on each device.
  mlir::LogicalResult visitWhole(mlir::Operation *op);
  mlir::LogicalResult visitByRule(mlir::Operation *op,
                                  const sharding::FactorRule &rule);
  mlir::LogicalResult visitMove(mlir::Operation *op);
  mlir::LogicalResult visitConstant(sdy::ConstantOp op);
  mlir::LogicalResult visitCall(mlir::func::CallOp op);
  mlir::LogicalResult visitComposite(stablehlo::CompositeOp op);
  mlir::LogicalResult visitWhile(stablehlo::WhileOp op);
  mlir::LogicalResult visitBranches(mlir::Operation *op);
  mlir::LogicalResult visitManual(sdy::ManualComputationOp op);
  mlir::LogicalResult visitNamed(sdy::NamedComputationOp op);
  mlir::LogicalResult visitAllReduce(sdy::AllReduceOp op);
  mlir::LogicalResult visitReduceScatter(sdy::ReduceScatterOp op);
  mlir::LogicalResult visitInline(mlir::Operation *op, mlir::Block &body);

  /// Builds the body of a region of the new operation from that of the old one;
  /// what it yields has the given layouts, or, where these are missing, gives
  /// them.
  mlir::LogicalResult
  fillRegion(mlir::Region &from, mlir::Region &to,
             llvm::ArrayRef<Layout> arguments,
             std::optional<llvm::SmallVector<Layout>> &yields);

  //===--- Reductions ---------------------------------------------------===//

  /// The operation that joins the terms of an operation's results; nothing
  /// where terms cannot be joined.
  std::optional<mlir::OperationName> joinsBy(mlir::Operation *op);
  /// Makes `fill` of what lies beyond operand `index` of an operation along its
  /// padded factors, of those that `isFilled` wants.
  void fillPadding(mlir::Operation *op, mlir::Operation *local, unsigned index,
                   const sharding::FactorRule &rule, const OperationCut &cut,
                   mlir::Attribute fill,
                   llvm::function_ref<bool(int64_t factor)> isFilled);
  /// Makes an operation on parts give terms: what is beyond the tensors and
  /// what must be counted once become neutral.
  void prepareTerms(mlir::Operation *op, mlir::Operation *local,
                    const sharding::FactorRule &rule, const OperationCut &cut,
                    llvm::ArrayRef<sdy::AxisRefAttr> termAxes);
  /// Joins the terms of a result; `wanted` is how it is to lie.
  Part joinTerms(mlir::Operation *op, Part part, mlir::OperationName by,
                 llvm::ArrayRef<sdy::AxisRefAttr> axes,
                 const std::optional<Layout> &wanted);
  /// Joins terms along `added`, of which each device keeps its piece alone:
  /// then the part's dimension `dim` is cut over `cut`.
  void scatterTerms(Part &part, mlir::OperationName by, int64_t dim,
                    const Axes &cut, llvm::ArrayRef<sdy::AxisRefAttr> added,
                    mlir::Location loc);
  /// The axes along which all users of an operation's results join terms
  /// themselves.
  Axes leftToUsers(mlir::Operation *op);

  //===--- Places -------------------------------------------------------===//

  /// Whether an operation that needs more than pieces of a factor is a gather
  /// or scatter along it, for which places are moved.
  bool movesPlaces(mlir::Operation *op, const sharding::FactorRule &rule,
                   int64_t factor);
  llvm::SmallVector<mlir::Value> beginsOf(llvm::ArrayRef<int64_t> dims,
                                          mlir::RankedTensorType whole,
                                          const Layout &layout,
                                          mlir::Location loc);
  /// Makes a gather on parts give terms: what it finds in the device's part of
  /// the operand, which lies so, and what changes no sum elsewhere.
  mlir::Value gatherTerms(stablehlo::GatherOp op, mlir::Operation *local,
                          const Layout &layout);
  /// Makes 0 of what lies beyond the indices of a selection, which unlike a
  /// gather takes no index that has no element.
  void fillIndices(stablehlo::TorchIndexSelectOp op, mlir::Operation *local,
                   const sharding::FactorRule &rule, const OperationCut &cut);
  /// Moves the places of a scatter to where the device's part begins.
  void movePlaces(stablehlo::ScatterOp op, mlir::Operation *local,
                  const Layout &layout);

  mlir::Operation *cloneOnParts(mlir::Operation *op,
                                const sharding::FactorRule &rule,
                                const OperationCut &cut);
  bool canCut(mlir::Operation *op, const sharding::FactorRule &rule,
              int64_t factor);

  mlir::ModuleOp module;
  sdy::MeshAttr mesh;
  mlir::OpBuilder builder;
  Collectives collectives;
  llvm::DenseMap<mlir::Value, Part> parts;
  /// Bodies of computations by hand around the operation that is visited.
  unsigned manualDepth = 0;
  unsigned inlineDepth = 0;
};

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_PARTITIONER_H
