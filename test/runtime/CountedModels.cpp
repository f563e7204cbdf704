// Models whose sizes the program computes.

#include "runtime/format/Counts.h"
#include "runtime/format/TensorMemory.h"
#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

/// Adds a count of `symbol` by the integer in a buffer.
static void countBy(Model &model, uint32_t symbol, uint32_t buffer,
                    uint32_t queue = 0) {
  CountT read;
  read.symbol = symbol;
  read.source = std::make_unique<Binding>(model.bind(buffer, Access::read));
  CommandT &command = model.command();
  command.queue = queue;
  command.action.Set(std::move(read));
}

/// Adds x + x of as many elements as the expression `number` says, in tiles of
/// 16.
static void addCounted(Model &model, uint32_t add, uint32_t x, uint32_t sum,
                       uint32_t number) {
  LaunchT &launch =
      model.launch(add,
                   {model.bind(x, Access::read), model.bind(x, Access::read),
                    model.bind(sum, Access::write)},
                   {0, 16}, 0);
  launch.integers[0] = number;
  launch.tiles =
      model.expression(ExpressionKind::ceildiv, number, model.constant(16));
}

Model test::countedModel() {
  Model model;
  model.manifest.symbols.push_back(sizeSymbol("count", 0, 64));
  model.manifest.symbols.back()->source = SymbolSource::device;
  model.manifest.symbols.back()->index = 0;
  model.manifest.expressions.emplace_back(0, 0, 0, ExpressionKind::symbol);
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "x", DataType::f32, {64}));
  entry.inputs.push_back(tensor(model, "n", DataType::i32, {}));
  entry.outputs.push_back(tensor(model, "count", DataType::i32, {}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {}));
  entry.outputs.back()->shape = {0};
  uint32_t counted = model.symbol(0);
  uint32_t x = model.buffer(BufferKind::input, 0, 256),
           n = model.buffer(BufferKind::input, 1, 4),
           count = model.buffer(BufferKind::output, 0, 4),
           sum = model.buffer(BufferKind::output, 1, 0);
  model.program().buffers.back()->size =
      model.expression(ExpressionKind::mul, counted, model.constant(4));
  uint32_t add = model.kernel("add", 3, 2);
  model.program().body = model.block();
  copyWhole(model, n, count, 0);
  countBy(model, 0, count);
  addCounted(model, add, x, sum, counted);
  return model;
}

Model test::countedRestModel() {
  Model model = countedModel();
  model.manifest.required_features.push_back(memoryFeature);
  TensorT &sum = *model.manifest.entries.front()->outputs.back();
  auto add = [&](int64_t value, uint32_t lhs, uint32_t rhs,
                 ExpressionKind kind) {
    model.manifest.expressions.emplace_back(value, lhs, rhs, kind);
    return uint32_t(model.manifest.expressions.size() - 1);
  };
  uint32_t sixty = add(60, 0, 0, ExpressionKind::constant),
           minus = add(-1, 0, 0, ExpressionKind::constant),
           less = add(0, 0, minus, ExpressionKind::mul);
  sum.shape = {add(0, sixty, less, ExpressionKind::add)};
  sum.memory = {sixty};
  model.program().buffers.back()->size = model.constant(240);
  LaunchT &launch =
      *model.program().blocks.front()->commands.back()->action.AsLaunch();
  launch.integers[0] =
      model.expression(ExpressionKind::add, model.constant(60),
                       model.expression(ExpressionKind::mul, launch.integers[0],
                                        model.constant(-1)));
  launch.tiles =
      model.expression(ExpressionKind::ceildiv,
                       model.expression(ExpressionKind::max, launch.integers[0],
                                        model.constant(0)),
                       model.constant(16));
  return model;
}

Model test::countedTwoModel() {
  Model model;
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "x", DataType::f32, {64}));
  uint32_t x = model.buffer(BufferKind::input, 0, 256), in[2], out[2];
  for (uint32_t i = 0; i < 2; ++i) {
    const char *name = i ? "found" : "count";
    model.manifest.symbols.push_back(sizeSymbol(name, 0, 64));
    model.manifest.symbols.back()->source = SymbolSource::device;
    model.manifest.symbols.back()->index = i;
    entry.inputs.push_back(tensor(model, i ? "m" : "n", DataType::i32, {}));
    entry.outputs.push_back(tensor(model, name, DataType::i32, {}));
    in[i] = model.buffer(BufferKind::input, 1 + i, 4);
    out[i] = model.buffer(BufferKind::output, i, 4);
  }
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {64}));
  uint32_t sum = model.buffer(BufferKind::output, 2, 256),
           add = model.kernel("add", 3, 2);
  model.program().body = model.block();
  for (uint32_t i = 0; i < 2; ++i)
    copyWhole(model, in[i], out[i], 0);
  for (uint32_t i = 0; i < 2; ++i)
    countBy(model, i, out[i]);
  uint32_t less = model.expression(ExpressionKind::mul, model.symbol(1),
                                   model.constant(-1)),
           left = model.expression(ExpressionKind::add, model.symbol(0), less);
  addCounted(model, add, x, sum, left);
  return model;
}

