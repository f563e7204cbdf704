// NumPy's .npz: a zip archive of .npy files. Only what numpy writes is read: no
// encryption, no split archives, methods 0 (stored) and 8 (deflated), zip64.

#include "TensorBytes.h"

#include "llvm/Support/raw_ostream.h"

#include <zlib.h>

using namespace mlir;
using namespace heddle;
using llvm::Error;
using llvm::Expected;

namespace {
constexpr uint32_t kLocalMagic = 0x04034b50, kEntryMagic = 0x02014b50,
                   kEndMagic = 0x06054b50, kEnd64Magic = 0x06064b50,
                   kLocator64Magic = 0x07064b50;
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22,
                 kLocatorSize = 20, kEnd64Size = 56;

struct Entry {
  StringRef name;
  unsigned method;
  uint32_t crc;
  uint64_t packedSize, size, localOffset;
};

class ZipReader {
public:
  ZipReader(ArrayRef<char> bytes, StringRef file) : bytes(bytes), file(file) {}

  Expected<std::vector<Entry>> entries() const;
  /// The stored or deflated bytes of an entry.
  Expected<ArrayRef<char>> packedBytes(const Entry &entry) const;
  /// The deflated bytes of an entry, inflated; at most `limit` bytes.
  Expected<std::vector<char>> inflate(const Entry &entry, uint64_t limit) const;

private:
  Error error(const Twine &what) const { return tensorFileError(file, what); }
  /// Whether `count` bytes from `offset` lie in the file.
  bool holds(uint64_t offset, uint64_t count) const {
    return offset <= bytes.size() && count <= bytes.size() - offset;
  }
  template <typename T> T at(uint64_t offset) const {
    return readLittle<T>(bytes, offset);
  }
  bool readZip64(uint64_t extra, uint64_t extraEnd, Entry &entry) const;

  ArrayRef<char> bytes;
  StringRef file;
};
} // namespace

/// Fills the sizes that did not fit 32 bits from the extra field 1.
bool ZipReader::readZip64(uint64_t extra, uint64_t extraEnd,
                          Entry &entry) const {
  while (extraEnd - extra >= 4) {
    uint16_t id = at<uint16_t>(extra), size = at<uint16_t>(extra + 2);
    extra += 4;
    if (size > extraEnd - extra)
      return false;
    if (id != 1) {
      extra += size;
      continue;
    }
    uint64_t end = extra + size;
    for (uint64_t *field :
         {&entry.size, &entry.packedSize, &entry.localOffset}) {
      if (*field != 0xFFFFFFFF)
        continue;
      if (end - extra < 8)
        return false;
      *field = at<uint64_t>(extra);
      extra += 8;
    }
    return true;
  }
  return true;
}

Expected<std::vector<Entry>> ZipReader::entries() const {
  // The end record is the last thing, but for a comment of at most 64 KiB.
  if (bytes.size() < kEndSize)
    return error("it is not an .npz archive");
  uint64_t end = bytes.size() - kEndSize;
  uint64_t lowest = end > 0xFFFF ? end - 0xFFFF : 0;
  while (at<uint32_t>(end) != kEndMagic) {
    if (end == lowest)
      return error("it is not an .npz archive, or cut short");
    --end;
  }
  uint64_t count = at<uint16_t>(end + 10);
  uint64_t offset = at<uint32_t>(end + 16);
  if (count == 0xFFFF || offset == 0xFFFFFFFF) {
    if (end < kLocatorSize ||
        at<uint32_t>(end - kLocatorSize) != kLocator64Magic)
      return error("its zip64 directory is missing");
    uint64_t end64 = at<uint64_t>(end - kLocatorSize + 8);
    if (!holds(end64, kEnd64Size) || at<uint32_t>(end64) != kEnd64Magic)
      return error("its zip64 directory is damaged");
    count = at<uint64_t>(end64 + 32);
    offset = at<uint64_t>(end64 + 48);
  }

  std::vector<Entry> result;
  for (uint64_t i = 0; i < count; ++i) {
    if (!holds(offset, kEntrySize) || at<uint32_t>(offset) != kEntryMagic)
      return error("its directory is damaged");
    Entry entry;
    uint16_t flags = at<uint16_t>(offset + 8);
    entry.method = at<uint16_t>(offset + 10);
    entry.crc = at<uint32_t>(offset + 16);
    entry.packedSize = at<uint32_t>(offset + 20);
    entry.size = at<uint32_t>(offset + 24);
    entry.localOffset = at<uint32_t>(offset + 42);
    uint64_t nameSize = at<uint16_t>(offset + 28);
    uint64_t extraSize = at<uint16_t>(offset + 30);
    uint64_t commentSize = at<uint16_t>(offset + 32);
    uint64_t size = kEntrySize + nameSize + extraSize + commentSize;
    if (!holds(offset, size))
      return error("its directory is damaged");
    entry.name = StringRef(bytes.data() + offset + kEntrySize, nameSize);
    uint64_t extra = offset + kEntrySize + nameSize;
    if (!readZip64(extra, extra + extraSize, entry))
      return error("its directory is damaged");
    if (flags & 1)
      return error("'" + entry.name + "' is encrypted");
    result.push_back(entry);
    offset += size;
  }
  return result;
}

