// TensorProto: where its values are, and how they become whole bytes per
// element.

#include "Limits.h"
#include "Protobuf.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle::onnx;

std::string heddle::onnx::spell(DataType type) {
  static const char *const names[] = {
      "undefined",      "float",      "uint8",
      "int8",           "uint16",     "int16",
      "int32",          "int64",      "string",
      "bool",           "float16",    "double",
      "uint32",         "uint64",     "complex64",
      "complex128",     "bfloat16",   "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",          "int4",       "float4e2m1",
      "float8e8m0",     "uint2",      "int2"};
  auto index = static_cast<int32_t>(type);
  if (index < 0 || index >= static_cast<int32_t>(std::size(names)))
    return "type " + std::to_string(index);
  return names[index];
}

/// Bits of one element as raw_data packs it; 0 where there is no fixed width.
static unsigned packedBits(DataType type) {
  switch (type) {
  case DataType::Uint2:
  case DataType::Int2:
    return 2;
  case DataType::Uint4:
  case DataType::Int4:
  case DataType::Float4E2M1:
    return 4;
  case DataType::Uint8:
  case DataType::Int8:
  case DataType::Bool:
  case DataType::Float8E4M3FN:
  case DataType::Float8E4M3FNUZ:
  case DataType::Float8E5M2:
  case DataType::Float8E5M2FNUZ:
  case DataType::Float8E8M0:
    return 8;
  case DataType::Uint16:
  case DataType::Int16:
  case DataType::Float16:
  case DataType::Bfloat16:
    return 16;
  case DataType::Float:
  case DataType::Int32:
  case DataType::Uint32:
    return 32;
  case DataType::Double:
  case DataType::Int64:
  case DataType::Uint64:
  case DataType::Complex64:
    return 64;
  case DataType::Complex128:
    return 128;
  case DataType::Undefined:
  case DataType::String:
    return 0;
  }
  return 0;
}

std::optional<int64_t> heddle::onnx::elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  for (int64_t extent : shape)
    if (MulOverflow(count, extent, count))
      return std::nullopt;
  return count;
}

std::optional<uint64_t> heddle::onnx::packedBytes(DataType type,
                                                  int64_t count) {
  unsigned bits = packedBits(type);
  if (bits == 0 || count < 0 || count > (int64_t(1) << 56))
    return std::nullopt;
  return divideCeil(uint64_t(count) * bits, 8);
}

void heddle::onnx::readTensorMessage(StringRef bytes, Tensor &tensor) {
  tensor.message = bytes;
  for (Message message(bytes); message.next();) {
    switch (message.field()) {
    case 1:
      message.varints([&](int64_t extent) {
        if (tensor.shape.size() == kMaxRank)
          throw ReadError{ReadError::TooMany, "a tensor has more than " +
                                                  std::to_string(kMaxRank) +
                                                  " dimensions"};
        tensor.shape.push_back(extent);
      });
      break;
    case 2:
      tensor.type = static_cast<DataType>(message.varint());
      break;
    case 3:
      throw ReadError{ReadError::Unsupported,
                      "a tensor is stored in segments, which ONNX reserves "
                      "but does not define"};
    case 8:
      tensor.name = message.bytes();
      break;
    case 9:
      tensor.raw = message.bytes();
      tensor.hasRaw = true;
      break;
    case 13: {
      StringRef key, value;
      for (Message entry(message.bytes()); entry.next();) {
        if (entry.field() == 1)
          key = entry.bytes();
        else if (entry.field() == 2)
          value = entry.bytes();
        else
          entry.skip();
      }
      if (key == "location")
        tensor.location = value;
      else if (key == "offset")
        tensor.offset = value;
      else if (key == "length")
        tensor.length = value;
      break;
    }
    case 14:
      tensor.isExternal = message.varint() == 1;
      break;
    default:
      message.skip();
    }
  }
}

namespace {

/// Appends decoded elements of one tensor, never more than its shape has.
class Decoder {
public:
  Decoder(const Tensor &tensor, int64_t count, std::vector<char> &out)
      : tensor(tensor), count(count), out(out) {}

  /// The fields that hold the values of each type, as onnx.proto lists them.
  void decodeTypedFields();
  void decodePacked(StringRef packed);

  /// Room for all values, made only once the file has shown that it holds that
  /// many.
  void reserve(unsigned elementBytes) { out.reserve(count * elementBytes); }

private:
  template <typename T> void append(T value) {
    if (appended++ == count)
      tooMany();
    const char *bytes = reinterpret_cast<const char *>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
  }
  [[noreturn]] void tooMany() const {
    throw ReadError{ReadError::Malformed,
                    "tensor '" + tensor.name.str() +
                        "' holds more values than its shape of " +
                        std::to_string(count)};
  }
  /// One int32_data entry; sub-byte types share entries as they share bytes.
  void appendInteger(int64_t value);
  void appendSubByte(uint8_t byte);

