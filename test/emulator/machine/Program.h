// A kernel made ready to run: instructions whose operands are places in a
// warp's registers.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_PROGRAM_H
#define HEDDLE_TEST_EMULATOR_MACHINE_PROGRAM_H

#include "test/emulator/ptx/Module.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::emulator {

class Warp;
struct Inst;

/// Runs an instruction for the lanes in `mask`, which is not empty.
using Handler = void (*)(Warp &warp, const Inst &inst, uint32_t mask);

/// Operands are byte offsets into the registers of a warp, where the 32 lanes
/// of a value lie one after another; predicates are masks of 32 bits.
struct Inst {
  Handler run = nullptr;
  uint32_t guard = 0, guardFlip = 0;
  uint32_t dst = 0, dst2 = 0;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  int64_t offset = 0;
  /// Where branches go.
  uint32_t target = 0;
  Space space = Space::None;
  /// What these mean is up to the family.
  uint8_t mode = 0, bytes = 0, count = 0, flags = 0;
  /// Offsets of vector operands, in Program::lists.
  const uint32_t *list = nullptr;
  const uint32_t *list2 = nullptr;
  /// What a family keeps for itself, in Program::extras.
  const void *extra = nullptr;
  const Statement *source = nullptr;
};

/// Registers that hold what the hardware tells threads.
struct SpecialRegister {
  std::string name;
  uint32_t offset;
};

struct Constant {
  uint32_t offset;
  uint32_t bytes; // of a lane; 0 for predicates
  uint64_t value;
};

struct Program {
  std::string name;
  const Function *function = nullptr;
  unsigned capability = 0;
  std::vector<Inst> code;
  std::vector<std::unique_ptr<uint32_t[]>> lists;
  std::vector<std::shared_ptr<void>> extras;
  std::vector<SpecialRegister> specials;
  std::vector<Constant> constants;
  uint32_t registerBytes = 0;
  /// Registers proper start here, behind constants and special registers.
  uint32_t firstRegister = 0;
  uint32_t localBytes = 0;
  /// Static shared memory, and where the dynamic one starts.
  uint32_t sharedStart = 0, sharedBytes = 0;
  uint32_t dynamicStart = 0;
  bool usesDynamic = false;
  uint32_t paramBytes = 0;
  std::vector<uint32_t> paramOffsets;
};

/// A module on a device: where its variables lie.
struct LoadedModule {
  Module module;
  std::map<std::string, uint64_t, std::less<>> addresses;
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs;
};

/// Makes a kernel ready. False with `error` for what this emulator does not
/// know.
bool decodeKernel(LoadedModule &loaded, const Function &kernel,
                  Program &program, ParseError &error);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_PROGRAM_H
