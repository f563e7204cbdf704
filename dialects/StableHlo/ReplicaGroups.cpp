// The groups of processes of a collective, written out from lists or from axes
// of a mesh.

#include "dialects/StableHlo/ReplicaGroups.h"

using namespace mlir;

namespace heddle::stablehlo {

namespace {
/// A stretch of a mesh axis as a digit of the device's position: `size` values,
/// each `stride` positions apart.
struct Digit {
  int64_t size, stride;
};
} // namespace

/// The digits of the axes that are named, and of what is left, most significant
/// first. A sub-axis (pre)size of an axis of n cuts it into pre, size and the
/// rest.
static LogicalResult splitMesh(MeshAttr mesh, ArrayAttr axes,
                               SmallVectorImpl<Digit> &named,
                               SmallVectorImpl<Digit> &others) {
  struct Cut {
    int64_t before, size;
  };
  llvm::StringMap<SmallVector<Cut>> cuts;
  for (Attribute axis : axes) {
    auto ref = dyn_cast<AxisRefAttr>(axis);
    if (!ref)
      return failure();
    auto found = llvm::find_if(mesh.getAxes(), [&](MeshAxisAttr candidate) {
      return candidate.getName() == ref.getName();
    });
    if (found == mesh.getAxes().end())
      return failure();
    Cut cut{1, found->getSize()};
    if (SubAxisInfoAttr part = ref.getSubAxisInfo())
      cut = {part.getPreSize(), part.getSize()};
    if (cut.before <= 0 || cut.size <= 0 ||
        found->getSize() % (cut.before * cut.size) != 0)
      return failure();
    cuts[ref.getName().getValue()].push_back(cut);
    int64_t stride = found->getSize() / (cut.before * cut.size);
    for (MeshAxisAttr minor : ArrayRef(found + 1, mesh.getAxes().end()))
      stride *= minor.getSize();
    named.push_back({cut.size, stride});
  }
  int64_t stride = 1;
  SmallVector<Digit> rest;
  for (MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    SmallVector<Cut> &parts = cuts[axis.getName().getValue()];
    llvm::sort(parts, [](Cut a, Cut b) { return a.before > b.before; });
    // From the least significant end: what no cut covers is left over.
    int64_t end = axis.getSize();
    for (Cut part : parts) {
      int64_t covered = part.before * part.size;
      if (end % covered != 0)
        return failure(); // overlapping
      rest.push_back({end / covered, stride * (axis.getSize() / end)});
      end = part.before;
    }
    rest.push_back({end, stride * (axis.getSize() / end)});
    stride *= axis.getSize();
  }
  others.assign(rest.rbegin(), rest.rend());
  return success();
}

/// All positions that the digits reach, the last digit fastest.
static SmallVector<int64_t> positions(ArrayRef<Digit> digits) {
  SmallVector<int64_t> all = {0};
  for (Digit digit : digits) {
    SmallVector<int64_t> next;
    for (int64_t base : all)
      for (int64_t i = 0; i < digit.size; ++i)
        next.push_back(base + i * digit.stride);
    all = std::move(next);
  }
  return all;
}

FailureOr<ProcessGroups> readReplicaGroups(Attribute groups) {
  ProcessGroups result;
  if (auto matrix = dyn_cast<DenseIntElementsAttr>(groups)) {
    if (matrix.getType().getRank() != 2)
      return failure();
    int64_t columns = matrix.getType().getDimSize(1), i = 0;
    for (APInt id : matrix.getValues<APInt>()) {
      if (i++ % columns == 0)
        result.emplace_back();
      if (id.getSExtValue() >= 0)
        result.back().push_back(id.getSExtValue());
    }
    return result;
  }
  auto byAxes = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  auto mesh = byAxes ? dyn_cast<MeshAttr>(byAxes.getMesh()) : MeshAttr();
  if (!mesh)
    return failure();
  SmallVector<Digit> named, others;
  if (failed(splitMesh(mesh, byAxes.getAxes(), named, others)))
    return failure();
  SmallVector<int64_t> ids;
  if (mesh.getDeviceIds())
    for (APInt id : mesh.getDeviceIds().getValues<APInt>())
      ids.push_back(id.getSExtValue());
  for (int64_t base : positions(others)) {
    auto &group = result.emplace_back();
    for (int64_t offset : positions(named)) {
      int64_t position = base + offset;
      if (!ids.empty() && position >= int64_t(ids.size()))
        return failure();
      group.push_back(ids.empty() ? position : ids[position]);
    }
  }
  return result;
}

bool isDistributed(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp,
             CollectivePermuteOp, CollectiveReduceOp, PartitionIdOp,
             ReduceScatterOp, ReplicaIdOp>(op);
}

ProcessGrouping processGrouping(Operation *collective) {
  auto channel = collective->getAttrOfType<ChannelHandleAttr>("channel_handle");
  bool hasChannel = channel && channel.getHandle() > 0;
  if (isa<AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp>(collective))
    return hasChannel ? ProcessGrouping::CrossPartition
                      : ProcessGrouping::CrossReplica;
  if (!hasChannel)
    return ProcessGrouping::CrossReplica;
  return collective->hasAttr("use_global_device_ids")
             ? ProcessGrouping::FlattenedIds
             : ProcessGrouping::CrossReplicaAndPartition;
}

} // namespace heddle::stablehlo
