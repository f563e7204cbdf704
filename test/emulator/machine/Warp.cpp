// How the lanes of a warp run: together where they can, apart after branches,
// together again where they meet.

#include "test/emulator/machine/Warp.h"

#include "test/emulator/machine/Async.h"
#include "test/emulator/machine/Launch.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::emulator {

Warp::Warp(Launch &launch, Cta &cta, unsigned index)
    : launch(launch), cta(cta), index(index),
      async(std::make_unique<WarpAsync>()), code(launch.program.code.data()) {
  const Program &program = launch.program;
  uint32_t bytes = (program.registerBytes + 127) / 64 * 64;
  registers.reset(static_cast<uint8_t *>(std::aligned_alloc(64, bytes)));
  // What nobody wrote is noise.
  uint32_t noise = launch.random.next() | 1;
  for (uint32_t i = program.firstRegister / 4; i < bytes / 4; ++i)
    reinterpret_cast<uint32_t *>(registers.get())[i] = noise += 0x9e3779b9u;
  for (const Constant &constant : program.constants) {
    if (constant.bytes == 0)
      predicate(constant.offset) = constant.value ? ~0u : 0;
    for (unsigned lane = 0; lane < 32 && constant.bytes; ++lane)
      std::memcpy(lanes<uint8_t>(constant.offset) + lane * constant.bytes,
                  &constant.value, std::min<uint32_t>(constant.bytes, 8));
  }
  localMemory.resize(size_t(program.localBytes) * 32, 0xff);
}

Warp::~Warp() = default;

void Warp::jump(uint32_t target, uint32_t taken) {
  if (taken == active) {
    bool isBack = target < pc;
    pc = target;
    // Groups that it has passed may be ahead of it again.
    if (isBack && !groups.empty())
      findMerge();
    return;
  }
  // The group that is further ahead waits.
  uint32_t rest = active & ~taken;
  if (target < pc) {
    groups.push_back({pc, rest});
    pc = target;
    active = taken;
  } else {
    groups.push_back({target, taken});
    active = rest;
  }
  findMerge();
}

void Warp::park(uint32_t target, uint32_t mask) {
  groups.push_back({target, mask});
  active &= ~mask;
  attention = true;
}

void Warp::exit(uint32_t mask) {
  alive &= ~mask;
  active &= ~mask;
  attention = true;
}

bool Warp::timedOut() {
  bool now = timeRound != launch.timeRound;
  timeRound = launch.timeRound;
  return now;
}

void Warp::block(uint32_t mask, Wait wait, uint32_t data) {
  uint32_t place = wait == Wait::Barrier ? pc : pc - 1;
  groups.push_back({place, mask, wait, data});
  active &= ~mask;
  attention = true;
}

bool Warp::converged(uint32_t wanted, uint32_t mask) {
  if ((wanted & ~mask) == 0)
    return true;
  if (uint32_t gone = wanted & ~alive) {
    fault(FaultKind::Undefined, __builtin_ctz(mask),
          "waits for lane " + std::to_string(__builtin_ctz(gone)) +
              ", whose thread has ended");
    return false;
  }
  block(mask, Wait::Converge, wanted);
  return false;
}

void Warp::findMerge() {
  mergePc = ~0u;
  if (roam) {
    mergePc = 0;
    return;
  }
  for (const Group &group : groups)
    if (group.wait == Wait::Ready || group.wait == Wait::Converge)
      mergePc = std::min(mergePc, group.pc);
}

