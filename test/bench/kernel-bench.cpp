// Times kernel functions on one thread, beside the multiply-add rate of the
// core in the same run.
//
//   kernel-bench FILE.mlir [MACHINE] [--asm] [--sizes=NAME=N,NAME=N...]
//
// With sizes each function over extents is timed beside the one made for just
// those sizes, in turns.
//
// Every function of the file is lowered, compiled and run on random inputs;
// the least of many repetitions counts, since a shared machine only adds time.

#include "../unit/KernelCpu/KernelHarness.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>
#include <immintrin.h>

using namespace mlir;
using namespace heddle::test;

/// Processor time of this thread: on a shared machine the clock on the wall
/// counts other people's work.
static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/// GFLOP/s of independent 512-bit multiply-adds (256-bit without AVX-512).
__attribute__((target("avx512f"))) static double peak512() {
  __m512 sums[16], factor = _mm512_set1_ps(0.999f);
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(1);
  double best = 1e9;
  constexpr int rounds = 20000;
  for (int repeat = 0; repeat < 200; ++repeat) {
    double start = seconds();
    for (int i = 0; i < rounds; ++i) {
#ifdef __clang__
#pragma clang loop unroll(full)
#endif
      for (int s = 0; s < 16; ++s)
        sums[s] = _mm512_fmadd_ps(factor, sums[s], factor);
      __asm__ volatile("" : "+v"(factor));
    }
    best = std::min(best, seconds() - start);
  }
  volatile float sink = 0;
  for (__m512 &sum : sums)
    sink = sink + _mm512_reduce_add_ps(sum);
  return 16.0 * 16 * 2 * rounds / best * 1e-9;
}

/// GOP/s of independent products of bytes in matrix registers; of bf16 it is
/// half of that. Runs are short, so that the least is one that nobody on the
/// other thread of the core took part in.
__attribute__((target("amx-tile,amx-int8"))) static double peakOfMatrices() {
  alignas(64) unsigned char configuration[64] = {1};
  alignas(64) static const char zeros[1024] = {};
  for (int number = 0; number < 8; ++number) {
    configuration[16 + 2 * number] = 64;
    configuration[48 + number] = 16;
  }
  _tile_loadconfig(configuration);
  _tile_loadd(4, zeros, 64);
  _tile_loadd(5, zeros, 64);
  _tile_loadd(6, zeros, 64);
  _tile_loadd(7, zeros, 64);
  double best = 1e9;
  constexpr int rounds = 100;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    double start = seconds();
    for (int i = 0; i < rounds; ++i) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
    best = std::min(best, seconds() - start);
  }
  _tile_release();
  return 4.0 * rounds * 16 * 16 * 64 * 2 / best * 1e-9;
}

static double flopsOf(func::FuncOp function) {
  double flops = 0;
  function.walk([&](Operation *op) {
    if (auto contract = dyn_cast<heddle::kernel::ContractOp>(op)) {
      flops = 2;
      for (int64_t extent : contract.getExtents())
        flops *= extent;
    }
    if (auto convolution = dyn_cast<heddle::kernel::ConvolutionOp>(op)) {
      flops = 2.0 * convolution.getType().getNumElements();
      for (int64_t extent : convolution.getKernelExtents())
        flops *= extent;
      flops *= convolution.getInput().getType().getShape().back() /
               convolution.getGroups();
    }
    if (auto attention = dyn_cast<heddle::kernel::AttentionOp>(op)) {
      llvm::ArrayRef<int64_t> extents = attention.getExtents();
      flops = 2.0 * (extents.back() + extents[extents.size() - 2]);
      for (int64_t extent : extents.drop_back(2))
        flops *= extent;
    }
  });
  return flops;
}

/// Buffers of random floats for the arguments and results of `function`.
struct Buffers {
  std::vector<std::vector<float>> memory;
  std::vector<void *> addresses;
  double bytes = 0;

  explicit Buffers(FunctionType type) {
    for (Type tensor :
         llvm::concat<const Type>(type.getInputs(), type.getResults())) {
      int64_t count = cast<RankedTensorType>(tensor).getNumElements();
      bytes += 4.0 * count;
      memory.push_back(randomValues(count + 32, memory.size()));
      auto address = reinterpret_cast<uintptr_t>(memory.back().data());
      addresses.push_back(
          reinterpret_cast<void *>((address + 63) & ~uintptr_t(63)));
    }
  }
};

