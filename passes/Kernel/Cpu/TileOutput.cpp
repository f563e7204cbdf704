// Emits what follows a finished tile: epilogue, rounding, stores.

#include "passes/Kernel/Cpu/TileOutput.h"
#include "dialects/Kernel/LinearAccess.h"
#include "dialects/Kernel/PayloadCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

/// An epilogue of up to this many operations runs on the accumulators where
/// they are; a longer one is emitted once, in a loop over the tile's vectors.
/// What is written out for each accumulator bounds the code, which takes as
/// long to compile for any machine; the way through the first cache costs two
/// instructions a vector on all of them.
static constexpr int64_t maxInstructionsInRegisters = 6;

/// Operations of several instructions each never are.
static bool isCheap(linalg::GenericOp generic) {
  for (Operation &op : generic.getBody()->without_terminator())
    if (kernel::payloadInstructions(op) > 1)
      return false;
  return kernel::payloadInstructions(generic) <= maxInstructionsInRegisters;
}

FailureOr<TileOutput> TileOutput::create(KernelFrame &frame, Value result,
                                         int64_t maxTileElements) {
  TileOutput output(frame, result);
  for (Operation *user : result.getUsers()) {
    if (isa<func::ReturnOp>(user))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (!generic)
      return user->emitOpError("cannot follow a contraction in its kernel");
    if (llvm::any_of(output.epilogues, [&](Epilogue &epilogue) {
          return epilogue.payload.nest().op == generic;
        }))
      continue;
    if (failed(output.addEpilogue(generic)))
      return failure();
    output.viaScratch |= !isCheap(generic);
  }
  auto element = cast<RankedTensorType>(result.getType()).getElementType();
  output.scratch = frame.allocateScratch(element, maxTileElements);
  return output;
}

LogicalResult TileOutput::addEpilogue(linalg::GenericOp generic) {
  constexpr unsigned none = ~0u;
  unsigned rank = cast<RankedTensorType>(result.getType()).getRank();
  FailureOr<LoopNest> loops = LoopNest::of(generic);
  if (failed(loops))
    return failure();
  Epilogue epilogue{PayloadVectorizer(std::move(*loops), frame),
                    SmallVector<unsigned>(rank, none),
                    {}};
  const LoopNest &nest = epilogue.payload.nest();
  if (!nest.isParallel())
    return generic.emitOpError("reduces, and cannot be an epilogue");
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    if (operand->get() != result)
      continue;
    AffineMap map = generic.getMatchingIndexingMap(operand);
    SmallVector<unsigned> loopOfDim;
    for (AffineExpr expr : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      loopOfDim.push_back(loop ? loop.getPosition() : none);
    }
    if (!epilogue.operands.empty() && loopOfDim != epilogue.loopOfDim)
      return generic.emitOpError(
          "reads the contraction's result at two places");
    epilogue.loopOfDim = loopOfDim;
    epilogue.operands.push_back(operand->getOperandNumber());
  }
  // Every dimension of the result is walked whole, and every loop but those of
  // one iteration walks one.
  SmallVector<Extent> extents =
      trueExtents(cast<RankedTensorType>(result.getType()));
  for (auto [dim, loop] : llvm::enumerate(epilogue.loopOfDim))
    if (loop == none ? !extents[dim].is(1) : nest.extents[loop] != extents[dim])
      return generic.emitOpError("reads a part of the contraction's result");
  for (unsigned loop = 0; loop < nest.numLoops(); ++loop)
    if (!nest.extents[loop].is(1) &&
        !llvm::is_contained(epilogue.loopOfDim, loop))
      return generic.emitOpError("repeats the contraction's result");
  epilogues.push_back(std::move(epilogue));
  return success();
}

LanePoint TileOutput::Epilogue::pointAt(IndexBuilder &index,
                                        const LaneRun &run) const {
  LanePoint point;
  point.lanes = run.lanes;
  point.mask = run.mask;
  unsigned numLoops = payload.nest().numLoops();
  point.ivs.assign(numLoops, Value());
  for (auto [position, loop] : llvm::enumerate(loopOfDim)) {
    if (loop >= numLoops)
      continue;
    point.ivs[loop] = run.coords[position];
    if (position == run.dim)
      point.loop = loop;
  }
  for (Value &iv : point.ivs)
    if (!iv)
      iv = index.constant(0);
  return point;
}

