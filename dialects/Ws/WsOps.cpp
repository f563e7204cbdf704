// What ops of the ws dialect demand of each other.

#include "dialects/Ws/Ws.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/Ws/WsOps.cpp.inc"

namespace heddle::ws {

/// The tiles are those of the channel's slots, and `Exit` ends the use of them
/// once, in the same region and behind all of their users.
template <typename Exit, typename Enter>
static LogicalResult verifyEnter(Enter op) {
  ArrayRef<Type> wanted = op.getChannel().getType().getTiles();
  if (TypeRange(op.getTiles()) != TypeRange(wanted))
    return op.emitOpError("gives other tiles than slots of ")
           << op.getChannel().getType() << " hold";
  if (!isa_and_nonnull<RolesOp>(op->getParentOp()))
    return op.emitOpError("stands outside of a role");
  if (!op.getToken().hasOneUse())
    return op.emitOpError("needs one exit with its token, and has ")
           << llvm::range_size(op.getToken().getUsers());
  auto exit = dyn_cast<Exit>(*op.getToken().getUsers().begin());
  if (!exit || exit->getBlock() != op->getBlock())
    return op.emitOpError("needs ")
           << Exit::getOperationName() << " in the same role";
  for (Value tile : op.getTiles())
    for (Operation *user : tile.getUsers())
      if (!user->isBeforeInBlock(exit))
        return user->emitOpError("uses a tile behind the exit of its slot");
  return success();
}

LogicalResult PutEnterOp::verify() {
  for (Value tile : getTiles())
    for (Operation *user : tile.getUsers())
      if (!isa<CopyOp, CopyBoxOp>(user))
        return user->emitOpError("reads a tile that is being filled");
  return verifyEnter<PutExitOp>(*this);
}

LogicalResult GetEnterOp::verify() {
  for (Value tile : getTiles())
    for (Operation *user : tile.getUsers())
      if (isa<CopyOp, CopyBoxOp>(user))
        return user->emitOpError("writes a tile that is being read");
  return verifyEnter<GetExitOp>(*this);
}

LogicalResult PutExitOp::verify() {
  auto enter = getToken().getDefiningOp<PutEnterOp>();
  if (!enter)
    return emitOpError("needs the token of a ws.put.enter");
  for (Value tile : enter.getTiles()) {
    if (getCompletion() == Completion::Box && !tile.hasOneUse())
      return emitOpError("counts bytes: each tile is copied once, not ")
             << llvm::range_size(tile.getUsers()) << " times";
    for (Operation *user : tile.getUsers()) {
      if (isa<CopyBoxOp>(user) != (getCompletion() == Completion::Box))
        return emitOpError("does not wait for what '")
               << user->getName() << "' copies";
      if (auto copy = dyn_cast<CopyOp>(user);
          copy && getCompletion() == Completion::CpAsync && copy.getChunk() < 2)
        return emitOpError("waits for cp.async, which copies no chunks of ")
               << copy.getChunk() << " element";
    }
  }
  return success();
}

/// Tiles are read by products until these have been waited for.
LogicalResult GetExitOp::verify() {
  auto enter = getToken().getDefiningOp<GetEnterOp>();
  if (!enter)
    return emitOpError("needs the token of a ws.get.enter");
  for (Value tile : enter.getTiles())
    for (Operation *user : tile.getUsers()) {
      auto mma = dyn_cast<MmaOp>(user);
      // A chain of products is waited for at its end.
      while (mma && mma.getResult().hasOneUse()) {
        Operation *next = *mma.getResult().getUsers().begin();
        if (auto wait = dyn_cast<MmaWaitOp>(next);
            wait && wait->getBlock() == (*this)->getBlock() &&
            wait->isBeforeInBlock(*this)) {
          mma = {};
          break;
        }
        auto following = dyn_cast<MmaOp>(next);
        if (!following)
          break;
        mma = following;
      }
      if (mma)
        return emitOpError("gives back a slot that a product may still read: "
                           "put ws.mma.wait before it");
    }
  return success();
}

LogicalResult MmaOp::verify() {
  TileType rhs = getRhs().getType();
  AccumulatorType sums = getAccumulator().getType();
  int64_t rows = 0, k = 0;
  Type element;
  if (auto lhs = dyn_cast<OperandType>(getLhs().getType())) {
    rows = lhs.getRows();
    k = lhs.getColumns();
    element = lhs.getElement();
    if (getTransposeLhs())
      return emitOpError("multiplies registers as they are");
    if (lhs.getWarps() != sums.getWarpRows() || sums.getWarpColumns() != 1)
      return emitOpError("multiplies registers of ")
             << lhs.getWarps() << " warps into sums of others";
  } else {
    auto tile = cast<TileType>(getLhs().getType());
    rows = tile.getRows();
    k = tile.getColumns();
    element = tile.getElement();
    if (getTransposeLhs())
      std::swap(rows, k);
  }
  int64_t rhsK = rhs.getRows(), columns = rhs.getColumns();
  if (getTransposeRhs())
    std::swap(rhsK, columns);
  if (element != rhs.getElement())
    return emitOpError("multiplies ") << element << " by " << rhs.getElement();
  if (k != rhsK)
    return emitOpError("sums over ")
           << k << " of lhs and " << rhsK << " of rhs";
  if (k % 16)
    return emitOpError("sums over ") << k << ", no multiple of 16";
  if (rows != sums.getRows() || columns != sums.getColumns())
    return emitOpError("has a product of ")
           << rows << " by " << columns << ", which " << sums
           << " does not hold";
  return success();
}

static LogicalResult verifyArguments(Operation *op, Region &region,
                                     StringRef what, TypeRange wanted) {
  if (TypeRange(region.getArgumentTypes()) == wanted)
    return success();
  return op->emitOpError(what)
         << " takes " << wanted << ", not " << region.getArgumentTypes();
}

static LogicalResult verifyYield(Operation *op, Region &region, StringRef what,
                                 TypeRange wanted) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (yield && TypeRange(yield.getOperands()) == wanted)
    return success();
  if (wanted.empty())
    return op->emitOpError(what) << " yields nothing";
  return op->emitOpError(what) << " yields " << wanted;
}

