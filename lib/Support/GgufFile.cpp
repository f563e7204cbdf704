// GGUF: a head, pairs of keys and values, a list of tensors, then their data,
// each tensor's at a multiple of the file's alignment.

#include "heddle/Support/GgufFile.h"

#include "TensorBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

/// Numbers, elements and bytes of a block.
static constexpr GgufFormat kFormats[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},
    {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},
    {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},
    {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136},
    {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},
    {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
};

const GgufFormat *heddle::findGgufFormat(uint32_t number) {
  const auto *known = llvm::find_if(kFormats, [&](const GgufFormat &format) {
    return format.number == number;
  });
  return known == std::end(kFormats) ? nullptr : known;
}

/// The format's own bound on the dimensions of a tensor.
constexpr uint32_t kMostDimensions = 4;
/// Arrays of arrays deeper than this are refused.
constexpr unsigned kMostNesting = 4;
/// What each value and tensor takes at least: files cannot claim more of them
/// than they have room for.
constexpr uint64_t kLeastPairBytes = 8 + 4 + 1,
                   kLeastTensorBytes = 8 + 4 + 8 + 4 + 8;

/// The type of text and of arrays among those of values.
constexpr uint32_t kText = 8, kArray = 9, kUnsigned32 = 4;

/// Bytes of a value of the type; 0 for text, arrays and unknown types.
static unsigned valueBytes(uint32_t type) {
  constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(bytes) ? bytes[type] : 0;
}

namespace {
/// Goes through the bytes before the data. After a failure everything fails.
class Reader {
public:
  explicit Reader(llvm::ArrayRef<char> bytes) : bytes(bytes) {}

  template <typename T> bool take(T &value) {
    if (left() < sizeof(T))
      return false;
    value = readLittle<T>(bytes, position);
    position += sizeof(T);
    return true;
  }
  bool skip(uint64_t count) {
    if (left() < count)
      return false;
    position += count;
    return true;
  }
  bool takeText(StringRef &text) {
    uint64_t length;
    if (!take(length) || left() < length)
      return false;
    text = StringRef(bytes.data() + position, length);
    position += length;
    return true;
  }
  /// Passes a value of the type.
  bool skipValue(uint32_t type, unsigned depth = 0);

  uint64_t left() const { return bytes.size() - position; }
  uint64_t at() const { return position; }

private:
  llvm::ArrayRef<char> bytes;
  uint64_t position = 0;
};
} // namespace

bool Reader::skipValue(uint32_t type, unsigned depth) {
  if (unsigned size = valueBytes(type))
    return skip(size);
  StringRef text;
  if (type == kText)
    return takeText(text);
  uint32_t element;
  uint64_t count;
  if (type != kArray || depth == kMostNesting || !take(element) || !take(count))
    return false;
  if (unsigned size = valueBytes(element))
    return count <= left() / size && skip(count * size);
  // Each takes some bytes, so that this ends where the file does.
  for (uint64_t i = 0; i < count; ++i)
    if (!skipValue(element, depth + 1))
      return false;
  return true;
}

namespace {
/// Reads one file.
class GgufReader {
public:
  explicit GgufReader(const MappedFile &file)
      : file(file), reader(file.bytes()) {}

  Expected<std::vector<GgufTensor>> read();

private:
  Error fail(const Twine &what) const {
    return tensorFileError(file.path(), what);
  }
  Error cutShort(StringRef part) const {
    return fail("its " + part + " is cut short or damaged");
  }
  /// The version and the counts of values and tensors.
  Error readHead();
  /// The pairs of keys and values, of which one says the alignment.
  Error readPairs();
  Expected<GgufTensor> readTensor();
  /// Checks where the data of `tensor` lies; its offset counts from `data`.
  Error place(GgufTensor &tensor, uint64_t data) const;

  const MappedFile &file;
  Reader reader;
  uint64_t tensorCount = 0, pairCount = 0;
  uint32_t alignment = 32;
};
} // namespace

Error GgufReader::readHead() {
  uint32_t version;
  if (!StringRef(file.bytes().data(), file.bytes().size())
           .starts_with(kGgufMagic))
    return fail("it is not a GGUF file");
  if (!reader.skip(kGgufMagic.size()) || !reader.take(version))
    return cutShort("head");
  if (version > 3 && llvm::byteswap(version) <= 3)
    return fail("it is a big-endian GGUF file; little-endian ones are read");
  if (version != 2 && version != 3)
    return fail("it is of version " + Twine(version) +
                " of GGUF; versions 2 and 3 are read");
  if (!reader.take(tensorCount) || !reader.take(pairCount))
    return cutShort("head");
  if (pairCount > reader.left() / kLeastPairBytes ||
      tensorCount > reader.left() / kLeastTensorBytes)
    return fail("it claims " + Twine(pairCount) + " values and " +
                Twine(tensorCount) + " tensors, more than it has room for");
  return Error::success();
}

