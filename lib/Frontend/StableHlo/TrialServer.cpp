// MLIR's bytecode reader trusts its input: mutated bytecode makes it abort,
// loop, allocate without end, or write where it should not. So each file is
// parsed in a child of a small process that never parses itself, has one thread
// and can be forked at any time, whatever the program is that compiles.

#include "heddle/Frontend/TrialServer.h"
#include "lib/Frontend/StableHlo/Shardings.h"
#include "lib/Frontend/StableHlo/TrialProtocol.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace heddle {

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// Exit status of a child that the reader told that the bytecode is wrong. Its
/// message is in the output.
static constexpr int kRefused = 77;

/// Address space for a file of `bytes`, beyond what the process has mapped: IR
/// takes up to some 20 bytes for each of the file. With the pages that are
/// first touched here, a small file stays below 64 MiB.
static rlim_t extraAddressSpace(uint64_t bytes) {
  return (uint64_t(48) << 20) + 64 * bytes;
}

/// Bytes of address space in use.
[[maybe_unused]] static uint64_t mappedBytes() {
  unsigned long long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

static void limit(int resource, rlim_t value) {
  struct rlimit current;
  if (getrlimit(resource, &current) != 0)
    return;
  // A limit from outside may be lower already.
  current.rlim_cur = std::min({current.rlim_max, current.rlim_cur, value});
  setrlimit(resource, &current);
}

static void setLimits(const TrialQuestion &question) {
  limit(RLIMIT_CORE, 0);
  // What nests so deeply that half of the stack is not enough fails here, not
  // where the question comes from, whose passes take more of it at each level.
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
    limit(RLIMIT_STACK, stack.rlim_cur / 2);
  if (question.stackBytes)
    limit(RLIMIT_STACK, question.stackBytes / 2);
  uint64_t milliseconds = trialProcessorMilliseconds(question.bytes);
  itimerval timer = {};
  timer.it_value.tv_sec = milliseconds / 1000;
  timer.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_PROF, &timer, nullptr);
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  limit(RLIMIT_AS, mappedBytes() + extraAddressSpace(question.bytes));
#endif
}

[[noreturn]] static void dieOfMemory() {
  _exit(static_cast<int>(ExitCode::ResourceLimit));
}

[[noreturn]] static void parseInChild(const DialectRegistry &registry,
                                      const TrialQuestion &question, int source,
                                      int output) {
  std::set_new_handler(dieOfMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { dieOfMemory(); });
  auto file = llvm::MemoryBuffer::getOpenFile(source, "", question.bytes);
  if (!file)
    dieOfMemory();
  setLimits(question);
  bool rewrites = isBytecode((*file)->getMemBufferRef());
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(); // as the import does
  if (rewrites || mentionsShardings((*file)->getBuffer()))
    allowShardings(context);
  std::string message;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>((*file)->getBuffer(), &context);
  if (!rewrites)
    _exit(0);
  llvm::raw_fd_ostream os(output, /*shouldClose=*/false);
  // The reader makes a module of some bytecode that it has complained about.
  if (!message.empty())
    module = {};
  if (!module)
    os << message;
  else if (failed(writeBytecodeToFile(*module, os)))
    module = {};
  os.flush();
  _exit(module && !os.has_error() ? 0 : kRefused);
}

//===----------------------------------------------------------------------===//
// The process that waits for it
//===----------------------------------------------------------------------===//

/// Waits until the child has closed `childsEnd`, which it does by ending; false
/// if it takes too long. Whoever asked may end first: nobody wants an answer.
static bool waitForEnd(int childsEnd, int socket, uint64_t milliseconds,
                       bool &isAlone) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now())
                    .count();
    if (left <= 0)
      return false;
    pollfd watched[] = {{childsEnd, 0, 0}, {socket, POLLRDHUP, 0}};
    if (poll(watched, 2, std::min<int64_t>(left, 1 << 30)) < 0 &&
        errno != EINTR)
      return false;
    if (watched[0].revents)
      return true;
    if (watched[1].revents) {
      isAlone = true;
      return false;
    }
  }
}

static TrialAnswer answerFor(int status, const TrialQuestion &question) {
  TrialAnswer answer;
  if (WIFSIGNALED(status)) {
    bool outOfTime = WTERMSIG(status) == SIGPROF;
    answer.end = outOfTime ? TrialEnd::ProcessorTime : TrialEnd::Signal;
    answer.detail = outOfTime ? trialProcessorMilliseconds(question.bytes)
                              : WTERMSIG(status);
    return answer;
  }
  answer.detail = WEXITSTATUS(status);
  if (answer.detail == 0) {
    answer.end = TrialEnd::Survived;
  } else if (answer.detail == kRefused) {
    answer.end = TrialEnd::Refused;
  } else if (answer.detail == static_cast<uint32_t>(ExitCode::ResourceLimit)) {
    answer.end = TrialEnd::Memory;
    answer.detail = extraAddressSpace(question.bytes) >> 20;
  } else {
    answer.end = TrialEnd::Status;
  }
  return answer;
}

/// Nothing if whoever asked is gone.
static std::optional<TrialAnswer> tryFile(const DialectRegistry &registry,
                                          const ReceivedQuestion &received,
                                          int socket) {
  const TrialQuestion &question = received.question;
  TrialAnswer answer;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    answer.detail = errno;
    return answer;
  }
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    close(socket);
    parseInChild(registry, question, received.source, received.output);
  }
  int reason = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    answer.detail = reason;
    return answer;
  }
  uint64_t longest = trialWaitingMilliseconds(question.bytes);
  bool isAlone = false;
  bool ended = waitForEnd(ends[0], socket, longest, isAlone);
  close(ends[0]);
  if (!ended)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (isAlone)
    return std::nullopt;
  if (ended)
    return answerFor(status, question);
  answer.end = TrialEnd::WaitingTime;
  answer.detail = longest;
  return answer;
}

void serveTrials(const DialectRegistry &registry, int socket) {
  while (std::optional<ReceivedQuestion> received = receiveQuestion(socket)) {
    std::optional<TrialAnswer> answer;
    // Of another build: what it asks may mean something else.
    if (StringRef(received->question.version.text) == HEDDLE_VERSION)
      answer = tryFile(registry, *received, socket);
    else
      answer.emplace();
    close(received->source);
    close(received->output);
    if (!answer || send(socket, &*answer, sizeof *answer, MSG_NOSIGNAL) < 0)
      return;
  }
}

} // namespace heddle
