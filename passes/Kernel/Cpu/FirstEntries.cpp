// Emits the walk over a row that keeps its first few entries, in order.

#include "passes/Kernel/Cpu/FirstEntries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

FirstEntries::FirstEntries(KernelFrame &frame, Location loc,
                           ArrayRef<Type> columns, int64_t count)
    : builder(frame.builder), loc(loc), index(builder, loc), columns(columns),
      count(count) {
  for (Type type : columns)
    buffers.push_back(frame.allocateScratch(type, count));
}

bool FirstEntries::pays(int64_t count, int64_t extent) {
  return count > 0 && count < extent &&
         count <= 4 * int64_t(llvm::Log2_64_Ceil(extent));
}

void FirstEntries::put(Value place, ValueRange entry) {
  LaneBuilder lanes(builder, loc, 0);
  for (auto [buffer, value] : llvm::zip(buffers, entry))
    lanes.store(value, buffer, place);
}

SmallVector<Value> FirstEntries::get(Value place) {
  LaneBuilder lanes(builder, loc, 0);
  SmallVector<Value> values;
  for (auto [buffer, type] : llvm::zip(buffers, columns))
    values.push_back(lanes.load(buffer, type, place).value);
  return values;
}

/// Takes an entry through the places below `end` to its own, and all behind it
/// one place on; returns what is left over.
ValueRange FirstEntries::insert(Value end, ArrayRef<Value> entry,
                                EntryOrder before) {
  SmallVector<Value> start(entry);
  start.push_back(
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)));
  left = index.loop(
      index.constant(0), end, 1, start,
      [&](Value place, ValueRange carried) -> SmallVector<Value> {
        SmallVector<Value> held = get(place), moving(carried.drop_back());
        FailureOr<Value> first = before(moving, held);
        if (failed(first)) {
          status = failure();
          return SmallVector<Value>(carried);
        }
        // What was moved once goes before its successor, also an equal one.
        Value takes =
            arith::OrIOp::create(builder, loc, *first, carried.back());
        SmallVector<Value> stay, go;
        for (auto [mine, other] : llvm::zip(moving, held)) {
          stay.push_back(
              arith::SelectOp::create(builder, loc, takes, mine, other));
          go.push_back(
              arith::SelectOp::create(builder, loc, takes, other, mine));
        }
        put(place, stay);
        go.push_back(takes);
        return go;
      });
  return ValueRange(left).drop_back();
}

LogicalResult
FirstEntries::walk(Value extent,
                   llvm::function_ref<SmallVector<Value>(Value)> entryAt,
                   EntryOrder before) {
  // The first ones fill the places.
  index.loop(0, count, 1,
             [&](Value at) { put(at, insert(at, entryAt(at), before)); });
  // Most of the others are behind the last that is kept.
  Value last = index.constant(count - 1), all = index.constant(count);
  index.loop(all, extent, 1, [&](Value at) {
    SmallVector<Value> entry = entryAt(at);
    FailureOr<Value> first = before(entry, get(last));
    if (failed(first)) {
      status = failure();
      return;
    }
    index.branch(*first, [&] { insert(all, entry, before); });
  });
  return status;
}

} // namespace heddle
