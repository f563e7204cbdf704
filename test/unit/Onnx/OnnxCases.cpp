// onnx-cases: imports the models of ONNX's test cases, interprets them and
// compares with the expected outputs.
//
// usage: onnx-cases FOLDER
//
// FOLDER holds one folder per case: model.onnx, tolerance ("rtol atol") and
// test_data_set_0 with input_*.pb and output_*.pb. Prints a line per case that
// does not pass, and the three numbers at the end; what heddle does not support
// is skipped.

#include "heddle/Frontend/Onnx.h"
#include "heddle/Frontend/OnnxTensors.h"
#include "heddle/Reference/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir;
using namespace heddle;

namespace {

enum class Verdict { Passed, Failed, Skipped };

/// Why a case did not pass, for the log.
struct Outcome {
  Verdict verdict;
  std::string why;
};

/// Every element within atol + rtol |expected|; NaN meets NaN.
bool isClose(const HostTensor &actual, const HostTensor &expected, double rtol,
             double atol) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = actual.floatAt(i), e = expected.floatAt(i);
    if (std::isnan(e)
            ? !std::isnan(a)
            : a != e && !(std::fabs(a - e) <= atol + rtol * std::fabs(e)))
      return false;
  }
  return true;
}

std::pair<double, double> readTolerance(const std::string &path) {
  double rtol = 1e-3, atol = 1e-7;
  if (auto buffer = llvm::MemoryBuffer::getFile(path)) {
    auto [first, second] = (*buffer)->getBuffer().trim().split(' ');
    first.getAsDouble(rtol);
    second.getAsDouble(atol);
  }
  return {rtol, atol};
}

Outcome runCase(const std::string &folder) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += (said.empty() ? "" : " | ") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      said += " | " + note.str();
  });
  // Codes of the class "unsupported".
  auto isUnsupported = [&] {
    for (const char *code :
         {"HDL-0202", "HDL-0203", "HDL-0204", "HDL-0210", "HDL-0214"})
      if (said.find(code) != std::string::npos)
        return true;
    return false;
  };
  OnnxImportOptions options;
  if (llvm::sys::fs::exists(folder + "/bound.npz"))
    options.bindings.push_back({"", folder + "/bound.npz"});
  auto module = importOnnx(&context, folder + "/model.onnx", options);
  if (!module)
    return {isUnsupported() ? Verdict::Skipped : Verdict::Failed, said};

  auto read =
      [&](OnnxTestData which) -> std::optional<std::vector<NamedTensor>> {
    auto tensors =
        readOnnxTestData(&context, folder + "/test_data_set_0", which);
    if (tensors)
      return std::move(*tensors);
    said = llvm::toString(tensors.takeError());
    return std::nullopt;
  };
  auto inputs = read(OnnxTestData::Inputs),
       outputs = read(OnnxTestData::Outputs);
  if (!inputs || !outputs)
    return {Verdict::Failed, said};
  SmallVector<HostTensor> arguments;
  for (NamedTensor &input : *inputs)
    arguments.push_back(std::move(input.tensor));
  auto results =
      interpret(module->lookupSymbol<func::FuncOp>("main"), arguments);
  if (failed(results))
    return {Verdict::Failed, said};

  auto [rtol, atol] = readTolerance(folder + "/tolerance");
  for (auto [i, expected] : llvm::enumerate(*outputs)) {
    const HostTensor &actual = (*results)[i];
    std::string name = "output " + std::to_string(i);
    if (actual.type() != expected.tensor.type()) {
      llvm::raw_string_ostream(name)
          << " is " << actual.type() << ", not " << expected.tensor.type();
      return {Verdict::Failed, name};
    }
    if (!isClose(actual, expected.tensor, rtol, atol))
      return {Verdict::Failed, name + " differs"};
  }
  return {Verdict::Passed, ""};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: onnx-cases FOLDER\n";
    return 2;
  }
  std::vector<std::string> folders;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(argv[1], error), end;
       it != end && !error; it.increment(error))
    folders.push_back(it->path());
  std::sort(folders.begin(), folders.end());
  std::map<Verdict, int> count;
  for (const std::string &folder : folders) {
    Outcome outcome = runCase(folder);
    ++count[outcome.verdict];
    if (outcome.verdict != Verdict::Passed)
      llvm::outs() << (outcome.verdict == Verdict::Failed ? "failed  "
                                                          : "skipped ")
                   << llvm::sys::path::filename(folder) << ": " << outcome.why
                   << "\n";
    llvm::outs().flush();
  }
  llvm::outs() << count[Verdict::Passed] << " passed, "
               << count[Verdict::Failed] << " failed, "
               << count[Verdict::Skipped] << " skipped\n";
  return count[Verdict::Failed] == 0 && count[Verdict::Passed] > 0 ? 0 : 1;
}
