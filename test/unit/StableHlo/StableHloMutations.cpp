// stablehlo-mutations: damages programs, as text and as bytecode, in many ways
// and imports each. Every import must end by itself, with a module or with an
// error that is not heddle's own, and take neither much time nor much memory.
//
// usage: stablehlo-mutations COUNT FIRST SEED...
//
// Mutation number n of FIRST .. FIRST + COUNT is decided by n and the seeds
// alone; with COUNT 0 it is written to standard output, to look at. Each import
// has a process of its own, so that a crash is one failure and not the end; as
// many run at once as there are processors. A text that is parsed without a
// trial must survive one.

#include "heddle/Frontend/StableHlo.h"
#include "heddle/Pipeline/Registration.h"
#include "lib/Frontend/StableHlo/PlainText.h"
#include "lib/Frontend/StableHlo/TrialParse.h"
#include "test/unit/Mutate.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

/// Bounds on one import, its trial included: far above what a small program
/// takes, far below what an attack would.
#ifdef __SANITIZE_ADDRESS__
// The sanitizer takes several times as much of both.
static constexpr double kMostSeconds = 20.0;
static constexpr long kMostKibibytes = 1024 * 1024;
static constexpr unsigned kEndlessSeconds = 300;
#else
static constexpr double kMostSeconds = 1.0;
static constexpr long kMostKibibytes = 64 * 1024;
/// On the clock, of a machine that may have other work.
static constexpr unsigned kEndlessSeconds = 30;
#endif

namespace {
enum Outcome { Imported, Refused, Wrong, kOutcomes };
using Counts = std::array<uint64_t, kOutcomes>;
} // namespace

static double processorSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  auto seconds = [](timeval time) { return time.tv_sec + time.tv_usec * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static long peakKibibytes(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return usage.ru_maxrss;
}

/// Leaves each size to calls that the program does.
static heddle::StableHloImportOptions
allSizes(const heddle::StableHloProgram &program) {
  heddle::StableHloImportOptions options;
  for (auto [i, argument] :
       llvm::enumerate(heddle::describeArguments(program))) {
    if (!argument.shape ||
        !llvm::is_contained(*argument.shape, ShapedType::kDynamic))
      continue;
    std::vector<std::string> shape;
    for (int64_t extent : *argument.shape) {
      if (!ShapedType::isDynamic(extent)) {
        shape.push_back(std::to_string(extent));
        continue;
      }
      // A few sizes of many dimensions.
      std::string name = "n" + std::to_string(shape.size() % 2);
      if (llvm::none_of(options.sizes, [&](const heddle::ChosenSize &size) {
            return size.name == name;
          }))
        options.sizes.push_back({name, 0, 6});
      shape.push_back(name);
    }
    options.sizedShapes.emplace_back("arg" + std::to_string(i), shape);
  }
  return options;
}

/// Imports the file in this process, and judges what that was like.
static Outcome importHere(const DialectRegistry &registry,
                          const std::string &path, uint64_t number) {
  // A handler of its own would hide the death; an endless import is one.
  alarm(kEndlessSeconds);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    text += diagnostic.str() + "\n";
  });
  long before = peakKibibytes(RUSAGE_SELF);
  OwningOpRef<ModuleOp> module;
  if (auto program = heddle::parseStableHlo(&context, path)) {
    heddle::StableHloImportOptions options = allSizes(*program);
    module = heddle::importStableHlo(std::move(*program), options);
  }
  double taken =
      processorSeconds(RUSAGE_SELF) + processorSeconds(RUSAGE_CHILDREN);
  long grown =
      std::max(peakKibibytes(RUSAGE_SELF), peakKibibytes(RUSAGE_CHILDREN)) -
      before;
  bool isInternal = text.find("HDL-09") != std::string::npos;
  isInternal |= text.find("HDL-0113") != std::string::npos;
  if (auto file = llvm::MemoryBuffer::getFile(path))
    if (llvm::StringRef bytes = (*file)->getBuffer();
        heddle::isPlainText(bytes)) {
      heddle::TrialKeeper trials;
      heddle::Trial trial = heddle::trialParse(bytes, path, trials);
      isInternal |= !trial.file;
      text += trial.problem;
    }
  if (bool(module) == (errors == 0) && !isInternal && taken < kMostSeconds &&
      grown < kMostKibibytes)
    return module ? Imported : Refused;
  llvm::errs() << "mutation " << number << ": "
               << (module ? "imported" : "refused") << " with " << errors
               << " errors in " << taken << " s, " << grown << " KiB:\n"
               << text;
  return Wrong;
}

static Outcome importInChild(const DialectRegistry &registry,
                             const std::string &path, uint64_t number) {
  pid_t child = fork();
  if (child == 0)
    _exit(importHere(registry, path, number));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) {
    llvm::errs() << "mutation " << number << ": no process\n";
    return Wrong;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) < kOutcomes)
    return Outcome(WEXITSTATUS(status));
  llvm::errs() << "mutation " << number << ": "
               << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                       : "exit status of its own")
               << "\n";
  return Wrong;
}

static void writeFile(const std::string &path, llvm::ArrayRef<char> bytes) {
  std::error_code problem;
  llvm::raw_fd_ostream os(path, problem);
  os.write(bytes.data(), bytes.size());
}

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "usage: stablehlo-mutations COUNT FIRST SEED...\n";
    return 2;
  }
  uint64_t count = std::stoull(argv[1]), first = std::stoull(argv[2]);
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> seeds;
  for (int i = 3; i < argc; ++i) {
    auto buffer = llvm::MemoryBuffer::getFile(argv[i]);
    if (!buffer) {
      llvm::errs() << "cannot read " << argv[i] << "\n";
      return 2;
    }
    seeds.push_back(std::move(*buffer));
  }
  auto mutation = [&](uint64_t n) {
    const llvm::MemoryBuffer &seed = *seeds[n % seeds.size()];
    return heddle::mutate({seed.getBufferStart(), seed.getBufferSize()},
                          n / seeds.size());
  };
  if (count == 0) {
    std::vector<char> bytes = mutation(first);
    llvm::outs().write(bytes.data(), bytes.size());
    return 0;
  }
  DialectRegistry registry;
  heddle::registerAllDialects(registry);

  unsigned workers = std::max<long>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  size_t bytes = workers * sizeof(Counts);
  auto *counts =
      static_cast<Counts *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (counts == MAP_FAILED)
    return 2;
  for (unsigned worker = 0; worker < workers; ++worker) {
    if (fork() != 0)
      continue;
    char folder[] = "/tmp/stablehlo-mutations-XXXXXX";
    if (!mkdtemp(folder))
      _exit(2);
    std::string path = std::string(folder) + "/program";
    for (uint64_t n = first + worker; n < first + count; n += workers) {
      writeFile(path, mutation(n));
      ++counts[worker][importInChild(registry, path, n)];
    }
    unlink(path.c_str());
    rmdir(folder);
    _exit(0);
  }
  while (wait(nullptr) > 0)
    ;
  Counts all{};
  for (unsigned worker = 0; worker < workers; ++worker)
    for (unsigned outcome = 0; outcome < kOutcomes; ++outcome)
      all[outcome] += counts[worker][outcome];
  uint64_t done = all[Imported] + all[Refused] + all[Wrong];
  // A worker that died leaves mutations undone.
  all[Wrong] += count - done;
  llvm::outs() << count << " mutations: " << all[Imported] << " imported, "
               << all[Refused] << " refused, " << all[Wrong] << " wrong\n";
  return all[Wrong] == 0 ? 0 : 1;
}
