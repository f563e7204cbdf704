// What stops a kernel.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_FAULT_H
#define HEDDLE_TEST_EMULATOR_MACHINE_FAULT_H

#include <string>

namespace heddle::emulator {

enum class FaultKind {
  None,
  IllegalAddress,
  Misaligned,
  IllegalInstruction,
  Deadlock,
  Assertion,
  Trap,
  /// The kernel did what the ISA leaves undefined.
  Undefined,
  /// Two accesses of shared memory that nothing orders.
  Race,
  Instructions, // more than allowed
};

struct Fault {
  FaultKind kind = FaultKind::None;
  std::string message;
  explicit operator bool() const { return kind != FaultKind::None; }
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_FAULT_H
