// A limit or a crash is met at any point of any thread, possibly without
// memory: everything below works on static storage and system calls alone.

#include "heddle/Driver/Limits.h"

#include "heddle/Driver/Document.h"
#include "heddle/Driver/PhaseLog.h"
#include "heddle/Driver/Reports.h"
#include "heddle/Frontend/TrialKeeper.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

using namespace heddle;

/// What ends the process: the error, for standard error, and with --json the
/// document that says so on standard output.
struct LastWords {
  char error[512], document[768];
};
static LastWords memoryWords, timeWords, threadWords, lostFileWords;
/// The thread whose crash is being reported, 0 before there is one.
static std::atomic<pid_t> crashing{0};
static char crashCommand[4096];
static bool asJson;
/// Set before a tool starts its first thread, and in no other process: in one
/// that only links the compiler several threads may compile at once.
static bool isReporting;
/// Written by a tool's main thread only; a crash elsewhere may read half a
/// name.
static char crashStage[64] = "starting";

static void write(int descriptor, const char *text) {
  size_t left = std::strlen(text);
  while (left) {
    ssize_t done = ::write(descriptor, text, left);
    if (done <= 0)
      return;
    text += done;
    left -= done;
  }
}

static void formatDocument(char *document, size_t size, ExitCode code,
                           const char *error) {
  std::snprintf(document, size,
                "{\"status\":\"failed\",\"exit_code\":%d,\"error\":%.*s}\n",
                int(code), int(std::strlen(error) - 1), error);
}

static void formatWords(LastWords &words, bool json, ErrorCode code,
                        const char *message) {
  std::string name = errorName(code), help = errorInfo(code).help.str();
  std::snprintf(words.error, sizeof words.error,
                json ? "{\"severity\":\"error\",\"code\":\"%s\",\"message\":"
                       "\"%s\",\"help\":\"%s\",\"nodes\":[],\"notes\":[]}\n"
                     : "error[%s]: %s\nhelp: %s\n",
                name.c_str(), message, help.c_str());
  words.document[0] = 0;
  if (json)
    formatDocument(words.document, sizeof words.document, errorInfo(code).exit,
                   words.error);
}

/// Whether this thread is the one that ends the process. Another that does so
/// already has said, or will say, why.
static bool mayEnd() { return !asJson || claimDocument(); }

[[noreturn]] static void die(const LastWords &words, ExitCode code) {
  if (mayEnd()) {
    write(2, words.error);
    if (asJson)
      writeDocumentText(words.document, std::strlen(words.document));
    // One that is stuck would stay.
    killTrialProcesses();
    _exit(int(code));
  }
  while (true)
    pause();
}

[[noreturn]] static void dieOfMemory() {
  die(memoryWords, ExitCode::ResourceLimit);
}

/// Where the system refuses a thread the standard library throws a
/// system_error, and LLVM reports a fatal error.
[[noreturn]] static void dieOfUncaught() {
  try {
    if (std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(thrown);
  } catch (const std::system_error &error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      die(threadWords, ExitCode::ResourceLimit);
  } catch (...) {
  }
  std::abort();
}

static void onFatalError(void *, const char *reason, bool) {
  if (std::strstr(reason, "pthread_create"))
    die(threadWords, ExitCode::ResourceLimit);
}

/// Watches both bounds, for the life of the process.
static void watchLimits(uint64_t memoryBytes, double seconds) {
  auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    if (seconds > 0 && std::chrono::steady_clock::now() >= end)
      die(timeWords, ExitCode::ResourceLimit);
    if (memoryBytes && ownMemoryBytes() > memoryBytes)
      dieOfMemory();
    std::this_thread::sleep_for(
        std::chrono::milliseconds(seconds > 0 && seconds < 0.1 ? 1 : 5));
  }
}

void heddle::setLimits(uint64_t memoryBytes, double seconds, bool json) {
  char text[128];
  if (memoryBytes) {
    std::snprintf(text, sizeof text,
                  "more than %llu MiB of memory would be needed",
                  (unsigned long long)(memoryBytes >> 20));
    // Against what is faster than the watcher. The kernel's count includes the
    // stacks of threads, hence the allowance; files mapped read-only are free.
    uint64_t bound = memoryBytes + (uint64_t(512) << 20);
    rlimit limit{bound, bound};
    setrlimit(RLIMIT_DATA, &limit);
  } else {
    std::snprintf(text, sizeof text, "the machine's memory is exhausted");
  }
  formatWords(memoryWords, json, ErrorCode::MemoryLimit, text);
  std::set_new_handler(dieOfMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { dieOfMemory(); });
  formatWords(threadWords, json, ErrorCode::ThreadsUnavailable,
              "the system lets no more threads start");
  std::set_terminate(dieOfUncaught);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(onFatalError);
  std::snprintf(text, sizeof text, "%g seconds were not enough", seconds);
  formatWords(timeWords, json, ErrorCode::TimeLimit, text);
  if (memoryBytes || seconds > 0)
    std::thread(watchLimits, memoryBytes, seconds).detach();
}

