// Models with devices and states.

#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

Model test::placedModel() {
  Model model;
  addBias(model);
  uint32_t sim0 = model.device(DeviceKind::sim, 0),
           sim1 = model.device(DeviceKind::sim, 1);

  addSumEntry(model, {10, 100});
  model.memory(model.plan.persistent, 4096, sim0);
  model.plan.init = std::make_unique<ProgramT>();
  model.plan.init->entry = none;
  model.current = model.plan.init.get();
  model.block();
  uint32_t bias = model.buffer(BufferKind::weight, 0, 4000);
  uint32_t kept = model.buffer(BufferKind::persistent, 0, 4000, 0, sim0);
  copyWhole(model, bias, kept, sim0);

  model.current = model.plan.programs.back().get();
  uint32_t host = model.arena(4096), own0 = model.arena(3 * 4096, sim0),
           own1 = model.arena(3 * 4096, sim1);
  auto arena = [&](uint32_t index, int64_t place, uint32_t device) {
    model.buffer(BufferKind::arena, index, 4000, place * 4096, device);
  };
  model.buffer(BufferKind::input, 0, 4000);
  model.buffer(BufferKind::input, 1, 4000);
  model.buffer(BufferKind::output, 0, 4000);
  model.buffer(BufferKind::weight, 0, 4000);
  model.buffer(BufferKind::persistent, 0, 4000, 0, sim0);
  for (int64_t place : {0, 1, 2, 0})
    arena(own0, place, sim0);
  arena(host, 0, 0);
  for (int64_t place : {0, 1, 2, 0})
    arena(own1, place, sim1);
  arena(host, 0, 0);

  model.program().events = 2;
  model.program().body = model.block();
  uint32_t simAdd = model.kernel("add", 3, 2, 0, DeviceKind::sim);
  uint32_t cpuAdd = model.kernel("add", 3, 2);
  auto add = [&](uint32_t kernel, uint32_t a, uint32_t b, uint32_t out,
                 uint32_t queue) -> CommandT & {
    model.launch(kernel,
                 {model.bind(a, Access::read), model.bind(b, Access::read),
                  model.bind(out, Access::write)},
                 {1000, 125}, 8);
    CommandT &command = *model.program().blocks.back()->commands.back();
    command.queue = queue;
    return command;
  };
  // A queue for each device, of the same number.
  copyWhole(model, placedLeft, placedLeft0, sim0);
  copyWhole(model, placedRight, placedRight0, sim0);
  add(simAdd, placedLeft0, placedRight0, placedFirst0, sim0);
  add(simAdd, placedFirst0, placedDeviceBias, placedSecond0, sim0);
  copyWhole(model, placedSecond0, placedHostSecond, sim0).signals = {0};
  copyWhole(model, placedLeft, placedLeft1, sim1);
  add(simAdd, placedLeft1, placedLeft1, placedDouble1, sim1);
  copyWhole(model, placedHostSecond, placedSecond1, sim1).waits = {0};
  add(simAdd, placedSecond1, placedDouble1, placedSum1, sim1);
  copyWhole(model, placedSum1, placedHostSum, sim1).signals = {1};
  add(cpuAdd, placedHostSum, placedRight, placedSum, 0).waits = {1};
  return model;
}

Model test::laidOutModel() {
  Model model = placedModel();
  uint32_t sim0 = 1, simAdd = model.kernel("add", 3, 2, 0, DeviceKind::sim);
  ProgramT &init = *model.plan.init;
  model.current = &init;
  init.blocks[0]->commands.clear();
  uint32_t arena = model.memory(init.arenas, 2 * 4096, sim0);
  model.buffer(BufferKind::arena, arena, 4000, 0, sim0);
  model.buffer(BufferKind::arena, arena, 4000, 4096, sim0);
  copyWhole(model, laidOutBias, laidOutBrought, sim0);
  fillWhole(model, laidOutZeros, 0, 1, sim0);
  model.launch(simAdd,
               {model.bind(laidOutBrought, Access::read),
                model.bind(laidOutZeros, Access::read),
                model.bind(laidOutKept, Access::write)},
               {1000, 125}, 8);
  init.blocks[0]->commands.back()->queue = sim0;
  return model;
}

