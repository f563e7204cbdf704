// Programs of several ranks with one fault each, which the verifiers name; and
// the parts of tensors.

#include "runtime/format/Collectives.h"
#include "FaultyPlans.h"
#include "runtime/format/RankWeights.h"

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

/// y = the sum of x over pairs of four ranks: f32[8, 6], cut into [4, 3].
static Model pairModel() {
  Model model;
  model.manifest.required_features = {"ranks"};
  model.manifest.ranks = 4;
  EntryT &entry = model.entry("main");
  for (auto *list : {&entry.inputs, &entry.outputs}) {
    list->push_back(tensor(model, "x", DataType::f32, {4, 3}));
    list->back()->whole = {8, 6};
    list->back()->cuts = {Cut(0, 2, 2), Cut(1, 2, 1)};
  }
  uint32_t x = model.buffer(BufferKind::input, 0, 48),
           y = model.buffer(BufferKind::output, 0, 48);
  model.program().body = model.block();
  CollectiveT sum;
  sum.dtype = DataType::f32;
  sum.source = std::make_unique<Binding>(model.bind(x, Access::read));
  sum.target = std::make_unique<Binding>(model.bind(y, Access::write));
  for (int64_t rank : {0, 2, 1, 3})
    sum.group.push_back(model.constant(rank));
  sum.group_size = 2;
  model.command().action.Set(std::move(sum));
  return model;
}

/// Adds a buffer for the weights of ranks, by their numbers: two of 8 bytes and
/// one of 4.
static void addRankWeights(Model &model, std::vector<uint32_t> numbers) {
  model.addWeight("even", {0, 2});
  model.addWeight("odd", {1, 3});
  model.addWeight("short", {4});
  model.buffer(BufferKind::weight, 0, 8);
  model.current->buffers.back()->weights = std::move(numbers);
}

static void setMesh(Model &model, const std::vector<uint32_t> &sizes) {
  for (uint32_t size : sizes) {
    model.manifest.mesh.push_back(std::make_unique<MeshAxisT>());
    model.manifest.mesh.back()->size = size;
  }
}

static CollectiveT &sumOf(Model &model) {
  return *model.program().blocks[0]->commands[0]->action.AsCollective();
}

static void check(const std::vector<Case> &cases) { check(cases, pairModel); }

TEST(Collectives, GoodProgram) {
  EXPECT_EQ(verify(pairModel()), "");
  Model model = pairModel();
  addRankWeights(model, {0, 1, 1, 0});
  setMesh(model, {2, 1, 2});
  EXPECT_EQ(verify(model), "");
}

TEST(Collectives, WeightsOfRanks) {
  check({
      {"has weights of 2 ranks, of which there are 4",
       [](Model &m) { addRankWeights(m, {0, 1}); }},
      {"has weights of 4 ranks, of which there are 0", // init has none
       [](Model &m) {
         m.plan.init = std::make_unique<ProgramT>();
         m.plan.init->entry = none;
         m.current = m.plan.init.get();
         m.block();
         addRankWeights(m, {0, 1, 1, 0});
       }},
      {"has another weight than its first rank",
       [](Model &m) { addRankWeights(m, {1, 0, 0, 1}); }},
      {"has weights of several sizes",
       [](Model &m) { addRankWeights(m, {0, 1, 2, 0}); }},
      {"has weights of several sizes", // there is no such weight
       [](Model &m) { addRankWeights(m, {0, 1, 3, 0}); }},
  });
}

