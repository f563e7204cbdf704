// What lowers roles and channels to instructions: one role of all warps for
// chips from sm_80 on, warpgroups with a role each where there are such.

#ifndef HEDDLE_PASSES_KERNEL_GPU_ROLELOWERING_H
#define HEDDLE_PASSES_KERNEL_GPU_ROLELOWERING_H

#include "dialects/Ws/Ws.h"
#include "heddle/Target/GpuMachine.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// Shared memory, and memory that all threads of the device see, in PTX.
inline constexpr unsigned kSharedSpace = 3, kGlobalSpace = 1;
/// The matrix product of one instruction: mma.m16n8k16.
inline constexpr int64_t kMmaM = 16, kMmaN = 8, kMmaK = 16;

/// Threads that run in step, and those of them that multiply together (wgmma).
inline constexpr int64_t kWarpThreads = warpThreadsOfPtx,
                         kWarpgroupThreads = warpgroupThreadsOfPtx;

/// How many slots a channel has at most. Four hide the time of memory behind
/// three products; a product of warpgroups is over sooner.
inline constexpr int64_t kMostSlots = 4, kMostBoxedSlots = 6;

/// The rows of a product of a warpgroup (wgmma.m64), the columns of a box in
/// elements of 16 bits, by which rows have the 128 bytes of the widest swizzle.
inline constexpr int64_t kWarpgroupM = 64, kBoxColumns = 64;
/// Of a slot that boxes are copied to: the barriers that say that it is full
/// and that it is empty.
inline constexpr int64_t kBarrierBytes = 8,
                         kBarrierBytesOfSlot = 2 * kBarrierBytes;

/// How many rows and columns of the sums a warp has.
inline int64_t warpM(ws::AccumulatorType type) {
  return type.getRows() / type.getWarpRows();
}
inline int64_t warpN(ws::AccumulatorType type) {
  return type.getColumns() / type.getWarpColumns();
}

inline int64_t warpM(ws::RowsType type) {
  return type.getRows() / type.getWarps();
}
inline int64_t warpM(ws::OperandType type) {
  return type.getRows() / type.getWarps();
}

/// What all lowerings of roles share: threads, slots of channels, numbers in
/// registers, epilogues.
///
/// A lane has the sums of each matrix of 16 by 8 at rows lane / 4 and 8 behind,
/// at columns 2 (lane % 4) and the next (PTX ISA, "Matrix Fragments for
/// mma.m16n8k16"): four a matrix, in the order of rows of matrices, their
/// columns, rows, columns. Of `ws.rows` it has one for each of its rows, and of
/// an operand four registers of two elements for each 16 by 16.
class RoleLowering {
public:
  explicit RoleLowering(mlir::func::FuncOp function)
      : function(function), builder(function.getContext()),
        index(builder, function.getLoc()) {}

protected:
  /// Finds the place of `number`, a thread among those that multiply: its warp
  /// in a grid of warps of so many columns, and its lane.
  void findThread(int64_t warpColumns, mlir::Value number);
  /// The first of `bytes` more of the shared memory that the launch gives,
  /// which all kernels of a module see by one name.
  mlir::Value placeLaunchedMemory(int64_t bytes);
  llvm::SmallVector<mlir::Value>
  tilesAt(ws::ChannelType type, mlir::Value channel, mlir::Value stage);
  /// Stores zeros to the rows of `tile` from `row` on, which lies at `first`:
  /// `threads` threads do it together, of which this is one.
  void clearRows(ws::TileType tile, mlir::Value first, mlir::Value row,
                 int64_t threads);
  /// Does the region of `op` for the sums of this thread, in the order: rows of
  /// matrices of 16 by 8, their columns, the four of a lane. Values from
  /// outside of the region are those of `outside`.
  void lowerEpilogue(ws::EpilogueOp op, mlir::ValueRange sums,
                     const mlir::IRMapping &outside);

