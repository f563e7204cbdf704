// Collectives, as the specification defines them for one process: what goes to
// which process, and what a process makes of what it gets.

#include "Payload.h"
#include "Processes.h"

#include "dialects/StableHlo/ReplicaGroups.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;
using stablehlo::ProcessGrouping;

//===--- Groups -----------------------------------------------------------===//

namespace {
/// The processes of a group, flattened (replica · partitions + partition), and
/// where in it this one is.
struct Group {
  SmallVector<int64_t> members;
  size_t self = 0;
};
} // namespace

/// The group of this process; none if no group has it.
static FailureOr<std::optional<Group>> ownGroup(Invocation &call) {
  Evaluator &evaluator = call.evaluator;
  ProcessGrid &grid = evaluator.grid();
  int64_t replicas = grid.numReplicas, partitions = grid.numPartitions;
  FailureOr<stablehlo::ProcessGroups> groups =
      stablehlo::readReplicaGroups(call.op->getAttr("replica_groups"));
  if (failed(groups))
    return call.error(ErrorCode::NotInterpretable)
           << "has replica_groups over a mesh that is not written out";
  ProcessGrouping how = stablehlo::processGrouping(call.op);
  if (call.op->hasAttr("replica_groups") &&
      isa<stablehlo::ReplicaGroupMeshAxesAttr>(
          call.op->getAttr("replica_groups")))
    how = ProcessGrouping::FlattenedIds;
  int64_t count = how == ProcessGrouping::FlattenedIds ? replicas * partitions
                  : how == ProcessGrouping::CrossPartition ? partitions
                                                           : replicas;
  // No groups: one of all.
  if (llvm::all_of(*groups, [](auto &group) { return group.empty(); }))
    groups->assign(1, llvm::to_vector(llvm::seq<int64_t>(0, count)));

  for (auto &ids : *groups) {
    for (int64_t id : ids)
      if (id >= count)
        return call.error(ErrorCode::NotInterpretable)
               << "names process " << id << " of " << count
               << "; `interpreter.run_parallel` runs several";
    Group group;
    switch (how) {
    case ProcessGrouping::CrossReplica:
      for (int64_t replica : ids)
        group.members.push_back(replica * partitions + evaluator.partition());
      break;
    case ProcessGrouping::CrossPartition:
      for (int64_t partition : ids)
        group.members.push_back(evaluator.replica() * partitions + partition);
      break;
    case ProcessGrouping::CrossReplicaAndPartition:
      for (int64_t partition = 0; partition < partitions; ++partition)
        for (int64_t replica : ids)
          group.members.push_back(replica * partitions + partition);
      break;
    case ProcessGrouping::FlattenedIds:
      group.members.append(ids.begin(), ids.end());
      break;
    }
    auto self = llvm::find(group.members, evaluator.replica() * partitions +
                                              evaluator.partition());
    if (self == group.members.end())
      continue;
    group.self = self - group.members.begin();
    return std::optional<Group>(std::move(group));
  }
  return std::optional<Group>();
}

/// The mailbox for what `from` sends `to` in this kind of operation. Operations
/// of one kind, channel and group come in the same order everywhere.
static std::string mailbox(Operation *op, ArrayRef<int64_t> group, int64_t from,
                           int64_t to) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << op->getName().getStringRef() << " ";
  if (auto channel =
          op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle"))
    os << channel.getHandle();
  os << " (";
  llvm::interleave(group, os, ",");
  os << ") " << from << ">" << to;
  return key;
}

static LogicalResult neverComes(Invocation &call, int64_t from) {
  int64_t partitions = call.evaluator.grid().numPartitions;
  return call.error() << "waits for replica " << from / partitions
                      << ", partition " << from % partitions
                      << ", which never sends: the processes wait for each "
                         "other, or one has ended";
}

