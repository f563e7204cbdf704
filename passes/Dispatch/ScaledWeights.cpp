// Stores weights that are dequantized by blocks as integers and scales.
//
// Integers get a sign: the highest bit of unsigned ones is changed, in numbers
// and zero points alike, so that the middle of the range, which most models
// have as their zero point, is zero.

#include "passes/Dispatch/ScaledWeights.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/NarrowPacking.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/StepTerms.h"
#include "passes/Dispatch/StoredOperands.h"
#include "passes/Dispatch/StoredSigns.h"
#include "passes/Dispatch/WeightMatrix.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// A weight that is dequantized by blocks of terms and at most transposed.
struct ScaledProgram {
  prec::DequantizeOp op;
  /// The dimensions of what is dequantized that the terms and the columns are.
  int64_t terms, columns;
};
} // namespace

/// Nothing if the right-hand side of `op`, a matrix, is none.
static std::optional<ScaledProgram> programOf(kernel::ContractOp op,
                                              kernel::WeightOp weight) {
  kernel::ContractOp::Dims dims = op.getDims();
  AffineMap map = op.getRhsMap();
  if (!map.isProjectedPermutation() || map.getNumResults() != 2 ||
      dims.k.size() != 1 || dims.n.size() != 1)
    return std::nullopt;
  auto placeOf = [&](unsigned dim) {
    return *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  };
  int64_t terms = placeOf(dims.k[0]), columns = placeOf(dims.n[0]);
  Value value = weight.getBody().front().getTerminator()->getOperand(0);
  while (auto move = value.getDefiningOp<stablehlo::TransposeOp>()) {
    terms = move.getPermutation()[terms];
    columns = move.getPermutation()[columns];
    value = move.getOperand();
  }
  auto dequantize = value.getDefiningOp<prec::DequantizeOp>();
  if (!dequantize || !dequantize.getBlock() ||
      static_cast<int64_t>(*dequantize.getAxis()) != terms ||
      !elementOf(dequantize.getScale()).isF32())
    return std::nullopt;
  return ScaledProgram{dequantize, terms, columns};
}

static IntegerType signedType(IntegerType storage) {
  return IntegerType::get(storage.getContext(), storage.getWidth());
}

namespace {
/// Makes the weights of one program.
class ScaledPacker {
public:
  ScaledPacker(WeightPrograms &weights, ScaledProgram program,
               const PackingFacts &facts)
      : weights(weights), program(program), facts(facts) {}

  /// What `op` reads, made before it.
  Value pack(kernel::ContractOp op);

private:
  /// `value`, an operand of the program, as a matrix of terms by columns.
  Value matrixOf(OpBuilder &inside, Value value);
  /// The same of integers as the model stores them, with a sign.
  Value signedMatrixOf(OpBuilder &inside, Value value);
  /// The matrix in the elements that a kernel holds of `weight`.
  Value unpacked(OpBuilder &b, Location loc, kernel::WeightOp weight);
  /// The zero points as a matrix; `weight` is what holds them, if not a number.
  Value zeroPoints(OpBuilder &b, Location loc, kernel::WeightOp &weight);

  WeightPrograms &weights;
  ScaledProgram program;
  const PackingFacts &facts;
};
} // namespace

Value ScaledPacker::matrixOf(OpBuilder &inside, Value value) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return toMatrix(inside, value, {program.terms, program.columns},
                  {shape[program.terms], shape[program.columns]});
}

Value ScaledPacker::signedMatrixOf(OpBuilder &inside, Value value) {
  IntegerType storage = program.op.getStorage();
  if (storage.isUnsigned())
    value = withHighestBitChanged(inside, value.getLoc(), value,
                                  signedType(storage));
  return matrixOf(inside, value);
}

Value ScaledPacker::unpacked(OpBuilder &b, Location loc,
                             kernel::WeightOp weight) {
  auto value = cast<RankedTensorType>(weight.getValueType());
  Value reference = weights.reference(b, weight);
  // Numbers of less than a byte that share none lie in one each.
  RankedTensorType held = weight.getStoredType();
  if (held.getElementTypeBitWidth() < 8)
    reference.setType(held.clone(b.getI8Type()));
  return prec::UnpackOp::create(b, loc, value, reference, *weight.getPacking());
}

