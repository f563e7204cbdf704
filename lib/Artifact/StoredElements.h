// Where a weight's program has its elements in the stored form of another
// weight, and what is stored there.

#ifndef HEDDLE_LIB_ARTIFACT_STOREDELEMENTS_H
#define HEDDLE_LIB_ARTIFACT_STOREDELEMENTS_H

#include "dialects/Kernel/Kernel.h"

namespace heddle {

/// How the elements of a value within a weight's program come to what the
/// program yields: each is an element of that.
struct StoredValue {
  kernel::WeightOp weight;
  mlir::Value value;
  /// The operands by which they come there, those next to the yielded value
  /// first.
  llvm::SmallVector<mlir::OpOperand *> steps = {};
  /// Whether the highest bit of each is changed on the way.
  bool isFlipped = false;

  /// Whether each element is stored as it is: not changed, nor among others in
  /// a word.
  bool hasPlainElements() const;
};

/// The value that `weight` is a reshape or transpose of, as far back as these
/// go.
StoredValue behindMoves(kernel::WeightOp weight);

/// All values of which `weight` has each element: behind reshapes, transposes,
/// broadcasts and changes of the highest bit.
std::vector<StoredValue> valuesIn(kernel::WeightOp weight);

/// Emits how elements are found, in the payload of a loop.
class StoredElementEmitter {
public:
  StoredElementEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// The indices in `moved.value` of the element that `indices` are of in its
  /// weight, where nothing but reshapes and transposes lies between.
  llvm::SmallVector<mlir::Value> behind(const StoredValue &moved,
                                        llvm::ArrayRef<mlir::Value> indices);

  /// The element of `part.value` at `indices`, from `stored`, which is its
  /// weight as that is stored: there each element is as it is.
  mlir::Value element(const StoredValue &part, mlir::Value stored,
                      llvm::ArrayRef<mlir::Value> indices);

  /// The same of integers of at most 32 bits, however they are stored, as i32.
  mlir::Value integer(const StoredValue &part, mlir::Value stored,
                      llvm::ArrayRef<mlir::Value> indices);

private:
  /// What is stored where the element is, and, if that is a word of several, at
  /// which of its bits the element begins.
  mlir::Value load(const StoredValue &part, mlir::Value stored,
                   llvm::ArrayRef<mlir::Value> indices, mlir::Value &bit);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_STOREDELEMENTS_H
