// Threads, slots and epilogues, for all lowerings of roles.

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "dialects/Kernel/GridKernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {

Value RoleLowering::threadNumber() {
  return narrow(gpu::ThreadIdOp::create(builder, index.loc, gpu::Dimension::x));
}

void RoleLowering::findThread(int64_t warpColumns, Value number) {
  thread = number;
  lane = binary<arith::RemUIOp>(thread, kWarpThreads);
  Value warp = binary<arith::DivUIOp>(thread, kWarpThreads);
  warpRow = binary<arith::DivUIOp>(warp, warpColumns);
  warpColumn = binary<arith::RemUIOp>(warp, warpColumns);
}

Value RoleLowering::placeLaunchedMemory(int64_t bytes) {
  constexpr StringLiteral name = "heddle_shared";
  // Slots begin where the swizzle of 128 bytes repeats: every 8 rows.
  constexpr int64_t alignment = 1024;
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(outside, index.loc,
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), alignment, kSharedSpace);
  }
  auto before =
      function->getAttrOfType<IntegerAttr>(kernel::kSharedBytesAttrName);
  int64_t placed = before ? before.getInt() : 0;
  function->setAttr(kernel::kSharedBytesAttrName,
                    builder.getI64IntegerAttr(placed + bytes));
  Value start = LLVM::AddressOfOp::create(
      builder, index.loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace), name);
  return placed ? advance(start, i32(placed)) : start;
}

SmallVector<Value> RoleLowering::tilesAt(ws::ChannelType type, Value channel,
                                         Value stage) {
  Value slot =
      advance(channel, binary<arith::MulIOp>(stage, type.getSlotBytes()));
  SmallVector<Value> tiles;
  int64_t offset = 0;
  for (Type tile : type.getTiles()) {
    tiles.push_back(offset ? advance(slot, i32(offset)) : slot);
    offset += cast<ws::TileType>(tile).getBytes();
  }
  return tiles;
}

/// Rows are whole pieces of a panel, in whatever order their chunks lie.
void RoleLowering::clearRows(ws::TileType tile, Value first, Value row,
                             int64_t threads) {
  Location loc = index.loc;
  int64_t rowBytes = tile.getLayout().rowBytes;
  auto chunk = VectorType::get({ws::kChunkBytes / 4}, builder.getI32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(chunk));
  Value start = add(
      binary<arith::MulIOp>(narrow(row), rowBytes / ws::kChunkBytes), thread);
  int64_t chunks = tile.getRows() * rowBytes / ws::kChunkBytes;
  for (int64_t column = 0; column < tile.getColumns();
       column += tile.getPanelColumns()) {
    Value panel = advance(first, i32(column / tile.getPanelColumns() *
                                     tile.getRows() * rowBytes));
    auto loop =
        scf::ForOp::create(builder, loc, start, i32(chunks), i32(threads));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value bytes =
        binary<arith::MulIOp>(loop.getInductionVar(), ws::kChunkBytes);
    LLVM::StoreOp::create(builder, loc, zero, advance(panel, bytes),
                          ws::kChunkBytes);
  }
}

void RoleLowering::lowerEpilogue(ws::EpilogueOp op, ValueRange sums,
                                 const IRMapping &outside) {
  index.loc = op.getLoc();
  ws::AccumulatorType type = op.getAccumulator().getType();
  for (auto [i, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> arguments = {sum};
    llvm::append_range(arguments, placeOf(type, static_cast<int64_t>(i)));
    inlineRegion(op.getBody(), arguments, outside);
  }
}

} // namespace heddle