/// Sends the operands to every process of the group and receives theirs, in the
/// group's order.
static LogicalResult exchange(Invocation &call, const Group &group,
                              std::vector<ProcessGrid::Values> &received) {
  ProcessGrid &grid = call.evaluator.grid();
  ProcessGrid::Values own;
  for (const InterpreterValue &operand : call.operands)
    own.push_back(operand.tensor);
  int64_t self = group.members[group.self];
  for (int64_t member : group.members)
    if (member != self)
      grid.put(mailbox(call.op, group.members, self, member), own);
  for (int64_t member : group.members) {
    if (member == self) {
      received.push_back(own);
      continue;
    }
    auto values = grid.take(mailbox(call.op, group.members, member, self));
    if (!values)
      return neverComes(call, member);
    if (values->size() != own.size())
      return call.error() << "receives " << values->size()
                          << " values, its own are " << own.size();
    received.push_back(std::move(*values));
  }
  return success();
}

static LogicalResult giveZeros(Invocation &call) {
  for (OpResult result : call.op->getResults()) {
    unsigned i = result.getResultNumber();
    FailureOr<HostTensor> zeros = call.allocate(call.tensor(i).shape(), i);
    if (failed(zeros) || failed(call.give(std::move(*zeros))))
      return failure();
  }
  return success();
}

/// The processes' own values, where no group has them: the specification speaks
/// of groups that hold every process.
static LogicalResult noGroup(Invocation &call) {
  return call.error() << "runs on a process that none of its groups has";
}

//===--- Collectives ------------------------------------------------------===//

/// Joins `parts` along a dimension, for result `i`.
static FailureOr<HostTensor> join(Invocation &call, ArrayRef<HostTensor> parts,
                                  int64_t dimension, unsigned i) {
  Extents shape(parts[0].shape());
  shape[dimension] = 0;
  for (const HostTensor &part : parts)
    shape[dimension] += part.dim(dimension);
  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, shape, parts[0].type().getElementType());
  if (failed(result))
    return failure();
  Extents strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (const HostTensor &part : parts) {
    copyBox(part.elementBytes(), part.shape(), part.bytes().data(), 0,
            rowMajorStrides(part.shape()), result->mutableBytes().data(),
            offset * strides[dimension], strides);
    offset += part.dim(dimension);
  }
  return result;
}

/// Part `index` of `count` along a dimension.
static FailureOr<HostTensor> part(Invocation &call, const HostTensor &whole,
                                  int64_t dimension, int64_t index,
                                  int64_t count) {
  if (count <= 0 || whole.dim(dimension) % count != 0)
    return call.error() << "splits dimension " << dimension << " of "
                        << whole.type() << " into " << count << " parts";
  Extents shape(whole.shape());
  shape[dimension] /= count;
  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, shape, whole.type().getElementType());
  if (failed(result))
    return failure();
  Extents strides = rowMajorStrides(whole.shape());
  copyBox(whole.elementBytes(), shape, whole.bytes().data(),
          index * shape[dimension] * strides[dimension], strides,
          result->mutableBytes().data(), 0, rowMajorStrides(shape));
  return result;
}

/// Folds the processes' tensors, in the group's order, with a region of two
/// scalars.
static FailureOr<HostTensor> combine(Invocation &call, Block &body,
                                     ArrayRef<HostTensor> tensors) {
  // The region may compute in a wider type, which the result then has.
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(
        call.evaluator.evaluatedKind(getElementTypeOrSelf(argument.getType())));
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != 1 || kinds.size() != 2)
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that is no function of two scalars";
  FailureOr<HostTensor> result =
      call.evaluator.allocate(call.op, tensors[0].shape(),
                              call.evaluator.evaluatedType(getElementTypeOrSelf(
                                  body.getArgument(0).getType())));
  if (failed(result))
    return failure();
  unsigned from = tensors[0].elementBytes(), to = result->elementBytes();
  for (int64_t begin = 0; begin < result->size(); begin += kLanes) {
    size_t count = std::min<int64_t>(kLanes, result->size() - begin);
    payload->argument(0).load(tensors[0].kind(),
                              tensors[0].bytes().data() + begin * from, count);
    for (const HostTensor &tensor : tensors.drop_front()) {
      if (tensor.type() != tensors[0].type())
        return call.error() << "combines a tensor of type " << tensor.type()
                            << " with one of type " << tensors[0].type();
      payload->argument(1).load(tensor.kind(),
                                tensor.bytes().data() + begin * from, count);
      if (failed(payload->run(count)))
        return failure();
      payload->argument(0).move(payload->result(0), count);
    }
    payload->argument(0).store(result->kind(), count,
                               result->mutableBytes().data() + begin * to);
  }
  return result;
}

