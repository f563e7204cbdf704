//===- TestModels.cpp -----------------------------------------------------===//

#include "test/runtime/TestModels.h"

#include "runtime/format/ManifestVerifier.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

[[noreturn]] static void die(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

KernelImage KernelImage::read(const std::string &path) {
  KernelImage image;
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    die("cannot open " + path);
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    image.bytes.insert(image.bytes.end(), buffer, buffer + count);
  std::fclose(file);

  // The build made this file: it is well formed.
  const char *data = image.bytes.data();
  const auto &header = *reinterpret_cast<const Elf64_Ehdr *>(data);
  image.architecture = header.e_machine == EM_AARCH64 ? "aarch64" : "x86-64";
  const auto *sections =
      reinterpret_cast<const Elf64_Shdr *>(data + header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM)
      continue;
    const auto *symbols =
        reinterpret_cast<const Elf64_Sym *>(data + sections[i].sh_offset);
    const char *names = data + sections[sections[i].sh_link].sh_offset;
    for (size_t j = 0; j < sections[i].sh_size / sizeof(Elf64_Sym); ++j)
      if (ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC)
        image.functions[names + symbols[j].st_name] = {symbols[j].st_value,
                                                       symbols[j].st_size};
  }
  if (image.functions.empty())
    die("no functions in " + path);
  return image;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Model::Model() {
  devices.emplace_back(DeviceKind::cpu, 0);
  auto queue = std::make_unique<QueueT>();
  queue->name = "main";
  plan.queues.push_back(std::move(queue));
  manifest.name = "test";
  auto made = std::make_unique<KeyValueT>();
  made->key = "compiler";
  made->value = "by hand";
  manifest.provenance.push_back(std::move(made));
}

uint32_t Model::constant(int64_t value) {
  for (uint32_t i = 0; i < plan.expressions.size(); ++i)
    if (plan.expressions[i].kind() == ExpressionKind::constant &&
        plan.expressions[i].value() == value)
      return i;
  plan.expressions.emplace_back(value, 0, 0, ExpressionKind::constant);
  return static_cast<uint32_t>(plan.expressions.size() - 1);
}

uint32_t Model::symbol(uint32_t index) {
  plan.expressions.emplace_back(index, 0, 0, ExpressionKind::symbol);
  return static_cast<uint32_t>(plan.expressions.size() - 1);
}

uint32_t Model::expression(ExpressionKind kind, uint32_t lhs, uint32_t rhs) {
  plan.expressions.emplace_back(0, lhs, rhs, kind);
  return static_cast<uint32_t>(plan.expressions.size() - 1);
}

uint32_t Model::extent(int64_t value) {
  manifest.expressions.emplace_back(value, 0, 0, ExpressionKind::constant);
  return static_cast<uint32_t>(manifest.expressions.size() - 1);
}

uint32_t Model::kernel(const std::string &name, uint16_t bindings,
                       uint16_t integers, uint64_t scratch, DeviceKind device) {
  for (uint32_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].name == name && kernels[i].device == device)
      return i;
  kernels.push_back({name, bindings, integers, scratch, {}, nullptr, device});
  return static_cast<uint32_t>(kernels.size() - 1);
}

uint32_t Model::customCall(const std::string &name, CustomCallT call) {
  NamedKernel kernel = {name, 0, 0, 0, {}, nullptr, DeviceKind::cpu};
  kernel.bindings =
      static_cast<uint16_t>(call.operands.size() + call.results.size());
  for (uint16_t i = 0; i < call.results.size(); ++i)
    if (call.results[i]->alias != none)
      kernel.inPlace.emplace_back(
          static_cast<uint16_t>(call.operands.size() + i),
          static_cast<uint16_t>(call.results[i]->alias));
  call.target = name;
  kernel.customCall = std::make_shared<CustomCallT>(std::move(call));
  kernels.push_back(std::move(kernel));
  requiredFeatures = {"custom-calls"};
  return static_cast<uint32_t>(kernels.size() - 1);
}

uint32_t Model::device(DeviceKind kind, uint32_t ordinal) {
  devices.emplace_back(kind, ordinal);
  auto queue = std::make_unique<QueueT>();
  queue->device = static_cast<uint16_t>(devices.size() - 1);
  plan.queues.push_back(std::move(queue));
  return static_cast<uint32_t>(devices.size() - 1);
}

