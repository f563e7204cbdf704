// A file that appears when it is whole.

#ifndef HEDDLE_RUNTIME_FORMAT_OUTPUTFILE_H
#define HEDDLE_RUNTIME_FORMAT_OUTPUTFILE_H

#include "runtime/format/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct stat;

namespace heddle::format {

/// Buffered appending to a file without a name, which gets its name at last.
class OutputFile {
public:
  ~OutputFile();

  /// The name comes with `publish`; until then the file lies, unnamed where the
  /// system can do that, in the folder of `path`. A link is followed, also to
  /// where there is nothing yet; who can use a file that is there can use what
  /// replaces it. Folders, pipes, devices and an empty path are refused.
  Error open(const std::string &path);
  /// A file in `folder`, or in memory, that never gets a name.
  Error openTemporary(const char *folder);

  Error append(const void *data, size_t bytes);
  Error appendZeros(uint64_t bytes);
  /// Writes over bytes that were appended before.
  Error patch(uint64_t offset, const void *data, size_t bytes);
  Error flush();
  /// Gives the file its name, replacing what bears it.
  Error publish();

  int descriptor() const { return fd; }
  uint64_t size() const { return written + used; }

private:
  Error create();
  void keepAccess(const struct stat &old);
  Error refusal(const char *action, const char *why) const;
  /// A refusal for what `errno` says.
  Error failure(const char *action) const;
  Error linkTemporary();
  Error writeAll(uint64_t offset, const void *data, size_t bytes);

  static constexpr size_t bufferBytes = 1 << 20;
  int fd = -1;
  bool isNamed = false; ///< It gets the name `path`.
  std::string path;
  std::string temporary; ///< The name to remove; empty for an unnamed file.
  std::unique_ptr<char[]> buffer;
  size_t used = 0;
  uint64_t written = 0;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_OUTPUTFILE_H
