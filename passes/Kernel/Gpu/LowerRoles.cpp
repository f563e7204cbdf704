// Roles and channels as chips from sm_80 on run them without warps of their own
// for copies: every warp does both roles, the copies some steps ahead.

#include "passes/Kernel/Gpu/TileContractions.h"

#include "dialects/Ws/Ws.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Gpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_LOWERROLES
#include "passes/Kernel/Gpu/Passes.h.inc"

/// Shared memory, and memory that all threads of the device see, in PTX.
static constexpr unsigned kSharedSpace = 3, kGlobalSpace = 1;
/// The matrix product of one instruction: mma.m16n8k16.
static constexpr int64_t kMmaM = 16, kMmaN = 8, kMmaK = 16;

namespace {

class RoleLowering {
public:
  explicit RoleLowering(func::FuncOp function)
      : function(function), builder(function.getContext()),
        index(builder, function.getLoc()) {}

  void run();

private:
  void placeChannel(ws::ChannelOp op);
  void lowerRoles(ws::RolesOp op);
  void lowerEpilogue(ws::EpilogueOp op);
  void put(ws::RolesOp op, Value step, Value stage);
  void copy(ws::CopyOp op, Value tile, IRMapping &outside);
  void copyChunk(ws::CopyOp op, Value tile, IRMapping &outside, Value number);
  SmallVector<Value> consume(ws::RolesOp op, Value step, Value stage,
                             ValueRange sums);
  SmallVector<Value> multiply(ws::MmaOp op, Value lhs, Value rhs,
                              ValueRange sums);
  /// Four matrices of 8 by 8 for this lane, as 32-bit registers.
  SmallVector<Value> loadMatrices(ws::TileType type, Value tile, Value row,
                                  int64_t rowOffset, Value column,
                                  bool transposed);
  SmallVector<Value> loadLhs(ws::MmaOp op, Value tile, int64_t m, int64_t k);
  SmallVector<Value> loadRhs(ws::MmaOp op, Value tile, int64_t n, int64_t k);
  SmallVector<Value> multiplyMatrices(Type element, ValueRange lhs,
                                      ValueRange rhs, ValueRange sums);

  Value i32(int64_t value) {
    return arith::ConstantOp::create(builder, index.loc,
                                     builder.getI32IntegerAttr(value));
  }
  template <typename Op> Value binary(Value left, int64_t right) {
    return Op::create(builder, index.loc, left, i32(right));
  }
  Value narrow(Value number) {
    return arith::IndexCastOp::create(builder, index.loc, builder.getI32Type(),
                                      number);
  }
  Value add(Value left, Value right) {
    return arith::AddIOp::create(builder, index.loc, left, right);
  }
  Value add(Value left, int64_t right) {
    return right ? binary<arith::AddIOp>(left, right) : left;
  }
  /// `pointer`, `bytes` further on.
  Value advance(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(builder, index.loc, pointer.getType(),
                               builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  }
  /// The address of a byte of a row of a tile, relative to its start.
  Value addressOf(ws::TileType type, Value row, Value byte);
  /// This thread, its warp's place in the grid of warps, and its lane.
  void findThread(ws::AccumulatorType type);
  SmallVector<Value> tilesAt(ws::ChannelType type, Value channel, Value stage);
  void barrier() { NVVM::Barrier0Op::create(builder, index.loc); }

  func::FuncOp function;
  OpBuilder builder;
  IndexBuilder index;
  /// The first byte of each channel's slots.
  DenseMap<Value, Value> channels;
  DenseMap<Value, SmallVector<Value>> accumulators;
  ws::AccumulatorType sumsType;
  int64_t threads = 0;
  Value thread, lane, warpRow, warpColumn;
};

} // namespace

/// How many rows and columns of the sums a warp has.
static int64_t warpM(ws::AccumulatorType type) {
  return type.getRows() / type.getWarpRows();
}
static int64_t warpN(ws::AccumulatorType type) {
  return type.getColumns() / type.getWarpColumns();
}

void RoleLowering::placeChannel(ws::ChannelOp op) {
  ws::ChannelType type = op.getChannel().getType();
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = (function.getName() + "_slots").str();
  for (unsigned number = 0; SymbolTable::lookupSymbolIn(module, name); ++number)
    name = (function.getName() + "_slots" + Twine(number)).str();
  OpBuilder outside(function);
  LLVM::GlobalOp::create(
      outside, op.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(),
                               type.getDepth() * type.getSlotBytes()),
      /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(),
      /*alignment=*/128, kSharedSpace);
  builder.setInsertionPoint(op);
  channels[op] = LLVM::AddressOfOp::create(
      builder, op.getLoc(),
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace), name);
}

