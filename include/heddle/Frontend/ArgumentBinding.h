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
  /// .npz, .npy or safetensors. The tensor is the one with the input's name,
  /// or its number, or the only one.
  std::string file;
};

/// Reads `NAME=@FILE`, `NUMBER=@FILE` or `@FILE`.
std::optional<ArgumentBinding> parseBinding(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_FRONTEND_ARGUMENTBINDING_H
