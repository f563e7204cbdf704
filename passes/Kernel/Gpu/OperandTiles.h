// How the operands of a contraction lie in memory, and in which pieces they can
// be brought to a block of threads.

#ifndef HEDDLE_PASSES_KERNEL_GPU_OPERANDTILES_H
#define HEDDLE_PASSES_KERNEL_GPU_OPERANDTILES_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Ws/Ws.h"
#include "heddle/Target/GpuMachine.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

#include <optional>

namespace heddle {

/// An operand as a tensor of few dimensions, of which the device copies boxes:
/// the first one runs over elements that follow each other, the second over the
/// other of k and the operand's own loops, the rest over loops of the batch.
struct BoxedOperand {
  llvm::SmallVector<int64_t> extents;
  /// In elements, of all but the first dimension.
  llvm::SmallVector<int64_t> strides;
  /// The loops of the dimensions from the third on.
  llvm::SmallVector<unsigned> batch;
};

/// The way in which loops of the contraction run over an operand's buffer.
struct OperandTiles {
  mlir::Value tensor;
  /// In elements, by loop.
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
  /// Whether elements that follow each other belong to one place of k, so that
  /// the rows of a tile are those of k.
  bool isByK = false;
  /// How many elements one thread can copy at once.
  int64_t chunk = 1;
  /// Nothing where addresses or strides are not those that copies of boxes
  /// take, or where the device has no such copies.
  std::optional<BoxedOperand> boxed;
};

/// How many elements along the loop `innermost` follow each other and start at
/// multiples of their number wherever the other loops are. Buffers start at
/// multiples of 16 bytes.
int64_t widestChunk(llvm::ArrayRef<int64_t> extents,
                    const kernel::LinearAccess &access, unsigned innermost);

/// The matrices of an operand as one tensor for copies of boxes: `columns`
/// elements that follow each other in `rows` rows, `rowStride` elements apart,
/// at each place of the loops `batch` of `extents`. Nothing where the tensor
/// passes a limit of CUDA's driver ("cuTensorMapEncodeTiled").
std::optional<BoxedOperand> describeBoxes(int64_t columns, int64_t rows,
                                          int64_t rowStride,
                                          llvm::ArrayRef<int64_t> extents,
                                          const kernel::LinearAccess &access,
                                          llvm::ArrayRef<unsigned> batch,
                                          int64_t elementBytes);

/// The map by which boxes of the size of `tile`'s panels are copied from the
/// operand in `buffer`, which begins `offset` elements behind its start.
mlir::Value createTensorMap(IndexBuilder &index, mlir::Value buffer,
                            int64_t offset, const BoxedOperand &boxed,
                            ws::TileType tile);

/// A tile for boxes of 128 bytes by `rows`, side by side for `columns`.
ws::TileType boxedTile(int64_t rows, int64_t columns, mlir::Type element);

/// The product of the extents of `loops`.
int64_t countPlaces(kernel::ContractOp op, llvm::ArrayRef<unsigned> loops);

/// An operand of `op`, whose other loops than those of k and the batch are
/// `own`.
OperandTiles describeOperand(kernel::ContractOp op, mlir::Value tensor,
                             mlir::AffineMap map, llvm::ArrayRef<unsigned> own,
                             const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_OPERANDTILES_H
