// Products with weights that have minima by blocks become products with
// integers in units of scales, and of sums of blocks with minima.
//
// Kernels multiply integers that share a scale as they are stored. A number for
// each block that is added behind that would make a weight a matrix of floats:
// of four bits, seven times as much to read. Taken out, it is as many products
// as there are blocks. Their factors are wanted exact: minima are what a weight
// was quantized to, and nobody who asks for narrower weights means these.

#include "dialects/Prec/Prec.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Precision.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
#define GEN_PASS_DEF_SPLITMINIMA
#include "passes/Precision/Passes.h.inc"

namespace {

/// A matrix that is dequantized by blocks of its second dimension, and what is
/// added to each element of a block.
struct Offset {
  prec::DequantizeOp dequantized;
  /// [rows, blocks].
  Value minima;
  /// Whether the product takes the transpose of the sum.
  bool isTurned = false;
};

/// [rows, blocks] of which `value`, [rows, blocks * block], repeats each
/// element `block` times; null if it is something else.
Value repeatedBy(Value value, int64_t block) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape
                       ? reshape.getOperand().getDefiningOp<BroadcastInDimOp>()
                       : BroadcastInDimOp();
  if (!broadcast ||
      broadcast.getBroadcastDimensions() != ArrayRef<int64_t>{0, 1})
    return {};
  ArrayRef<int64_t> shape = shapeOf(broadcast),
                    inner = shapeOf(broadcast.getOperand());
  bool isRepeated = inner.size() == 2 && shape.size() == 3 &&
                    shape.take_front(2) == inner && shape[2] == block;
  return isRepeated ? broadcast.getOperand() : Value();
}

std::optional<Offset> offsetOf(Value matrix) {
  Offset offset;
  // Models transpose a weight, and the layer's function may do so again.
  while (auto transpose = matrix.getDefiningOp<TransposeOp>()) {
    offset.isTurned ^= transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
    matrix = transpose.getOperand();
  }
  auto sum = matrix.getDefiningOp<AddOp>();
  offset.dequantized =
      sum ? sum.getLhs().getDefiningOp<prec::DequantizeOp>() : nullptr;
  if (!offset.dequantized || !elementOf(matrix).isF32() ||
      shapeOf(matrix).size() != 2 || !offset.dequantized.getBlock() ||
      *offset.dequantized.getAxis() != 1)
    return std::nullopt;
  offset.minima = repeatedBy(
      sum.getRhs(), static_cast<int64_t>(*offset.dequantized.getBlock()));
  return offset.minima ? std::optional(offset) : std::nullopt;
}

/// Whether the product's terms are those that share scales: the only ones of
/// the left side.
bool sumsOverBlocks(DotGeneralOp op, Offset offset) {
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  int64_t terms = offset.isTurned ? 0 : 1;
  return lhs && elementOf(op.getLhs()).isF32() && elementOf(op).isF32() &&
         !op.getAlgorithm() && !asksPrecision(op.getPrecisionConfigAttr()) &&
         numbers.getLhsBatchingDimensions().empty() &&
         numbers.getLhsContractingDimensions() ==
             ArrayRef<int64_t>{lhs.getRank() - 1} &&
         numbers.getRhsContractingDimensions() == ArrayRef<int64_t>{terms};
}

/// The sums of each `block` elements of the last dimension.
Value blockSums(OpBuilder &b, Location loc, Value value, int64_t block) {
  RankedTensorType type = typeOf(value);
  MLIRContext *context = b.getContext();
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<size::Expression> extents = size::extentsOf(type);
  shape.back() /= block;
  extents.back() = size::Expression::constant(context, shape.back());
  auto sumType = size::withExtents(
      RankedTensorType::get(shape, type.getElementType()), extents);
  shape.push_back(block);
  extents.push_back(size::Expression::constant(context, block));
  auto splitType = size::withExtents(
      RankedTensorType::get(shape, type.getElementType()), extents);
  Value split = ReshapeOp::create(b, loc, splitType, value);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero =
      ConstantOp::create(b, loc, cast<ElementsAttr>(b.getZeroAttr(scalar)));
  auto reduce = ReduceOp::create(
      b, loc, TypeRange(sumType), ValueRange(split), ValueRange(zero),
      b.getDenseI64ArrayAttr({static_cast<int64_t>(shape.size()) - 1}));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value both =
      AddOp::create(b, loc, body->getArgument(0), body->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, both);
  return reduce->getResult(0);
}

/// x . (q + m) => x . q + sums of x's blocks . m
void split(DotGeneralOp op, Offset offset) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto block = static_cast<int64_t>(*offset.dequantized.getBlock());
  int64_t last = typeOf(op.getLhs()).getRank() - 1;
  Value integers = offset.dequantized;
  if (offset.isTurned)
    integers = TransposeOp::create(b, loc, integers, {1, 0});
  auto product = cast<DotGeneralOp>(b.clone(*op));
  product.getRhsMutable().assign(integers);
  auto numbers =
      DotDimensionNumbersAttr::get(op.getContext(), {}, {}, {last}, {1});
  SmallVector<Attribute> exact(
      2, PrecisionAttr::get(op.getContext(), Precision::HIGHEST));
  auto behind = DotGeneralOp::create(
      b, loc, op.getType(), blockSums(b, loc, op.getLhs(), block),
      offset.minima, numbers, b.getArrayAttr(exact), DotAlgorithmAttr());
  behind->setAttr(kMinimaAttrName, b.getUnitAttr());
  Value sum = AddOp::create(b, loc, product, behind);
  op.replaceAllUsesWith(sum);
  op.erase();
}

struct SplitMinima : impl::SplitMinimaBase<SplitMinima> {
  void runOnOperation() override {
    SmallVector<DotGeneralOp> products;
    getOperation().walk([&](DotGeneralOp op) { products.push_back(op); });
    for (DotGeneralOp op : products) {
      std::optional<Offset> offset = offsetOf(op.getRhs());
      if (!offset || !sumsOverBlocks(op, *offset))
        continue;
      unsigned width = offset->dequantized.getStorage().getWidth();
      int64_t terms = shapeOf(offset->dequantized).back();
      // Other widths are floats in any kernel.
      if ((width == 4 || width == 8) &&
          terms % static_cast<int64_t>(*offset->dequantized.getBlock()) == 0)
        split(op, *offset);
    }
  }
};

} // namespace
} // namespace heddle