TEST(Collectives, Commands) {
  check({
      {"collective 'all_reduce' has rank 2 in its groups twice",
       [](Model &m) { sumOf(m).group[3] = m.constant(2); }},
      {"has rank 4 in a group, there are 4",
       [](Model &m) { sumOf(m).group[3] = m.constant(4); }},
      {"has rank -1 in a group",
       [](Model &m) { sumOf(m).group[3] = m.constant(-1); }},
      {"has an unknown rank in a group",
       [](Model &m) { sumOf(m).group[3] = 9999; }},
      {"has no proper groups for 4 ranks",
       [](Model &m) { sumOf(m).group.pop_back(); }},
      {"has no proper groups for 4 ranks", // two ranks are in none
       [](Model &m) { sumOf(m).group.resize(2); }},
      {"has no proper groups for 4 ranks",
       [](Model &m) { sumOf(m).group_size = 0; }},
      {"has no proper groups for 4 ranks",
       [](Model &m) { sumOf(m).group_size = 3; }},
      {"has no proper groups for 4 ranks",
       [](Model &m) {
         sumOf(m).kind = CollectiveKind::permute;
         sumOf(m).group_size = 4;
       }},
      {"collective 'permute' has rank 3 in its groups twice",
       [](Model &m) {
         sumOf(m).kind = CollectiveKind::permute;
         sumOf(m).group = {m.constant(0), m.constant(3), m.constant(1),
                           m.constant(3)};
       }},
      {"is a barrier, which this version of heddle does not have",
       [](Model &m) { sumOf(m).kind = CollectiveKind::barrier; }},
      {"is of no known kind",
       [](Model &m) { sumOf(m).kind = static_cast<CollectiveKind>(77); }},
      {"is of no known kind",
       [](Model &m) { sumOf(m).reduction = static_cast<ReductionKind>(9); }},
      {"has no proper element type",
       [](Model &m) { sumOf(m).dtype = DataType::none; }},
      {"joins elements of type f32 by 'disjunction'",
       [](Model &m) { sumOf(m).reduction = ReductionKind::disjunction; }},
      {"joins elements of type i1 by 'sum'",
       [](Model &m) { sumOf(m).dtype = DataType::i1; }},
      {"joins elements of type f8e5m2 by 'sum'",
       [](Model &m) { sumOf(m).dtype = DataType::f8e5m2; }},
      {"joins elements of type c64 by 'sum'",
       [](Model &m) { sumOf(m).dtype = DataType::c64; }},
      {"takes 48 bytes and gives 48 in groups of 2",
       [](Model &m) { sumOf(m).kind = CollectiveKind::all_gather; }},
      {"takes 48 bytes and gives 48 in groups of 2",
       [](Model &m) { sumOf(m).kind = CollectiveKind::reduce_scatter; }},
      {"takes 48 bytes and gives 48 in groups of 4", // of 16 bytes each
       [](Model &m) {
         sumOf(m).kind = CollectiveKind::all_to_all;
         sumOf(m).dtype = DataType::c128;
         sumOf(m).group_size = 4;
       }},
      {"does not begin at an element",
       [](Model &m) {
         *sumOf(m).source =
             Binding(0, m.constant(2), m.constant(40), Access::read);
       }},
      {"writes its source or reads its target",
       [](Model &m) { *sumOf(m).target = m.bind(1, Access::read_write); }},
      {"is in a file of one rank",
       [](Model &m) {
         m.manifest.ranks = 1;
         for (auto *list : {&m.manifest.entries[0]->inputs,
                            &m.manifest.entries[0]->outputs}) {
           list->front()->whole.clear();
           list->front()->cuts.clear();
         }
       }},
      {"writes the rank's number to what is no integer of 4 bytes",
       [](Model &m) {
         RankT rank;
         rank.target = std::make_unique<Binding>(*sumOf(m).target);
         m.command().action.Set(std::move(rank));
       }},
      // The target holds the value, the source must hold one.
      {"do not hold",
       [](Model &m) {
         m.arena(64);
         uint32_t nothing = m.buffer(BufferKind::arena, 0, 48);
         *sumOf(m).source = m.bind(nothing, Access::read);
       }},
      {"has a source and a target that overlap",
       [](Model &m) {
         m.arena(128);
         uint32_t both = m.buffer(BufferKind::arena, 0, 48);
         *sumOf(m).source = m.bind(both, Access::read);
         *sumOf(m).target = m.bind(both, Access::write);
       }},
  });
}

TEST(Collectives, Manifest) {
  check({
      {"for several ranks without saying",
       [](Model &m) { m.manifest.required_features.clear(); }},
      {"it is for 0 ranks", [](Model &m) { m.manifest.ranks = 0; }},
      {"it is for 65537 ranks", [](Model &m) { m.manifest.ranks = 65537; }},
      {"it is for several ranks, and calls choose sizes",
       [](Model &m) {
         m.manifest.symbols.push_back(sizeSymbol("batch", 1, 4));
       }},
      {"no proper places", [](Model &m) { m.manifest.places = {0, 1, 2}; }},
      {"no proper places", [](Model &m) { m.manifest.places = {0, 1, 2, 2}; }},
      {"no proper places", [](Model &m) { m.manifest.places = {0, 1, 2, 4}; }},
      {"its mesh has another number of places than there are ranks",
       [](Model &m) { setMesh(m, {2, 3}); }},
      {"its mesh has another number of places than there are ranks",
       [](Model &m) { setMesh(m, {4, 0, 1}); }},
      {"its mesh has another number of places than there are ranks",
       [](Model &m) { setMesh(m, {0xffffffff, 0xffffffff, 4}); }},
      {"is cut, but has no whole",
       [](Model &m) { m.manifest.entries[0]->inputs[0]->whole.clear(); }},
      {"a whole of another number of dimensions",
       [](Model &m) { m.manifest.entries[0]->inputs[0]->whole = {8}; }},
      {"is cut where it cannot be",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->cuts = {Cut(2, 2, 1)};
       }},
      {"is cut where it cannot be",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->cuts = {Cut(0, 2, 0)};
       }},
      {"into more parts than there are ranks",
       [](Model &m) {
         m.manifest.entries[0]->inputs[0]->cuts.emplace_back(0, 4, 1);
       }},
      {"has parts that are no rank's", // two cuts read the same digit
       [](Model &m) {
         m.manifest.entries[0]->outputs[0]->cuts = {Cut(0, 2, 2), Cut(1, 2, 2)};
       }},
      {"has parts that are no rank's", // all places have the same digit
       [](Model &m) {
         m.manifest.entries[0]->outputs[0]->cuts = {Cut(0, 2, 4), Cut(1, 2, 1)};
       }},
      {"parts of another size than its cuts give",
       [](Model &m) { m.manifest.entries[0]->outputs[0]->whole = {9, 6}; }},
      {"parts of another size than its cuts give",
       [](Model &m) { m.manifest.entries[0]->outputs[0]->whole = {-8, 6}; }},
  });
}

