// Compiles a kernel of one operation and runs it on numbers.

#include "KernelRunner.h"

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/Passes.h"
#include "runtime/format/kernel_abi.h"
#include "test/unit/CompileModule.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace heddle::test {

std::vector<std::string> runnableMachines() {
  std::vector<std::string> names;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v2"))
    names.push_back("x86-64-v2");
  if (__builtin_cpu_supports("x86-64-v3"))
    names.push_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v4"))
    names.push_back("x86-64-v4");
  return names;
}

KernelRunner::KernelRunner(llvm::StringRef text, llvm::StringRef machine) {
  DialectRegistry registry;
  registry.insert<kernel::KernelDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  compile(text, machine);
}

void KernelRunner::compile(llvm::StringRef text, llvm::StringRef machineName) {
  const Machine *machine = findMachine(machineName);
  prepareCodegen(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return;
  for (auto function : module->getOps<func::FuncOp>())
    function->setAttr(kernel::kEntryAttrName, UnitAttr::get(&context));
  (*module)->setAttr(targetAttrName, CpuTarget(*machine).toAttr(&context));
  PassManager manager(&context);
  manager.addPass(createLowerKernels());
  if (failed(manager.run(*module)))
    return;
  if (std::getenv("HEDDLE_TEST_PRINT_IR"))
    module->dump();

  CodegenOptions options;
  if (std::getenv("HEDDLE_TEST_PRINT_ASM"))
    options.dump = [](llvm::StringRef, llvm::StringRef assembly) {
      llvm::errs() << assembly;
    };
  FailureOr<std::vector<char>> image =
      compileModule(*module, *machine, options);
  if (failed(image))
    return;
  elf = std::move(*image);
  int descriptor = memfd_create("kernels", MFD_CLOEXEC);
  if (write(descriptor, elf.data(), elf.size()) !=
      static_cast<ssize_t>(elf.size())) {
    errors += "cannot write the image";
    return;
  }
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(descriptor);
  if (!library) {
    errors += dlerror();
    return;
  }
  for (auto function : module->getOps<func::FuncOp>()) {
    Grid grid;
    auto number = [&](llvm::StringRef name) {
      return function->getAttrOfType<IntegerAttr>(name).getInt();
    };
    grid.tiles = number(kernel::kTilesAttrName);
    grid.scratch = number(kernel::kScratchAttrName);
    grid.entry = dlsym(library, function.getName().str().c_str());
    if (!grid.entry)
      errors += "no symbol " + function.getName().str();
    grids[function.getName()] = grid;
  }
}

KernelRunner::~KernelRunner() {
  if (library)
    dlclose(library);
}

void KernelRunner::run(llvm::StringRef kernel, llvm::ArrayRef<void *> buffers,
                       int parts) {
  Grid grid = grids.lookup(kernel);
  if (!grid.entry)
    return;
  GuardedBuffer scratch(grid.scratch);
  heddle_kernel_args args = {};
  args.version = HEDDLE_KERNEL_ABI_VERSION;
  args.buffers = buffers.data();
  args.scratch = scratch.data();
  for (int part = parts - 1; part >= 0; --part) {
    std::memset(scratch.data(), 0xff, grid.scratch);
    args.tile_begin = grid.tiles * part / parts;
    args.tile_end = grid.tiles * (part + 1) / parts;
    reinterpret_cast<heddle_kernel>(grid.entry)(&args);
  }
  if (!scratch.intact())
    errors += "kernel wrote outside of its scratch memory";
}

static constexpr size_t guardBytes = 256;

GuardedBuffer::GuardedBuffer(size_t bytes) : bytes(bytes) {
  size_t total = (bytes + 2 * guardBytes + 63) / 64 * 64;
  memory = static_cast<unsigned char *>(std::aligned_alloc(64, total));
  std::memset(memory, 0xa5, total);
  start = memory + guardBytes;
}

GuardedBuffer::~GuardedBuffer() { std::free(memory); }

bool GuardedBuffer::intact() const {
  for (size_t i = 0; i < guardBytes; ++i)
    if (memory[i] != 0xa5 || start[bytes + i] != 0xa5)
      return false;
  return true;
}

} // namespace heddle::test