  // RoleNumbers.cpp
  /// Lowers `op` if it computes numbers in registers, and says whether it does.
  /// Values from outside of its region are those of `outside`.
  bool lowerNumbers(mlir::Operation &op, const mlir::IRMapping &outside);
  llvm::SmallVector<mlir::Value> load(ws::LoadOp op,
                                      const mlir::IRMapping &outside);
  mlir::Value loadPair(ws::LoadOp op, const mlir::IRMapping &outside,
                       mlir::Value row, mlir::Value column);
  llvm::SmallVector<mlir::Value> map(ws::MapOp op,
                                     const mlir::IRMapping &outside);
  llvm::SmallVector<mlir::Value> reduce(ws::ReduceOp op,
                                        const mlir::IRMapping &outside);
  llvm::SmallVector<mlir::Value> narrow(ws::NarrowOp op);
  /// What `region` yields for `arguments`.
  llvm::SmallVector<mlir::Value> inlineRegion(mlir::Region &region,
                                              mlir::ValueRange arguments,
                                              const mlir::IRMapping &outside);
  /// The row and the column of this lane's number `i`; of a type without
  /// columns only the row.
  llvm::SmallVector<mlir::Value> placeOf(mlir::Type type, int64_t i);
  /// Of the rows and the columns of a warp's tile, a lane's first ones: each
  /// has two numbers beside each other in every eighth row.
  mlir::Value laneRow() { return binary<mlir::arith::DivUIOp>(lane, 4); }
  mlir::Value laneColumn() {
    return binary<mlir::arith::MulIOp>(binary<mlir::arith::RemUIOp>(lane, 4),
                                       2);
  }
  /// Where in memory an element is: at `position`, if `inside` says so. Where
  /// it need not say so it is null, else the position is good in any case.
  struct Source {
    mlir::Value position, inside;
  };
  /// What `place` says of an element.
  Source sourceAt(mlir::Region &place, mlir::Value row, mlir::Value column,
                  const mlir::IRMapping &outside);
  /// Where element `position` of a buffer in global memory lies.
  mlir::Value globalAddress(mlir::Value source, mlir::Value position,
                            int64_t elementBytes);

  mlir::Value threadNumber();
  void barrier() { mlir::NVVM::Barrier0Op::create(builder, index.loc); }

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, index.loc,
                                           builder.getI32IntegerAttr(value));
  }
  template <typename Op> mlir::Value binary(mlir::Value left, int64_t right) {
    return Op::create(builder, index.loc, left, i32(right));
  }
  mlir::Value narrow(mlir::Value number) {
    return mlir::arith::IndexCastOp::create(builder, index.loc,
                                            builder.getI32Type(), number);
  }
  mlir::Value widen(mlir::Value number) {
    return mlir::arith::IndexCastUIOp::create(builder, index.loc,
                                              builder.getIndexType(), number);
  }
  mlir::Value add(mlir::Value left, mlir::Value right) {
    return mlir::arith::AddIOp::create(builder, index.loc, left, right);
  }
  mlir::Value add(mlir::Value left, int64_t right) {
    return right ? binary<mlir::arith::AddIOp>(left, right) : left;
  }
  /// `pointer`, `bytes` further on.
  mlir::Value advance(mlir::Value pointer, mlir::Value bytes) {
    return mlir::LLVM::GEPOp::create(builder, index.loc, pointer.getType(),
                                     builder.getI8Type(), pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  IndexBuilder index;
  mlir::Value thread, lane, warpRow, warpColumn;
  /// The registers of this lane that hold a value of the dialect.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> held;
};

/// How many numbers of a type a lane has.
int64_t countNumbers(mlir::Type type);

/// Every warp does both roles: it copies for steps ahead, then multiplies those
/// that arrived.
class UniformRoles : RoleLowering {
public:
  using RoleLowering::RoleLowering;

  void run();

private:
  void placeChannel(ws::ChannelOp op);
  void lowerRoles(ws::RolesOp op);
  void put(ws::RolesOp op, mlir::Value step, mlir::Value stage);
  void copy(ws::CopyOp op, mlir::Value tile, mlir::IRMapping &outside);
  void copyChunk(ws::CopyOp op, mlir::Value tile, mlir::IRMapping &outside,
                 mlir::Value number);
  llvm::SmallVector<mlir::Value> consume(ws::RolesOp op, mlir::Value step,
                                         mlir::Value stage,
                                         mlir::ValueRange carried);
  /// `lhs` is null where the operand is in registers.
  llvm::SmallVector<mlir::Value> multiply(ws::MmaOp op, mlir::Value lhs,
                                          mlir::Value rhs);
  /// Four matrices of 8 by 8 for this lane, as 32-bit registers.
  llvm::SmallVector<mlir::Value>
  loadMatrices(ws::TileType type, mlir::Value tile, mlir::Value row,
               int64_t rowOffset, mlir::Value column, bool transposed);
  llvm::SmallVector<mlir::Value> loadLhs(ws::MmaOp op, mlir::Value tile,
                                         int64_t m, int64_t k);
  llvm::SmallVector<mlir::Value> loadRhs(ws::MmaOp op, mlir::Value tile,
                                         int64_t n, int64_t k);
  llvm::SmallVector<mlir::Value> multiplyMatrices(mlir::Type element,
                                                  mlir::ValueRange lhs,
                                                  mlir::ValueRange rhs,
                                                  mlir::ValueRange sums);
  /// The address of a byte of a row of a tile, relative to its start.
  mlir::Value addressOf(ws::TileType type, mlir::Value row, mlir::Value byte);

  /// The first byte of each channel's slots.
  llvm::DenseMap<mlir::Value, mlir::Value> channels;
  int64_t threads = 0;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_ROLELOWERING_H
