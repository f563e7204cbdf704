// What collectives must fulfil: each says which axes it moves, and its result
// must lie as that leaves it.

#include "dialects/Sdy/ShardingText.h"
#include "dialects/Sdy/ShardingVerification.h"
#include "dialects/Sdy/ValueShardings.h"

using namespace mlir;

namespace heddle::sdy {

//===----------------------------------------------------------------------===//
// Axes of a dimension
//===----------------------------------------------------------------------===//

using Axes = SmallVector<AxisRefAttr>;

/// Puts an axis behind others, as one with the last where both are parts that
/// meet.
static void append(Axes &axes, AxisRefAttr axis, MeshAttr mesh) {
  if (!axes.empty() && axes.back().canMerge(axis, mesh))
    axes.back() = axes.back().merge(axis, mesh);
  else
    axes.push_back(axis);
}

/// Takes an axis from the minor end; false where it is not there.
static bool takeLast(Axes &axes, AxisRefAttr axis, MeshAttr mesh) {
  if (axes.empty())
    return false;
  AxisRefAttr last = axes.back();
  if (last == axis) {
    axes.pop_back();
    return true;
  }
  if (axis.isWhole() || last.getName() != axis.getName() ||
      axis.getPreSize() <= last.getPreSize() ||
      axis.nextPreSize(mesh) != last.nextPreSize(mesh) ||
      axis.getPreSize() % last.getPreSize() != 0)
    return false;
  axes.back() = AxisRefAttr::part(last.getName(), last.getPreSize(),
                                  axis.getPreSize() / last.getPreSize(), mesh);
  return true;
}

static Axes axesOf(TensorShardingAttr sharding, size_t dim) {
  if (!sharding)
    return {};
  return Axes(sharding.getDimShardings()[dim].getAxes());
}

static std::string textOf(ArrayRef<AxisRefAttr> axes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printAxes(os, axes);
  return text;
}

//===----------------------------------------------------------------------===//
// What all have in common
//===----------------------------------------------------------------------===//

namespace {
/// A collective while it is verified.
struct Collective {
  Operation *op;
  Value operand;
  TensorShardingAttr in; // null where nothing is said of the operand
  TensorShardingAttr out;
  MeshAttr mesh; // of the result

