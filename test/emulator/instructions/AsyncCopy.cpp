// cp.async and its groups: bytes that come later. Until then the target holds
// bytes that nobody wants.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/instructions/MBarrier.h"
#include "test/emulator/machine/Async.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

uint64_t base(Warp &warp, uint32_t offset, bool narrow, unsigned lane) {
  return narrow ? warp.lanes<uint32_t>(offset)[lane]
                : warp.lanes<uint64_t>(offset)[lane];
}

/// a, offset: where to; b, target: where from; count: bytes; c: how many of
/// them come from memory, where flags & 1; the others are zeros.
void copy(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    if (warp.launch.failed())
      return;
    uint64_t to = base(warp, inst.a, inst.flags & 0x80, lane);
    uint8_t *target = warp.shared((to + uint64_t(inst.offset)) & 0xffffffff,
                                  inst.count, lane, true);
    uint32_t bytes =
        inst.flags & 1 ? warp.lanes<uint32_t>(inst.c)[lane] : inst.count;
    if (!target)
      return;
    if (bytes > inst.count)
      return warp.fault(FaultKind::Undefined, int(lane),
                        "reads " + std::to_string(bytes) + " bytes of " +
                            std::to_string(inst.count));
    uint64_t from = warp.lanes<uint64_t>(inst.b)[lane] +
                    uint64_t(int64_t(int32_t(inst.target)));
    const uint8_t *source = nullptr;
    if (bytes) {
      source = warp.global(from, inst.count == bytes ? bytes : 1, lane, false);
      if (!source || !(source = warp.global(from + bytes - 1, 1, lane, false)))
        return;
      source -= bytes - 1;
      if (from % inst.count)
        return warp.fault(FaultKind::Misaligned, int(lane),
                          "the source is not a multiple of the size");
    }
    if (Races *races = warp.cta.races.get())
      races->startCopy(warp, target, inst.count);
    std::memset(target, 0xff, inst.count);
    warp.async->copies.push_back({target, source, uint8_t(bytes),
                                  uint8_t(inst.count), uint8_t(lane),
                                  warp.async->committed[lane]});
  });
}

void complete(const AsyncBytes &bytes) {
  std::memset(bytes.target, 0, bytes.count);
  if (bytes.sourceCount)
    std::memcpy(bytes.target, bytes.source, bytes.sourceCount);
}

/// Completes what `isDue` says, in order.
template <class Due> void completeWhere(Warp &warp, Due isDue) {
  auto &copies = warp.async->copies;
  copies.erase(std::remove_if(copies.begin(), copies.end(),
                              [&](const AsyncBytes &bytes) {
                                if (!isDue(bytes))
                                  return false;
                                complete(bytes);
                                if (Races *races = warp.cta.races.get())
                                  races->finishCopy(warp, bytes.target,
                                                    bytes.count);
                                return true;
                              }),
               copies.end());
}

void commit(Warp &warp, const Inst &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++warp.async->committed[lane]; });
  // Some end before anybody waits for them; where races are looked for, none
  // does, since only a wait tells that they have.
  if (!warp.cta.races && warp.launch.random.below(4) == 0)
    completeWhere(warp, [&](const AsyncBytes &) {
      return warp.launch.random.below(2) == 0;
    });
}

/// count: groups that may still be under way.
void waitGroup(Warp &warp, const Inst &inst, uint32_t mask) {
  completeWhere(warp, [&](const AsyncBytes &bytes) {
    return (mask >> bytes.lane & 1) &&
           bytes.group + inst.target < warp.async->committed[bytes.lane];
  });
}

void waitAll(Warp &warp, const Inst &, uint32_t mask) {
  completeWhere(
      warp, [&](const AsyncBytes &bytes) { return mask >> bytes.lane & 1; });
}

bool decodeCopy(Decoder &decoder) {
  Inst &inst = decoder.inst;
  if (!decoder.take("async"))
    return false;
  if (decoder.take("bulk"))
    return decodeBulk(decoder);
  if (decoder.take("commit_group"))
    return decoder.count(0) && finish(decoder, commit);
  if (decoder.take("wait_all"))
    return decoder.count(0) && finish(decoder, waitAll);
  int64_t count = 0;
  if (decoder.take("wait_group")) {
    if (!decoder.count(1) || !decoder.literal(0, count))
      return false;
    inst.target = uint32_t(count);
    return finish(decoder, waitGroup);
  }
  int wide = decoder.takeOneOf({"ca", "cg"});
  bool shared = decoder.take("shared") || decoder.take("shared::cta");
  if (wide < 0 || !shared || !decoder.take("global"))
    return false;
  decoder.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  bool policy = decoder.take("L2::cache_hint");
  unsigned operands = decoder.operands() - policy;
  if (operands < 3 || operands > 4 || !decoder.literal(2, count))
    return false;
  if (count != 16 && (wide || (count != 4 && count != 8)))
    return decoder.fail(std::to_string(count) + " bytes cannot be copied");
  Space space = Space::Global;
  int64_t offset = 0;
  if (!decoder.addressInto(decoder.operand(1), space, inst.b, offset) ||
      !decoder.address(0, Space::Shared))
    return false;
  inst.target = uint32_t(int32_t(offset));
  inst.count = uint8_t(count);
  if (operands == 4) {
    inst.flags |= 1;
    if (!decoder.source(3, Type::B32, inst.c))
      return false;
  }
  return finish(decoder, copy);
}

constexpr Opcode kOpcodes[] = {{"cp", decodeCopy}};

} // namespace

Family asyncCopyFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