Expected<ArrayRef<char>> ZipReader::packedBytes(const Entry &entry) const {
  uint64_t offset = entry.localOffset;
  if (!holds(offset, kLocalSize) || at<uint32_t>(offset) != kLocalMagic)
    return error("the head of '" + entry.name + "' is damaged");
  offset += kLocalSize + at<uint16_t>(offset + 26) + at<uint16_t>(offset + 28);
  if (!holds(offset, entry.packedSize))
    return error("'" + entry.name + "' is cut short");
  return bytes.slice(offset, entry.packedSize);
}

Expected<std::vector<char>> ZipReader::inflate(const Entry &entry,
                                               uint64_t limit) const {
  Expected<ArrayRef<char>> packed = packedBytes(entry);
  if (!packed)
    return packed.takeError();
  if (entry.size > limit)
    return error("'" + entry.name + "' takes " + Twine(entry.size) +
                 " bytes, more than the limit allows");
  // Deflate shrinks at most by a factor of 1032: a larger claim is a lie, and
  // believing it would cost its memory.
  if (entry.size / 1032 > packed->size())
    return error("'" + entry.name + "' is damaged");
  std::vector<char> result(entry.size);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return error("zlib cannot start");
  size_t read = 0, written = 0;
  int status = Z_OK;
  // zlib counts in 32 bits: feed it in pieces.
  constexpr size_t kPiece = size_t(1) << 30;
  while (status == Z_OK) {
    size_t in = std::min(kPiece, packed->size() - read);
    size_t out = std::min(kPiece, result.size() - written);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed->data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(result.data() + written);
    stream.avail_out = out;
    status = ::inflate(&stream, Z_NO_FLUSH);
    size_t consumed = in - stream.avail_in, produced = out - stream.avail_out;
    read += consumed;
    written += produced;
    if (status == Z_OK && consumed == 0 && produced == 0)
      break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || written != result.size())
    return error("the deflated data of '" + entry.name + "' is damaged");
  uLong crc = crc32(0, nullptr, 0);
  for (size_t i = 0; i < result.size(); i += kPiece)
    crc = crc32(crc, reinterpret_cast<const Bytef *>(result.data() + i),
                std::min(kPiece, result.size() - i));
  if (uint32_t(crc) != entry.crc)
    return error("the checksum of '" + entry.name + "' is wrong");
  return result;
}

