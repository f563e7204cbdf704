// Emits products of matrix registers, which are named by their numbers: LLVM
// assigns none, so that nothing is ever spilled, and what is configured is said
// once for all of a tile.

#include "passes/Kernel/Cpu/MatrixTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

void MatrixTile::call(StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr(name),
                                operands);
}

Value MatrixTile::registerNumber(int64_t number) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI8Type(),
                                  builder.getI8IntegerAttr(number));
}

static int64_t elementBytes(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
}

Value MatrixTile::bytesOf(Value buffer, const Number &elements) {
  Value bytes =
      index.valueOf(index.times(elements, Number(elementBytes(buffer))));
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), bytes);
}

Value MatrixTile::addressOf(Value buffer, Value position) {
  Value start =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value address = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(),
      index.at(start, position, elementBytes(buffer)));
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
}

void MatrixTile::configure(Value memory, int64_t height, int64_t steps) {
  // Source: Intel 64 and IA-32 Architectures Software Developer's Manual
  // (253665-083), section 18.1, table 18-1: the palette, the bytes of a row of
  // each register from byte 16 on, two each, the rows of each from byte 48 on.
  SmallVector<int8_t> bytes(configurationBytes, 0);
  bytes[0] = 1;
  auto describe = [&](int64_t number, int64_t count, int64_t rowBytes) {
    bytes[16 + 2 * number] = rowBytes;
    bytes[48 + number] = count;
  };
  for (int64_t c = 0; c < columns; ++c)
    describe(firstColumns + c, steps, matrixRowBytes);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t first = llvm::divideCeil(height, rows),
            count = r ? height - first : first;
    describe(firstRows + r, count, matrixRowBytes / matrixSteps * steps);
    for (int64_t c = 0; c < columns; ++c)
      describe(sumsAt(r, c), count, matrixRowBytes);
  }
  auto type = VectorType::get({configurationBytes}, builder.getI8Type());
  Value text = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  Value start = index.constant(0);
  vector::StoreOp::create(builder, loc, text, memory, start);
  call("llvm.x86.ldtilecfg", addressOf(memory, start));
}

void MatrixTile::release(OpBuilder &builder, Location loc) {
  LLVM::CallIntrinsicOp::create(builder, loc,
                                builder.getStringAttr("llvm.x86.tilerelease"),
                                ValueRange());
}

void MatrixTile::zero() {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      call("llvm.x86.tilezero", registerNumber(sumsAt(r, c)));
}

Value MatrixTile::rowsAt(Value base, int64_t r, const Number &stride) {
  return r ? index.at(base, index.valueOf(firstRegisterRows), stride) : base;
}

/// The load that hints whether its lines are read again soon.
static StringRef loadOf(bool passesBy) {
  return passesBy ? "llvm.x86.tileloaddt164" : "llvm.x86.tileloadd64";
}

void MatrixTile::loadRows(const MatrixLhs &lhs, int64_t r) {
  call(loadOf(lhs.passesBy),
       {registerNumber(firstRows + r),
        addressOf(lhs.buffer, rowsAt(lhs.base, r, lhs.rowStride)),
        bytesOf(lhs.buffer, lhs.rowStride)});
}

void MatrixTile::loadColumns(const MatrixRhs &rhs, int64_t c) {
  call(loadOf(rhs.passesBy),
       {registerNumber(firstColumns + c),
        addressOf(rhs.buffer, index.add(rhs.base, rhs.vectors[c])),
        bytesOf(rhs.buffer, Number(rhs.stepStride))});
}

void MatrixTile::multiplyAdd(const MatrixLhs &lhs, const MatrixRhs &rhs) {
  // Each register is loaded where it is first needed: a load takes half of the
  // time of a product, beside which it runs.
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      if (r == 0)
        loadColumns(rhs, c);
      if (c == 0)
        loadRows(lhs, r);
      call(product,
           {registerNumber(sumsAt(r, c)), registerNumber(firstRows + r),
            registerNumber(firstColumns + c)});
    }
}

void MatrixTile::storeRows(const MatrixLhs &copy) {
  for (int64_t r = 0; r < rows; ++r)
    call("llvm.x86.tilestored64",
         {registerNumber(firstRows + r),
          addressOf(copy.buffer, rowsAt(copy.base, r, copy.rowStride)),
          bytesOf(copy.buffer, copy.rowStride)});
}

void MatrixTile::moveSums(StringRef name, Value buffer, Value base) {
  int64_t rowElements = columns * logicalLanes;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      Value first = index.add(rowsAt(base, r, rowElements), c * logicalLanes);
      call(name, {registerNumber(sumsAt(r, c)), addressOf(buffer, first),
                  bytesOf(buffer, Number(rowElements))});
    }
}

void MatrixTile::store(Value buffer, Value base) {
  moveSums("llvm.x86.tilestored64", buffer, base);
}

void MatrixTile::load(Value buffer, Value base) {
  moveSums("llvm.x86.tileloadd64", buffer, base);
}
