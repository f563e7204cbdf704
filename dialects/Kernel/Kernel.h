// The kernel dialect.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNEL_H
#define HEDDLE_DIALECTS_KERNEL_KERNEL_H

#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Kernel/Packing.h"
#include "dialects/Size/Expression.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kernel/KernelDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace heddle::kernel {

/// On a function: it is a kernel, launched by kernel.launch.
inline constexpr llvm::StringLiteral kEntryAttrName = "kernel.entry";
/// On a dispatch or a launch: the name of the device that runs it; the cpu
/// without it.
inline constexpr llvm::StringLiteral kPlaceAttrName = "kernel.place";
/// On a kernel's argument: the number of the result that is in its buffer.
inline constexpr llvm::StringLiteral kTiedAttrName = "kernel.tied";
/// On a kernel's argument: the number of the result that may be in its buffer.
inline constexpr llvm::StringLiteral kInPlaceAttrName = "kernel.in_place";
/// On a lowered kernel: how many tiles its grid has.
inline constexpr llvm::StringLiteral kTilesAttrName = "kernel.tiles";
/// On a lowered kernel: how many tiles a worker claims at once.
inline constexpr llvm::StringLiteral kChunkAttrName = "kernel.chunk";
/// On a lowered kernel: the bytes of scratch memory that each worker needs.
inline constexpr llvm::StringLiteral kScratchAttrName = "kernel.scratch";
/// On a lowered kernel whose work follows from a call's sizes: how many tiles
/// there are then, at most `kernel.tiles`.
inline constexpr llvm::StringLiteral kTileCountAttrName = "kernel.tile_count";
/// On a lowered kernel: the bytes of scratch that a worker needs where calls
/// choose that, at most `kernel.scratch`.
inline constexpr llvm::StringLiteral kScratchBytesAttrName =
    "kernel.scratch_bytes";
/// On a lowered kernel: what the numbers of a launch stand for that come after
/// those the kernel function takes, in their order.
inline constexpr llvm::StringLiteral kSizeArgumentsAttrName =
    "kernel.size_arguments";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_KERNEL_H
