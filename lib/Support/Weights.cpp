// Handles of constants in a context: made, asked for, released.

#include "heddle/Support/Weights.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <mutex>

using namespace mlir;
using namespace heddle;

namespace {
/// What is known about the handles of one context. It hangs on the builtin
/// dialect, beside the blobs themselves, so that it lives as long as they do.
class WeightTable : public DialectInterface::Base<WeightTable> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WeightTable)
  explicit WeightTable(Dialect *dialect) : Base(dialect) {}

  struct Entry {
    WeightOrigin origin;
    std::optional<WeightHash> hash;
  };
  std::mutex mutex;
  llvm::StringMap<Entry> entries;
  /// How many handles were asked for by each name.
  llvm::StringMap<unsigned> counts;
};
} // namespace

static WeightTable &weightTable(MLIRContext *context) {
  // Interfaces are added while a context is set up; two threads may make a
  // context's first weight.
  static std::mutex creation;
  std::lock_guard<std::mutex> lock(creation);
  auto *builtin = context->getLoadedDialect<BuiltinDialect>();
  if (auto *table = builtin->getRegisteredInterface<WeightTable>())
    return *table;
  return builtin->addInterface<WeightTable>();
}

static DialectResourceBlobManager &blobManager(MLIRContext *context) {
  return DenseResourceElementsHandle::getManagerInterface(context)
      .getBlobManager();
}

static AsmResourceBlob blobOf(const WeightOrigin &origin) {
  ArrayRef<char> bytes =
      origin.file->bytes().slice(origin.offset, origin.bytes);
  size_t alignment =
      llvm::MinAlign(reinterpret_cast<uintptr_t>(bytes.data()), 64);
  // The deleter's only work is to own the mapping.
  return UnmanagedAsmResourceBlob::allocateWithAlign(
      bytes, alignment, [file = origin.file](void *, size_t, size_t) {});
}

static DenseResourceElementsAttr
makeHandle(RankedTensorType type, StringRef name, WeightOrigin origin) {
  MLIRContext *context = type.getContext();
  auto *builtin = context->getLoadedDialect<BuiltinDialect>();
  DialectResourceBlobManager &manager = blobManager(context);
  WeightTable &table = weightTable(context);
  std::lock_guard<std::mutex> lock(table.mutex);
  // The manager, too, numbers equal names, but tries each number from the first
  // on.
  StringRef stem = name.empty() ? "weight" : name;
  unsigned &count = table.counts[stem];
  std::string key;
  do {
    key = count == 0 ? stem.str() : (stem + "_" + Twine(count)).str();
    ++count;
  } while (manager.lookup(key));
  auto handle =
      manager.insert<DenseResourceElementsHandle>(builtin, key, blobOf(origin));
  table.entries[handle.getKey()] = {std::move(origin), std::nullopt};
  return DenseResourceElementsAttr::get(type, handle);
}

std::optional<uint64_t> heddle::storedBytes(RankedTensorType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  Type element = type.getElementType();
  int64_t width;
  if (auto complex = dyn_cast<ComplexType>(element))
    width = 2 * llvm::divideCeil(
                    complex.getElementType().getIntOrFloatBitWidth(), 8);
  else if (element.isIndex())
    width = 8;
  else if (element.isIntOrFloat())
    width = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  else
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t bytes = width;
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

DenseResourceElementsAttr heddle::makeWeight(RankedTensorType type,
                                             StringRef name,
                                             std::shared_ptr<MappedFile> file,
                                             uint64_t offset, uint64_t bytes) {
  return makeHandle(type, name, {std::move(file), offset, bytes});
}

DenseResourceElementsAttr heddle::makeWeight(RankedTensorType type,
                                             StringRef name,
                                             std::vector<char> bytes) {
  uint64_t size = bytes.size();
  return makeHandle(type, name,
                    {MappedFile::fromBytes(std::move(bytes), name), 0, size});
}

ElementsAttr heddle::makeConstant(RankedTensorType type, StringRef name,
                                  std::vector<char> bytes) {
  if (bytes.size() > kHandleThresholdBytes)
    return makeWeight(type, name, std::move(bytes));
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values(bytes.begin(), bytes.end());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  // Sub-byte integers and all other types: MLIR stores whole bytes per element,
  // as we do.
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

std::optional<ArrayRef<char>> heddle::weightBytes(ElementsAttr attr) {
  if (auto handle = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (AsmResourceBlob *blob = handle.getRawHandle().getBlob())
      return blob->getData();
    return std::nullopt;
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr);
  if (!dense || dense.isSplat() || dense.getElementType().isInteger(1))
    return std::nullopt;
  return dense.getRawData();
}

std::optional<WeightOrigin>
heddle::weightOrigin(DenseResourceElementsAttr attr) {
  WeightTable &table = weightTable(attr.getContext());
  std::lock_guard<std::mutex> lock(table.mutex);
  auto it = table.entries.find(attr.getRawHandle().getKey());
  if (it == table.entries.end())
    return std::nullopt;
  return it->second.origin;
}

/// All handles that `root` and what is in it hold as attributes, in order.
static llvm::SetVector<DenseResourceElementsAttr> handlesOf(Operation *root) {
  llvm::SetVector<DenseResourceElementsAttr> handles;
  root->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto handle =
              dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
        handles.insert(handle);
  });
  return handles;
}

