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
#include "passes/Kernel/Gpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_TILECONTRACTIONS
#include "passes/Kernel/Gpu/Passes.h.inc"

namespace {

/// The rows, columns and summed elements of a tile, and its warps.
struct TileShape {
  int64_t m, n, k, warpRows, warpColumns;
};

/// One way in which loops of the contraction run over an operand's buffer.
struct OperandTiles {
  Value tensor;
  /// In elements, by loop.
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  /// Whether elements that follow each other belong to one place of k, so that
  /// the rows of a tile are those of k.
  bool isByK = false;
  int64_t chunk = 1;
};

class ContractionTiler {
public:
  ContractionTiler(kernel::ContractOp op, linalg::GenericOp epilogue)
      : op(op), epilogue(epilogue), dims(op.getDims()) {
    lhs = describe(op.getLhs(), op.getLhsMap(), dims.m);
    rhs = describe(op.getRhs(), op.getRhsMap(), dims.n);
    // Chunks of one element do not go by cp.async, and a slot is filled by one
    // kind of copies.
    if (lhs.chunk == 1 || rhs.chunk == 1)
      lhs.chunk = rhs.chunk = 1;
    // 64 registers a thread hold sums; where larger tiles would stand half
    // empty, smaller ones give more blocks.
    shape = extent(dims.m) > 64 && extent(dims.n) > 64
                ? TileShape{128, 128, 32, 2, 4}
                : TileShape{64, 64, 32, 2, 2};
  }

  int64_t threads(const GpuMachine &machine) const {
    return shape.warpRows * shape.warpColumns * machine.warpThreads;
  }
  void emit(ElementEmitter &emitter);

  int64_t extent(ArrayRef<unsigned> loops) {
    int64_t product = 1;
    for (unsigned loop : loops)
      product *= op.getExtents()[loop];
    return product;
  }

private:
  OperandTiles describe(Value tensor, AffineMap map, ArrayRef<unsigned> own);
  ws::TileType tileType(const OperandTiles &operand, int64_t own);
  /// The position in the operand's buffer, as far as `loops` at the place
  /// `linear` of all of them have a part in it.
  Value partAt(const OperandTiles &operand, ArrayRef<unsigned> loops,
               Value linear);
  void emitCopy(const OperandTiles &operand, ArrayRef<unsigned> own,
                int64_t tile, Value tensorPart, Value first, Value step,
                Value into);
  Value isInside(Value place, int64_t end, int64_t tile);
  void emitEpilogue(ElementEmitter &emitter, Value sums, Value batch,
                    Value firstM, Value firstN);
  SmallVector<Value> placeOf(Value batch, Value m, Value n);

  kernel::ContractOp op;
  linalg::GenericOp epilogue;
  kernel::ContractOp::Dims dims;
  OperandTiles lhs, rhs;
  TileShape shape;
  GridFrame *frame = nullptr;
};

} // namespace

/// The contraction of `kernel` and what is done to each of its sums; null if
/// there is none, or if there is more than that.
static std::pair<kernel::ContractOp, linalg::GenericOp>
findContraction(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return {};
  Operation *end = kernel.getBody().front().getTerminator();
  if (end->getNumOperands() != 1)
    return {};
  Value result = end->getOperand(0);
  if (auto op = result.getDefiningOp<kernel::ContractOp>())
    return {op, nullptr};
  auto epilogue = result.getDefiningOp<linalg::GenericOp>();
  if (!epilogue || epilogue->getNumResults() != 1 ||
      epilogue.getNumReductionLoops())
    return {};
  AffineMap map =
      epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
  for (OpOperand *input : epilogue.getDpsInputOperands())
    // A sum is in the registers of one thread, which computes one element.
    if (auto op = input->get().getDefiningOp<kernel::ContractOp>();
        op && op->hasOneUse() && map.isPermutation() &&
        epilogue.getMatchingIndexingMap(input) == map)
      return {op, epilogue};
  return {};
}

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
  auto op = findContraction(kernel).first;
  if (!op || !isForTensorCores(op))
    return false;
  for (auto [tensor, map] :
       {std::pair(op.getLhs(), op.getLhsMap()), {op.getRhs(), op.getRhsMap()}})
    if (!isa<BlockArgument>(tensor) ||
        !kernel::linearAccess(map, typeOf(tensor)))
      return false;
  ContractionTiler tiler(op, nullptr);
  // Below one matrix of an instruction most products would be of zeros.
  kernel::ContractOp::Dims dims = op.getDims();
  return tiler.extent(dims.batch) > 0 && tiler.extent(dims.m) >= 16 &&
         tiler.extent(dims.n) >= 16 && tiler.extent(dims.k) >= 16;
}

OperandTiles ContractionTiler::describe(Value tensor, AffineMap map,
                                        ArrayRef<unsigned> own) {
  OperandTiles operand;
  operand.tensor = tensor;
  kernel::LinearAccess access = *kernel::linearAccess(map, typeOf(tensor));
  operand.offset = access.offset;
  operand.strides = access.strides;
  auto isUnit = [&](ArrayRef<unsigned> loops) {
    return !loops.empty() && operand.strides[loops.back()] == 1;
  };
  if (!isUnit(dims.k) && !isUnit(own))
    return operand;
  operand.isByK = !isUnit(dims.k);
  unsigned innermost = operand.isByK ? own.back() : dims.k.back();
  // Chunks start at multiples of themselves wherever the other loops are.
  // Buffers start at multiples of 16 bytes.
  for (int64_t chunk : {8, 4, 2}) {
    bool fits =
        operand.offset % chunk == 0 && op.getExtents()[innermost] % chunk == 0;
    for (auto [loop, stride] : llvm::enumerate(operand.strides))
      fits &= loop == innermost || op.getExtents()[loop] == 1 ||
              stride % chunk == 0;
    if (fits) {
      operand.chunk = chunk;
      break;
    }
  }
  return operand;
}

ws::TileType ContractionTiler::tileType(const OperandTiles &operand,
                                        int64_t own) {
  Type element = elementOf(operand.tensor);
  int64_t rows = operand.isByK ? shape.k : own;
  int64_t columns = operand.isByK ? own : shape.k;
  ws::SharedLayout layout = ws::SharedLayout::withoutConflicts(
      columns * element.getIntOrFloatBitWidth() / 8);
  return ws::TileType::get(op.getContext(), rows, columns, element, layout.bits,
                           layout.shift);
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

Value ContractionTiler::isInside(Value place, int64_t end, int64_t tile) {
  if (end % tile == 0)
    return {};
  return frame->index.less(place, frame->index.constant(end));
}

void ContractionTiler::emitCopy(const OperandTiles &operand,
                                ArrayRef<unsigned> own, int64_t tile,
                                Value start, Value first, Value step,
                                Value into) {
  OpBuilder &builder = frame->builder;
  IndexBuilder &index = frame->index;
  auto copy = ws::CopyOp::create(
      builder, index.loc, frame->buffer(operand.tensor), into, operand.chunk);
  OpBuilder::InsertionGuard guard(builder);
  Type type = builder.getIndexType();
  Block *block = builder.createBlock(&copy.getPlace(), {}, {type, type},
                                     {index.loc, index.loc});
  Value row = block->getArgument(0), column = block->getArgument(1);
  Value ownPlace = index.add(first, operand.isByK ? column : row);
  Value k = index.at(operand.isByK ? row : column, step, shape.k);
  Value position = index.add(index.add(start, partAt(operand, own, ownPlace)),
                             partAt(operand, dims.k, k));
  Value inside = both(index, isInside(ownPlace, extent(own), tile),
                      isInside(k, extent(dims.k), shape.k));
  if (!inside)
    inside = arith::ConstantOp::create(builder, index.loc,
                                       builder.getBoolAttr(true));
  ws::YieldOp::create(builder, index.loc, ValueRange{position, inside});
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
  OpBuilder &builder = frame->builder;
  IndexBuilder &index = frame->index;
  Location loc = index.loc;
  auto body = ws::EpilogueOp::create(builder, loc, sums);
  OpBuilder::InsertionGuard guard(builder);
  Type type = builder.getIndexType();
  Block *block = builder.createBlock(
      &body.getBody(), {}, {builder.getF32Type(), type, type}, {loc, loc, loc});
  Value m = index.add(firstM, block->getArgument(1));
  Value n = index.add(firstN, block->getArgument(2));
  Value inside = both(index, isInside(m, extent(dims.m), shape.m),
                      isInside(n, extent(dims.n), shape.n));
  emitWhere(index, inside, [&] {
    SmallVector<Value> at = placeOf(batch, m, n);
    Value element = block->getArgument(0);
    emitter.given[op.getResult()] = element;
    Value result = epilogue ? Value(epilogue->getResult(0)) : op.getResult();
    if (epilogue)
      element = emitter.elements(epilogue, 0, at)[0];
    frame->store(element, frame->buffer(result),
                 emitter.position(at, shapeOf(result)));
  });
  builder.setInsertionPointToEnd(block);
  ws::YieldOp::create(builder, loc, ValueRange());
}

void ContractionTiler::emit(ElementEmitter &emitter) {
  frame = &emitter.frame;
  OpBuilder &builder = frame->builder;
  IndexBuilder &index = frame->index;
  Location loc = index.loc;
  MLIRContext *context = op.getContext();
  ws::TileType lhsTile = tileType(lhs, shape.m),
               rhsTile = tileType(rhs, shape.n);
  int64_t slot = lhsTile.getBytes() + rhsTile.getBytes();
  // Four slots hide the time of memory behind three products.
  int64_t depth = std::min<int64_t>(4, frame->machine.staticSharedBytes / slot);
  Value channel = ws::ChannelOp::create(
      builder, loc, ws::ChannelType::get(context, depth, {lhsTile, rhsTile}));
  auto sumsType = ws::AccumulatorType::get(context, shape.m, shape.n,
                                           shape.warpRows, shape.warpColumns);
  SmallVector<int64_t> blocks = {
      extent(dims.batch), llvm::divideCeilSigned(extent(dims.m), shape.m),
      llvm::divideCeilSigned(extent(dims.n), shape.n)};
  frame->forEachBlock(blocks, threads(frame->machine), [&](ValueRange at) {
    Value firstM = index.mul(at[1], shape.m),
          firstN = index.mul(at[2], shape.n);
    auto startOf = [&](const OperandTiles &operand) {
      return index.add(partAt(operand, dims.batch, at[0]), operand.offset);
    };
    Value lhsStart = startOf(lhs), rhsStart = startOf(rhs);
    Value steps =
        index.constant(llvm::divideCeilSigned(extent(dims.k), shape.k));
    Value zero = ws::ZeroOp::create(builder, loc, sumsType);
    auto roles = ws::RolesOp::create(builder, loc, sumsType, steps, zero);
    Type token = ws::TokenType::get(context);
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *produce = builder.createBlock(&roles.getProduce(), {},
                                           builder.getIndexType(), loc);
      auto enter = ws::PutEnterOp::create(
          builder, loc, TypeRange{lhsTile, rhsTile}, token, channel);
      Value step = produce->getArgument(0);
      emitCopy(lhs, dims.m, shape.m, lhsStart, firstM, step,
               enter.getTiles()[0]);
      emitCopy(rhs, dims.n, shape.n, rhsStart, firstN, step,
               enter.getTiles()[1]);
      ws::PutExitOp::create(builder, loc, enter.getToken(),
                            lhs.chunk == 1 ? ws::Completion::Store
                                           : ws::Completion::CpAsync);
      ws::YieldOp::create(builder, loc, ValueRange());

      Block *consume =
          builder.createBlock(&roles.getConsume(), {},
                              {builder.getIndexType(), sumsType}, {loc, loc});
      auto get = ws::GetEnterOp::create(
          builder, loc, TypeRange{lhsTile, rhsTile}, token, channel);
      // rhs is k by n where its rows are those of k.
      Value started = ws::MmaOp::create(
          builder, loc, sumsType, get.getTiles()[0], get.getTiles()[1],
          consume->getArgument(1), /*transposeLhs=*/lhs.isByK,
          /*transposeRhs=*/!rhs.isByK);
      Value done = ws::MmaWaitOp::create(builder, loc, sumsType, started);
      ws::GetExitOp::create(builder, loc, get.getToken());
      ws::YieldOp::create(builder, loc, done);
    }
    emitEpilogue(emitter, roles.getResult(), at[0], firstM, firstN);
  });
}

FailureOr<func::FuncOp> tileContraction(func::FuncOp kernel,
                                        const GpuMachine &machine) {
  auto [op, epilogue] = findContraction(kernel);
  FailureOr<GridFrame> frame = GridFrame::create(kernel, machine);
  if (failed(frame))
    return failure();
  ElementEmitter emitter(*frame);
  ContractionTiler(op, epilogue).emit(emitter);
  func::FuncOp function = frame->function;
  // Sums in registers are worth more than a second block beside the first.
  function->setAttr(kernel::kResidentBlocksAttrName,
                    frame->builder.getI64IntegerAttr(1));
  if (failed(frame->finish()))
    return failure();
  return function;
}

namespace {
struct TileContractions : impl::TileContractionsBase<TileContractions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::shared_ptr<const GpuTarget> gpu = gpuTargetOf(module);
    if (!gpu)
      return signalPassFailure();
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (kernel->hasAttr(kernel::kEntryAttrName) && !kernel.isExternal() &&
          isTiledContraction(kernel) &&
          failed(tileContraction(kernel, gpu->machine())))
        return signalPassFailure();
  }
};
} // namespace

} // namespace heddle
