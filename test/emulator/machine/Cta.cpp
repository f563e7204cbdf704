// Blocks: what their threads know of themselves, and their barriers.

#include "test/emulator/machine/Cta.h"

#include "test/emulator/machine/Async.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

/// The value of a special register for a thread.
uint64_t specialValue(std::string_view name, const Cta &cta, uint32_t warp,
                      uint32_t lane) {
  const LaunchConfig &config = cta.launch.config;
  uint32_t thread = warp * 32 + lane;
  uint32_t x = config.block[0], y = config.block[1];
  size_t dot = name.find('.');
  std::string_view stem = name.substr(1, dot - 1);
  unsigned axis = dot == name.npos ? 0 : unsigned(name[dot + 1] - 'x');
  axis = std::min(axis, 3u);
  auto pick = [&](std::array<uint32_t, 3> triple, uint32_t fourth) {
    return axis == 3 ? fourth : triple[axis];
  };
  std::array<uint32_t, 3> clusters;
  for (unsigned i = 0; i < 3; ++i)
    clusters[i] = config.grid[i] / config.cluster[i];
  if (stem == "tid")
    return pick({thread % x, thread / x % y, thread / (x * y)}, 0);
  if (stem == "ntid")
    return pick(config.block, 1);
  if (stem == "ctaid")
    return pick(cta.id, 0);
  if (stem == "nctaid")
    return pick(config.grid, 1);
  if (stem == "cluster_ctaid")
    return pick(cta.inCluster, 0);
  if (stem == "cluster_nctaid")
    return pick(config.cluster, 1);
  if (stem == "clusterid")
    return pick({cta.id[0] / config.cluster[0], cta.id[1] / config.cluster[1],
                 cta.id[2] / config.cluster[2]},
                0);
  if (stem == "nclusterid")
    return pick(clusters, 1);
  if (stem == "cluster_ctarank")
    return cta.rank;
  if (stem == "cluster_nctarank")
    return config.cluster[0] * config.cluster[1] * config.cluster[2];
  if (stem == "is_explicit_cluster")
    return config.cluster[0] * config.cluster[1] * config.cluster[2] > 1;
  if (stem == "laneid")
    return lane;
  if (stem == "warpid")
    return warp;
  if (stem == "nwarpid")
    return 64;
  if (stem == "smid")
    return cta.linear % config.multiprocessors;
  if (stem == "nsmid")
    return config.multiprocessors;
  if (stem == "gridid")
    return 1;
  if (stem == "lanemask_eq")
    return 1u << lane;
  if (stem == "lanemask_lt")
    return (1u << lane) - 1;
  if (stem == "lanemask_le")
    return (2u << lane) - 1;
  if (stem == "lanemask_gt")
    return ~((2u << lane) - 1);
  if (stem == "lanemask_ge")
    return ~((1u << lane) - 1);
  if (stem == "dynamic_smem_size")
    return config.dynamicShared;
  if (stem == "total_smem_size" || stem == "aggr_smem_size")
    return cta.launch.sharedBytes;
  return 0; // clocks are read by their instructions
}

/// How many registers a thread begins with: as many as its kernel says, else
/// the most that all threads of a block can have.
uint32_t firstRegisters(const Program &program, uint32_t threads) {
  constexpr uint32_t ofMultiprocessor = 65536, most = 248, step = 8;
  if (uint32_t given = program.function->maxRegisters)
    return given;
  return std::min(most, ofMultiprocessor / threads / step * step);
}

} // namespace