void RoleLowering::findThread(ws::AccumulatorType type) {
  sumsType = type;
  thread =
      narrow(gpu::ThreadIdOp::create(builder, index.loc, gpu::Dimension::x));
  lane = binary<arith::RemUIOp>(thread, 32);
  Value warp = binary<arith::DivUIOp>(thread, 32);
  warpRow = binary<arith::DivUIOp>(warp, type.getWarpColumns());
  warpColumn = binary<arith::RemUIOp>(warp, type.getWarpColumns());
}

SmallVector<Value> RoleLowering::tilesAt(ws::ChannelType type, Value channel,
                                         Value stage) {
  Value slot =
      advance(channel, binary<arith::MulIOp>(stage, type.getSlotBytes()));
  SmallVector<Value> tiles;
  int64_t offset = 0;
  for (Type tile : type.getTiles()) {
    tiles.push_back(offset ? advance(slot, i32(offset)) : slot);
    offset += cast<ws::TileType>(tile).getBytes();
  }
  return tiles;
}

Value RoleLowering::addressOf(ws::TileType type, Value row, Value byte) {
  ws::SharedLayout layout = type.getLayout();
  Value moved = binary<arith::ShRUIOp>(row, layout.shift);
  moved = binary<arith::AndIOp>(moved, (int64_t(1) << layout.bits) - 1);
  moved = binary<arith::MulIOp>(moved, ws::kChunkBytes);
  Value within = arith::XOrIOp::create(builder, index.loc, byte, moved);
  return add(binary<arith::MulIOp>(row, layout.rowBytes), within);
}

/// Brings chunk `number` of a tile.
void RoleLowering::copyChunk(ws::CopyOp op, Value tile, IRMapping &outside,
                             Value number) {
  ws::TileType type = op.getTile().getType();
  Location loc = index.loc;
  int64_t chunk = op.getChunk(), chunks = type.getColumns() / chunk;
  int64_t elementBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  Value row = binary<arith::DivUIOp>(number, chunks);
  Value column =
      binary<arith::MulIOp>(binary<arith::RemUIOp>(number, chunks), chunk);
  auto widen = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                        value);
  };
  IRMapping values(outside);
  Block &place = op.getPlace().front();
  values.map(place.getArgument(0), widen(row));
  values.map(place.getArgument(1), widen(column));
  for (Operation &inner : place.without_terminator())
    builder.clone(inner, values);
  Value position = values.lookupOrDefault(place.getTerminator()->getOperand(0));
  Value inside = values.lookupOrDefault(place.getTerminator()->getOperand(1));
  Value target = advance(
      tile, addressOf(type, row, binary<arith::MulIOp>(column, elementBytes)));
  bool isSure = matchPattern(inside, m_One());
  if (!isSure)
    position = arith::SelectOp::create(builder, loc, inside, position,
                                       index.constant(0));
  if (chunk == 1) {
    Value element =
        memref::LoadOp::create(builder, loc, op.getSource(), position);
    if (!isSure)
      element = arith::SelectOp::create(
          builder, loc, inside, element,
          arith::ConstantOp::create(builder, loc,
                                    builder.getZeroAttr(type.getElement())));
    LLVM::StoreOp::create(builder, loc, element, target);
    return;
  }
  Value start =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                 memref::ExtractAlignedPointerAsIndexOp::create(
                                     builder, loc, op.getSource()));
  Value bytes = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           index.mul(position, elementBytes));
  Value from =
      advance(LLVM::IntToPtrOp::create(builder, loc,
                                       LLVM::LLVMPointerType::get(
                                           builder.getContext(), kGlobalSpace),
                                       start),
              bytes);
  Value given;
  if (!isSure)
    given = arith::SelectOp::create(builder, loc, inside,
                                    i32(chunk * elementBytes), i32(0));
  // Only whole chunks of 16 bytes can pass by the first cache.
  auto cache = chunk * elementBytes == ws::kChunkBytes
                   ? NVVM::LoadCacheModifierKind::CG
                   : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(builder, loc, target, from, chunk * elementBytes,
                          cache, given);
}

