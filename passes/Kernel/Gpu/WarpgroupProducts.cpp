// Products of warpgroups: matrices in shared memory as descriptors, and the
// instructions that multiply them. PTX ISA, "Asynchronous Warpgroup Level
// Matrix Instructions".

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

using namespace mlir;

namespace heddle {

/// The summed elements of one instruction: 32 bytes.
static constexpr int64_t kProductK = 16;

Type WarpgroupRoles::sumsStruct() {
  SmallVector<Type> elements(warpM(sums) * warpN(sums) / 32,
                             builder.getF32Type());
  return LLVM::LLVMStructType::getLiteral(builder.getContext(), elements);
}

/// The descriptor of a matrix that begins at `address`, of rows of 128 bytes
/// with their swizzle. Fields by bits: 0 to 13 the address, 16 to 29 and 32 to
/// 45 the leading and the stride offset, all three in units of 16 bytes; 62 and
/// 63 the swizzle, where 1 is that of 128 bytes. The stride leads from 8 rows
/// to the next. The leading offset counts where rows are those of the sum:
/// there it leads to the next panel.
Value WarpgroupRoles::matrixAt(ws::TileType type, Value address,
                               bool acrossRows) {
  Location loc = index.loc;
  int64_t rowBytes = type.getLayout().rowBytes;
  uint64_t leading = acrossRows ? type.getRows() * rowBytes / 16 : 1;
  uint64_t stride = 8 * rowBytes / 16;
  uint64_t fixed = leading << 16 | stride << 32 | uint64_t(1) << 62;
  Value bits =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), address);
  bits = binary<arith::AndIOp>(bits, 0x3ffff);
  bits = binary<arith::ShRUIOp>(bits, 4);
  bits = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), bits);
  return arith::OrIOp::create(
      builder, loc, bits,
      arith::ConstantOp::create(
          builder, loc,
          builder.getI64IntegerAttr(static_cast<int64_t>(fixed))));
}

Value WarpgroupRoles::multiply(ws::MmaOp op, Value lhs, Value rhs,
                               Value started) {
  Location loc = index.loc;
  ws::TileType lhsType = op.getLhs().getType(), rhsType = op.getRhs().getType();
  bool lhsByK = op.getTransposeLhs(), rhsByK = !op.getTransposeRhs();
  // A warpgroup's rows are 64 rows of a tile, or the one panel of 64 columns.
  Value group = binary<arith::DivUIOp>(warpRow, kWarpgroupM / kMmaM);
  int64_t rowBytes = lhsType.getLayout().rowBytes;
  int64_t groupBytes =
      lhsByK ? lhsType.getRows() * rowBytes : kWarpgroupM * rowBytes;
  Value a = matrixAt(
      lhsType, advance(lhs, binary<arith::MulIOp>(group, groupBytes)), lhsByK);
  Value b = matrixAt(rhsType, rhs, rhsByK);
  auto further = [&](Value matrix, int64_t bytes) -> Value {
    if (!bytes)
      return matrix;
    return arith::AddIOp::create(
        builder, loc, matrix,
        arith::ConstantOp::create(builder, loc,
                                  builder.getI64IntegerAttr(bytes / 16)));
  };
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
        builder, loc, sumsStruct(), started, further(a, stepBytes(lhsByK, k)),
        further(b, stepBytes(rhsByK, k)), shape, element, element,
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
