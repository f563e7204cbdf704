// What shardings must fulfil on the mesh that they name.

#include "dialects/Sdy/ShardingVerification.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static LogicalResult verifyAxis(AxisRefAttr axis, MeshAttr mesh,
                                EmitError emitError) {
  std::optional<int64_t> whole = mesh.sizeOf(axis.getName());
  if (!whole)
    return emitError() << "the mesh has no axis " << axis.getName();
  if (axis.isWhole())
    return success();
  int64_t end;
  if (axis.getPreSize() < 1)
    return emitError() << "axis " << axis.text() << " has a pre-size below 1";
  if (axis.getSize() < 2)
    return emitError() << "axis " << axis.text() << " has a size below 2";
  if (axis.getSize() == *whole)
    return emitError() << "axis " << axis.text()
                       << " is all of its axis; write "
                       << AxisRefAttr::whole(axis.getName()).text();
  if (llvm::MulOverflow(axis.getPreSize(), axis.getSize(), end) ||
      *whole % end != 0)
    return emitError() << "axis " << axis.text() << " does not divide axis "
                       << axis.getName() << " of size " << *whole;
  return success();
}

/// Parts of one axis, sorted: each must begin at a multiple of where the one
/// before it ends.
static LogicalResult verifyParts(SmallVectorImpl<AxisRefAttr> &parts,
                                 EmitError emitError) {
  llvm::sort(parts, [](AxisRefAttr a, AxisRefAttr b) {
    return std::make_pair(a.getPreSize(), a.getSize()) <
           std::make_pair(b.getPreSize(), b.getSize());
  });
  for (size_t i = 1; i < parts.size(); ++i) {
    AxisRefAttr before = parts[i - 1], after = parts[i];
    if (before == after)
      return emitError() << "axis " << after.text() << " is used twice";
    if (after.getPreSize() < before.getPreSize() * before.getSize())
      return emitError() << "axes " << before.text() << " and " << after.text()
                         << " overlap";
    if (before.overlaps(after))
      return emitError() << "axes " << before.text() << " and " << after.text()
                         << " cannot be parts of one axis";
  }
  return success();
}

LogicalResult verifyAxisLists(ArrayRef<ArrayRef<AxisRefAttr>> lists,
                              MeshAttr mesh, EmitError emitError) {
  llvm::MapVector<StringAttr, SmallVector<AxisRefAttr>> byName;
  for (ArrayRef<AxisRefAttr> list : lists)
    for (auto [index, axis] : llvm::enumerate(list)) {
      if (failed(verifyAxis(axis, mesh, emitError)))
        return failure();
      if (index > 0 && list[index - 1].canMerge(axis, mesh))
        return emitError() << "axes " << list[index - 1].text() << " and "
                           << axis.text() << " are one: write "
                           << list[index - 1].merge(axis, mesh).text();
      byName[axis.getName()].push_back(axis);
    }
  for (auto &[name, parts] : byName)
    if (failed(verifyParts(parts, emitError)))
      return failure();
  return success();
}

bool isBefore(AxisRefAttr first, AxisRefAttr second, MeshAttr mesh) {
  return std::make_pair(mesh.indexOf(first.getName()), first.getPreSize()) <
         std::make_pair(mesh.indexOf(second.getName()), second.getPreSize());
}

