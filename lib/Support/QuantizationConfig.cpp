// Reads the configuration of quantized weights.

#define JSON_NOEXCEPTION
#include "heddle/Support/QuantizationConfig.h"

#include "TensorBytes.h"
#include "heddle/Support/JsonText.h"
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

/// `num_bits` of the weights of compressed-tensors' groups of layers; 0 if they
/// differ or do not say.
static int64_t bitsOfGroups(const json &object) {
  auto groups = object.find("config_groups");
  if (groups == object.end() || !groups->is_object())
    return 0;
  std::optional<int64_t> bits;
  for (const json &group : *groups) {
    if (!group.is_object())
      return 0;
    auto weights = group.find("weights");
    int64_t each = weights != group.end() && weights->is_object()
                       ? numberOf(*weights, {"num_bits"})
                       : 0;
    if (each != bits.value_or(each))
      return 0;
    bits = each;
  }
  return bits.value_or(0);
}

Expected<std::optional<QuantizationConfig>>
heddle::parseQuantizationConfig(StringRef text, StringRef name, bool isWhole) {
  if (text.size() > kMostBytes)
    return tensorFileError(name, "it is too large for a configuration");
  if (isNestedTooDeeply(text))
    return tensorFileError(name, "its JSON is nested too deeply");
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
  config.bits = config.method == "compressed-tensors"
                    ? bitsOfGroups(facts)
                    : numberOf(facts, {"bits", "w_bit"});
  config.group = numberOf(facts, {"group_size", "q_group_size"});
  config.format = config.method == "gptq" ? textOf(facts, {"checkpoint_format"})
                  : config.method == "awq" ? textOf(facts, {"version"})
                                           : textOf(facts, {"format"});
  return config;
}

/// Success for the error of a file that is not there: what is there and cannot
/// be read may say something else than the file that is looked for next.
static llvm::Error unlessAbsent(llvm::Error error) {
  return llvm::handleErrors(
      std::move(error),
      [](std::unique_ptr<llvm::ErrorInfoBase> info) -> llvm::Error {
        if (info->convertToErrorCode() == std::errc::no_such_file_or_directory)
          return llvm::Error::success();
        return llvm::Error(std::move(info));
      });
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
      if (llvm::Error error = unlessAbsent(file.takeError()))
        return std::move(error);
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
