// What the readers of tensor files share.

#ifndef HEDDLE_LIB_SUPPORT_TENSORBYTES_H
#define HEDDLE_LIB_SUPPORT_TENSORBYTES_H

#include "heddle/Support/TensorFile.h"

#include <cstring>

namespace heddle {

inline llvm::Error tensorFileError(llvm::StringRef file,
                                   const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "'" + file + "': " + what);
}

/// A little-endian integer; the caller has checked that it lies in `bytes`.
template <typename T> T readLittle(llvm::ArrayRef<char> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <typename T> void appendLittle(std::vector<char> &bytes, T value) {
  const char *begin = reinterpret_cast<const char *>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

/// Tensors of more dimensions are refused.
constexpr size_t kMaxRank = 64;

/// The head of an .npy: what follows is `tensorBytes` of data from
/// `dataOffset`.
struct NpyHeader {
  mlir::RankedTensorType type;
  bool bigEndian = false;
  bool fortranOrder = false;
  size_t dataOffset = 0;
  uint64_t tensorBytes = 0;
};

/// Reads the head from the first bytes of a file.
llvm::Expected<NpyHeader> parseNpyHeader(mlir::MLIRContext *context,
                                         llvm::ArrayRef<char> bytes,
                                         llvm::StringRef name);

/// The tensor of a whole .npy in `bytes`, which `owner` keeps alive.
llvm::Expected<HostTensor> decodeNpy(mlir::MLIRContext *context,
                                     llvm::ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner,
                                     llvm::StringRef name,
                                     const TensorFileLimits &limits);

} // namespace heddle

#endif // HEDDLE_LIB_SUPPORT_TENSORBYTES_H
