// safetensors: eight bytes with the length of a JSON header, the header, data.

#define JSON_NOEXCEPTION
#include "TensorBytes.h"
#include "heddle/Support/JsonText.h"

#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace heddle;
using llvm::Error;
using llvm::Expected;

/// The format's own bound on the header.
constexpr uint64_t kMaxHeader = 100'000'000;

namespace {
struct DTypeName {
  const char *name;
  ElementKind kind;
};
constexpr DTypeName kDTypes[] = {
    {"BOOL", ElementKind::I1},
    {"I8", ElementKind::I8},
    {"I16", ElementKind::I16},
    {"I32", ElementKind::I32},
    {"I64", ElementKind::I64},
    {"U8", ElementKind::UI8},
    {"U16", ElementKind::UI16},
    {"U32", ElementKind::UI32},
    {"U64", ElementKind::UI64},
    {"F8_E4M3", ElementKind::F8E4M3FN},
    {"F8_E5M2", ElementKind::F8E5M2},
    {"F8_E8M0", ElementKind::F8E8M0FNU},
    {"F8_E4M3FNUZ", ElementKind::F8E4M3FNUZ},
    {"F8_E5M2FNUZ", ElementKind::F8E5M2FNUZ},
    {"BF16", ElementKind::BF16},
    {"F16", ElementKind::F16},
    {"F32", ElementKind::F32},
    {"F64", ElementKind::F64},
    {"C64", ElementKind::C64},
};
} // namespace

/// Reads one entry of the header, `data` being what follows the header.
static Expected<HostTensor> readEntry(MLIRContext *context, StringRef name,
                                      const nlohmann::json &entry,
                                      ArrayRef<char> data,
                                      const std::shared_ptr<MappedFile> &file) {
  auto error = [&](const Twine &what) {
    return tensorFileError(file->path(), "tensor '" + name + "' " + what);
  };
  if (!entry.is_object())
    return error("is not described by an object");
  auto dtype = entry.find("dtype"), shape = entry.find("shape"),
       offsets = entry.find("data_offsets");
  if (dtype == entry.end() || shape == entry.end() || offsets == entry.end() ||
      !dtype->is_string() || !shape->is_array() || !offsets->is_array() ||
      offsets->size() != 2)
    return error("lacks dtype, shape or data_offsets");

  const std::string &typeName = dtype->get_ref<const std::string &>();
  const auto *known = llvm::find_if(
      kDTypes, [&](const DTypeName &t) { return typeName == t.name; });
  if (known == std::end(kDTypes))
    return error("has the type '" + typeName + "', which heddle does not read");
  if (shape->size() > kMaxRank)
    return error("has more than 64 dimensions");
  SmallVector<int64_t> extents;
  for (const nlohmann::json &extent : *shape) {
    if (!extent.is_number_unsigned() ||
        extent.get<uint64_t>() > uint64_t(INT64_MAX))
      return error("has a dimension that is no size");
    extents.push_back(extent.get<uint64_t>());
  }
  auto type = RankedTensorType::get(extents, elementType(context, known->kind));
  std::optional<uint64_t> size = HostTensor::byteSize(type);
  if (!size)
    return error("is too large");
  if (!(*offsets)[0].is_number_unsigned() ||
      !(*offsets)[1].is_number_unsigned())
    return error("has malformed data_offsets");
  uint64_t begin = (*offsets)[0].get<uint64_t>();
  uint64_t end = (*offsets)[1].get<uint64_t>();
  if (begin > end || end > data.size())
    return error("lies outside the file");
  if (end - begin != *size)
    return error("has " + Twine(end - begin) + " bytes, but its shape takes " +
                 Twine(*size));
  return HostTensor::view(type, data.slice(begin, *size), file);
}

Expected<std::vector<NamedTensor>>
heddle::readSafetensors(MLIRContext *context,
                        std::shared_ptr<MappedFile> file) {
  ArrayRef<char> bytes = file->bytes();
  auto error = [&](const Twine &what) {
    return tensorFileError(file->path(), what);
  };
  if (bytes.size() < 8)
    return error("it is not a safetensors file");
  uint64_t length = readLittle<uint64_t>(bytes, 0);
  if (length > kMaxHeader || length > bytes.size() - 8)
    return error("it is not a safetensors file, or cut short");
  StringRef text(bytes.data() + 8, length);
  if (isNestedTooDeeply(text))
    return error("its header is nested too deeply");
  nlohmann::json header =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!header.is_object())
    return error("its header is not a JSON object");

  std::vector<NamedTensor> tensors;
  for (auto entry = header.begin(); entry != header.end(); ++entry) {
    if (entry.key() == "__metadata__")
      continue;
    Expected<HostTensor> tensor = readEntry(context, entry.key(), *entry,
                                            bytes.drop_front(8 + length), file);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({entry.key(), std::move(*tensor)});
  }
  llvm::sort(tensors, [](const NamedTensor &a, const NamedTensor &b) {
    return std::pair(a.tensor.bytes().data(), StringRef(a.name)) <
           std::pair(b.tensor.bytes().data(), StringRef(b.name));
  });
  return tensors;
}

Expected<std::vector<char>>
heddle::encodeSafetensors(ArrayRef<NamedTensor> tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  uint64_t offset = 0;
  for (const NamedTensor &named : tensors) {
    ElementKind kind = named.tensor.kind();
    if (kind == ElementKind::Index)
      kind = ElementKind::I64;
    const auto *known = llvm::find_if(
        kDTypes, [&](const DTypeName &t) { return kind == t.kind; });
    if (known == std::end(kDTypes))
      return tensorFileError(named.name,
                             "safetensors has no type " + elementName(kind));
    uint64_t size = named.tensor.bytes().size();
    header[named.name] = {
        {"dtype", known->name},
        {"shape", std::vector<int64_t>(named.tensor.shape().begin(),
                                       named.tensor.shape().end())},
        {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text =
      header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::vector<char> bytes;
  bytes.reserve(8 + text.size() + offset);
  appendLittle<uint64_t>(bytes, text.size());
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (const NamedTensor &named : tensors)
    bytes.insert(bytes.end(), named.tensor.bytes().begin(),
                 named.tensor.bytes().end());
  return bytes;
}