/// Sub-axes nest, what lies beyond the tensor is no part of it, and a place may
/// have nothing.
TEST(Collectives, Parts) {
  TensorT described;
  described.whole = {5, 7};
  described.cuts = {Cut(0, 2, 4), Cut(0, 2, 1), Cut(1, 2, 2)};
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Tensor::Pack(builder, &described));
  const auto &tensor =
      *flatbuffers::GetRoot<Tensor>(builder.GetBufferPointer());
  auto part = [&](uint32_t place) { return partAt(tensor, {2, 4}, place); };
  EXPECT_EQ(part(0).begin, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(part(0).inside, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(part(3).begin, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(part(3).inside, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(part(4).begin, (std::vector<int64_t>{4, 0}));
  EXPECT_EQ(part(4).inside, (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(part(7).inside, (std::vector<int64_t>{0, 3}));
}

/// Cuts along axes, along a part of one, along two, and along none that is
/// known.
TEST(Collectives, AxesOfCuts) {
  auto textOf = [](std::vector<Cut> cuts, bool hasMesh) {
    ManifestT manifest;
    manifest.ranks = 8;
    for (auto [name, size] : {std::pair("data", 4u), std::pair("model", 2u)}) {
      if (!hasMesh)
        continue;
      manifest.mesh.push_back(std::make_unique<MeshAxisT>());
      manifest.mesh.back()->name = name;
      manifest.mesh.back()->size = size;
    }
    manifest.entries.push_back(std::make_unique<EntryT>());
    auto tensor = std::make_unique<TensorT>();
    tensor->shape = {0, 0, 0};
    tensor->cuts = std::move(cuts);
    manifest.entries.back()->inputs.push_back(std::move(tensor));
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(Manifest::Pack(builder, &manifest));
    const auto &packed =
        *flatbuffers::GetRoot<Manifest>(builder.GetBufferPointer());
    return shardingText(packed, *packed.entries()->Get(0)->inputs()->Get(0));
  };
  EXPECT_EQ(textOf({}, true), "[{}, {}, {}]");
  EXPECT_EQ(textOf({Cut(0, 4, 2), Cut(2, 2, 1)}, true),
            "[{\"data\"}, {}, {\"model\"}]");
  EXPECT_EQ(textOf({Cut(1, 2, 1), Cut(1, 4, 2), Cut(0, 1, 1)}, true),
            "[{}, {\"model\", \"data\"}, {}]");
  EXPECT_EQ(textOf({Cut(0, 2, 2), Cut(1, 2, 4)}, true),
            "[{\"data\":(2)2}, {\"data\":(1)2}, {}]");
  EXPECT_EQ(textOf({Cut(0, 2, 1)}, false), "[{\"?\"}, {}, {}]");
}

/// A weight counts once for each rank that reads it, in whichever buffers.
TEST(Collectives, BytesOfRankWeights) {
  ManifestT manifest;
  manifest.ranks = 4;
  for (uint64_t size : {100, 20, 3, 7}) {
    manifest.weights.push_back(std::make_unique<WeightT>());
    manifest.weights.back()->size = size;
  }
  PlanT plan;
  auto add = [&](std::vector<uint32_t> weights) {
    auto buffer = std::make_unique<BufferT>();
    buffer->kind = BufferKind::weight;
    buffer->index = weights.front();
    if (weights.size() > 1)
      buffer->weights = std::move(weights);
    plan.programs.back()->buffers.push_back(std::move(buffer));
  };
  plan.programs.push_back(std::make_unique<ProgramT>());
  add({0});
  add({1, 2, 1, 2});
  plan.programs.push_back(std::make_unique<ProgramT>());
  add({1, 2, 1, 3});
  add({0, 0, 3, 3});
  flatbuffers::FlatBufferBuilder manifests, plans;
  manifests.Finish(Manifest::Pack(manifests, &manifest));
  plans.Finish(Plan::Pack(plans, &plan));
  EXPECT_EQ(rankWeightBytes(
                *flatbuffers::GetRoot<Manifest>(manifests.GetBufferPointer()),
                *flatbuffers::GetRoot<Plan>(plans.GetBufferPointer())),
            (std::vector<uint64_t>{120, 103, 127, 110}));
}
