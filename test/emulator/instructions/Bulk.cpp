// cp.async.bulk: whole boxes of tensors, and runs of bytes, between global and
// shared memory. They come late: at the latest when nothing else can run.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/instructions/MBarrier.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"
#include "test/emulator/machine/TensorMap.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

struct Box {
  TensorMap map;
  int64_t corner[5];
  uint32_t bytes() const {
    uint32_t all = map.elementBytes;
    for (unsigned i = 0; i < map.rank; ++i)
      all *= map.box[i];
    return all;
  }
};

uint32_t swizzled(uint32_t at, unsigned mode) {
  static constexpr unsigned kBits[] = {0, 1, 3, 7};
  return at ^ ((at >> 7 & kBits[mode]) << 4);
}

/// Visits the elements of a box, with their place in global memory (0 where
/// they are out of bounds) and in shared memory.
template <class Visit>
void forElements(const Box &box, uint32_t shared, Visit visit) {
  const TensorMap &map = box.map;
  uint32_t count = box.bytes() / map.elementBytes;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t rest = i;
    uint64_t address = map.address;
    bool inside = true;
    for (unsigned d = 0; d < map.rank; ++d) {
      int64_t at = box.corner[d] + int64_t(rest % map.box[d]);
      rest /= map.box[d];
      inside &= at >= 0 && uint64_t(at) < map.extents[d];
      address += uint64_t(at) * (d ? map.strides[d - 1] : map.elementBytes);
    }
    visit(inside ? address : 0,
          swizzled(shared + i * map.elementBytes, map.swizzle));
  }
}

/// One lane's copy: what it needs when it is done.
struct Transfer {
  Launch *launch;
  Cta *cta;
  std::string place;
  Box box;
  uint32_t shared, bytes;
  uint64_t global; // of runs of bytes
  bool isTensor, store;
};

Fault move(const Transfer &t) {
  auto one = [&](uint64_t address, uint32_t at, uint32_t bytes) -> Fault {
    uint8_t *inner = t.cta->shared.data() + at;
    if (!address) {
      if (!t.store)
        std::memset(inner, t.box.map.fillNan ? 0xff : 0, bytes);
      return {};
    }
    Allocation *found = t.launch->memory.find(address);
    if (!found || !found->holds(address, bytes))
      return {FaultKind::IllegalAddress,
              t.place + ": " + std::to_string(bytes) +
                  " bytes of global memory, " +
                  t.launch->memory.describe(address)};
    uint8_t *outer = found->pointer(address);
    std::memcpy(t.store ? outer : inner, t.store ? inner : outer, bytes);
    return {};
  };
  Fault fault;
  if (!t.isTensor)
    return one(t.global, t.shared, t.bytes);
  forElements(t.box, t.shared, [&](uint64_t address, uint32_t at) {
    if (!fault)
      fault = one(address, at, t.box.map.elementBytes);
  });
  return fault;
}

uint64_t valueOf(Warp &warp, uint32_t offset, bool narrow, unsigned lane) {
  return narrow ? warp.lanes<uint32_t>(offset)[lane]
                : warp.lanes<uint64_t>(offset)[lane];
}

/// What an instruction names, beside the fields of Inst.
struct BulkOperands {
  bool isTensor, store;
  unsigned rank;
  uint32_t shared, global, barrier; // registers
  bool sharedNarrow, barrierNarrow;
  int64_t sharedOffset, globalOffset, barrierOffset;
};

bool boxOf(Warp &warp, const Inst &inst, const BulkOperands &o, uint64_t map,
           unsigned lane, Box &box) {
  const uint8_t *bytes = warp.generic(map, 64, lane, false);
  if (!bytes || !warp.generic(map + 64, 64, lane, false))
    return false;
  std::memcpy(&box.map, bytes, sizeof box.map);
  if (box.map.magic != TensorMap::kMagic || box.map.rank != o.rank) {
    warp.fault(FaultKind::Undefined, int(lane),
               "no tensor map of " + std::to_string(o.rank) +
                   " dimensions lies there");
    return false;
  }
  for (unsigned i = 0; i < o.rank; ++i)
    box.corner[i] = warp.lanes<int32_t>(inst.list[i])[lane];
  return true;
}

