// Values at several consecutive points of a loop at once.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LANES_H
#define HEDDLE_PASSES_KERNEL_CPU_LANES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace heddle {

/// A value at the points of a vector: one scalar for all of them, a scalar that
/// grows by `step` from lane to lane (integers and index only), or a vector.
/// Keeping the first two apart is what turns gathers into loads, and work on
/// invariants into scalar work.
struct LaneValue {
  mlir::Value value;
  int64_t step = 0;

  LaneValue() = default;
  LaneValue(mlir::Value value, int64_t step = 0) : value(value), step(step) {}
  explicit operator bool() const { return bool(value); }

  bool isVector() const;
  bool isUniform() const { return !isVector() && step == 0; }
};

/// Emits arithmetic and memory accesses on `lanes` points. With no lanes it
/// emits scalar code, where every value is uniform.
class LaneBuilder {
public:
  /// `mask` (`vector<lanes x i1>`) says which lanes count; null for all. The
  /// first lane always counts.
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
              mlir::Value mask = {})
      : builder(builder), loc(loc), lanes(lanes), mask(mask) {}

  /// The type of `lanes` elements.
  mlir::Type lanesOf(mlir::Type elementType) const;
  /// As a vector of all lanes (a scalar if there are no lanes).
  mlir::Value materialize(LaneValue value);

  mlir::Value constantIndex(int64_t value);
  LaneValue add(LaneValue left, LaneValue right);
  LaneValue mul(LaneValue left, int64_t factor);
  /// Times a scalar.
  LaneValue mul(LaneValue left, mlir::Value factor);
  /// The value of `expr` where dimension N is `dims[N]`.
  LaneValue affine(mlir::AffineExpr expr, llvm::ArrayRef<LaneValue> dims);

  /// Element `position` of `buffer`, a `memref<?xT>`; `elementType` differs
  /// from T for i1, a byte in memory. Masked-out lanes are not read.
  LaneValue load(mlir::Value buffer, mlir::Type elementType,
                 LaneValue position);
  void store(mlir::Value value, mlir::Value buffer, LaneValue position);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t lanes;
  mlir::Value mask;

private:
  mlir::Value allLanes();
  /// Splits a position into a scalar start and the offsets of the lanes.
  std::pair<mlir::Value, mlir::Value> scattered(LaneValue position);
};

/// The mask of the first `count` lanes, an index of at most 31 bits; all where
/// there are as many.
mlir::Value countMask(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t lanes, mlir::Value count);

/// The mask of the first `count` lanes, a constant; null when that is all.
mlir::Value tailMask(mlir::OpBuilder &builder, mlir::Location loc,
                     int64_t lanes, int64_t count);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LANES_H
