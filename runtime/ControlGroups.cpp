// Reads what the system says of this process.

#include "runtime/ControlGroups.h"

#include <fcntl.h>
#include <unistd.h>

std::string heddle::runtime::readStart(const std::string &path) {
  char bytes[16384];
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  size_t count = 0;
  while (count < sizeof(bytes)) {
    ssize_t got = read(file, bytes + count, sizeof(bytes) - count);
    if (got <= 0)
      break;
    count += static_cast<size_t>(got);
  }
  close(file);
  return {bytes, count};
}
