// A document is promised once: by the command that ends, by a limit that ends
// it, or by a crash. Whoever claims it first writes it.

#include "heddle/Driver/Document.h"

#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;

static int documentFile = STDOUT_FILENO;
/// The process that owns the document; what it forks has none.
static pid_t owner = getpid();
static std::atomic<bool> claimed{false};

void heddle::reserveDocument() {
  int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return;
  documentFile = kept;
}

bool heddle::claimDocument() {
  return getpid() == owner && !claimed.exchange(true);
}

bool heddle::writeDocumentText(const char *text, size_t bytes) {
  while (bytes) {
    ssize_t done = write(documentFile, text, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    text += done;
    bytes -= done;
  }
  return true;
}

bool heddle::writeDocument(llvm::json::Object document) {
  std::string text =
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(document)));
  if (!claimDocument())
    while (true)
      pause();
  return writeDocumentText(text.data(), text.size());
}

static bool isNullDevice(const struct stat &file) {
  struct stat null;
  return stat("/dev/null", &null) == 0 && S_ISCHR(file.st_mode) &&
         file.st_rdev == null.st_rdev;
}

bool heddle::isStandardStream(llvm::StringRef path) {
  if (path == "-")
    return true;
  struct stat file, stream;
  if (stat(path.str().c_str(), &file) != 0)
    return false;
  for (int number : {STDOUT_FILENO, STDERR_FILENO})
    // Nobody reads what goes to the null device.
    if (fstat(number, &stream) == 0 && stream.st_dev == file.st_dev &&
        stream.st_ino == file.st_ino && !isNullDevice(file))
      return true;
  return false;
}
