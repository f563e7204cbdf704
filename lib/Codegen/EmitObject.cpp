// LLVM IR to an object file, for a machine of the table.

#include "Stages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::codegen {

/// What LLVM reports while it compiles one kernel.
namespace {
struct ReportErrors : DiagnosticHandler {
  explicit ReportErrors(std::string &error) : error(error) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    // A stack frame over the limit is a warning to LLVM.
    if (info.getSeverity() != DS_Error && info.getKind() != DK_StackSize)
      return true;
    raw_string_ostream stream(error);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &error;
};
} // namespace

static std::string featureString(const Machine &machine) {
  return join(map_range(machine.features,
                        [](const std::string &name) { return "+" + name; }),
              ",");
}

static std::unique_ptr<TargetMachine> makeTarget(const Machine &machine,
                                                 std::string &error) {
  static bool once = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)once;
  Triple triple(machine.triple);
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, machine.cpu, featureString(machine), options, Reloc::PIC_,
      CodeModel::Small, CodeGenOptLevel::Default));
}

/// Kernels come with their loops vectorized and unrolled by the emitters; what
/// is left is cleaning up, and moving invariants out of loops.
static void optimize(llvm::Module &module, TargetMachine &target) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  tuning.MergeFunctions = false;
  PassBuilder passes(&target, tuning);

  // Without library functions no loop becomes a call of memcpy.
  TargetLibraryInfoImpl library(target.getTargetTriple());
  library.disableAllFunctions();
  FunctionAnalysisManager functions;
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  LoopAnalysisManager loops;
  CGSCCAnalysisManager cgscc;
  ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(cgscc);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, cgscc, modules);

  static constexpr StringLiteral pipeline =
      "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-"
      "fixpoint>,simplifycfg,loop-mssa(loop-simplifycfg,licm),early-cse<memssa>"
      ",gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm),sink,adce,"
      "simplifycfg)";
  ModulePassManager manager;
  cantFail(passes.parsePassPipeline(manager, pipeline));
  manager.run(module, modules);
}

mlir::LogicalResult emitObject(llvm::Module &module, const Machine &machine,
                               const CodegenOptions &options, Object &object,
                               std::string &error) {
  std::unique_ptr<TargetMachine> target = makeTarget(machine, error);
  if (!target)
    return mlir::failure();
  module.setTargetTriple(target->getTargetTriple());
  module.setDataLayout(target->createDataLayout());
  module.getContext().setDiagnosticHandler(
      std::make_unique<ReportErrors>(error));
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("target-features", featureString(machine));
    // The tuning of a level may prefer half of its registers.
    function.addFnAttr("prefer-vector-width",
                       std::to_string(machine.vectorBits));
    function.addFnAttr("no-builtins");
    function.addFnAttr("warn-stack-size", std::to_string(kernelStackLimit));
    function.addFnAttr(Attribute::NoUnwind);
  }

  auto print = [&](CodegenStage stage) {
    if (!options.dump || options.dumpStage != stage)
      return;
    raw_string_ostream stream(object.dump);
    module.print(stream, nullptr);
  };
  print(CodegenStage::LlvmIr);
  optimize(module, *target);
  print(CodegenStage::OptimizedLlvmIr);

  auto emit = [&](raw_pwrite_stream &stream, CodeGenFileType type,
                  llvm::Module &from) {
    legacy::PassManager codegen;
    auto *library = new TargetLibraryInfoWrapperPass(target->getTargetTriple());
    codegen.add(library);
    if (target->addPassesToEmitFile(codegen, stream, nullptr, type)) {
      error = "this target does not emit object files";
      return;
    }
    codegen.run(from);
  };
  if (options.dump && options.dumpStage == CodegenStage::Assembly) {
    SmallString<0> text;
    raw_svector_ostream stream(text);
    emit(stream, CodeGenFileType::AssemblyFile, *CloneModule(module));
    object.dump = text.str().str();
  }
  raw_svector_ostream stream(object.bytes);
  emit(stream, CodeGenFileType::ObjectFile, module);
  return mlir::success(error.empty());
}

} // namespace heddle::codegen
