// onnx-mutations: damages a model in many ways and imports each. Every import
// must end, with a module that verifies or with exactly one error (notes
// aside), and take neither much time nor much memory.
//
// usage: onnx-mutations SEED.onnx COUNT FIRST
//
// Mutation number n of FIRST .. FIRST + COUNT is decided by n alone, so that a
// number alone repeats a failure.

#include "heddle/Frontend/Onnx.h"
#include "test/unit/Mutate.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <fstream>
#include <string>

using namespace mlir;

/// Bounds on one import: far above what a small model takes, far below what an
/// attack would.
static constexpr double kMostSeconds = 1.0;
static constexpr long kMostKibibytes = 64 * 1024;

/// A number of kibibytes from /proc/self/status, such as "VmHWM".
static long statusKibibytes(llvm::StringRef field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    llvm::StringRef text(line);
    long value;
    if (text.consume_front(field) && text.consume_front(":") &&
        !text.trim().consumeInteger(10, value) &&
        !llvm::StringRef(text.trim()).split(' ').first.getAsInteger(10, value))
      return value;
  }
  return 0;
}

/// Lets the kernel forget the highest use of memory so far.
static void resetPeak() { std::ofstream("/proc/self/clear_refs") << 5; }

int main(int argc, char **argv) {
  if (argc != 4) {
    llvm::errs() << "usage: onnx-mutations SEED.onnx COUNT FIRST\n";
    return 2;
  }
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  if (!buffer) {
    llvm::errs() << "cannot read " << argv[1] << "\n";
    return 2;
  }
  llvm::ArrayRef<char> seed((*buffer)->getBufferStart(),
                            (*buffer)->getBufferSize());
  uint64_t count = std::stoull(argv[2]), first = std::stoull(argv[3]);
  std::string folder = llvm::sys::path::parent_path(argv[1]).str();

  uint64_t imported = 0, refused = 0, failures = 0;
  for (uint64_t number = first; number < first + count; ++number) {
    // A context of its own: what one import leaves must not hide what the next
    // one takes.
    MLIRContext context(MLIRContext::Threading::DISABLED);
    unsigned errors = 0;
    std::string text;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      text += diagnostic.str() + "\n";
    });
    resetPeak();
    long before = statusKibibytes("VmRSS");
    // Processor time: what else the machine does is not the import's fault.
    std::clock_t start = std::clock();
    auto module = heddle::importOnnx(
        &context,
        heddle::MappedFile::fromBytes(heddle::mutate(seed, number), "mutation"),
        folder);
    double taken = double(std::clock() - start) / CLOCKS_PER_SEC;
    long grown = statusKibibytes("VmHWM") - before;
    bool isInternal = text.find("HDL-09") != std::string::npos;
    bool fine = errors == (module ? 0u : 1u) && !isInternal &&
                taken < kMostSeconds && grown < kMostKibibytes;
    (module ? imported : refused) += 1;
    if (fine)
      continue;
    ++failures;
    llvm::errs() << "mutation " << number << ": "
                 << (module ? "imported" : "refused") << " with " << errors
                 << " errors in " << taken << " s, " << grown << " KiB:\n"
                 << text;
  }
  llvm::outs() << count << " mutations: " << imported << " imported, "
               << refused << " refused, " << failures << " wrong\n";
  return failures == 0 ? 0 : 1;
}
