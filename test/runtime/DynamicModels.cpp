// Models whose sizes calls choose.

#include "test/runtime/ModelParts.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

/// sum = left + right of two dimensions: the sizes of `symbols`, which each
/// call chooses, then `columns` if they are one.
static Model boundedSum(std::vector<std::unique_ptr<SymbolT>> symbols,
                        int64_t columns) {
  Model model;
  auto count = static_cast<uint32_t>(symbols.size());
  model.manifest.symbols = std::move(symbols);
  for (uint32_t i = 0; i < count; ++i)
    model.manifest.expressions.emplace_back(i, 0, 0, ExpressionKind::symbol);
  EntryT &entry = model.entry("main");
  for (const char *name : {"left", "right", "sum"}) {
    auto described = tensor(model, name, DataType::f32, {});
    described->shape = {0, count > 1 ? 1 : model.extent(columns)};
    (std::string(name) == "sum" ? entry.outputs : entry.inputs)
        .push_back(std::move(described));
  }
  uint32_t elements =
      model.expression(ExpressionKind::mul, model.symbol(0),
                       count > 1 ? model.symbol(1) : model.constant(columns));
  uint32_t bytes =
      model.expression(ExpressionKind::mul, elements, model.constant(4));
  uint32_t buffers[3];
  for (uint32_t i = 0; i < 3; ++i) {
    buffers[i] =
        model.buffer(i < 2 ? BufferKind::input : BufferKind::output, i % 2, 0);
    model.program().buffers.back()->size = bytes;
  }
  uint32_t add = model.kernel("add", 3, 2);
  model.program().body = model.block();
  LaunchT &launch = model.launch(add,
                                 {model.bind(buffers[0], Access::read),
                                  model.bind(buffers[1], Access::read),
                                  model.bind(buffers[2], Access::write)},
                                 {0, 16}, 0);
  launch.integers[0] = elements;
  launch.tiles =
      model.expression(ExpressionKind::ceildiv, elements, model.constant(16));
  return model;
}

std::unique_ptr<SymbolT> test::sizeSymbol(const char *name, int64_t minimum,
                                          int64_t maximum) {
  auto symbol = std::make_unique<SymbolT>();
  symbol->name = name;
  symbol->minimum = minimum;
  symbol->maximum = maximum;
  return symbol;
}

Model test::dynamicModel() {
  std::vector<std::unique_ptr<SymbolT>> symbols;
  symbols.push_back(sizeSymbol("batch", 1, 64));
  return boundedSum(std::move(symbols), 4);
}

Model test::sizedArenaModel() {
  Model model = dynamicModel();
  ProgramT &program = model.program();
  LaunchT &first = *program.blocks.front()->commands.front()->action.AsLaunch();
  uint32_t bytes = program.buffers.front()->size;
  uint32_t units =
      model.expression(ExpressionKind::ceildiv, bytes, model.constant(64));
  uint32_t rounded =
      model.expression(ExpressionKind::mul, units, model.constant(64));
  uint32_t parts[2];
  uint32_t arena = model.arena(0);
  program.arenas.back()->size =
      model.expression(ExpressionKind::mul, rounded, model.constant(2));
  for (uint32_t i = 0; i < 2; ++i) {
    parts[i] = model.buffer(BufferKind::arena, arena, 0);
    program.buffers.back()->size = bytes;
    if (i)
      program.buffers.back()->offset = rounded;
  }
  LaunchT like = first;
  auto add = [&](uint32_t left, uint32_t right, uint32_t sum) {
    LaunchT &launch = model.launch(like.kernel,
                                   {model.bind(left, Access::read),
                                    model.bind(right, Access::read),
                                    model.bind(sum, Access::write)},
                                   {0, 16}, 0);
    launch.integers = like.integers;
    launch.tiles = like.tiles;
  };
  first.bindings[2] = model.bind(parts[0], Access::write);
  add(parts[0], 1, parts[1]);
  add(parts[0], parts[1], 2);
  return model;
}