static MemorySpace spaceOf(DeviceKind kind) {
  return kind == DeviceKind::cpu ? MemorySpace::host : MemorySpace::device;
}

uint32_t Model::memory(std::vector<std::unique_ptr<MemoryT>> &memories,
                       int64_t size, uint32_t device) {
  auto memory = std::make_unique<MemoryT>();
  memory->device = static_cast<uint16_t>(device);
  memory->space = spaceOf(devices[device].first);
  memory->size = constant(size);
  memories.push_back(std::move(memory));
  return static_cast<uint32_t>(memories.size() - 1);
}

uint32_t Model::buffer(BufferKind kind, uint32_t index, int64_t size,
                       int64_t offset, uint32_t device) {
  auto buffer = std::make_unique<BufferT>();
  buffer->device = static_cast<uint16_t>(device);
  buffer->space = spaceOf(devices[device].first);
  buffer->kind = kind;
  buffer->index = index;
  buffer->size = constant(size);
  buffer->offset = constant(offset);
  current->buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(current->buffers.size() - 1);
}

Binding Model::bind(uint32_t buffer, Access access) {
  return Binding(buffer, constant(0), none, access);
}

EntryT &Model::entry(const std::string &name) {
  auto entry = std::make_unique<EntryT>();
  entry->name = name;
  manifest.entries.push_back(std::move(entry));
  auto program = std::make_unique<ProgramT>();
  program->entry = static_cast<uint32_t>(manifest.entries.size() - 1);
  plan.programs.push_back(std::move(program));
  current = plan.programs.back().get();
  return *manifest.entries.back();
}

uint32_t Model::block() {
  current->blocks.push_back(std::make_unique<BlockT>());
  return static_cast<uint32_t>(current->blocks.size() - 1);
}

CommandT &Model::command() {
  current->blocks.back()->commands.push_back(std::make_unique<CommandT>());
  return *current->blocks.back()->commands.back();
}

LaunchT &Model::launch(uint32_t kernel, std::vector<Binding> bindings,
                       std::vector<int64_t> integers, int64_t tiles,
                       int64_t chunk) {
  LaunchT launch;
  launch.kernel = kernel;
  launch.bindings = std::move(bindings);
  for (int64_t value : integers)
    launch.integers.push_back(constant(value));
  launch.tiles = constant(tiles);
  launch.chunk = constant(chunk);
  CommandT &added = command();
  added.action.Set(std::move(launch));
  return *added.action.AsLaunch();
}

void Model::addWeight(const std::string &name,
                      const std::vector<float> &values) {
  weights.push_back({name, values});
}

Error Model::write(const KernelImage &image, ArtifactWriter &writer) const {
  for (const NamedWeight &weight : weights) {
    WeightT described;
    described.symbol = weight.symbol;
    described.dtype = DataType::f32;
    described.shape = {static_cast<int64_t>(weight.values.size())};
    uint32_t index = 0;
    if (Error error =
            writer.addWeight(std::move(described), weight.values.data(),
                             weight.values.size() * 4, index))
      return error;
  }
  uint32_t code = 0, planSection = 0;
  if (Error error =
          writer.addCode(image.bytes.data(), image.bytes.size(), code))
    return error;
  if (Error error = writer.addPlan(plan, planSection))
    return error;

  // The tables hold pointers: to copy one, go through its packed form.
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Manifest::Pack(builder, &manifest));
  ManifestT finished;
  flatbuffers::GetRoot<Manifest>(builder.GetBufferPointer())
      ->UnPackTo(&finished);
  for (const char *name : {"plain", "impossible"}) {
    auto variant = std::make_unique<VariantT>();
    variant->name = name;
    variant->required_features = requiredFeatures;
    variant->preference = 1;
    std::vector<DeviceKind> kinds; // by image
    for (auto [kind, ordinal] : devices) {
      auto device = std::make_unique<DeviceT>();
      device->kind = kind;
      device->ordinal = ordinal;
      variant->devices.push_back(std::move(device));
      if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
        continue;
      kinds.push_back(kind);
      auto described = std::make_unique<ImageT>();
      described->device = kind;
      described->section = code;
      described->architecture = image.architecture;
      variant->images.push_back(std::move(described));
    }
    if (std::string(name) == "impossible") {
      variant->images[0]->features = {"no-such-feature"};
      variant->preference = 2;
    }
    variant->plan = planSection;
    for (const NamedKernel &kernel : kernels) {
      auto described = std::make_unique<KernelT>();
      auto function = image.functions.find(kernel.name);
      described->name = kernel.name;
      if (kernel.customCall) {
        described->custom_call =
            std::make_unique<CustomCallT>(*kernel.customCall);
      } else if (function == image.functions.end()) {
        die("no function " + kernel.name);
      } else {
        CpuLaunchT launch;
        launch.offset = function->second.first;
        launch.size = function->second.second;
        launch.scratch = kernel.scratch;
        described->launch.Set(std::move(launch));
        described->image = static_cast<uint32_t>(
            std::find(kinds.begin(), kinds.end(), kernel.device) -
            kinds.begin());
      }
      described->bindings = kernel.bindings;
      described->integers = kernel.integers;
      described->in_place = kernel.inPlace;
      variant->kernels.push_back(std::move(described));
    }
    if (changeVariant)
      changeVariant(*variant);
    finished.variants.push_back(std::move(variant));
  }
  return writer.finish(std::move(finished));
}

