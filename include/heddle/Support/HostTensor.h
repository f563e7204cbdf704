// Tensors in host memory: what files are read into, the interpreter computes on
// and comparisons look at.

#ifndef HEDDLE_SUPPORT_HOSTTENSOR_H
#define HEDDLE_SUPPORT_HOSTTENSOR_H

#include "heddle/Support/ElementKind.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace heddle {

/// A dense tensor of static shape: row-major, contiguous, whole bytes per
/// element (i1 is one byte of 0 or 1; types below a byte take one each). Copies
/// share the bytes until one of them is written.
class HostTensor {
public:
  /// An empty value that is no tensor yet.
  HostTensor() = default;

  /// Bytes that a tensor of `type` takes; nothing if the shape is dynamic, the
  /// element type is no ElementKind, or the number does not fit 63 bits.
  static std::optional<uint64_t> byteSize(mlir::RankedTensorType type);

  /// A tensor of zeros. `byteSize(type)` must have a value that fits memory.
  /// The bytes count in `account`, if given, while they live.
  static HostTensor
  allocate(mlir::RankedTensorType type,
           std::shared_ptr<std::atomic<uint64_t>> account = nullptr);
  /// A tensor over bytes that `owner` keeps alive, at any alignment. There must
  /// be exactly `byteSize(type)` of them.
  static HostTensor view(mlir::RankedTensorType type,
                         llvm::ArrayRef<char> bytes,
                         std::shared_ptr<const void> owner);
  static HostTensor fromBytes(mlir::RankedTensorType type,
                              std::vector<char> bytes);
  /// The value of a constant: handles are viewed, not copied (the attribute's
  /// context must outlive the tensor). Nothing for a type without a kind, a
  /// sparse or quantized constant, or a handle without its bytes.
  static std::optional<HostTensor> fromAttribute(mlir::ElementsAttr attribute);

  /// The value as a constant in the IR.
  mlir::DenseElementsAttr toAttribute() const;

  explicit operator bool() const { return bool(tensorType); }
  mlir::RankedTensorType type() const { return tensorType; }
  llvm::ArrayRef<int64_t> shape() const { return tensorType.getShape(); }
  int64_t rank() const { return tensorType.getRank(); }
  int64_t dim(unsigned i) const { return tensorType.getDimSize(i); }
  ElementKind kind() const { return elementKindValue; }
  int64_t size() const { return elements; }
  unsigned elementBytes() const { return storedBytes(elementKindValue); }

  llvm::ArrayRef<char> bytes() const {
    return {data, size_t(elements) * elementBytes()};
  }
  const char *element(int64_t index) const {
    return data + index * elementBytes();
  }
  /// The bytes for writing; copies them first if anyone else sees them.
  llvm::MutableArrayRef<char> mutableBytes();

  /// One element; for whole tensors use loadElements.
  double floatAt(int64_t index) const { return at<double>(index); }
  int64_t intAt(int64_t index) const { return at<int64_t>(index); }
  uint64_t uintAt(int64_t index) const { return at<uint64_t>(index); }
  std::complex<double> complexAt(int64_t index) const {
    return at<std::complex<double>>(index);
  }
  void set(int64_t index, double value) { put(index, value); }
  void set(int64_t index, int64_t value) { put(index, value); }
  void set(int64_t index, uint64_t value) { put(index, value); }
  void set(int64_t index, std::complex<double> value) { put(index, value); }

  /// The same bytes under another type with as many elements of the same size.
  HostTensor reshaped(mlir::RankedTensorType type) const;

  /// An element as text: "1.5", "-3", "true", "(1, -2)", "nan".
  std::string elementText(int64_t index) const;

private:
  template <typename T> T at(int64_t index) const {
    T value;
    loadElements(elementKindValue, element(index), 1, &value);
    return value;
  }
  template <typename T> void put(int64_t index, T value) {
    storeElements(elementKindValue, &value, 1,
                  mutableBytes().data() + index * elementBytes());
  }

  mlir::RankedTensorType tensorType;
  ElementKind elementKindValue = ElementKind::F32;
  int64_t elements = 0;
  const char *data = nullptr;
  std::shared_ptr<const void> owner;
  /// Set when this library allocated the bytes, so that they may be written.
  bool writable = false;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_HOSTTENSOR_H
