// Machines as data: what a pass may know about the processor it compiles for.

#ifndef HEDDLE_TARGET_MACHINE_H
#define HEDDLE_TARGET_MACHINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class DictionaryAttr;
class MLIRContext;
class Operation;
} // namespace mlir

namespace heddle {

/// One processor class that code is generated for. Nothing here is read from
/// the host.
struct Machine {
  /// The name users write after `-t`, e.g. `x86-64-v4`.
  std::string name;
  /// LLVM's target triple and processor name.
  std::string triple;
  std::string cpu;
  /// Every instruction-set feature that generated code may use, in LLVM's
  /// spelling; what a loader must find in the host.
  std::vector<std::string> features;
  /// Bits of the widest vector register, and how many of these there are.
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;
  /// Fused multiply-add in hardware; without it `math.fma` is a multiplication
  /// and an addition.
  bool hasFma = false;
  /// Predicated vector instructions.
  bool hasMasks = false;
  /// Bytes of data cache a core may count on.
  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 256 * 1024;

  bool hasFeature(llvm::StringRef feature) const;
  /// 32-bit lanes of one vector register.
  int64_t lanes32() const { return vectorBits / 32; }
};

/// The name of the module attribute that holds the machine.
inline constexpr llvm::StringLiteral machineAttrName = "heddle.machine";

/// Every machine heddle knows, the most modest of each architecture first.
llvm::ArrayRef<Machine> machines();

/// The machine called `name`, or null.
const Machine *findMachine(llvm::StringRef name);

/// The machine as an attribute: a dictionary that says everything, so that a
/// dump compiles the same way anywhere.
mlir::DictionaryAttr machineToAttr(mlir::MLIRContext *context,
                                   const Machine &machine);

/// The machine that `op`'s module is compiled for: its `heddle.machine`, either
/// such a dictionary or the name of a machine. None if there is no such
/// attribute or it is malformed.
std::optional<Machine> machineOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_TARGET_MACHINE_H
