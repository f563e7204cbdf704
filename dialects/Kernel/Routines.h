// What kernel.routine may be called with.

#ifndef HEDDLE_DIALECTS_KERNEL_ROUTINES_H
#define HEDDLE_DIALECTS_KERNEL_ROUTINES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include <string>

namespace heddle::kernel {

/// Whether there is a routine of this name.
bool isRoutine(llvm::StringRef name);

/// One call of a routine, as docs/decisions/routines.md describes it. Complex
/// tensors may be whole or split into two operands.
struct RoutineCall {
  llvm::StringRef name;
  mlir::TypeRange inputs, outputs;
  mlir::DictionaryAttr parameters;

  /// A flag or a word among the parameters.
  bool flag(llvm::StringRef parameter, bool otherwise) const;
  llvm::StringRef word(llvm::StringRef parameter) const;

  /// Whether matrices (of fft: the input) are complex.
  bool isComplex() const;
  /// Whether complex tensors are two, real and imaginary parts.
  bool isSplit() const;
  /// The dimension along which an fft of one length transforms: the last one,
  /// or what parameter `dimension` says.
  int64_t fourierDimension() const;
  /// The number of batch dimensions of a routine on matrices.
  unsigned batchRank() const;
  /// Whether tensor `number`, counted before any is split, is real also where
  /// matrices are complex.
  bool isRealInput(unsigned number) const;
  bool isRealOutput(unsigned number) const;
  /// Says what is wrong with the call; empty if nothing is.
  std::string check() const;
};

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_ROUTINES_H
