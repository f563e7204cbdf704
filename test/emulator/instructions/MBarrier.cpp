// mbarrier: barriers in shared memory that count arrivals and bytes;
// elect.sync, which goes with them.

#include "test/emulator/instructions/MBarrier.h"
#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

namespace heddle::emulator {
namespace {

void settlePhase(Launch &launch, MBarrier &barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) {
    if (Races *races = barrier.owner->races.get())
      races->phaseOver(barrier.address, barrier.phase);
    ++barrier.phase;
    barrier.pending = barrier.expected;
  }
  launch.event();
}

uint64_t addressOf(Warp &warp, const Inst &inst, unsigned lane) {
  uint64_t base = inst.flags & 0x80 ? warp.lanes<uint32_t>(inst.a)[lane]
                                    : warp.lanes<uint64_t>(inst.a)[lane];
  return base + uint64_t(inst.offset);
}

/// The block's table of barriers, and the place in it.
std::pair<Cta *, uint32_t> locate(Warp &warp, Space space, uint64_t address,
                                  unsigned lane) {
  if (space == Space::None) {
    if (address >> 48 != kSharedWindow >> 48) {
      warp.fault(FaultKind::IllegalAddress, int(lane),
                 "a barrier lies in shared memory");
      return {nullptr, 0};
    }
    address -= kSharedWindow;
  }
  address &= 0xffffffff;
  if (!warp.shared(address, 8, lane, true))
    return {nullptr, 0};
  uint32_t rank = uint32_t(address >> kRankShift);
  Cta *owner = rank ? warp.cta.cluster[rank - 1] : &warp.cta;
  return {owner, uint32_t(address & ((1u << kRankShift) - 1))};
}

void init(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    auto [owner, at] =
        locate(warp, inst.space, addressOf(warp, inst, lane), lane);
    if (!owner)
      return;
    if (inst.mode) { // inval
      if (!owner->async->barriers.erase(at))
        warp.fault(FaultKind::Undefined, int(lane), "there is no barrier here");
      return;
    }
    uint32_t count = warp.lanes<uint32_t>(inst.b)[lane];
    if (count == 0 || count >= 1u << 20)
      return warp.fault(FaultKind::Undefined, int(lane),
                        "a barrier of " + std::to_string(count) + " arrivals");
    owner->async->barriers[at] = {count, count, 0, 0, owner, at};
    if (owner->races)
      owner->races->made(warp, at);
  });
}

/// mode: 1 arrives, 2 expects bytes (b), 4 completes bytes (b); c: arrivals.
void arrive(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    if (warp.launch.failed())
      return;
    MBarrier *barrier =
        findBarrier(warp, inst.space, addressOf(warp, inst, lane), lane);
    if (!barrier)
      return;
    uint32_t bytes = inst.mode & 6 ? warp.lanes<uint32_t>(inst.b)[lane] : 0;
    if (inst.dst)
      warp.lanes<uint64_t>(inst.dst)[lane] = barrier->phase;
    if (inst.mode & 2)
      barrier->bytes += bytes;
    if (inst.mode & 4)
      barrier->bytes -= bytes;
    if (inst.mode & 1) {
      uint32_t count = warp.lanes<uint32_t>(inst.c)[lane];
      if (count > barrier->pending)
        return warp.fault(FaultKind::Undefined, int(lane),
                          "more arrivals than the barrier was made for");
      barrier->pending -= count;
      if (Races *races = barrier->owner->races.get();
          races && barrier->owner == &warp.cta)
        races->arriveAtPhase(warp, barrier->address);
    }
    settlePhase(warp.launch, *barrier);
  });
}

/// mode: 1 by parity, 2 waits for a time.
void wait(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t over = 0;
  forLanes(mask, [&](unsigned lane) {
    MBarrier *barrier =
        warp.launch.failed()
            ? nullptr
            : findBarrier(warp, inst.space, addressOf(warp, inst, lane), lane);
    if (!barrier)
      return;
    bool complete =
        inst.mode & 1
            ? (barrier->phase & 1) != (warp.lanes<uint32_t>(inst.b)[lane] & 1)
            : barrier->phase != uint32_t(warp.lanes<uint64_t>(inst.b)[lane]);
    over |= uint32_t(complete) << lane;
    if (Races *races = warp.cta.races.get();
        races && complete && barrier->owner == &warp.cta)
      races->sawPhase(warp, barrier->address);
  });
  if (warp.launch.failed())
    return;
  if ((inst.mode & 2) && over == 0 && !warp.timedOut())
    return warp.block(mask, Wait::Poll);
  warp.setPredicate(inst.dst, over, mask);
}

