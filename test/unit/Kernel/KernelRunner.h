// Compiles kernel functions given as text and runs them in this process.

#ifndef HEDDLE_TEST_UNIT_KERNEL_KERNELRUNNER_H
#define HEDDLE_TEST_UNIT_KERNEL_KERNELRUNNER_H

#include "heddle/Target/CpuTarget.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace heddle::test {

/// The machines of the table that this host can run.
std::vector<std::string> runnableMachines();

class KernelRunner {
public:
  /// Lowers and compiles every function of `text` (each is a kernel) for
  /// `machine` and loads the image. `error()` says what went wrong, if
  /// anything.
  KernelRunner(llvm::StringRef text, llvm::StringRef machine);
  ~KernelRunner();
  KernelRunner(const KernelRunner &) = delete;
  KernelRunner &operator=(const KernelRunner &) = delete;

  const std::string &error() const { return errors; }

  /// Runs `kernel` on `buffers`, inputs first, in `parts` ranges of tiles, the
  /// last range first.
  void run(llvm::StringRef kernel, llvm::ArrayRef<void *> buffers,
           int parts = 1);

  int64_t tiles(llvm::StringRef kernel) const {
    return grids.lookup(kernel).tiles;
  }
  const std::vector<char> &image() const { return elf; }

private:
  struct Grid {
    int64_t tiles = 0, scratch = 0;
    void *entry = nullptr;
  };
  void compile(llvm::StringRef text, llvm::StringRef machine);

  mlir::MLIRContext context;
  std::string errors;
  std::vector<char> elf;
  void *library = nullptr;
  llvm::StringMap<Grid> grids;
};

/// `count` bytes, 64-byte aligned, between guard bytes that `intact` checks.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;
  void *data() const { return start; }
  bool intact() const;

private:
  unsigned char *memory, *start;
  size_t bytes;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_KERNEL_KERNELRUNNER_H
