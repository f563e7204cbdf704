// Branches and loops over devices.

#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
/// Puts commands on the queues of the cpu (0), sim:0 and sim:1, each of the
/// number of its device.
struct Builder {
  Model &model;

  Binding read(uint32_t buffer) { return model.bind(buffer, Access::read); }
  Binding write(uint32_t buffer) { return model.bind(buffer, Access::write); }

  CommandT &launch(const char *kernel, std::vector<Binding> bindings,
                   std::vector<int64_t> integers, uint32_t device) {
    auto count = static_cast<uint16_t>(bindings.size());
    uint32_t index =
        model.kernel(kernel, count, static_cast<uint16_t>(integers.size()), 64,
                     device ? DeviceKind::sim : DeviceKind::cpu);
    int64_t tiles = integers.empty() ? 1 : 4;
    model.launch(index, std::move(bindings), std::move(integers), tiles);
    CommandT &command = *model.current->blocks.back()->commands.back();
    command.queue = device;
    return command;
  }
  /// Counts 64 numbers up by one.
  CommandT &count(uint32_t buffer, uint32_t device) {
    return launch("count", {model.bind(buffer, Access::read_write)}, {64, 16},
                  device);
  }
  template <typename Action> CommandT &control(Action action, uint32_t device) {
    CommandT &command = model.command();
    command.queue = device;
    command.action.Set(std::move(action));
    return command;
  }
};
} // namespace

Model test::placedLoopModel() {
  Model model;
  Builder build = {model};
  uint32_t sim0 = model.device(DeviceKind::sim, 0),
           sim1 = model.device(DeviceKind::sim, 1);
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "times", DataType::i32, {}));
  entry.inputs.push_back(tensor(model, "which", DataType::i32, {}));
  for (const char *name : {"counted", "conditional", "chosen", "kept"})
    entry.outputs.push_back(tensor(model, name, DataType::i32, {64}));

  // What init leaves is 7 and 1.
  model.memory(model.plan.persistent, 256, sim1);
  model.plan.init = std::make_unique<ProgramT>();
  model.plan.init->entry = none;
  model.current = model.plan.init.get();
  uint32_t persistent = model.buffer(BufferKind::persistent, 0, 256, 0, sim1);
  model.block();
  fillWhole(model, persistent, 7, 4, sim1);
  build.count(persistent, sim1);

  model.current = model.plan.programs.back().get();
  uint32_t own0 = model.arena(512, sim0), own1 = model.arena(256, sim1),
           host = model.arena(256);
  uint32_t times = model.buffer(BufferKind::input, 0, 4),
           which = model.buffer(BufferKind::input, 1, 4);
  uint32_t outputs[4];
  for (uint32_t i = 0; i < 4; ++i)
    outputs[i] = model.buffer(BufferKind::output, i, 256);
  auto onFirst = [&](int64_t bytes, int64_t place) {
    return model.buffer(BufferKind::arena, own0, bytes, place, sim0);
  };
  uint32_t counters0 = onFirst(256, 0), left = onFirst(4, 256),
           flag = onFirst(1, 320), which0 = onFirst(4, 384);
  uint32_t counters1 = model.buffer(BufferKind::arena, own1, 256, 0, sim1);
  uint32_t between = model.buffer(BufferKind::arena, host, 256);
  uint32_t kept = model.buffer(BufferKind::persistent, 0, 256, 0, sim1);
  ProgramT &program = *model.current;
  program.events = 4;

  // 1: counted body. 2: condition. 3: body. 4 to 6: of the branch on what
  // lies on a device. 7, 8: of the branch on what lies in the process.
  program.body = model.block();
  fillWhole(model, counters0, 0, 4, sim0);
  copyWhole(model, times, left, sim0);
  copyWhole(model, which, which0, sim0);
  copyWhole(model, kept, outputs[3], sim1).signals = {0};
  LoopT counted;
  counted.body = 1;
  counted.trips = model.constant(5);
  build.control(std::move(counted), sim0);
  copyWhole(model, counters0, outputs[0], sim0);
  LoopT conditional;
  conditional.condition = 2;
  conditional.body = 3;
  conditional.flag = std::make_unique<Binding>(build.read(flag));
  build.control(std::move(conditional), sim0);
  copyWhole(model, counters0, outputs[1], sim0);
  BranchT there;
  there.selector = std::make_unique<Binding>(build.read(which0));
  there.blocks = {4, 5, 6};
  CommandT &branch = build.control(std::move(there), sim0);
  branch.signals = {1};
  BranchT here;
  here.selector = std::make_unique<Binding>(build.read(which));
  here.blocks = {7, 8};
  build.control(std::move(here), 0).waits = {0, 1};

  // There and back: each round counts up by two.
  model.block();
  build.count(counters0, sim0);
  copyWhole(model, counters0, between, sim0).signals = {0};
  CommandT &there1 = copyWhole(model, between, counters1, sim1);
  there1.waits = {0};
  build.count(counters1, sim1);
  copyWhole(model, counters1, between, sim1).signals = {1};
  copyWhole(model, between, counters0, sim0).waits = {1};

  model.block();
  build.launch("positive", {build.read(left), build.write(flag)}, {}, sim0);
  model.block();
  build.count(counters0, sim0);
  build.launch("countdown",
               {build.read(left), build.write(left), build.write(flag)}, {},
               sim0);
  model.kernels[model.kernel("countdown", 3, 0, 64, DeviceKind::sim)]
      .inPlace = {InPlace(1, 0)};

  model.block();
  fillWhole(model, counters0, 100, 4, sim0);
  copyWhole(model, counters0, outputs[2], sim0);
  model.block();
  fillWhole(model, counters1, 200, 4, sim1);
  copyWhole(model, counters1, outputs[2], sim1);
  model.block();
  fillWhole(model, outputs[2], 300, 4, 0);

  model.block();
  build.count(outputs[2], 0);
  model.block();
  copyWhole(model, outputs[2], counters1, sim1);
  build.count(counters1, sim1);
  build.count(counters1, sim1);
  copyWhole(model, counters1, outputs[2], sim1).signals = {0};
  build.count(outputs[3], 0);
  build.count(outputs[2], 0).waits = {0};
  return model;
}

