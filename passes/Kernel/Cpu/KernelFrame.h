// The lowered form of a kernel function: flat buffers in place of tensors, and
// a range of tiles to work on.

#ifndef HEDDLE_PASSES_KERNEL_CPU_KERNELFRAME_H
#define HEDDLE_PASSES_KERNEL_CPU_KERNELFRAME_H

#include "dialects/Size/Ranges.h"
#include "heddle/Target/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "passes/Kernel/Cpu/Extent.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// The type that values of `type` have in memory: i1 takes a byte.
mlir::Type storageType(mlir::Type type);

/// A kernel function while it is being lowered.
///
/// From `func @k(%a: tensor<4x8xf32>, %s: f32) -> tensor<4x8xi1>` it makes
/// ```mlir
/// func @k(%a: memref<?xf32>, %out: memref<?xi8>, %s: f32,
///         %scratch: memref<?xi8>, %worker: index, %begin: index, %end: index)
/// ```
/// beside it, to be filled by an emitter through `builder`; tensors are
/// row-major, by their true extents where their types have such. What depends
/// on sizes reaches the function as more numbers behind its own
/// (`kernel.size_arguments`): it computes nothing from symbols. The emitter
/// claims tiles [begin, end) of the grid it declares in `finish`; what a tile
/// writes must not depend on how the grid is split.
class KernelFrame {
public:
  /// Starts on `source`, which stays untouched until `finish`. Fails with a
  /// diagnostic if the signature is not one of static tensors.
  static mlir::FailureOr<KernelFrame> create(mlir::func::FuncOp source,
                                             const Machine &machine);

  /// The buffer behind `tensor`: an argument's, a result's, what `bind` said,
  /// or a read-only global for a constant. Null if it has none.
  mlir::Value buffer(mlir::Value tensor);
  bool hasBuffer(mlir::Value tensor) const { return buffers.contains(tensor); }
  void bind(mlir::Value tensor, mlir::Value buffer) {
    buffers[tensor] = buffer;
  }

  /// A number that the source takes at each launch. Null if `value` is none.
  mlir::Value argument(mlir::Value value) const {
    return arguments.lookup(value);
  }

  /// A scalar that the source computes outside of payloads, at the builder's
  /// place: a constant or an element of a tensor. Null if it is neither.
  mlir::Value scalar(mlir::Value value);

  /// An index: a constant, made at the place of `at`, or a number of the
  /// launch.
  mlir::Value valueOf(mlir::OpBuilder &at, const Extent &extent);
  mlir::Value valueOf(mlir::OpBuilder &at, size::Expression expression) {
    return valueOf(at, Extent(expression, 0));
  }
  mlir::Value valueOf(const Extent &extent) { return valueOf(builder, extent); }
  Number numberOf(const Extent &extent) {
    return extent.isSized() ? Number(valueOf(extent)) : Number(extent.bound());
  }
  /// The least value of an extent, and a number that divides all of them.
  int64_t least(const Extent &extent) const;
  int64_t divisor(const Extent &extent) const;
  /// Whether all that was asked of `valueOf` and `finish` are sizes that an
  /// expression holds; if not, what was built is wrong.
  bool sizesFit() const { return fits; }

  /// A 64-byte aligned piece of the worker's scratch memory, `memref<?xT>`, of
  /// as many elements as a call's sizes say. The view is made at the start of
  /// the function.
  mlir::Value allocateScratch(mlir::Type elementType, const Extent &count);

  /// Loops over the claimed tiles; `builder` is left inside, at the end of the
  /// loop's body, and the tile's number is returned.
  mlir::Value enterTileLoop();

  /// Replaces the source by the lowered function. `chunk` tiles are claimed at
  /// a time; about 50 to 200 microseconds of work.
  void finish(const Extent &tiles, int64_t chunk = 1);
  /// Gives up: erases what was built.
  void abandon();

  mlir::func::FuncOp source, function;
  mlir::OpBuilder builder;
  mlir::Value scratch, worker, tileBegin, tileEnd;
  const Machine &machine;

private:
  KernelFrame(mlir::func::FuncOp source, mlir::func::FuncOp function,
              const Machine &machine)
      : source(source), function(function), builder(function.getContext()),
        machine(machine) {}

  llvm::DenseMap<mlir::Value, mlir::Value> buffers, arguments;
  Extent scratchBytes = 0;
  /// Of the sizes that calls choose.
  size::Ranges ranges;
  /// What the numbers of the launch stand for that follow the source's own.
  llvm::SmallVector<size::Expression> sizes;
  llvm::DenseMap<mlir::Attribute, mlir::Value> sizeValues;
  /// Where the next of them goes.
  unsigned sizesEnd = 0;
  bool fits = true;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_KERNELFRAME_H
