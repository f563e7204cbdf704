// The scheduler: which warp runs when, which work ends when, and what is said
// when nothing can go on.

#include "test/emulator/machine/Launch.h"

#include <algorithm>

namespace heddle::emulator {

Launch::Launch(const Program &program, Memory &memory, LaunchConfig given)
    : program(program), memory(memory), config(std::move(given)),
      random(config.seed) {
  const auto &g = config.grid, &c = config.cluster;
  total = g[0] * g[1] * g[2];
  clusterSize = c[0] * c[1] * c[2];
  params = memory.allocate(std::max<uint64_t>(config.params.size(), 1), 128);
  params->readOnly = true;
  std::copy(config.params.begin(), config.params.end(), params->data);
  sharedBytes = program.dynamicStart + config.dynamicShared;
  elected = random.next();
}

Launch::~Launch() { memory.release(params->address); }

/// Starts the next cluster.
bool Launch::admit() {
  if (nextCta >= total)
    return false;
  std::vector<Cta *> cluster;
  for (uint32_t i = 0; i < clusterSize; ++i) {
    ctas.push_back(std::make_unique<Cta>(*this, nextCta++));
    cluster.push_back(ctas.back().get());
  }
  for (Cta *cta : cluster) {
    cta->cluster = cluster;
    for (auto &warp : cta->warps)
      ready.push_back(warp.get());
  }
  return true;
}

/// Drops clusters whose threads have all ended.
void Launch::retire() {
  auto over = [](Cta &cta) { return cta.ended == cta.warps.size(); };
  auto gone = [&](const std::unique_ptr<Cta> &cta) {
    return std::all_of(cta->cluster.begin(), cta->cluster.end(),
                       [&](Cta *each) { return over(*each); });
  };
  if (!pending.empty())
    return; // work that is under way may still name them
  auto drop = [&](std::vector<Warp *> &warps) {
    warps.erase(std::remove_if(warps.begin(), warps.end(),
                               [](Warp *warp) { return warp->done; }),
                warps.end());
  };
  drop(ready);
  drop(waiting);
  std::vector<std::unique_ptr<Cta>> kept;
  std::vector<bool> keep;
  for (auto &cta : ctas)
    keep.push_back(!gone(cta));
  for (size_t i = 0; i < ctas.size(); ++i)
    if (keep[i])
      kept.push_back(std::move(ctas[i]));
  ctas = std::move(kept);
}

bool Launch::completeOne() {
  if (pending.empty())
    return false;
  size_t which = random.below(uint32_t(pending.size()));
  auto work = std::move(pending[which]);
  pending[which] = std::move(pending.back());
  pending.pop_back();
  work();
  event();
  return true;
}

bool Launch::wake() {
  if (seen == events)
    return false;
  seen = events;
  for (Warp *warp : waiting) {
    for (Group &group : warp->groups)
      if (group.wait == Wait::Poll || group.wait == Wait::Registers)
        group.wait = Wait::Ready;
    if (!warp->done)
      ready.push_back(warp);
  }
  waiting.clear();
  return true;
}

std::string Launch::whoWaits() const {
  std::string text = "nothing can go on in kernel " + program.name;
  unsigned shown = 0;
  for (const auto &cta : ctas)
    for (const auto &warp : cta->warps)
      for (const Group &group : warp->groups) {
        if (++shown > 12)
          continue;
        uint32_t at = group.wait == Wait::Barrier ? group.pc - 1 : group.pc;
        const Statement *source = program.code[at].source;
        text += "\n  " + warp->place(__builtin_ctz(group.mask)) + " with " +
                std::to_string(__builtin_popcount(group.mask)) +
                " lanes waits at line " +
                std::to_string(source ? source->line : 0) + ", " +
                (source ? source->opcode : "the end");
        if (group.wait == Wait::Converge)
          text += ", for other lanes of its warp";
        if (group.wait == Wait::Registers)
          text += ", for " + std::to_string(group.data) +
                  " registers more where its block has " +
                  std::to_string(cta->freeRegisters) + " that are free";
        if (group.wait == Wait::Barrier) {
          const Barrier &barrier = cta->barriers[group.data];
          text += ", barrier " + std::to_string(group.data) + ": " +
                  std::to_string(barrier.arrived) + " of " +
                  std::to_string(barrier.expected) + " threads came";
        }
      }
  if (shown > 12)
    text += "\n  and " + std::to_string(shown - 12) + " groups more";
  return text;
}

Fault Launch::run() {
  uint32_t atOnce = config.cooperative ? total : config.resident;
  unsigned idle = 0;
  while (!failure) {
    while (ctas.size() < atOnce && admit())
      ;
    if (ctas.empty() && pending.empty())
      break;
    if (!pending.empty() && random.below(8) == 0)
      completeOne();
    wake();
    if (ready.empty()) {
      retire();
      if (!ready.empty() || (ctas.size() < atOnce && nextCta < total) ||
          (ctas.empty() && pending.empty()))
        continue;
      if (completeOne()) {
        idle = 0;
        continue;
      }
      // Instructions with a time limit give up; then nothing is left.
      if (++idle > 4) {
        fault({FaultKind::Deadlock, whoWaits()});
        break;
      }
      event();
      ++timeRound;
      continue;
    }
    size_t which = random.below(uint32_t(ready.size()));
    Warp *warp = ready[which];
    uint64_t before = events;
    warp->run(8 + random.below(256));
    if (events != before)
      idle = 0;
    if (warp->blocked) {
      ready[which] = ready.back();
      ready.pop_back();
      if (!warp->done)
        waiting.push_back(warp);
      else if (warp->cta.ended == warp->cta.warps.size())
        retire();
    }
    if (executed > config.maxInstructions)
      fault({FaultKind::Instructions,
             "kernel " + program.name + " ran more than " +
                 std::to_string(config.maxInstructions) +
                 " instructions of warps\n" + whoWaits()});
  }
  pending.clear();
  return failure;
}

} // namespace heddle::emulator
