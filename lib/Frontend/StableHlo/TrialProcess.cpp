// heddle-parse as a child of whatever program compiles: one that may have
// threads, handlers and limits of its own, ignore SIGCHLD, or fork. So it is
// spawned, not forked; its end is read from its pidfd, not from a signal.

#include "lib/Frontend/StableHlo/TrialProcess.h"

#include "heddle/Support/SpawnSettings.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

extern char **environ;

namespace heddle {

//===----------------------------------------------------------------------===//
// Where it is
//===----------------------------------------------------------------------===//

/// The file that holds this code: a program, or the compiler's library.
static std::string ownFile() {
  auto maps = MemoryBuffer::getFileAsStream("/proc/self/maps");
  auto address = reinterpret_cast<uintptr_t>(&ownFile);
  for (line_iterator line(maps ? (*maps)->getMemBufferRef()
                               : MemoryBufferRef());
       !line.is_at_eof(); ++line) {
    auto [first, rest] = line->split('-');
    uintptr_t begin, end;
    if (!first.getAsInteger(16, begin) &&
        !rest.split(' ').first.getAsInteger(16, end) && begin <= address &&
        address < end && line->contains('/'))
      return line->substr(line->find('/')).str();
  }
  return "";
}

/// HEDDLE_PARSE, or the program beside this one or in the folder `bin` beside
/// the library's.
static Expected<std::string> findProgram() {
  if (const char *given = secure_getenv("HEDDLE_PARSE")) {
    if (!*given)
      return createStringError(
          "HEDDLE_PARSE is empty: name the program in it, or unset it");
    if (!sys::fs::can_execute(given))
      return createStringError(Twine("HEDDLE_PARSE names \"") + given +
                               (sys::fs::exists(given)
                                    ? "\", which is no program that may be run"
                                    : "\", which does not exist"));
    return std::string(given);
  }
  std::string own = ownFile();
  StringRef folder = sys::path::parent_path(own);
  SmallString<256> beside(folder), inBin(sys::path::parent_path(folder));
  sys::path::append(beside, "heddle-parse");
  sys::path::append(inBin, "bin", "heddle-parse");
  for (StringRef path : {beside.str(), inBin.str()})
    if (sys::fs::can_execute(path))
      return path.str();
  return createStringError("there is no program " + beside + " or " + inBin);
}

//===----------------------------------------------------------------------===//
// Its life
//===----------------------------------------------------------------------===//

/// The processes of this one's that are there: numbers of groups, each with the
/// process that started it, which may have been forked since. Those that find
/// no room live as the others do, but are not killed with this process.
static std::array<std::atomic<uint64_t>, 64> startedGroups;

static uint64_t noteOf(pid_t child) {
  return static_cast<uint64_t>(getpid()) << 32 | static_cast<uint32_t>(child);
}

static void noteStarted(pid_t child) {
  for (std::atomic<uint64_t> &note : startedGroups) {
    uint64_t old = note.load();
    bool isFree = !old || old >> 32 != static_cast<uint64_t>(getpid());
    if (isFree && note.compare_exchange_strong(old, noteOf(child)))
      return;
  }
}

static void forgetStarted(pid_t child) {
  for (std::atomic<uint64_t> &note : startedGroups) {
    uint64_t known = noteOf(child);
    if (note.compare_exchange_strong(known, 0))
      return;
  }
}

/// What it has started dies with it.
static void killGroup(pid_t child) { kill(-child, SIGKILL); }

void killTrialProcesses() {
  for (const std::atomic<uint64_t> &note : startedGroups) {
    uint64_t known = note.load();
    if (known && known >> 32 == static_cast<uint64_t>(getpid()))
      killGroup(static_cast<pid_t>(known & UINT32_MAX));
  }
}

class TrialProcess {
public:
  static Expected<std::unique_ptr<TrialProcess>> start();
  TrialProcess(std::string path, pid_t child, int process, int socket)
      : path(std::move(path)), owner(getpid()), child(child), process(process),
        socket(socket) {}
  ~TrialProcess();

  /// Whether this process has started it, and not the one that this one was
  /// forked from.
  bool isOurs() const { return getpid() == owner; }

  /// What is wrong with one that ends when it is asked for the first time.
  Error endedEarly() const {
    return createStringError(path + " ends without an answer; is it of another "
                                    "heddle, or another program?");
  }

