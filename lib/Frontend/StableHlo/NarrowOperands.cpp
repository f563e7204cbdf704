// Dimensions that an operation wants equal have one bound: an operand that may
// be longer than another is cut to it.

#include "lib/Frontend/StableHlo/SizedTypes.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;
using heddle::size::extentsOf;

namespace heddle {
namespace {

/// A dimension of an operand.
struct Place {
  OpOperand *operand;
  int64_t dimension;

  RankedTensorType type() const {
    return cast<RankedTensorType>(operand->get().getType());
  }
  int64_t bound() const { return type().getDimSize(dimension); }
  Expression extent() const { return size::extentOf(type(), dimension); }
};
/// Those that are equal.
using Group = SmallVector<Place>;

} // namespace

/// Each dimension of all tensors among `operands` but scalars, if they are of
/// one rank.
static SmallVector<Group> groupsOfEqual(MutableArrayRef<OpOperand> operands) {
  SmallVector<Group> groups;
  for (OpOperand &operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.getRank() == 0)
      continue;
    if (groups.empty())
      groups.resize(type.getRank());
    if (int64_t(groups.size()) != type.getRank())
      return {};
    for (int64_t i = 0; i < type.getRank(); ++i)
      groups[i].push_back({&operand, i});
  }
  return groups;
}

static SmallVector<Group> groupsOf(DotGeneralOp op) {
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  OpOperand &lhs = op->getOpOperand(0), &rhs = op->getOpOperand(1);
  SmallVector<Group> groups;
  for (auto [left, right] : {std::pair(numbers.getLhsBatchingDimensions(),
                                       numbers.getRhsBatchingDimensions()),
                             std::pair(numbers.getLhsContractingDimensions(),
                                       numbers.getRhsContractingDimensions())})
    for (auto [l, r] : llvm::zip_equal(left, right))
      groups.push_back({{&lhs, l}, {&rhs, r}});
  return groups;
}

static SmallVector<Group> groupsOf(Operation *op) {
  MutableArrayRef<OpOperand> operands = op->getOpOperands();
  return llvm::TypeSwitch<Operation *, SmallVector<Group>>(op)
      .Case([&](DotGeneralOp dot) { return groupsOf(dot); })
      .Case([&](ConcatenateOp join) {
        SmallVector<Group> groups = groupsOfEqual(operands);
        if (join.getDimension() < int64_t(groups.size()))
          groups.erase(groups.begin() + join.getDimension());
        return groups;
      })
      .Case<ReduceOp, ReduceWindowOp, ScatterOp>([&](auto reduce) {
        return groupsOfEqual(operands.take_front(reduce.getInputs().size()));
      })
      .Case<MapOp, SortOp, SelectOp, ClampOp>(
          [&](Operation *) { return groupsOfEqual(operands); })
      .Default([&](Operation *other) {
        return other->hasTrait<OpTrait::Elementwise>() ||
                       other->hasTrait<OpTrait::SameOperandsAndResultShape>()
                   ? groupsOfEqual(operands)
                   : SmallVector<Group>();
      });
}

LogicalResult narrowOperands(Operation *op, ImportedSizes &sizes) {
  llvm::MapVector<OpOperand *, TrueShape> cut;
  for (const Group &group : groupsOf(op)) {
    const Place &least =
        *llvm::min_element(group, [](const Place &a, const Place &b) {
          return a.bound() < b.bound();
        });
    for (const Place &place : group) {
      if (place.bound() == least.bound())
        continue;
      if (!sizes.meet(least.extent(), place.extent(), op))
        return failure();
      auto [shape, isNew] = cut.try_emplace(place.operand);
      if (isNew)
        shape->second = extentsOf(place.type());
      shape->second[place.dimension] = least.extent();
    }
  }
  OpBuilder builder(op);
  for (auto &[operand, shape] : cut) {
    auto type = cast<RankedTensorType>(operand->get().getType());
    SmallVector<int64_t> bounds(type.getShape());
    for (auto [bound, was, extent] :
         llvm::zip_equal(bounds, extentsOf(type), shape))
      if (was != extent)
        bound = std::min(bound, sizes.bound(extent));
    SmallVector<int64_t> zeros(bounds.size(), 0), ones(bounds.size(), 1);
    auto slice = SliceOp::create(
        builder, op->getLoc(),
        size::withExtents(RankedTensorType::get(bounds, type.getElementType()),
                          shape),
        operand->get(), zeros, bounds, ones);
    setSized(slice, "limit_indices", shape);
    operand->set(slice);
  }
  return success();
}

} // namespace heddle
