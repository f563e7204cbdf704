// Finds where weights in units of scales lie, and widens them in registers.

#include "passes/Kernel/Cpu/ScaledWords.h"

#include "dialects/Kernel/NarrowPacking.h"
#include "dialects/Kernel/Packing.h"
#include "dialects/Prec/Prec.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// What is stored of `value`, if by this packing; null if it is not.
static Value storedBy(Value value, StringRef packing) {
  auto unpack = value.getDefiningOp<prec::UnpackOp>();
  return unpack && unpack.getPacking() == packing ? unpack.getStored()
                                                  : Value();
}

FailureOr<std::optional<ScaledWords>> ScaledWords::of(kernel::ContractOp op,
                                                      int64_t panelColumns) {
  auto dequantize = op.getRhs().getDefiningOp<prec::DequantizeOp>();
  if (!dequantize)
    return std::optional<ScaledWords>();
  ScaledWords words;
  words.bits = dequantize.getStorage().getWidth();
  std::string panels = kernel::matrixPanels(panelColumns);
  words.numbers =
      storedBy(dequantize.getInput(),
               words.bits == 4 ? kernel::matrixNibbles(panels) : panels);
  words.scales = storedBy(dequantize.getScale(), panels);
  DenseIntElementsAttr zeros;
  if (matchPattern(dequantize.getZeroPoint(), m_Constant(&zeros)) &&
      zeros.isSplat())
    words.zero = zeros.getSplatValue<APInt>().getSExtValue();
  else
    words.zeroPoints = storedBy(dequantize.getZeroPoint(), panels);
  auto type = cast<RankedTensorType>(dequantize.getType());
  kernel::ContractOp::Dims dims = op.getDims();
  bool isMatrix = dims.batch.empty() && dims.k.size() == 1 &&
                  dims.n.size() == 1 && op.getRhsMap().getNumResults() == 2 &&
                  op.getRhsMap().getResult(0) ==
                      getAffineDimExpr(dims.k[0], op.getContext());
  if ((words.bits != 4 && words.bits != 8) || !words.numbers || !words.scales ||
      !(zeros || words.zeroPoints) || dequantize.getStorage().isUnsigned() ||
      !dequantize.getBlock() || dequantize.getAxis() != 0 || !isMatrix ||
      !type.getElementType().isF32())
    return op.emitOpError("multiplies what is dequantized of no matrix that "
                          "kernels for processors read");
  words.block = *dequantize.getBlock();
  if (words.block % words.terms() != 0)
    return op.emitOpError("reads words of ")
           << words.terms() << " numbers, which do not fill blocks of "
           << words.block;
  words.blocks = llvm::divideCeil(type.getDimSize(0), words.block);
  words.panelStride = words.blocks * panelColumns;
  return std::optional(words);
}

/// The most terms of a chain of sums, about as many as those of plain
/// contractions have.
static constexpr int64_t mostChainTerms = 128;

int64_t ScaledWords::chainSteps() const {
  int64_t steps = std::min(blockSteps(), mostChainTerms / terms());
  // Of one block the last chain may be shorter than the others.
  while (blocks > 1 && blockSteps() % steps != 0)
    --steps;
  return steps;
}

static VectorType lanesOf(Type element) {
  return VectorType::get({logicalLanes}, element);
}

Value WordWidening::load(OpBuilder &builder, Location loc, Value buffer,
                         Value position) const {
  VectorType words = lanesOf(builder.getI32Type());
  Value loaded = vector::LoadOp::create(
      builder, loc,
      lanesOf(cast<MemRefType>(buffer.getType()).getElementType()), buffer,
      position);
  return bits == 4 ? loaded
                   : arith::ExtSIOp::create(builder, loc, words, loaded);
}

Value WordWidening::number(OpBuilder &builder, Location loc, Value words,
                           int64_t term, Value zeroPoints) const {
  VectorType integers = lanesOf(builder.getI32Type()),
             floats = lanesOf(builder.getF32Type());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(integers, APInt(32, value)));
  };
  // Where no zero points follow, the one that all numbers have is part of them.
  int64_t moved = zeroPoints ? 0 : zero;
  Value number;
  if (looksUp) {
    SmallVector<float> table;
    for (int64_t code = 0; code < 16; ++code)
      table.push_back(
          static_cast<float>((code < 8 ? code : code - 16) - moved));
    Value entries = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(floats, ArrayRef<float>(table)));
    // The index is the low four bits.
    Value index = words;
    if (term)
      index = arith::ShRUIOp::create(builder, loc, words, splat(term * bits));
    number = LLVM::CallIntrinsicOp::create(
                 builder, loc, floats,
                 builder.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
                 ValueRange{entries, index})
                 .getResult(0);
  } else {
    Value integer = words;
    if (bits == 4) {
      if (int64_t above = 32 - bits * (term + 1))
        integer = arith::ShLIOp::create(builder, loc, integer, splat(above));
      integer = arith::ShRSIOp::create(builder, loc, integer, splat(32 - bits));
    }
    number = arith::SIToFPOp::create(builder, loc, floats, integer);
    if (moved)
      zeroPoints = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(floats, static_cast<float>(moved)));
  }
  return zeroPoints ? arith::SubFOp::create(builder, loc, number, zeroPoints)
                          .getResult()
                    : number;
}

Value WordWidening::zeroPoints(OpBuilder &builder, Location loc, Value buffer,
                               Value position) const {
  VectorType words = lanesOf(builder.getI32Type());
  Value bytes = vector::LoadOp::create(
      builder, loc, lanesOf(builder.getI8Type()), buffer, position);
  Value integers = arith::ExtSIOp::create(builder, loc, words, bytes);
  // What a byte holds above its bits does not count.
  if (bits < 8) {
    Value unused = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(words, APInt(32, 32 - bits)));
    integers = arith::ShLIOp::create(builder, loc, integers, unused);
    integers = arith::ShRSIOp::create(builder, loc, integers, unused);
  }
  return arith::SIToFPOp::create(builder, loc, lanesOf(builder.getF32Type()),
                                 integers);
}