Model test::countedBetweenModel() {
  Model model = countedTwoModel();
  auto &commands = model.program().blocks.front()->commands;
  std::swap(commands[3], commands[4]);
  return model;
}

Model test::countedChunkModel() {
  Model model = countedModel();
  model.manifest.symbols.push_back(sizeSymbol("rows", 1, 64));
  model.manifest.symbols.back()->source = SymbolSource::caller;
  model.manifest.entries.front()->given = {1};
  auto &commands = model.program().blocks.front()->commands;
  std::swap(commands[1], commands[2]);
  LaunchT &launch = *commands[1]->action.AsLaunch();
  launch.integers[0] = model.constant(64);
  launch.tiles = model.constant(4);
  launch.chunk = model.expression(
      ExpressionKind::add,
      model.expression(ExpressionKind::mod, model.symbol(1), model.constant(8)),
      model.expression(ExpressionKind::add, model.symbol(0),
                       model.constant(-64)));
  return model;
}

Model test::countedArenaModel() {
  Model model = countedModel();
  model.manifest.symbols.push_back(sizeSymbol("rows", 1, 64));
  EntryT &entry = *model.manifest.entries.front();
  auto add = [&](int64_t value, uint32_t lhs, uint32_t rhs,
                 ExpressionKind kind) {
    model.manifest.expressions.emplace_back(value, lhs, rhs, kind);
    return uint32_t(model.manifest.expressions.size() - 1);
  };
  uint32_t extent = add(0, add(1, 0, 0, ExpressionKind::symbol),
                        model.extent(16), ExpressionKind::mul);
  model.manifest.symbols.back()->source = SymbolSource::caller;
  entry.given = {1};
  entry.inputs.front()->shape = entry.outputs.back()->shape = {extent};
  auto times = [&](uint32_t left, int64_t right) {
    return model.expression(ExpressionKind::mul, left, model.constant(right));
  };
  ProgramT &program = model.program();
  uint32_t rows = model.symbol(1);
  program.buffers.front()->size = program.buffers.back()->size =
      times(rows, 64);
  uint32_t arena = model.arena(0);
  program.arenas.back()->size = times(rows, 4096);
  model.buffer(BufferKind::arena, arena, 0);
  program.buffers.back()->size = program.arenas.back()->size;
  auto &commands = program.blocks.front()->commands;
  std::swap(commands[1], commands[2]);
  LaunchT &launch = *commands[1]->action.AsLaunch();
  launch.integers[0] =
      model.expression(ExpressionKind::add, times(rows, 16),
                       model.expression(ExpressionKind::add, model.symbol(0),
                                        model.constant(-64)));
  launch.tiles = model.expression(ExpressionKind::ceildiv, launch.integers[0],
                                  model.constant(16));
  return model;
}

Model test::countedPlacedModel() {
  Model model = countedModel();
  model.requiredFeatures = {deviceCountsFeature};
  uint32_t sim = model.device(DeviceKind::sim, 0);
  LaunchT launch =
      *model.program().blocks.front()->commands.back()->action.AsLaunch();
  model.program().blocks.front()->commands.clear();
  uint32_t arena = model.arena(1024, sim),
           x = model.buffer(BufferKind::arena, arena, 256, 0, sim),
           n = model.buffer(BufferKind::arena, arena, 4, 256, sim),
           sum = model.buffer(BufferKind::arena, arena, 256, 512, sim);
  copyWhole(model, 1, 2, 0);
  copyWhole(model, 0, x, sim);
  copyWhole(model, 1, n, sim);
  countBy(model, 0, n, sim);
  launch.kernel = model.kernel("add", 3, 2, 0, DeviceKind::sim);
  launch.bindings = {model.bind(x, Access::read), model.bind(x, Access::read),
                     model.bind(sum, Access::write)};
  CommandT &command = model.command();
  command.queue = sim;
  command.action.Set(std::move(launch));
  copyWhole(model, sum, 3, sim);
  return model;
}
