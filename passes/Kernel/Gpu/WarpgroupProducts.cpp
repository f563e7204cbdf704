// Products of warpgroups: matrices in shared memory as descriptors, and the
// instructions that multiply them. PTX ISA, "Asynchronous Warpgroup Level
// Matrix Instructions".

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

using namespace mlir;

namespace heddle {

/// The summed elements of one instruction: 32 bytes.
static constexpr int64_t kProductK = 16;

Type WarpgroupRoles::sumsStruct() {
  SmallVector<Type> elements(countNumbers(sums), builder.getF32Type());
  return LLVM::LLVMStructType::getLiteral(builder.getContext(), elements);
}

/// The low half of the descriptor of a matrix of rows of 128 bytes with their
/// swizzle, which begins `offset` bytes behind the first byte of slot `stage`.
/// Bits 0 to 13 are the address, 16 to 29 the leading offset, both in units of
/// 16 bytes. That offset counts where rows are those of the sum: there it leads
/// to the next panel. Only the last addition depends on the step.
Value WarpgroupRoles::matrixAt(ws::TileType type, Value offset, bool acrossRows,
                               Value stage) {
  int64_t panelBytes = type.getRows() * type.getLayout().rowBytes;
  Value first = LLVM::PtrToIntOp::create(builder, index.loc,
                                         builder.getI32Type(), shared);
  Value bits = binary<arith::ShRUIOp>(
      binary<arith::AndIOp>(add(first, offset), 0x3ffff), 4);
  bits = binary<arith::OrIOp>(bits, (acrossRows ? panelBytes / 16 : 1) << 16);
  int64_t slotBytes = channel.getChannel().getType().getSlotBytes();
  return add(bits, binary<arith::MulIOp>(stage, slotBytes / 16));
}

/// The descriptor of the matrix `bytes` further on. Its high half is the same
/// for all: bits 32 to 45 are the offset from 8 rows to the next, in units of
/// 16 bytes, 62 and 63 the swizzle, where 1 is that of 128 bytes.
Value WarpgroupRoles::descriptorOf(Value low, int64_t bytes) {
  constexpr uint64_t high = uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
  Location loc = index.loc;
  Value bits = arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                      add(low, bytes / 16));
  return arith::OrIOp::create(
      builder, loc, bits,
      arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(static_cast<int64_t>(high))));
}

Value WarpgroupRoles::multiply(ws::MmaOp op, Value stage, Value started) {
  Location loc = index.loc;
  auto lhsType = cast<ws::TileType>(op.getLhs().getType());
  ws::TileType rhsType = op.getRhs().getType();
  bool lhsByK = op.getTransposeLhs(), rhsByK = !op.getTransposeRhs();
  // A warpgroup's rows are 64 rows of a tile, or the one panel of 64 columns.
  Value group = binary<arith::DivUIOp>(warpRow, kWarpgroupM / kMmaM);
  int64_t rowBytes = lhsType.getLayout().rowBytes;
  int64_t groupBytes = rowBytes * (lhsByK ? lhsType.getRows() : kWarpgroupM);
  Value a = matrixAt(
      lhsType,
      add(binary<arith::MulIOp>(group, groupBytes), offsetInSlot(op.getLhs())),
      lhsByK, stage);
  Value b = matrixAt(rhsType, i32(offsetInSlot(op.getRhs())), rhsByK, stage);
  // K runs along the bytes of a row, or over rows.
  int64_t depth = lhsByK ? lhsType.getRows() : lhsType.getColumns();
  auto stepBytes = [&](bool byK, int64_t k) {
    return byK ? k * rowBytes : k * 2;
  };
  auto element = lhsType.getElement().isF16() ? NVVM::WGMMATypes::f16
                                              : NVVM::WGMMATypes::bf16;
  auto shape =
      NVVM::MMAShapeAttr::get(builder.getContext(), kWarpgroupM,
                              static_cast<int>(sums.getColumns()), kProductK);
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (int64_t k = 0; k < depth; k += kProductK)
    started = NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, sumsStruct(), started,
        descriptorOf(a, stepBytes(lhsByK, k)),
        descriptorOf(b, stepBytes(rhsByK, k)), shape, element, element,
        NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
        lhsByK ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        rhsByK ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return started;
}

/// The wait takes the sums and gives them, since nothing else keeps what reads
/// them behind it: nvvm.wgmma.wait.group names no registers.
Value WarpgroupRoles::finish(Value started) {
  Location loc = index.loc;
  size_t count = cast<LLVM::LLVMStructType>(sumsStruct()).getBody().size();
  std::string constraints, given;
  SmallVector<Value> elements;
  for (size_t i = 0; i < count; ++i) {
    constraints += "=f,";
    given += std::to_string(i) + ",";
    elements.push_back(LLVM::ExtractValueOp::create(builder, loc, started,
                                                    static_cast<int64_t>(i)));
  }
  return LLVM::InlineAsmOp::create(
             builder, loc, sumsStruct(), elements,
             "wgmma.wait_group.sync.aligned 0;",
             constraints + given + "~{memory}", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

} // namespace heddle
