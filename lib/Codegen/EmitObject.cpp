// LLVM IR to an object file, for a machine of the table.

#include "Stages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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
#include <mutex>

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

namespace {
/// A target that this thread has to itself. It is kept for the next module: one
/// parses its features anew and builds the tables of its instructions, which
/// takes as long as a small kernel.
class BorrowedTarget {
public:
  BorrowedTarget(const Machine &machine, std::string &error)
      : key(machine.triple + " " + machine.cpu + " " + featureString(machine)) {
    {
      std::lock_guard<std::mutex> lock(shelf().mutex);
      auto &kept = shelf().targets[key];
      if (!kept.empty())
        target = kept.pop_back_val();
    }
    if (!target)
      target = makeTarget(machine, error);
  }
  ~BorrowedTarget() {
    if (!target)
      return;
    std::lock_guard<std::mutex> lock(shelf().mutex);
    shelf().targets[key].push_back(std::move(target));
  }

  explicit operator bool() const { return target != nullptr; }
  TargetMachine *operator->() const { return target.get(); }
  TargetMachine &operator*() const { return *target; }

private:
  struct Shelf {
    std::mutex mutex;
    StringMap<SmallVector<std::unique_ptr<TargetMachine>>> targets;
  };
  /// Never destroyed: a thread may compile while the process ends.
  static Shelf &shelf() {
    static Shelf *shelf = new Shelf;
    return *shelf;
  }

  std::string key;
  std::unique_ptr<TargetMachine> target;
};
} // namespace

/// Kernels come with their loops vectorized and unrolled by the emitters; what
/// is left is cleaning up, and moving invariants out of loops. Brief ones are
/// cleaned up once.
static void optimize(llvm::Module &module, TargetMachine &target,
                     bool isBrief) {
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

  static constexpr StringLiteral shortPipeline =
      "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-"
      "fixpoint>,loop-mssa(licm),early-cse<memssa>,simplifycfg)";
  static constexpr StringLiteral pipeline =
      "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-"
      "fixpoint>,simplifycfg,loop-mssa(loop-simplifycfg,licm),early-cse<memssa>"
      ",gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm),sink,adce,"
      "simplifycfg)";
  ModulePassManager manager;
  cantFail(
      passes.parsePassPipeline(manager, isBrief ? shortPipeline : pipeline));
  manager.run(module, modules);
}

namespace {
/// Passes to machine code. Loop strength reduction takes up to three quarters
/// of the time where a nest of loops has many addresses, and what prepares for
/// it a tenth; long kernels run up to a fifth slower without them.
struct MachinePasses : legacy::PassManager {
  explicit MachinePasses(bool isBrief) : isBrief(isBrief) {}
  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    if (isBrief && (name == "Loop Strength Reduction" ||
                    name == "Canonicalize Freeze Instructions in Loops"))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }
  bool isBrief;
};
} // namespace

mlir::LogicalResult emitObject(llvm::Module &module, const Machine &machine,
                               bool isBrief, const CodegenOptions &options,
                               Object &object, std::string &error) {
  BorrowedTarget target(machine, error);
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
  optimize(module, *target, isBrief);
  print(CodegenStage::OptimizedLlvmIr);

  auto emit = [&](raw_pwrite_stream &stream, CodeGenFileType type,
                  llvm::Module &from) {
    MachinePasses codegen(isBrief);
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
