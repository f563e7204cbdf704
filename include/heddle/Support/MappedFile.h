// Read-only files mapped into memory, and the one way to open a file that
// another file names.

#ifndef HEDDLE_SUPPORT_MAPPEDFILE_H
#define HEDDLE_SUPPORT_MAPPEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// The bytes of a regular file, mapped and never written. Whoever holds the
/// shared pointer may keep views of the bytes: weights stay in the page cache
/// and cost no memory of their own.
class MappedFile {
public:
  /// Maps the file that the user named. Follows symbolic links; refuses what is
  /// not a regular file.
  static llvm::Expected<std::shared_ptr<MappedFile>> open(llvm::StringRef path);

  /// Wraps bytes that are already in memory, so that a model held in memory
  /// reads like one on disk.
  static std::shared_ptr<MappedFile> fromBytes(std::vector<char> bytes,
                                               llvm::StringRef name);

  /// The same without a copy: whoever has the bytes keeps them for as long as
  /// the result lives.
  static std::shared_ptr<MappedFile> ofMemory(llvm::ArrayRef<char> bytes,
                                              llvm::StringRef name);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  llvm::ArrayRef<char> bytes() const { return {data, size}; }
  llvm::StringRef path() const { return name; }
  /// False for bytes that were in memory: no other process can read them again.
  bool isOnDisk() const { return onDisk; }

  /// Gives the pages of a range back to the page cache: they stop counting as
  /// this process's memory and come back when they are read again. Bytes that
  /// share a page with others stay.
  void release(uint64_t offset, uint64_t bytes) const;

private:
  friend class FileScope;
  MappedFile() = default;
  static llvm::Expected<std::shared_ptr<MappedFile>>
  fromDescriptor(int descriptor, llvm::StringRef path);

  const char *data = nullptr;
  size_t size = 0;
  std::string name;
  bool onDisk = false;
  std::vector<char> owned;
};

/// Whether what is at `path`, links followed, is no regular file: a folder, a
/// pipe, a device. False where there is nothing.
bool isNoFile(llvm::StringRef path);

/// Opens the files that a model file names, and nothing outside the model's
/// folders.
///
/// A name must be relative, without `..`. What it resolves to, symbolic links
/// followed, must lie in the folder of the model's name or in the folder of the
/// file that this name links to: hub caches keep
/// `snapshots/<revision>/model.onnx` and its data file both as links into one
/// folder `blobs`.
class FileScope {
public:
  /// The scope of a model at `modelPath`.
  static llvm::Expected<FileScope> ofModel(llvm::StringRef modelPath);
  /// The scope of a model in memory whose files lie in `folder`.
  static llvm::Expected<FileScope> ofFolder(llvm::StringRef folder);

  /// Opens `relativePath`; a file opened before is shared. The error of a file
  /// that is not there has the code std::errc::no_such_file_or_directory.
  llvm::Expected<std::shared_ptr<MappedFile>>
  open(llvm::StringRef relativePath);

private:
  /// Folders as the user wrote them, to look names up in.
  std::vector<std::string> searched;
  /// The same folders with every link resolved: what is opened lies below one
  /// of them.
  std::vector<std::string> allowed;
  std::vector<std::pair<std::string, std::shared_ptr<MappedFile>>> opened;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_MAPPEDFILE_H