void RoleLowering::copy(ws::CopyOp op, Value tile, IRMapping &outside) {
  ws::TileType type = op.getTile().getType();
  int64_t count = type.getRows() * type.getColumns() / op.getChunk();
  // A few chunks a thread are copied side by side, more in a loop.
  constexpr int64_t most = 4;
  if (count % threads == 0 && count / threads <= most) {
    for (int64_t i = 0; i < count / threads; ++i)
      copyChunk(op, tile, outside, add(thread, i * threads));
    return;
  }
  auto loop =
      scf::ForOp::create(builder, index.loc, thread, i32(count), i32(threads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  copyChunk(op, tile, outside, loop.getInductionVar());
}

/// The step of the producer: `stage` is the number of its slot, as i32.
void RoleLowering::put(ws::RolesOp op, Value step, Value stage) {
  IRMapping values;
  Block &body = op.getProduce().front();
  values.map(body.getArgument(0), step);
  for (Operation &inner : body.without_terminator()) {
    if (auto enter = dyn_cast<ws::PutEnterOp>(inner)) {
      values.map(enter.getTiles(),
                 tilesAt(enter.getChannel().getType(),
                         channels.lookup(enter.getChannel()), stage));
    } else if (auto move = dyn_cast<ws::CopyOp>(inner)) {
      copy(move, values.lookup(move.getTile()), values);
    } else if (!isa<ws::PutExitOp>(inner)) {
      builder.clone(inner, values);
    }
  }
}

SmallVector<Value> RoleLowering::loadMatrices(ws::TileType type, Value tile,
                                              Value row, int64_t rowOffset,
                                              Value column, bool transposed) {
  Location loc = index.loc;
  // The layout repeats every 8 rows, so that an offset of 8 is one of bytes.
  Value address = addressOf(type, row, binary<arith::MulIOp>(column, 2));
  address = add(address, rowOffset * type.getLayout().rowBytes);
  Type word = builder.getI32Type();
  Type four = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               {word, word, word, word});
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, four, advance(tile, address), 4,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return words;
}

/// Registers of the 16 rows from `m` on and the 16 columns from `k` on: the
/// matrices (0, 0), (8, 0), (0, 8), (8, 8), by row and k.
SmallVector<Value> RoleLowering::loadLhs(ws::MmaOp op, Value tile, int64_t m,
                                         int64_t k) {
  ws::TileType type = op.getLhs().getType();
  Value first = binary<arith::MulIOp>(warpRow, warpM(sumsType));
  Value low = binary<arith::RemUIOp>(lane, 16);
  Value high = binary<arith::MulIOp>(binary<arith::DivUIOp>(lane, 16), 8);
  if (!op.getTransposeLhs())
    return loadMatrices(type, tile, add(first, low), m, add(high, k), false);
  // Lanes 8 to 15 point to the second eight rows, which are columns here.
  Value eighth = binary<arith::MulIOp>(binary<arith::DivUIOp>(low, 8), 8);
  return loadMatrices(type, tile, add(binary<arith::RemUIOp>(lane, 8), high), k,
                      add(add(first, eighth), m), true);
}

/// Registers of the 16 rows from `k` on and the 16 columns from `n` on: the
/// matrices (0, 0), (8, 0), (0, 8), (8, 8), by k and column.
SmallVector<Value> RoleLowering::loadRhs(ws::MmaOp op, Value tile, int64_t n,
                                         int64_t k) {
  ws::TileType type = op.getRhs().getType();
  Value first = binary<arith::MulIOp>(warpColumn, warpN(sumsType));
  Value low = binary<arith::RemUIOp>(lane, 16);
  Value high = binary<arith::MulIOp>(binary<arith::DivUIOp>(lane, 16), 8);
  // Registers hold pairs along k: rows of the tile that are those of k have to
  // be transposed while they are loaded.
  if (!op.getTransposeRhs())
    return loadMatrices(type, tile, low, k, add(add(first, high), n), true);
  Value eighth = binary<arith::MulIOp>(binary<arith::DivUIOp>(low, 8), 8);
  Value row = add(add(first, high), binary<arith::RemUIOp>(lane, 8));
  return loadMatrices(type, tile, row, n, add(eighth, k), false);
}

SmallVector<Value> RoleLowering::multiplyMatrices(Type element, ValueRange lhs,
                                                  ValueRange rhs,
                                                  ValueRange sums) {
  Location loc = index.loc;
  bool isHalf = element.isF16();
  auto asOperands = [&](ValueRange words) {
    return llvm::map_to_vector(words, [&](Value word) -> Value {
      if (!isHalf)
        return word;
      return LLVM::BitcastOp::create(
          builder, loc, VectorType::get({2}, builder.getF16Type()), word);
    });
  };
  Type f32 = builder.getF32Type();
  Type four = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                               {f32, f32, f32, f32});
  NVVM::MMATypes type = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      builder, loc, four, asOperands(lhs), asOperands(rhs), sums,
      ArrayRef<int64_t>{kMmaM, kMmaN, kMmaK}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  SmallVector<Value> results;
  for (int64_t i = 0; i < 4; ++i)
    results.push_back(LLVM::ExtractValueOp::create(builder, loc, product, i));
  return results;
}

