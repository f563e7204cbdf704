// Targets that are processors of the host's kind: threads, caches, vectors.

#ifndef HEDDLE_TARGET_CPUTARGET_H
#define HEDDLE_TARGET_CPUTARGET_H

#include "heddle/Target/Machine.h"
#include "heddle/Target/Target.h"

namespace heddle {

class CpuTarget : public Target {
public:
  static constexpr llvm::StringLiteral kindName{"cpu"};
  /// The form that the kernels of all processors take before they are code.
  static KernelStage kernelStage();

  explicit CpuTarget(const Machine &machine);
  /// One that dispatches by facts of its own: how kernels would be cut for it
  /// can be seen, though there may be no code for them.
  CpuTarget(Machine machine, DispatchFacts facts);

  const Machine &machine() const { return processor; }

  llvm::ArrayRef<std::string> aliases() const override {
    return processor.aliases;
  }
  bool isCommon() const override { return processor.isCommon; }
  llvm::StringRef nameFor(mlir::ModuleOp dispatched) const override;
  const DispatchFacts &dispatchFacts() const override { return facts; }
  LoaderNeeds loaderNeeds() const override;
  unsigned queues(llvm::StringRef device) const override;
  double nanoseconds(const Work &work) const override;
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const override;
  std::string describe() const override;

  /// The reverse of `toAttr`; null if an entry is missing or of another kind.
  static std::shared_ptr<const Target>
  fromAttr(mlir::DictionaryAttr dictionary);

  static bool classof(const Target *target) {
    return target->kind() == kindName;
  }

private:
  Machine processor;
  DispatchFacts facts;
};

} // namespace heddle

#endif // HEDDLE_TARGET_CPUTARGET_H
