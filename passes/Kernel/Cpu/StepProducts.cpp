// What products of several terms have in common.

#include "passes/Kernel/Cpu/StepProducts.h"

#include "dialects/Kernel/Factors.h"
#include "passes/Kernel/Cpu/FloatPairs.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/IntegerQuads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

std::optional<StepTerms> heddle::stepTerms(StringRef packing, StringRef quads,
                                           StringRef pairs, Type lhs,
                                           Type rhs) {
  if (packing == quads)
    return StepTerms{kernel::kQuad, "quads", "ui8 times i8",
                     kernel::areQuadFactors(lhs, rhs)};
  if (packing == pairs)
    return StepTerms{kernel::kPair, "pairs", "bf16 times bf16",
                     kernel::arePairFactors(lhs, rhs)};
  return std::nullopt;
}

std::shared_ptr<const StepProducts>
StepProducts::of(const Machine &machine, int64_t perStep, Type accumulator) {
  if (perStep == 1)
    return nullptr;
  if (isa<IntegerType>(accumulator))
    return std::make_shared<IntegerQuads>(machine);
  return std::make_shared<FloatPairs>(machine);
}

Value heddle::interleavePairs(OpBuilder &builder, Location loc, Value first,
                              Value second) {
  auto type = cast<VectorType>(first.getType());
  auto bits = VectorType::get(type.getShape(), builder.getI16Type());
  Value both = vector::InterleaveOp::create(
      builder, loc, vector::BitCastOp::create(builder, loc, bits, first),
      vector::BitCastOp::create(builder, loc, bits, second));
  auto pairs = VectorType::get({2 * type.getDimSize(0)}, type.getElementType());
  return vector::BitCastOp::create(builder, loc, pairs, both);
}

VectorType StepProducts::lanesOf(Type element) {
  return VectorType::get(
      {logicalVectorBytes * 8 / element.getIntOrFloatBitWidth()}, element);
}

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

Value StepProducts::spread(OpBuilder &builder, Location loc, Value buffer,
                           Value position, int64_t count) {
  Type i32 = builder.getI32Type(), element = elementOf(buffer);
  int64_t terms = 32 / element.getIntOrFloatBitWidth();
  auto type = VectorType::get({terms}, element);
  Value loaded;
  if (count == terms) {
    loaded = vector::LoadOp::create(builder, loc, type, buffer, position);
  } else {
    // What follows them may lie behind the buffer.
    IndexBuilder index(builder, loc);
    loaded = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (int64_t i = 0; i < count; ++i)
      loaded = vector::InsertOp::create(
          builder, loc,
          memref::LoadOp::create(builder, loc, buffer, index.add(position, i)),
          loaded, i);
  }
  Value word = vector::BitCastOp::create(builder, loc,
                                         VectorType::get({1}, i32), loaded);
  Value scalar = vector::ExtractOp::create(builder, loc, word, 0);
  return vector::BroadcastOp::create(builder, loc, lanesOf(i32), scalar);
}

Value StepProducts::call(OpBuilder &builder, Location loc, StringRef name,
                         Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, type,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}
