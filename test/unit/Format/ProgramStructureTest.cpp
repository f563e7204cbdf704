// Plans that name what is not there, in programs that no call has chosen, and
// memory of one size that would have several.

#include "FaultyPlans.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
LaunchT &launchAt(Model &model, size_t command, size_t block) {
  return *model.program().blocks[block]->commands[command]->action.AsLaunch();
}
} // namespace

// Of the last program of a model, which no call at the least size runs: blocks
// 0 copies and branches to 1, 2 and 3. Buffers 0 x, 1 numbers.
TEST(ProgramStructure, UnchosenPrograms) {
  auto branch = [](Model &m) -> BranchT & {
    return *m.program().blocks[0]->commands[1]->action.AsBranch();
  };
  auto launch = [](Model &m) -> LaunchT & { return launchAt(m, 0, 3); };
  const std::vector<Case> cases = {
      {"", [](Model &) {}},
      // Sizes are looked at when a call chooses it.
      {"", [](Model &m) { m.program().buffers[1]->size = m.constant(-4); }},
      {"unknown device", [](Model &m) { m.program().buffers[0]->device = 9; }},
      {"in a space that its device does not have",
       [](Model &m) { m.program().buffers[0]->space = MemorySpace::device; }},
      {"stands for something unknown",
       [](Model &m) { m.program().buffers[0]->index = 77; }},
      {"stands for something unknown",
       [](Model &m) {
         m.program().buffers[0]->kind = BufferKind::weight;
         m.program().buffers[0]->index = 5;
       }},
      {"in an unknown memory",
       [](Model &m) { m.buffer(BufferKind::arena, 1, 64); }},
      {"in an unknown memory",
       [](Model &m) { m.buffer(BufferKind::persistent, 0, 64); }},
      {"no proper size", [](Model &m) { m.program().buffers[0]->size = 9999; }},
      {"no proper arena size",
       [](Model &m) {
         m.arena(64);
         m.program().arenas[0]->size = 9999;
       }},
      {"arena on an unknown device",
       [](Model &m) {
         m.arena(64);
         m.program().arenas[0]->device = 3;
       }},
      {"two arenas in one memory of cpu",
       [](Model &m) {
         m.arena(64);
         m.arena(64);
       }},
      {"unknown queue",
       [](Model &m) { m.program().blocks[2]->commands[0]->queue = 1; }},
      {"unknown node",
       [](Model &m) { m.program().blocks[2]->commands[0]->nodes = {3}; }},
      {"unknown event",
       [](Model &m) { m.program().blocks[2]->commands[0]->signals = {0}; }},
      {"no action",
       [](Model &m) { m.program().blocks[2]->commands[0]->action.Reset(); }},
      {"unknown kernel", [&](Model &m) { launch(m).kernel = 9; }},
      {"unknown kernel", [&](Model &m) { launch(m).alternatives = {0, 9}; }},
      {"unknown integer", [&](Model &m) { launch(m).integers[0] = 9999; }},
      {"no proper tile count", [&](Model &m) { launch(m).tiles = 9999; }},
      {"no proper tile count", [&](Model &m) { launch(m).chunk = none; }},
      {"unknown number", [&](Model &m) { launch(m).traffic = 9999; }},
      {"selects by an unknown expression",
       [&](Model &m) { launch(m).selector = 9999; }},
      {"no proper number of bytes of scratch",
       [&](Model &m) { launch(m).scratch = 9999; }},
      {"unknown buffer",
       [&](Model &m) {
         launch(m).bindings[0] = m.bind(7, Access::read_write);
       }},
      {"beyond the end",
       [&](Model &m) {
         launch(m).bindings[0] = Binding(1, 9999, none, Access::read_write);
       }},
      {"beyond the end",
       [&](Model &m) {
         launch(m).bindings[0] =
             Binding(1, m.constant(0), 9999, Access::read_write);
       }},
      {"unknown buffer",
       [](Model &m) {
         m.program().blocks[0]->commands[0]->action.AsCopy()->source.reset();
       }},
      {"unknown expression", [&](Model &m) { branch(m).value = 9999; }},
      {"does not branch on one thing",
       [&](Model &m) { branch(m).value = none; }},
      {"unknown block", [&](Model &m) { branch(m).blocks[1] = 77; }},
      {"entered twice", [&](Model &m) { branch(m).blocks[1] = 1; }},
      {"entered twice", [&](Model &m) { branch(m).blocks[1] = 0; }},
      {"unknown block", [](Model &m) { m.program().body = 4; }},
      {"never enters block 4", [](Model &m) { m.block(); }},
  };
  check(cases, selectModel, /*ofLast=*/true);
}

/// Buffer 7 lies in persistent memory, as does buffer 0 of init.
/// Persistent memory is made, and init run, once for all calls.
TEST(ProgramStructure, PersistentMemoryOfOneSize) {
  // 0 at the least value, so that nothing is wrong there.
  auto more = [](Model &m, int64_t factor) {
    m.manifest.symbols.push_back(sizeSymbol("n", 1, 64));
    uint32_t less =
        m.expression(ExpressionKind::add, m.symbol(0), m.constant(-1));
    return m.expression(ExpressionKind::mul, less, m.constant(factor));
  };
  auto sum = [&](Model &m, int64_t least, int64_t factor) {
    uint32_t sized = more(m, factor);
    return m.expression(ExpressionKind::add, sized, m.constant(least));
  };
  check(
      {
          {"", [&](Model &m) { more(m, 4); }},
          // No symbol has a part in it.
          {"",
           [&](Model &m) {
             m.plan.persistent[0]->size = m.expression(
                 ExpressionKind::mul, m.constant(128), m.constant(2));
           }},
          {"persistent memory whose size follows from a size",
           [&](Model &m) { m.plan.persistent[0]->size = sum(m, 256, 64); }},
          {"its place follows from a size",
           [&](Model &m) { m.program().buffers[7]->offset = more(m, 64); }},
          {"its place follows from a size",
           [&](Model &m) { m.program().buffers[7]->size = sum(m, 256, -1); }},
          {"init: buffer 0 () follows from a size",
           [&](Model &m) { m.plan.init->buffers[0]->size = sum(m, 256, -4); }},
          {"init: block 0, command 0: follows from a size",
           [&](Model &m) {
             FillT &fill =
                 *m.plan.init->blocks[0]->commands[0]->action.AsFill();
             fill.value = more(m, 1);
           }},
          {"init: block 0, command 0: follows from a size",
           [&](Model &m) {
             FillT &fill =
                 *m.plan.init->blocks[0]->commands[0]->action.AsFill();
             *fill.target = Binding(0, more(m, 64), none, Access::write);
           }},
      },
      controlModel);
}
