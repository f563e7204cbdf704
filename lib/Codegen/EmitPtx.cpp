// LLVM IR to PTX, for a machine of the table.

#include "GpuStages.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace heddle::codegen {

namespace {
/// Keeps the errors that LLVM reports.
struct KeepErrors : DiagnosticHandler {
  explicit KeepErrors(std::string &error) : error(error) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(error);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }
  std::string &error;
};
} // namespace

static std::unique_ptr<TargetMachine> makeTarget(const GpuMachine &machine,
                                                 std::string &error) {
  static bool once = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)once;
  Triple triple("nvptx64-nvidia-cuda");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  // Products and sums are fused where the IR says so.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, machine.chip, "+ptx" + std::to_string(machine.ptxVersion),
      options, std::nullopt, std::nullopt, CodeGenOptLevel::Default));
}

/// Loops stay as they are: the assembler of the device's driver unrolls.
static void optimize(Module &module, TargetMachine &target) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  tuning.MergeFunctions = false;
  PassBuilder passes(&target, tuning);
  // There is no library to call.
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

mlir::LogicalResult emitPtx(Module &module, const GpuMachine &machine,
                            std::string &ptx, std::string &error) {
  std::unique_ptr<TargetMachine> target = makeTarget(machine, error);
  if (!target)
    return mlir::failure();
  module.setTargetTriple(target->getTargetTriple());
  module.setDataLayout(target->createDataLayout());
  module.getContext().setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::NoUnwind);
  optimize(module, *target);
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic()) {
      error = "a kernel calls '" + function.getName().str() +
              "', which nobody has on the device";
      return mlir::failure();
    }

  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager codegen;
  codegen.add(new TargetLibraryInfoWrapperPass(target->getTargetTriple()));
  if (target->addPassesToEmitFile(codegen, stream, nullptr,
                                  CodeGenFileType::AssemblyFile)) {
    error = "LLVM emits no PTX";
    return mlir::failure();
  }
  codegen.run(module);
  ptx = text.str().str();
  return mlir::success(error.empty());
}

} // namespace heddle::codegen
