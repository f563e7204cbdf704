// What devices give each other stays an operation of the program, with its
// groups written out.

#include "passes/Lower/GraphLowering.h"

#include "dialects/Kernel/CollectiveForm.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/ReplicaGroups.h"
#include "heddle/Support/PartTypes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/NeutralElement.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// The reduction that a region of two scalars computes; none for any other
/// computation.
static std::optional<StringRef> reductionOf(Region &region) {
  Operation *joining = joiningOperation(region.front());
  if (!joining)
    return std::nullopt;
  bool isTruth =
      getElementTypeOrSelf(joining->getOperand(0).getType()).isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<StringRef>>(joining)
      .Case([&](AddOp) { return isTruth ? "disjunction" : "sum"; })
      .Case([&](MulOp) { return isTruth ? "conjunction" : "product"; })
      .Case([](MinOp) { return "minimum"; })
      .Case([](MaxOp) { return "maximum"; })
      .Case([](AndOp) { return "conjunction"; })
      .Case([](OrOp) { return "disjunction"; })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {
/// A collective of the graph, as commands have it.
struct Form {
  StringRef kind;
  std::optional<StringRef> reduction = {};
  /// The dimensions along which it works, which must be the first.
  SmallVector<int64_t> dims = {};
  SmallVector<int64_t> groups = {};
  int64_t groupSize = 1;
};
} // namespace

/// Reads kind, reduction and dimensions; none if the computation of a region is
/// no reduction.
static std::optional<Form> readForm(Operation *op) {
  auto joined = [](StringRef kind, Region &region,
                   SmallVector<int64_t> dims) -> std::optional<Form> {
    std::optional<StringRef> reduction = reductionOf(region);
    return reduction ? std::optional(Form{kind, reduction, std::move(dims)})
                     : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Form>>(op)
      .Case([&](AllReduceOp reduce) {
        return joined("all_reduce", reduce->getRegion(0), {});
      })
      .Case([&](ReduceScatterOp scatter) {
        return joined("reduce_scatter", scatter->getRegion(0),
                      {int64_t(scatter.getScatterDimension())});
      })
      .Case([&](AllGatherOp gather) {
        return Form{"all_gather", {}, {int64_t(gather.getAllGatherDim())}};
      })
      .Case([&](AllToAllOp exchange) {
        return Form{"all_to_all",
                    {},
                    {int64_t(exchange.getSplitDimension()),
                     int64_t(exchange.getConcatDimension())}};
      })
      .Case([&](CollectiveBroadcastOp) { return Form{"broadcast"}; })
      .Default([](Operation *) { return Form{"permute"}; });
}

/// Writes the groups out, each of the same size. Without groups all ranks are
/// in one.
static LogicalResult readGroups(Operation *op, int64_t ranks, Form &form) {
  if (auto permute = dyn_cast<CollectivePermuteOp>(op)) {
    form.groupSize = 2;
    llvm::append_range(form.groups,
                       permute.getSourceTargetPairs().getValues<int64_t>());
    return success();
  }
  FailureOr<ProcessGroups> groups =
      readReplicaGroups(op->getAttr("replica_groups"));
  if (failed(groups))
    return failure();
  if (groups->empty())
    groups->push_back(llvm::to_vector(llvm::seq<int64_t>(0, ranks)));
  form.groupSize = groups->front().size();
  for (auto &group : *groups) {
    if (int64_t(group.size()) != form.groupSize)
      return failure();
    llvm::append_range(form.groups, group);
  }
  return success();
}

/// What is wrong with groups that the plan's collectives do not have; null if
/// nothing is.
static const char *badGroups(Operation *op, int64_t ranks, Form &form) {
  if (processGrouping(op) == ProcessGrouping::CrossReplica)
    return "it joins replicas; the program is partitioned";
  if (failed(readGroups(op, ranks, form)))
    return "its groups have several sizes, or a mesh that is not at hand";
  if (form.kind != "permute" && int64_t(form.groups.size()) != ranks)
    return "its groups do not hold each device";
  if (llvm::any_of(form.groups,
                   [&](int64_t rank) { return rank < 0 || rank >= ranks; }))
    return "its groups hold a device that there is not";
  return nullptr;
}

static void lowerForm(GraphLowering &lowering, Operation *op, Form &form) {
  OpBuilder &b = lowering.builder;
  auto channel = op->getAttrOfType<ChannelHandleAttr>("channel_handle");
  SmallVector<Value> results;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value source = lowering.lowered(op->getOperand(i));
    auto held = cast<RankedTensorType>(source.getType());
    Type element = getElementTypeOrSelf(op->getOperand(i).getType());
    results.push_back(kernel::CollectiveOp::create(
        b, op->getLoc(), lowering.resultType(op, i), b.getStringAttr(form.kind),
        form.reduction ? b.getStringAttr(*form.reduction) : StringAttr(),
        source, b.getDenseI64ArrayAttr(form.groups),
        b.getI64IntegerAttr(form.groupSize),
        TypeAttr::get(element.isUnsignedInteger() ? element
                                                  : held.getElementType()),
        b.getI64IntegerAttr(channel ? channel.getHandle() : 0)));
  }
  lowering.replace(op, results);
}

bool heddle::lowerCollective(GraphLowering &lowering, Operation *op) {
  auto ranks = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
      kRanksAttrName);
  if (!ranks || !isDistributed(op))
    return false;
  auto fail = [&](const Twine &reason) {
    lowering.unsupported(op, reason);
    return true;
  };
  if (isa<PartitionIdOp>(op)) {
    lowering.replace(op, kernel::RankOp::create(lowering.builder, op->getLoc(),
                                                lowering.resultType(op))
                             ->getResults());
    return true;
  }
  if (isa<ReplicaIdOp, CollectiveReduceOp>(op))
    return fail("programs of several ranks do not have it");
  std::optional<Form> form = readForm(op);
  if (!form)
    return fail("what joins its elements is no sum, product, minimum, maximum, "
                "conjunction or disjunction");
  for (Value operand : op->getOperands())
    for (int64_t dim : form->dims)
      if (!isLeading(operand, dim))
        return fail("it works along another dimension than the first "
                    "(heddle-sharding-lead-collectives)");
  for (auto [operand, result] :
       llvm::zip_equal(op->getOperandTypes(), op->getResultTypes()))
    if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result))
      return fail("it gives elements of another type than it takes");
  if (const char *reason = badGroups(op, ranks.getInt(), *form))
    return fail(reason);
  lowerForm(lowering, op, *form);
  return true;
}
