// MLIR's bytecode reader trusts its input: mutated bytecode makes it abort,
// loop, allocate without end, or write where it should not. So it runs where
// this costs nothing but a process, and what it made is written anew: this
// process reads bytes of MLIR's own writer only. The text parser is sound, and
// is tried for what it may cost.

#include "lib/Frontend/StableHlo/TrialParse.h"
#include "lib/Frontend/StableHlo/ShardyDialect.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace heddle {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define HEDDLE_SHADOW_MEMORY
static constexpr rlim_t kSlowdown = 10;
#else
static constexpr rlim_t kSlowdown = 1;
#endif

/// Processor time for a file of `bytes`, in milliseconds: text parses at some
/// 10 MB a second. Less than a second for a small one, so that a second is
/// enough to say so.
static uint64_t cpuMilliseconds(uint64_t bytes) {
  return kSlowdown * (800 + 1000 * (bytes >> 20));
}

/// Address space for a file of `bytes`, beyond what the process has mapped: IR
/// takes up to some 20 bytes for each of the file. With the pages of libraries
/// that are mapped and first touched here, a small file stays below 64 MiB.
static rlim_t extraAddressSpace(uint64_t bytes) {
  return (uint64_t(48) << 20) + 64 * bytes;
}

/// Bytes of address space in use.
static uint64_t mappedBytes() {
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
  current.rlim_cur = std::min(current.rlim_max, value);
  setrlimit(resource, &current);
}

/// Exit status of a child that the reader told that the bytecode is wrong. Its
/// message is in the output.
static constexpr int kRefused = 77;

[[noreturn]] static void parseInChild(const DialectRegistry &registry,
                                      llvm::MemoryBufferRef source,
                                      int output) {
  // The parent's handlers would write a report about this death.
  for (int signal :
       {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGPROF})
    std::signal(signal, SIG_DFL);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  // What nests so deeply that half of the stack is not enough fails here, not
  // in the parent, whose passes take more of it at each level.
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
    limit(RLIMIT_STACK, stack.rlim_cur / 2);
  uint64_t milliseconds = cpuMilliseconds(source.getBufferSize());
  itimerval timer = {};
  timer.it_value.tv_sec = milliseconds / 1000;
  timer.it_value.tv_usec = milliseconds % 1000 * 1000;
  setitimer(ITIMER_PROF, &timer, nullptr);
#ifndef HEDDLE_SHADOW_MEMORY
  limit(RLIMIT_AS, mappedBytes() + extraAddressSpace(source.getBufferSize()));
#endif
  // Threads of the parent do not exist here: no thread pool.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(); // as the import does
  if (output >= 0 || mentionsShardy(source.getBuffer()))
    allowShardy(context);
  std::string message;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source.getBuffer(), &context, source.getBufferIdentifier());
  if (output < 0)
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

/// The whole file without a name behind `descriptor`.
static std::unique_ptr<llvm::MemoryBuffer> readBack(int descriptor,
                                                    StringRef name) {
  off_t size = lseek(descriptor, 0, SEEK_END);
  if (size < 0)
    return nullptr;
  auto buffer = llvm::MemoryBuffer::getOpenFile(descriptor, name, size);
  return buffer ? std::move(*buffer) : nullptr;
}

Trial trialParse(const DialectRegistry &registry,
                 llvm::MemoryBufferRef source) {
  int output = -1;
  if (isBytecode(source)) {
    output = memfd_create("heddle-bytecode", MFD_CLOEXEC);
    if (output < 0)
      return {std::string("no memory for its copy: ") + std::strerror(errno)};
  }
  llvm::scope_exit close([&] {
    if (output >= 0)
      ::close(output);
  });
  pid_t child = fork();
  if (child == 0)
    parseInChild(registry, source, output);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      child = -1;
  if (child < 0)
    return {std::string("no process to parse it in: ") + std::strerror(errno)};

  Trial trial;
  bool refused = WIFEXITED(status) && WEXITSTATUS(status) == kRefused;
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if ((good || refused) && output >= 0)
    trial.rewritten = readBack(output, source.getBufferIdentifier());
  if (refused) {
    if (trial.rewritten)
      trial.problem = trial.rewritten->getBuffer().str();
    trial.rewritten.reset();
    if (trial.problem.empty())
      trial.problem = "the bytecode is damaged";
    return trial;
  }
  if (good) {
    if (output >= 0 && !trial.rewritten)
      trial.problem = "its copy cannot be read";
    return trial;
  }
  trial.died = true;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
    trial.problem = "it takes more than " +
                    std::to_string(cpuMilliseconds(source.getBufferSize())) +
                    " ms to parse";
  else if (WIFEXITED(status) &&
           WEXITSTATUS(status) == static_cast<int>(ExitCode::ResourceLimit))
    trial.problem =
        "it takes more than " +
        std::to_string(extraAddressSpace(source.getBufferSize()) >> 20) +
        " MiB of memory to parse";
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
    trial.problem = "the parser ended by signal: Segmentation fault; nested "
                    "too deeply, or damaged";
  else if (WIFSIGNALED(status))
    trial.problem = std::string("the parser ended by signal: ") +
                    strsignal(WTERMSIG(status));
  else
    trial.problem =
        "the parser ended with status " + std::to_string(WEXITSTATUS(status));
  return trial;
}

} // namespace heddle
