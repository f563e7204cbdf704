// A tensor's bytes with their type, and the forms they are copied to and from.

#include "heddle/Support/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace heddle;

std::optional<uint64_t> HostTensor::byteSize(RankedTensorType type) {
  std::optional<ElementKind> kind = elementKind(type.getElementType());
  if (!kind || !type.hasStaticShape())
    return std::nullopt;
  uint64_t bytes = heddle::storedBytes(*kind);
  for (int64_t extent : type.getShape()) {
    // An extent of 0 makes the tensor empty whatever the others are.
    if (extent == 0)
      return 0;
    bool overflow;
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(extent), &overflow);
    if (overflow || bytes > uint64_t(INT64_MAX)) {
      if (llvm::is_contained(type.getShape(), 0))
        return 0;
      return std::nullopt;
    }
  }
  return bytes;
}

HostTensor HostTensor::view(RankedTensorType type, ArrayRef<char> bytes,
                            std::shared_ptr<const void> owner) {
  HostTensor tensor;
  tensor.tensorType = type;
  tensor.elementKindValue = *heddle::elementKind(type.getElementType());
  tensor.elements = bytes.size() / tensor.elementBytes();
  tensor.data = bytes.data();
  tensor.owner = std::move(owner);
  return tensor;
}

HostTensor
HostTensor::allocate(RankedTensorType type,
                     std::shared_ptr<std::atomic<uint64_t>> account) {
  size_t bytes = *byteSize(type);
  if (account)
    account->fetch_add(bytes);
  // Large zeroed blocks come from fresh pages: what is never written costs
  // nothing.
  std::shared_ptr<char> storage(
      static_cast<char *>(std::calloc(std::max<size_t>(bytes, 1), 1)),
      [account = std::move(account), bytes](char *block) {
        std::free(block);
        if (account)
          account->fetch_sub(bytes);
      });
  if (!storage)
    llvm::report_bad_alloc_error("no memory for a host tensor");
  HostTensor tensor = view(type, {storage.get(), bytes}, storage);
  tensor.writable = true;
  return tensor;
}

HostTensor HostTensor::fromBytes(RankedTensorType type,
                                 std::vector<char> bytes) {
  auto storage = std::make_shared<std::vector<char>>(std::move(bytes));
  HostTensor tensor = view(type, *storage, storage);
  tensor.writable = true;
  return tensor;
}

MutableArrayRef<char> HostTensor::mutableBytes() {
  size_t size = bytes().size();
  if (!writable || owner.use_count() != 1) {
    HostTensor copy = allocate(tensorType);
    if (size)
      std::memcpy(const_cast<char *>(copy.data), data, size);
    *this = std::move(copy);
  }
  return {const_cast<char *>(data), size};
}

HostTensor HostTensor::reshaped(RankedTensorType type) const {
  HostTensor result = *this;
  result.tensorType = type;
  result.elementKindValue = *heddle::elementKind(type.getElementType());
  return result;
}

/// A splat: the first element, repeated.
static void repeat(MutableArrayRef<char> bytes, size_t elementBytes) {
  for (size_t done = elementBytes; done < bytes.size();) {
    size_t count = std::min(done, bytes.size() - done);
    std::memcpy(bytes.data() + done, bytes.data(), count);
    done += count;
  }
}

std::optional<HostTensor> HostTensor::fromAttribute(ElementsAttr attribute) {
  auto type = dyn_cast<RankedTensorType>(attribute.getShapedType());
  std::optional<uint64_t> size = type ? byteSize(type) : std::nullopt;
  if (!size)
    return std::nullopt;
  if (auto handle = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = handle.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != *size)
      return std::nullopt;
    return view(type, blob->getData(), nullptr);
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;

  HostTensor tensor = allocate(type);
  if (*size == 0)
    return tensor;
  MutableArrayRef<char> bytes = tensor.mutableBytes();
  ElementKind kind = tensor.kind();
  size_t count = dense.isSplat() ? 1 : tensor.size();
  if (kind == ElementKind::I1) {
    // MLIR may keep these as bits.
    size_t i = 0;
    for (bool value : dense.getValues<bool>()) {
      bytes[i] = value;
      if (++i == count)
        break;
    }
  } else {
    ArrayRef<char> raw = dense.getRawData();
    if (raw.size() < count * tensor.elementBytes())
      return std::nullopt;
    std::memcpy(bytes.data(), raw.data(), count * tensor.elementBytes());
    extendSigns(kind, bytes.take_front(count));
  }
  if (dense.isSplat())
    repeat(bytes, tensor.elementBytes());
  return tensor;
}

DenseElementsAttr HostTensor::toAttribute() const {
  if (kind() == ElementKind::I1) {
    SmallVector<bool> values(elements);
    for (int64_t i = 0; i < elements; ++i)
      values[i] = data[i] != 0;
    return DenseElementsAttr::get(tensorType, ArrayRef<bool>(values));
  }
  // In the IR a narrow integer keeps zeros above its bits; here it is extended.
  if (isNarrowSigned(kind())) {
    std::vector<char> masked(data, data + elements);
    for (char &byte : masked)
      byte &= (1 << bitWidth(kind())) - 1;
    return DenseElementsAttr::getFromRawBuffer(tensorType, masked);
  }
  return DenseElementsAttr::getFromRawBuffer(tensorType, bytes());
}

static std::string floatText(ElementKind kind, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[40];
  std::snprintf(text, sizeof text,
                bitWidth(kind) == 64   ? "%.17g"
                : bitWidth(kind) == 32 ? "%.9g"
                                       : "%.6g",
                value);
  return text;
}

std::string HostTensor::elementText(int64_t index) const {
  switch (elementClass(kind())) {
  case ElementClass::Boolean:
    return intAt(index) ? "true" : "false";
  case ElementClass::Signed:
    return std::to_string(intAt(index));
  case ElementClass::Unsigned:
    return std::to_string(uintAt(index));
  case ElementClass::Float:
    return floatText(kind(), floatAt(index));
  case ElementClass::Complex: {
    std::complex<double> value = complexAt(index);
    return "(" + floatText(partKind(kind()), value.real()) + ", " +
           floatText(partKind(kind()), value.imag()) + ")";
  }
  }
  llvm_unreachable("all classes were handled");
}
