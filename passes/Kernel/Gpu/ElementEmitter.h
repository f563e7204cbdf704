// What a thread computes: single elements of tensors, by the definitions of the
// operations that make them.

#ifndef HEDDLE_PASSES_KERNEL_GPU_ELEMENTEMITTER_H
#define HEDDLE_PASSES_KERNEL_GPU_ELEMENTEMITTER_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Gpu/GridFrame.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

class ElementEmitter {
public:
  explicit ElementEmitter(GridFrame &frame)
      : frame(frame), builder(frame.builder), index(frame.index) {}

  /// The element of `tensor` at `indices`: read where the tensor has a buffer,
  /// else computed. After a failure that the frame knows of it is anything.
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  /// The same of all results of `op` at a place of its result `number`.
  llvm::SmallVector<mlir::Value> elements(mlir::Operation *op, unsigned number,
                                          llvm::ArrayRef<mlir::Value> indices);
  /// A scalar that the kernel computes outside of payloads.
  mlir::Value scalar(mlir::Value value);

  /// The loops of `op` at a place of its result `number`; null for those that
  /// it reduces.
  llvm::SmallVector<mlir::Value> loopsAt(mlir::linalg::GenericOp op,
                                         unsigned number,
                                         llvm::ArrayRef<mlir::Value> indices);
  /// All results of `op` where its loops stand at `loops`.
  llvm::SmallVector<mlir::Value> evaluate(mlir::linalg::GenericOp op,
                                          llvm::SmallVector<mlir::Value> loops);
  llvm::SmallVector<mlir::Value> apply(mlir::Operation *op, mlir::AffineMap map,
                                       llvm::ArrayRef<mlir::Value> loops);

  /// `region` with `arguments`: what it yields.
  llvm::SmallVector<mlir::Value> inlineRegion(mlir::Block &region,
                                              mlir::ValueRange arguments,
                                              mlir::ValueRange loops = {});
  /// Loops from 0 to `ends` around `body`, which carry values; the first one is
  /// outermost.
  llvm::SmallVector<mlir::Value>
  nest(llvm::ArrayRef<mlir::Value> ends, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           llvm::ArrayRef<mlir::Value>, mlir::ValueRange)>
           body);
  /// if (condition) then(); else otherwise(); with the values of either.
  llvm::SmallVector<mlir::Value>
  choose(mlir::Value condition, mlir::TypeRange types,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> otherwise);
  mlir::Value both(mlir::Value left, mlir::Value right);
  /// Whether 0 <= `number` < `end`.
  mlir::Value isWithin(mlir::Value number, int64_t end);
  /// The position of `indices` in a row-major tensor of `shape`.
  mlir::Value position(llvm::ArrayRef<mlir::Value> indices,
                       llvm::ArrayRef<int64_t> shape);

  /// Elements that are known where elements are computed: those of a tensor
  /// that the operation at hand reads at its own place alone.
  llvm::DenseMap<mlir::Value, mlir::Value> given;
  GridFrame &frame;
  mlir::OpBuilder &builder;
  IndexBuilder &index;
};

// The definitions of roots: all results at a place that is the same in each.

// RootElements.cpp
llvm::SmallVector<mlir::Value>
contractionElement(ElementEmitter &emitter, kernel::ContractOp op,
                   llvm::ArrayRef<mlir::Value> indices);
llvm::SmallVector<mlir::Value>
convolutionElement(ElementEmitter &emitter, kernel::ConvolutionOp op,
                   llvm::ArrayRef<mlir::Value> indices);
// DataElements.cpp
llvm::SmallVector<mlir::Value>
windowElement(ElementEmitter &emitter, kernel::ReduceWindowOp op,
              llvm::ArrayRef<mlir::Value> indices);
llvm::SmallVector<mlir::Value>
concatenatedElement(ElementEmitter &emitter, kernel::ConcatenateOp op,
                    llvm::ArrayRef<mlir::Value> indices);
llvm::SmallVector<mlir::Value>
paddedElement(ElementEmitter &emitter, kernel::PadOp op,
              llvm::ArrayRef<mlir::Value> indices);

// Roots whose threads do not go through the elements of a result: they emit the
// whole kernel.

// UpdateKernels.cpp
void emitUpdateSlice(ElementEmitter &emitter, kernel::DynamicUpdateSliceOp op);
void emitScatterElements(ElementEmitter &emitter, kernel::ScatterOp op);
// RankKernels.cpp
void emitRankedSort(ElementEmitter &emitter, kernel::SortOp op);
void emitRankedTopK(ElementEmitter &emitter, kernel::TopKOp op);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_ELEMENTEMITTER_H
