// Contractions as roles: one brings tiles of both operands into a channel, the
// other multiplies what comes out of it; the elementwise operation behind the
// contraction is done on the sums in registers.

#include "passes/Kernel/Gpu/TileContractions.h"

#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Ws/Ws.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Target/GpuTarget.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/ElementEmitter.h"
#include "passes/Kernel/Gpu/ModuleTarget.h"
#include "passes/Kernel/Gpu/OperandTiles.h"
#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"
#include "passes/Kernel/Gpu/TileDesign.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_TILECONTRACTIONS
#include "passes/Kernel/Gpu/Passes.h.inc"

namespace {

/// The rows, columns and summed elements of a tile, and the warps that
/// multiply.
struct TileShape {
  int64_t m, n, k, warpRows, warpColumns;
};

class ContractionTiler {
public:
  ContractionTiler(kernel::ContractOp op, linalg::GenericOp epilogue,
                   const GpuMachine &machine);

  void emit(ElementEmitter &emitter);

private:
  int64_t extent(ArrayRef<unsigned> loops) { return countPlaces(op, loops); }
  int64_t countBlocks(const TileShape &tile);
  TileShape chooseWarpgroupTile();
  int64_t threads();
  /// Where warpgroups multiply, a launch asks for all that a block can have.
  int64_t channelBudget() const {
    return isByWarpgroups ? machine.mostBlockSharedBytes
                          : machine.staticSharedBytes;
  }
  int64_t chooseDepth(int64_t bytes) const;
  ws::TileType tileType(const OperandTiles &operand, int64_t own);
  /// The map of an operand, made by the host.
  Value describeToDevice(const OperandTiles &operand, ws::TileType tile);
  void emitBoxCopy(const OperandTiles &operand, Value map, Value batch,
                   Value first, Value step, Value into);
  /// The position in the operand's buffer, as far as `loops` at the place
  /// `linear` of all of them have a part in it.
  Value partAt(const OperandTiles &operand, ArrayRef<unsigned> loops,
               Value linear);
  void emitCopy(const OperandTiles &operand, ArrayRef<unsigned> own,
                int64_t tile, Value batch, Value first, Value step, Value into);
  void produce(ws::RolesOp roles, Value channel, ValueRange maps,
               ValueRange at);
  void emitConsumer(ws::RolesOp roles, Value channel);
  void emitEpilogue(ElementEmitter &emitter, Value sums, Value batch,
                    Value firstM, Value firstN);
  SmallVector<Value> placeOf(Value batch, Value m, Value n);

  kernel::ContractOp op;
  linalg::GenericOp epilogue;
  kernel::ContractOp::Dims dims;
  const GpuMachine &machine;
  OperandTiles lhs, rhs;
  TileShape shape;
  /// Whether warpgroups multiply what copies of boxes bring.
  bool isByWarpgroups = false;
  GridFrame *frame = nullptr;
};

} // namespace

/// Whether tensor cores sum products of these types as the model asks.
static bool isForTensorCores(kernel::ContractOp op) {
  Type lhs = elementOf(op.getLhs()), rhs = elementOf(op.getRhs());
  // A product of two f16 or bf16 is exact in f32, whatever precision is asked.
  return lhs == rhs && (lhs.isF16() || lhs.isBF16()) &&
         elementOf(op.getResult()).isF32() && op.getSumElement().isF32() &&
         op.getLhsElement() == lhs && op.getRhsElement() == rhs &&
         !op.getRhsPacking() && !op->hasAttr("algorithm") &&
         op.getLimits().empty();
}

bool isTiledContraction(func::FuncOp kernel) {
  auto op = findTiledRoot<kernel::ContractOp>(kernel).first;
  if (!op || !isForTensorCores(op))
    return false;
  for (auto [tensor, map] :
       {std::pair(op.getLhs(), op.getLhsMap()), {op.getRhs(), op.getRhsMap()}})
    if (!isa<BlockArgument>(tensor) ||
        !kernel::linearAccess(map, typeOf(tensor)))
      return false;
  // Below one matrix of an instruction most products would be of zeros.
  kernel::ContractOp::Dims dims = op.getDims();
  return countPlaces(op, dims.batch) > 0 && countPlaces(op, dims.m) >= 16 &&
         countPlaces(op, dims.n) >= 16 && countPlaces(op, dims.k) >= 16;
}