void heddle::setCrashStage(llvm::StringRef stage) {
  if (!isReporting)
    return;
  size_t size = std::min(stage.size(), sizeof crashStage - 1);
  std::memcpy(crashStage, stage.data(), size);
  crashStage[size] = 0;
}

/// A page of a mapped file that is not there any more: the file has become
/// shorter, or its disk fails. No mistake of ours, and nothing to report.
[[noreturn]] static void dieOfLostFile() {
  die(lostFileWords, errorInfo(ErrorCode::FileUnreadable).exit);
}

static void onCrash(int signal, siginfo_t *info, void *) {
  // Threads that read the same file crash together: the first of them speaks.
  // A crash while doing so ends the process at once.
  pid_t self = static_cast<pid_t>(syscall(SYS_gettid)), nobody = 0;
  if (!crashing.compare_exchange_strong(nobody, self)) {
    if (nobody == self)
      _exit(int(ExitCode::Internal));
    while (true)
      pause();
  }
  if (signal == SIGBUS && info->si_code == BUS_ADRERR)
    dieOfLostFile();
  static char text[6000];
  ReportPath path;
  int file = openReport("heddle-crash", ".txt", path);
  if (file >= 0) {
    std::snprintf(text, sizeof text,
                  "heddle " HEDDLE_VERSION
                  "\nsignal: %d\nstage: %s\ncommand: %s\n",
                  signal, crashStage, crashCommand);
    write(file, text);
    close(file);
  }
  const char *name = file >= 0 ? path.text : "";
  std::snprintf(
      text, sizeof text,
      asJson ? "{\"severity\":\"error\",\"code\":\"HDL-0901\",\"message\":"
               "\"signal "
               "%d in stage "
               "%s\",\"reproducer\":\"%s\",\"nodes\":[],\"notes\":[]}\n"
             : "error[HDL-0901]: signal %d in stage \"%s\"; this is a fault of "
               "heddle's\nnote: please report it with the model and %s\n",
      signal, crashStage,
      asJson      ? name
      : file >= 0 ? name
                  : "this message");
  // A command that has written its document has ended well but for this.
  bool claims = asJson && claimDocument();
  write(2, text);
  if (claims) {
    static char document[sizeof text + 256];
    formatDocument(document, sizeof document, ExitCode::Internal, text);
    writeDocumentText(document, std::strlen(document));
  }
  _exit(int(ExitCode::Internal));
}

void heddle::setCrashReport(int argc, const char *const *argv, bool json) {
  asJson = json;
  isReporting = true;
  formatWords(lostFileWords, json, ErrorCode::FileUnreadable,
              "a file became shorter while it was in use, or its disk fails");
  prepareReports();
  size_t used = 0;
  for (int i = 0; i < argc && used < sizeof crashCommand; ++i)
    used += std::snprintf(crashCommand + used, sizeof crashCommand - used,
                          "%s%s", i ? " " : "", argv[i]);
  // A stack of its own: deep recursion is a crash too.
  static char stack[64 * 1024];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onCrash;
  // Not reset and not deferred: a second crash, in this thread or another, must
  // not end the process before the first is reported.
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
  // A file that may not grow further is an error of the write.
  std::signal(SIGXFSZ, SIG_IGN);
}

std::optional<uint64_t> heddle::parseBytes(llvm::StringRef text) {
  llvm::StringRef digits =
      text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  llvm::StringRef unit = text.drop_front(digits.size()).trim();
  unit.consume_back_insensitive("iB") || unit.consume_back_insensitive("B");
  double number;
  if (digits.getAsDouble(number) || number < 0 || unit.size() > 1)
    return std::nullopt;
  size_t power =
      unit.empty() ? 0 : llvm::StringRef("kmgt").find_insensitive(unit) + 1;
  if (!unit.empty() && power == 0)
    return std::nullopt;
  for (; power; --power)
    number *= 1024;
  if (number >= 0x1p63)
    return std::nullopt;
  return uint64_t(number);
}
