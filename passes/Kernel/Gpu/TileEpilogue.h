// What kernels with tiles in registers have in common: the root whose results
// those are, the function that becomes of it, and what is done to each result
// on its way to memory.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILEEPILOGUE_H
#define HEDDLE_PASSES_KERNEL_GPU_TILEEPILOGUE_H

#include "dialects/Ws/Ws.h"
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

/// Replaces `kernel` by a function of the same name, whose grid is filled by
/// `emit` with tiles and roles of the ws dialect, and returns it. Fails with a
/// diagnostic.
mlir::FailureOr<mlir::func::FuncOp>
tileKernel(mlir::func::FuncOp kernel, const GpuMachine &machine,
           llvm::function_ref<void(ElementEmitter &)> emit);

/// Makes of the kernels of `module` that `isTiled` says what `tile` makes of
/// each. Fails with a diagnostic.
mlir::LogicalResult tileKernels(
    mlir::ModuleOp module, llvm::function_ref<bool(mlir::func::FuncOp)> isTiled,
    llvm::function_ref<mlir::FailureOr<mlir::func::FuncOp>(mlir::func::FuncOp,
                                                           const GpuMachine &)>
        tile);

/// Whether `place`, one of a tile of `tile` of them, is before `end`; null
/// where tiles fill up what there is.
mlir::Value isInside(IndexBuilder &index, mlir::Value place, int64_t end,
                     int64_t tile);

/// Fills `place`, the region of a copy or a load that says of a row and a
/// column where that element is, and whether it is there: the pair that `where`
/// gives of them, whose second is null for always.
void emitPlace(IndexBuilder &index, mlir::Region &place,
               llvm::function_ref<std::pair<mlir::Value, mlir::Value>(
                   mlir::Value row, mlir::Value column)>
                   where);

/// Fills the region of `roles` that brings tiles: by `body` in each step.
void emitProducer(IndexBuilder &index, ws::RolesOp roles,
                  llvm::function_ref<void(mlir::Value step)> body);

/// Brings tiles into the next slot of `channel`: `copy` fills them, which are
/// full by `completion`.
void emitPut(IndexBuilder &index, mlir::Value channel,
             ws::Completion completion,
             llvm::function_ref<void(mlir::ValueRange tiles)> copy);

/// The tiles of the next full slot of `channel`, and the token with which the
/// slot is given back.
ws::GetEnterOp emitGet(IndexBuilder &index, mlir::Value channel);

/// The registers that a thread of a producer's warpgroup and one of those that
/// multiply ask for, in a block of `threads`. Null where one warpgroup
/// multiplies: then equal shares are as many as a thread can have.
mlir::DenseI64ArrayAttr shareRegisters(const GpuMachine &machine,
                                       mlir::Builder &builder, int64_t threads);

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
