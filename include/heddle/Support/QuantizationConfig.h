// What the configuration beside a safetensors file says of quantized weights.

#ifndef HEDDLE_SUPPORT_QUANTIZATIONCONFIG_H
#define HEDDLE_SUPPORT_QUANTIZATIONCONFIG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

struct QuantizationConfig {
  /// Name of the file.
  std::string file;
  /// "gptq", "awq" or "compressed-tensors", in small letters; whatever the file
  /// says, if another.
  std::string method;
  /// Bits of a number; 0 if the file does not say, or says others of other
  /// layers (compressed-tensors' `config_groups`).
  int64_t bits = 0;
  /// Inputs of a column that share a scale; -1 for all, 0 if the file does not
  /// say.
  int64_t group = 0;
  /// GPTQ's `checkpoint_format`, AWQ's `version`, compressed-tensors' `format`,
  /// in small letters; empty if the file does not say.
  std::string format;
};

/// Reads `quantization_config` of the config.json, or the quantize_config.json
/// or quant_config.json, in the folder of the tensors' file. Nothing if there
/// is none, or it says nothing of quantization; an error if one is there that
/// is malformed or cannot be opened, as a link that leads out of the folder.
llvm::Expected<std::optional<QuantizationConfig>>
readQuantizationConfig(llvm::StringRef tensorFile);

/// The same from the text of the file `name`. A file of its own (`isWhole`)
/// holds the facts at its top.
llvm::Expected<std::optional<QuantizationConfig>>
parseQuantizationConfig(llvm::StringRef text, llvm::StringRef name,
                        bool isWhole);

} // namespace heddle

#endif // HEDDLE_SUPPORT_QUANTIZATIONCONFIG_H