/// Operand `i` of each process.
static SmallVector<HostTensor> column(ArrayRef<ProcessGrid::Values> received,
                                      unsigned i) {
  SmallVector<HostTensor> tensors;
  for (const ProcessGrid::Values &values : received)
    tensors.push_back(values[i]);
  return tensors;
}

/// Exchanges the operands within the group and gives, for each, what `make`
/// makes of those of all processes.
static LogicalResult
collective(Invocation &call, llvm::function_ref<FailureOr<HostTensor>(
                                 const Group &, ArrayRef<HostTensor>, unsigned)>
                                 make) {
  FailureOr<std::optional<Group>> group = ownGroup(call);
  if (failed(group))
    return failure();
  if (!*group)
    return noGroup(call);
  std::vector<ProcessGrid::Values> received;
  if (failed(exchange(call, **group, received)))
    return failure();
  for (unsigned i = 0; i < call.op->getNumResults(); ++i) {
    FailureOr<HostTensor> result = make(**group, column(received, i), i);
    if (failed(result) || failed(call.give(std::move(*result))))
      return failure();
  }
  return success();
}

static LogicalResult allGather(Invocation &call, stablehlo::AllGatherOp op) {
  return collective(call,
                    [&](const Group &, ArrayRef<HostTensor> tensors,
                        unsigned i) -> FailureOr<HostTensor> {
                      return join(call, tensors, op.getAllGatherDim(), i);
                    });
}

static LogicalResult allReduce(Invocation &call, stablehlo::AllReduceOp op) {
  return collective(
      call, [&](const Group &, ArrayRef<HostTensor> tensors, unsigned) {
        return combine(call, op.getComputation().front(), tensors);
      });
}

static LogicalResult reduceScatter(Invocation &call,
                                   stablehlo::ReduceScatterOp op) {
  return collective(call,
                    [&](const Group &group, ArrayRef<HostTensor> tensors,
                        unsigned) -> FailureOr<HostTensor> {
                      FailureOr<HostTensor> whole =
                          combine(call, op.getComputation().front(), tensors);
                      if (failed(whole))
                        return failure();
                      return part(call, *whole, op.getScatterDimension(),
                                  group.self, group.members.size());
                    });
}

static LogicalResult allToAll(Invocation &call, stablehlo::AllToAllOp op) {
  return collective(
      call,
      [&](const Group &group, ArrayRef<HostTensor> tensors,
          unsigned i) -> FailureOr<HostTensor> {
        // C8 in words: as many parts as processes.
        if (int64_t(group.members.size()) != int64_t(op.getSplitCount()))
          return call.error()
                 << "splits into " << op.getSplitCount()
                 << " parts in a group of " << group.members.size();
        SmallVector<HostTensor> parts;
        for (const HostTensor &tensor : tensors) {
          FailureOr<HostTensor> own = part(call, tensor, op.getSplitDimension(),
                                           group.self, group.members.size());
          if (failed(own))
            return failure();
          parts.push_back(std::move(*own));
        }
        return join(call, parts, op.getConcatDimension(), i);
      });
}

/// The process of its group that the operation names for its operand `i`: the
/// first one, or what the last operand says.
template <typename OpTy>
static FailureOr<int64_t> rootOf(Invocation &call, OpTy op, unsigned i,
                                 size_t members) {
  int64_t root =
      op.getHasDynamicRoot() ? call.operands.back().tensor.intAt(i) : 0;
  if (root < 0 || root >= int64_t(members))
    return call.error() << "takes member " << root << " of a group of "
                        << members << " as its root";
  return root;
}

