// Products of warpgroups: matrices in shared memory as descriptors, and the
// instructions that multiply them. PTX ISA, "Asynchronous Warpgroup Level
// Matrix Instructions".

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

/// The summed elements of one instruction: 32 bytes.
static constexpr int64_t kProductK = 16;

Type WarpgroupRoles::structOf(ws::AccumulatorType type) {
  SmallVector<Type> elements(countNumbers(type), builder.getF32Type());
  return LLVM::LLVMStructType::getLiteral(builder.getContext(), elements);
}

Value WarpgroupRoles::pack(ValueRange numbers) {
  SmallVector<Type> types(numbers.getTypes());
  Value packed = LLVM::UndefOp::create(
      builder, index.loc,
      LLVM::LLVMStructType::getLiteral(builder.getContext(), types));
  for (auto [i, number] : llvm::enumerate(numbers))
    packed = LLVM::InsertValueOp::create(builder, index.loc, packed, number,
                                         static_cast<int64_t>(i));
  return packed;
}

SmallVector<Value> WarpgroupRoles::unpack(Value sums) {
  size_t count = cast<LLVM::LLVMStructType>(sums.getType()).getBody().size();
  SmallVector<Value> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(LLVM::ExtractValueOp::create(builder, index.loc, sums,
                                                   static_cast<int64_t>(i)));
  return numbers;
}

int64_t WarpgroupRoles::offsetInSlot(Value tile) {
  auto enter = tile.getDefiningOp<ws::GetEnterOp>();
  int64_t offset = 0;
  for (Value other : enter.getTiles()) {
    if (other == tile)
      break;
    offset += cast<ws::TileType>(other.getType()).getBytes();
  }
  return offset;
}

/// The low half of the descriptor of a matrix of rows of 128 bytes with their
/// swizzle, which begins `offset` bytes behind the first byte of `tile` in slot
/// `stage`. Bits 0 to 13 are the address, 16 to 29 the leading offset, both in
/// units of 16 bytes. That offset counts where rows are those of the sum: there
/// it leads to the next panel. Only the last addition depends on the step.
Value WarpgroupRoles::matrixAt(Value tile, Value offset, bool acrossRows,
                               Value stage) {
  auto type = cast<ws::TileType>(tile.getType());
  Ring &ring = ringOf(tile.getDefiningOp<ws::GetEnterOp>().getChannel());
  int64_t panelBytes = type.getRows() * type.getLayout().rowBytes;
  Value first = LLVM::PtrToIntOp::create(builder, index.loc,
                                         builder.getI32Type(), ring.shared);
  first = add(first, add(offset, offsetInSlot(tile)));
  Value bits = binary<arith::ShRUIOp>(binary<arith::AndIOp>(first, 0x3ffff), 4);
  bits = binary<arith::OrIOp>(bits, (acrossRows ? panelBytes / 16 : 1) << 16);
  return add(bits, binary<arith::MulIOp>(stage, ring.slotBytes() / 16));
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

/// How far place `k` of the sum lies behind the first one of a tile, in bytes:
/// over rows, or along those of a panel and over the panels.
static int64_t bytesToK(ws::TileType type, bool byK, int64_t k) {
  int64_t rowBytes = type.getLayout().rowBytes;
  if (byK)
    return k * rowBytes;
  int64_t columns = type.getPanelColumns();
  return k / columns * type.getRows() * rowBytes + k % columns * 2;
}

Value WarpgroupRoles::multiplyTiles(ws::MmaOp op, Value stage, Value started) {
  Location loc = index.loc;
  auto lhsType = cast<ws::TileType>(op.getLhs().getType());
  ws::TileType rhsType = op.getRhs().getType();
  ws::AccumulatorType type = op.getAccumulator().getType();
  bool lhsByK = op.getTransposeLhs(), rhsByK = !op.getTransposeRhs();
  // A warpgroup's rows are 64 rows of a tile, or the one panel of 64 columns.
  Value group = binary<arith::DivUIOp>(warpRow, kWarpgroupM / kMmaM);
  int64_t rowBytes = lhsType.getLayout().rowBytes;
  int64_t groupBytes = rowBytes * (lhsByK ? lhsType.getRows() : kWarpgroupM);
  Value a = matrixAt(op.getLhs(), binary<arith::MulIOp>(group, groupBytes),
                     lhsByK, stage);
  Value b = matrixAt(op.getRhs(), i32(0), rhsByK, stage);
  int64_t depth = lhsByK ? lhsType.getRows() : lhsType.getColumns();
  auto element = lhsType.getElement().isF16() ? NVVM::WGMMATypes::f16
                                              : NVVM::WGMMATypes::bf16;
  auto shape =
      NVVM::MMAShapeAttr::get(builder.getContext(), kWarpgroupM,
                              static_cast<int>(type.getColumns()), kProductK);
  if (!started)
    started = LLVM::ZeroOp::create(builder, loc, structOf(type));
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (int64_t k = 0; k < depth; k += kProductK)
    started = NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, structOf(type), started,
        descriptorOf(a, bytesToK(lhsType, lhsByK, k)),
        descriptorOf(b, bytesToK(rhsType, rhsByK, k)), shape, element, element,
        NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
        lhsByK ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        rhsByK ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        NVVM::MMAIntOverflowAttr());
  return started;
}

