// The lowered function of a kernel while it is made: buffers in the device's
// memory, numbers of the launch, and the loops in which threads go through the
// elements.

#ifndef HEDDLE_PASSES_KERNEL_GPU_GRIDFRAME_H
#define HEDDLE_PASSES_KERNEL_GPU_GRIDFRAME_H

#include "heddle/Target/GpuMachine.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Elements as they lie in memory: a truth value takes a byte.
mlir::Type elementInMemory(mlir::Type element);

class GridFrame {
public:
  /// Makes the function that takes the place of `source`, without a body.
  /// Fails with a diagnostic.
  static mlir::FailureOr<GridFrame> create(mlir::func::FuncOp source,
                                           const GpuMachine &machine);

  /// The buffer of an argument, a result or a table of constants; null if
  /// `tensor` is none of these.
  mlir::Value buffer(mlir::Value tensor);
  /// A number that the source takes at each launch; null if `value` is none.
  mlir::Value argument(mlir::Value value) const {
    return arguments.lookup(value);
  }

  mlir::Value load(mlir::Value buffer, mlir::Value position,
                   mlir::Type element);
  void store(mlir::Value element, mlir::Value buffer, mlir::Value position);

  /// `body` for each number from 0 to `count`, spread over the threads of the
  /// grid; `builder` is inside meanwhile.
  void forEach(int64_t count, llvm::function_ref<void(mlir::Value)> body);
  /// `body` for each place of an array of `blocks`, each by one block of
  /// `threads` threads; `builder` is inside meanwhile.
  void forEachBlock(llvm::ArrayRef<int64_t> blocks, int64_t threads,
                    llvm::function_ref<void(mlir::ValueRange)> body);
  /// The indices of a row-major array of `extents` at `linear`, by divisions of
  /// 32 bits where these are enough.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> extents);

  /// Says that the kernel cannot be made. What was built is of no use then.
  void fail(mlir::Operation *op, const llvm::Twine &why);
  /// A value in place of one that could not be made.
  mlir::Value placeholder(mlir::Type type);

  /// Replaces the source by the lowered function, or erases what was built.
  mlir::LogicalResult finish();

  mlir::func::FuncOp source, function;
  mlir::OpBuilder builder;
  IndexBuilder index;
  const GpuMachine &machine;

private:
  GridFrame(mlir::func::FuncOp source, mlir::func::FuncOp function,
            const GpuMachine &machine);
  GridFrame(const GridFrame &) = delete;

public:
  GridFrame(GridFrame &&other);

private:
  llvm::DenseMap<mlir::Value, mlir::Value> buffers, arguments;
  /// The largest number of elements of a loop.
  int64_t points = 0;
  int64_t blockThreads = 0;
  bool failed = false;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_GRIDFRAME_H