Model test::vastArenaModel() {
  Model model = sizedArenaModel();
  model.manifest.symbols.front()->maximum = int64_t(1) << 41;
  return model;
}

Model test::sizedScratchModel(int64_t most) {
  Model model = sizedArenaModel();
  model.kernels.front().scratch = static_cast<uint64_t>(most);
  auto &commands = model.program().blocks.front()->commands;
  uint32_t elements = commands.front()->action.AsLaunch()->integers[0];
  for (auto &command : commands)
    command->action.AsLaunch()->scratch =
        model.expression(ExpressionKind::mul, elements, model.constant(1024));
  return model;
}

Model test::manySizesModel() {
  Model model = sizedArenaModel();
  auto &commands = model.program().blocks.front()->commands;
  LaunchT second = *commands[1]->action.AsLaunch();
  for (int64_t i = 1; i <= 664; ++i) {
    LaunchT launch = second;
    uint32_t more = model.expression(ExpressionKind::add, launch.integers[0],
                                     model.constant(i));
    launch.integers[0] =
        model.expression(ExpressionKind::add, more, model.constant(-i));
    auto command = std::make_unique<CommandT>();
    command->action.Set(std::move(launch));
    commands.insert(commands.begin() + 2, std::move(command));
  }
  return model;
}

Model test::overlappingModel() {
  Model model = sizedArenaModel();
  model.program().buffers.back()->offset = model.constant(64);
  return model;
}

Model test::selectModel() {
  Model model;
  model.manifest.symbols.push_back(sizeSymbol("n", 1, 64));
  model.manifest.expressions.emplace_back(0, 0, 0, ExpressionKind::symbol);
  EntryT &entry = model.entry("main");
  for (auto *list : {&entry.inputs, &entry.outputs}) {
    list->push_back(tensor(model, list == &entry.inputs ? "x" : "numbers",
                           DataType::i32, {}));
    list->back()->shape = {0};
  }
  uint32_t n = model.symbol(0);
  uint32_t bytes = model.expression(ExpressionKind::mul, n, model.constant(4));
  uint32_t count = model.kernel("count", 1, 2),
           countTen = model.kernel("count_ten", 1, 2);
  uint32_t x = 0, numbers = 1;
  auto begin = [&] {
    for (BufferKind kind : {BufferKind::input, BufferKind::output}) {
      model.buffer(kind, 0, 0);
      model.current->buffers.back()->size = bytes;
    }
    model.program().body = model.block();
    copyWhole(model, x, numbers, 0);
  };
  auto launch = [&](uint32_t kernel) -> LaunchT & {
    LaunchT &launch = model.launch(
        kernel, {model.bind(numbers, Access::read_write)}, {0, 16}, 4);
    launch.integers[0] = n;
    return launch;
  };
  begin();
  LaunchT &selected = launch(count);
  selected.alternatives = {countTen};
  selected.selector =
      model.expression(ExpressionKind::equal, n, model.constant(2));
  model.program().guard =
      model.expression(ExpressionKind::less, n, model.constant(3));

  model.plan.programs.push_back(std::make_unique<ProgramT>());
  model.current = model.plan.programs.back().get();
  begin();
  BranchT branch;
  branch.value = model.expression(ExpressionKind::add, n, model.constant(-3));
  branch.blocks = {1, 2, 3};
  model.command().action.Set(std::move(branch));
  model.block();
  launch(count);
  for (int rounds : {1, 2}) {
    model.block();
    for (int i = 0; i < rounds; ++i)
      launch(countTen);
  }
  return model;
}