Model test::placedBatchModel() {
  Model model;
  uint32_t sim0 = model.device(DeviceKind::sim, 0);
  model.manifest.symbols.push_back(sizeSymbol("batch", 1, 64));
  model.manifest.expressions.emplace_back(0, 0, 0, ExpressionKind::symbol);
  uint32_t columns = model.extent(4);
  EntryT &entry = model.entry("main");
  for (const char *name : {"left", "right", "sum"}) {
    auto described = tensor(model, name, DataType::f32, {});
    described->shape = {0, columns};
    (std::string(name) == "sum" ? entry.outputs : entry.inputs)
        .push_back(std::move(described));
  }
  uint32_t elements =
      model.expression(ExpressionKind::mul, model.symbol(0), model.constant(4));
  uint32_t bytes =
      model.expression(ExpressionKind::mul, elements, model.constant(4));
  // Three pieces, each at a multiple of 64 bytes.
  uint32_t piece = model.expression(
      ExpressionKind::mul,
      model.expression(ExpressionKind::ceildiv, bytes, model.constant(64)),
      model.constant(64));
  uint32_t places[3] = {model.constant(0), piece,
                        model.expression(ExpressionKind::add, piece, piece)};
  uint32_t arena = model.arena(0, sim0);
  model.program().arenas[arena]->size =
      model.expression(ExpressionKind::add, piece, places[2]);
  uint32_t buffers[6];
  for (uint32_t i = 0; i < 6; ++i) {
    BufferKind kind = i >= 3   ? BufferKind::arena
                      : i == 2 ? BufferKind::output
                               : BufferKind::input;
    buffers[i] =
        model.buffer(kind, i >= 3 ? arena : i % 2, 0, 0, i >= 3 ? sim0 : 0);
    model.program().buffers.back()->size = bytes;
    if (i >= 3)
      model.program().buffers.back()->offset = places[i - 3];
  }
  model.program().body = model.block();
  copyWhole(model, buffers[0], buffers[3], sim0);
  copyWhole(model, buffers[1], buffers[4], sim0);
  LaunchT &launch = model.launch(model.kernel("add", 3, 2, 0, DeviceKind::sim),
                                 {model.bind(buffers[3], Access::read),
                                  model.bind(buffers[4], Access::read),
                                  model.bind(buffers[5], Access::write)},
                                 {0, 16}, 0);
  launch.integers[0] = elements;
  launch.tiles =
      model.expression(ExpressionKind::ceildiv, elements, model.constant(16));
  model.program().blocks.back()->commands.back()->queue = sim0;
  copyWhole(model, buffers[5], buffers[2], sim0);
  return model;
}
