// GGUF files: which tensors one holds, in which of ggml's formats, and where.
//
// All input is taken for hostile: every count, size and offset is checked
// before it is used.

#ifndef HEDDLE_SUPPORT_GGUFFILE_H
#define HEDDLE_SUPPORT_GGUFFILE_H

#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

/// How ggml stores elements: so many of a row together in so many bytes.
struct GgufFormat {
  uint32_t number;
  llvm::StringLiteral name;
  unsigned blockElements, blockBytes;
};

/// Null for a number that is none of the formats known here.
const GgufFormat *findGgufFormat(uint32_t number);

struct GgufTensor {
  std::string name;
  /// The format, and its number in the file; null if it is not known.
  const GgufFormat *format = nullptr;
  uint32_t formatNumber = 0;
  /// Row-major: the last dimension is the one along which blocks lie (the file
  /// lists dimensions the other way round).
  llvm::SmallVector<int64_t> shape;
  /// Where the data lies in the file: within it, and as long as format and
  /// shape ask. `bytes` is 0 if the format is not known.
  uint64_t offset = 0, bytes = 0;
};

/// The first bytes of every such file.
constexpr llvm::StringLiteral kGgufMagic = "GGUF";

/// Reads the list of tensors of a little-endian file of version 2 or 3, in the
/// file's order. Names are unique.
llvm::Expected<std::vector<GgufTensor>> readGguf(const MappedFile &file);

} // namespace heddle

#endif // HEDDLE_SUPPORT_GGUFFILE_H
