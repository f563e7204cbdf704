// What of a program depends on the sizes that calls choose, taken out of its
// types and attributes.

#ifndef HEDDLE_PASSES_DYNAMIC_SIZETABLE_H
#define HEDDLE_PASSES_DYNAMIC_SIZETABLE_H

#include "dialects/Size/Expression.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// The true extents of values, and the attributes that are not the same for all
/// sizes.
class SizeTable {
public:
  using Extents = llvm::SmallVector<size::Expression>;

  /// Takes the extents out of the types of `module` and the sized attributes
  /// from its operations: what is left is the program for the bounds.
  static SizeTable takeFrom(mlir::ModuleOp module);
  /// The same of `op` and what is within it. What it reads from outside stays.
  void takeFrom(mlir::Operation *op);

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
  /// Says of `to`, a copy, what is known of `from` and what is within it.
  void copy(mlir::Operation *from, mlir::Operation *to);
  /// Before an operation is erased: another may come to lie in its place.
  void forget(mlir::Operation *op);

private:
  void takeFrom(mlir::Value value);
  void takeAttributes(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Extents> shapes;
  llvm::DenseMap<mlir::Operation *, llvm::StringMap<Extents>> attributes;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_SIZETABLE_H
