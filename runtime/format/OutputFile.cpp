//===- OutputFile.cpp -----------------------------------------------------===//

#include "runtime/format/OutputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::format;

OutputFile::~OutputFile() {
  if (fd >= 0)
    close(fd);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Error OutputFile::failure(const char *action) const {
  return {HEDDLE_FILE_UNWRITABLE,
          std::string("cannot ") + action + " '" +
              (path.empty() ? "a temporary file" : path) +
              "': " + std::strerror(errno)};
}

/// The folder that holds `path`.
static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Error OutputFile::open(const std::string &name) {
  path = name;
  buffer.reset(new char[bufferBytes]);
  fd = ::open(folderOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0)
    return {};
  // Not every file system has files without names.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return failure("write");
  std::string pattern = path + ".XXXXXX";
  fd = mkostemp(pattern.data(), O_CLOEXEC);
  if (fd < 0)
    return failure("write");
  temporary = pattern;
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(fd, 0666 & ~mask) != 0)
    return failure("set the mode of");
  return {};
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

Error OutputFile::publish() {
  if (Error error = flush())
    return error;
  if (path.empty())
    return {};
  if (temporary.empty()) {
    // A name can be given to an unnamed file, but not one that is taken: go by
    // a second name, unlike those of other writers.
    std::string name = path + ".tmp" + std::to_string(getpid());
    std::string link = "/proc/self/fd/" + std::to_string(fd);
    unlink(name.c_str());
    if (linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) != 0)
      return failure("name");
    temporary = name;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return failure("replace");
  temporary.clear();
  return {};
}
