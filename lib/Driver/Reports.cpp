// Reports go to a folder of the user's own below the temporary one: nobody
// looks for them in the folder that heddle happens to run in, and a script that
// fails a thousand times fills no disk. All of this works in a signal handler.

#include "heddle/Driver/Reports.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;

static char folder[192];

/// Paths in messages are read by people, shells and parsers of JSON.
static bool isPlain(const char *path) {
  for (; *path; ++path)
    if (static_cast<unsigned char>(*path) <= ' ' ||
        static_cast<unsigned char>(*path) > '~' || std::strchr("\"'\\", *path))
      return false;
  return true;
}

void heddle::prepareReports() {
  const char *temporary = std::getenv("TMPDIR");
  if (!temporary || *temporary != '/' || !isPlain(temporary) ||
      std::strlen(temporary) > 128)
    temporary = "/tmp";
  std::snprintf(folder, sizeof folder, "%s/heddle-reports-%u", temporary,
                static_cast<unsigned>(getuid()));
}

/// A descriptor of the folder, which is made if it is not there. Others may
/// have made one of this name, and put links there.
static int openFolder() {
  if (!folder[0])
    return -1;
  (void)mkdir(folder, 0700);
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (opened >= 0 && (fstat(opened, &status) != 0 ||
                      status.st_uid != getuid() || status.st_mode & 0022)) {
    close(opened);
    opened = -1;
  }
  return opened;
}

static bool isOlder(const timespec &a, const timespec &b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

int heddle::openReport(const char *stem, const char *extension,
                       ReportPath &path) {
  int place = openFolder();
  if (place < 0)
    return -1;
  auto name = [&](char (&text)[64], unsigned number, const char *end) {
    std::snprintf(text, sizeof text, "%s-%u%s", stem, number, end);
  };
  char candidate[64];
  int file = -1;
  // Another process may take the same number: then the next.
  for (unsigned attempt = 0; file < 0 && attempt < kMaxReports; ++attempt) {
    unsigned chosen = 0;
    timespec oldest{};
    for (unsigned number = 0; number < kMaxReports; ++number) {
      struct stat status;
      name(candidate, number, extension);
      if (fstatat(place, candidate, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        chosen = number;
        break;
      }
      if (number == 0 || isOlder(status.st_mtim, oldest)) {
        chosen = number;
        oldest = status.st_mtim;
      }
    }
    name(candidate, chosen, ".weights");
    unlinkat(place, candidate, 0);
    name(candidate, chosen, extension);
    unlinkat(place, candidate, 0);
    file = openat(place, candidate,
                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  }
  close(place);
  std::snprintf(path.text, sizeof path.text, "%s/%s", folder, candidate);
  return file;
}