/// The operand of the group's first process, or of the one that the last
/// operand names; zeros outside of all groups.
static LogicalResult collectiveBroadcast(Invocation &call,
                                         stablehlo::CollectiveBroadcastOp op) {
  FailureOr<std::optional<Group>> group = ownGroup(call);
  if (failed(group))
    return failure();
  if (!*group)
    return giveZeros(call);
  return collective(call,
                    [&](const Group &, ArrayRef<HostTensor> tensors,
                        unsigned i) -> FailureOr<HostTensor> {
                      // C6.
                      FailureOr<int64_t> root =
                          rootOf(call, op, i, tensors.size());
                      if (failed(root))
                        return failure();
                      return tensors[*root];
                    });
}

/// The group's values combined on its root; zeros everywhere else.
static LogicalResult collectiveReduce(Invocation &call,
                                      stablehlo::CollectiveReduceOp op) {
  FailureOr<std::optional<Group>> group = ownGroup(call);
  if (failed(group))
    return failure();
  if (!*group)
    return giveZeros(call);
  return collective(
      call,
      [&](const Group &own, ArrayRef<HostTensor> tensors,
          unsigned i) -> FailureOr<HostTensor> {
        FailureOr<int64_t> root = rootOf(call, op, i, tensors.size());
        if (failed(root))
          return failure();
        if (int64_t(own.self) != *root)
          return call.allocate(tensors[0].shape(), i);
        return combine(call, op.getComputation().front(), tensors);
      });
}

/// The operand of the process whose pair ends here; zeros without one.
static LogicalResult permute(Invocation &call,
                             stablehlo::CollectivePermuteOp op) {
  ProcessGrid &grid = call.evaluator.grid();
  bool acrossPartitions =
      stablehlo::processGrouping(op) == ProcessGrouping::CrossPartition;
  int64_t count = acrossPartitions ? grid.numPartitions : grid.numReplicas;
  int64_t self =
      acrossPartitions ? call.evaluator.partition() : call.evaluator.replica();
  auto flat = [&](int64_t id) {
    return acrossPartitions
               ? call.evaluator.replica() * grid.numPartitions + id
               : id * grid.numPartitions + call.evaluator.partition();
  };
  SmallVector<int64_t> ids;
  for (APInt id : op.getSourceTargetPairs().getValues<APInt>())
    ids.push_back(id.getSExtValue());
  std::optional<int64_t> source;
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    if (ids[i] < 0 || ids[i] >= count || ids[i + 1] < 0 || ids[i + 1] >= count)
      return call.error(ErrorCode::NotInterpretable)
             << "names process " << std::max(ids[i], ids[i + 1]) << " of "
             << count << "; `interpreter.run_parallel` runs several";
    if (ids[i + 1] == self)
      source = ids[i];
    if (ids[i] == self && ids[i + 1] != self)
      grid.put(mailbox(op, {}, flat(self), flat(ids[i + 1])), {call.tensor(0)});
  }
  if (!source)
    return giveZeros(call);
  if (*source == self)
    return call.give(call.tensor(0));
  auto values = grid.take(mailbox(op, {}, flat(*source), flat(self)));
  if (!values)
    return neverComes(call, flat(*source));
  return call.give(values->front());
}

//===--- Identity ---------------------------------------------------------===//

static LogicalResult giveId(Invocation &call, int64_t id) {
  FailureOr<HostTensor> result = call.allocate({});
  if (failed(result))
    return failure();
  result->set(0, id);
  return call.give(std::move(*result));
}

static LogicalResult replicaId(Invocation &call, stablehlo::ReplicaIdOp) {
  return giveId(call, call.evaluator.replica());
}

static LogicalResult partitionId(Invocation &call, stablehlo::PartitionIdOp) {
  return giveId(call, call.evaluator.partition());
}

void reference::addDistribution(Registry &registry) {
  using namespace stablehlo;
  registry.add<ReplicaIdOp, replicaId>();
  registry.add<PartitionIdOp, partitionId>();
  registry.add<AllGatherOp, allGather>();
  registry.add<AllReduceOp, allReduce>();
  registry.add<ReduceScatterOp, reduceScatter>();
  registry.add<AllToAllOp, allToAll>();
  registry.add<CollectiveBroadcastOp, collectiveBroadcast>();
  registry.add<CollectiveReduceOp, collectiveReduce>();
  registry.add<CollectivePermuteOp, permute>();
}
