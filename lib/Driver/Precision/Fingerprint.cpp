// SHA-256 of files, folders, models and programs.

#include "Fingerprint.h"

#include "heddle/Frontend/ArgumentBinding.h"
#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <set>

using namespace heddle;
using namespace llvm;
namespace fs = llvm::sys::fs;

std::string heddle::sha256(ArrayRef<char> bytes) {
  SHA256 hash;
  hash.update(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return toHex(hash.final(), /*LowerCase=*/true);
}

static Expected<std::string> sha256OfFile(StringRef path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.takeError();
  return sha256((*file)->bytes());
}

/// All files below a folder, in any order. A folder that symbolic links lead to
/// twice is an error: links that lead back up have no end.
static Expected<std::vector<std::string>> filesBelow(StringRef folder) {
  std::vector<std::string> files;
  std::set<fs::UniqueID> folders;
  auto isNewFolder = [&](StringRef path) {
    fs::UniqueID id;
    return fs::getUniqueID(path, id) || folders.insert(id).second;
  };
  isNewFolder(folder);
  std::error_code problem;
  for (fs::recursive_directory_iterator entry(folder, problem), end;
       entry != end && !problem; entry.increment(problem)) {
    if (fs::is_regular_file(entry->path()))
      files.push_back(entry->path());
    else if (fs::is_directory(entry->path()) && !isNewFolder(entry->path()))
      return createStringError(entry->path() +
                               ": a symbolic link leads to this folder twice; "
                               "data are wanted that are in it once");
  }
  if (problem)
    return createStringError(folder + ": " + problem.message());
  return files;
}

Expected<std::string> heddle::sha256OfPath(StringRef path) {
  if (!fs::is_directory(path))
    return sha256OfFile(path);
  Expected<std::vector<std::string>> files = filesBelow(path);
  if (!files)
    return files.takeError();
  std::vector<std::pair<std::string, std::string>> named;
  for (const std::string &file : *files)
    named.emplace_back(StringRef(file).drop_front(path.size()).ltrim('/').str(),
                       file);
  llvm::sort(named);
  std::string lines;
  for (auto &[name, file] : named) {
    Expected<std::string> hash = sha256OfFile(file);
    if (!hash)
      return hash.takeError();
    lines += *hash + "  " + name + "\n";
  }
  return sha256(lines);
}

Expected<std::string> heddle::sha256OfModel(const ModelOptions &model) {
  Expected<std::string> own =
      model.memory ? Expected<std::string>(sha256(model.memory->bytes()))
                   : sha256OfFile(model.path);
  if (!own || model.binds.empty())
    return own;
  std::string lines = *own + "\n";
  for (StringRef bind : model.binds)
    if (std::optional<ArgumentBinding> binding = parseBinding(bind)) {
      Expected<std::string> hash = sha256OfPath(binding->file);
      if (!hash)
        return hash.takeError();
      lines += *hash + "\n";
    }
  return sha256(lines);
}

std::string heddle::sha256OfProgram(const format::ArtifactReader &artifact) {
  size_t begin = sizeof(format::Header);
  return sha256(ArrayRef(artifact.file().data + begin,
                         artifact.header().manifestOffset - begin));
}
