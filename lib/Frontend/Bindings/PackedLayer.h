// The layers that safetensors files hold as GPTQ, AWQ and compressed-tensors
// do: which tensors each is made of.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDLAYER_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDLAYER_H

#include "heddle/Support/MappedFile.h"
#include "heddle/Support/QuantizationConfig.h"
#include "heddle/Support/TensorFile.h"

#include "mlir/IR/Types.h"

namespace heddle {

/// A tensor of words of 32 bits, or of others, in the file.
struct Piece {
  uint64_t offset = 0;
  llvm::SmallVector<int64_t> shape;
  mlir::Type element;
};

/// What a layer's weight is made of. Numbers are [inputs, outputs] or, if
/// `isByOutput`, [outputs, inputs], and scales have a group's place for the
/// inputs.
struct PackedLayer {
  Piece numbers, scales;
  std::optional<Piece> zeros;
  int64_t inputs = 0, outputs = 0, groups = 0;
  /// Inputs of a group; the last may have fewer.
  int64_t block = 0;
  unsigned bits = 0;
  /// The zero point where there is no tensor of them.
  int64_t zero = 0;
  /// Numbers have no sign; else they are bytes as they are.
  bool isUnsigned = true;
  /// GPTQ's first format stores zero points less one.
  bool addsOneToZeros = false;
  /// Numbers are floats of four bits, two in a byte; scales are divided by
  /// `divisor`, one number, if there is one.
  bool isFloatOfFourBits = false;
  std::optional<Piece> divisor;
  /// AWQ's words hold the even columns of eight before the odd ones.
  bool isInterleaved = false;
  bool isByOutput = false;

  /// That of scales and zero points.
  llvm::SmallVector<int64_t> parameterShape() const {
    return isByOutput ? llvm::SmallVector<int64_t>{outputs, groups}
                      : llvm::SmallVector<int64_t>{groups, outputs};
  }
};

/// A layer, or why it is not read.
struct FoundLayer {
  PackedLayer layer;
  std::string refusal;
  /// The tensor of the same name whose elements are the layer's numbers; null
  /// where these share words.
  const HostTensor *stored = nullptr;
};

/// The layers of a file by their names; `config` lies beside it.
std::vector<std::pair<std::string, FoundLayer>>
findPackedLayers(llvm::ArrayRef<NamedTensor> tensors,
                 const std::optional<QuantizationConfig> &config,
                 const MappedFile &file);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_PACKEDLAYER_H
