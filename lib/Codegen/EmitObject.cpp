// LLVM IR to an object file, for a machine of the table.

#include "LlvmTarget.h"
#include "Stages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <mutex>

using namespace llvm;

namespace heddle::codegen {

static std::string featureString(const Machine &machine) {
  return join(map_range(machine.features,
                        [](const std::string &name) { return "+" + name; }),
              ",");
}

static std::unique_ptr<TargetMachine> makeTarget(const Machine &machine,
                                                 std::string &error) {
  return makeTargetMachine(machine.triple, machine.cpu, featureString(machine),
                           Reloc::PIC_, CodeModel::Small, error);
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
                               bool isBrief, const CodegenOptions &options,
                               Object &object, std::string &error) {
  BorrowedTarget target(machine, error);
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
