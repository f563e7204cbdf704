// heddle-translate: model files to IR, and lowered IR to LLVM's, for tests and
// for reading what becomes of a model.

#include "heddle/Frontend/Onnx.h"
#include "heddle/Frontend/PortableArtifact.h"
#include "heddle/Frontend/StableHlo.h"

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

/// Weights are read where they lie, so the model must be a file: the tool's own
/// copy of the input only names it.
static OwningOpRef<Operation *>
importModel(llvm::SourceMgr &sources, MLIRContext *context,
            const llvm::cl::list<std::string> &shapes,
            const llvm::cl::list<std::string> &dims,
            const llvm::cl::list<std::string> &sizes,
            const llvm::cl::list<std::string> &sizedDims,
            const llvm::cl::list<std::string> &sizedShapes) {
  heddle::OnnxImportOptions options;
  Location unknown = UnknownLoc::get(context);
  for (const std::string &text : shapes)
    if (failed(heddle::parseOnnxShape(text, options))) {
      emitError(unknown) << "--shape '" << text << "' is not NAME=1x128";
      return {};
    }
  for (const std::string &text : dims)
    if (failed(heddle::parseOnnxDim(text, options))) {
      emitError(unknown) << "--dim '" << text << "' is not NAME=8";
      return {};
    }
  for (const std::string &text : sizes)
    if (failed(heddle::parseOnnxSize(text, options))) {
      emitError(unknown) << "--size '" << text << "' is not NAME=1..8";
      return {};
    }
  for (const std::string &text : sizedDims)
    if (failed(heddle::parseOnnxSizedDim(text, options))) {
      emitError(unknown) << "--sized-dim '" << text << "' is not NAME=past+new";
      return {};
    }
  for (const std::string &text : sizedShapes)
    if (failed(heddle::parseOnnxSizedShape(text, options))) {
      emitError(unknown) << "--sized-shape '" << text
                         << "' is not NAME=batch,128";
      return {};
    }
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  return heddle::importOnnx(context, buffer->getBufferIdentifier(), options);
}

/// The same for StableHLO.
static OwningOpRef<Operation *>
importProgram(llvm::SourceMgr &sources, MLIRContext *context,
              const llvm::cl::list<std::string> &bindings) {
  heddle::StableHloImportOptions options;
  for (const std::string &text : bindings) {
    std::optional<heddle::ArgumentBinding> binding = heddle::parseBinding(text);
    if (!binding) {
      emitError(UnknownLoc::get(context))
          << "--bind '" << text << "' is not NAME=@FILE";
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
  static llvm::cl::list<std::string> shapes(
      "shape", llvm::cl::desc("Fix the shape of an input: NAME=1x128"));
  static llvm::cl::list<std::string> dims(
      "dim", llvm::cl::desc("Fix a named dimension: NAME=8"));
  static llvm::cl::list<std::string> sizes(
      "size", llvm::cl::desc("Let calls choose a size: NAME=1..8"));
  static llvm::cl::list<std::string> sizedDims(
      "sized-dim", llvm::cl::desc("A named dimension of sizes: NAME=past+new"));
  static llvm::cl::list<std::string> sizedShapes(
      "sized-shape",
      llvm::cl::desc("The shape of an input by sizes: NAME=batch,128"));
  TranslateToMLIRRegistration onnx(
      "import-onnx", "Import an ONNX model as StableHLO",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        return importModel(*sources, context, shapes, dims, sizes, sizedDims,
                           sizedShapes);
      });
  static llvm::cl::list<std::string> bindings(
      "bind", llvm::cl::desc("Make an argument a weight: NAME=@FILE"));
  TranslateToMLIRRegistration stableHlo(
      "import-stablehlo", "Import a StableHLO program as a model",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        return importProgram(*sources, context, bindings);
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
  // A question about the tool, not about a model.
  if (argc == 2 && llvm::StringRef(argv[1]) == "--onnx-operators") {
    heddle::printOnnxOperators(llvm::outs());
    return heddle::finishOutput("heddle-translate", 0);
  }
  LogicalResult result =
      mlirTranslateMain(argc, argv, "heddle translation driver\n");
  return heddle::finishOutput("heddle-translate", failed(result));
}