  /// Nothing if it has ended; an error that starting anew does not mend.
  Expected<std::optional<TrialAnswer>> ask(const TrialQuestion &question,
                                           int source, int output);

private:
  std::string path;
  pid_t owner, child;
  /// Its pidfd; -1 where the system has none to give (before Linux 5.3).
  int process;
  int socket;
};

/// Waits until `socket` can be read from, or its other end is closed, or the
/// process has ended: then its socket may still be open, in what it has
/// started. What is -1 is not waited for. False if the time is over.
static bool waitFor(int socket, int process, uint64_t milliseconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end =
      Clock::now() +
      std::chrono::milliseconds(std::min<uint64_t>(milliseconds, 1 << 30));
  pollfd watched[] = {{socket, POLLIN, 0}, {process, POLLIN, 0}};
  int ready;
  // Signals of the host end a poll, and do not make the whole wait longer.
  do {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    ready =
        poll(watched, std::size(watched), std::max<int64_t>(left.count(), 0));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

Expected<std::unique_ptr<TrialProcess>> TrialProcess::start() {
  Expected<std::string> path = findProgram();
  if (!path)
    return path.takeError();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return createStringError(std::string("no socket: ") + std::strerror(errno));
  SpawnSettings settings(ends[1]);
  std::string name = "heddle-parse";
  char *arguments[] = {name.data(), nullptr};
  pid_t child;
  int problem = posix_spawn(&child, path->c_str(), &settings.actions,
                            &settings.attributes, arguments, environ);
  close(ends[1]);
  if (problem != 0) {
    close(ends[0]);
    return createStringError("cannot run " + *path + ": " +
                             std::strerror(problem));
  }
  noteStarted(child);
  int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  return std::make_unique<TrialProcess>(std::move(*path), child, process,
                                        ends[0]);
}

TrialProcess::~TrialProcess() {
  llvm::scope_exit closeAll([this] {
    close(socket);
    if (process >= 0)
      close(process);
  });
  if (!isOurs())
    return;
  forgetStarted(child);
  // It ends when nobody can ask any more, and its end of the socket with it.
  shutdown(socket, SHUT_WR);
  bool ended = waitFor(process < 0 ? socket : -1, process, 1000);
  // Where the host ignores SIGCHLD, the number may be another's already; a
  // child that can be waited for is still there.
  if (!ended && waitpid(child, nullptr, WNOHANG) == 0)
    killGroup(child);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
}

Expected<std::optional<TrialAnswer>>
TrialProcess::ask(const TrialQuestion &question, int source, int output) {
  if (!sendQuestion(socket, question, source, output))
    return std::nullopt;
  // Longer than heddle-parse itself waits.
  if (!waitFor(socket, process,
               trialWaitingMilliseconds(question.bytes) + 2000)) {
    killGroup(child);
    return createStringError(path + " does not answer");
  }
  TrialAnswer answer;
  // Nothing is there to be received where the process ended without an answer.
  ssize_t got = recv(socket, &answer, sizeof answer, MSG_DONTWAIT);
  if (got <= 0)
    return std::nullopt;
  if (got != sizeof answer ||
      std::memcmp(&answer.version, &question.version, sizeof answer.version))
    return createStringError(path + " is not of version " HEDDLE_VERSION);
  return answer;
}

//===----------------------------------------------------------------------===//
// The one that is kept
//===----------------------------------------------------------------------===//

TrialKeeper::~TrialKeeper() { take(); }

std::unique_ptr<TrialProcess> TrialKeeper::take() {
  return std::unique_ptr<TrialProcess>(process.exchange(nullptr));
}

void TrialKeeper::give(std::unique_ptr<TrialProcess> other) {
  TrialProcess *none = nullptr;
  if (process.compare_exchange_strong(none, other.get()))
    (void)other.release();
}

Expected<TrialAnswer> askTrialProcess(TrialKeeper &keeper,
                                      const TrialQuestion &question, int source,
                                      int output) {
  // The one that was kept may have ended since; another may not.
  std::unique_ptr<TrialProcess> process = keeper.take();
  for (bool isNew : {false, true}) {
    if (isNew) {
      auto started = TrialProcess::start();
      if (!started)
        return started.takeError();
      process = std::move(*started);
    } else if (!process || !process->isOurs()) {
      continue;
    }
    auto answer = process->ask(question, source, output);
    if (!answer)
      return answer.takeError();
    if (*answer) {
      keeper.give(std::move(process));
      return **answer;
    }
  }
  return process->endedEarly();
}

} // namespace heddle