Cta::Cta(Launch &launch, uint32_t linearIndex)
    : launch(launch), linear(linearIndex), async(std::make_unique<CtaAsync>()) {
  const LaunchConfig &config = launch.config;
  // Blocks of a cluster follow one another.
  std::array<uint32_t, 3> clusters, c = config.cluster;
  for (unsigned i = 0; i < 3; ++i)
    clusters[i] = config.grid[i] / c[i];
  uint32_t size = c[0] * c[1] * c[2];
  uint32_t number = linear / size;
  rank = linear % size;
  inCluster = {rank % c[0], rank / c[0] % c[1], rank / (c[0] * c[1])};
  std::array<uint32_t, 3> which{number % clusters[0],
                                number / clusters[0] % clusters[1],
                                number / (clusters[0] * clusters[1])};
  for (unsigned i = 0; i < 3; ++i)
    id[i] = which[i] * c[i] + inCluster[i];
  threads = config.block[0] * config.block[1] * config.block[2];
  shared.resize(launch.sharedBytes, 0xff);
  if (config.findRaces && launch.sharedBytes)
    races =
        std::make_unique<Races>(*this, launch.sharedBytes, (threads + 31) / 32);
  for (uint32_t w = 0; w * 32 < threads; ++w) {
    warps.push_back(std::make_unique<Warp>(launch, *this, w));
    Warp &warp = *warps.back();
    warp.threadRegisters = firstRegisters(launch.program, threads);
    uint32_t lanes = std::min(32u, threads - w * 32);
    warp.alive = warp.active = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (const SpecialRegister &special : launch.program.specials)
      for (uint32_t lane = 0; lane < 32; ++lane)
        warp.lanes<uint32_t>(special.offset)[lane] =
            uint32_t(specialValue(special.name, *this, w, lane));
  }
}

Cta::~Cta() = default;

bool Cta::arrive(Warp &warp, unsigned id, uint32_t mask, uint32_t count,
                 bool sync) {
  Barrier &barrier = barriers[id];
  bool all = count == 0;
  uint32_t expected = all ? uint32_t(warps.size()) * 32 : count;
  if (barrier.expected &&
      (barrier.expected != expected || barrier.all != all)) {
    warp.fault(FaultKind::Undefined, __builtin_ctz(mask),
               "barrier " + std::to_string(id) + " is awaited for " +
                   std::to_string(expected) + " threads, by others for " +
                   std::to_string(barrier.expected));
    return false;
  }
  barrier.expected = expected;
  barrier.all = all;
  // Lanes that ended, or never were, come with the last of their warp.
  uint32_t came = uint32_t(__builtin_popcount(mask));
  uint32_t others = 0;
  for (const Group &group : warp.groups)
    if (group.wait == Wait::Barrier && group.data == id)
      others |= group.mask;
  if ((mask | others) == warp.alive)
    came += uint32_t(__builtin_popcount(~warp.alive));
  barrier.arrived += came;
  if (races)
    races->arriveAt(warp, id);
  if (sync)
    warp.block(mask, Wait::Barrier, id);
  warpEnded();
  uint32_t gone = all ? ended * 32 : 0;
  if (barrier.arrived + gone >= barrier.expected && barrier.expected)
    release(id);
  return !launch.failed();
}

void Cta::release(unsigned id) {
  Barrier done = barriers[id];
  barriers[id] = {};
  if (done.arrived > done.expected)
    warps[0]->fault(FaultKind::Undefined, 0,
                    "more threads than expected came to barrier " +
                        std::to_string(id));
  for (auto &warp : warps)
    for (Group &group : warp->groups) {
      if (group.wait != Wait::Barrier || group.data != id)
        continue;
      group.wait = Wait::Ready;
      warp->attention = true;
      if (races)
        races->leave(*warp, id);
      // bar.red: its result, in the way of the instruction.
      const Inst &inst = launch.program.code[group.pc - 1];
      if (inst.mode == 1)
        warp->setPredicate(inst.dst, done.every ? ~0u : 0, group.mask);
      if (inst.mode == 2)
        warp->setPredicate(inst.dst, done.some ? ~0u : 0, group.mask);
      if (inst.mode == 3)
        forLanes(group.mask, [&](unsigned lane) {
          warp->lanes<uint32_t>(inst.dst)[lane] = done.sum;
        });
    }
  if (races)
    races->reset(id);
  launch.event();
}

void Cta::warpEnded() {
  ended = 0;
  for (auto &warp : warps)
    ended += warp->alive == 0;
  if (ended == warps.size()) {
    launch.event();
    return;
  }
  for (unsigned i = 0; i < barriers.size(); ++i)
    if (barriers[i].all && barriers[i].arrived &&
        barriers[i].arrived + ended * 32 >= barriers[i].expected)
      release(i);
}

} // namespace heddle::emulator
