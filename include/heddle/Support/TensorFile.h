// Tensors from and to files: NumPy's .npy and .npz, and safetensors.
//
// All input is taken for hostile: every size is checked before it is used, and
// what is wrong is said with the file's name.

#ifndef HEDDLE_SUPPORT_TENSORFILE_H
#define HEDDLE_SUPPORT_TENSORFILE_H

#include "heddle/Support/HostTensor.h"
#include "heddle/Support/MappedFile.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// What reading a file may cost.
struct TensorFileLimits {
  /// Bytes of memory for tensors that cannot be viewed in the file: deflated,
  /// byte-swapped or transposed ones.
  uint64_t decodedBytes = uint64_t(8) << 30;
};

/// Reads .npy, format versions 1 to 3: booleans, integers, f2, f4, f8, c8 and
/// c16 of either byte order and either memory order. `bfloat16` and the bare
/// two-byte records `V2` that numpy writes for it are read as bf16. The tensor
/// views the file where it can.
llvm::Expected<HostTensor> readNpy(mlir::MLIRContext *context,
                                   std::shared_ptr<MappedFile> file,
                                   const TensorFileLimits &limits = {});

/// Reads all arrays of an .npz, stored or deflated, in the archive's order;
/// names are without `.npy`. The checksum of a deflated array is checked; a
/// stored one is viewed where it lies, unread.
llvm::Expected<std::vector<NamedTensor>>
readNpz(mlir::MLIRContext *context, std::shared_ptr<MappedFile> file,
        const TensorFileLimits &limits = {});

/// Reads all tensors of a safetensors file in the order of their data, as
/// views.
llvm::Expected<std::vector<NamedTensor>>
readSafetensors(mlir::MLIRContext *context, std::shared_ptr<MappedFile> file);

/// Reads an .npz or safetensors file, whichever its first bytes say, or an .npy
/// as one tensor named after the file's stem.
llvm::Expected<std::vector<NamedTensor>>
readTensorFile(mlir::MLIRContext *context, llvm::StringRef path,
               const TensorFileLimits &limits = {});

/// The bytes of an .npy file. Types that numpy lacks are widened (bf16 and
/// narrower floats to float32, i2 and i4 to int8): `note`, if given, says so,
/// or is left empty.
std::vector<char> encodeNpy(const HostTensor &tensor,
                            std::string *note = nullptr);
/// The bytes of an .npz file, stored, with the same widening.
llvm::Expected<std::vector<char>>
encodeNpz(llvm::ArrayRef<NamedTensor> tensors);
/// The bytes of a safetensors file; an error for types that the format lacks.
llvm::Expected<std::vector<char>>
encodeSafetensors(llvm::ArrayRef<NamedTensor> tensors);

/// Writes through a temporary file beside `path`, so that nothing half-written
/// stays.
llvm::Error writeBytes(llvm::StringRef path, llvm::ArrayRef<char> bytes);
/// encodeNpy into a file; where the tensor was widened, the note goes beside it
/// as `<path>.txt`.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace heddle

#endif // HEDDLE_SUPPORT_TENSORFILE_H