void heddle::releaseWeights(Operation *op) {
  for (DenseResourceElementsAttr handle : handlesOf(op))
    if (std::optional<WeightOrigin> origin = weightOrigin(handle))
      if (origin->file)
        origin->file->release(origin->offset, origin->bytes);
}

static WeightHash hashBytes(ArrayRef<char> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical,
                           XXH3_128bits(bytes.data(), bytes.size()));
  WeightHash hash;
  std::copy_n(canonical.digest, hash.size(), hash.begin());
  return hash;
}

WeightHash heddle::weightHash(DenseResourceElementsAttr attr) {
  WeightTable &table = weightTable(attr.getContext());
  StringRef key = attr.getRawHandle().getKey();
  {
    std::lock_guard<std::mutex> lock(table.mutex);
    auto it = table.entries.find(key);
    if (it != table.entries.end() && it->second.hash)
      return *it->second.hash;
  }
  // Hashing may take a second: other threads go on meanwhile, at worst one
  // weight is hashed twice.
  WeightHash hash = hashBytes(weightBytes(attr).value_or(ArrayRef<char>()));
  std::lock_guard<std::mutex> lock(table.mutex);
  auto it = table.entries.find(key);
  if (it != table.entries.end())
    it->second.hash = hash;
  return hash;
}

std::string heddle::toHex(const WeightHash &hash) {
  return llvm::toHex(ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
}

std::vector<std::string> heddle::weightFiles(ModuleOp module) {
  llvm::SetVector<StringRef> files;
  for (DenseResourceElementsAttr handle : handlesOf(module))
    if (std::optional<WeightOrigin> origin = weightOrigin(handle))
      if (origin->file && origin->file->isOnDisk())
        files.insert(origin->file->path());
  return {files.begin(), files.end()};
}

void heddle::recordWeights(ModuleOp module, bool withHashes) {
  Builder builder(module.getContext());
  NamedAttrList weights;
  for (DenseResourceElementsAttr handle : handlesOf(module)) {
    std::optional<WeightOrigin> origin = weightOrigin(handle);
    if (!origin || !origin->file->isOnDisk())
      continue;
    NamedAttrList entry;
    entry.set("file", builder.getStringAttr(origin->file->path()));
    entry.set("offset", builder.getI64IntegerAttr(origin->offset));
    entry.set("bytes", builder.getI64IntegerAttr(origin->bytes));
    if (withHashes)
      entry.set("hash", builder.getStringAttr(toHex(weightHash(handle))));
    weights.set(handle.getRawHandle().getKey(),
                entry.getDictionary(module.getContext()));
  }
  if (!weights.empty())
    module->setAttr(kWeightsAttrName,
                    weights.getDictionary(module.getContext()));
}

LogicalResult heddle::attachWeights(ModuleOp module, StringRef folder) {
  auto weights = module->getAttrOfType<DictionaryAttr>(kWeightsAttrName);
  if (!weights)
    return success();
  WeightTable &table = weightTable(module.getContext());
  llvm::StringMap<std::shared_ptr<MappedFile>> files;
  for (DenseResourceElementsAttr handle : handlesOf(module)) {
    StringRef key = handle.getRawHandle().getKey();
    if (handle.getRawHandle().getBlob())
      continue;
    auto entry = weights.getAs<DictionaryAttr>(key);
    auto file = entry ? entry.getAs<StringAttr>("file") : StringAttr();
    auto offset = entry ? entry.getAs<IntegerAttr>("offset") : IntegerAttr();
    auto bytes = entry ? entry.getAs<IntegerAttr>("bytes") : IntegerAttr();
    auto type = dyn_cast<RankedTensorType>(handle.getType());
    if (!file || !offset || !bytes || !type)
      return emitError(module.getLoc())
             << "weight '" << key << "' has no complete entry in "
             << kWeightsAttrName;

    std::shared_ptr<MappedFile> &mapped = files[file.getValue()];
    if (!mapped) {
      SmallString<128> path = file.getValue();
      if (llvm::sys::path::is_relative(path) && !folder.empty()) {
        path = folder;
        llvm::sys::path::append(path, file.getValue());
      }
      llvm::Expected<std::shared_ptr<MappedFile>> opened =
          MappedFile::open(path);
      if (!opened)
        return emitError(module.getLoc()) << llvm::toString(opened.takeError());
      mapped = *opened;
    }
    WeightOrigin origin{mapped, offset.getValue().getLimitedValue(),
                        bytes.getValue().getLimitedValue()};
    uint64_t size = mapped->bytes().size();
    if (origin.offset > size || origin.bytes > size - origin.offset ||
        storedBytes(type) != origin.bytes)
      return emitError(module.getLoc())
             << "weight '" << key << "' (" << origin.bytes << " bytes at "
             << origin.offset << ") does not fit " << type << " or file '"
             << mapped->path() << "' of " << size << " bytes";
    auto hash = entry.getAs<StringAttr>("hash");
    if (hash && hash.getValue() != toHex(hashBytes(origin.file->bytes().slice(
                                       origin.offset, origin.bytes))))
      return emitError(module.getLoc())
             << "weight '" << key << "' differs from what was dumped: file '"
             << mapped->path() << "' has changed";
    blobManager(module.getContext()).update(key, blobOf(origin));
    std::lock_guard<std::mutex> lock(table.mutex);
    table.entries[key] = {std::move(origin), std::nullopt};
  }
  return success();
}