/// The running group has come to or passed the place of another.
void Warp::reconverge() {
  for (bool again = true; again;) {
    again = false;
    Group *lowest = nullptr;
    for (size_t i = 0; i < groups.size();) {
      Group &group = groups[i];
      bool meets = group.wait == Wait::Ready || group.wait == Wait::Converge;
      if (meets && group.pc == pc) {
        active |= group.mask;
        groups[i] = groups.back();
        groups.pop_back();
        lowest = nullptr;
        i = 0;
        continue;
      }
      if (group.wait == Wait::Ready && group.pc < pc &&
          (!lowest || group.pc < lowest->pc))
        lowest = &group;
      ++i;
    }
    if (lowest && !roam) {
      std::swap(lowest->pc, pc);
      std::swap(lowest->mask, active);
      again = true;
    }
  }
  bool others = false;
  for (const Group &group : groups)
    others |= group.wait == Wait::Ready || group.wait == Wait::Converge;
  roam &= others;
  findMerge();
  // A group that waits for others at a lower place is not in the way.
  if (!roam && mergePc <= pc) {
    mergePc = ~0u;
    for (const Group &group : groups)
      if ((group.wait == Wait::Ready || group.wait == Wait::Converge) &&
          group.pc > pc)
        mergePc = std::min(mergePc, group.pc);
  }
}

/// Makes a group that can run the running one.
bool Warp::pickGroup() {
  int best = -1;
  bool any = launch.random.below(16) == 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].wait != Wait::Ready)
      continue;
    if (best < 0 || (any ? launch.random.below(2) != 0
                         : groups[i].pc < groups[size_t(best)].pc))
      best = int(i);
  }
  if (best < 0)
    return false;
  pc = groups[size_t(best)].pc;
  active = groups[size_t(best)].mask;
  groups[size_t(best)] = groups.back();
  groups.pop_back();
  findMerge();
  if (mergePc <= pc)
    reconverge();
  return true;
}

bool Warp::settle() {
  attention = false;
  if (launch.failed())
    return false;
  if (active) {
    findMerge();
    return true;
  }
  roam = false;
  if (pickGroup())
    return true;
  if (alive == 0) {
    done = true;
    cta.warpEnded();
  }
  blocked = true;
  return false;
}

void Warp::run(unsigned budget) {
  blocked = false;
  unsigned whole = budget;
  // Now and then lanes that are ahead go on first, as threads may.
  if (active && !groups.empty() && launch.random.below(8) == 0) {
    groups.push_back({pc, active});
    active = 0;
    roam = true;
    std::swap(groups[launch.random.below(uint32_t(groups.size()))],
              groups.front());
    if (groups.front().wait == Wait::Ready) {
      pc = groups.front().pc;
      active = groups.front().mask;
      groups.front() = groups.back();
      groups.pop_back();
    }
    findMerge();
  }
  if (!active && !settle())
    return;
  for (; budget; --budget) {
    if (pc >= mergePc)
      reconverge();
    const Inst &inst = code[pc];
    uint32_t guard = predicate(inst.guard) ^ inst.guardFlip;
    uint32_t mask = active & guard;
    ++pc;
    if (mask)
      inst.run(*this, inst, mask);
    if (attention && !settle())
      break;
  }
  executed += whole - budget;
  launch.executed += whole - budget;
}

std::string Warp::place(int lane) const {
  const LaunchConfig &config = launch.config;
  uint32_t thread = index * 32 + uint32_t(std::max(lane, 0));
  uint32_t x = config.block[0], y = config.block[1];
  auto triple = [](uint32_t a, uint32_t b, uint32_t c) {
    return "(" + std::to_string(a) + ", " + std::to_string(b) + ", " +
           std::to_string(c) + ")";
  };
  return "kernel " + launch.program.name + ", block " +
         triple(cta.id[0], cta.id[1], cta.id[2]) + ", thread " +
         triple(thread % x, thread / x % y, thread / (x * y));
}

uint32_t Warp::line() const {
  const Statement *source = code[pc ? pc - 1 : 0].source;
  return source ? uint32_t(source->line) : 0;
}

void Warp::fault(FaultKind kind, int lane, const std::string &message) {
  // The instruction that runs is the one before pc.
  const Statement *source = code[pc ? pc - 1 : 0].source;
  std::string text = place(lane);
  if (source)
    text += ", line " + std::to_string(source->line) + ", " + source->opcode;
  launch.fault({kind, text + ": " + message});
  attention = true;
}

} // namespace heddle::emulator
