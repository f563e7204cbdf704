// Attention as roles: one brings tiles of keys and values into a channel, the
// other multiplies a tile of queries by the keys, weighs the values by the
// softmax of that, and keeps the largest score and the sum of each row, so that
// scores are never in memory (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022).

#include "passes/Kernel/Gpu/TileAttention.h"

#include "dialects/Kernel/GridKernels.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/TensorTypes.h"
#include "heddle/Target/GpuTarget.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/AttentionTiler.h"
#include "passes/Kernel/Gpu/ModuleTarget.h"
#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"
#include "passes/Kernel/Gpu/TileDesign.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_TILEATTENTION
#include "passes/Kernel/Gpu/Passes.h.inc"

static constexpr double kLog2OfE = 1.44269504088896341;

bool isTiledAttention(func::FuncOp kernel) {
  auto op = findTiledRoot<kernel::AttentionOp>(kernel).first;
  if (!op || op.getLogSumExp() || op.getKeys())
    return false;
  Type element = elementOf(op.getQuery());
  // Weights are rounded to what values are: dispatch leaves algorithms where
  // the model asks for no more than that.
  if ((!element.isF16() && !element.isBF16()) ||
      elementOf(op.getKey()) != element ||
      elementOf(op.getValue()) != element || !op.getSumElement().isF32() ||
      !elementOf(op.getResult()).isF32() || !op.getScoreAlgorithm() ||
      !op.getValueAlgorithm())
    return false;
  auto isInMemory = [](Value tensor, AffineMap map) {
    return !tensor ||
           (isa<BlockArgument>(tensor) && typeOf(tensor).hasStaticShape() &&
            !size::hasExtents(tensor.getType()) &&
            kernel::linearAccess(map, typeOf(tensor)));
  };
  if (!isInMemory(op.getQuery(), op.getQueryMap()) ||
      !isInMemory(op.getKey(), op.getKeyMap()) ||
      !isInMemory(op.getValue(), op.getValueMap()) ||
      !isInMemory(op.getMask(), op.getMaskMap()) ||
      !isInMemory(op.getLengths(), op.getLengthsMap()) ||
      !isInMemory(op.getSink(), op.getSinkMap()))
    return false;
  ArrayRef<int64_t> extents = op.getExtents();
  ArrayRef<int64_t> inner = extents.take_back(4);
  // Places of queries and keys are compared in 32 bits.
  constexpr int64_t mostPlaces = int64_t(1) << 30;
  // Of deeper heads no two slots lie in the shared memory of every machine.
  constexpr int64_t mostDepth = 1024;
  return llvm::all_of(extents, [](int64_t extent) { return extent > 0; }) &&
         inner[M] <= mostPlaces && inner[N] <= mostPlaces &&
         inner[D] <= mostDepth;
}

Value AttentionTiler::map(Type type, ValueRange numbers, Body body,
                          Value where) {
  Location loc = index.loc;
  auto op = ws::MapOp::create(builder, loc, type, numbers, where);
  SmallVector<Type> types(numbers.size(), builder.getF32Type());
  types.append(type == rowsType ? 1 : 2, builder.getIndexType());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&op.getBody(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  Value result = body(block->getArguments().take_front(numbers.size()),
                      block->getArguments().drop_front(numbers.size()));
  ws::YieldOp::create(builder, loc, result);
  return op.getResult();
}

Value AttentionTiler::reduce(Value numbers,
                             function_ref<Value(Value, Value)> combine) {
  Location loc = index.loc;
  auto op = ws::ReduceOp::create(builder, loc, rowsType, numbers);
  Type f32 = builder.getF32Type();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&op.getBody(), {}, {f32, f32}, {loc, loc});
  ws::YieldOp::create(builder, loc,
                      combine(block->getArgument(0), block->getArgument(1)));
  return op.getResult();
}

/// Finds the block's batch and queries.
void AttentionTiler::enterBlock(ValueRange block) {
  SmallVector<int64_t> extents(
      op.getExtents().take_front(op.getNumBatchDims()));
  batch = extents.empty() ? SmallVector<Value>()
                          : frame.delinearize(block[0], extents);
  for (AttentionOperand *operand :
       {&query, &key, &value, &mask, &lengths, &sink}) {
    if (!operand->tensor)
      continue;
    operand->base = index.constant(operand->access.offset);
    for (auto [place, stride] : llvm::zip(batch, operand->access.strides))
      operand->base = index.at(operand->base, place, stride);
  }
  // The last queries see the most keys: blocks that take the longest are first.
  Value tile = block[1];
  if (op.getCausal())
    tile = index.sub(
        index.constant(llvm::divideCeilSigned(extent(M), shape.rows) - 1),
        tile);
  firstRow = index.mul(tile, shape.rows);
  firstColumn = index.mul(block[2], shape.width);
  findKeys();
}

