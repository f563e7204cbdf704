// Writes a file without a name, and gives it one at the end.

#include "runtime/format/OutputFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
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
  return {HEDDLE_FILE_UNWRITABLE,
          std::string("cannot ") + action + " '" +
              (path.empty() ? "a temporary file" : path) + "': " + why};
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

/// What `path` leads to, so that a link keeps leading there: the new file
/// replaces the old one, not the link to it.
static std::string followed(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : path;
  std::free(resolved);
  return result;
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

Error OutputFile::open(const std::string &name) {
  path = name;
  struct stat status;
  if (stat(name.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return refusal("write", "it is a folder");
    if (!S_ISREG(status.st_mode))
      return refusal("write", "it is a pipe or a device; a file is wanted");
    path = followed(name);
  }
  buffer.reset(new char[bufferBytes]);
  // The kernel applies the umask to both ways of making the file.
  fd = ::open(folderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0)
    return {};
  // Not every file system has files without names.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return failure("write");
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
  std::string self = "/proc/self/fd/" + std::to_string(fd);
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
  if (path.empty())
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
