// Weights that GGUF files hold in ggml's formats.

#ifndef HEDDLE_LIB_FRONTEND_BINDINGS_GGUFWEIGHTS_H
#define HEDDLE_LIB_FRONTEND_BINDINGS_GGUFWEIGHTS_H

#include "lib/Frontend/Bindings/WeightProgram.h"

#include "heddle/Support/GgufFile.h"

namespace heddle {

/// The element type of a format that has one for each element; null for blocks.
mlir::Type ggufElement(mlir::MLIRContext *context, const GgufFormat &format);

/// Whether `writeGgufWeight` reads the format, one of blocks.
bool readsGgufBlocks(const GgufFormat &format);

/// Writes what a tensor of blocks stands for, in the type `result`. Where its
/// blocks have a scale each, that is integers and scales in one
/// `prec.dequantize`; minima are added behind it.
mlir::Value writeGgufWeight(WeightProgram &program, const GgufTensor &tensor,
                            mlir::FloatType result);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_BINDINGS_GGUFWEIGHTS_H
