// Finds secrets in variables and files, and makes them.

#include "runtime/tcp/TcpSecret.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

/// Shorter ones are guessed: whoever answers a rank at its port can try words
/// against the proof that the rank sends.
static constexpr size_t leastSecret = 16, mostSecret = 4096;

static constexpr mode_t ofOthers = 077;

namespace {
/// A descriptor of a file.
struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};
} // namespace

static Error unreadable(const std::string &path, const std::string &why) {
  return {HEDDLE_FILE_UNREADABLE, "the secret in " + path + ": " + why};
}

/// `more` are flags of open.
static Error readFile(const std::string &path, int more, std::string &secret) {
  File file = {open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | more)};
  struct stat about;
  if (file.descriptor < 0 || fstat(file.descriptor, &about))
    return unreadable(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode))
    return unreadable(path, "it is no file");
  if (about.st_uid != geteuid() || about.st_mode & ofOthers)
    return unreadable(path, "others can read it: it must be a file of this "
                            "user that nobody else may read (chmod 600)");
  char text[mostSecret];
  ssize_t bytes = read(file.descriptor, text, sizeof(text));
  if (bytes < 0)
    return unreadable(path, std::strerror(errno));
  secret.assign(text, static_cast<size_t>(bytes));
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r'))
    secret.pop_back();
  return {};
}

/// `source` is the option or the variable that it comes from.
static Error checkLength(const std::string &secret, const std::string &source) {
  if (secret.size() < leastSecret)
    return {HEDDLE_ARGUMENT_INVALID,
            "the secret of " + source + " has " +
                std::to_string(secret.size()) +
                " characters: " + std::to_string(leastSecret) +
                " are wanted, as openssl rand -hex 16 makes them"};
  return {};
}

Error runtime::readSecret(const std::string &secretFile, std::string &secret) {
  const char *given = std::getenv("HEDDLE_SECRET"),
             *file = std::getenv("HEDDLE_SECRET_FILE");
  std::string source = "HEDDLE_SECRET_FILE";
  secret.clear();
  if (!secretFile.empty()) {
    source = "secret_file";
    file = secretFile.c_str();
  } else if (given && file) {
    return {HEDDLE_ARGUMENT_INVALID,
            "HEDDLE_SECRET and HEDDLE_SECRET_FILE are both set: one of them is "
            "enough"};
  } else if (given) {
    secret = given;
    return checkLength(secret, "HEDDLE_SECRET");
  } else if (!file) {
    return {};
  }
  if (Error error = readFile(file, 0, secret))
    return {error.code(), source + ": " + error.message()};
  return checkLength(secret, source + " (" + file + ")");
}

Error runtime::fillRandom(void *data, size_t bytes) {
  // Requests of up to 256 bytes are filled at once.
  ssize_t got;
  do
    got = getrandom(data, bytes, 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(bytes))
    return {HEDDLE_RANK_FAILED,
            std::string("the system has no random bytes: ") +
                std::strerror(errno)};
  return {};
}

//===----------------------------------------------------------------------===//
// Secrets of one machine
//===----------------------------------------------------------------------===//

/// Not a folder of the session's (XDG_RUNTIME_DIR): ranks may be started from
/// several.
static std::string ownFolder() {
  return "/tmp/heddle-" + std::to_string(geteuid());
}

static std::string fileOf(const std::string &place) {
  return ownFolder() + "/tcp-" + place;
}

/// Another user may have made the folder before.
static Error checkFolder() {
  std::string folder = ownFolder();
  struct stat about;
  if (lstat(folder.c_str(), &about) || !S_ISDIR(about.st_mode) ||
      about.st_uid != geteuid() || about.st_mode & ofOthers)
    return {HEDDLE_ARGUMENT_INVALID,
            folder + " is not a folder of this user alone, in which ranks "
                     "could keep a secret: set HEDDLE_SECRET for all of them"};
  return {};
}

void OwnSecret::remove() {
  std::string found;
  if (!file.empty() && !readFile(file, O_NOFOLLOW, found) && found == kept)
    unlink(file.c_str());
  file.clear();
}

Error OwnSecret::make(const std::string &place, std::string &secret) {
  mkdir(ownFolder().c_str(), 0700);
  if (Error error = checkFolder())
    return error;
  uint8_t random[32];
  if (Error error = fillRandom(random, sizeof(random)))
    return error;
  secret.clear();
  for (uint8_t byte : random)
    for (int digit : {byte >> 4, byte & 15})
      secret += "0123456789abcdef"[digit];
  // What an earlier group has left there is of no use to anybody.
  std::string path = fileOf(place);
  unlink(path.c_str());
  File made = {open(path.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                    0600)};
  if (made.descriptor >= 0) {
    file = path;
    kept = secret;
  }
  if (file.empty() || write(made.descriptor, secret.data(), secret.size()) !=
                          static_cast<ssize_t>(secret.size()))
    return {HEDDLE_FILE_UNWRITABLE, path + ": " + std::strerror(errno) +
                                        ": set HEDDLE_SECRET for all ranks"};
  return {};
}

Error OwnSecret::find(const std::string &place, std::string &secret) {
  if (Error error = checkFolder())
    return error;
  if (Error error = readFile(fileOf(place), O_NOFOLLOW, secret))
    return {error.code(), error.message() +
                              "; where ranks do not share /tmp or are of "
                              "several users, set HEDDLE_SECRET for all"};
  return {};
}