Error Model::write(const KernelImage &image, const std::string &path) const {
  ArtifactWriter writer;
  if (Error error = writer.open(path))
    return error;
  return write(image, writer);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static std::unique_ptr<TensorT> tensor(Model &model, const char *name,
                                       DataType dtype,
                                       std::vector<int64_t> shape) {
  auto result = std::make_unique<TensorT>();
  result->name = name;
  result->dtype = dtype;
  for (int64_t extent : shape)
    result->shape.push_back(model.extent(extent));
  return result;
}

Model test::additionModel() {
  Model model;
  std::vector<float> weight(1000);
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = 0.5f * float(i);
  model.addWeight("bias", weight);
  model.addWeight("unused", {1, 2, 3});
  model.manifest.nodes = {"Add_0", "Add_1", "Add_2"};

  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "left", DataType::f32, {10, 100}));
  entry.inputs.push_back(tensor(model, "right", DataType::f32, {10, 100}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {10, 100}));
  model.arena(8192);
  uint32_t left = model.buffer(BufferKind::input, 0, 4000);
  uint32_t right = model.buffer(BufferKind::input, 1, 4000);
  uint32_t bias = model.buffer(BufferKind::weight, 0, 4000);
  uint32_t first = model.buffer(BufferKind::arena, 0, 4000);
  uint32_t second = model.buffer(BufferKind::arena, 0, 4000); // in place
  uint32_t sum = model.buffer(BufferKind::output, 0, 4000);
  uint32_t add = model.kernel("add", 3, 2);
  model.kernels[add].inPlace = {InPlace(2, 0), InPlace(2, 1)};
  model.program().body = model.block();
  auto step = [&](uint32_t a, uint32_t b, uint32_t out, uint32_t node) {
    LaunchT &launch =
        model.launch(add,
                     {model.bind(a, Access::read), model.bind(b, Access::read),
                      model.bind(out, Access::write)},
                     {1000, 125}, 8);
    launch.operations = model.constant(1000);
    launch.traffic = model.constant(12000);
    model.program().blocks.back()->commands.back()->nodes = {node};
  };
  step(left, right, first, 0);
  step(first, bias, second, 1);
  step(second, left, sum, 2);

  model.entry("empty");
  model.program().body = model.block();
  return model;
}

/// Adds a copy of whole buffers on a queue.
static CommandT &copyWhole(Model &model, uint32_t source, uint32_t target,
                           uint32_t queue) {
  CopyT copy;
  copy.source = std::make_unique<Binding>(model.bind(source, Access::read));
  copy.target = std::make_unique<Binding>(model.bind(target, Access::write));
  CommandT &command = model.command();
  command.queue = queue;
  command.action.Set(std::move(copy));
  return command;
}

Model test::placedModel() {
  Model model;
  std::vector<float> weight(1000);
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = 0.5f * float(i);
  model.addWeight("bias", weight);
  uint32_t sim0 = model.device(DeviceKind::sim, 0),
           sim1 = model.device(DeviceKind::sim, 1);

  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "left", DataType::f32, {10, 100}));
  entry.inputs.push_back(tensor(model, "right", DataType::f32, {10, 100}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {10, 100}));
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