/// Loads the inputs of epilogues that are functions of the column alone, once
/// for the vector `v` of all rows of the tile. LLVM would load them for each
/// row: it cannot know that the rows' stores leave them as they are.
TileOutput::Inputs TileOutput::loadColumns(const RegisterTile &tile, int64_t v,
                                           const TilePlace &place) {
  IndexBuilder index(frame.builder, result.getLoc());
  LaneRun run = columnsAt(tile, v, place, place.coords);
  Inputs inputs;
  for (Epilogue &epilogue : epilogues) {
    SmallVector<unsigned> others;
    for (unsigned loop = 0; loop < epilogue.payload.nest().numLoops(); ++loop)
      if (llvm::none_of(place.columnDims, [&](unsigned dim) {
            return epilogue.loopOfDim[dim] == loop;
          }))
        others.push_back(loop);
    inputs.push_back(epilogue.payload.loadInvariants(
        frame.builder, epilogue.pointAt(index, run), others));
  }
  return inputs;
}

LogicalResult TileOutput::storePoint(Value sums, const LaneRun &run,
                                     const Inputs &columns) {
  OpBuilder &builder = frame.builder;
  IndexBuilder index(builder, result.getLoc());
  if (frame.hasBuffer(result))
    storePlain(sums, run);
  for (auto [number, epilogue] : llvm::enumerate(epilogues)) {
    LanePoint point = epilogue.pointAt(index, run);
    SmallVector<LaneValue> supplied(
        epilogue.payload.nest().op->getNumOperands());
    if (!columns.empty())
      supplied = columns[number];
    for (unsigned operand : epilogue.operands)
      supplied[operand] = LaneValue(sums);
    auto results = epilogue.payload.emit(builder, point, supplied);
    if (failed(results))
      return failure();
    epilogue.payload.store(builder, point, *results);
  }
  return success();
}

void TileOutput::storePlain(Value sums, const LaneRun &run) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  auto type = cast<RankedTensorType>(result.getType());
  LaneBuilder writer(builder, loc, run.lanes, run.mask);
  if (size::hasExtents(type)) {
    LaneValue position = writer.constantIndex(0);
    for (auto [number, extent] : llvm::enumerate(trueExtents(type))) {
      bool steps = run.lanes && number == run.dim;
      position = writer.add(scaled(writer, frame, position, extent),
                            LaneValue(run.coords[number], steps ? 1 : 0));
    }
    writer.store(sums, frame.buffer(result), position);
    return;
  }
  SmallVector<int64_t> strides = kernel::rowMajorStrides(type.getShape());
  Value position = index.constant(0);
  for (auto [coord, stride] : llvm::zip_equal(run.coords, strides))
    position = index.at(position, coord, stride);
  writer.store(sums, frame.buffer(result),
               LaneValue(position, run.lanes ? strides[run.dim] : 0));
}

void TileOutput::storePoints(const TilePlace &place) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  Type i64 = builder.getI64Type();
  int64_t dims = place.coords.size();
  if (!pointTable)
    pointTable = frame.allocateScratch(i64, frame.machine.mostTileRows * dims);
  for (auto [row, point] : llvm::enumerate(place.points))
    for (auto [dim, at] : llvm::enumerate(point))
      if (at)
        memref::StoreOp::create(
            builder, loc, arith::IndexCastOp::create(builder, loc, i64, at),
            pointTable, index.constant(row * dims + dim));
}

SmallVector<Value> TileOutput::rowAt(const TilePlace &place, Value row) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  SmallVector<Value> coords(place.coords);
  if (place.points.empty()) {
    if (place.rowDim)
      coords[*place.rowDim] =
          index.at(coords[*place.rowDim], row, place.rowStep);
    return coords;
  }
  if (std::optional<int64_t> number = getConstantIntValue(row))
    return place.points[*number];
  for (auto [dim, at] : llvm::enumerate(place.points.front())) {
    if (!at)
      continue;
    Value stored =
        memref::LoadOp::create(builder, loc, pointTable,
                               index.add(index.mul(row, coords.size()), dim));
    coords[dim] = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), stored);
  }
  return coords;
}

void TileOutput::setColumn(const TilePlace &place, Value column,
                           SmallVector<Value> &coords) {
  IndexBuilder index(frame.builder, result.getLoc());
  Value flat = index.add(place.firstColumn, column);
  for (auto [dim, at] : llvm::zip_equal(
           place.columnDims, index.delinearize(flat, place.columnExtents)))
    coords[dim] = at;
}

/// Lanes must follow each other along one dimension.
static bool isByElement(const RegisterTile &tile, const TilePlace &place) {
  return place.columnDims.empty() ||
         (place.columnDims.size() > 1 &&
          place.columnExtents.back() % tile.lanes != 0);
}