ContractionTiler::ContractionTiler(kernel::ContractOp op,
                                   linalg::GenericOp epilogue,
                                   const GpuMachine &machine)
    : op(op), epilogue(epilogue), dims(op.getDims()), machine(machine) {
  lhs = describeOperand(op, op.getLhs(), op.getLhsMap(), dims.m, machine);
  rhs = describeOperand(op, op.getRhs(), op.getRhsMap(), dims.n, machine);
  // Chunks of one element do not go by cp.async, and a slot is filled by one
  // kind of copies.
  if (lhs.chunk == 1 || rhs.chunk == 1)
    lhs.chunk = rhs.chunk = 1;
  isByWarpgroups = machine.warpgroupThreads && lhs.boxed && rhs.boxed;
  // 64 registers a thread hold sums; where larger tiles would stand half
  // empty, smaller ones give more blocks.
  shape = isByWarpgroups ? chooseWarpgroupTile()
          : extent(dims.m) > 64 && extent(dims.n) > 64
              ? TileShape{128, 128, 32, 2, 4}
              : TileShape{64, 64, 32, 2, 2};
}

int64_t ContractionTiler::countBlocks(const TileShape &tile) {
  return extent(dims.batch) * llvm::divideCeilSigned(extent(dims.m), tile.m) *
         llvm::divideCeilSigned(extent(dims.n), tile.n);
}

/// The tile by which the whole product takes the shortest time, as far as it is
/// the products of a tile and the loads of what they read, over as many rounds
/// as the blocks fill the device. A warpgroup has 64 rows; of equal tiles the
/// larger one is taken.
TileShape ContractionTiler::chooseWarpgroupTile() {
  int64_t warps = machine.warpgroupThreads / machine.warpThreads;
  TileShape best = {};
  double bestTime = std::numeric_limits<double>::infinity();
  for (int64_t m : {2 * kWarpgroupM, kWarpgroupM})
    for (int64_t n : {256, 128, 64}) {
      TileShape tile{m, n, kBoxColumns, m / kWarpgroupM * warps, 1};
      int64_t rounds =
          llvm::divideCeilSigned(countBlocks(tile), machine.multiprocessors);
      double time =
          double(rounds) *
          (double(m * n) + machine.rates.productsPerLoad * double(m + n));
      if (time < bestTime) {
        best = tile;
        bestTime = time;
      }
    }
  return best;
}

int64_t ContractionTiler::threads() {
  // One warpgroup more copies boxes.
  return shape.warpRows * shape.warpColumns * machine.warpThreads +
         (isByWarpgroups ? machine.warpgroupThreads : 0);
}

ws::TileType ContractionTiler::tileType(const OperandTiles &operand,
                                        int64_t own) {
  Type element = elementOf(operand.tensor);
  int64_t rows = operand.isByK ? shape.k : own;
  int64_t columns = operand.isByK ? own : shape.k;
  if (isByWarpgroups)
    return boxedTile(rows, columns, element);
  ws::SharedLayout layout = ws::SharedLayout::withoutConflicts(
      columns * element.getIntOrFloatBitWidth() / 8);
  return ws::TileType::get(op.getContext(), rows, columns, element, layout.bits,
                           layout.shift, 0);
}

Value ContractionTiler::describeToDevice(const OperandTiles &operand,
                                         ws::TileType tile) {
  return createTensorMap(frame->index, frame->buffer(operand.tensor),
                         operand.offset, *operand.boxed, tile);
}

void ContractionTiler::emitBoxCopy(const OperandTiles &operand, Value map,
                                   Value batch, Value first, Value step,
                                   Value into) {
  Value k = frame->index.mul(step, shape.k);
  SmallVector<Value> at = {k, first};
  if (operand.isByK)
    std::swap(at[0], at[1]);
  SmallVector<int64_t> extents;
  for (unsigned loop : dims.batch)
    extents.push_back(op.getExtents()[loop]);
  if (!operand.boxed->batch.empty()) {
    SmallVector<Value> places = frame->index.delinearize(batch, extents);
    for (unsigned loop : operand.boxed->batch)
      at.push_back(places[llvm::find(dims.batch, loop) - dims.batch.begin()]);
  }
  ws::CopyBoxOp::create(frame->builder, frame->index.loc, map, at, into);
}

