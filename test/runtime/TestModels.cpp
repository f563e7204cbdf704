// Artifacts by hand: how one is put together.

#include "test/runtime/ModelParts.h"

#include "runtime/format/ManifestTables.h"

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

static std::vector<char> readBytes(const std::string &path) {
  std::vector<char> bytes;
  FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    die("cannot open " + path);
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    bytes.insert(bytes.end(), buffer, buffer + count);
  std::fclose(file);
  return bytes;
}

KernelImage KernelImage::readGrid(const std::string &path) {
  KernelImage image;
  image.architecture = "sm_80";
  image.bytes = readBytes(path);
  image.bytes.push_back('\0');
  std::string text = image.bytes.data(), entry = ".entry ";
  for (size_t at = 0; (at = text.find(entry, at)) != std::string::npos;) {
    at += entry.size();
    image.functions[text.substr(at, text.find('(', at) - at)] = {};
  }
  return image;
}

KernelImage KernelImage::read(const std::string &path) {
  KernelImage image;
  image.bytes = readBytes(path);

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
  uint32_t gridCode = 0;
  if (grid)
    if (Error error =
            writer.addCode(grid->bytes.data(), grid->bytes.size(), gridCode))
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
      if (kind == DeviceKind::cuda) {
        described->format = CodeFormat::ptx;
        described->section = gridCode;
        described->architecture = grid->architecture;
      }
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
        if (kernel.device == DeviceKind::cuda) {
          GpuLaunchT launch;
          launch.block = {32, 1, 1};
          described->launch.Set(std::move(launch));
        } else {
          CpuLaunchT launch;
          launch.offset = function->second.first;
          launch.size = function->second.second;
          launch.scratch = kernel.scratch;
          described->launch.Set(std::move(launch));
        }
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
// Parts that models share
//===----------------------------------------------------------------------===//

std::unique_ptr<TensorT> test::tensor(Model &model, const char *name,
                                      DataType dtype,
                                      std::vector<int64_t> shape) {
  auto result = std::make_unique<TensorT>();
  result->name = name;
  result->dtype = dtype;
  for (int64_t extent : shape)
    result->shape.push_back(model.extent(extent));
  return result;
}

void test::addBias(Model &model) {
  std::vector<float> weight(1000);
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = 0.5f * float(i);
  model.addWeight("bias", weight);
}

void test::addSumEntry(Model &model, const std::vector<int64_t> &shape) {
  EntryT &entry = model.entry("main");
  entry.inputs.push_back(tensor(model, "left", DataType::f32, shape));
  entry.inputs.push_back(tensor(model, "right", DataType::f32, shape));
  entry.outputs.push_back(tensor(model, "sum", DataType::f32, shape));
}

CommandT &test::copyWhole(Model &model, uint32_t source, uint32_t target,
                          uint32_t queue) {
  CopyT copy;
  copy.source = std::make_unique<Binding>(model.bind(source, Access::read));
  copy.target = std::make_unique<Binding>(model.bind(target, Access::write));
  CommandT &command = model.command();
  command.queue = queue;
  command.action.Set(std::move(copy));
  return command;
}

CommandT &test::fillWhole(Model &model, uint32_t target, uint64_t pattern,
                          uint8_t bytes, uint32_t queue) {
  FillT fill;
  fill.target = std::make_unique<Binding>(model.bind(target, Access::write));
  fill.pattern = pattern;
  fill.pattern_bytes = bytes;
  CommandT &command = model.command();
  command.queue = queue;
  command.action.Set(std::move(fill));
  return command;
}