/// 2^x, to 2^-22 of itself; 0 where that is less than 2^-126 (PTX ISA, "ex2").
Value AttentionTiler::powerOfTwo(Value x) {
  return LLVM::CallIntrinsicOp::create(
             builder, index.loc, x.getType(),
             builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
             ValueRange(x))
      .getResult(0);
}

/// exp(score - origin). Where scores are scaled late, they are still products,
/// and the origin is in units of the exponent.
Value AttentionTiler::weightOf(Value score, Value origin) {
  if (!isScaledLate)
    return powerOfTwo(apply<arith::MulFOp>(apply<arith::SubFOp>(score, origin),
                                           constant(kLog2OfE)));
  Value less = arith::NegFOp::create(builder, index.loc, origin);
  return powerOfTwo(math::FmaOp::create(builder, index.loc, score,
                                        constant(scale() * kLog2OfE), less));
}

/// The weights of a step's scores, and the largest score and the sum of weights
/// of each row with them.
AttentionTiler::WeighedStep AttentionTiler::weigh(Value scores, Value top,
                                                  Value total) {
  Location loc = index.loc;
  // One instruction, and not the number if there is another that is none.
  auto larger = [&](Value left, Value right) {
    return apply<LLVM::MaximumOp>(left, right);
  };
  WeighedStep step;
  step.top = map(
      rowsType, {reduce(scores, larger), top}, [&](ValueRange v, ValueRange) {
        return larger(isScaledLate ? apply<arith::MulFOp>(
                                         v[0], constant(scale() * kLog2OfE))
                                   : v[0],
                      v[1]);
      });
  // A row that has seen no key yet has weights of zero, not of infinity less
  // infinity.
  Value origin =
      map(rowsType, step.top, [&](ValueRange v, ValueRange) -> Value {
        Value isLeast = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::OEQ, v[0], leastScore());
        return arith::SelectOp::create(builder, loc, isLeast, constant(0),
                                       v[0]);
      });
  step.factor = map(rowsType, {top, origin}, [&](ValueRange v, ValueRange) {
    Value distance = apply<arith::SubFOp>(v[0], v[1]);
    return powerOfTwo(isScaledLate
                          ? distance
                          : apply<arith::MulFOp>(distance, constant(kLog2OfE)));
  });
  step.weights =
      map(scoresType, {scores, origin},
          [&](ValueRange v, ValueRange) { return weightOf(v[0], v[1]); });
  Value added = reduce(step.weights, [&](Value left, Value right) {
    return apply<arith::AddFOp>(left, right);
  });
  step.total = map(rowsType, {total, step.factor, added},
                   [&](ValueRange v, ValueRange) -> Value {
                     return math::FmaOp::create(builder, loc, v[0], v[1], v[2]);
                   });
  return step;
}

/// The product by the tile of a slot, which is given back then.
Value AttentionTiler::multiply(Value lhs, ws::GetEnterOp rhs, Value onto,
                               bool isTransposed) {
  Location loc = index.loc;
  Value started = ws::MmaOp::create(builder, loc, onto.getType(), lhs,
                                    rhs.getTiles()[0], onto,
                                    /*transposeLhs=*/false, isTransposed);
  Value sums = ws::MmaWaitOp::create(builder, loc, onto.getType(), started);
  ws::GetExitOp::create(builder, loc, rhs.getToken());
  return sums;
}

void AttentionTiler::emitConsumer(ws::RolesOp roles, Value queries) {
  Location loc = index.loc;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> taken = {builder.getIndexType()};
  llvm::append_range(taken, roles.getResultTypes());
  Block *body = builder.createBlock(&roles.getConsume(), {}, taken,
                                    SmallVector<Location>(taken.size(), loc));
  Value sums = body->getArgument(1), top = body->getArgument(2),
        total = body->getArgument(3);
  Value firstKey = index.at(start, body->getArgument(0), shape.keys);
  Value products = multiply(queries, emitGet(index, key.channel),
                            ws::ZeroOp::create(builder, loc, scoresType),
                            /*isTransposed=*/true);
  WeighedStep step = weigh(scoresOf(products, firstKey), top, total);
  Value scaled =
      map(sumsType, {sums, step.factor}, [&](ValueRange v, ValueRange) {
        return apply<arith::MulFOp>(v[0], v[1]);
      });
  auto operand = ws::OperandType::get(op.getContext(), shape.rows, shape.keys,
                                      elementOf(op.getValue()), shape.warps);
  Value rounded = ws::NarrowOp::create(builder, loc, operand, step.weights);
  ws::GetEnterOp values = emitGet(index, value.channel);
  if (isByWarpgroups && op.getLengths())
    clearBehindLength(values.getTiles()[0], firstKey);
  Value newSums = multiply(rounded, values, scaled, /*isTransposed=*/false);
  ws::YieldOp::create(builder, loc, ValueRange{newSums, step.top, step.total});
}

