// Finds roots with at most one elementwise operation behind them, makes grids
// of tiles of their kernels, and stores the tiles.

#include "passes/Kernel/Gpu/TileEpilogue.h"

#include "dialects/Kernel/GridKernels.h"
#include "dialects/Ws/Ws.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/ModuleTarget.h"

using namespace mlir;

namespace heddle {

std::pair<Operation *, linalg::GenericOp>
findRootAndEpilogue(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return {};
  Operation *end = kernel.getBody().front().getTerminator();
  if (end->getNumOperands() != 1)
    return {};
  Operation *last = end->getOperand(0).getDefiningOp();
  auto isRoot = [](Operation *op) {
    return isa_and_nonnull<kernel::ContractOp, kernel::AttentionOp>(op);
  };
  if (isRoot(last))
    return {last, nullptr};
  auto epilogue = dyn_cast_or_null<linalg::GenericOp>(last);
  if (!epilogue || epilogue->getNumResults() != 1 ||
      epilogue.getNumReductionLoops())
    return {};
  AffineMap map =
      epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
  for (OpOperand *input : epilogue.getDpsInputOperands())
    // A sum is in the registers of one thread, which computes one element.
    if (Operation *op = input->get().getDefiningOp();
        isRoot(op) && op->hasOneUse() && map.isPermutation() &&
        epilogue.getMatchingIndexingMap(input) == map)
      return {op, epilogue};
  return {};
}

FailureOr<func::FuncOp> tileKernel(func::FuncOp kernel,
                                   const GpuMachine &machine,
                                   function_ref<void(ElementEmitter &)> emit) {
  FailureOr<GridFrame> frame = GridFrame::create(kernel, machine);
  if (failed(frame))
    return failure();
  ElementEmitter emitter(*frame);
  emit(emitter);
  func::FuncOp function = frame->function;
  // No second block is demanded beside the first: registers go to sums.
  function->setAttr(kernel::kResidentBlocksAttrName,
                    frame->builder.getI64IntegerAttr(1));
  if (failed(frame->finish()))
    return failure();
  return function;
}

LogicalResult tileKernels(
    ModuleOp module, function_ref<bool(func::FuncOp)> isTiled,
    function_ref<FailureOr<func::FuncOp>(func::FuncOp, const GpuMachine &)>
        tile) {
  std::shared_ptr<const GpuTarget> gpu = gpuTargetOf(module);
  if (!gpu)
    return failure();
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (kernel->hasAttr(kernel::kEntryAttrName) && !kernel.isExternal() &&
        isTiled(kernel) && failed(tile(kernel, gpu->machine())))
      return failure();
  return success();
}

Value isInside(IndexBuilder &index, Value place, int64_t end, int64_t tile) {
  return end % tile ? index.less(place, index.constant(end)) : Value();
}

void emitPlace(IndexBuilder &index, Region &place,
               function_ref<std::pair<Value, Value>(Value, Value)> where) {
  OpBuilder &builder = index.builder;
  OpBuilder::InsertionGuard guard(builder);
  Type type = builder.getIndexType();
  Block *block =
      builder.createBlock(&place, {}, {type, type}, {index.loc, index.loc});
  auto [position, inside] = where(block->getArgument(0), block->getArgument(1));
  if (!inside)
    inside = arith::ConstantOp::create(builder, index.loc,
                                       builder.getBoolAttr(true));
  ws::YieldOp::create(builder, index.loc, ValueRange{position, inside});
}

void emitProducer(IndexBuilder &index, ws::RolesOp roles,
                  function_ref<void(Value)> body) {
  OpBuilder &builder = index.builder;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&roles.getProduce(), {},
                                     builder.getIndexType(), index.loc);
  body(block->getArgument(0));
  ws::YieldOp::create(builder, index.loc, ValueRange());
}

void emitPut(IndexBuilder &index, Value channel, ws::Completion completion,
             function_ref<void(ValueRange)> copy) {
  OpBuilder &builder = index.builder;
  auto enter = ws::PutEnterOp::create(
      builder, index.loc,
      TypeRange(cast<ws::ChannelType>(channel.getType()).getTiles()),
      ws::TokenType::get(builder.getContext()), channel);
  copy(enter.getTiles());
  ws::PutExitOp::create(builder, index.loc, enter.getToken(), completion);
}

ws::GetEnterOp emitGet(IndexBuilder &index, Value channel) {
  return ws::GetEnterOp::create(
      index.builder, index.loc,
      TypeRange(cast<ws::ChannelType>(channel.getType()).getTiles()),
      ws::TokenType::get(index.builder.getContext()), channel);
}

// A block has as many registers as its threads have when they begin, which is
// the same multiple of 8 for each: what some give back others may take, and no
// more. A thread that asks for more waits for ever (PTX ISA, "setmaxnreg").
DenseI64ArrayAttr shareRegisters(const GpuMachine &machine, Builder &builder,
                                 int64_t threads) {
  int64_t consumers = threads - machine.warpgroupThreads;
  if (consumers == machine.warpgroupThreads)
    return {};
  // The fewest that can be asked for hold coordinates, addresses of barriers
  // and the loop's counters.
  constexpr int64_t forCopies = 24, most = 240;
  int64_t ofBlock = machine.registers / threads / 8 * 8 * threads;
  int64_t rest = ofBlock - forCopies * machine.warpgroupThreads;
  return builder.getDenseI64ArrayAttr(
      {forCopies, std::min(most, rest / consumers / 8 * 8)});
}

void emitTileEpilogue(ElementEmitter &emitter, Value result,
                      linalg::GenericOp epilogue, Value sums,
                      function_ref<Value(Value, Value)> isInside,
                      function_ref<SmallVector<Value>(Value, Value)> placeOf) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.index.loc;
  auto body = ws::EpilogueOp::create(builder, loc, sums);
  OpBuilder::InsertionGuard guard(builder);
  Type type = builder.getIndexType();
  Block *block = builder.createBlock(
      &body.getBody(), {}, {builder.getF32Type(), type, type}, {loc, loc, loc});
  Value row = block->getArgument(1), column = block->getArgument(2);
  emitWhere(emitter.index, isInside(row, column), [&] {
    SmallVector<Value> at = placeOf(row, column);
    Value element = block->getArgument(0);
    emitter.given[result] = element;
    if (epilogue) {
      element = emitter.elements(epilogue, 0, at)[0];
      result = epilogue->getResult(0);
    }
    emitter.frame.store(element, emitter.frame.buffer(result),
                        emitter.position(at, shapeOf(result)));
  });
  builder.setInsertionPointToEnd(block);
  ws::YieldOp::create(builder, loc, ValueRange());
}

} // namespace heddle
