// Lowers, compiles and runs one kernel function inside a test.

#ifndef HEDDLE_TEST_UNIT_KERNELCPU_KERNELHARNESS_H
#define HEDDLE_TEST_UNIT_KERNELCPU_KERNELHARNESS_H

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/format/kernel_abi.h"
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::test {

/// The context of all kernels of a test program.
mlir::MLIRContext &context();

/// Whether this host runs code for the machine of that name.
bool canRun(llvm::StringRef machine);

/// One kernel function, in machine code.
class Kernel {
public:
  /// Compiles the only function of `text`; null after a test failure.
  static std::unique_ptr<Kernel> compile(const std::string &text,
                                         llvm::StringRef machine);
  ~Kernel();

  /// Runs the whole grid, `chunk` tiles at a time, the last ones first if
  /// `backwards`.
  void run(llvm::ArrayRef<void *> buffers, int64_t chunk = 0,
           bool backwards = false, llvm::ArrayRef<int64_t> integers = {});

  /// The same where the grid and the numbers of the launch follow from `sizes`.
  void run(llvm::ArrayRef<void *> buffers,
           const std::map<std::string, int64_t> &sizes, int64_t chunk = 0,
           bool backwards = false);

  int64_t tiles = 0, chunk = 1;
  /// What the launch's numbers stand for, and how many tiles there are; null
  /// for a number.
  std::vector<size::Expression> sizeArguments;
  size::Expression tileCount;
  std::string assembly;

private:
  void runTiles(int64_t tiles, int64_t bytes, llvm::ArrayRef<void *> buffers,
                int64_t step, bool backwards, llvm::ArrayRef<int64_t> integers);

  heddle_kernel entry = nullptr;
  void *library = nullptr;
  int descriptor = -1;
  /// As many bytes as the kernel says, by a call's sizes where these decide.
  int64_t scratchBytes = 0;
  size::Expression scratchExpression;
  std::vector<char> scratch;
};

/// `count` values between -1 and 1, the same for equal seeds.
std::vector<float> randomValues(int64_t count, unsigned seed);

/// The number that the bits of a bf16 stand for.
float bfloatValue(uint16_t bits);

/// `count` bf16 between 2^-9 and 2 of both signs, the same for equal seeds: no
/// sum of products is subnormal.
std::vector<uint16_t> randomBfloats(int64_t count, unsigned seed);

/// Sums up `op` in double, over row-major operands.
std::vector<double> evaluate(kernel::ContractOp op, llvm::ArrayRef<double> lhs,
                             llvm::ArrayRef<double> rhs);

/// The same of a convolution; `weights` are not packed.
std::vector<double> evaluate(kernel::ConvolutionOp op,
                             llvm::ArrayRef<double> input,
                             llvm::ArrayRef<double> weights);

/// Parses `text`, which holds one kernel function.
mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

/// The value of `expression` where symbols have these values.
int64_t valueAt(size::Expression expression,
                const std::map<std::string, int64_t> &sizes);

/// `text`, of one kernel function, with the shapes that tensors truly have for
/// these sizes.
std::string fixedText(const std::string &text,
                      const std::map<std::string, int64_t> &sizes);

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_KERNELCPU_KERNELHARNESS_H