/// The score of the block's sink.
Value AttentionTiler::sinkOf() {
  Type type = elementOf(op.getSink());
  Value loaded = frame.load(frame.buffer(op.getSink()), sink.base, type);
  if (type.isF32())
    return loaded;
  return arith::ExtFOp::create(builder, index.loc, builder.getF32Type(),
                               loaded);
}

/// The largest score and the sum of each row before any key. A sink is a score
/// whose weight is then 1.
SmallVector<Value> AttentionTiler::startRows() {
  Value top = map(rowsType, {}, [&](ValueRange, ValueRange) {
    return op.getSink() ? sinkOf() : leastScore();
  });
  Value total = map(rowsType, {}, [&](ValueRange, ValueRange) {
    return constant(op.getSink() ? 1 : 0);
  });
  return {top, total};
}

/// Divides sums by those of weights, and stores them. `results` are the sums,
/// and the largest score and the sum of weights of each row.
void AttentionTiler::storeResults(ValueRange results) {
  Location loc = index.loc;
  Value total = results[2];
  // A sink that is -infinity stands for no key either.
  if (op.getSink())
    total = map(
        rowsType, {total, results[1]}, [&](ValueRange v, ValueRange) -> Value {
          Value isLeast = arith::CmpFOp::create(
              builder, loc, arith::CmpFPredicate::OEQ, v[1], leastScore());
          return arith::SelectOp::create(builder, loc, isLeast, constant(0),
                                         v[0]);
        });
  Value inverse = map(rowsType, total, [&](ValueRange v, ValueRange) {
    return apply<arith::DivFOp>(constant(1), v[0]);
  });
  Value quotients =
      map(sumsType, {results[0], inverse, total},
          [&](ValueRange v, ValueRange) -> Value {
            Value quotient = apply<arith::MulFOp>(v[0], v[1]);
            if (!op.getZeroNanRows())
              return quotient;
            Value isNan = arith::CmpFOp::create(
                builder, loc, arith::CmpFPredicate::ULE, v[2], constant(0));
            return arith::SelectOp::create(builder, loc, isNan, constant(0),
                                           quotient);
          });
  emitTileEpilogue(
      emitter, op.getResult(), epilogue, quotients,
      [&](Value row, Value column) {
        Value m = index.add(firstRow, row), e = index.add(firstColumn, column);
        Value isRow = isInside(index, m, extent(M), shape.rows);
        Value isColumn = isInside(index, e, extent(E), shape.width);
        return both(index, isRow, isColumn);
      },
      [&](Value row, Value column) {
        SmallVector<Value> loops(batch);
        loops.append({index.add(firstRow, row), Value(), Value(),
                      index.add(firstColumn, column)});
        return llvm::map_to_vector(
            op.getOutMap().getResults(), [&](AffineExpr expression) {
              return loops[cast<AffineDimExpr>(expression).getPosition()];
            });
      });
}

void AttentionTiler::emit() {
  int64_t bytes = makeChannels();
  int64_t batches = 1;
  for (int64_t extent : op.getExtents().take_front(op.getNumBatchDims()))
    batches *= extent;
  SmallVector<int64_t> blocks = {
      batches, llvm::divideCeilSigned(extent(M), shape.rows),
      llvm::divideCeilSigned(extent(E), shape.width)};
  int64_t threads = threadsOf(shape.warps);
  frame.forEachBlock(blocks, threads, [&](ValueRange block) {
    enterBlock(block);
    Value queries = loadQueries();
    SmallVector<Value> inits = {
        ws::ZeroOp::create(builder, index.loc, sumsType)};
    llvm::append_range(inits, startRows());
    auto roles = ws::RolesOp::create(
        builder, index.loc, ValueRange(inits).getTypes(), steps, inits,
        isByWarpgroups ? shareRegisters(machine, builder, threads)
                       : DenseI64ArrayAttr());
    produce(roles);
    emitConsumer(roles, queries);
    storeResults(roles.getResults());
    describeDesign(frame.function, roles, blocks[0] * blocks[1] * blocks[2],
                   threads, std::max(channelBudget(), bytes), machine);
  });
}

FailureOr<func::FuncOp> tileAttention(func::FuncOp kernel,
                                      const GpuMachine &machine) {
  auto [op, epilogue] = findTiledRoot<kernel::AttentionOp>(kernel);
  return tileKernel(kernel, machine,
                    [&, op = op, epilogue = epilogue](ElementEmitter &emitter) {
                      AttentionTiler(op, epilogue, emitter).emit();
                    });
}

namespace {
struct TileAttention : impl::TileAttentionBase<TileAttention> {
  void runOnOperation() override {
    if (failed(tileKernels(getOperation(), isTiledAttention, tileAttention)))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle
