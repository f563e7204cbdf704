// Formulas that several operators share.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_FUNCTIONS_H
#define HEDDLE_LIB_FRONTEND_ONNX_FUNCTIONS_H

#include "Emitter.h"

namespace heddle::stablehlo {
struct Attention;
} // namespace heddle::stablehlo

namespace heddle::onnx {

class NodeImporter;

/// `function` of the value widened to f32, and the result narrowed again; as it
/// is for f32 and f64.
mlir::Value inAtLeastFloat32(
    Emitter &emit, mlir::Value value,
    llvm::function_ref<mlir::Value(Emitter &, mlir::Value)> function);

/// The composite `chlo.erf`, which StableHLO has no op for.
mlir::Value erf(Emitter &emit, mlir::Value value);

mlir::Value sigmoid(Emitter &emit, mlir::Value value);
/// log(1 + exp(x)), stable for large |x|.
mlir::Value softplus(Emitter &emit, mlir::Value value);
mlir::Value rsqrt(Emitter &emit, mlir::Value value);

/// exp(x - max x) over its sum along `dimension`.
mlir::Value softmax(Emitter &emit, mlir::Value value, int64_t dimension);
/// Its logarithm: x - max x - log(sum(exp(x - max x))).
mlir::Value logSoftmax(Emitter &emit, mlir::Value value, int64_t dimension);

/// x times its share of the normal distribution; "none" means by erf, "tanh" by
/// tanh.
mlir::Value gelu(Emitter &emit, mlir::Value value, llvm::StringRef approximate);
/// How rows are normalized: as they are (RMS) or after their mean is taken off
/// (layer normalization).
enum class Norm : uint8_t { Rms, Layer };

/// Normalizes over the dimensions from `axis` on. Scale and bias are broadcast
/// to these; `bias` may be null.
mlir::Value trailingNorm(Emitter &emit, Norm norm, mlir::Value value,
                         mlir::Value scale, mlir::Value bias, int64_t axis,
                         double epsilon);

/// RMSNormalization, which began as SimplifiedLayerNormalization.
llvm::LogicalResult importRmsNormalization(NodeImporter &node);

/// [batch, sequence, heads * size] to [batch, heads, sequence, size]; four
/// dimensions are as they should be. Null after an error.
mlir::Value splitHeads(NodeImporter &node, mlir::Value x, int64_t heads);

/// The composite `heddle.attention`; null for what it cannot say.
mlir::Value emitAttention(Emitter &emit, stablehlo::Attention attention);

/// Turns pairs of elements of `x`, [batch, sequence, heads, size], by the
/// angles of [batch, sequence, half]: halves of the first 2 * half elements of
/// a head, or neighbours if interleaved.
mlir::Value rotatePairs(Emitter &emit, mlir::Value x, mlir::Value cosine,
                        mlir::Value sine, bool interleaved);

/// numpy's matmul: vectors get a dimension of 1 that is dropped again, leading
/// dimensions are broadcast. The element types are equal.
mlir::Value matmul(Emitter &emit, mlir::Value lhs, mlir::Value rhs);

/// A vector along `dimension`, spread over `shape`.
mlir::Value alongDimension(Emitter &emit, mlir::Value vector,
                           const Shape &shape, int64_t dimension);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_FUNCTIONS_H
