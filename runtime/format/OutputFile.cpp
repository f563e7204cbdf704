// Writes a file without a name, and gives it one at the end.

#include "runtime/format/OutputFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::format;

OutputFile::~OutputFile() {
  if (fd >= 0)
    close(fd);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Error OutputFile::refusal(const char *action, const char *why) const {
  return {HEDDLE_FILE_UNWRITABLE, std::string("cannot ") + action + " '" +
                                      (isNamed ? path : "a temporary file") +
                                      "': " + why};
}

Error OutputFile::failure(const char *action) const {
  return refusal(action, std::strerror(errno));
}

/// The folder that holds `path`.
static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// How many links lead to a file at most, as in the kernel.
static constexpr int kLinks = 40;

/// Puts what `path` leads to in its place, so that a link keeps leading there:
/// the new file replaces the old one, or appears where there is none, and does
/// not replace the link. False, with errno, if there is no end to them.
static bool follow(std::string &path) {
  for (int links = 0; links <= kLinks; ++links) {
    char target[PATH_MAX];
    ssize_t bytes = readlink(path.c_str(), target, sizeof target);
    if (bytes < 0)
      return true; // No link, or nothing at all.
    std::string next(target, static_cast<size_t>(bytes));
    path = next[0] == '/' ? next : folderOf(path) + "/" + next;
  }
  errno = ELOOP;
  return false;
}

/// A name in the folder of `path` that no other writer uses, not even another
/// thread of this process, and that is as short as the folder allows.
static std::string unusedName(const std::string &path) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    static std::atomic<uint64_t> count{0};
    number = (static_cast<uint64_t>(getpid()) << 32) + count++;
  }
  char name[32];
  std::snprintf(name, sizeof name, "/.heddle-%016llx",
                static_cast<unsigned long long>(number));
  return folderOf(path) + name;
}

/// How often a name is tried that turns out to be in use.
static constexpr int kAttempts = 100;

/// The name by which a file that has none gets one.
static std::string nameByDescriptor(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

Error OutputFile::open(const std::string &name) {
  path = name;
  isNamed = true;
  if (name.empty())
    return refusal("write", "the path is empty; the name of a file is wanted");
  struct stat old;
  bool replaces = stat(name.c_str(), &old) == 0;
  if (replaces && S_ISDIR(old.st_mode))
    return refusal("write", "it is a folder");
  if (replaces && !S_ISREG(old.st_mode))
    return refusal("write", "it is a pipe or a device; a file is wanted");
  if (!follow(path))
    return failure("write");
  buffer.reset(new char[bufferBytes]);
  if (Error error = create())
    return error;
  if (replaces)
    keepAccess(old);
  return {};
}

/// Those who could read the file that is replaced can read this one, and nobody
/// else.
void OutputFile::keepAccess(const struct stat &old) {
  struct stat status;
  if (fstat(fd, &status) != 0)
    return;
  mode_t mode = old.st_mode & 0777;
  // Only root may give files away, and to a group only its members.
  if (status.st_uid != old.st_uid)
    (void)!fchown(fd, old.st_uid, static_cast<gid_t>(-1));
  if (status.st_gid != old.st_gid &&
      fchown(fd, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3);
  (void)!fchmod(fd, mode);
}

Error OutputFile::create() {
  // The kernel applies the umask to both ways of making the file.
  fd = ::open(folderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0) {
    if (access(nameByDescriptor(fd).c_str(), F_OK) == 0)
      return {};
    // Without /proc it would never get a name.
    close(fd);
    fd = -1;
  } else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    return failure("write");
  }
  // Not every file system has files without names.
  for (int attempt = 0; fd < 0 && attempt < kAttempts; ++attempt) {
    std::string candidate = unusedName(path);
    fd = ::open(candidate.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0)
      temporary = candidate;
    else if (errno != EEXIST)
      break;
  }
  return fd >= 0 ? Error() : failure("write");
}

Error OutputFile::openTemporary(const char *folder) {
  buffer.reset(new char[bufferBytes]);
  if (!folder) {
    fd = memfd_create("heddle-artifact", MFD_CLOEXEC);
    return fd >= 0 ? Error() : failure("create");
  }
  fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    return {};
  std::string pattern = std::string(folder) + "/heddle-XXXXXX";
  fd = mkostemp(pattern.data(), O_CLOEXEC);
  if (fd < 0)
    return failure("create");
  unlink(pattern.c_str());
  return {};
}

Error OutputFile::writeAll(uint64_t offset, const void *data, size_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes) {
    ssize_t count = pwrite(fd, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return failure("write");
    next += count;
    offset += static_cast<uint64_t>(count);
    bytes -= static_cast<size_t>(count);
  }
  return {};
}

Error OutputFile::flush() {
  Error error = writeAll(written, buffer.get(), used);
  if (error)
    return error;
  written += used;
  used = 0;
  return {};
}

Error OutputFile::append(const void *data, size_t bytes) {
  if (bytes >= bufferBytes) {
    if (Error error = flush())
      return error;
    if (Error error = writeAll(written, data, bytes))
      return error;
    written += bytes;
    return {};
  }
  if (bytes > bufferBytes - used)
    if (Error error = flush())
      return error;
  if (bytes)
    std::memcpy(buffer.get() + used, data, bytes);
  used += bytes;
  return {};
}

Error OutputFile::appendZeros(uint64_t bytes) {
  static const char zeros[4096] = {};
  while (bytes) {
    size_t piece = std::min<uint64_t>(bytes, sizeof(zeros));
    if (Error error = append(zeros, piece))
      return error;
    bytes -= piece;
  }
  return {};
}

Error OutputFile::patch(uint64_t offset, const void *data, size_t bytes) {
  if (Error error = flush())
    return error;
  return writeAll(offset, data, bytes);
}

/// Gives the file without a name one; none that is taken can be given.
Error OutputFile::linkTemporary() {
  std::string self = nameByDescriptor(fd);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string candidate = unusedName(path);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, candidate.c_str(),
               AT_SYMLINK_FOLLOW) == 0) {
      temporary = candidate;
      return {};
    }
    if (errno != EEXIST)
      break;
  }
  return failure("name");
}

Error OutputFile::publish() {
  if (Error error = flush())
    return error;
  if (!isNamed)
    return {};
  // Bytes before the name: after a crash of the machine there is the old file
  // or the new one, not a name for nothing.
  if (fdatasync(fd) != 0)
    return failure("write");
  if (temporary.empty())
    if (Error error = linkTemporary())
      return error;
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return failure("replace");
  temporary.clear();
  return {};
}
