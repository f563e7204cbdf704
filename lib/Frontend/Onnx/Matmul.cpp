// Products of matrices.

#include "Functions.h"
#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value heddle::onnx::matmul(Emitter &emit, Value lhs, Value rhs) {
  Shape left = emit.shapeOf(lhs), right = emit.shapeOf(rhs);
  auto fail = [&](const Twine &why) {
    emit.fault(ErrorCode::OnnxNode, why);
    return lhs;
  };
  if (left.empty() || right.empty())
    return fail("an operand is a scalar");
  if (Emitter::elementOf(lhs) != Emitter::elementOf(rhs))
    return fail("the operands have different types");
  bool leftIsVector = left.size() == 1, rightIsVector = right.size() == 1;
  if (!Extent::meet(left.back(), right[rightIsVector ? 0 : right.size() - 2]))
    return fail("operands of the shapes " + spellShape(left) + " and " +
                spellShape(right) + " cannot be multiplied");

  // A matrix or vector on the right needs no batch: the leading dimensions of
  // the left are rows.
  if (right.size() <= 2)
    return emit.dotGeneral(lhs, rhs, {}, {}, {int64_t(left.size()) - 1}, {0});
  if (leftIsVector) {
    left.insert(left.begin(), 1);
    lhs = emit.reshape(lhs, left);
  }
  Shape batch = emit.broadcastShape(left.before(2), right.before(2));
  if (emit.hasFault())
    return lhs;
  auto stretch = [&](Value side) {
    Shape shape = batch;
    shape.append(emit.shapeOf(side).trailing(2));
    return emit.broadcastTo(side, shape);
  };
  lhs = stretch(lhs);
  rhs = stretch(rhs);
  int64_t rank = batch.size() + 2;
  OwnedExtents batchDims;
  for (int64_t i = 0; i < rank - 2; ++i)
    batchDims.push_back(i);
  Value product =
      emit.dotGeneral(lhs, rhs, batchDims, batchDims, {rank - 1}, {rank - 2});
  if (leftIsVector) {
    Shape shape = batch;
    shape.push_back(right.back());
    product = emit.reshape(product, shape);
  }
  return product;
}

static LogicalResult importMatMul(NodeImporter &node) {
  return node.result(matmul(node.emit, node.operand(0), node.operand(1)));
}

/// alpha * op(A) op(B) + beta * C
static LogicalResult importGemm(NodeImporter &node) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1);
  double beta = node.floatAttribute("beta", 1);
  int64_t contractLeft = node.integerAttribute("transA", 0) ? 0 : 1;
  int64_t contractRight = node.integerAttribute("transB", 0) ? 1 : 0;
  if (node.rank(0) != 2 || node.rank(1) != 2)
    return node.invalid("A and B must be matrices");
  Value lhs = node.operand(0);
  // With the free dimension of A first, the product already has its rows first,
  // transposed or not.
  Value product = emit.dotGeneral(lhs, node.operand(1), {}, {}, {contractLeft},
                                  {contractRight});
  auto scaled = [&](Value value, double factor) {
    return factor == 1 ? value
                       : emit.multiply(value, emit.splatLike(value, factor));
  };
  product = scaled(product, alpha);
  if (node.has(2) && beta != 0) {
    Value bias =
        emit.broadcastTo(scaled(node.operand(2), beta), emit.shapeOf(product));
    product = emit.add(product, bias);
  }
  return node.result(product);
}

void heddle::onnx::addMatmul(OperatorTable &table) {
  table.add("MatMul", {1, 9, 13}, 2, 2, importMatMul);
  table.add("Gemm", {7, 9, 11, 13}, 2, 3, importGemm);
}