/// Sums are in the order: rows of matrices, columns of matrices, the four of a
/// lane.
SmallVector<Value> RoleLowering::multiply(ws::MmaOp op, Value lhs, Value rhs,
                                          ValueRange given) {
  SmallVector<Value> sums(given);
  ws::TileType type = op.getLhs().getType();
  int64_t depth = op.getTransposeLhs() ? type.getRows() : type.getColumns();
  int64_t rows = warpM(sumsType) / kMmaM, columns = warpN(sumsType) / kMmaN;
  for (int64_t k = 0; k < depth; k += kMmaK) {
    SmallVector<SmallVector<Value>> left, right;
    for (int64_t m = 0; m < rows; ++m)
      left.push_back(loadLhs(op, lhs, m * kMmaM, k));
    for (int64_t n = 0; n < columns; n += 2)
      right.push_back(loadRhs(op, rhs, n * kMmaN, k));
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < columns; ++n) {
        int64_t first = 4 * (m * columns + n);
        SmallVector<Value> added =
            multiplyMatrices(type.getElement(), left[m],
                             ArrayRef(right[n / 2]).slice(2 * (n % 2), 2),
                             ArrayRef(sums).slice(first, 4));
        llvm::copy(added, sums.begin() + first);
      }
  }
  return sums;
}

SmallVector<Value> RoleLowering::consume(ws::RolesOp op, Value step,
                                         Value stage, ValueRange sums) {
  IRMapping values;
  Block &body = op.getConsume().front();
  values.map(body.getArgument(0), step);
  DenseMap<Value, SmallVector<Value>> held;
  held[body.getArgument(1)] = SmallVector<Value>(sums);
  for (Operation &inner : body.without_terminator()) {
    if (auto enter = dyn_cast<ws::GetEnterOp>(inner))
      values.map(enter.getTiles(),
                 tilesAt(enter.getChannel().getType(),
                         channels.lookup(enter.getChannel()), stage));
    else if (auto mma = dyn_cast<ws::MmaOp>(inner))
      held[mma] = multiply(mma, values.lookup(mma.getLhs()),
                           values.lookup(mma.getRhs()),
                           held.lookup(mma.getAccumulator()));
    else if (auto wait = dyn_cast<ws::MmaWaitOp>(inner))
      held[wait] = held.lookup(wait.getStarted()); // mma.sync has ended
    else if (!isa<ws::GetExitOp>(inner))
      builder.clone(inner, values);
  }
  return held.lookup(body.getTerminator()->getOperand(0));
}