  const Tensor &tensor;
  int64_t count;
  int64_t appended = 0;
  std::vector<char> &out;
};

void Decoder::appendSubByte(uint8_t byte) {
  unsigned bits = packedBits(tensor.type);
  bool isSigned =
      tensor.type == DataType::Int4 || tensor.type == DataType::Int2;
  for (unsigned shift = 0; shift < 8 && appended < count; shift += bits) {
    uint8_t value = (byte >> shift) & ((1u << bits) - 1);
    append<int8_t>(isSigned ? SignExtend32(value, bits) : value);
  }
}

void Decoder::appendInteger(int64_t value) {
  switch (packedBits(tensor.type)) {
  case 2:
  case 4:
    if (appended == count)
      tooMany();
    return appendSubByte(static_cast<uint8_t>(value));
  case 8:
    if (tensor.type == DataType::Bool)
      return append<int8_t>(value != 0);
    return append<int8_t>(value);
  case 16:
    return append<int16_t>(value);
  case 32:
    return append<int32_t>(value);
  default:
    return append<int64_t>(value);
  }
}

void Decoder::decodeTypedFields() {
  uint32_t field;
  switch (tensor.type) {
  case DataType::Float:
    field = 4;
    break;
  case DataType::Double:
    field = 10;
    break;
  case DataType::Int64:
    field = 7;
    break;
  case DataType::Uint32:
  case DataType::Uint64:
    field = 11;
    break;
  default:
    field = 5;
  }
  for (Message message(tensor.message); message.next();) {
    if (message.field() != field)
      message.skip();
    else if (field == 4)
      message.floats([&](float value) { append(value); });
    else if (field == 10)
      message.doubles([&](double value) { append(value); });
    else
      message.varints([&](int64_t value) { appendInteger(value); });
  }
  if (appended != count)
    throw ReadError{ReadError::Malformed,
                    "tensor '" + tensor.name.str() + "' holds " +
                        std::to_string(appended) + " of " +
                        std::to_string(count) + " values"};
}

void Decoder::decodePacked(StringRef packed) {
  if (tensor.type == DataType::Bool) {
    for (char byte : packed)
      append<int8_t>(byte != 0);
    return;
  }
  for (char byte : packed)
    appendSubByte(byte);
}

} // namespace

/// The number of values, or an error that names the tensor.
static int64_t checkedCount(const Tensor &tensor) {
  std::optional<int64_t> count = elementCount(tensor.shape);
  if (!count || !packedBytes(tensor.type, *count))
    throw ReadError{ReadError::Malformed,
                    "tensor '" + tensor.name.str() +
                        "' has a shape or type that holds no values (" +
                        spell(tensor.type) + ")"};
  return *count;
}

std::optional<ReadError> heddle::onnx::readPacked(const Tensor &tensor,
                                                  StringRef packed,
                                                  TensorBytes &result) {
  return catchErrors([&] {
    int64_t count = checkedCount(tensor);
    uint64_t wanted = *packedBytes(tensor.type, count);
    if (packed.size() != wanted)
      throw ReadError{ReadError::Malformed,
                      "tensor '" + tensor.name.str() + "' has " +
                          std::to_string(packed.size()) +
                          " bytes of data, its type and shape ask for " +
                          std::to_string(wanted)};
    bool wholeBytes = packedBits(tensor.type) >= 8;
    bool cleanBools =
        tensor.type != DataType::Bool ||
        all_of(packed, [](char byte) { return byte == 0 || byte == 1; });
    if (wholeBytes && cleanBools) {
      result.view = packed;
      result.isView = true;
      return;
    }
    Decoder decoder(tensor, count, result.owned);
    decoder.reserve(1);
    decoder.decodePacked(packed);
  });
}

std::optional<ReadError> heddle::onnx::readTensor(const Tensor &tensor,
                                                  TensorBytes &result) {
  if (tensor.hasRaw)
    return readPacked(tensor, tensor.raw, result);
  return catchErrors([&] {
    int64_t count = checkedCount(tensor);
    if (tensor.type == DataType::Complex64 ||
        tensor.type == DataType::Complex128)
      throw ReadError{ReadError::Unsupported,
                      "tensor '" + tensor.name.str() + "' is complex"};
    // Every value takes at least one bit of the message: a short file cannot
    // ask for much memory.
    if (uint64_t(count) / 8 > tensor.message.size())
      throw ReadError{ReadError::Malformed,
                      "tensor '" + tensor.name.str() + "' asks for " +
                          std::to_string(count) +
                          " values, far more than it holds"};
    Decoder(tensor, count, result.owned).decodeTypedFields();
  });
}

std::optional<ReadError> heddle::onnx::readTensorFile(StringRef bytes,
                                                      Tensor &tensor) {
  return catchErrors([&] { readTensorMessage(bytes, tensor); });
}