  InFlightDiagnostic error() const { return op->emitOpError(); }
};
} // namespace

/// Where the operand comes from.
static Location placeOf(Value value) { return value.getLoc(); }

template <typename Op>
static FailureOr<Collective> begin(Op op, bool needsOperandSharding,
                                   bool mayChangeMesh = false) {
  Collective collective;
  collective.op = op;
  collective.operand = op.getTensor();
  collective.in = getSharding(op.getTensor());
  collective.out = op.getOutSharding();
  if (failed(verifySharding(collective.out, op.getType(), op,
                            [&] { return op.emitOpError(); })))
    return failure();
  collective.mesh = collective.out.meshOf(op);
  if (!collective.in) {
    if (needsOperandSharding)
      return op.emitOpError() << "has an operand of which no sharding is known";
    return collective;
  }
  MeshAttr from = collective.in.meshOf(op);
  if (!from || collective.in.getRank() != collective.out.getRank())
    return op.emitOpError() << "has an operand whose sharding is wrong";
  bool agree = mayChangeMesh ? from.hasSameAxes(collective.mesh)
                             : from == collective.mesh;
  if (!agree) {
    InFlightDiagnostic error = op.emitOpError()
                               << "goes from one mesh to another, "
                               << collective.mesh;
    error.attachNote(placeOf(collective.operand))
        << "the operand lies on " << from;
    return error;
  }
  return collective;
}

static LogicalResult verifyDimension(const Collective &collective, size_t dim,
                                     ArrayRef<AxisRefAttr> expected) {
  Axes found = axesOf(collective.out, dim);
  if (ArrayRef<AxisRefAttr>(found) != expected)
    return collective.error()
           << "leaves dimension " << dim << " over " << textOf(expected)
           << ", but its result lies over " << textOf(found);
  return success();
}

static LogicalResult verifyLists(const Collective &collective,
                                 ListOfAxisRefListsAttr lists) {
  if (int64_t(lists.getLists().size()) != collective.out.getRank())
    return collective.error()
           << "has axes for " << lists.getLists().size()
           << " dimensions, but a result of rank " << collective.out.getRank();
  auto arrays = llvm::map_to_vector(
      lists.getLists(), [](AxisRefListAttr list) { return list.getAxes(); });
  return verifyAxisLists(arrays, collective.mesh,
                         [&] { return collective.error(); });
}

/// Takes axes from the minor end of a dimension of the operand.
static FailureOr<Axes> without(const Collective &collective, size_t dim,
                               ArrayRef<AxisRefAttr> taken) {
  Axes axes = axesOf(collective.in, dim);
  for (AxisRefAttr axis : llvm::reverse(taken))
    if (!takeLast(axes, axis, collective.mesh))
      return collective.error()
             << "takes axis " << axis.text() << " from dimension " << dim
             << " of its operand, which lies over "
             << textOf(axesOf(collective.in, dim));
  return axes;
}

static Axes with(const Collective &collective, size_t dim,
                 ArrayRef<AxisRefAttr> added) {
  Axes axes = axesOf(collective.in, dim);
  for (AxisRefAttr axis : added)
    append(axes, axis, collective.mesh);
  return axes;
}

/// Sorted as the mesh has them, parts that meet as one.
static Axes sorted(Axes axes, MeshAttr mesh) {
  llvm::sort(
      axes, [&](AxisRefAttr a, AxisRefAttr b) { return isBefore(a, b, mesh); });
  Axes merged;
  for (AxisRefAttr axis : axes)
    append(merged, axis, mesh);
  return merged;
}

/// What becomes a term is added to what is unreduced already.
static LogicalResult verifyBecomesUnreduced(const Collective &collective,
                                            ArrayRef<AxisRefAttr> added) {
  if (!collective.out.getUnreducedAxes().empty() &&
      collective.out.getReduction() != Reduction::Sum)
    return collective.error()
           << "gives terms of a sum, not of '"
           << stringifyReduction(collective.out.getReduction()) << "'";
  Axes axes(collective.in.getUnreducedAxes());
  llvm::append_range(axes, added);
  axes = sorted(axes, collective.mesh);
  if (ArrayRef<AxisRefAttr>(axes) != collective.out.getUnreducedAxes())
    return collective.error() << "leaves axes " << textOf(axes)
                              << " unreduced, but its result has "
                              << textOf(collective.out.getUnreducedAxes());
  return success();
}

static AxisRefAttr overlapping(AxisRefAttr axis, ArrayRef<AxisRefAttr> axes) {
  for (AxisRefAttr other : axes)
    if (axis.overlaps(other))
      return other;
  return {};
}

static AxisRefAttr overlappingDimension(AxisRefAttr axis,
                                        TensorShardingAttr sharding) {
  for (DimensionShardingAttr dim : sharding.getDimShardings())
    if (AxisRefAttr other = overlapping(axis, dim.getAxes()))
      return other;
  return {};
}

/// Terms must be joined as they are meant to be; what stays unreduced must have
/// been so.
static LogicalResult verifyReduction(const Collective &collective,
                                     Reduction reduction) {
  if (collective.in && !collective.in.getUnreducedAxes().empty() &&
      collective.in.getReduction() != reduction)
    return collective.error()
           << "joins by " << stringifyReduction(reduction)
           << " what is unreduced for "
           << stringifyReduction(collective.in.getReduction());
  for (AxisRefAttr axis : collective.out.getUnreducedAxes())
    if (!collective.in ||
        llvm::none_of(collective.in.getUnreducedAxes(),
                      [&](AxisRefAttr old) { return old.contains(axis); }))
      return collective.error() << "has a result unreduced over " << axis.text()
                                << ", which its operand is not";
  return success();
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

LogicalResult AllGatherOp::verify() {
  FailureOr<Collective> collective = begin(*this, true);
  if (failed(collective) ||
      failed(verifyLists(*collective, getGatheringAxes())))
    return failure();
  for (auto [dim, list] : llvm::enumerate(getGatheringAxes().getLists())) {
    FailureOr<Axes> left = without(*collective, dim, list.getAxes());
    if (failed(left) || failed(verifyDimension(*collective, dim, *left)))
      return failure();
  }
  return success();
}

LogicalResult AllSliceOp::verify() {
  FailureOr<Collective> collective = begin(*this, false);
  if (failed(collective) || failed(verifyLists(*collective, getSlicingAxes())))
    return failure();
  for (auto [dim, list] : llvm::enumerate(getSlicingAxes().getLists()))
    if (failed(verifyDimension(*collective, dim,
                               with(*collective, dim, list.getAxes()))))
      return failure();
  return success();
}

/// Dimensions in range, sources in order, none twice.
static LogicalResult verifyMoves(const Collective &collective,
                                 ArrayRef<AllToAllParamAttr> params) {
  if (params.empty())
    return collective.error() << "moves no axes";
  int64_t rank = collective.out.getRank();
  SmallVector<bool> used(rank);
  int64_t last = -1;
  for (AllToAllParamAttr param : params) {
    for (int64_t dim : {param.getSourceDim(), param.getTargetDim()}) {
      if (dim < 0 || dim >= rank)
        return collective.error() << "moves axes from or to dimension " << dim
                                  << " of a tensor of rank " << rank;
      if (used[dim])
        return collective.error()
               << "moves axes from or to dimension " << dim << " twice";
      used[dim] = true;
    }
    if (param.getSourceDim() < last)
      return collective.error()
             << "moves axes from dimension " << param.getSourceDim()
             << " after those from dimension " << last;
    last = param.getSourceDim();
  }
  auto arrays = llvm::map_to_vector(
      params, [](AllToAllParamAttr param) { return param.getAxes(); });
  return verifyAxisLists(arrays, collective.mesh,
                         [&] { return collective.error(); });
}

LogicalResult AllToAllOp::verify() {
  FailureOr<Collective> collective = begin(*this, true);
  if (failed(collective) ||
      failed(verifyMoves(*collective, getParams().getParams())))
    return failure();
  SmallVector<Axes> expected;
  for (int64_t dim = 0; dim < collective->out.getRank(); ++dim)
    expected.push_back(axesOf(collective->in, dim));
  for (AllToAllParamAttr param : getParams().getParams()) {
    FailureOr<Axes> left =
        without(*collective, param.getSourceDim(), param.getAxes());
    if (failed(left))
      return failure();
    expected[param.getSourceDim()] = *left;
    expected[param.getTargetDim()] =
        with(*collective, param.getTargetDim(), param.getAxes());
  }
  for (auto [dim, axes] : llvm::enumerate(expected))
    if (failed(verifyDimension(*collective, dim, axes)))
      return failure();
  return success();
}

LogicalResult CollectivePermuteOp::verify() {
  FailureOr<Collective> collective = begin(*this, true, /*mayChangeMesh=*/true);
  if (failed(collective))
    return failure();
  MeshAttr from = collective->in.meshOf(*this);
  if (collective->in.getMeshOrRef() != collective->out.getMeshOrRef() &&
      from == collective->mesh) {
    InFlightDiagnostic error =
        emitOpError() << "goes from one mesh to another whose devices are the "
                         "same; name the same mesh";
    error.attachNote(placeOf(getTensor())) << "the operand lies on " << from;
    return error;
  }
  for (auto [dim, in, out] :
       llvm::enumerate(collective->in.getDimShardings(),
                       collective->out.getDimShardings())) {
    int64_t before = in.shardCount(from);
    int64_t after = out.shardCount(collective->mesh);
    if (before != after)
      return emitOpError() << "cuts dimension " << dim << " into " << after
                           << " parts, but its operand into " << before;
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  FailureOr<Collective> collective = begin(*this, false);
  if (failed(collective))
    return failure();
  ArrayRef<AxisRefAttr> axes = getReductionAxes().getAxes();
  auto error = [&] { return emitOpError(); };
  if (failed(verifyAxisLists(axes, collective->mesh, error)) ||
      failed(verifyOrder(axes, collective->mesh, "reduced", error)))
    return failure();
  TensorShardingAttr in = collective->in;
  for (AxisRefAttr axis : axes) {
    if (in && (overlappingDimension(axis, in) ||
               overlapping(axis, in.getReplicatedAxes())))
      return emitOpError() << "joins over axis " << axis.text()
                           << ", along which its operand is cut or replicated";
    if (overlapping(axis, collective->out.getUnreducedAxes()))
      return emitOpError() << "joins over axis " << axis.text()
                           << ", along which its result is unreduced";
  }
  for (int64_t dim = 0; dim < collective->out.getRank(); ++dim)
    if (failed(verifyDimension(*collective, dim, axesOf(in, dim))))
      return failure();
  return verifyReduction(*collective, getReductionOp());
}

LogicalResult ReduceScatterOp::verify() {
  FailureOr<Collective> collective = begin(*this, false);
  if (failed(collective) ||
      failed(verifyLists(*collective, getReduceScatterAxes())))
    return failure();
  for (auto [dim, list] : llvm::enumerate(getReduceScatterAxes().getLists()))
    if (failed(verifyDimension(*collective, dim,
                               with(*collective, dim, list.getAxes()))))
      return failure();
  return verifyReduction(*collective, getReductionOp());
}

LogicalResult ShardedToUnreducedOp::verify() {
  FailureOr<Collective> collective = begin(*this, true);
  if (failed(collective) || failed(verifyLists(*collective, getAxes())))
    return failure();
  Axes moved;
  for (auto [dim, list] : llvm::enumerate(getAxes().getLists())) {
    FailureOr<Axes> left = without(*collective, dim, list.getAxes());
    if (failed(left) || failed(verifyDimension(*collective, dim, *left)))
      return failure();
    llvm::append_range(moved, list.getAxes());
  }
  return verifyBecomesUnreduced(*collective, moved);
}

LogicalResult ReplicatedToUnreducedOp::verify() {
  FailureOr<Collective> collective = begin(*this, true);
  if (failed(collective))
    return failure();
  ArrayRef<AxisRefAttr> axes = getAxes().getAxes();
  auto error = [&] { return emitOpError(); };
  if (axes.empty())
    return emitOpError() << "names no axes";
  if (failed(verifyAxisLists(axes, collective->mesh, error)) ||
      failed(verifyOrder(axes, collective->mesh, "its", error)))
    return failure();
  for (AxisRefAttr axis : axes) {
    if (overlappingDimension(axis, collective->in))
      return emitOpError() << "makes terms along axis " << axis.text()
                           << ", along which its operand is cut";
    if (overlapping(axis, collective->in.getUnreducedAxes()))
      return emitOpError() << "makes terms along axis " << axis.text()
                           << ", along which its operand is unreduced";
  }
  for (int64_t dim = 0; dim < collective->out.getRank(); ++dim)
    if (failed(verifyDimension(*collective, dim, axesOf(collective->in, dim))))
      return failure();
  return verifyBecomesUnreduced(*collective, axes);
}

} // namespace heddle::sdy