/// The one op of kind `Op` on `channel` inside of `region`.
template <typename Op>
static unsigned countUses(Value channel, Region &region) {
  return llvm::count_if(channel.getUsers(), [&](Operation *user) {
    return isa<Op>(user) && region.isAncestor(user->getParentRegion());
  });
}

LogicalResult RolesOp::verifyRegions() {
  Type index = IndexType::get(getContext());
  if (getInits().empty())
    return emitOpError("carries nothing from step to step");
  SmallVector<Type> taken = {index};
  llvm::append_range(taken, getInits().getTypes());
  if (failed(verifyArguments(*this, getProduce(), "its producer", {index})) ||
      failed(verifyArguments(*this, getConsume(), "its consumer", taken)) ||
      failed(verifyYield(*this, getProduce(), "its producer", {})) ||
      failed(verifyYield(*this, getConsume(), "its consumer",
                         getInits().getTypes())))
    return failure();
  llvm::SmallSetVector<Value, 2> channels;
  walk([&](Operation *op) {
    if (isa<PutEnterOp, GetEnterOp>(op))
      channels.insert(op->getOperand(0));
  });
  for (Value channel : channels)
    if (countUses<PutEnterOp>(channel, getProduce()) != 1 ||
        countUses<GetEnterOp>(channel, getConsume()) != 1 ||
        countUses<PutEnterOp>(channel, getConsume()) ||
        countUses<GetEnterOp>(channel, getProduce()))
      return emitOpError("needs each channel to be put into by its producer "
                         "and read by its consumer, once a step");
  // One place in a ring is then that in all.
  auto depth = [](Value channel) {
    return cast<ChannelType>(channel.getType()).getDepth();
  };
  for (Value channel : channels)
    if (depth(channel) != depth(channels[0]))
      return emitOpError("goes through channels of ")
             << depth(channels[0]) << " and of " << depth(channel)
             << " slots: each step takes one of each, so they have as many";
  return success();
}

/// A region that says where the elements at a row and a column lie.
static LogicalResult verifyPlace(Operation *op, Region &place) {
  Type index = IndexType::get(op->getContext());
  return success(
      succeeded(verifyArguments(op, place, "its region", {index, index})) &&
      succeeded(verifyYield(op, place, "its region",
                            {index, IntegerType::get(op->getContext(), 1)})));
}

LogicalResult CopyOp::verifyRegions() {
  if (failed(verifyPlace(*this, getPlace())))
    return failure();
  if (int64_t chunk = getChunk();
      chunk != 1 && chunk != 2 && chunk != 4 && chunk != 8)
    return emitOpError("copies 1, 2, 4 or 8 elements at once, not ") << chunk;
  Type from = cast<MemRefType>(getSource().getType()).getElementType();
  if (from != getTile().getType().getElement())
    return emitOpError("copies ")
           << from << " to a tile of " << getTile().getType().getElement();
  if (getTile().getType().getPanel())
    return emitOpError("fills whole rows, not those of panels");
  return success();
}

// The limits of "Tensor Map Object Management" in the CUDA Driver API: up to
// five dimensions, and boxes of at most 256 elements in each.
LogicalResult TensorMapOp::verify() {
  size_t rank = getExtents().size();
  if (rank < 2 || rank > 5 || getStrides().size() != rank - 1 ||
      getBox().size() != rank)
    return emitOpError("has 2 to 5 extents, one stride fewer, and a box of as "
                       "many, not ")
           << rank << ", " << getStrides().size() << " and " << getBox().size();
  int64_t bytes = cast<MemRefType>(getSource().getType())
                      .getElementType()
                      .getIntOrFloatBitWidth() /
                  8;
  for (int64_t stride : getStrides())
    if (stride <= 0 || stride * bytes % kChunkBytes)
      return emitOpError("has a stride of ")
             << stride * bytes << " bytes, which is no multiple of "
             << kChunkBytes;
  auto offset = static_cast<int64_t>(getOffset());
  if (offset < 0)
    return emitOpError("begins before its source, by ")
           << -offset << " elements";
  if (offset * bytes % kChunkBytes)
    return emitOpError("begins ")
           << offset * bytes << " bytes behind its source, which is no "
           << "multiple of " << kChunkBytes;
  for (auto [extent, box] : llvm::zip_equal(getExtents(), getBox()))
    if (extent <= 0 || box <= 0 || box > 256)
      return emitOpError("copies ")
             << box << " elements of " << extent << ": boxes have 1 to 256";
  return success();
}