/// One instruction of a left operand in four registers, which NVVM has none of.
/// Sums of nothing are not read.
Value WarpgroupRoles::multiplyRegistersOnce(ws::MmaOp op, ValueRange lhs,
                                            Value rhs, Value started) {
  ws::AccumulatorType type = op.getAccumulator().getType();
  int64_t count = countNumbers(type);
  std::string text, constraints;
  llvm::raw_string_ostream os(text), cs(constraints);
  StringRef element =
      op.getRhs().getType().getElement().isF16() ? "f16" : "bf16";
  os << "{\n.reg .pred p;\nsetp.ne.b32 p, " << (started ? 1 : 0)
     << ", 0;\nwgmma.mma_async.sync.aligned.m" << kWarpgroupM << "n"
     << type.getColumns() << "k" << kProductK << ".f32." << element << "."
     << element << " {";
  for (int64_t i = 0; i < count; ++i) {
    os << (i ? ", $" : "$") << i;
    cs << "=f,";
  }
  os << "}, {$" << count << ", $" << count + 1 << ", $" << count + 2 << ", $"
     << count + 3 << "}, $" << count + 4 << ", p, 1, 1, "
     << (op.getTransposeRhs() ? 0 : 1) << ";\n}\n";
  cs << "r,r,r,r,l";
  SmallVector<Value> operands(lhs);
  operands.push_back(rhs);
  if (started) {
    llvm::append_range(operands, unpack(started));
    for (int64_t i = 0; i < count; ++i)
      cs << "," << i;
  }
  return LLVM::InlineAsmOp::create(
             builder, index.loc, structOf(type), operands, text, constraints,
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
             ArrayAttr())
      .getResult(0);
}

/// Products of an operand in registers, as a lane has them for 16 by 16
/// elements each, by a tile.
Value WarpgroupRoles::multiplyRegisters(ws::MmaOp op, Value stage,
                                        Value started) {
  ws::TileType rhsType = op.getRhs().getType();
  bool rhsByK = !op.getTransposeRhs();
  SmallVector<Value> lhs = held.lookup(op.getLhs());
  Value b = matrixAt(op.getRhs(), i32(0), rhsByK, stage);
  int64_t depth = cast<ws::OperandType>(op.getLhs().getType()).getColumns();
  fence(lhs, started);
  for (int64_t k = 0; k < depth; k += kProductK)
    started = multiplyRegistersOnce(
        op, ArrayRef(lhs).slice(k / kProductK * 4, 4),
        descriptorOf(b, bytesToK(rhsType, rhsByK, k)), started);
  return started;
}

Value WarpgroupRoles::multiply(ws::MmaOp op, Value stage, Value started) {
  Value sums = isa<ws::OperandType>(op.getLhs().getType())
                   ? multiplyRegisters(op, stage, started)
                   : multiplyTiles(op, stage, started);
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, index.loc);
  return sums;
}

SmallVector<Value> WarpgroupRoles::passThrough(StringRef instruction,
                                               ValueRange values) {
  Location loc = index.loc;
  std::string constraints, given;
  for (auto [i, value] : llvm::enumerate(values)) {
    constraints += value.getType().isF32() ? "=f," : "=r,";
    given += std::to_string(i) + ",";
  }
  SmallVector<Type> types(values.getTypes());
  Value passed =
      LLVM::InlineAsmOp::create(
          builder, loc,
          LLVM::LLVMStructType::getLiteral(builder.getContext(), types), values,
          instruction, constraints + given + "~{memory}",
          /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
          ArrayAttr())
          .getResult(0);
  return unpack(passed);
}

/// What was computed in the registers of a product stands before the fence, and
/// the product behind it.
void WarpgroupRoles::fence(SmallVectorImpl<Value> &lhs, Value &started) {
  SmallVector<Value> all(lhs.begin(), lhs.end());
  if (started)
    llvm::append_range(all, unpack(started));
  SmallVector<Value> passed = passThrough("wgmma.fence.sync.aligned;", all);
  llvm::copy(ArrayRef(passed).take_front(lhs.size()), lhs.begin());
  if (started)
    started = pack(ArrayRef(passed).drop_front(lhs.size()));
}

Value WarpgroupRoles::finish(Value started, int64_t pending) {
  std::string wait =
      "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";";
  return pack(passThrough(wait, unpack(started)));
}

} // namespace heddle
