// What heddle-parse is asked, and what its answers mean to whoever has the
// file. MLIR's text parser is sound, and is tried for what it may cost; its
// bytecode reader is not, and only reads here what MLIR's own writer wrote.

#include "lib/Frontend/StableHlo/TrialParse.h"
#include "lib/Frontend/StableHlo/TrialProcess.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/Errno.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace heddle {

namespace {
/// A file without a name, in memory.
class MemoryFile {
public:
  explicit MemoryFile(const char *name)
      : descriptor(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)) {}
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  /// Fills it, once: both sides then read the same bytes.
  bool fill(StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t done = write(descriptor, bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR)
        return false;
      bytes = bytes.drop_front(std::max<ssize_t>(done, 0));
    }
    return fcntl(descriptor, F_ADD_SEALS,
                 F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
  }

  /// The whole file.
  std::unique_ptr<llvm::MemoryBuffer> read(StringRef name) const {
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size < 0)
      return nullptr;
    auto buffer = llvm::MemoryBuffer::getOpenFile(descriptor, name, size);
    return buffer ? std::move(*buffer) : nullptr;
  }

  const int descriptor;
};
} // namespace

/// What is left of this thread's stack, 0 if that cannot be told.
static uint64_t stackLeft() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *lowest = nullptr;
  size_t size = 0;
  int problem = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  return problem ? 0 : here - static_cast<const char *>(lowest);
}

/// How the parser ended, where that says that the file is at fault.
static std::string describe(const TrialAnswer &answer) {
  std::string detail = std::to_string(answer.detail);
  switch (answer.end) {
  case TrialEnd::ProcessorTime:
    return "it takes more than " + detail + " ms to parse";
  case TrialEnd::WaitingTime:
    return "it is not parsed after " + detail + " ms";
  case TrialEnd::Memory:
    return "it takes more than " + detail + " MiB of memory to parse";
  case TrialEnd::Signal:
    return std::string("the parser ended by signal: ") +
           strsignal(answer.detail) +
           (answer.detail == SIGSEGV ? "; nested too deeply, or damaged" : "");
  default:
    return "the parser ended with status " + detail;
  }
}

Trial trialParse(StringRef bytes, StringRef name, TrialKeeper &keeper) {
  auto because = [](ErrorCode code, std::string problem) {
    return Trial{nullptr, code, std::move(problem)};
  };
  MemoryFile source("heddle-model"), output("heddle-bytecode");
  if (source.descriptor < 0 || output.descriptor < 0 || !source.fill(bytes))
    return because(ErrorCode::StableHloParse,
                   "no memory for its copy: " + llvm::sys::StrError());
  TrialQuestion question;
  question.bytes = bytes.size();
  question.stackBytes = stackLeft();
  llvm::Expected<TrialAnswer> answer =
      askTrialProcess(keeper, question, source.descriptor, output.descriptor);
  if (!answer)
    return because(ErrorCode::MissingParser,
                   llvm::toString(answer.takeError()));

  bool rewrites = isBytecode(llvm::MemoryBufferRef(bytes, name));
  Trial trial;
  switch (answer->end) {
  case TrialEnd::Survived:
    trial.file = (rewrites ? output : source).read(name);
    if (!trial.file)
      trial.problem = "its copy cannot be read";
    return trial;
  case TrialEnd::Refused:
    if (auto message = output.read(name))
      trial.problem = message->getBuffer().str();
    if (trial.problem.empty())
      trial.problem = "the bytecode is damaged";
    return trial;
  case TrialEnd::NoProcess:
    return because(ErrorCode::MissingParser,
                   "no process to parse it in: " +
                       llvm::sys::StrError(answer->detail));
  default:
    return because(ErrorCode::StableHloDamaged, describe(*answer));
  }
}

} // namespace heddle
