// Inputs of a model that become weights, as --bind says.

#ifndef HEDDLE_FRONTEND_ARGUMENTBINDING_H
#define HEDDLE_FRONTEND_ARGUMENTBINDING_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// `--bind weights=@params.npz`: an input that becomes a weight.
struct ArgumentBinding {
  /// Name or number of the input; empty for every input that the file has a
  /// tensor for.
  std::string argument;
  /// .npz, .npy, .safetensors or .gguf.
  std::string file;
  /// The tensor in the file; if empty the one with the input's name, or its
  /// number, or the only one.
  std::string tensor;
  /// Whether the input is the transpose of the tensor, a matrix.
  bool isTransposed = false;
};

/// Reads `NAME=@FILE`, `NUMBER=@FILE` or `@FILE`. Behind the file's ending
/// (.npz, .npy, .safetensors or .gguf) may stand `:TENSOR`, and at the end `^T`
/// for the transpose: `w=@model.gguf:blk.0.attn_q.weight^T`.
std::optional<ArgumentBinding> parseBinding(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_FRONTEND_ARGUMENTBINDING_H