void issue(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto &o = *static_cast<const BulkOperands *>(inst.extra);
  forLanes(mask, [&](unsigned lane) {
    if (warp.launch.failed())
      return;
    Transfer t{&warp.launch, &warp.cta, warp.place(int(lane)), {}, 0, 0, 0,
               o.isTensor,   o.store};
    uint64_t global =
        warp.lanes<uint64_t>(o.global)[lane] + uint64_t(o.globalOffset);
    if (o.isTensor) {
      if (!boxOf(warp, inst, o, global, lane, t.box))
        return;
      t.bytes = t.box.bytes();
    } else {
      t.global = global;
      t.bytes = warp.lanes<uint32_t>(inst.c)[lane];
      if (t.bytes % 16 || global % 16)
        return warp.fault(FaultKind::Misaligned, int(lane),
                          "bulk copies are of multiples of 16 bytes");
    }
    t.shared = uint32_t(valueOf(warp, o.shared, o.sharedNarrow, lane) +
                        uint64_t(o.sharedOffset));
    if (t.shared >> kRankShift)
      return warp.fault(FaultKind::Undefined, int(lane),
                        "copies to other blocks are not emulated");
    if (t.shared % (o.isTensor ? 128 : 16))
      return warp.fault(FaultKind::Misaligned, int(lane),
                        "the shared address is not aligned");
    if (t.bytes == 0 || !warp.shared(t.shared, 1, lane, true) ||
        !warp.shared(t.shared + t.bytes - 1, 1, lane, true))
      return;
    if (o.store) {
      auto done = std::make_shared<bool>(false);
      warp.async->stores.push_back(
          {lane, warp.async->storeGroup[lane], done, {t.shared, t.bytes}});
      if (Races *races = warp.cta.races.get())
        races->startRead(warp, {t.shared, t.bytes});
      warp.launch.later([t, done] {
        t.launch->fault(move(t));
        *done = true;
      });
      return;
    }
    uint64_t at = valueOf(warp, o.barrier, o.barrierNarrow, lane) +
                  uint64_t(o.barrierOffset);
    MBarrier *barrier = findBarrier(warp, Space::Shared, at, lane);
    if (!barrier)
      return;
    if (Races *races = warp.cta.races.get())
      races->startBulk(warp, {t.shared, t.bytes}, barrier->address);
    std::memset(warp.cta.shared.data() + t.shared, 0xff, t.bytes);
    warp.launch.later([t, barrier] {
      t.launch->fault(move(t));
      if (Races *races = t.cta->races.get())
        races->finishBulk({t.shared, t.bytes}, barrier->address,
                          barrier->phase);
      completeBytes(*t.launch, *barrier, t.bytes);
    });
  });
}

void commit(Warp &warp, const Inst &, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) { ++warp.async->storeGroup[lane]; });
}

/// target: groups that may still be under way.
void waitGroup(Warp &warp, const Inst &inst, uint32_t mask) {
  auto &stores = warp.async->stores;
  auto isAwaited = [&](const BulkStore &store) {
    return (mask >> store.lane & 1) &&
           store.group + inst.target < warp.async->storeGroup[store.lane];
  };
  for (const BulkStore &store : stores)
    if (isAwaited(store) && !*store.done)
      return warp.block(mask, Wait::Poll);
  if (Races *races = warp.cta.races.get()) {
    std::vector<SharedRange> done, underWay;
    for (const BulkStore &store : stores)
      (isAwaited(store) ? done : underWay).push_back(store.reads);
    races->finishReads(warp, done, underWay);
  }
  stores.erase(std::remove_if(stores.begin(), stores.end(), isAwaited),
               stores.end());
}

} // namespace

/// Behind `cp.async.bulk`.
bool decodeBulk(Decoder &decoder) {
  Inst &inst = decoder.inst;
  if (!decoder.needs(90))
    return false;
  if (decoder.take("commit_group"))
    return decoder.count(0) && finish(decoder, commit);
  if (decoder.take("wait_group")) {
    decoder.take("read");
    int64_t groups = 0;
    if (!decoder.count(1) || !decoder.literal(0, groups))
      return false;
    inst.target = uint32_t(groups);
    return finish(decoder, waitGroup);
  }
  auto &o = decoder.extra<BulkOperands>();
  o = {};
  o.isTensor = decoder.take("tensor");
  o.rank = o.isTensor
               ? unsigned(1 + decoder.takeOneOf({"1d", "2d", "3d", "4d", "5d"}))
               : 0;
  decoder.take("tile");
  // The order of the spaces is that of the operands.
  o.store = decoder.statement->operands.size() == (o.isTensor ? 2u : 3u);
  bool inShared =
      decoder.take("shared::cluster") || decoder.take("shared::cta");
  bool known = decoder.take("global") &&
               (o.store ? decoder.take("bulk_group")
                        : decoder.take("mbarrier::complete_tx::bytes"));
  if (!inShared || !known || (o.isTensor && !o.rank))
    return false;
  unsigned shared = o.store ? 1 : 0, global = o.store ? 0 : 1;
  auto into = [&](unsigned index, Space space, uint32_t &base, int64_t &offset,
                  bool &narrow) {
    inst.flags = 0;
    bool good =
        index < decoder.operands() &&
        decoder.addressInto(decoder.operand(index), space, base, offset);
    narrow = inst.flags & 0x80;
    return good;
  };
  bool ignored = false;
  if (!into(shared, Space::Shared, o.shared, o.sharedOffset, o.sharedNarrow) ||
      !into(global, Space::Global, o.global, o.globalOffset, ignored))
    return false;
  if (o.isTensor) {
    const auto &parts = decoder.operand(global).elements;
    if (parts.size() != 2 || parts[1].elements.size() != o.rank ||
        !decoder.sources(parts[1].elements, Type::S32, inst.list))
      return decoder.fail("takes a tensor map and coordinates");
  } else if (!decoder.source(2, Type::U32, inst.c)) {
    return false;
  }
  unsigned barrier = o.isTensor ? 2 : 3;
  if (!o.store &&
      (!decoder.count(barrier + 1) || !into(barrier, Space::Shared, o.barrier,
                                            o.barrierOffset, o.barrierNarrow)))
    return false;
  return finish(decoder, issue);
}

} // namespace heddle::emulator
