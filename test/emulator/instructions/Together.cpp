// What lanes and warps do together: shfl, vote, warp barriers,
// activemask, match, redux, bar.sync and barrier, fences.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

namespace heddle::emulator {
namespace {

/// Whether the lanes of the member mask in `offset` are all here. Lanes that
/// name other members run the instruction after those in `mask`.
bool members(Warp &warp, uint32_t offset, uint32_t &mask, uint32_t &who) {
  const auto *named = warp.lanes<uint32_t>(offset);
  who = named[__builtin_ctz(mask)];
  uint32_t same = 0;
  forLanes(mask, [&](unsigned lane) {
    same |= uint32_t(named[lane] == who) << lane;
  });
  if (uint32_t others = same & ~who) {
    warp.fault(FaultKind::Undefined, __builtin_ctz(others),
               "the thread is not among the members it names");
    return false;
  }
  if (same != mask)
    warp.park(warp.pc - 1, mask & ~same);
  mask = same;
  return warp.converged(who, mask);
}

/// mode: up, down, bfly, idx; dst2: whether the source lane was in range.
void shuffle(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = 0;
  if (!members(warp, inst.d, mask, who))
    return;
  const auto *a = warp.lanes<uint32_t>(inst.a),
             *b = warp.lanes<uint32_t>(inst.b),
             *c = warp.lanes<uint32_t>(inst.c);
  uint32_t result[32] = {}, valid = 0;
  forLanes(mask, [&](unsigned lane) {
    unsigned by = b[lane] & 31, clamp = c[lane] & 31,
             segment = c[lane] >> 8 & 31;
    unsigned most = (lane & segment) | (clamp & ~segment),
             least = lane & segment;
    int from = inst.mode == 0   ? int(lane) - int(by)
               : inst.mode == 1 ? int(lane + by)
               : inst.mode == 2 ? int(lane ^ by)
                                : int(least | (by & ~segment));
    bool good = inst.mode == 0 ? from >= int(most) : from <= int(most);
    unsigned source = good ? unsigned(from) : lane;
    if (!(mask >> source & 1))
      return warp.fault(FaultKind::Undefined, int(lane),
                        "reads lane " + std::to_string(source) +
                            ", which does not take part");
    result[lane] = a[source];
    valid |= uint32_t(good) << lane;
  });
  writeLanes(warp, inst.dst, result, mask);
  if (inst.dst2)
    warp.setPredicate(inst.dst2, valid, mask);
}

bool decodeShuffle(Decoder &decoder) {
  Inst &inst = decoder.inst;
  decoder.take("sync");
  int mode = decoder.takeOneOf({"up", "down", "bfly", "idx"});
  decoder.takeType();
  if (mode < 0 || !decoder.count(5))
    return false;
  inst.mode = uint8_t(mode);
  const Operand &to = decoder.operand(0);
  bool pair = to.kind == Operand::Kind::Pair;
  return decoder.destination(pair ? to.elements[0] : to, Type::B32, inst.dst) &&
         (!pair ||
          decoder.destination(to.elements[1], Type::Pred, inst.dst2)) &&
         decoder.source(1, Type::B32, inst.a) &&
         decoder.source(2, Type::B32, inst.b) &&
         decoder.source(3, Type::B32, inst.c) &&
         decoder.source(4, Type::B32, inst.d) && finish(decoder, shuffle);
}

/// mode: all, any, uni, ballot; guardFlip of the source in target.
void vote(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = 0;
  if (!members(warp, inst.b, mask, who))
    return;
  uint32_t set = (warp.predicate(inst.a) ^ inst.target) & who;
  bool all = set == who, any = set != 0;
  if (inst.mode == 3)
    return forLanes(mask, [&](unsigned lane) {
      warp.lanes<uint32_t>(inst.dst)[lane] = set;
    });
  bool result = inst.mode == 0 ? all : inst.mode == 1 ? any : all || !any;
  warp.setPredicate(inst.dst, result ? ~0u : 0, mask);
}

bool decodeVote(Decoder &decoder) {
  Inst &inst = decoder.inst;
  decoder.take("sync");
  int mode = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  Type type = decoder.takeType();
  inst.mode = uint8_t(mode);
  if (mode < 0 || !decoder.count(3))
    return false;
  inst.target = decoder.operand(1).negated ? ~0u : 0;
  return decoder.destination(0, type, inst.dst) &&
         decoder.source(1, Type::Pred, inst.a) &&
         decoder.source(2, Type::B32, inst.b) && finish(decoder, vote);
}

/// mode: add, min, max, and, or, xor; flags: 1 signed.
void reduce(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = 0;
  if (!members(warp, inst.b, mask, who))
    return;
  const auto *a = warp.lanes<uint32_t>(inst.a);
  uint32_t flip = inst.flags & 1 ? 0x80000000 : 0;
  uint32_t sum = a[__builtin_ctz(who)];
  forLanes(who & (who - 1), [&](unsigned lane) {
    uint32_t x = a[lane];
    bool less = (x ^ flip) < (sum ^ flip);
    sum = inst.mode == 0   ? sum + x
          : inst.mode == 1 ? (less ? x : sum)
          : inst.mode == 2 ? (less ? sum : x)
          : inst.mode == 3 ? sum & x
          : inst.mode == 4 ? sum | x
                           : sum ^ x;
  });
  forLanes(mask,
           [&](unsigned lane) { warp.lanes<uint32_t>(inst.dst)[lane] = sum; });
}

bool decodeRedux(Decoder &decoder) {
  decoder.take("sync");
  int mode = decoder.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = decoder.takeType();
  decoder.inst.mode = uint8_t(mode);
  decoder.inst.flags = type == Type::S32;
  return mode >= 0 && type != Type::F32 &&
         decodeOperands(decoder, type, type, Type::B32) &&
         finish(decoder, reduce);
}

/// match.any: the members with the same value; match.all (mode 1): all of them
/// where they agree, which dst2 says. bytes: 4 or 8.
void match(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = 0;
  if (!members(warp, inst.b, mask, who))
    return;
  auto value = [&](unsigned lane) {
    return inst.bytes == 8 ? warp.lanes<uint64_t>(inst.a)[lane]
                           : warp.lanes<uint32_t>(inst.a)[lane];
  };
  uint32_t result[32] = {}, agree = 0;
  forLanes(mask, [&](unsigned lane) {
    uint32_t same = 0;
    forLanes(who, [&](unsigned other) {
      same |= uint32_t(value(other) == value(lane)) << other;
    });
    agree |= uint32_t(same == who) << lane;
    result[lane] = inst.mode && same != who ? 0 : same;
  });
  writeLanes(warp, inst.dst, result, mask);
  if (inst.dst2)
    warp.setPredicate(inst.dst2, agree, mask);
}

bool decodeMatch(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int mode = decoder.takeOneOf({"any", "all"});
  bool sync = decoder.take("sync");
  Type type = decoder.takeType();
  if (mode < 0 || !sync || (type != Type::B32 && type != Type::B64) ||
      !decoder.count(3))
    return false;
  inst.mode = uint8_t(mode);
  inst.bytes = uint8_t(bytesOf(type));
  const Operand &to = decoder.operand(0);
  bool pair = mode && to.kind == Operand::Kind::Pair;
  return decoder.destination(pair ? to.elements[0] : to, Type::B32, inst.dst) &&
         (!pair ||
          decoder.destination(to.elements[1], Type::Pred, inst.dst2)) &&
         decoder.source(1, type, inst.a) &&
         decoder.source(2, Type::B32, inst.b) && finish(decoder, match);
}

void activeMask(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask,
           [&](unsigned lane) { warp.lanes<uint32_t>(inst.dst)[lane] = mask; });
}

bool decodeActive(Decoder &decoder) {
  return decoder.takeType() == Type::B32 && decoder.count(1) &&
         decoder.destination(0, Type::B32, decoder.inst.dst) &&
         finish(decoder, activeMask);
}

void warpBarrier(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t who = 0;
  members(warp, inst.a, mask, who);
}

/// flags: 1 waits, 2 all lanes of the warp together; a: which, b: for how
/// many threads, where inst.count.
void ctaBarrier(Warp &warp, const Inst &inst, uint32_t mask) {
  if ((inst.flags & 2) && !warp.aligned(mask))
    return;
  unsigned first = unsigned(__builtin_ctz(mask));
  uint32_t id = warp.lanes<uint32_t>(inst.a)[first];
  uint32_t threads = inst.count ? warp.lanes<uint32_t>(inst.b)[first] : 0;
  if (id > 15 || threads % 32 || (inst.count && !threads))
    return warp.fault(FaultKind::Undefined, int(first),
                      "barrier " + std::to_string(id) + " for " +
                          std::to_string(threads) + " threads");
  if (inst.mode) { // bar.red: what the barrier gathers
    uint32_t set = (warp.predicate(inst.c) ^ inst.target) & mask;
    Barrier &barrier = warp.cta.barriers[id];
    barrier.sum += uint32_t(__builtin_popcount(set));
    barrier.every &= set == mask;
    barrier.some |= set != 0;
  }
  warp.cta.arrive(warp, id, mask, threads, inst.flags & 1);
}

/// bar.red.and.pred p, a[, threads], q: mode as Cta::release reads it.
bool decodeReduction(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int mode = 1 + decoder.takeOneOf({"and", "or", "popc"});
  Type type = decoder.takeType();
  if (!mode || type != (mode == 3 ? Type::U32 : Type::Pred) ||
      decoder.operands() < 3 || decoder.operands() > 4)
    return false;
  unsigned last = decoder.operands() - 1;
  inst.mode = uint8_t(mode);
  inst.flags |= 1;
  inst.count = last == 3;
  inst.target = decoder.operand(last).negated ? ~0u : 0;
  return decoder.destination(0, type, inst.dst) &&
         decoder.source(1, Type::U32, inst.a) &&
         (!inst.count || decoder.source(2, Type::U32, inst.b)) &&
         decoder.source(last, Type::Pred, inst.c) &&
         finish(decoder, ctaBarrier);
}

bool decodeBarrier(Decoder &decoder) {
  Inst &inst = decoder.inst;
  bool short_ = decoder.statement->parts[0] == "bar";
  if (short_ && decoder.take("warp"))
    return decoder.take("sync") && decoder.count(1) &&
           decoder.source(0, Type::B32, inst.a) && finish(decoder, warpBarrier);
  decoder.take("cta");
  bool reduces = decoder.take("red");
  int arrives = decoder.takeOneOf({"sync", "arrive"});
  bool aligned = decoder.take("aligned") || short_;
  if (reduces) {
    inst.flags = aligned ? 2 : 0;
    return arrives < 0 && decodeReduction(decoder);
  }
  inst.flags = uint8_t((arrives == 0 ? 1 : 0) | (aligned ? 2 : 0));
  inst.count = decoder.operands() == 2;
  return arrives >= 0 && decoder.operands() >= 1 && decoder.operands() <= 2 &&
         decoder.source(0, Type::U32, inst.a) &&
         (!inst.count || decoder.source(1, Type::U32, inst.b)) &&
         finish(decoder, ctaBarrier);
}

void nothing(Warp &, const Inst &, uint32_t) {}

void fenceProxy(Warp &warp, const Inst &, uint32_t) {
  if (Races *races = warp.cta.races.get())
    races->fenceProxy(warp);
}

/// Memory is sequentially consistent, for the asynchronous proxy too: fences
/// are of use to those who look for races alone.
bool decodeFence(Decoder &decoder) {
  if (decoder.take("proxy")) {
    if (decoder.take("tensormap::generic")) {
      bool acquires = decoder.take("acquire");
      decoder.take("release");
      decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
      return decoder.count(acquires ? 2 : 0) && finish(decoder, nothing);
    }
    decoder.takeOneOf({"shared::cta", "shared::cluster", "global"});
    int proxy = decoder.takeOneOf({"async", "alias"});
    return proxy >= 0 && decoder.count(0) &&
           finish(decoder, proxy ? nothing : fenceProxy);
  }
  if (decoder.take("mbarrier_init"))
    return decoder.take("release") && decoder.take("cluster") &&
           decoder.count(0) && finish(decoder, nothing);
  for (std::string_view part : {"sc", "acq_rel", "acquire", "release", "cta",
                                "cluster", "gpu", "sys", "gl"})
    decoder.take(part);
  return finish(decoder, nothing);
}

constexpr Opcode kOpcodes[] = {
    {"shfl", decodeShuffle},      {"vote", decodeVote},
    {"redux", decodeRedux},       {"match", decodeMatch},
    {"activemask", decodeActive}, {"bar", decodeBarrier},
    {"barrier", decodeBarrier},   {"fence", decodeFence},
    {"membar", decodeFence},
};

} // namespace

Family togetherFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
