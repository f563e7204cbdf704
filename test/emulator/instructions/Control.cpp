// Where control goes: bra, brx.idx, call, ret, exit, trap; nanosleep and other
// hints.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"

namespace heddle::emulator {
namespace {

void branch(Warp &warp, const Inst &inst, uint32_t mask) {
  warp.jump(inst.target, mask);
}

bool decodeBra(Decoder &decoder) {
  decoder.take("uni");
  if (!decoder.count(1) || !decoder.branch(0))
    return false;
  decoder.emit(branch);
  return true;
}

void branchByIndex(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *index = warp.lanes<uint32_t>(inst.a);
  // Lanes leave one target at a time.
  while (mask) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    uint32_t which = index[lane];
    if (which >= inst.count)
      return warp.fault(FaultKind::Undefined, int(lane),
                        "index " + std::to_string(which) + " of a list of " +
                            std::to_string(inst.count) + " targets");
    uint32_t same = 0;
    forLanes(mask, [&](unsigned other) {
      same |= uint32_t(index[other] == which) << other;
    });
    mask &= ~same;
    if (same == warp.active) {
      warp.jump(inst.list[which], same);
      return;
    }
    warp.park(inst.list[which], same);
  }
}

bool decodeBrx(Decoder &decoder) {
  decoder.take("idx");
  decoder.take("uni");
  if (!decoder.count(2) || !decoder.source(0, Type::U32, decoder.inst.a))
    return false;
  const std::vector<uint32_t> *targets = decoder.targets(1);
  if (!targets || targets->size() > 255)
    return false;
  decoder.inst.count = uint8_t(targets->size());
  decoder.emit(branchByIndex);
  return true;
}

bool decodeCall(Decoder &decoder) {
  decoder.take("uni");
  return decoder.call();
}

void endThread(Warp &warp, const Inst &, uint32_t mask) { warp.exit(mask); }

bool decodeRet(Decoder &decoder) {
  decoder.take("uni");
  return decoder.leave(branch, endThread);
}

bool decodeExit(Decoder &decoder) {
  decoder.emit(endThread);
  return true;
}

void trap(Warp &warp, const Inst &, uint32_t mask) {
  warp.fault(FaultKind::Trap, __builtin_ctz(mask), "the kernel trapped");
}

bool decodeTrap(Decoder &decoder) {
  decoder.emit(trap);
  return true;
}

void nothing(Warp &, const Inst &, uint32_t) {}

/// Hints; their operands are not looked at.
bool decodeHint(Decoder &decoder) {
  while (!decoder.takeAny().empty())
    ;
  decoder.emit(nothing);
  return true;
}

constexpr Opcode kOpcodes[] = {
    {"bra", decodeBra},      {"brx", decodeBrx},
    {"call", decodeCall},    {"ret", decodeRet},
    {"exit", decodeExit},    {"trap", decodeTrap},
    {"brkpt", decodeTrap},   {"nanosleep", decodeHint},
    {"pmevent", decodeHint}, {"griddepcontrol", decodeHint},
};

} // namespace

Family controlFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