static Model countingModel(bool placed) {
  Model model;
  uint32_t device = placed ? model.device(DeviceKind::sim, 0) : 0;
  auto state = std::make_unique<StateT>();
  state->name = "counters";
  state->dtype = DataType::i32;
  state->shape = {model.extent(8)};
  state->length = 0;
  model.manifest.states.push_back(std::move(state));
  auto length = std::make_unique<SymbolT>();
  length->name = "length";
  length->maximum = 8;
  length->source = SymbolSource::state;
  length->index = 0;
  model.manifest.symbols.push_back(std::move(length));
  model.plan.states.emplace_back(device, placed ? MemorySpace::device
                                                : MemorySpace::host);
  auto &expressions = model.manifest.expressions;
  expressions.emplace_back(0, 0, 0, ExpressionKind::symbol);
  auto now = static_cast<uint32_t>(expressions.size() - 1);
  uint32_t one = model.extent(1);
  expressions.emplace_back(0, now, one, ExpressionKind::add);
  auto next = static_cast<uint32_t>(expressions.size() - 1);

  for (bool writes : {true, false}) {
    EntryT &entry = model.entry(writes ? "main" : "peek");
    entry.outputs.push_back(tensor(model, "now", DataType::i32, {8}));
    auto use = std::make_unique<StateUseT>();
    use->writes = writes;
    use->length = writes ? next : none;
    entry.states.push_back(std::move(use));
    uint32_t counters = model.buffer(BufferKind::state, 0, 32, 0, device);
    uint32_t output = model.buffer(BufferKind::output, 0, 32);
    model.program().body = model.block();
    if (writes) {
      model.launch(model.kernel("count", 1, 2, 0,
                                placed ? DeviceKind::sim : DeviceKind::cpu),
                   {model.bind(counters, Access::read_write)}, {8, 4}, 2);
      model.program().blocks.back()->commands.back()->queue = device;
    }
    copyWhole(model, counters, output, device);
  }
  return model;
}

Model test::stateModel() { return countingModel(/*placed=*/false); }

Model test::placedStateModel() { return countingModel(/*placed=*/true); }

Model test::stagedModel(DeviceKind kind) {
  Model model;
  uint32_t device = model.device(kind, 0);
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "left", DataType::f32, {10, 100}));
  entry.inputs.push_back(tensor(model, "right", DataType::f32, {10, 100}));
  entry.inputs.push_back(tensor(model, "counters", DataType::i32, {64}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {10, 100}));
  entry.outputs.push_back(tensor(model, "counted", DataType::i32, {64}));
  entry.outputs[1]->alias = 2;
  uint32_t left = model.buffer(BufferKind::input, 0, 4000, 0, device);
  uint32_t right = model.buffer(BufferKind::input, 1, 4000);
  uint32_t sum = model.buffer(BufferKind::output, 0, 4000, 0, device);
  uint32_t counted = model.buffer(BufferKind::output, 1, 256, 0, device);
  uint32_t placedRight = model.buffer(
      BufferKind::arena, model.arena(4096, device), 4000, 0, device);
  model.program().body = model.block();
  auto onDevice = [&] {
    model.program().blocks.back()->commands.back()->queue = device;
  };
  copyWhole(model, right, placedRight, device);
  model.launch(model.kernel("add", 3, 2, 0, kind),
               {model.bind(left, Access::read),
                model.bind(placedRight, Access::read),
                model.bind(sum, Access::write)},
               {1000, 125}, 8);
  onDevice();
  model.launch(model.kernel("count", 1, 2, 0, kind),
               {model.bind(counted, Access::read_write)}, {64, 16}, 4);
  onDevice();
  return model;
}
