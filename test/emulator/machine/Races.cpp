// Vector clocks of the actors of a block.

#include "test/emulator/machine/Races.h"

#include "test/emulator/machine/Launch.h"

#include <algorithm>

namespace heddle::emulator {

/// The time of what has not ended: later than all that anybody knows.
static constexpr uint32_t kUnderWay = ~0u;

static void joinInto(std::vector<uint32_t> &into,
                     const std::vector<uint32_t> &from) {
  if (into.size() < from.size())
    into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

static bool isKnown(const std::vector<uint32_t> &clocks, uint32_t actor,
                    uint32_t time) {
  return actor < clocks.size() && time <= clocks[actor];
}

void Clocks::join(const Clocks &other) {
  joinInto(threads, other.threads);
  joinInto(proxy, other.proxy);
}

Races::Races(Cta &cta, uint32_t bytes, unsigned warps)
    : cta(cta), warps(warps), known(warps), writers(bytes), reads(warps),
      readLine(bytes) {
  for (unsigned i = 0; i < warps; ++i) {
    known[i].threads.resize(warps);
    known[i].proxy.resize(warps);
    known[i].threads[i] = 1;
    reads[i].resize(bytes);
  }
}

bool Races::find(const uint8_t *at, uint32_t &offset) const {
  const uint8_t *first = cta.shared.data();
  if (at < first || at >= first + cta.shared.size())
    return false;
  offset = uint32_t(at - first);
  return true;
}

std::string Races::describe(const Writer &writer) const {
  std::string text =
      writer.kind == Writer::Bulk ? "a copy that line " : "what line ";
  text += std::to_string(writer.line);
  if (writer.kind == Writer::Bulk)
    return text + " started";
  return text + " wrote in warp " + std::to_string(writer.actor);
}

void Races::report(Warp &warp, uint32_t byte, Use use,
                   const std::string &other) {
  static constexpr const char *kUses[] = {"reads", "writes",
                                          "reads asynchronously",
                                          "writes asynchronously", "updates"};
  warp.fault(FaultKind::Race, -1,
             std::string("a race: it ") + kUses[use] + " shared address " +
                 std::to_string(byte) + ", and nothing orders that behind " +
                 other);
}

/// Whether all accesses before are known where they conflict with `use`.
bool Races::isOrdered(Warp &warp, uint32_t byte, Use use) {
  const Clocks &clocks = known[warp.index];
  const Writer &writer = writers[byte];
  bool conflicts = writer.kind != Writer::Nobody &&
                   !(use == AtomicUse && writer.kind == Writer::Atomic);
  if (conflicts && !isKnown(clocks.threads, writer.actor, writer.time)) {
    report(warp, byte, use, describe(writer));
    return false;
  }
  // Copies over what stores have left are not asked for a fence: compilers
  // whose kernels run on devices put none there.
  if (conflicts && use == ProxyRead && writer.kind != Writer::Bulk &&
      !isKnown(clocks.proxy, writer.actor, writer.time)) {
    report(warp, byte, use,
           describe(writer) + " for the asynchronous proxy: there is no "
                              "fence.proxy.async between them");
    return false;
  }
  if (use == Load || use == ProxyRead)
    return true;
  for (unsigned reader = 0; reader < warps; ++reader)
    if (uint32_t time = reads[reader][byte];
        time && !isKnown(clocks.threads, reader, time)) {
      report(warp, byte, use,
             "what line " + std::to_string(readLine[byte]) +
                 " or another read in warp " + std::to_string(reader));
      return false;
    }
  return true;
}

void Races::mark(Warp &warp, SharedRange range, Writer::Kind kind,
                 uint16_t actor, uint32_t time) {
  Writer writer;
  writer.time = time;
  writer.line = warp.line();
  writer.actor = actor;
  writer.kind = kind;
  std::fill_n(writers.begin() + range.at, range.bytes, writer);
}

void Races::access(Warp &warp, const uint8_t *at, uint32_t bytes,
                   const uint8_t *stored) {
  uint32_t offset = 0;
  if (!find(at, offset))
    return;
  if (stored && writers[offset].kind == Writer::Thread &&
      std::equal(stored, stored + bytes, at))
    return;
  auto &own = reads[warp.index];
  for (uint32_t byte = offset; byte < offset + bytes; ++byte) {
    if (!isOrdered(warp, byte, stored ? Store : Load))
      return;
    if (!stored && own[byte] != kUnderWay) {
      own[byte] = now(warp);
      readLine[byte] = warp.line();
    }
  }
  if (stored)
    mark(warp, {offset, bytes}, Writer::Thread, uint16_t(warp.index),
         now(warp));
}

void Races::atomic(Warp &warp, const uint8_t *at, uint32_t bytes) {
  uint32_t offset = 0;
  if (!find(at, offset))
    return;
  Clocks &told = atomics[offset];
  known[warp.index].join(told);
  for (uint32_t byte = offset; byte < offset + bytes; ++byte)
    if (!isOrdered(warp, byte, AtomicUse))
      return;
  mark(warp, {offset, bytes}, Writer::Atomic, uint16_t(warp.index), now(warp));
  told.join(known[warp.index]);
  tick(warp);
}

void Races::startCopy(Warp &warp, const uint8_t *at, uint32_t bytes) {
  uint32_t offset = 0;
  if (!find(at, offset))
    return;
  for (uint32_t byte = offset; byte < offset + bytes; ++byte)
    if (!isOrdered(warp, byte, Store))
      return;
  mark(warp, {offset, bytes}, Writer::Copy, uint16_t(warp.index), kUnderWay);
}

void Races::finishCopy(Warp &warp, const uint8_t *at, uint32_t bytes) {
  uint32_t offset = 0;
  if (!find(at, offset))
    return;
  for (uint32_t byte = offset; byte < offset + bytes; ++byte)
    if (writers[byte].time == kUnderWay)
      writers[byte].time = now(warp);
}

void Races::startRead(Warp &warp, SharedRange range) {
  auto &own = reads[warp.index];
  for (uint32_t byte = range.at; byte < range.at + range.bytes; ++byte) {
    if (!isOrdered(warp, byte, ProxyRead))
      return;
    own[byte] = kUnderWay;
    readLine[byte] = warp.line();
  }
}

void Races::finishReads(Warp &warp, const std::vector<SharedRange> &done,
                        const std::vector<SharedRange> &underWay) {
  auto &own = reads[warp.index];
  for (SharedRange range : done)
    std::fill_n(own.begin() + range.at, range.bytes, now(warp));
  // Others may read the same bytes still.
  if (!done.empty())
    for (SharedRange range : underWay)
      std::fill_n(own.begin() + range.at, range.bytes, kUnderWay);
}

Races::Phases &Races::phases(uint32_t barrier) {
  auto [found, isNew] = mbarriers.try_emplace(barrier);
  if (isNew)
    found->second.actor = warps + uint32_t(mbarriers.size()) - 1;
  return found->second;
}

void Races::startBulk(Warp &warp, SharedRange range, uint32_t barrier) {
  if (!isMade(warp, barrier))
    return;
  for (uint32_t byte = range.at; byte < range.at + range.bytes; ++byte)
    if (!isOrdered(warp, byte, ProxyWrite))
      return;
  mark(warp, range, Writer::Bulk, uint16_t(phases(barrier).actor), kUnderWay);
}

void Races::finishBulk(SharedRange range, uint32_t barrier, uint32_t phase) {
  uint32_t actor = phases(barrier).actor;
  for (uint32_t byte = range.at; byte < range.at + range.bytes; ++byte)
    if (writers[byte].actor == actor && writers[byte].time == kUnderWay)
      writers[byte].time = phase + 1;
}

void Races::fenceProxy(Warp &warp) {
  Clocks &clocks = known[warp.index];
  joinInto(clocks.proxy, clocks.threads);
  // What is written from here on is not behind the fence.
  tick(warp);
}

void Races::arriveAt(Warp &warp, unsigned id) {
  counted[id].join(known[warp.index]);
  tick(warp);
}

void Races::leave(Warp &warp, unsigned id) {
  known[warp.index].join(counted[id]);
}

void Races::made(Warp &warp, uint32_t barrier) {
  for (uint32_t byte = barrier; byte < barrier + 8; ++byte)
    if (!isOrdered(warp, byte, Store))
      return;
  mark(warp, {barrier, 8}, Writer::Thread, uint16_t(warp.index), now(warp));
  phases(barrier);
}

/// Whether `warp` knows that the barrier was made.
bool Races::isMade(Warp &warp, uint32_t barrier) {
  for (uint32_t byte = barrier; byte < barrier + 8; ++byte)
    if (!isOrdered(warp, byte, Load))
      return false;
  return true;
}

void Races::arriveAtPhase(Warp &warp, uint32_t barrier) {
  if (!isMade(warp, barrier))
    return;
  phases(barrier).coming.join(known[warp.index]);
  tick(warp);
}

void Races::phaseOver(uint32_t barrier, uint32_t phase) {
  Phases &at = phases(barrier);
  if (at.coming.threads.size() <= at.actor)
    at.coming.threads.resize(at.actor + 1);
  at.coming.threads[at.actor] = phase + 1;
  // Who waits for a phase may see a later one.
  at.over.join(at.coming);
  at.coming = {};
}

void Races::sawPhase(Warp &warp, uint32_t barrier) {
  if (!isMade(warp, barrier))
    return;
  known[warp.index].join(phases(barrier).over);
}

} // namespace heddle::emulator
