// The root of a kernel whose results tiles hold in registers, and what is done
// to each of them on their way to memory.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILEEPILOGUE_H
#define HEDDLE_PASSES_KERNEL_GPU_TILEEPILOGUE_H

#include "passes/Kernel/Gpu/ElementEmitter.h"

namespace heddle {

/// The operation that makes what `kernel` returns, and the elementwise one
/// behind it; the latter is null if there is none, both are if there is more
/// than that.
std::pair<mlir::Operation *, mlir::linalg::GenericOp>
findRootAndEpilogue(mlir::func::FuncOp kernel);

/// The same for one kind of roots; null for others.
template <typename Root>
std::pair<Root, mlir::linalg::GenericOp>
findTiledRoot(mlir::func::FuncOp kernel) {
  auto [root, epilogue] = findRootAndEpilogue(kernel);
  if (auto op = mlir::dyn_cast_or_null<Root>(root))
    return {op, epilogue};
  return {};
}

/// Stores what `epilogue`, if there is one, makes of `result`, whose elements
/// are the `sums` of a tile. `isInside` says, of a row and a column of the
/// tile, whether they are of the result (null: always), `placeOf` where they
/// are there.
void emitTileEpilogue(
    ElementEmitter &emitter, mlir::Value result,
    mlir::linalg::GenericOp epilogue, mlir::Value sums,
    llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> isInside,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::Value)>
        placeOf);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_TILEEPILOGUE_H