LogicalResult TileOutput::store(RegisterTile &tile, ValueRange sums,
                                const TilePlace &place) {
  IndexBuilder index(frame.builder, result.getLoc());
  if (isByElement(tile, place) ||
      (viaScratch && tile.rows * tile.vectors > 1)) {
    if (tile.rows > 1 && !place.points.empty())
      storePoints(place);
    Value rows = place.rows ? place.rows : index.constant(tile.rows);
    keep(tile, sums);
    return store(tile, kept(rows), place);
  }
  return forEachVector(tile, place, [&](int64_t v) {
    LogicalResult status = success();
    Inputs columns = loadColumns(tile, v, place);
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value row = index.constant(r);
      auto storeRow = [&] {
        LaneRun run = columnsAt(tile, v, place, rowAt(place, row));
        if (failed(storePoint(sums[r * tile.vectors + v], run, columns)))
          status = failure();
      };
      if (place.rows && r == tile.rows - 1)
        index.branch(index.less(row, place.rows), storeRow);
      else
        storeRow();
    }
    return status;
  });
}

void TileOutput::keep(RegisterTile &tile, ValueRange sums) {
  IndexBuilder index(frame.builder, result.getLoc());
  tile.store(sums, scratch, index.constant(0));
}

RestingTile TileOutput::kept(Value rows) {
  IndexBuilder index(frame.builder, result.getLoc());
  return {scratch, index.constant(0), rows};
}

LogicalResult TileOutput::store(const RegisterTile &tile,
                                const RestingTile &resting,
                                const TilePlace &place) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  if (isByElement(tile, place))
    return storeByElement(tile, resting, place);
  return forEachVector(tile, place, [&](int64_t v) {
    LogicalResult status = success();
    Inputs columns = loadColumns(tile, v, place);
    index.loop(index.constant(0), resting.rows, 1, [&](Value row) {
      Value position = index.at(index.add(resting.base, v * tile.lanes), row,
                                tile.vectors * tile.lanes);
      Value loaded = vector::LoadOp::create(builder, loc, tile.vectorType,
                                            resting.buffer, position);
      LaneRun run = columnsAt(tile, v, place, rowAt(place, row));
      status = storePoint(loaded, run, columns);
    });
    return status;
  });
}

TileOutput::LaneRun TileOutput::columnsAt(const RegisterTile &tile, int64_t v,
                                          const TilePlace &place,
                                          SmallVector<Value> coords) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  setColumn(place, index.constant(v * tile.lanes), coords);
  int64_t valid = std::min(tile.lanes, place.columns.number - v * tile.lanes);
  Value mask = place.columns.value
                   ? countMask(builder, loc, tile.lanes,
                               index.add(place.columns.value, -v * tile.lanes))
                   : tailMask(builder, loc, tile.lanes, valid);
  return {coords, place.columnDims.back(), tile.lanes, mask};
}

LogicalResult
TileOutput::forEachVector(const RegisterTile &tile, const TilePlace &place,
                          function_ref<LogicalResult(int64_t v)> body) {
  IndexBuilder index(frame.builder, result.getLoc());
  for (int64_t v = 0; v < tile.vectors; ++v) {
    if (!place.columns.value) {
      if (v * tile.lanes < place.columns.number && failed(body(v)))
        return failure();
      continue;
    }
    // The first lane of what is stored always counts.
    LogicalResult status = success();
    index.branch(
        index.less(index.constant(v * tile.lanes), place.columns.value),
        [&] { status = body(v); });
    if (failed(status))
      return failure();
  }
  return success();
}

LogicalResult TileOutput::storeByElement(const RegisterTile &tile,
                                         const RestingTile &resting,
                                         const TilePlace &place) {
  OpBuilder &builder = frame.builder;
  Location loc = result.getLoc();
  IndexBuilder index(builder, loc);
  LogicalResult status = success();
  index.loop(index.constant(0), resting.rows, 1, [&](Value row) {
    Value low = index.constant(0);
    Value start = index.at(resting.base, row, tile.vectors * tile.lanes);
    index.loop(low, index.valueOf(place.columns), 1, [&](Value column) {
      LaneRun run = {rowAt(place, row), 0, /*lanes=*/0, Value()};
      setColumn(place, column, run.coords);
      Value sum = memref::LoadOp::create(builder, loc, resting.buffer,
                                         index.add(start, column));
      if (failed(storePoint(sum, run, {})))
        status = failure();
    });
  });
  return status;
}

} // namespace heddle
