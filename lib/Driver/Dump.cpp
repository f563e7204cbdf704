// Writes a module with the files of its weights, and reads it back.

#include "heddle/Driver/Dump.h"

#include "heddle/Driver/Document.h"
#include "heddle/Support/MappedFile.h"
#include "heddle/Support/Weights.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace heddle;

/// What vector instructions like weights to be aligned to.
static constexpr uint64_t kWeightAlignment = 64;

/// A path from the root. Links stay: what they lead to is not what the user
/// named.
static SmallString<128> fromRoot(StringRef path) {
  SmallString<128> result = path;
  (void)llvm::sys::fs::make_absolute(result);
  llvm::sys::path::remove_dots(result);
  return result;
}

namespace {
/// Where the handles of a dump have their bytes.
class DumpedWeights {
public:
  /// A failure to write the bytes of handles that are in memory only.
  DumpedWeights(ModuleOp module, StringRef dump)
      : builder(module.getContext()),
        folder(llvm::sys::path::parent_path(fromRoot(dump))), beside(dump) {
    llvm::sys::path::replace_extension(beside, "weights");
    module.walk([&](Operation *op) {
      for (NamedAttribute attribute : op->getAttrs())
        if (auto handle =
                dyn_cast<DenseResourceElementsAttr>(attribute.getValue()))
          add(handle);
    });
  }

  DictionaryAttr dictionary() const {
    return entries.getDictionary(builder.getContext());
  }

  /// Writes what is in memory only, if there is anything.
  std::error_code writeBytes() const {
    if (inMemory.empty())
      return {};
    std::error_code problem;
    llvm::ToolOutputFile file(beside, problem, llvm::sys::fs::OF_None);
    if (problem)
      return problem;
    for (ArrayRef<char> bytes : inMemory) {
      file.os().write(bytes.data(), bytes.size());
      file.os().write_zeros(llvm::alignTo(bytes.size(), kWeightAlignment) -
                            bytes.size());
    }
    file.os().flush();
    if (file.os().has_error()) {
      problem = file.os().error();
      file.os().clear_error();
      return problem;
    }
    file.keep();
    return {};
  }

  StringRef path() const { return beside; }

private:
  void add(DenseResourceElementsAttr handle) {
    StringRef key = handle.getRawHandle().getKey();
    if (entries.get(key))
      return;
    std::optional<WeightOrigin> origin = weightOrigin(handle);
    if (origin && origin->file->isOnDisk())
      return set(key, nameOf(origin->file->path()), origin->offset,
                 origin->bytes);
    std::optional<ArrayRef<char>> bytes = weightBytes(handle);
    if (!bytes)
      return;
    set(key, llvm::sys::path::filename(beside), size, bytes->size());
    inMemory.push_back(*bytes);
    size += llvm::alignTo(bytes->size(), kWeightAlignment);
  }

  void set(StringRef key, StringRef file, uint64_t offset, uint64_t bytes) {
    NamedAttrList entry;
    entry.set("file", builder.getStringAttr(file));
    entry.set("offset", builder.getI64IntegerAttr(offset));
    entry.set("bytes", builder.getI64IntegerAttr(bytes));
    entries.set(key, entry.getDictionary(builder.getContext()));
  }

  /// How the dump names a file.
  std::string nameOf(StringRef file) const {
    SmallString<128> path = fromRoot(file);
    StringRef rest = path;
    if (rest.consume_front(folder) && rest.consume_front("/"))
      return rest.str();
    return path.str().str();
  }

  Builder builder;
  std::string folder;
  SmallString<128> beside;
  NamedAttrList entries;
  SmallVector<ArrayRef<char>> inMemory;
  uint64_t size = 0;
};
} // namespace

bool heddle::isSameFile(StringRef one, StringRef other) {
  // What is no file can be written to any number of times.
  if (isNoFile(one))
    return false;
  bool equal = fromRoot(one) == fromRoot(other);
  if (!equal && llvm::sys::fs::equivalent(one, other, equal))
    return false;
  return equal;
}

bool heddle::mayWriteTo(Session &session, StringRef path) {
  if (!session.json() || !isStandardStream(path))
    return true;
  session.diagnostics.report(ErrorCode::BadCommandLine,
                             "with --json, " + path +
                                 " takes the document or the errors; name a "
                                 "file");
  return false;
}

bool heddle::writeDump(Session &session, ModuleOp module, StringRef path,
                       StringRef header) {
  auto unwritable = [&](StringRef file, std::error_code problem) {
    session.diagnostics.report(ErrorCode::FileUnwritable,
                               file + ": " + problem.message());
    return false;
  };
  if (!mayWriteTo(session, path))
    return false;
  DumpedWeights weights(module, path);
  if (std::error_code problem = weights.writeBytes())
    return unwritable(weights.path(), problem);
  std::error_code problem;
  llvm::ToolOutputFile file(path, problem, llvm::sys::fs::OF_Text);
  if (problem)
    return unwritable(path, problem);
  if (!header.empty())
    file.os() << header << "\n";

  // The dump's names of files are no part of the program.
  Attribute before = module->getAttr(kWeightsAttrName);
  if (!weights.dictionary().empty())
    module->setAttr(kWeightsAttrName, weights.dictionary());
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  flags.elideLargeResourceString(0);
  AsmState state(module, flags);
  module->print(file.os(), state);
  if (before)
    module->setAttr(kWeightsAttrName, before);
  else
    module->removeAttr(kWeightsAttrName);

  file.os().flush();
  if (file.os().has_error()) {
    problem = file.os().error();
    file.os().clear_error();
    return unwritable(path, problem);
  }
  file.keep();
  return true;
}

OwningOpRef<ModuleOp> heddle::readDump(Session &session, StringRef path) {
  session.diagnostics.setDefaultCode(ErrorCode::StableHloParse);
  ParserConfig config(&session.context());
  // Foreign annotations that the import kept.
  session.context().allowUnregisteredDialects(true);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, config);
  session.context().allowUnregisteredDialects(false);
  if (!module ||
      failed(attachWeights(*module, llvm::sys::path::parent_path(path))))
    return nullptr;
  session.diagnostics.setDefaultCode(ErrorCode::InternalError);
  return module;
}
