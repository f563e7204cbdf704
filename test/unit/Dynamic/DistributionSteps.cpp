// Steps of several devices: only their types are looked at.

#include "test/unit/Dynamic/SizedProgram.h"

using namespace mlir;

namespace heddle::sized {

static NamedAttribute groups(SizedProgram &p) {
  auto type = RankedTensorType::get({1, 2}, p.builder.getI64Type());
  return p.named("replica_groups",
                 DenseIntElementsAttr::get(type, ArrayRef<int64_t>{0, 1}));
}

static bool allReduce(SizedProgram &p) {
  p.typesOnly = true;
  Value x = p.any(p.f32());
  return p.emit("stablehlo.all_reduce", {x, p.any(p.f32())}, groups(p), p.f32(),
                [&](OpBuilder &, OperationState &state) {
                  p.addCombiner(state, "stablehlo.add", p.f32());
                });
}

static bool allToAll(SizedProgram &p) {
  p.typesOnly = true;
  TrueShape shape = {p.extent() * 2, p.extent()};
  if (!p.fits(shape))
    return false;
  int64_t other = p.number(0, 1);
  return p.emit("stablehlo.all_to_all", p.like(shape, p.f32()),
                {p.integer("split_dimension", 0),
                 p.integer("concat_dimension", other),
                 p.integer("split_count", 2), groups(p)},
                p.f32());
}

static bool allGather(SizedProgram &p) {
  p.typesOnly = true;
  Value x = p.any(p.f32());
  int64_t along = p.number(0, p.rank(x) - 1);
  TrueShape shape = p.shape(x);
  shape[along] = shape[along] * 2;
  return p.fits(shape) &&
         p.tell("stablehlo.all_gather", x,
                {p.integer("all_gather_dim", along), groups(p)},
                p.type(shape, p.f32()));
}

static bool reduceScatter(SizedProgram &p) {
  p.typesOnly = true;
  TrueShape shape = {p.extent() * 2, p.extent()}, part = shape;
  part[0] = p.knownRanges().simplified(shape[0].floorDiv(2));
  return p.fits(shape) &&
         p.tell("stablehlo.reduce_scatter", p.like(shape, p.f32()),
                {p.integer("scatter_dimension", 0), groups(p)},
                p.type(part, p.f32()), [&](OpBuilder &, OperationState &state) {
                  p.addCombiner(state, "stablehlo.add", p.f32());
                });
}

static bool collectiveBroadcast(SizedProgram &p) {
  p.typesOnly = true;
  return p.emit("stablehlo.collective_broadcast", p.any(p.f32()), groups(p),
                p.f32());
}

static bool collectiveReduce(SizedProgram &p) {
  p.typesOnly = true;
  return p.emit("stablehlo.collective_reduce", p.any(p.f32()), groups(p),
                p.f32(), [&](OpBuilder &, OperationState &state) {
                  p.addCombiner(state, "stablehlo.add", p.f32());
                });
}

static bool permute(SizedProgram &p) {
  p.typesOnly = true;
  auto type = RankedTensorType::get({2, 2}, p.builder.getI64Type());
  return p.emit(
      "stablehlo.collective_permute", p.any(p.f32()),
      p.named("source_target_pairs",
              DenseIntElementsAttr::get(type, ArrayRef<int64_t>{0, 1, 1, 0})),
      p.f32());
}

ArrayRef<Step> distributionSteps() {
  static const Step steps[] = {
      {"stablehlo.all_reduce", allReduce, false},
      {"stablehlo.all_to_all", allToAll, false},
      {"stablehlo.all_gather", allGather, false},
      {"stablehlo.reduce_scatter", reduceScatter, false},
      {"stablehlo.collective_broadcast", collectiveBroadcast, false},
      {"stablehlo.collective_reduce", collectiveReduce, false},
      {"stablehlo.collective_permute", permute, false},
  };
  return steps;
}

} // namespace heddle::sized
