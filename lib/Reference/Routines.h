// What kernel.routine and the composites of the same names mean.

#ifndef HEDDLE_LIB_REFERENCE_ROUTINES_H
#define HEDDLE_LIB_REFERENCE_ROUTINES_H

#include "Evaluator.h"

#include "dialects/Kernel/Routines.h"

namespace heddle::reference {

/// Runs the routine `name` on the invocation's operands (Routines.cpp).
llvm::LogicalResult applyRoutine(Invocation &call, llvm::StringRef name,
                                 mlir::DictionaryAttr parameters);

/// A matrix of one element of the batch; a vector is one row. Real ones have
/// imaginary parts of zero.
struct Dense {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> values;

  Dense() = default;
  Dense(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  Complex &at(int64_t i, int64_t j) { return values[i * columns + j]; }
  Complex at(int64_t i, int64_t j) const { return values[i * columns + j]; }
  Complex &operator[](int64_t i) { return values[i]; }
  Complex operator[](int64_t i) const { return values[i]; }
};

/// A tensor of matrices or vectors, one for each element of the batch.
struct Batch {
  Extents shape;
  std::vector<Complex> values;
};

/// Reads a tensor; `im` holds the imaginary parts where they are split off.
Batch loadBatch(const HostTensor &re, const HostTensor *im = nullptr);
/// Element `number` of the batch.
Dense slice(const Batch &whole, size_t batchRank, int64_t number);
/// Gives the next result, and the one of its imaginary parts where split.
llvm::LogicalResult giveBatch(Invocation &call, const Batch &whole,
                              bool split = false);

/// Computes the results of one batch element; they have their shapes and are
/// zero.
using MatrixFunction = void (*)(const kernel::RoutineCall &call,
                                llvm::ArrayRef<Dense> in,
                                llvm::MutableArrayRef<Dense> out);
/// Null if there is none of this name (Matrices.cpp).
MatrixFunction findMatrixFunction(llvm::StringRef name);

/// Custom calls of LAPACK's routines, as JAX writes them (LapackCalls.cpp).
/// Nothing if `target` is no such name.
std::optional<llvm::LogicalResult> applyLapackCall(Invocation &call,
                                                   llvm::StringRef target);

// Those with orthogonal factors (Orthogonal.cpp).
void factorizeQr(const kernel::RoutineCall &call, llvm::ArrayRef<Dense> in,
                 llvm::MutableArrayRef<Dense> out);
void multiplyReflectors(const kernel::RoutineCall &call,
                        llvm::ArrayRef<Dense> in,
                        llvm::MutableArrayRef<Dense> out);
void reduceToHessenberg(const kernel::RoutineCall &call,
                        llvm::ArrayRef<Dense> in,
                        llvm::MutableArrayRef<Dense> out);
void reduceToTridiagonal(const kernel::RoutineCall &call,
                         llvm::ArrayRef<Dense> in,
                         llvm::MutableArrayRef<Dense> out);
void decomposeHermitian(const kernel::RoutineCall &call,
                        llvm::ArrayRef<Dense> in,
                        llvm::MutableArrayRef<Dense> out);
void decomposeSingular(const kernel::RoutineCall &call,
                       llvm::ArrayRef<Dense> in,
                       llvm::MutableArrayRef<Dense> out);

// Of any square matrix (Spectral.cpp).
void decomposeSchur(const kernel::RoutineCall &call, llvm::ArrayRef<Dense> in,
                    llvm::MutableArrayRef<Dense> out);
void decomposeEigen(const kernel::RoutineCall &call, llvm::ArrayRef<Dense> in,
                    llvm::MutableArrayRef<Dense> out);

using Wide = std::complex<long double>;
/// The transform of dense values over the dimensions from `first` on, in place;
/// `shape` becomes that of the result. `type` is spelled as in StableHLO
/// (Fourier.cpp).
void applyFourier(std::vector<Wide> &values, Extents &shape,
                  llvm::StringRef type, llvm::ArrayRef<int64_t> lengths,
                  int64_t first);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_ROUTINES_H
