// What code is generated for: one interface for all kinds of processors.
//
// A target holds data and answers questions; it runs nothing. The passes that
// dispatch for a kind of target, lower its kernels and generate code are found
// by the kind's name in lib/Artifact/CodeGenerator.h.

#ifndef HEDDLE_TARGET_TARGET_H
#define HEDDLE_TARGET_TARGET_H

#include "heddle/Target/DispatchFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// What a loader must find before it runs code for a target.
struct LoaderNeeds {
  /// The kinds of devices that run the code, as drivers name theirs.
  std::vector<std::string> devices;
  /// The instruction set: "x86-64", "aarch64".
  std::string architecture;
  /// Names of feature bits, all of which the device must have.
  std::vector<std::string> features;
};

/// One piece of work, as far as it decides how long it takes.
struct Work {
  /// Floating-point operations (a multiplication and an addition are two), and
  /// the type that they are summed in.
  double operations = 0;
  mlir::Type accumulator;
  /// Bytes that come from memory or go there.
  double bytes = 0;
  /// The type of what is multiplied, if that is another.
  mlir::Type factor = {};
};

class Target {
public:
  virtual ~Target() = default;

  /// What decides how the target's code is made: "cpu". Each kind has its own
  /// dispatch, lowering and code generation.
  llvm::StringRef kind() const { return targetKind; }
  /// The name users write after `-t`, e.g. `x86-64-v4`.
  llvm::StringRef name() const { return targetName; }
  /// Other names that users may write: "v4".
  virtual llvm::ArrayRef<std::string> aliases() const { return {}; }
  /// Whether most devices of its architecture in use run its code: it is
  /// compiled for beside the best that this machine runs.
  virtual bool isCommon() const { return false; }

  /// The target whose name the code of these kernels has: another where they
  /// use nothing that this one has beyond it.
  virtual llvm::StringRef nameFor(mlir::ModuleOp dispatched) const {
    return name();
  }

  virtual const DispatchFacts &dispatchFacts() const = 0;
  virtual LoaderNeeds loaderNeeds() const = 0;
  /// How many queues of a device of the kind `device`, one of those that the
  /// loader may find, a program may use: commands of different ones run beside
  /// each other.
  virtual unsigned queues(llvm::StringRef device) const { return 1; }
  /// Estimated nanoseconds of `work` on one core, or what the target has in
  /// place of cores; an order of magnitude.
  virtual double nanoseconds(const Work &work) const = 0;
  /// The target as an attribute: a dictionary of all that passes ask of it.
  virtual mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const = 0;
  /// One line for people, behind the name: "256-bit vectors".
  virtual std::string describe() const = 0;

protected:
  Target(llvm::StringRef kind, std::string name)
      : targetKind(kind), targetName(std::move(name)) {}

private:
  std::string targetKind;
  std::string targetName;
};

/// A form that kernels take between dispatch and code, at which people may
/// look.
struct KernelStage {
  /// What options and dumps call it: "heddle-kernel-cpu".
  llvm::StringLiteral name;
  /// What holds of kernels that have it.
  llvm::StringLiteral holds;
  /// Whether the kernels of `module` have it.
  bool (*isAt)(mlir::ModuleOp module);
};

/// One kind of targets.
struct TargetKind {
  std::string name;
  /// Its targets; those of one architecture follow each other, the most modest
  /// first.
  std::vector<std::shared_ptr<const Target>> targets;
  /// The target that an attribute of `Target::toAttr` says; null if an entry is
  /// missing or of another kind.
  std::shared_ptr<const Target> (*fromAttr)(mlir::DictionaryAttr dictionary);
  /// The forms that its kernels take, the first one first. The kind's code
  /// generator shows them to those who look.
  std::vector<KernelStage> kernelStages = {};
};

/// Makes a kind known, beside that of processors, which always is. To be called
/// before anything is compiled, once for each name.
void registerTargetKind(TargetKind kind);

/// The kinds that are known.
llvm::ArrayRef<TargetKind> targetKinds();

/// The name of the module attribute that holds the target.
inline constexpr llvm::StringLiteral targetAttrName = "heddle.target";

/// Every target heddle knows, kind by kind.
std::vector<std::shared_ptr<const Target>> targets();

/// The target called `name`, or one of whose other names that is, or null.
std::shared_ptr<const Target> findTarget(llvm::StringRef name);

/// Whether one of them, asked for or not, has kernels for composites called
/// `name` (`DispatchFacts::composites`): what is kept before the ways of
/// targets part.
bool isClaimedComposite(llvm::StringRef name);

/// What artifacts call the architecture of LLVM's target `triple`; empty if no
/// target has it.
llvm::StringRef architectureOf(llvm::StringRef triple);

/// What a module's `heddle.target` says of `target`: its name where the table
/// says the same of it, else everything.
mlir::Attribute targetAttr(const Target &target, mlir::MLIRContext *context);

/// The target that `op`'s module is compiled for: its `heddle.target`, either
/// such a dictionary or the name of a target. Null if there is no such
/// attribute or it is malformed.
std::shared_ptr<const Target> targetOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TARGET_TARGET_H