bool decodeMBarrier(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int what = decoder.takeOneOf({"init", "inval", "arrive", "expect_tx",
                                "complete_tx", "test_wait", "try_wait"});
  Space space = Space::None;
  if (decoder.take("shared") || decoder.take("shared::cta"))
    space = Space::Shared;
  else if (decoder.take("shared::cluster"))
    space = Space::SharedCluster;
  for (std::string_view hint :
       {"release", "acquire", "relaxed", "cta", "cluster"})
    decoder.take(hint);
  bool expects = what == 2 && decoder.take("expect_tx");
  bool parity = what > 4 && decoder.take("parity");
  if (what < 0 || decoder.takeType() != Type::B64)
    return false;
  if (what < 2) {
    inst.mode = uint8_t(what);
    return decoder.count(2 - unsigned(what)) && decoder.address(0, space) &&
           (what || decoder.source(1, Type::U32, inst.b)) &&
           finish(decoder, init);
  }
  if (what > 4) {
    inst.mode = uint8_t((parity ? 1 : 0) | (what == 6 ? 2 : 0));
    bool limit = what == 6 && decoder.operands() == 4; // how long, at most
    return (limit || decoder.count(3)) &&
           decoder.destination(0, Type::Pred, inst.dst) &&
           decoder.address(1, space) &&
           decoder.source(2, parity ? Type::U32 : Type::B64, inst.b) &&
           finish(decoder, wait);
  }
  inst.mode = uint8_t((what == 2 ? 1 : 0) | (expects || what == 3 ? 2 : 0) |
                      (what == 4 ? 4 : 0));
  unsigned at = 0;
  if (what == 2 && decoder.operands() &&
      decoder.operand(0).kind != Operand::Kind::Address) {
    if (decoder.operand(0).kind != Operand::Kind::Sink &&
        !decoder.destination(0, Type::B64, inst.dst))
      return false;
    at = 1;
  }
  bool second = inst.mode & 6;
  bool counted = !second && decoder.operands() == at + 2;
  inst.c = decoder.constant(Type::U32, 1);
  return decoder.count(at + 1 + (second || counted)) &&
         decoder.address(at, space) &&
         (!second || decoder.source(at + 1, Type::U32, inst.b)) &&
         (!counted || decoder.source(at + 1, Type::U32, inst.c)) &&
         finish(decoder, arrive);
}

/// The same lane each time, which one is the launch's secret.
void elect(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = warp.lanes<uint32_t>(inst.b)[__builtin_ctz(mask)];
  if (!warp.converged(who, mask))
    return;
  unsigned leader = warp.launch.elected & 31;
  while (!(who >> leader & 1))
    leader = (leader + 1) & 31;
  forLanes(mask, [&](unsigned lane) {
    warp.lanes<uint32_t>(inst.dst)[lane] = leader;
  });
  warp.setPredicate(inst.dst2, 1u << leader, mask);
}

bool decodeElect(Decoder &decoder) {
  Inst &inst = decoder.inst;
  if (!decoder.needs(90) || !decoder.take("sync") || !decoder.count(2) ||
      decoder.operand(0).kind != Operand::Kind::Pair)
    return false;
  return decoder.destination(decoder.operand(0).elements[0], Type::B32,
                             inst.dst) &&
         decoder.destination(decoder.operand(0).elements[1], Type::Pred,
                             inst.dst2) &&
         decoder.source(1, Type::B32, inst.b) && finish(decoder, elect);
}

constexpr Opcode kOpcodes[] = {{"mbarrier", decodeMBarrier},
                               {"elect", decodeElect}};

} // namespace

MBarrier *findBarrier(Warp &warp, Space space, uint64_t address,
                      unsigned lane) {
  auto [owner, at] = locate(warp, space, address, lane);
  if (!owner)
    return nullptr;
  auto found = owner->async->barriers.find(at);
  if (found != owner->async->barriers.end())
    return &found->second;
  warp.fault(FaultKind::Undefined, int(lane),
             "no barrier was made at shared address " + std::to_string(at));
  return nullptr;
}

void completeBytes(Launch &launch, MBarrier &barrier, uint32_t bytes) {
  barrier.bytes -= bytes;
  settlePhase(launch, barrier);
}

Family mbarrierFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
