// Operators whose weights are a few bits wide, in blocks with a scale each.

#include "Functions.h"
#include "Quantization.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// [.., bytes] of ui8 to [.., bytes * 8 / bits] numbers of `storage`, of each
/// byte the lowest bits first.
static Value unpacked(Emitter &emit, Value bytes, IntegerType storage) {
  int64_t perByte = 8 / storage.getWidth();
  if (perByte == 1)
    return bytes;
  Shape shape = emit.shapeOf(bytes), parts(shape);
  parts.push_back(perByte);
  shape.back() *= perByte;
  Value taken = stablehlo::BitcastConvertOp::create(
      emit.builder, emit.loc, emit.type(parts, storage), bytes);
  return emit.reshape(taken, shape);
}

/// The zero points of MatMulNBits, [columns, blocks]: of the type of the
/// numbers, where each column's begin with a byte of their own, or floats. The
/// middle of the range if none are given. Null after a fault.
static Value zeroPoints(NodeImporter &node, IntegerType storage,
                        int64_t columns, int64_t blocks) {
  Emitter &emit = node.emit;
  if (!node.has(3))
    return emit.splatInteger(emit.type({columns, blocks}, storage),
                             int64_t(1) << (storage.getWidth() - 1));
  int64_t count = isa<FloatType>(node.element(3))
                      ? blocks
                      : llvm::divideCeil(blocks * storage.getWidth(), 8);
  if (node.type(3).getNumElements() != columns * count) {
    (void)node.invalid("the zero points do not fit N and K");
    return {};
  }
  Value given = emit.reshape(node.operand(3), {columns, count});
  if (isa<FloatType>(node.element(3)))
    return given;
  return emit.sliceDim(unpacked(emit, given, storage), 1, 0, blocks);
}

/// A product with weights of 4 or 8 bits, [columns, blocks, bytes], low bits
/// first, each block with a scale and a zero point.
static LogicalResult importMatMulNBits(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rows = node.integerAttribute("K", 0);
  int64_t columns = node.integerAttribute("N", 0);
  int64_t bits = node.integerAttribute("bits", 4);
  int64_t block = node.integerAttribute("block_size", 0);
  node.ignoreAttribute("accuracy_level");
  if (bits != 4 && bits != 8)
    return node.unsupported("weights of " + Twine(bits) + " bits");
  if (node.has(4))
    return node.unsupported("columns in an order of their own (g_idx)");
  if (rows < 1 || columns < 1 || block < 1)
    return node.invalid("K, N and block_size must be positive");
  int64_t blocks = llvm::divideCeil(rows, block);
  int64_t perByte = 8 / bits;
  if (!node.element(1).isUnsignedInteger(8) ||
      node.type(1).getNumElements() * perByte != columns * blocks * block ||
      node.type(2).getNumElements() != columns * blocks)
    return node.invalid("weights of the shape " + spellShape(node.shape(1)) +
                        " do not fit N, K and block_size");
  auto storage =
      IntegerType::get(emit.builder.getContext(), bits, IntegerType::Unsigned);
  Scaling scaling;
  scaling.scale = emit.reshape(node.operand(2), {columns, blocks});
  scaling.zeroPoint = zeroPoints(node, storage, columns, blocks);
  scaling.axis = 1;
  scaling.block = block;
  if (!scaling.zeroPoint)
    return failure();
  Value numbers = unpacked(
      emit, emit.reshape(node.operand(1), {columns, blocks * block / perByte}),
      storage);
  Value weights = dequantize(emit, emit.sliceDim(numbers, 1, 0, rows), scaling,
                             node.element(0));
  Value product = emit.dotGeneral(node.operand(0), weights, {}, {},
                                  {node.rank(0) - 1}, {1});
  if (node.has(5))
    product = emit.add(product, node.operand(5));
  return node.result(product);
}

void heddle::onnx::addNarrowWeights(OperatorTable &table) {
  table.add("com.microsoft.MatMulNBits", {1}, 3, 6, importMatMulNBits);
}