LogicalResult verifyOrder(ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                          StringRef what, EmitError emitError) {
  for (size_t i = 1; i < axes.size(); ++i)
    if (isBefore(axes[i], axes[i - 1], mesh))
      return emitError() << what
                         << " axes must stand in the order of the mesh: "
                         << axes[i].text() << " before " << axes[i - 1].text();
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// No axis may be one that a computation around `op` is manual over.
static LogicalResult verifyNotManual(TensorShardingAttr sharding, Operation *op,
                                     EmitError emitError) {
  for (auto parent = op->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>()) {
    AxisRefAttr taken;
    sharding.forEachAxis([&](AxisRefAttr axis) {
      if (llvm::is_contained(parent.getManualAxes().getAxes(), axis.getName()))
        taken = axis;
    });
    if (!taken)
      continue;
    InFlightDiagnostic error =
        emitError() << "uses axis " << taken.getName()
                    << ", along which the enclosing computation is manual";
    error.attachNote(parent->getLoc()) << "it is manual here";
    return error;
  }
  return success();
}

LogicalResult verifySharding(TensorShardingAttr sharding, Type type,
                             Operation *op, EmitError emitError) {
  MeshAttr mesh = sharding.meshOf(op);
  if (!mesh)
    return emitError() << "there is no mesh " << sharding.getMeshOrRef();
  bool hasNothing = sharding.getRank() == 0 &&
                    sharding.getReplicatedAxes().empty() &&
                    sharding.getUnreducedAxes().empty();
  if (mesh.isSingleDevice()) {
    if (!hasNothing)
      return emitError() << "a value on one device has no axes and dimensions "
                            "to lie over";
    return success();
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    if (!hasNothing)
      return emitError() << type << " is no tensor: it has no dimensions and "
                         << "axes to lie over";
    return success();
  }
  if (!shaped.hasRank())
    return emitError() << type << " has no rank: it cannot be sharded";
  if (shaped.getRank() != sharding.getRank())
    return emitError() << "the sharding is for rank " << sharding.getRank()
                       << ", but " << type << " has rank " << shaped.getRank();
  SmallVector<ArrayRef<AxisRefAttr>> lists;
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    if (dim.getPriority() && dim.getIsClosed() && dim.getAxes().empty())
      return emitError() << "dimension " << index
                         << " is empty and closed: its priority means nothing";
    lists.push_back(dim.getAxes());
  }
  lists.push_back(sharding.getReplicatedAxes());
  lists.push_back(sharding.getUnreducedAxes());
  if (failed(verifyAxisLists(lists, mesh, emitError)) ||
      failed(verifyOrder(sharding.getReplicatedAxes(), mesh, "replicated",
                         emitError)) ||
      failed(verifyOrder(sharding.getUnreducedAxes(), mesh, "unreduced",
                         emitError)))
    return failure();
  return verifyNotManual(sharding, op, emitError);
}

LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                              TypeRange types, Operation *op, StringRef what) {
  // What has no results may still say on which device it runs.
  if (types.empty() && shardings.size() == 1 &&
      shardings.getShardings().front().getRank() == 0)
    return success();
  if (shardings.size() != types.size())
    return op->emitOpError() << "has " << types.size() << ' ' << what
                             << (types.size() == 1 ? "" : "s") << ", but "
                             << shardings.size() << " shardings for them";
  for (auto [index, sharding, type] :
       llvm::enumerate(shardings.getShardings(), types))
    if (failed(verifySharding(sharding, type, op, [&, i = index] {
          return op->emitOpError() << what << ' ' << i << ": ";
        })))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// What operations, arguments and results carry
//===----------------------------------------------------------------------===//

/// What an argument or a result of a function carries under the name of a
/// sharding.
static LogicalResult verifyOfFunction(Operation *op, NamedAttribute attribute,
                                      Type type, StringRef what,
                                      unsigned index) {
  if (attribute.getName() != kShardingAttr)
    return success();
  auto emitError = [&] {
    return op->emitOpError() << what << ' ' << index << ": ";
  };
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return emitError() << kShardingAttr << " must be a #sdy.sharding";
  return verifySharding(sharding, type, op, emitError);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  Region &region = op->getRegion(regionIndex);
  Type type;
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    type = function.getArgumentTypes()[argIndex];
  else
    type = region.getArgument(argIndex).getType();
  return verifyOfFunction(op, attribute, type, "argument", argIndex);
}

LogicalResult SdyDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  return verifyOfFunction(op, attribute, function.getResultTypes()[resultIndex],
                          "result", resultIndex);
}

/// One list of edges for each value that the operation owns.
static LogicalResult verifyEdgeLists(Operation *op, NamedAttribute attribute) {
  auto array = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!array || !llvm::all_of(array, llvm::IsaPred<PropagationEdgesAttr>))
    return op->emitOpError() << attribute.getName()
                             << " must be an array of #sdy.propagation_edges";
  return success();
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kShardingAttr) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
    if (!shardings)
      return op->emitOpError()
             << kShardingAttr << " must be a #sdy.sharding_per_value";
    return verifyShardings(shardings, op->getResultTypes(), op, "result");
  }
  if (name == kShardingRuleAttr) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule)
      return op->emitOpError()
             << kShardingRuleAttr << " must be a #sdy.op_sharding_rule";
    return verifyRule(rule, op);
  }
  if (name == kEdgesAttr) {
    auto edges = dyn_cast<PropagationEdgesAttr>(attribute.getValue());
    if (!edges)
      return op->emitOpError()
             << kEdgesAttr << " must be a #sdy.propagation_edges";
    return verifyEdges(edges, op);
  }
  if (name == kResultEdgesAttr || name == kArgumentEdgesAttr)
    return verifyEdgeLists(op, attribute);
  return success();
}

} // namespace heddle::sdy
