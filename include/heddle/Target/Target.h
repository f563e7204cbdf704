// What code is generated for: one interface for all kinds of processors.
//
// A target holds data and answers questions; it runs nothing. The passes that
// dispatch for a kind of target are bound to the kind in lib/Artifact/Fork.cpp,
// those that lower and generate code in lib/Artifact/KernelCompiler.cpp.

#ifndef HEDDLE_TARGET_TARGET_H
#define HEDDLE_TARGET_TARGET_H

#include "heddle/Target/DispatchFacts.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class DictionaryAttr;
class MLIRContext;
class Operation;
} // namespace mlir

namespace heddle {

/// What decides how a target's code is made: each kind has its own dispatch,
/// lowering and code generation.
enum class TargetKind : uint8_t { Cpu };

/// "cpu", as an attribute says it.
llvm::StringRef targetKindName(TargetKind kind);

/// What a loader must find before it runs code for a target.
struct LoaderNeeds {
  /// The kind of device, as drivers name theirs.
  std::string device;
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
};

class Target {
public:
  virtual ~Target() = default;

  TargetKind kind() const { return targetKind; }
  /// The name users write after `-t`, e.g. `x86-64-v4`.
  llvm::StringRef name() const { return targetName; }

  virtual const DispatchFacts &dispatchFacts() const = 0;
  virtual LoaderNeeds loaderNeeds() const = 0;
  /// Estimated nanoseconds of `work` on one core, or what the target has in
  /// place of cores; an order of magnitude.
  virtual double nanoseconds(const Work &work) const = 0;
  /// The target as an attribute: a dictionary that says everything, so that a
  /// dump compiles the same way anywhere.
  virtual mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const = 0;
  /// One line for people, behind the name: "256-bit vectors".
  virtual std::string describe() const = 0;

protected:
  Target(TargetKind kind, std::string name)
      : targetKind(kind), targetName(std::move(name)) {}

private:
  TargetKind targetKind;
  std::string targetName;
};

/// The name of the module attribute that holds the target.
inline constexpr llvm::StringLiteral targetAttrName = "heddle.target";

/// Every target heddle knows; those of one architecture follow each other, the
/// most modest first.
llvm::ArrayRef<std::shared_ptr<const Target>> targets();

/// The target called `name`, or null.
std::shared_ptr<const Target> findTarget(llvm::StringRef name);

/// The target that `op`'s module is compiled for: its `heddle.target`, either
/// such a dictionary or the name of a target. Null if there is no such
/// attribute or it is malformed.
std::shared_ptr<const Target> targetOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TARGET_TARGET_H
