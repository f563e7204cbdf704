// What of a program depends on its bounded sizes, and how: found by comparing
// the program for the largest sizes with those for some others.

#ifndef HEDDLE_PASSES_DYNAMIC_SIZETABLE_H
#define HEDDLE_PASSES_DYNAMIC_SIZETABLE_H

#include "passes/Dynamic/SampleSizes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Of the program for the largest sizes: the true extents of its values, and
/// the attributes that are not the same for all sizes.
class SizeTable {
public:
  using Extents = llvm::SmallVector<size::Expression>;

  /// Compares function by function and op by op. Reports where the programs
  /// differ in more than sizes, or in a size that is no function of the
  /// symbols.
  static mlir::FailureOr<SizeTable>
  compare(mlir::ModuleOp largest, llvm::ArrayRef<mlir::ModuleOp> others,
          const SampleSizes &sizes);

  /// All extents of `value`; empty if they are constant.
  llvm::ArrayRef<size::Expression> extents(mlir::Value value) const {
    auto found = shapes.find(value);
    return found == shapes.end() ? llvm::ArrayRef<size::Expression>()
                                 : llvm::ArrayRef(found->second);
  }
  /// The extent of a dimension; null if it is constant.
  size::Expression extent(mlir::Value value, int64_t dim) const;
  void setExtents(mlir::Value value, llvm::ArrayRef<size::Expression> extents) {
    if (!extents.empty())
      shapes[value] = Extents(extents);
  }

  /// The integers of an attribute that is not constant; null if it is.
  const Extents *attribute(mlir::Operation *op, llvm::StringRef name) const;
  bool hasAttributes(mlir::Operation *op) const {
    return attributes.contains(op);
  }
  void copyAttributes(mlir::Operation *from, mlir::Operation *to);
  /// The values at all points of a constant that is not one.
  llvm::ArrayRef<mlir::ElementsAttr> constants(mlir::Operation *op) const {
    auto found = varying.find(op);
    return found == varying.end() ? llvm::ArrayRef<mlir::ElementsAttr>()
                                  : llvm::ArrayRef(found->second);
  }

private:
  friend class SampleComparison;

  llvm::DenseMap<mlir::Value, Extents> shapes;
  llvm::DenseMap<mlir::Operation *, llvm::StringMap<Extents>> attributes;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::ElementsAttr>>
      varying;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_SIZETABLE_H