LogicalResult CopyBoxOp::verify() {
  auto map = getMap().getDefiningOp<TensorMapOp>();
  if (!map)
    return emitOpError("needs the map of a ws.tensor_map");
  TileType tile = getTile().getType();
  if (getAt().size() != map.getExtents().size())
    return emitOpError("has ")
           << getAt().size() << " coordinates in a tensor of "
           << map.getExtents().size() << " dimensions";
  Type from = cast<MemRefType>(map.getSource().getType()).getElementType();
  if (from != tile.getElement())
    return emitOpError("copies ")
           << from << " to a tile of " << tile.getElement();
  SmallVector<int64_t> wanted(map.getBox().size(), 1);
  wanted[0] = tile.getPanelColumns();
  wanted[1] = tile.getRows();
  if (map.getBox() != ArrayRef(wanted))
    return emitOpError("fills panels of ")
           << tile.getRows() << " by " << tile.getPanelColumns()
           << " by boxes of another size";
  // What the device swizzles are rows of 128 bytes, by three bits of their
  // number.
  SharedLayout layout = tile.getLayout();
  if (layout.rowBytes != 128 || layout.bits != 3 || layout.shift != 0)
    return emitOpError("needs rows of 128 bytes with a swizzle of 3 bits");
  return success();
}

LogicalResult ClearOp::verify() {
  if (!getTile().getDefiningOp<GetEnterOp>())
    return emitOpError("clears a tile that no ws.get.enter gives");
  for (Operation *user : getTile().getUsers())
    if (isa<MmaOp>(user) && user->isBeforeInBlock(*this))
      return emitOpError("clears a tile that a product before it reads");
  return success();
}

LogicalResult LoadOp::verifyRegions() {
  if (failed(verifyPlace(*this, getPlace())))
    return failure();
  if (int64_t chunk = getChunk(); chunk != 1 && chunk != 2)
    return emitOpError("loads 1 or 2 elements at once, not ") << chunk;
  Type from = cast<MemRefType>(getSource().getType()).getElementType();
  if (from != getResult().getType().getElement())
    return emitOpError("loads ")
           << from << " as " << getResult().getType().getElement();
  return success();
}

/// The rows and warps of numbers in registers; of an accumulator that is
/// divided by columns too, none.
static std::pair<int64_t, int64_t> rowsAndWarps(Type type) {
  if (auto rows = dyn_cast<RowsType>(type))
    return {rows.getRows(), rows.getWarps()};
  auto sums = cast<AccumulatorType>(type);
  return {sums.getRows(), sums.getWarpColumns() == 1 ? sums.getWarpRows() : 0};
}

LogicalResult MapOp::verifyRegions() {
  Type result = getResult().getType(), f32 = Float32Type::get(getContext()),
       index = IndexType::get(getContext());
  for (Type type : getNumbers().getTypes())
    if (type != result &&
        (!isa<RowsType>(type) || rowsAndWarps(type) != rowsAndWarps(result)))
      return emitOpError("has ") << type << " at no place of " << result;
  if (getWhere() &&
      (getNumbers().empty() || getNumbers()[0].getType() != result))
    return emitOpError("has no operand that its result is elsewhere");
  SmallVector<Type> wanted(getNumbers().size(), f32);
  wanted.append(isa<RowsType>(result) ? 1 : 2, index);
  if (failed(verifyArguments(*this, getBody(), "its region", wanted)))
    return failure();
  return verifyYield(*this, getBody(), "its region", {f32});
}

LogicalResult ReduceOp::verifyRegions() {
  Type f32 = Float32Type::get(getContext());
  if (rowsAndWarps(getNumbers().getType()) !=
      rowsAndWarps(getResult().getType()))
    return emitOpError("gives ")
           << getResult().getType() << " of rows of " << getNumbers().getType();
  if (failed(verifyArguments(*this, getBody(), "its region", {f32, f32})))
    return failure();
  return verifyYield(*this, getBody(), "its region", {f32});
}

LogicalResult NarrowOp::verify() {
  AccumulatorType sums = getNumbers().getType();
  OperandType operand = getResult().getType();
  if (operand.getRows() == sums.getRows() &&
      operand.getColumns() == sums.getColumns() &&
      operand.getWarps() == sums.getWarpRows() && sums.getWarpColumns() == 1)
    return success();
  return emitOpError("gives ") << operand << " of " << sums;
}

LogicalResult EpilogueOp::verifyRegions() {
  Type index = IndexType::get(getContext());
  if (failed(verifyArguments(*this, getBody(), "its region",
                             {Float32Type::get(getContext()), index, index})))
    return failure();
  return verifyYield(*this, getBody(), "its region", {});
}

} // namespace heddle::ws
