// Writes what devices of a mesh exchange, as operations of StableHLO.

#include "passes/Sharding/Collectives.h"

#include "dialects/Prec/Prec.h"
#include "dialects/Sdy/DevicePositions.h"
#include "heddle/Support/PartTypes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/Constants.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::sdy::AxisDigit;

namespace heddle {

static RankedTensorType resized(RankedTensorType type, int64_t dim,
                                int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Groups and positions
//===----------------------------------------------------------------------===//

Attribute Collectives::groupsAlong(ArrayRef<sdy::AxisRefAttr> axes) {
  MLIRContext *context = builder.getContext();
  SmallVector<MeshAxisAttr> meshAxes;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    meshAxes.push_back(
        MeshAxisAttr::get(context, axis.getName(), axis.getSize()));
  DenseIntElementsAttr devices;
  if (!mesh.getDeviceIds().empty())
    devices = builder.getI64TensorAttr(mesh.getDeviceIds());
  auto named = llvm::map_to_vector(axes, [&](sdy::AxisRefAttr axis) {
    SubAxisInfoAttr part;
    if (!axis.isWhole())
      part = SubAxisInfoAttr::get(context, axis.getPreSize(), axis.getSize());
    return Attribute(AxisRefAttr::get(context, axis.getName(), part));
  });
  return ReplicaGroupMeshAxesAttr::get(
      context, MeshAttr::get(context, meshAxes, devices),
      builder.getArrayAttr(named));
}

/// Collectives that have a channel name partitions, not replicas.
ChannelHandleAttr Collectives::channel() {
  return ChannelHandleAttr::get(builder.getContext(), 1, 0);
}

static Value integer(OpBuilder &builder, int64_t value, Location loc) {
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             builder.getI32IntegerAttr(value)));
}

Value Collectives::position(Location loc) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value id = PartitionIdOp::create(
      builder, loc,
      RankedTensorType::get({}, builder.getIntegerType(32, false)));
  Value device = ConvertOp::create(builder, loc, type, id);
  if (mesh.getDeviceIds().empty())
    return device;
  // Where the devices' numbers are given, a table finds the place of each.
  SmallVector<int32_t> places(mesh.deviceCount());
  for (auto [place, number] : llvm::enumerate(mesh.getDeviceIds()))
    places[number] = place;
  Value table =
      ConstantOp::create(builder, loc, builder.getI32TensorAttr(places));
  Value place = DynamicSliceOp::create(
      builder, loc, RankedTensorType::get({1}, builder.getI32Type()), table,
      device, builder.getDenseI64ArrayAttr({1}));
  return ReshapeOp::create(builder, loc, type, place);
}

Value Collectives::partIndex(ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  if (axes.empty())
    return integer(builder, 0, loc);
  Value place = position(loc), index;
  for (sdy::AxisRefAttr axis : axes) {
    AxisDigit digit = sdy::digitOf(axis, mesh);
    Value part = place;
    if (digit.stride > 1)
      part = DivOp::create(builder, loc, type, part,
                           integer(builder, digit.stride, loc));
    if (digit.stride * digit.size < mesh.deviceCount())
      part = RemOp::create(builder, loc, type, part,
                           integer(builder, digit.size, loc));
    if (index) {
      index = MulOp::create(builder, loc, type, index,
                            integer(builder, digit.size, loc));
      part = AddOp::create(builder, loc, type, index, part);
    }
    index = part;
  }
  return index;
}

Value Collectives::partBegin(ArrayRef<sdy::AxisRefAttr> axes, int64_t size,
                             Location loc) {
  auto scalar = RankedTensorType::get({}, builder.getI32Type());
  Value index = partIndex(axes, loc);
  return axes.empty() ? index
                      : Value(MulOp::create(builder, loc, scalar, index,
                                            integer(builder, size, loc)));
}

Value Collectives::isFirst(ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  return CompareOp::create(builder, loc, partIndex(axes, loc),
                           integer(builder, 0, loc), ComparisonDirection::EQ);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

DenseI64ArrayAttr Collectives::cutsAlong(int64_t dim,
                                         ArrayRef<sdy::AxisRefAttr> axes) {
  SmallVector<int64_t> cuts;
  sdy::appendCuts(cuts, dim, axes, mesh);
  return builder.getDenseI64ArrayAttr(cuts);
}

Value Collectives::gather(Value part, int64_t dim,
                          ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t size = type.getDimSize(dim) * sdy::partCount(axes, mesh);
  auto op = AllGatherOp::create(
      builder, loc, TypeRange(resized(type, dim, size)), ValueRange(part), dim,
      groupsAlong(axes), channel(), /*use_global_device_ids=*/true);
  op->setAttr(kCutsAttrName, cutsAlong(dim, axes));
  return op->getResult(0);
}

/// Whether the value is a constant, padded or cut as each device has it, or
/// what is dequantized, maybe transposed.
static bool isConstantPart(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (isa<PadOp, TransposeOp>(op) ||
                (isa<DynamicSliceOp>(op) && op->hasAttr(kCutsAttrName))))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ConstantOp, prec::DequantizeOp>(op);
}

