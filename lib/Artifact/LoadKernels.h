// Kernels that make a device's weight of what processors store, when an
// artifact is loaded.

#ifndef HEDDLE_LIB_ARTIFACT_LOADKERNELS_H
#define HEDDLE_LIB_ARTIFACT_LOADKERNELS_H

#include "StoredElements.h"
#include "dialects/Prec/Prec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

/// What modules for processors store.
class StoredForms {
public:
  void add(mlir::ModuleOp module);
  /// Whether a processor reads `weight` just so.
  bool has(kernel::WeightOp weight) const;
  /// Where the elements of `value` are stored; null if nowhere.
  const StoredValue *find(mlir::Value value) const;

private:
  llvm::StringSet<> whole;
  llvm::StringMap<StoredValue> values;
};

/// How a weight is made of stored ones.
class LoadKernel {
public:
  /// Nothing if nobody stores what it takes. `element` is what the device's
  /// kernels hold of the weight.
  static std::optional<LoadKernel>
  of(kernel::WeightOp weight, mlir::Type element, const StoredForms &forms);

  /// What the kernel reads, in the order of its arguments.
  llvm::SmallVector<kernel::WeightOp> weights() const;
  /// The kernel, not yet in a module.
  mlir::func::FuncOp make() const;

private:
  LoadKernel(kernel::WeightOp weight, mlir::Type element)
      : element(element), weight(weight), moved(behindMoves(weight)) {}

  bool isDequantized(prec::DequantizeOp op, const StoredForms &forms);
  mlir::Type held(unsigned part) const;
  mlir::Value dequantized(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::ValueRange stored,
                          llvm::ArrayRef<mlir::Value> indices) const;

  mlir::Type element;
  kernel::WeightOp weight;
  StoredValue moved;
  /// The value itself; or the integers it is dequantized of, their scales, and
  /// their zero points, unless these are one number.
  llvm::SmallVector<StoredValue> parts;
  prec::DequantizeOp dequantize;
  int64_t zeroPoint = 0;
};

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_LOADKERNELS_H