Model test::stateModel() {
  Model model;
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
  model.plan.states.emplace_back(0, MemorySpace::host);
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
    uint32_t counters = model.buffer(BufferKind::state, 0, 32);
    uint32_t output = model.buffer(BufferKind::output, 0, 32);
    model.program().body = model.block();
    if (writes)
      model.launch(model.kernel("count", 1, 2),
                   {model.bind(counters, Access::read_write)}, {8, 4}, 2);
    copyWhole(model, counters, output, 0);
  }
  return model;
}

Model test::subnormalModel(bool flush) {
  Model model;
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "left", DataType::f32, {1000}));
  entry.inputs.push_back(tensor(model, "right", DataType::f32, {1000}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, {1000}));
  uint32_t left = model.buffer(BufferKind::input, 0, 4000);
  uint32_t right = model.buffer(BufferKind::input, 1, 4000);
  uint32_t sum = model.buffer(BufferKind::output, 0, 4000);
  uint32_t add = model.kernel("add", 3, 2);
  model.program().body = model.block();
  model.launch(add,
               {model.bind(left, Access::read), model.bind(right, Access::read),
                model.bind(sum, Access::write)},
               {1000, 10}, 100);
  model.manifest.flush_subnormals = flush;
  if (flush)
    model.manifest.required_features.push_back(flushFeature);
  return model;
}

Model test::largeModel() {
  Model model;
  model.addWeight("large", std::vector<float>(size_t(4) << 20, 1.0f));
  model.entry("main");
  model.program().body = model.block();
  return model;
}

Model test::churnModel(int64_t rounds) {
  Model model;
  EntryT &entry = model.entry("main");
  entry.outputs.push_back(tensor(model, "numbers", DataType::i32, {4096}));
  uint32_t numbers = model.buffer(BufferKind::output, 0, 4096 * 4);
  uint32_t churn = model.kernel("churn", 1, 3);
  model.program().body = model.block();
  model.launch(churn, {model.bind(numbers, Access::write)}, {4096, 64, rounds},
               64);
  return model;
}

Model test::stepsModel() {
  Model model;
  EntryT &entry = model.entry("main");
  entry.outputs.push_back(tensor(model, "counters", DataType::i32, {2}));
  uint32_t counters = model.buffer(BufferKind::output, 0, 8);
  uint32_t count = model.kernel("count", 1, 2);
  model.program().body = model.block();
  FillT fill;
  fill.target = std::make_unique<Binding>(model.bind(counters, Access::write));
  model.command().action.Set(std::move(fill));
  for (int i = 0; i < 200; ++i)
    model.launch(count, {model.bind(counters, Access::read_write)}, {2, 1}, 2);
  return model;
}

Model test::deepModel() {
  Model model;
  EntryT &entry = model.entry("main");
  entry.outputs.push_back(tensor(model, "counters", DataType::i32, {2}));
  uint32_t counters = model.buffer(BufferKind::output, 0, 8);
  uint32_t count = model.kernel("count", 1, 2);
  model.program().body = model.block();
  FillT fill;
  fill.target = std::make_unique<Binding>(model.bind(counters, Access::write));
  model.command().action.Set(std::move(fill));
  for (uint32_t depth = 1; depth < maximumBlockDepth; ++depth) {
    LoopT loop;
    loop.trips = model.constant(depth + 1 < maximumBlockDepth ? 1 : 3);
    loop.body = depth;
    model.command().action.Set(std::move(loop));
    model.block();
  }
  model.launch(count, {model.bind(counters, Access::read_write)}, {2, 1}, 2);
  return model;
}

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
    FillT fill;
    fill.target = std::make_unique<Binding>(model.bind(buffer, Access::write));
    fill.pattern = pattern;
    fill.pattern_bytes = bytes;
    model.command().action.Set(std::move(fill));
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

Model test::donatedModel() {
  Model model;
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "before", DataType::i32, {64}));
  entry.inputs.push_back(tensor(model, "other", DataType::i32, {64}));
  entry.outputs.push_back(tensor(model, "after", DataType::i32, {64}));
  entry.outputs.push_back(tensor(model, "copied", DataType::i32, {64}));
  entry.outputs[0]->alias = 0;
  uint32_t before = model.buffer(BufferKind::input, 0, 256);
  uint32_t after = model.buffer(BufferKind::output, 0, 256);
  uint32_t copied = model.buffer(BufferKind::output, 1, 256);
  uint32_t count = model.kernel("count", 1, 2);
  model.program().body = model.block();
  CopyT copy;
  copy.source = std::make_unique<Binding>(model.bind(before, Access::read));
  copy.target = std::make_unique<Binding>(model.bind(copied, Access::write));
  model.command().action.Set(std::move(copy));
  model.launch(count, {model.bind(after, Access::read_write)}, {64, 16}, 4);
  return model;
}

