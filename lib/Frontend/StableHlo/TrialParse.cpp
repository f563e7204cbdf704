// MLIR's readers trust their input: mutated bytecode makes them abort, loop or
// allocate without end. So they run once where this costs nothing but a
// process.

#include "lib/Frontend/StableHlo/TrialParse.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace heddle {

/// Processor seconds for a file of `bytes`: text parses at some 10 MB a second.
static rlim_t cpuSeconds(uint64_t bytes) { return 5 + bytes / (4 << 20); }

/// Address space for a file of `bytes`, beyond what the process has mapped.
static rlim_t extraAddressSpace(uint64_t bytes) {
  return (uint64_t(1) << 30) + 16 * bytes;
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

[[noreturn]] static void parseInChild(const DialectRegistry &registry,
                                      llvm::MemoryBufferRef source) {
  // The parent's handlers would write a report about this death.
  for (int signal :
       {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU})
    std::signal(signal, SIG_DFL);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpuSeconds(source.getBufferSize()));
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  limit(RLIMIT_AS, mappedBytes() + extraAddressSpace(source.getBufferSize()));
#endif
  // Threads of the parent do not exist here: no thread pool.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](Diagnostic &) {});
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source.getBuffer(), &context, source.getBufferIdentifier());
  _exit(0);
}

std::string trialParse(const DialectRegistry &registry,
                       llvm::MemoryBufferRef source) {
  pid_t child = fork();
  if (child == 0)
    parseInChild(registry, source);
  if (child < 0)
    return {}; // no process to spare: parse at our own risk
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return "it takes more than " +
           std::to_string(cpuSeconds(source.getBufferSize())) + " s to parse";
  if (WIFSIGNALED(status))
    return std::string("the parser ended by signal: ") +
           strsignal(WTERMSIG(status));
  return "the parser ended with status " + std::to_string(WEXITSTATUS(status));
}

} // namespace heddle