/// Times `text` at `sizes` beside what is made for them alone. False if one of
/// the two has no kernel.
static bool compare(StringRef name, const std::string &text,
                    const std::string &machine,
                    const std::map<std::string, int64_t> &sizes,
                    bool assembly) {
  std::string fixed = fixedText(text, sizes);
  double begin = seconds();
  auto sized = Kernel::compile(text, machine);
  double compiledSized = seconds() - begin;
  auto exact = Kernel::compile(fixed, machine);
  double compiledExact = seconds() - begin - compiledSized;
  if (!sized || !exact)
    return false;
  if (assembly)
    llvm::outs() << sized->assembly;
  auto module = parse(fixed);
  Buffers buffers((*module->getOps<func::FuncOp>().begin()).getFunctionType());
  double bestSized = 1e9, bestExact = 1e9, end = seconds() + 0.4;
  do {
    double start = seconds();
    sized->run(buffers.addresses, sizes);
    double middle = seconds();
    exact->run(buffers.addresses);
    bestSized = std::min(bestSized, middle - start);
    bestExact = std::min(bestExact, seconds() - middle);
  } while (seconds() < end);
  llvm::outs() << llvm::format("%-28s %9.1f us, made for the sizes %9.1f us, "
                               "ratio %.3f, code %d and %d lines, compiled in "
                               "%.0f and %.0f ms\n",
                               name.str().c_str(), bestSized * 1e6,
                               bestExact * 1e6, bestSized / bestExact,
                               int(StringRef(sized->assembly).count('\n')),
                               int(StringRef(exact->assembly).count('\n')),
                               compiledSized * 1e3, compiledExact * 1e3);
  llvm::outs().flush();
  return true;
}

/// Reads NAME=N,NAME=N.
static bool readSizes(StringRef text, std::map<std::string, int64_t> &sizes) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    if (number.getAsInteger(10, sizes[name.str()]))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  std::string machine = "x86-64-v4";
  bool assembly = false;
  std::map<std::string, int64_t> sizes;
  for (int i = 2; i < argc; ++i) {
    if (llvm::StringRef(argv[i]) == "--asm")
      assembly = true;
    else if (StringRef given = argv[i]; given.consume_front("--sizes=")) {
      if (!readSizes(given, sizes)) {
        llvm::errs() << "kernel-bench: wants --sizes=NAME=N,NAME=N\n";
        return 1;
      }
    } else
      machine = argv[i];
  }
  auto file = llvm::MemoryBuffer::getFile(argc > 1 ? argv[1] : "-");
  if (!file) {
    llvm::errs() << "kernel-bench: cannot read the file\n";
    return 1;
  }
  auto module = parse((*file)->getBuffer().str());
  if (!module)
    return 1;
  // Asking is what gives the process matrix registers.
  if (!canRun(machine)) {
    llvm::errs() << "kernel-bench: this processor cannot run " << machine
                 << "\n";
    return 1;
  }
  double peak = canRun("x86-64-v4") ? peak512() : 0;
  llvm::outs() << "peak " << llvm::format("%.1f", peak) << " GFLOP/s\n";
  if (machine == "x86-64-v4-amx")
    llvm::outs() << "peak of products of bytes in matrix registers "
                 << llvm::format("%.1f", peakOfMatrices()) << " GOP/s\n";
  for (auto function : module->getOps<func::FuncOp>()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    function.print(stream);
    if (!sizes.empty()) {
      if (!compare(function.getName(), text, machine, sizes, assembly))
        return 1;
      continue;
    }
    double flops = flopsOf(function);
    double start = seconds();
    auto kernel = Kernel::compile(text, machine);
    if (!kernel)
      return 1;
    double compiled = seconds() - start;
    if (assembly)
      llvm::outs() << kernel->assembly;
    Buffers buffers(function.getFunctionType());
    double best = 1e9, end = seconds() + 0.2;
    do {
      double before = seconds();
      kernel->run(buffers.addresses);
      best = std::min(best, seconds() - before);
    } while (seconds() < end);
    llvm::outs() << llvm::format(
        "%-28s %9.1f us %7.1f GFLOP/s %5.2f of peak %6.1f GB/s  compile %.0f "
        "ms, %d tiles\n",
        function.getName().str().c_str(), best * 1e6, flops / best * 1e-9,
        flops / best * 1e-9 / peak, buffers.bytes / best * 1e-9, compiled * 1e3,
        int(kernel->tiles));
    llvm::outs().flush();
  }
  return 0;
}
