// Maps files, and opens those that a model names inside its folder only.

#include "heddle/Support/MappedFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace heddle;

static Error fileError(StringRef path, const Twine &what) {
  return createStringError(inconvertibleErrorCode(),
                           "cannot open '" + path + "': " + what);
}

namespace {
/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  int get() const { return number; }
  bool valid() const { return number >= 0; }

private:
  int number;
};
} // namespace

//===--- MappedFile -------------------------------------------------------===//

Expected<std::shared_ptr<MappedFile>>
MappedFile::fromDescriptor(int descriptor, StringRef path) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return fileError(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return fileError(path, "it is not a regular file");

  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->name = path.str();
  file->onDisk = true;
  if (status.st_size == 0)
    return file;
  void *address = ::mmap(nullptr, status.st_size, PROT_READ, MAP_SHARED,
                         descriptor, /*offset=*/0);
  if (address == MAP_FAILED)
    return fileError(path, std::strerror(errno));
  file->data = static_cast<const char *>(address);
  file->size = status.st_size;
  return file;
}

Expected<std::shared_ptr<MappedFile>> MappedFile::open(StringRef path) {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  Descriptor descriptor(
      ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.valid())
    return fileError(path, std::strerror(errno));
  return fromDescriptor(descriptor.get(), path);
}

std::shared_ptr<MappedFile> MappedFile::fromBytes(std::vector<char> bytes,
                                                  StringRef name) {
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->name = name.str();
  file->owned = std::move(bytes);
  file->data = file->owned.data();
  file->size = file->owned.size();
  return file;
}

std::shared_ptr<MappedFile> MappedFile::ofMemory(ArrayRef<char> bytes,
                                                 StringRef name) {
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->name = name.str();
  file->data = bytes.data();
  file->size = bytes.size();
  return file;
}

void MappedFile::release(uint64_t offset, uint64_t bytes) const {
  if (!onDisk || offset > size || bytes > size - offset)
    return;
  uint64_t page = ::sysconf(_SC_PAGESIZE);
  uint64_t begin = llvm::alignTo(offset, page);
  uint64_t end = llvm::alignDown(offset + bytes, page);
  if (begin < end)
    ::madvise(const_cast<char *>(data) + begin, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (onDisk && data)
    ::munmap(const_cast<char *>(data), size);
}

bool heddle::isNoFile(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status);
}

//===--- FileScope --------------------------------------------------------===//

/// The path with all links resolved, or an empty string with errno set.
static std::string resolve(StringRef path) {
  char *resolved = ::realpath(path.str().c_str(), nullptr);
  if (!resolved)
    return {};
  std::string result = resolved;
  ::free(resolved);
  return result;
}

Expected<FileScope> FileScope::ofFolder(StringRef folder) {
  FileScope scope;
  scope.searched.push_back(folder.empty() ? "." : folder.str());
  std::string resolved = resolve(scope.searched.back());
  if (resolved.empty())
    return fileError(folder, std::strerror(errno));
  scope.allowed.push_back(std::move(resolved));
  return scope;
}

Expected<FileScope> FileScope::ofModel(StringRef modelPath) {
  Expected<FileScope> scope = ofFolder(sys::path::parent_path(modelPath));
  if (!scope)
    return scope.takeError();
  std::string target = resolve(modelPath);
  if (target.empty())
    return fileError(modelPath, std::strerror(errno));
  StringRef linked = sys::path::parent_path(target);
  if (linked != scope->allowed.front()) {
    scope->searched.push_back(linked.str());
    scope->allowed.push_back(linked.str());
  }
  return scope;
}

/// Opens `relative` (already free of links and `..`) below `root` so that a
/// link put in its way meanwhile is not followed either.
static Descriptor openBeneath(StringRef root, StringRef relative) {
  Descriptor folder(
      ::open(root.str().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid())
    return folder;
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;

  open_how how = {};
  how.flags = flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  int opened = ::syscall(SYS_openat2, folder.get(), relative.str().c_str(),
                         &how, sizeof(how));
  // Kernels before 5.6 lack the call, some sandboxes deny it: walk the folders
  // one by one.
  if (opened >= 0 || (errno != ENOSYS && errno != EPERM))
    return Descriptor(opened);

  SmallVector<StringRef> parts;
  relative.split(parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : ArrayRef(parts).drop_back()) {
    folder =
        Descriptor(::openat(folder.get(), part.str().c_str(),
                            O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!folder.valid())
      return folder;
  }
  return Descriptor(::openat(folder.get(), parts.back().str().c_str(), flags));
}

Expected<std::shared_ptr<MappedFile>> FileScope::open(StringRef relativePath) {
  for (auto &[name, file] : opened)
    if (name == relativePath)
      return file;

  if (relativePath.empty() || relativePath.contains('\0') ||
      relativePath.size() >= PATH_MAX)
    return fileError(relativePath.substr(0, 64), "this is not a file name");
  // A backslash path comes from Windows; there it could be absolute or hold
  // `..`.
  if (sys::path::is_absolute(relativePath) ||
      sys::path::is_absolute(relativePath, sys::path::Style::windows) ||
      relativePath.contains('\\'))
    return fileError(relativePath,
                     "external data must be named relative to the model");
  for (StringRef part : split(relativePath, '/'))
    if (part == "..")
      return fileError(relativePath, "the name of external data holds '..'");

  std::string outside;
  // That a file is in one folder, and cannot be opened, says more than that it
  // is not in the other.
  int reason = ENOENT;
  for (const std::string &folder : searched) {
    std::string target = resolve(folder + "/" + relativePath.str());
    if (target.empty()) {
      if (errno != ENOENT)
        reason = errno;
      continue;
    }
    for (const std::string &root : allowed) {
      StringRef rest = target;
      if (!rest.consume_front(root) ||
          (!StringRef(root).ends_with("/") && !rest.consume_front("/")))
        continue;
      Descriptor descriptor = openBeneath(root, rest);
      if (!descriptor.valid())
        return fileError(relativePath, std::strerror(errno));
      auto file = MappedFile::fromDescriptor(descriptor.get(),
                                             folder + "/" + relativePath.str());
      if (file)
        opened.emplace_back(relativePath.str(), *file);
      return file;
    }
    outside = target;
  }
  if (!outside.empty())
    return fileError(relativePath, "it leads out of the model's folder, to '" +
                                       outside + "'");
  return createStringError(std::error_code(reason, std::generic_category()),
                           "cannot open '" + relativePath +
                               "': " + std::strerror(reason));
}