Value ScaledPacker::zeroPoints(OpBuilder &b, Location loc,
                               kernel::WeightOp &weight) {
  Value given = program.op.getZeroPoint();
  IntegerType storage = program.op.getStorage(), held = signedType(storage);
  if (auto number = dyn_cast_or_null<IntegerAttr>(numberEverywhere(given))) {
    APInt zero = number.getValue();
    if (storage.isUnsigned())
      zero ^= APInt::getSignMask(storage.getWidth());
    ArrayRef<int64_t> shape = typeOf(given).getShape();
    auto type = RankedTensorType::get(
        {shape[program.terms], shape[program.columns]}, held);
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, zero));
  }
  weight = weights.derive(
      weights.add(given),
      [&](OpBuilder &inside, Value value) {
        return signedMatrixOf(inside, value);
      },
      facts.matrix);
  return unpacked(b, loc, weight);
}

Value ScaledPacker::pack(kernel::ContractOp op) {
  OpBuilder b(op);
  Location loc = program.op.getLoc();
  int64_t block = *program.op.getBlock();
  kernel::WeightOp scales = weights.derive(
      weights.add(program.op.getScale()),
      [&](OpBuilder &inside, Value value) { return matrixOf(inside, value); },
      facts.matrix);
  kernel::WeightOp zeroWeight;
  Value zeros = zeroPoints(b, loc, zeroWeight);
  bool isNarrow = program.op.getStorage().getWidth() == 4;
  kernel::WeightOp numbers = weights.derive(
      weights.add(program.op.getInput()),
      [&](OpBuilder &inside, Value value) {
        return signedMatrixOf(inside, value);
      },
      isNarrow ? kernel::matrixNibbles(facts.matrix) : facts.quads,
      [&](kernel::WeightOp fresh) {
        fresh.setBlock(ArrayRef<int64_t>{block, 1});
        fresh.setScale(scales.getName());
        if (zeroWeight)
          fresh.setZeroPoint(zeroWeight.getName());
      });
  Value integers = unpacked(b, loc, numbers);
  Value units = unpacked(b, loc, scales);
  auto real = typeOf(integers).clone(b.getF32Type());
  return prec::DequantizeOp::create(
      b, loc, real, integers, units, zeros, b.getI64IntegerAttr(0),
      b.getI64IntegerAttr(block), /*storage_type=*/TypeAttr());
}

bool heddle::packScaled(WeightPrograms &weights, kernel::ContractOp op,
                        const DispatchFacts &facts) {
  kernel::WeightOp weight = weights.referredTo(op.getRhs());
  Type sum = op.getSumElement();
  if (!weight || !sum.isF32() ||
      !llvm::all_equal({sum, elementOf(op.getResult()), op.getLhsElement(),
                        op.getRhsElement()}))
    return false;
  std::optional<ScaledProgram> program = programOf(op, weight);
  if (!program)
    return false;
  IntegerType held = signedType(program->op.getStorage());
  if (!facts.isLegal(KernelFamily::Contraction, sum, held, sum))
    return false;
  int64_t run = held.getWidth() == 4 ? kernel::kNibbles : kernel::kQuad;
  int64_t block = *program->op.getBlock();
  if (!hasRuns(op, run) || block % run != 0 ||
      op.getExtents()[op.getDims().k[0]] % run != 0)
    return false;
  OpBuilder b(op);
  kernel::ContractOp::Dims dims = op.getDims();
  Value real = ScaledPacker(weights, *program, facts.packing).pack(op);
  AffineMap map = AffineMap::get(
      op.getExtents().size(), 0,
      {b.getAffineDimExpr(dims.k[0]), b.getAffineDimExpr(dims.n[0])},
      op.getContext());
  op.getRhsMutable().assign(real);
  op.setIndexingMapsAttr(
      b.getAffineMapArrayAttr({op.getLhsMap(), map, op.getOutMap()}));
  return true;
}
