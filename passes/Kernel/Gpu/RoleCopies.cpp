// The slots of channels, and what a producer copies to them.

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {

void UniformRoles::placeChannel(ws::ChannelOp op) {
  ws::ChannelType type = op.getChannel().getType();
  if (op.getLaunched()) {
    channels[op] = placeLaunchedMemory(type.getDepth() * type.getSlotBytes());
    return;
  }
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = (function.getName() + "_slots").str();
  for (unsigned number = 0; SymbolTable::lookupSymbolIn(module, name); ++number)
    name = (function.getName() + "_slots" + Twine(number)).str();
  OpBuilder outside(function);
  LLVM::GlobalOp::create(
      outside, op.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(),
                               type.getDepth() * type.getSlotBytes()),
      /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(),
      /*alignment=*/128, kSharedSpace);
  channels[op] = LLVM::AddressOfOp::create(
      builder, op.getLoc(),
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace), name);
}

Value UniformRoles::addressOf(ws::TileType type, Value row, Value byte) {
  ws::SharedLayout layout = type.getLayout();
  Value moved = binary<arith::ShRUIOp>(row, layout.shift);
  moved = binary<arith::AndIOp>(moved, (int64_t(1) << layout.bits) - 1);
  moved = binary<arith::MulIOp>(moved, ws::kChunkBytes);
  Value within = arith::XOrIOp::create(builder, index.loc, byte, moved);
  return add(binary<arith::MulIOp>(row, layout.rowBytes), within);
}

/// Brings chunk `number` of a tile.
void UniformRoles::copyChunk(ws::CopyOp op, Value tile, IRMapping &outside,
                             Value number) {
  ws::TileType type = op.getTile().getType();
  Location loc = index.loc;
  int64_t chunk = op.getChunk(), chunks = type.getColumns() / chunk;
  int64_t elementBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  Value row = binary<arith::DivUIOp>(number, chunks);
  Value column =
      binary<arith::MulIOp>(binary<arith::RemUIOp>(number, chunks), chunk);
  auto [position, inside] = sourceAt(op.getPlace(), row, column, outside);
  Value target = advance(
      tile, addressOf(type, row, binary<arith::MulIOp>(column, elementBytes)));
  if (chunk == 1) {
    Value element =
        memref::LoadOp::create(builder, loc, op.getSource(), position);
    if (inside)
      element = arith::SelectOp::create(
          builder, loc, inside, element,
          arith::ConstantOp::create(builder, loc,
                                    builder.getZeroAttr(type.getElement())));
    LLVM::StoreOp::create(builder, loc, element, target);
    return;
  }
  Value from = globalAddress(op.getSource(), position, elementBytes);
  Value given;
  if (inside)
    given = arith::SelectOp::create(builder, loc, inside,
                                    i32(chunk * elementBytes), i32(0));
  // Only whole chunks of 16 bytes can pass by the first cache.
  auto cache = chunk * elementBytes == ws::kChunkBytes
                   ? NVVM::LoadCacheModifierKind::CG
                   : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(builder, loc, target, from, chunk * elementBytes,
                          cache, given);
}

void UniformRoles::copy(ws::CopyOp op, Value tile, IRMapping &outside) {
  ws::TileType type = op.getTile().getType();
  int64_t count = type.getRows() * type.getColumns() / op.getChunk();
  // A few chunks a thread are copied side by side, more in a loop.
  constexpr int64_t most = 4;
  if (count % threads == 0 && count / threads <= most) {
    for (int64_t i = 0; i < count / threads; ++i)
      copyChunk(op, tile, outside, add(thread, i * threads));
    return;
  }
  auto loop =
      scf::ForOp::create(builder, index.loc, thread, i32(count), i32(threads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  copyChunk(op, tile, outside, loop.getInductionVar());
}

/// The step of the producer: `stage` is the number of its slot, as i32.
void UniformRoles::put(ws::RolesOp op, Value step, Value stage) {
  IRMapping values;
  Block &body = op.getProduce().front();
  values.map(body.getArgument(0), step);
  for (Operation &inner : body.without_terminator()) {
    if (auto enter = dyn_cast<ws::PutEnterOp>(inner)) {
      values.map(enter.getTiles(),
                 tilesAt(enter.getChannel().getType(),
                         channels.lookup(enter.getChannel()), stage));
    } else if (auto move = dyn_cast<ws::CopyOp>(inner)) {
      copy(move, values.lookup(move.getTile()), values);
    } else if (!isa<ws::PutExitOp>(inner)) {
      builder.clone(inner, values);
    }
  }
}

} // namespace heddle
