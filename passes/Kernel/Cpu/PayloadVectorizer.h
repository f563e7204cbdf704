// Emits the payload of a linalg.generic for several points at once.

#ifndef HEDDLE_PASSES_KERNEL_CPU_PAYLOADVECTORIZER_H
#define HEDDLE_PASSES_KERNEL_CPU_PAYLOADVECTORIZER_H

#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "passes/Kernel/Cpu/LoopNest.h"

namespace heddle {

/// The points a vector stands for: `ivs`, and the `lanes - 1` that follow it
/// along `loop`. With no lanes it is the single point `ivs`, in scalars.
struct LanePoint {
  llvm::SmallVector<mlir::Value> ivs;
  unsigned loop = 0;
  int64_t lanes = logicalLanes;
  /// `vector<lanes x i1>`, the lanes that count; null for all. The first one
  /// always counts.
  mlir::Value mask;
};

/// Emits the payload of one generic, with its operands' loads and its results'
/// stores. An operand is loaded as its position demands: contiguous lanes by a
/// vector load, an invariant as one scalar, the rest by gather.
/// `tensor.extract` in the payload (a gather of rows) is analysed the same way.
///
/// ```
/// PayloadVectorizer payload(LoopNest(generic), frame);
/// SmallVector<LaneValue> supplied(payload.nest().op->getNumOperands());
/// supplied[0] = accumulator;              // in place of loading operand 0
/// FailureOr<SmallVector<Value>> results = payload.emit(builder, point,
/// supplied); payload.store(builder, point, *results);
/// ```
class PayloadVectorizer {
public:
  PayloadVectorizer(LoopNest nest, KernelFrame &frame)
      : loops(std::move(nest)), frame(frame) {}

  const LoopNest &nest() const { return loops; }

  /// The inputs that are the same wherever `point` moves along `movingLoops`,
  /// loaded: for hoisting out of these loops. What the kernel itself computes
  /// is left out. Every other entry is empty. `supplied` entries are kept.
  llvm::SmallVector<LaneValue>
  loadInvariants(mlir::OpBuilder &builder, const LanePoint &point,
                 llvm::ArrayRef<unsigned> movingLoops,
                 llvm::ArrayRef<LaneValue> supplied = {});

  /// One operand at `point`.
  mlir::FailureOr<LaneValue> load(mlir::OpBuilder &builder,
                                  const LanePoint &point, unsigned operand);

  /// One value per result of the generic, each `vector<lanes x T>` (`T` with
  /// no lanes). A non-empty entry of `supplied` stands for that operand, inputs
  /// first, outputs after; what is not supplied is loaded.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emit(mlir::OpBuilder &builder, const LanePoint &point,
       llvm::ArrayRef<LaneValue> supplied = {});

  /// The same, leaving uniform results scalar.
  mlir::FailureOr<llvm::SmallVector<LaneValue>>
  emitLanes(mlir::OpBuilder &builder, const LanePoint &point,
            llvm::ArrayRef<LaneValue> supplied = {});

  /// Stores result N where the map of output N says, if it has a buffer.
  void store(mlir::OpBuilder &builder, const LanePoint &point,
             llvm::ArrayRef<mlir::Value> results);

private:
  llvm::SmallVector<LaneValue> loopValues(const LanePoint &point) const;
  mlir::FailureOr<LaneValue> loadOperand(LaneBuilder &lanes, unsigned operand,
                                         llvm::ArrayRef<LaneValue> ivs);
  mlir::FailureOr<LaneValue> emitOp(LaneBuilder &lanes, mlir::Operation &op,
                                    llvm::ArrayRef<LaneValue> operands,
                                    llvm::ArrayRef<LaneValue> ivs);

  LoopNest loops;
  KernelFrame &frame;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_PAYLOADVECTORIZER_H
