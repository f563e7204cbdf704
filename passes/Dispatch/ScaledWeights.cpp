// Stores weights that are dequantized as integers and scales: by blocks, or
// with one scale for each column or for all, which is one block of all terms.
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
  /// Terms that share a scale.
  int64_t block;

  /// How many there are of what has one for each block and column.
  SmallVector<int64_t> parameterShape() {
    ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
    return {int64_t(llvm::divideCeil(shape[terms], block)), shape[columns]};
  }
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
  if (!dequantize || !isa<Float32Type, Float16Type, BFloat16Type>(
                         elementOf(dequantize.getScale())))
    return std::nullopt;
  // Blocks follow each other along the terms, single scales along the columns.
  std::optional<uint64_t> block = dequantize.getBlock(),
                          axis = dequantize.getAxis();
  if (axis && static_cast<int64_t>(*axis) != (block ? terms : columns))
    return std::nullopt;
  return ScaledProgram{dequantize, terms, columns,
                       block ? static_cast<int64_t>(*block)
                             : typeOf(dequantize.getInput()).getDimSize(terms)};
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
  /// `value`, an operand of the program, as a matrix of terms or blocks by
  /// columns.
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
  RankedTensorType type = typeOf(value);
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 2) {
    SmallVector<int64_t> places;
    if (shape.size() == 1)
      places.push_back(1);
    return stablehlo::BroadcastInDimOp::create(
        inside, value.getLoc(), type.clone(program.parameterShape()), value,
        places);
  }
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
    auto type = RankedTensorType::get(program.parameterShape(), held);
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
      isNarrow ? kernel::matrixNibbles(facts.matrix) : facts.matrix,
      [&](kernel::WeightOp fresh) {
        fresh.setBlock(ArrayRef<int64_t>{program.block, 1});
        fresh.setScale(scales.getName());
        if (zeroWeight)
          fresh.setZeroPoint(zeroWeight.getName());
      });
  Value integers = unpacked(b, loc, numbers);
  Value units = unpacked(b, loc, scales);
  auto real = typeOf(integers).clone(b.getF32Type());
  return prec::DequantizeOp::create(
      b, loc, real, integers, units, zeros, b.getI64IntegerAttr(0),
      b.getI64IntegerAttr(program.block), /*storage_type=*/TypeAttr());
}

bool heddle::packScaled(WeightPrograms &weights, kernel::ContractOp op,
                        const DispatchFacts &facts) {
  kernel::WeightOp weight = weights.referredTo(op.getRhs());
  // Weights that the model rounds to f16 are multiplied as they are before.
  auto isReal = [](Type type) { return type.isF32() || type.isF16(); };
  Type sum = op.getSumElement();
  if (!weight || !sum.isF32() || elementOf(op.getResult()) != sum ||
      !isReal(op.getLhsElement()) || !isReal(op.getRhsElement()))
    return false;
  std::optional<ScaledProgram> program = programOf(op, weight);
  if (!program)
    return false;
  IntegerType held = signedType(program->op.getStorage());
  if (!facts.isLegal(KernelFamily::Contraction, sum, held, sum))
    return false;
  int64_t run = held.getWidth() == 4 ? kernel::kNibbles : 1;
  if (!hasRuns(op, run) || program->block % run != 0 ||
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
