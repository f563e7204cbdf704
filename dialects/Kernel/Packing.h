// How a weight is stored: the texts of `packing`, `rhs_packing` and
// `weights_packing`. Their grammar is that of runtime/format/WeightLayout.h,
// which readers of artifacts use too.

#ifndef HEDDLE_DIALECTS_KERNEL_PACKING_H
#define HEDDLE_DIALECTS_KERNEL_PACKING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace heddle::kernel {

/// Whether `text` is a layout of any tensor.
bool isPacking(llvm::StringRef text);
/// Whether it is one of matrices, `* k n -> ...`: what a contraction reads.
bool isMatrixPacking(llvm::StringRef text);
/// The groups of a layout of filters, `* i (g=2 o) -> ...`, whose window is
/// stored as it is: what a convolution reads. Nothing if it is none.
std::optional<int64_t> filterGroups(llvm::StringRef text);
/// A layout of filters for another number of groups.
std::string withGroups(llvm::StringRef text, int64_t groups);
/// Which dimension of what is stored is the first of those that `*` stands for;
/// there is one in each layout of filters.
unsigned leadingPosition(llvm::StringRef text);

/// Panels of `columns` columns, each row after row; of channels, beginning anew
/// with each of `groups`.
std::string matrixPanels(int64_t columns);
/// The same, each column's rows in fours: what instructions multiply that sum
/// up four products of bytes.
std::string matrixQuads(int64_t columns);
/// The same in twos, of bf16.
std::string matrixPairs(int64_t columns);
std::string filterPanels(int64_t columns, int64_t groups);
std::string filterQuads(int64_t columns, int64_t groups);
std::string filterPairs(int64_t columns, int64_t groups);

/// The type of a tensor of type `value` stored as `packing` says; null if that
/// does not fit. Elements that share a word are of its integer type.
mlir::RankedTensorType storedType(llvm::StringRef packing,
                                  mlir::RankedTensorType value);
/// Brings a row-major tensor of type `value`, an element of less than a byte in
/// one, to its stored form, which holds zeros, and back.
void packElements(llvm::StringRef packing, mlir::RankedTensorType value,
                  const char *from, char *to);
void unpackElements(llvm::StringRef packing, mlir::RankedTensorType value,
                    const char *from, char *to);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_PACKING_H
