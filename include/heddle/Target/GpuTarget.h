// Targets that are graphics processors: grids of blocks of threads.

#ifndef HEDDLE_TARGET_GPUTARGET_H
#define HEDDLE_TARGET_GPUTARGET_H

#include "heddle/Target/GpuMachine.h"
#include "heddle/Target/Target.h"

namespace heddle {

class GpuTarget : public Target {
public:
  /// As drivers and plans call their devices.
  static constexpr llvm::StringLiteral kindName{"cuda"};
  /// The form that kernels take before they are PTX.
  static KernelStage kernelStage();

  explicit GpuTarget(const GpuMachine &machine);
  GpuTarget(GpuMachine machine, DispatchFacts facts);

  const GpuMachine &machine() const { return processor; }

  llvm::ArrayRef<std::string> aliases() const override { return otherNames; }
  const DispatchFacts &dispatchFacts() const override { return facts; }
  LoaderNeeds loaderNeeds() const override;
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
  GpuMachine processor;
  DispatchFacts facts;
  std::vector<std::string> otherNames;
};

} // namespace heddle

#endif // HEDDLE_TARGET_GPUTARGET_H