void RoleLowering::lowerRoles(ws::RolesOp op) {
  builder.setInsertionPoint(op);
  index.loc = op.getLoc();
  findThread(op.getResult().getType());
  int64_t depth = 0;
  bool isAsync = false;
  op.getProduce().walk([&](Operation *inner) {
    if (auto enter = dyn_cast<ws::PutEnterOp>(inner))
      depth = enter.getChannel().getType().getDepth();
    if (auto exit = dyn_cast<ws::PutExitOp>(inner))
      isAsync |= exit.getCompletion() == ws::Completion::CpAsync;
  });
  auto commit = [&] {
    if (isAsync)
      NVVM::CpAsyncCommitGroupOp::create(builder, index.loc);
  };
  auto putIfAny = [&](Value step, Value stage) {
    index.branch(index.less(step, op.getSteps()),
                 [&] { put(op, step, stage); });
    commit();
  };
  for (int64_t ahead = 0; ahead + 1 < depth; ++ahead)
    putIfAny(index.constant(ahead), i32(ahead));
  SmallVector<Value> carried = accumulators.lookup(op.getInit());
  carried.push_back(i32(0));
  SmallVector<Value> results = index.loop(
      index.constant(0), op.getSteps(), 1, carried,
      [&](Value step, ValueRange inner) {
        // All groups but those of the steps behind this one.
        if (isAsync)
          NVVM::CpAsyncWaitGroupOp::create(builder, index.loc, depth - 2);
        barrier();
        Value stage = inner.back();
        auto wrap = [&](Value number) -> Value {
          Value isOver = arith::CmpIOp::create(builder, index.loc,
                                               arith::CmpIPredicate::uge,
                                               number, i32(depth));
          return arith::SelectOp::create(builder, index.loc, isOver,
                                         add(number, -depth), number);
        };
        // The slot before this one: all have read it when they met.
        putIfAny(index.add(step, depth - 1), wrap(add(stage, depth - 1)));
        SmallVector<Value> sums = consume(op, step, stage, inner.drop_back());
        sums.push_back(wrap(add(stage, 1)));
        return sums;
      });
  // The slots are filled again for the block's next tile. No copy is under way:
  // the last steps started none.
  barrier();
  results.pop_back();
  accumulators[op.getResult()] = std::move(results);
}

void RoleLowering::lowerEpilogue(ws::EpilogueOp op) {
  builder.setInsertionPoint(op);
  index.loc = op.getLoc();
  ws::AccumulatorType type = op.getAccumulator().getType();
  ArrayRef<Value> sums = accumulators[op.getAccumulator()];
  int64_t columns = warpN(type) / kMmaN;
  Value firstRow = add(binary<arith::MulIOp>(warpRow, warpM(type)),
                       binary<arith::DivUIOp>(lane, 4));
  Value firstColumn =
      add(binary<arith::MulIOp>(warpColumn, warpN(type)),
          binary<arith::MulIOp>(binary<arith::RemUIOp>(lane, 4), 2));
  auto widen = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, index.loc,
                                        builder.getIndexType(), value);
  };
  Block &body = op.getBody().front();
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t matrix = i / 4, part = i % 4;
    IRMapping values;
    values.map(body.getArgument(0), sum);
    values.map(body.getArgument(1),
               widen(add(firstRow, matrix / columns * kMmaM + part / 2 * 8)));
    values.map(body.getArgument(2),
               widen(add(firstColumn, matrix % columns * kMmaN + part % 2)));
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, values);
  }
}

void RoleLowering::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<ws::ChannelOp, ws::ZeroOp, ws::RolesOp, ws::EpilogueOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  for (Operation *op : ops) {
    if (auto channel = dyn_cast<ws::ChannelOp>(op)) {
      placeChannel(channel);
    } else if (auto zero = dyn_cast<ws::ZeroOp>(op)) {
      ws::AccumulatorType type = zero.getResult().getType();
      threads = type.getWarpRows() * type.getWarpColumns() * 32;
      builder.setInsertionPoint(op);
      Value value = arith::ConstantOp::create(builder, op->getLoc(),
                                              builder.getF32FloatAttr(0));
      accumulators[zero.getResult()].assign(warpM(type) * warpN(type) / 32,
                                            value);
    } else if (auto roles = dyn_cast<ws::RolesOp>(op)) {
      lowerRoles(roles);
    } else {
      lowerEpilogue(cast<ws::EpilogueOp>(op));
    }
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

void lowerRoles(func::FuncOp function) { RoleLowering(function).run(); }

namespace {
struct LowerRoles : impl::LowerRolesBase<LowerRoles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      lowerRoles(function);
  }
};
} // namespace

} // namespace heddle
