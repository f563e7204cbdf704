// heddle-translate: model files to IR, and lowered IR to LLVM's, for tests and
// for reading what becomes of a model.

#include "heddle/Frontend/Onnx.h"
#include "heddle/Frontend/PortableArtifact.h"
#include "heddle/Frontend/StableHlo.h"

#include "dialects/Sharding/RuleTable.h"
#include "dialects/Vhlo/Version.h"
#include "heddle/Pipeline/Registration.h"
#include "heddle/Support/StandardStreams.h"

#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace {
/// What the options say of sizes, for models of any kind.
struct SizeFlags {
  llvm::cl::list<std::string> shapes{
      "shape", llvm::cl::desc("Fix the shape of an input: NAME=1x128")};
  llvm::cl::list<std::string> dims{
      "dim", llvm::cl::desc("Fix a named dimension: NAME=8")};
  llvm::cl::list<std::string> sizes{
      "size", llvm::cl::desc("Let calls choose a size: NAME=1..8")};
  llvm::cl::list<std::string> sizedDims{
      "sized-dim", llvm::cl::desc("A named dimension of sizes: NAME=past+new")};
  llvm::cl::list<std::string> sizedShapes{
      "sized-shape",
      llvm::cl::desc("The shape of an input by sizes: NAME=batch,128")};

  LogicalResult read(MLIRContext *context, heddle::SizeOptions &options) const;
};
} // namespace

LogicalResult SizeFlags::read(MLIRContext *context,
                              heddle::SizeOptions &options) const {
  auto readAll = [&](const llvm::cl::list<std::string> &list, auto parse,
                     StringRef form) {
    for (const std::string &text : list)
      if (failed(parse(text, options)))
        return emitError(UnknownLoc::get(context))
               << "--" << list.ArgStr << " '" << text << "' is not " << form;
    return InFlightDiagnostic();
  };
  bool ok =
      succeeded(LogicalResult(
          readAll(shapes, heddle::parseShapeOption, "NAME=1x128"))) &&
      succeeded(
          LogicalResult(readAll(dims, heddle::parseDimOption, "NAME=8"))) &&
      succeeded(LogicalResult(
          readAll(sizes, heddle::parseSizeOption, "NAME=1..8"))) &&
      succeeded(LogicalResult(
          readAll(sizedDims, heddle::parseSizedDimOption, "NAME=past+new"))) &&
      succeeded(LogicalResult(readAll(
          sizedShapes, heddle::parseSizedShapeOption, "NAME=batch,128")));
  return success(ok);
}

/// Weights are read where they lie, so the model must be a file: the tool's own
/// copy of the input only names it.
static OwningOpRef<Operation *> importModel(llvm::SourceMgr &sources,
                                            MLIRContext *context,
                                            const SizeFlags &sizes) {
  heddle::OnnxImportOptions options;
  if (failed(sizes.read(context, options)))
    return {};
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  return heddle::importOnnx(context, buffer->getBufferIdentifier(), options);
}

/// The same for StableHLO.
static OwningOpRef<Operation *>
importProgram(llvm::SourceMgr &sources, MLIRContext *context,
              const SizeFlags &sizes,
              const llvm::cl::list<std::string> &bindings) {
  heddle::StableHloImportOptions options;
  if (failed(sizes.read(context, options)))
    return {};
  for (const std::string &text : bindings) {
    std::optional<heddle::ArgumentBinding> binding = heddle::parseBinding(text);
    if (!binding) {
      emitError(UnknownLoc::get(context))
          << "--bind '" << text << "' is not NAME=@FILE[:TENSOR][^T]";
      return {};
    }
    options.bindings.push_back(std::move(*binding));
  }
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  return heddle::importStableHlo(context, buffer->getBufferIdentifier(),
                                 options);
}

int main(int argc, char **argv) {
  heddle::openStandardStreams();
  static SizeFlags sizes;
  TranslateToMLIRRegistration onnx(
      "import-onnx", "Import an ONNX model as StableHLO",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        return importModel(*sources, context, sizes);
      });
  static llvm::cl::list<std::string> bindings(
      "bind", llvm::cl::desc("Make an argument a weight: NAME=@FILE[:TENSOR][^T]"));
  TranslateToMLIRRegistration stableHlo(
      "import-stablehlo", "Import a StableHLO program as a model",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        return importProgram(*sources, context, sizes, bindings);
      });
  static llvm::cl::opt<std::string> target(
      "target", llvm::cl::desc("Version of StableHLO to write"),
      llvm::cl::init(heddle::vhlo::kNewest.str()));
  TranslateFromMLIRRegistration serialize(
      "serialize", "Write a StableHLO program as a portable artifact",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError() << "a module is wanted";
        return heddle::writePortableArtifact(module, target, os);
      },
      [](DialectRegistry &registry) { heddle::registerAllDialects(registry); });
  TranslateToMLIRRegistration deserialize(
      "deserialize",
      "Read a portable artifact, or a result of jax.export, as a StableHLO "
      "program",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources->getMemoryBuffer(sources->getMainFileID());
        // What is not heddle's, such as Shardy's annotations, is kept.
        context->allowUnregisteredDialects();
        auto program =
            heddle::parseStableHlo(context, buffer->getBufferIdentifier());
        return program ? std::move(program->module) : OwningOpRef<ModuleOp>();
      });
  TranslateFromMLIRRegistration toLlvmIr(
      "mlir-to-llvmir", "LLVM dialect to LLVM IR",
      [](Operation *op, raw_ostream &os) {
        llvm::LLVMContext context;
        std::unique_ptr<llvm::Module> module =
            translateModuleToLLVMIR(op, context);
        if (module)
          module->print(os, nullptr);
        return success(module != nullptr);
      },
      [](DialectRegistry &registry) {
        heddle::registerAllDialects(registry);
        registerAllToLLVMIRTranslations(registry);
      });
  // Questions about the tool, not about a model.
  if (argc == 2 && llvm::StringRef(argv[1]) == "--sharding-rules") {
    heddle::sharding::printRulePage(llvm::outs());
    return heddle::finishOutput("heddle-translate", 0);
  }
  if (argc == 2 && llvm::StringRef(argv[1]) == "--onnx-operators") {
    heddle::printOnnxOperators(llvm::outs());
    return heddle::finishOutput("heddle-translate", 0);
  }
  LogicalResult result =
      mlirTranslateMain(argc, argv, "heddle translation driver\n");
  return heddle::finishOutput("heddle-translate", failed(result));
}
