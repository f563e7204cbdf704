// A warp: 32 lanes with registers, in groups that stand at different places of
// the code.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_WARP_H
#define HEDDLE_TEST_EMULATOR_MACHINE_WARP_H

#include "test/emulator/machine/Fault.h"
#include "test/emulator/machine/Memory.h"
#include "test/emulator/machine/Program.h"

#include <cstring>
#include <memory>
#include <vector>

namespace heddle::emulator {

class Cta;
class Launch;

enum class Wait : uint8_t {
  /// Can run.
  Ready,
  /// For other lanes of the warp to come to the same instruction.
  Converge,
  /// For a barrier of the CTA, whose number is `data`.
  Barrier,
  /// Tries its instruction again after something happened.
  Poll,
  /// For `data` registers more that other warps of the CTA give back; tries its
  /// instruction again as those that poll do.
  Registers,
};

/// Lanes that stand at one place and are not running now.
struct Group {
  uint32_t pc;
  uint32_t mask;
  Wait wait = Wait::Ready;
  uint32_t data = 0;
};

template <class Visit> inline void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// What families of asynchronous instructions keep for a warp.
struct WarpAsync;

class Warp {
public:
  Warp(Launch &launch, Cta &cta, unsigned index);
  ~Warp();

  /// Runs up to `budget` instructions; ends early where no lane can go on.
  void run(unsigned budget);

  template <class T> T *lanes(uint32_t offset) {
    return reinterpret_cast<T *>(registers.get() + offset);
  }
  uint32_t &predicate(uint32_t offset) { return *lanes<uint32_t>(offset); }
  void setPredicate(uint32_t offset, uint32_t value, uint32_t mask) {
    uint32_t &into = predicate(offset);
    into = (into & ~mask) | (value & mask);
  }

  // For control flow.
  void jump(uint32_t target, uint32_t taken);
  /// Lanes of `mask` go on at `target` some time later.
  void park(uint32_t target, uint32_t mask);
  void exit(uint32_t mask);
  /// Takes `mask` out of the running lanes until `wait` is over. Those that
  /// wait for a barrier go on behind the instruction, others repeat it.
  void block(uint32_t mask, Wait wait, uint32_t data = 0);
  /// False where lanes of `wanted` are not here yet: the instruction is tried
  /// again when they are.
  bool converged(uint32_t wanted, uint32_t mask);
  /// For instructions that all lanes that still live must run together.
  bool aligned(uint32_t mask) { return converged(alive, mask); }

  void fault(FaultKind kind, int lane, const std::string &message);
  std::string place(int lane) const;
  /// Of the text, where the instruction that runs stands; 0 if it has none.
  uint32_t line() const;

  // Memory. Null after a fault.
  uint8_t *global(uint64_t address, uint32_t bytes, unsigned lane, bool write);
  uint8_t *shared(uint64_t address, uint32_t bytes, unsigned lane, bool write);
  uint8_t *local(uint64_t address, uint32_t bytes, unsigned lane);
  uint8_t *generic(uint64_t address, uint32_t bytes, unsigned lane, bool write);
  uint8_t *memory(Space space, uint64_t address, uint32_t bytes, unsigned lane,
                  bool write);

  /// Whether a wait with a time limit gives up now.
  bool timedOut();

  Launch &launch;
  Cta &cta;
  const unsigned index;
  uint32_t pc = 0;
  uint32_t active = 0;
  uint32_t alive = 0;
  std::vector<Group> groups;
  /// No lane can run until something happens.
  bool blocked = false;
  bool done = false;
  /// How many registers the hardware gives each of its threads now.
  uint32_t threadRegisters = 0;
  uint64_t executed = 0;
  std::unique_ptr<WarpAsync> async;

private:
  friend class Launch;
  friend class Cta;
  bool settle();
  bool pickGroup();
  void reconverge();
  void findMerge();

  struct Free {
    void operator()(uint8_t *memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t[], Free> registers;
  std::vector<uint8_t> localMemory;
  const Inst *code = nullptr;
  uint32_t mergePc = ~0u;
  bool roam = false;
  uint32_t timeRound = 0;
  bool attention = false;
  Allocation *lastAllocation = nullptr;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_WARP_H