Value Collectives::slice(Value part, int64_t dim,
                         ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t size = type.getDimSize(dim) / sdy::partCount(axes, mesh);
  SmallVector<Value> starts(type.getRank(), integer(builder, 0, loc));
  starts[dim] = partBegin(axes, size, loc);
  RankedTensorType local = resized(type, dim, size);
  auto op =
      DynamicSliceOp::create(builder, loc, local, part, starts,
                             builder.getDenseI64ArrayAttr(local.getShape()));
  if (isConstantPart(part))
    op->setAttr(kCutsAttrName, cutsAlong(dim, axes));
  return op;
}

Value Collectives::exchange(Value part, int64_t from, int64_t to,
                            ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t count = sdy::partCount(axes, mesh);
  RankedTensorType local =
      resized(resized(type, from, type.getDimSize(from) * count), to,
              type.getDimSize(to) / count);
  auto op = AllToAllOp::create(builder, loc, TypeRange(local), ValueRange(part),
                               to, from, count, groupsAlong(axes), channel());
  return op->getResult(0);
}

Value Collectives::permute(Value part,
                           ArrayRef<std::pair<int64_t, int64_t>> pairs,
                           Location loc) {
  SmallVector<int64_t> numbers;
  for (auto [from, to] : pairs)
    numbers.append({from, to});
  auto type =
      RankedTensorType::get({int64_t(pairs.size()), 2}, builder.getI64Type());
  return CollectivePermuteOp::create(
      builder, loc, part.getType(), part,
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(numbers)), channel());
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

Value Collectives::join(OperationName by, Value lhs, Value rhs, Location loc) {
  OperationState state(loc, by);
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  return builder.create(state)->getResult(0);
}

void Collectives::addJoining(Region &region, Type element, OperationName by,
                             Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = RankedTensorType::get({}, element);
  Block *block = builder.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  ReturnOp::create(builder, loc,
                   join(by, block->getArgument(0), block->getArgument(1), loc));
}

Value Collectives::reduce(Value part, OperationName by,
                          ArrayRef<sdy::AxisRefAttr> axes, Location loc) {
  auto op = AllReduceOp::create(builder, loc, TypeRange(part.getType()),
                                ValueRange(part), groupsAlong(axes), channel(),
                                /*use_global_device_ids=*/true);
  addJoining(op.getComputation(), typeOf(part).getElementType(), by, loc);
  return op->getResult(0);
}

Value Collectives::reduceScatter(Value part, OperationName by, int64_t dim,
                                 ArrayRef<sdy::AxisRefAttr> axes,
                                 Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t size = type.getDimSize(dim) / sdy::partCount(axes, mesh);
  auto op = ReduceScatterOp::create(builder, loc, resized(type, dim, size),
                                    part, dim, groupsAlong(axes), channel(),
                                    /*use_global_device_ids=*/true);
  addJoining(op.getComputation(), type.getElementType(), by, loc);
  return op.getResult();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

Value Collectives::resize(Value part, int64_t dim, int64_t size, Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t more = size - type.getDimSize(dim);
  if (more == 0)
    return part;
  SmallVector<int64_t> none(type.getRank(), 0), high(type.getRank(), 0);
  RankedTensorType result = resized(type, dim, size);
  if (more < 0) {
    SmallVector<int64_t> ones(type.getRank(), 1);
    return SliceOp::create(builder, loc, result, part, none, result.getShape(),
                           ones);
  }
  high[dim] = more;
  Value zero = createZero(builder, loc,
                          RankedTensorType::get({}, type.getElementType()));
  return PadOp::create(builder, loc, result, part, zero, none, high, none);
}

Value Collectives::fillBeyond(Value part, int64_t dim, int64_t size,
                              ArrayRef<sdy::AxisRefAttr> axes, Attribute fill,
                              Location loc) {
  RankedTensorType type = typeOf(part);
  int64_t local = type.getDimSize(dim);
  auto scalar = RankedTensorType::get({}, builder.getI32Type());
  auto places = RankedTensorType::get({local}, builder.getI32Type());
  // Elements before this place of the part are of the tensor.
  Value begin = partBegin(axes, local, loc);
  Value limit = SubtractOp::create(builder, loc, scalar,
                                   integer(builder, size, loc), begin);
  Value limits = BroadcastInDimOp::create(builder, loc, places, limit,
                                          builder.getDenseI64ArrayAttr({}));
  Value place = IotaOp::create(builder, loc, places, 0);
  Value isInside =
      CompareOp::create(builder, loc, place, limits, ComparisonDirection::LT);
  Value mask =
      BroadcastInDimOp::create(builder, loc, type.clone(builder.getI1Type()),
                               isInside, builder.getDenseI64ArrayAttr({dim}));
  return SelectOp::create(builder, loc, type, mask, part,
                          createSplat(builder, loc, type, fill));
}

} // namespace heddle
