// Reads the FlatBuffer that jax.export writes.

#include "heddle/Frontend/Exported.h"

#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include "lib/Frontend/Exported/exported_generated.h"

using namespace mlir;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;

namespace heddle {

/// Of the calling conventions, those whose arguments and tokens are known.
constexpr unsigned kOldestConvention = 9, kNewestConvention = 10;

/// The place of `mlir_module_serialized` in a table's list of fields, in bytes.
constexpr uint64_t kModuleField = 4 + 2 * 13;

bool looksLikeExported(StringRef head) {
  if (head.size() < 8)
    return false;
  // The root is a table near the start; in front of it is its list of fields.
  uint64_t root = read32le(head.data());
  if (root % 4 != 0 || root + 4 > head.size())
    return false;
  int64_t fields = static_cast<int64_t>(root) -
                   static_cast<int32_t>(read32le(head.data() + root));
  if (fields < 4 || fields % 2 != 0 ||
      static_cast<uint64_t>(fields) + kModuleField + 2 > head.size())
    return false;
  uint64_t size = read16le(head.data() + fields);
  return size >= kModuleField + 2 && size % 2 == 0 && size <= 256 &&
         read16le(head.data() + fields + kModuleField) != 0;
}

static StringRef textOf(const flatbuffers::String *text) {
  return text ? StringRef(text->data(), text->size()) : StringRef();
}

/// The names of the effects, quoted.
template <typename Effects>
static std::string namesOf(const Effects *ordered, const Effects *unordered) {
  std::vector<std::string> names;
  for (const Effects *effects : {ordered, unordered})
    if (effects)
      for (const exported::Effect *effect : *effects)
        names.push_back(("'" + textOf(effect->type_name()) + "'").str());
  return llvm::join(names, ", ");
}

static LogicalResult checkSupported(Location loc,
                                    const exported::Exported &file) {
  auto refuse = [&] { return emitError(loc, ErrorCode::ExportedUnsupported); };
  unsigned convention = file.calling_convention_version();
  if (convention < kOldestConvention || convention > kNewestConvention)
    return refuse() << "the exported function has calling convention "
                    << convention << "; " << kOldestConvention << " and "
                    << kNewestConvention << " are known";
  std::string effects =
      namesOf(file.ordered_effects(), file.unordered_effects());
  if (!effects.empty())
    return refuse() << "the exported function has effects, which are not "
                       "supported: "
                    << effects;
  return success();
}

/// The number of `cpu` among the platforms.
static FailureOr<int32_t> findPlatform(Location loc,
                                       const exported::Exported &file) {
  std::vector<std::string> names;
  if (file.platforms())
    for (const flatbuffers::String *platform : *file.platforms()) {
      if (textOf(platform) == "cpu")
        return static_cast<int32_t>(names.size());
      names.push_back(textOf(platform).str());
    }
  // Whoever disabled the check says that one lowering serves every platform.
  bool any = false;
  if (file.disabled_checks())
    for (const exported::DisabledSafetyCheck *check : *file.disabled_checks())
      any |= check->kind() == exported::SafetyCheck::Platform;
  if (any && names.size() == 1)
    return 0;
  return emitError(loc, ErrorCode::ExportedUnsupported)
         << "the exported function is for the platform "
         << llvm::join(names, ", ")
         << "; export it with platforms=['cpu'], or with cpu among them";
}

static std::vector<std::string> shapeOf(const exported::AbstractValue &aval) {
  std::vector<std::string> shape;
  if (aval.shape())
    for (const flatbuffers::String *dimension : *aval.shape())
      shape.push_back(textOf(dimension).str());
  return shape;
}

/// The shapes of the module's arguments; nothing if the file contradicts
/// itself.
static std::optional<std::vector<std::vector<std::string>>>
shapesOf(const exported::Exported &file) {
  std::vector<std::vector<std::string>> inputs, kept;
  if (file.in_avals_idxs() && file.unique_avals()) {
    for (uint32_t index : *file.in_avals_idxs()) {
      if (index >= file.unique_avals()->size())
        return std::nullopt;
      inputs.push_back(shapeOf(*file.unique_avals()->Get(index)));
    }
  } else if (file.in_avals()) {
    for (const exported::AbstractValue *aval : *file.in_avals())
      inputs.push_back(shapeOf(*aval));
  }
  if (file.module_kept_var_idx())
    for (uint16_t index : *file.module_kept_var_idx()) {
      if (index >= inputs.size())
        return std::nullopt;
      kept.push_back(inputs[index]);
    }
  return kept;
}

FailureOr<ExportedProgram> readExported(Location loc, StringRef bytes) {
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  if (!verifier.VerifyBuffer<exported::Exported>(nullptr))
    return emitError(loc, ErrorCode::ExportedMalformed)
           << "the file looks like a result of jax.export, but its structure "
              "is damaged";
  const auto &file = *flatbuffers::GetRoot<exported::Exported>(bytes.data());
  if (!file.mlir_module_serialized() || !file.platforms())
    return emitError(loc, ErrorCode::ExportedMalformed)
           << "the result of jax.export holds no program";
  if (failed(checkSupported(loc, file)))
    return failure();
  FailureOr<int32_t> platform = findPlatform(loc, file);
  if (failed(platform))
    return failure();
  ExportedProgram program;
  program.platformIndex = *platform;
  program.module = StringRef(
      reinterpret_cast<const char *>(file.mlir_module_serialized()->data()),
      file.mlir_module_serialized()->size());
  auto shapes = shapesOf(file);
  if (!shapes)
    return emitError(loc, ErrorCode::ExportedMalformed)
           << "the result of jax.export numbers inputs that it does not have";
  program.shapes = std::move(*shapes);
  return program;
}

} // namespace heddle