Model test::halvedModel() {
  Model model;
  model.manifest.symbols.push_back(sizeSymbol("n", 1, 64));
  model.manifest.expressions.emplace_back(0, 0, 0, ExpressionKind::symbol);
  EntryT &entry = model.entry("main");
  auto add = [&](ExpressionKind kind, uint32_t lhs, int64_t right) {
    uint32_t rhs = model.extent(right);
    model.manifest.expressions.emplace_back(0, lhs, rhs, kind);
    return uint32_t(model.manifest.expressions.size() - 1);
  };
  entry.inputs.push_back(tensor(model, "before", DataType::i32, {}));
  entry.inputs.back()->shape = {0};
  entry.outputs.push_back(tensor(model, "after", DataType::i32, {}));
  entry.outputs.back()->shape = {add(ExpressionKind::ceildiv, 0, 2)};
  entry.outputs.back()->alias = 0;
  model.program().body = model.block();
  return model;
}

Model test::openModel() {
  std::vector<std::unique_ptr<SymbolT>> symbols;
  for (const char *name : {"rows", "columns"})
    symbols.push_back(sizeSymbol(name, 0, int64_t(1) << 20));
  return boundedSum(std::move(symbols), 0);
}

Model test::besideModel() {
  Model model = openModel();
  auto described = tensor(model, "beside", DataType::f32, {});
  described->shape = {model.extent(8)};
  model.manifest.entries.front()->inputs.push_back(std::move(described));
  return model;
}

Model test::solvedModel() {
  std::vector<std::unique_ptr<SymbolT>> symbols;
  symbols.push_back(sizeSymbol("rows", 2, 64));
  symbols.back()->multiple = 2;
  Model model = boundedSum(std::move(symbols), 4);
  model.manifest.symbols.push_back(sizeSymbol("past", 0, 8));
  model.manifest.symbols.push_back(sizeSymbol("limit", 0, 9));
  model.manifest.symbols.back()->source = SymbolSource::caller;
  auto add = [](std::vector<Expression> &table, ExpressionKind kind,
                uint32_t lhs, uint32_t rhs, int64_t value = 0) {
    table.emplace_back(value, lhs, rhs, kind);
    return static_cast<uint32_t>(table.size() - 1);
  };
  EntryT &entry = *model.manifest.entries.front();
  std::vector<Expression> &table = model.manifest.expressions;
  uint32_t past = add(table, ExpressionKind::symbol, 0, 0, 1);
  uint32_t triple = add(table, ExpressionKind::mul, past, model.extent(3));
  uint32_t both = add(table, ExpressionKind::add, triple, 0);
  both = add(table, ExpressionKind::add, both, model.extent(1));
  entry.inputs.push_back(tensor(model, "mask", DataType::i8, {}));
  entry.inputs.back()->shape = {both};
  // past = (mask.0 - rows - 1) / 3. Three symbols and two shapes stand before
  // the extent of the mask.
  std::vector<Expression> &solving = entry.solving;
  uint32_t minus = add(solving, ExpressionKind::constant, 0, 0, -1);
  uint32_t rows = add(solving, ExpressionKind::symbol, 0, 0, 0);
  rows = add(solving, ExpressionKind::mul, rows, minus);
  uint32_t rest = add(solving, ExpressionKind::symbol, 0, 0, 3 + 2 + 2);
  rest = add(solving, ExpressionKind::add, rest, rows);
  rest = add(solving, ExpressionKind::add, rest, minus);
  uint32_t three = add(solving, ExpressionKind::constant, 0, 0, 3);
  entry.solutions.emplace_back(
      1, add(solving, ExpressionKind::floordiv, rest, three), 2, 0);
  entry.given = {2};
  auto assume = [&](const char *text, uint32_t zero, uint32_t node) {
    auto assumption = std::make_unique<AssumptionT>();
    assumption->text = text;
    assumption->zero = zero;
    assumption->node = node;
    entry.assumptions.push_back(std::move(assumption));
  };
  uint32_t limit = add(table, ExpressionKind::symbol, 0, 0, 2);
  uint32_t less = add(table, ExpressionKind::mul, limit, model.extent(-1));
  model.manifest.nodes = {"embed", "attend"};
  assume("past = limit", add(table, ExpressionKind::add, past, less), 1);
  assume("past <= 4", add(table, ExpressionKind::less, model.extent(4), past),
         none);
  model.manifest.required_features = {"size-assumptions"};
  return model;
}
