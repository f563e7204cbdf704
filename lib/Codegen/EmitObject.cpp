// LLVM IR to an object file, for a machine of the table.

#include "LlvmTarget.h"
#include "Stages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::codegen {

static std::string featureString(const Machine &machine) {
  return join(map_range(machine.features,
                        [](const std::string &name) { return "+" + name; }),
              ",");
}

TargetPool targetsFor(const Machine &machine) {
  return TargetPool([&machine](std::string &error) {
    return makeTargetMachine(machine.triple, machine.cpu,
                             featureString(machine), Reloc::PIC_,
                             CodeModel::Small, error);
  });
}

/// Brief kernels are cleaned up once.
static constexpr StringLiteral briefPipeline =
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-"
    "fixpoint>,loop-mssa(licm),early-cse<memssa>,simplifycfg)";

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
                               TargetPool &targets, bool isBrief,
                               const CodegenOptions &options, Object &object,
                               std::string &error) {
  TargetPool::Borrowed target = targets.borrow(error);
  if (!target)
    return mlir::failure();
  module.setTargetTriple(target->getTargetTriple());
  module.setDataLayout(target->createDataLayout());
  module.getContext().setDiagnosticHandler(std::make_unique<KeepErrors>(error));
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
  runPasses(module, *target, isBrief ? briefPipeline : kCleanupPipeline);
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