Error GgufReader::readPairs() {
  for (uint64_t i = 0; i < pairCount; ++i) {
    StringRef key;
    uint32_t type;
    if (!reader.takeText(key) || !reader.take(type))
      return cutShort("list of values");
    if (key != "general.alignment") {
      if (!reader.skipValue(type))
        return cutShort("list of values");
      continue;
    }
    if (type != kUnsigned32 || !reader.take(alignment) ||
        !llvm::isPowerOf2_32(alignment))
      return fail("its general.alignment is no power of two in 32 bits");
  }
  return Error::success();
}

Expected<GgufTensor> GgufReader::readTensor() {
  GgufTensor tensor;
  StringRef name;
  uint32_t rank;
  if (!reader.takeText(name) || !reader.take(rank))
    return cutShort("list of tensors");
  tensor.name = name.str();
  if (rank == 0 || rank > kMostDimensions)
    return fail("tensor '" + name + "' has " + Twine(rank) +
                " dimensions; 1 to 4 are wanted");
  for (uint32_t i = 0; i < rank; ++i) {
    uint64_t extent;
    if (!reader.take(extent))
      return cutShort("list of tensors");
    if (extent == 0 || extent > uint64_t(INT64_MAX))
      return fail("tensor '" + name + "' has a dimension that is no size");
    tensor.shape.insert(tensor.shape.begin(), static_cast<int64_t>(extent));
  }
  if (!reader.take(tensor.formatNumber) || !reader.take(tensor.offset))
    return cutShort("list of tensors");
  tensor.format = findGgufFormat(tensor.formatNumber);
  return tensor;
}

Error GgufReader::place(GgufTensor &tensor, uint64_t data) const {
  auto wrong = [&](const Twine &what) {
    return fail("tensor '" + tensor.name + "' " + what);
  };
  if (tensor.offset % alignment != 0)
    return wrong("does not lie at a multiple of " + Twine(alignment) +
                 " bytes");
  uint64_t room = file.bytes().size();
  std::optional<uint64_t> begin = llvm::checkedAddUnsigned(data, tensor.offset);
  if (!begin || *begin > room)
    return wrong("lies outside the file");
  tensor.offset = *begin;
  if (!tensor.format)
    return Error::success();
  const GgufFormat &format = *tensor.format;
  if (tensor.shape.back() % format.blockElements != 0)
    return wrong("has rows of " + Twine(tensor.shape.back()) +
                 " elements, which blocks of " + Twine(format.blockElements) +
                 " do not divide");
  std::optional<uint64_t> bytes =
      uint64_t(tensor.shape.back() / format.blockElements);
  for (int64_t extent : llvm::drop_end(tensor.shape))
    bytes = bytes ? llvm::checkedMulUnsigned(*bytes, uint64_t(extent)) : bytes;
  if (bytes)
    bytes = llvm::checkedMulUnsigned(*bytes, uint64_t(format.blockBytes));
  if (!bytes || *bytes > room - *begin)
    return wrong("lies outside the file");
  tensor.bytes = *bytes;
  return Error::success();
}

Expected<std::vector<GgufTensor>> GgufReader::read() {
  if (Error problem = readHead())
    return problem;
  if (Error problem = readPairs())
    return problem;
  std::vector<GgufTensor> tensors;
  llvm::StringSet<> names;
  for (uint64_t i = 0; i < tensorCount; ++i) {
    Expected<GgufTensor> tensor = readTensor();
    if (!tensor)
      return tensor.takeError();
    if (!names.insert(tensor->name).second)
      return fail("it has two tensors '" + tensor->name + "'");
    tensors.push_back(std::move(*tensor));
  }
  uint64_t data = llvm::alignTo(reader.at(), alignment);
  for (GgufTensor &tensor : tensors)
    if (Error problem = place(tensor, data))
      return problem;
  return tensors;
}

Expected<std::vector<GgufTensor>> heddle::readGguf(const MappedFile &file) {
  return GgufReader(file).read();
}
