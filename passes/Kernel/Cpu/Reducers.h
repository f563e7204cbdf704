// Which payloads of reductions can be split over lanes.

#ifndef HEDDLE_PASSES_KERNEL_CPU_REDUCERS_H
#define HEDDLE_PASSES_KERNEL_CPU_REDUCERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace heddle {

/// The one op of a payload that joins an accumulator with what is new.
struct Reducer {
  mlir::Operation *combiner = nullptr;
  /// The value that leaves any other unchanged.
  mlir::TypedAttr identity;

  explicit operator bool() const { return combiner != nullptr; }
  /// The combiner on two values of any lanes.
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value left, mlir::Value right) const;
};

/// The reducer by which result `number` of `payload` depends on the accumulator
/// `argument`, if it is an associative and commutative op with an identity, and
/// the accumulator is used for nothing else.
Reducer matchReducer(mlir::Block &payload, mlir::BlockArgument accumulator,
                     unsigned number);

/// Joins the lanes of `vector` by halves: a tree that depends on the number of
/// lanes only.
mlir::Value combineLanes(mlir::OpBuilder &builder, mlir::Location loc,
                         const Reducer &reducer, mlir::Value vector);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_REDUCERS_H