Expected<std::vector<NamedTensor>>
heddle::readNpz(MLIRContext *context, std::shared_ptr<MappedFile> file,
                const TensorFileLimits &limits) {
  ZipReader zip(file->bytes(), file->path());
  Expected<std::vector<Entry>> entries = zip.entries();
  if (!entries)
    return entries.takeError();
  std::vector<NamedTensor> tensors;
  TensorFileLimits left = limits;
  for (const Entry &entry : *entries) {
    StringRef name = entry.name;
    if (name.ends_with("/"))
      continue;
    if (!name.consume_back(".npy"))
      return tensorFileError(file->path(),
                             "'" + name + "' in it is not an .npy file");
    std::string where = (file->path() + ":" + name).str();
    Expected<HostTensor> tensor = HostTensor();
    if (entry.method == 0) {
      Expected<ArrayRef<char>> bytes = zip.packedBytes(entry);
      if (!bytes)
        return bytes.takeError();
      tensor = decodeNpy(context, *bytes, file, where, left);
    } else if (entry.method == 8) {
      Expected<std::vector<char>> bytes = zip.inflate(entry, left.decodedBytes);
      if (!bytes)
        return bytes.takeError();
      left.decodedBytes -= bytes->size();
      auto owner = std::make_shared<std::vector<char>>(std::move(*bytes));
      tensor = decodeNpy(context, *owner, owner, where, left);
    } else {
      return tensorFileError(where, "zip method " + Twine(entry.method) +
                                        " is not read; stored and deflated "
                                        "entries are");
    }
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({name.str(), std::move(*tensor)});
  }
  return tensors;
}

//===--- Writing ----------------------------------------------------------===//

Expected<std::vector<char>> heddle::encodeNpz(ArrayRef<NamedTensor> tensors) {
  std::vector<char> bytes, directory;
  if (tensors.size() >= 0xFFFF)
    return tensorFileError("npz", "more than 65534 tensors");
  for (const NamedTensor &named : tensors) {
    std::vector<char> data = encodeNpy(named.tensor);
    std::string name = named.name + ".npy";
    uint64_t offset = bytes.size();
    if (data.size() >= 0xFFFFFFFF || offset >= 0xFFFFFFFF ||
        name.size() > 0xFFFF)
      return tensorFileError("npz", "'" + named.name +
                                        "' is beyond the 4 GiB of an archive");
    uint32_t crc =
        crc32(crc32(0, nullptr, 0),
              reinterpret_cast<const Bytef *>(data.data()), data.size());
    // What the local head and the directory have in common: version, flags,
    // method, time and date (the format's first), checksum, sizes, name.
    auto appendCommon = [&](std::vector<char> &to) {
      for (uint16_t field : {20, 0, 0, 0, 0x21})
        appendLittle<uint16_t>(to, field);
      appendLittle<uint32_t>(to, crc);
      appendLittle<uint32_t>(to, data.size());
      appendLittle<uint32_t>(to, data.size());
      appendLittle<uint16_t>(to, name.size());
      appendLittle<uint16_t>(to, 0);
    };
    appendLittle<uint32_t>(bytes, kLocalMagic);
    appendCommon(bytes);
    bytes.insert(bytes.end(), name.begin(), name.end());
    bytes.insert(bytes.end(), data.begin(), data.end());

    appendLittle<uint32_t>(directory, kEntryMagic);
    appendLittle<uint16_t>(directory, 20);
    appendCommon(directory);
    // Comment, disk and attributes: none.
    for (int i = 0; i < 3; ++i)
      appendLittle<uint16_t>(directory, 0);
    appendLittle<uint32_t>(directory, 0);
    appendLittle<uint32_t>(directory, offset);
    directory.insert(directory.end(), name.begin(), name.end());
  }
  uint64_t start = bytes.size();
  if (start + directory.size() >= 0xFFFFFFFF)
    return tensorFileError("npz", "the archive is beyond 4 GiB");
  bytes.insert(bytes.end(), directory.begin(), directory.end());
  appendLittle<uint32_t>(bytes, kEndMagic);
  appendLittle<uint32_t>(bytes, 0);
  appendLittle<uint16_t>(bytes, tensors.size());
  appendLittle<uint16_t>(bytes, tensors.size());
  appendLittle<uint32_t>(bytes, directory.size());
  appendLittle<uint32_t>(bytes, start);
  appendLittle<uint16_t>(bytes, 0);
  return bytes;
}
