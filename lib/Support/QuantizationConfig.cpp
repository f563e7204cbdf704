// Reads the configuration of quantized weights.

#define JSON_NOEXCEPTION
#include "heddle/Support/QuantizationConfig.h"

#include "JsonText.h"
#include "TensorBytes.h"
#include "heddle/Support/MappedFile.h"

#include <nlohmann/json.hpp>

using namespace heddle;
using llvm::Expected;
using llvm::StringRef;
using nlohmann::json;

/// Larger files are no configurations.
constexpr size_t kMostBytes = size_t(16) << 20;

/// The first of the names that the object has as a text; in small letters.
static std::string textOf(const json &object,
                          std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (auto found = object.find(name);
        found != object.end() && found->is_string())
      return StringRef(found->get_ref<const std::string &>()).lower();
  return "";
}

/// The first of the names that the object has as an integer; 0 without one.
static int64_t numberOf(const json &object,
                        std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (auto found = object.find(name);
        found != object.end() && found->is_number_integer())
      return found->get<int64_t>();
  return 0;
}

Expected<std::optional<QuantizationConfig>>
heddle::parseQuantizationConfig(StringRef text, StringRef name, bool isWhole) {
  if (text.size() > kMostBytes || isNestedTooDeeply(text))
    return tensorFileError(name, "it is too large for a configuration");
  json facts = json::parse(text.begin(), text.end(), nullptr, false);
  if (!facts.is_object())
    return tensorFileError(name, "it is not a JSON object");
  if (!isWhole) {
    auto inside = facts.find("quantization_config");
    if (inside == facts.end() || !inside->is_object())
      return std::nullopt;
    facts = json(*inside);
  }
  QuantizationConfig config;
  config.file = name.str();
  config.method = textOf(facts, {"quant_method"});
  // Older files of AWQ's tools say w_bit, those of GPTQ's do not name
  // themselves.
  if (config.method.empty())
    config.method = facts.contains("w_bit") ? "awq" : "gptq";
  config.bits = numberOf(facts, {"bits", "w_bit"});
  config.group = numberOf(facts, {"group_size", "q_group_size"});
  config.format = config.method == "gptq" ? textOf(facts, {"checkpoint_format"})
                  : config.method == "awq" ? textOf(facts, {"version"})
                                           : textOf(facts, {"format"});
  return config;
}

Expected<std::optional<QuantizationConfig>>
heddle::readQuantizationConfig(StringRef tensorFile) {
  Expected<FileScope> scope = FileScope::ofModel(tensorFile);
  if (!scope)
    return scope.takeError();
  for (StringRef name :
       {"config.json", "quantize_config.json", "quant_config.json"}) {
    Expected<std::shared_ptr<MappedFile>> file = scope->open(name);
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    StringRef text((*file)->bytes().data(), (*file)->bytes().size());
    Expected<std::optional<QuantizationConfig>> config =
        parseQuantizationConfig(text, (*file)->path(), name != "config.json");
    if (!config || *config)
      return config;
  }
  return std::nullopt;
}
