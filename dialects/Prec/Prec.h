// The precision dialect: quantization with scales as values.

#ifndef HEDDLE_DIALECTS_PREC_PREC_H
#define HEDDLE_DIALECTS_PREC_PREC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Prec/PrecDialect.h.inc"
#include "dialects/Prec/PrecEnums.h.inc"

namespace heddle::prec {

/// Which scale and zero point belong to each element of a part of a tensor, as
/// its elements follow each other: the same for all, one for each index of the
/// dimension `axis`, or one for each `block` elements along it.
class Parameters {
public:
  /// Of the `sizes` elements from `offsets` on.
  Parameters(llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
             std::optional<int64_t> axis, std::optional<int64_t> block);

  /// The part of scale and zero point that is read.
  llvm::SmallVector<int64_t> offsets, sizes;

  /// Elements that follow each other, and the row-major number, within that
  /// part, of the parameter of the first: that of all of them, or followed by
  /// those of the others.
  struct Run {
    int64_t elements, first;
    bool isSame;

    int64_t parameterOf(int64_t element) const {
      return first + (isSame ? 0 : element);
    }
  };

  /// The next run, of a part that has elements left.
  Run next();

private:
  /// Elements along the axis before those of the part within its first block.
  int64_t before = 0;
  /// Elements along the axis and of the dimensions inside of it: without an
  /// axis all are inside.
  int64_t along = 1, inner = 1;
  /// Elements of a block, and blocks along the axis.
  int64_t block = 1, blocks = 1;
  /// Whether dimensions besides the axis have parameters of their own.
  bool isBlocked = false;
  /// Indices of the next run, of the outer dimensions and along the axis.
  int64_t outer = 0, position = 0;
};

} // namespace heddle::prec

#define GET_OP_CLASSES
#include "dialects/Prec/PrecOps.h.inc"

namespace heddle::prec {

/// The least and the largest value of an integer type, as far as 64 bits hold
/// them: ui64 ends at 2^63 - 1.
int64_t leastOf(mlir::IntegerType type);
int64_t largestOf(mlir::IntegerType type);

} // namespace heddle::prec

#endif // HEDDLE_DIALECTS_PREC_PREC_H
