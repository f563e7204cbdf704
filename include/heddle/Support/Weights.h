// Weights are handles: constants whose bytes stay in a mapped file and never
// enter the IR.
//
// A weight is a `DenseResourceElementsAttr` over the file's own bytes. Where
// they come from is remembered beside the handle, so that equal weights are
// recognised by hash and a dump, which elides the bytes, can be read back.

#ifndef HEDDLE_SUPPORT_WEIGHTS_H
#define HEDDLE_SUPPORT_WEIGHTS_H

#include "heddle/Support/MappedFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <optional>

namespace heddle {

/// Constants above this many bytes are handles.
constexpr uint64_t kHandleThresholdBytes = 1024;

/// Module attribute: key of a handle → {file, offset, bytes, hash}.
constexpr llvm::StringLiteral kWeightsAttrName = "heddle.weights";

/// XXH3-128 of a weight's bytes, in canonical (big-endian) order.
using WeightHash = std::array<uint8_t, 16>;

/// Where the bytes of a handle are found.
struct WeightOrigin {
  std::shared_ptr<MappedFile> file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Bytes that a tensor takes as a weight: whole bytes per element (i1 one byte,
/// sub-byte types one byte), row-major. Nothing if the number does not fit 63
/// bits.
std::optional<uint64_t> storedBytes(mlir::RankedTensorType type);

/// A handle over `bytes` bytes of `file`, which the handle keeps alive. The
/// caller has checked that the range lies within the file and is as long as the
/// type asks; it may be unaligned.
mlir::DenseResourceElementsAttr makeWeight(mlir::RankedTensorType type,
                                           llvm::StringRef name,
                                           std::shared_ptr<MappedFile> file,
                                           uint64_t offset, uint64_t bytes);

/// A handle over bytes that had to be decoded or computed.
mlir::DenseResourceElementsAttr makeWeight(mlir::RankedTensorType type,
                                           llvm::StringRef name,
                                           std::vector<char> bytes);

/// A constant of the given bytes: a handle above kHandleThresholdBytes,
/// otherwise a value in the IR.
mlir::ElementsAttr makeConstant(mlir::RankedTensorType type,
                                llvm::StringRef name, std::vector<char> bytes);

/// The bytes of a constant as they are stored (maybe unaligned). Nothing for a
/// splat, for bit-packed i1 values in the IR, and for a handle whose bytes are
/// not attached.
std::optional<llvm::ArrayRef<char>> weightBytes(mlir::ElementsAttr attr);

/// Where a handle made by makeWeight has its bytes; nothing for bytes that MLIR
/// parsed itself.
std::optional<WeightOrigin> weightOrigin(mlir::DenseResourceElementsAttr attr);

/// The files on disk that the module's handles lie in, each once.
std::vector<std::string> weightFiles(mlir::ModuleOp module);

/// Gives the pages of all handles that ops below `op` hold back to the page
/// cache, when nobody reads them for a while.
void releaseWeights(mlir::Operation *op);

/// The hash of a handle's bytes: computed when first asked for, once per
/// handle. The handle must have its bytes.
WeightHash weightHash(mlir::DenseResourceElementsAttr attr);
std::string toHex(const WeightHash &hash);

/// Writes `heddle.weights` for all handles in the module that lie in a file on
/// disk. With `withHashes` every such weight is read once.
void recordWeights(mlir::ModuleOp module, bool withHashes);

/// Gives the handles of a dump their bytes again, by `heddle.weights`. Relative
/// files are looked up from `folder`. For developers' dumps only: the files are
/// opened wherever they are.
mlir::LogicalResult attachWeights(mlir::ModuleOp module,
                                  llvm::StringRef folder = "");

} // namespace heddle

#endif // HEDDLE_SUPPORT_WEIGHTS_H