static std::unique_ptr<AttributeT> attribute(const char *name,
                                             AttributeKind kind) {
  auto result = std::make_unique<AttributeT>();
  result->name = name;
  result->kind = kind;
  return result;
}

Model test::customModel() {
  Model model;
  model.manifest.nodes = {"first", "round"};
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "x", DataType::f32, {2, 3}));
  entry.outputs.push_back(tensor(model, "sum", DataType::f64, {}));
  entry.outputs.push_back(tensor(model, "signs", DataType::i1, {2, 3}));
  model.arena(128);
  uint32_t x = model.buffer(BufferKind::input, 0, 24);
  uint32_t sum = model.buffer(BufferKind::output, 0, 8);
  uint32_t signs = model.buffer(BufferKind::output, 1, 6);
  uint32_t state = model.buffer(BufferKind::arena, 0, 24);
  uint32_t nothing = model.buffer(BufferKind::arena, 0, 0, 64);

  CustomCallT affine;
  affine.api_version = 4;
  affine.operands.push_back(tensor(model, "", DataType::f32, {2, 3}));
  affine.results.push_back(tensor(model, "", DataType::f32, {2, 3}));
  auto add = [&](std::unique_ptr<AttributeT> made) -> AttributeT & {
    affine.attributes.push_back(std::move(made));
    return *affine.attributes.back();
  };
  add(attribute("bias", AttributeKind::real)).reals = {0.5};
  add(attribute("exact", AttributeKind::boolean)).integers = {1};
  add(attribute("factor", AttributeKind::integer)).integers = {3};
  AttributeT &list = add(attribute("list", AttributeKind::integer));
  list.is_array = true;
  list.integers = {-1, INT64_MAX};
  AttributeT &names = add(attribute("names", AttributeKind::text));
  names.is_array = true;
  names.texts = {"a", std::string("b\0c", 3)};
  add(attribute("none", AttributeKind::real)).is_array = true;
  uint32_t first = model.customCall("affine", std::move(affine));

  CustomCallT step;
  step.api_version = 1;
  step.has_side_effect = true;
  step.backend_config = "by two";
  step.operands.push_back(tensor(model, "", DataType::f32, {0, 7}));
  auto carried = tensor(model, "", DataType::f32, {2, 3});
  step.results.push_back(tensor(model, "", DataType::f32, {}));
  step.results[0]->shape = carried->shape;
  step.results[0]->alias = 1;
  step.operands.push_back(std::move(carried));
  uint32_t again = model.customCall("step", std::move(step));

  CustomCallT finish;
  finish.operands.push_back(tensor(model, "", DataType::f32, {2, 3}));
  finish.results.push_back(tensor(model, "", DataType::f64, {}));
  finish.results.push_back(tensor(model, "", DataType::i1, {2, 3}));
  uint32_t last = model.customCall("finish", std::move(finish));

  auto read = [&](uint32_t buffer) { return model.bind(buffer, Access::read); };
  auto write = [&](uint32_t buffer) {
    return model.bind(buffer, Access::write);
  };
  model.program().body = model.block();
  model.launch(first, {read(x), write(state)}, {}, 1);
  model.program().blocks.back()->commands.back()->nodes = {0};
  LoopT loop;
  loop.body = 1;
  loop.trips = model.constant(3);
  model.command().action.Set(std::move(loop));
  model.launch(last, {read(state), write(sum), write(signs)}, {}, 1);
  model.block();
  model.launch(again, {read(nothing), read(state), write(state)}, {}, 1);
  model.program().blocks.back()->commands.back()->nodes = {1};
  return model;
}

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

static std::unique_ptr<SymbolT> sizeSymbol(const char *name, int64_t minimum,
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

Model test::openModel() {
  std::vector<std::unique_ptr<SymbolT>> symbols;
  for (const char *name : {"rows", "columns"})
    symbols.push_back(sizeSymbol(name, 0, int64_t(1) << 20));
  return boundedSum(std::move(symbols), 0);
}
