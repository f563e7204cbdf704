// Models of one device.

#include "test/runtime/ModelParts.h"

#include "runtime/format/ManifestTables.h"
#include "runtime/format/RecordKeys.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

Model test::additionModel() {
  Model model;
  addBias(model);
  model.addWeight("unused", {1, 2, 3});
  model.manifest.nodes = {"Add_0", "Add_1", "Add_2"};

  addSumEntry(model, {10, 100});
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
  copyWhole(model, before, copied, 0);
  model.launch(count, {model.bind(after, Access::read_write)}, {64, 16}, 4);
  return model;
}

Model test::subnormalModel(bool flush) {
  Model model;
  addSumEntry(model, {1000});
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

/// Adds what `pairs` of a manifest say of a key.
static void say(std::vector<std::unique_ptr<KeyValueT>> &pairs, const char *key,
                const char *value) {
  auto pair = std::make_unique<KeyValueT>();
  pair->key = key;
  pair->value = value;
  pairs.push_back(std::move(pair));
}

Model test::loweredModel(const char *tiers) {
  Model model = subnormalModel(/*flush=*/false);
  say(model.manifest.provenance, precisionKey, "bf16 in 1 of 1");
  if (*tiers)
    say(model.manifest.records, precisionTiersKey, tiers);
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

namespace {
/// An output of two counters that begin at 0.
struct Counters {
  explicit Counters(Model &model) {
    EntryT &entry = model.entry("main");
    entry.outputs.push_back(tensor(model, "counters", DataType::i32, {2}));
    buffer = model.buffer(BufferKind::output, 0, 8);
    kernel = model.kernel("count", 1, 2);
    model.program().body = model.block();
    fillWhole(model, buffer, 0, 1, 0);
  }
  /// Adds a launch that counts both on.
  void count(Model &model) const {
    model.launch(kernel, {model.bind(buffer, Access::read_write)}, {2, 1}, 2);
  }
  uint32_t buffer, kernel;
};
} // namespace

Model test::stepsModel() {
  Model model;
  Counters counters(model);
  for (int i = 0; i < 200; ++i)
    counters.count(model);
  return model;
}

Model test::deepModel() {
  Model model;
  Counters counters(model);
  model.arena(64);
  uint32_t refilled = model.buffer(BufferKind::arena, 0, 8, 0);
  uint32_t replacing = model.buffer(BufferKind::arena, 0, 8, 0);
  for (uint32_t depth = 1; depth < maximumBlockDepth; ++depth) {
    fillWhole(model, refilled, 1, 4, 0);
    LoopT loop;
    loop.trips = model.constant(depth + 1 < maximumBlockDepth ? 1 : 3);
    loop.body = depth;
    model.command().action.Set(std::move(loop));
    model.block();
  }
  fillWhole(model, replacing, 2, 4, 0);
  counters.count(model);
  return model;
}
