// Models with branches and loops.

#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

Model test::controlModel() {
  Model model;
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "times", DataType::i32, {}));
  entry.inputs.push_back(tensor(model, "which", DataType::i32, {}));
  // Rounds of a counted loop; of a conditional one; what the branch chose;
  // what init left; an entry of a table that needs relocations.
  const char *names[] = {"counted", "conditional", "chosen", "kept", "found"};
  for (const char *name : names)
    entry.outputs.push_back(tensor(model, name, DataType::i32, {64}));
  model.memory(model.plan.persistent, 256);

  auto init = std::make_unique<ProgramT>();
  init->entry = none;
  init->body = 0;
  model.plan.init = std::move(init);
  model.current = model.plan.init.get();
  uint32_t persistent = model.buffer(BufferKind::persistent, 0, 256);
  model.block();
  auto fill = [&](uint32_t buffer, uint64_t pattern, uint8_t bytes) {
    fillWhole(model, buffer, pattern, bytes, 0);
  };
  fill(persistent, 0x0102030401020304, 4);

  model.current = model.plan.programs.back().get();
  ProgramT &program = *model.current;
  model.arena(1024);
  uint32_t times = model.buffer(BufferKind::input, 0, 4);
  uint32_t which = model.buffer(BufferKind::input, 1, 4);
  uint32_t outputs[5];
  for (uint32_t i = 0; i < 5; ++i)
    outputs[i] = model.buffer(BufferKind::output, i, 256);
  uint32_t kept = model.buffer(BufferKind::persistent, 0, 256);
  uint32_t left = model.buffer(BufferKind::arena, 0, 4, 0);
  uint32_t flag = model.buffer(BufferKind::arena, 0, 1, 64);
  uint32_t found = model.buffer(BufferKind::arena, 0, 4, 128);
  uint32_t count = model.kernel("count", 1, 2);
  uint32_t countdown = model.kernel("countdown", 3, 0);
  uint32_t positive = model.kernel("positive", 2, 0);
  uint32_t lookup = model.kernel("lookup", 2, 0);
  uint32_t doubled = model.kernel("doubled", 2, 2, 64);
  model.kernels[countdown].inPlace = {InPlace(1, 0)};
  auto countUp = [&](uint32_t buffer) {
    model.launch(count, {model.bind(buffer, Access::read_write)}, {64, 16}, 4);
  };

  // 1: counted body. 2: condition. 3: body. 4 to 6: branches.
  program.body = model.block();
  fill(outputs[0], 0, 8);
  fill(outputs[1], 0, 8);
  CopyT copy;
  copy.source = std::make_unique<Binding>(model.bind(times, Access::read));
  copy.target = std::make_unique<Binding>(model.bind(left, Access::write));
  model.command().action.Set(std::move(copy));
  LoopT counted;
  counted.body = 1;
  counted.trips = model.constant(5);
  model.command().action.Set(std::move(counted));
  LoopT conditional;
  conditional.condition = 2;
  conditional.body = 3;
  conditional.flag = std::make_unique<Binding>(model.bind(flag, Access::read));
  model.command().action.Set(std::move(conditional));
  BranchT branch;
  branch.selector = std::make_unique<Binding>(model.bind(which, Access::read));
  branch.blocks = {4, 5, 6};
  model.command().action.Set(std::move(branch));
  model.launch(
      doubled,
      {model.bind(kept, Access::read), model.bind(outputs[3], Access::write)},
      {64, 16}, 4);
  model.launch(
      lookup,
      {model.bind(which, Access::read), model.bind(found, Access::write)}, {},
      1);
  // A copy to a part of a buffer, and a fill of the rest.
  CopyT part;
  part.source = std::make_unique<Binding>(model.bind(found, Access::read));
  part.target = std::make_unique<Binding>(outputs[4], model.constant(0),
                                          model.constant(4), Access::write);
  model.command().action.Set(std::move(part));
  FillT rest;
  rest.target = std::make_unique<Binding>(outputs[4], model.constant(4), none,
                                          Access::write);
  rest.pattern_bytes = 4;
  model.command().action.Set(std::move(rest));

  model.block();
  countUp(outputs[0]);
  model.block();
  model.launch(
      positive,
      {model.bind(left, Access::read), model.bind(flag, Access::write)}, {}, 1);
  model.block();
  countUp(outputs[1]);
  model.launch(countdown,
               {model.bind(left, Access::read), model.bind(left, Access::write),
                model.bind(flag, Access::write)},
               {}, 1);
  for (uint64_t value : {100, 200, 300}) {
    model.block();
    fill(outputs[2], value, 4);
  }
  return model;
}
