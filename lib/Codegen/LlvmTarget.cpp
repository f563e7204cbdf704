// What all targets ask of LLVM: its targets, passes and diagnostics.

#include "LlvmTarget.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace heddle::codegen {

std::unique_ptr<TargetMachine>
makeTargetMachine(StringRef name, StringRef cpu, StringRef features,
                  std::optional<Reloc::Model> relocations,
                  std::optional<CodeModel::Model> codeModel,
                  std::string &error) {
  static bool once = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    return true;
  }();
  (void)once;
  Triple triple(name);
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu, features, options, relocations,
                                  codeModel, CodeGenOptLevel::Default));
}

TargetPool::Borrowed TargetPool::borrow(std::string &error) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty())
      return {*this, idle.pop_back_val()};
  }
  return {*this, make(error)};
}

TargetPool::Borrowed::~Borrowed() {
  if (!target)
    return;
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.idle.push_back(std::move(target));
}

void runPasses(Module &module, TargetMachine &target, StringRef pipeline) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  tuning.MergeFunctions = false;
  PassBuilder passes(&target, tuning);
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
  ModulePassManager manager;
  cantFail(passes.parsePassPipeline(manager, pipeline));
  manager.run(module, modules);
}

bool KeepErrors::handleDiagnostics(const DiagnosticInfo &info) {
  if (info.getSeverity() != DS_Error && info.getKind() != DK_StackSize)
    return true;
  raw_string_ostream stream(error);
  DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  return true;
}

} // namespace heddle::codegen