Value ContractionTiler::partAt(const OperandTiles &operand,
                               ArrayRef<unsigned> loops, Value linear) {
  IndexBuilder &index = frame->index;
  SmallVector<int64_t> extents;
  SmallVector<unsigned> moving;
  for (unsigned loop : loops)
    if (op.getExtents()[loop] != 1) {
      moving.push_back(loop);
      extents.push_back(op.getExtents()[loop]);
    }
  Value sum = index.constant(0);
  SmallVector<Value> at = moving.size() == 1
                              ? SmallVector<Value>{linear}
                              : index.delinearize(linear, extents);
  for (auto [loop, place] : llvm::zip_equal(moving, at))
    if (operand.strides[loop])
      sum = index.at(sum, place, operand.strides[loop]);
  return sum;
}

void ContractionTiler::emitCopy(const OperandTiles &operand,
                                ArrayRef<unsigned> own, int64_t tile,
                                Value batch, Value first, Value step,
                                Value into) {
  IndexBuilder &index = frame->index;
  Value start = index.add(partAt(operand, dims.batch, batch), operand.offset);
  auto copy =
      ws::CopyOp::create(frame->builder, index.loc,
                         frame->buffer(operand.tensor), into, operand.chunk);
  emitPlace(index, copy.getPlace(), [&](Value row, Value column) {
    Value ownPlace = index.add(first, operand.isByK ? column : row);
    Value k = index.at(operand.isByK ? row : column, step, shape.k);
    Value position = index.add(start, partAt(operand, own, ownPlace));
    position = index.add(position, partAt(operand, dims.k, k));
    Value isOwn = isInside(index, ownPlace, extent(own), tile);
    Value isTerm = isInside(index, k, extent(dims.k), shape.k);
    return std::pair(position, both(index, isOwn, isTerm));
  });
}

/// The loops of out's map, at a place.
SmallVector<Value> ContractionTiler::placeOf(Value batch, Value m, Value n) {
  SmallVector<Value> loops(op.getExtents().size());
  for (auto [group, linear] : {std::pair(ArrayRef<unsigned>(dims.batch), batch),
                               {ArrayRef<unsigned>(dims.m), m},
                               {ArrayRef<unsigned>(dims.n), n}}) {
    SmallVector<int64_t> extents;
    for (unsigned loop : group)
      extents.push_back(op.getExtents()[loop]);
    SmallVector<Value> at = group.size() == 1
                                ? SmallVector<Value>{linear}
                                : frame->index.delinearize(linear, extents);
    for (auto [loop, place] : llvm::zip_equal(group, at))
      loops[loop] = place;
  }
  return llvm::map_to_vector(
      op.getOutMap().getResults(), [&](AffineExpr expression) {
        return loops[cast<AffineDimExpr>(expression).getPosition()];
      });
}

void ContractionTiler::emitEpilogue(ElementEmitter &emitter, Value sums,
                                    Value batch, Value firstM, Value firstN) {
  IndexBuilder &index = frame->index;
  emitTileEpilogue(
      emitter, op.getResult(), epilogue, sums,
      [&](Value row, Value column) {
        Value m = index.add(firstM, row), n = index.add(firstN, column);
        Value isRow = isInside(index, m, extent(dims.m), shape.m);
        Value isColumn = isInside(index, n, extent(dims.n), shape.n);
        return both(index, isRow, isColumn);
      },
      [&](Value row, Value column) {
        Value m = index.add(firstM, row), n = index.add(firstN, column);
        return placeOf(batch, m, n);
      });
}

/// Fills a slot in each step.
void ContractionTiler::produce(ws::RolesOp roles, Value channel,
                               ValueRange maps, ValueRange at) {
  auto completion = isByWarpgroups   ? ws::Completion::Box
                    : lhs.chunk == 1 ? ws::Completion::Store
                                     : ws::Completion::CpAsync;
  emitProducer(frame->index, roles, [&](Value step) {
    emitPut(frame->index, channel, completion, [&](ValueRange tiles) {
      if (isByWarpgroups) {
        emitBoxCopy(lhs, maps[0], at[0], at[1], step, tiles[0]);
        emitBoxCopy(rhs, maps[1], at[0], at[2], step, tiles[1]);
        return;
      }
      emitCopy(lhs, dims.m, shape.m, at[0], at[1], step, tiles[0]);
      emitCopy(rhs, dims.n, shape.n, at[0], at[2], step, tiles[1]);
    });
  });
}

