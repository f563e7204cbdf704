// exp(x - max(x)) / sum(exp(x - max(x))), in the ways that exporters write it.

#include "passes/Graph/Softmax.h"

#include "dialects/Size/SizedTypes.h"
#include "passes/Graph/Composites.h"

using namespace mlir;

namespace heddle {

namespace {
/// A reduction of one tensor over one dimension, repeated along that dimension
/// afterwards.
struct RowReduction {
  Value input, initial;
  int64_t axis;
};
} // namespace

/// Per dimension of `value`'s shape the dimension of `ancestor` that it
/// repeats, -1 where it is new or has extent 1. `value` must come from
/// `ancestor` by broadcasts and by reshapes that add or drop dimensions of
/// extent 1.
static std::optional<SmallVector<int64_t>> dimensionOrigins(Value value,
                                                            Value ancestor) {
  auto type = cast<RankedTensorType>(value.getType());
  if (value == ancestor)
    return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  auto inner = dimensionOrigins(op->getOperand(0), ancestor);
  if (!inner)
    return std::nullopt;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> origins(type.getRank(), -1);
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [index, target] :
         llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (size::isSameSize(from, index, type, target))
        origins[target] = (*inner)[index];
    return origins;
  }
  if (isa<stablehlo::ReshapeOp>(op)) {
    int64_t source = 0;
    for (int64_t target = 0; target < type.getRank(); ++target) {
      if (size::isOne(type, target))
        continue;
      while (source < from.getRank() && size::isOne(from, source))
        ++source;
      if (source == from.getRank() ||
          !size::isSameSize(from, source, type, target))
        return std::nullopt;
      origins[target] = (*inner)[source++];
    }
    return origins;
  }
  // Element-wise: one dimension for one.
  return size::haveSameSizes(from, type) ? inner : std::nullopt;
}

/// Matches `value` = broadcast of reduce<bodyOp>(input, dimensions = [axis])
/// back to the input's shape, where the broadcast may be several broadcasts and
/// reshapes that add dimensions of extent 1. `through` is asked about
/// element-wise ops between the reduction and the broadcast: it returns the
/// operand to go on with, or null.
static std::optional<RowReduction>
matchRowReduction(Value value, StringRef bodyOp,
                  function_ref<Value(Value)> through) {
  auto outer = cast<RankedTensorType>(value.getType());
  Value current = value;
  stablehlo::ReduceOp reduce;
  while (!(reduce = current.getDefiningOp<stablehlo::ReduceOp>())) {
    if (current.getDefiningOp<stablehlo::BroadcastInDimOp>() ||
        current.getDefiningOp<stablehlo::ReshapeOp>())
      current = current.getDefiningOp()->getOperand(0);
    else if (!(current = through(current)))
      return std::nullopt;
  }
  Block &body = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || reduce.getDimensions().size() != 1 ||
      body.getOperations().size() != 2 ||
      body.front().getName().getStringRef() != bodyOp)
    return std::nullopt;
  Value input = reduce.getInputs()[0];
  int64_t axis = reduce.getDimensions()[0];
  auto inputType = cast<RankedTensorType>(input.getType());
  if (!size::haveSameSizes(inputType, outer))
    return std::nullopt;

  // Walk again, now for the dimensions: elements must come back to the row they
  // were reduced from. Element-wise ops on the way keep the shape of their
  // operand.
  Value position = value;
  SmallVector<Value> chain;
  while (position != current) {
    chain.push_back(position);
    Operation *op = position.getDefiningOp();
    position = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)
                   ? op->getOperand(0)
                   : through(position);
  }
  std::optional<SmallVector<int64_t>> origins =
      llvm::to_vector(llvm::seq<int64_t>(
          0, cast<RankedTensorType>(current.getType()).getRank()));
  for (Value link : llvm::reverse(chain)) {
    Operation *op = link.getDefiningOp();
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      continue;
    auto step = dimensionOrigins(link, op->getOperand(0));
    if (!step)
      return std::nullopt;
    SmallVector<int64_t> next;
    for (int64_t origin : *step)
      next.push_back(origin < 0 ? -1 : (*origins)[origin]);
    origins = next;
  }
  int64_t kept = 0;
  for (int64_t dimension = 0; dimension < outer.getRank(); ++dimension) {
    int64_t expected = dimension == axis ? -1 : kept++;
    int64_t found = (*origins)[dimension];
    if (found != expected && !size::isOne(outer, dimension))
      return std::nullopt;
  }
  return RowReduction{input, reduce.getInitValues()[0], axis};
}

/// maximum(reduce_max, -infinity) is what JAX writes around the row's maximum;
/// it changes nothing.
static Value throughMaximumWithLowest(Value value) {
  Value result;
  matchEitherOrder<stablehlo::MaxOp>(value, [&](Value kept, Value bound) {
    std::optional<double> lowest = splatValue(bound);
    if (!lowest || *lowest != -std::numeric_limits<double>::infinity())
      return false;
    result = kept;
    return true;
  });
  return result;
}

/// Whether a maximum that starts from `initial` is that of the elements alone.
static bool isLowest(Value initial) {
  std::optional<double> value = splatValue(initial);
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(initial.getType()));
  return value && type &&
         *value <= APFloat::getLargest(type.getFloatSemantics(),
                                       /*Negative=*/true)
                       .convertToDouble();
}

std::optional<Softmax> matchSoftmax(Value value) {
  auto op = value.getDefiningOp<stablehlo::DivOp>();
  auto exponential =
      op ? op.getLhs().getDefiningOp<stablehlo::ExpOp>() : stablehlo::ExpOp();
  if (!exponential)
    return std::nullopt;
  auto nothing = [](Value) { return Value(); };
  auto sum = matchRowReduction(op.getRhs(), "stablehlo.add", nothing);
  auto shifted =
      exponential.getOperand().getDefiningOp<stablehlo::SubtractOp>();
  // A sum that starts from 1 leaves room for weighing nothing.
  if (!sum || sum->input != exponential.getResult() || !shifted ||
      splatValue(sum->initial) != 0.0)
    return std::nullopt;
  auto maximum = matchRowReduction(shifted.getRhs(), "stablehlo.maximum",
                                   throughMaximumWithLowest);
  if (!maximum || maximum->input != shifted.getLhs() ||
      maximum->axis != sum->axis || !isLowest(maximum->initial))
    return std::nullopt;
  return Softmax{shifted.getLhs(), sum->axis};
}

} // namespace heddle