/// Multiplies the tiles of a slot in each step.
void ContractionTiler::emitConsumer(ws::RolesOp roles, Value channel) {
  OpBuilder &builder = frame->builder;
  Location loc = frame->index.loc;
  OpBuilder::InsertionGuard guard(builder);
  auto sums = cast<ws::AccumulatorType>(roles.getResult(0).getType());
  Block *body = builder.createBlock(&roles.getConsume(), {},
                                    {builder.getIndexType(), sums}, {loc, loc});
  ws::GetEnterOp get = emitGet(frame->index, channel);
  // rhs is k by n where its rows are those of k.
  Value started = ws::MmaOp::create(builder, loc, sums, get.getTiles()[0],
                                    get.getTiles()[1], body->getArgument(1),
                                    /*transposeLhs=*/lhs.isByK,
                                    /*transposeRhs=*/!rhs.isByK);
  Value done = ws::MmaWaitOp::create(builder, loc, sums, started);
  ws::GetExitOp::create(builder, loc, get.getToken());
  ws::YieldOp::create(builder, loc, done);
}

/// How many slots of `bytes` a channel has.
int64_t ContractionTiler::chooseDepth(int64_t bytes) const {
  return isByWarpgroups
             ? std::min(kMostBoxedSlots,
                        channelBudget() / (bytes + kBarrierBytesOfSlot))
             : std::min(kMostSlots, channelBudget() / bytes);
}

void ContractionTiler::emit(ElementEmitter &emitter) {
  frame = &emitter.frame;
  OpBuilder &builder = frame->builder;
  IndexBuilder &index = frame->index;
  Location loc = index.loc;
  MLIRContext *context = op.getContext();
  ws::TileType lhsTile = tileType(lhs, shape.m),
               rhsTile = tileType(rhs, shape.n);
  int64_t depth = chooseDepth(lhsTile.getBytes() + rhsTile.getBytes());
  Value channel = ws::ChannelOp::create(
      builder, loc, ws::ChannelType::get(context, depth, {lhsTile, rhsTile}),
      /*launched=*/isByWarpgroups);
  auto sumsType = ws::AccumulatorType::get(context, shape.m, shape.n,
                                           shape.warpRows, shape.warpColumns);
  SmallVector<Value> maps;
  if (isByWarpgroups)
    maps = {describeToDevice(lhs, lhsTile), describeToDevice(rhs, rhsTile)};
  SmallVector<int64_t> blocks = {
      extent(dims.batch), llvm::divideCeilSigned(extent(dims.m), shape.m),
      llvm::divideCeilSigned(extent(dims.n), shape.n)};
  frame->forEachBlock(blocks, threads(), [&](ValueRange block) {
    // The batch, and the first row and column of the tile.
    SmallVector<Value> at = {block[0], index.mul(block[1], shape.m),
                             index.mul(block[2], shape.n)};
    Value steps =
        index.constant(llvm::divideCeilSigned(extent(dims.k), shape.k));
    Value zero = ws::ZeroOp::create(builder, loc, sumsType);
    auto roles = ws::RolesOp::create(
        builder, loc, TypeRange(sumsType), steps, zero,
        isByWarpgroups ? shareRegisters(machine, builder, threads())
                       : DenseI64ArrayAttr());
    produce(roles, channel, maps, at);
    emitConsumer(roles, channel);
    emitEpilogue(emitter, roles.getResult(0), at[0], at[1], at[2]);
    describeDesign(frame->function, roles, countBlocks(shape), threads(),
                   channelBudget(), machine);
  });
}

FailureOr<func::FuncOp> tileContraction(func::FuncOp kernel,
                                        const GpuMachine &machine) {
  auto [op, epilogue] = findTiledRoot<kernel::ContractOp>(kernel);
  return tileKernel(kernel, machine,
                    [&, op = op, epilogue = epilogue](ElementEmitter &emitter) {
                      ContractionTiler(op, epilogue, machine).emit(emitter);
                    });
}

namespace {
struct TileContractions : impl::TileContractionsBase<TileContractions> {
  void runOnOperation() override {
    if (failed(
            tileKernels(getOperation(), isTiledContraction, tileContraction)))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle
