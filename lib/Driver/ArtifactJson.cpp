// The description of an artifact as JSON, for programs.

#include "heddle/Driver/ArtifactDescription.h"

using namespace heddle;
using namespace llvm;

/// A list of descriptions, each as `one` has it.
template <typename List, typename One>
static json::Array listOf(const List &list, One one) {
  json::Array array;
  for (const auto &each : list)
    array.push_back(one(each));
  return array;
}

static json::Object toJson(const TensorDescription &tensor) {
  json::Object object{{"name", json::fixUTF8(tensor.name)},
                      {"dtype", tensor.dtype},
                      {"shape", json::Array(tensor.shape)}};
  if (tensor.least != tensor.shape)
    object["shape_min"] = json::Array(tensor.least);
  if (!tensor.whole.empty())
    object["whole"] = json::Array(tensor.whole);
  return object;
}

static json::Object toJson(const StateDescription &state) {
  json::Object object{{"name", json::fixUTF8(state.name)},
                      {"dtype", state.dtype},
                      {"shape", json::Array(state.shape)},
                      {"changed", state.isChanged}};
  if (!state.length.empty())
    object["length"] = json::fixUTF8(state.length);
  if (state.dimension)
    object["dimension"] = *state.dimension;
  return object;
}

static json::Object toJson(const SizeDescription &size) {
  return json::Object{{"name", json::fixUTF8(size.name)},
                      {"minimum", size.least},
                      {"maximum", size.largest},
                      {"multiple", size.multiple},
                      {"computed", size.isComputed}};
}

static json::Object toJson(const AssumptionDescription &assumption) {
  json::Object object{{"text", json::fixUTF8(assumption.text)}};
  if (!assumption.node.empty())
    object["node"] = json::fixUTF8(assumption.node);
  return object;
}

static json::Object toJson(const EntryDescription &entry) {
  auto one = [](const auto &each) { return toJson(each); };
  auto utf8 = [](const std::string &text) { return json::fixUTF8(text); };
  return json::Object{{"name", json::fixUTF8(entry.name)},
                      {"inputs", listOf(entry.inputs, one)},
                      {"outputs", listOf(entry.outputs, one)},
                      {"states", listOf(entry.states, one)},
                      {"given_sizes", listOf(entry.given, utf8)},
                      {"assumptions", listOf(entry.assumptions, one)}};
}

static json::Object toJson(const WeightDescription &weight) {
  json::Object object{{"symbol", json::fixUTF8(weight.symbol)},
                      {"dtype", weight.dtype},
                      {"shape", json::Array(weight.shape)},
                      {"bytes", int64_t(weight.bytes)},
                      {"packing", json::fixUTF8(weight.packing)},
                      {"source", json::fixUTF8(weight.source)}};
  if (!weight.packing.empty()) {
    object["format"] = weight.format;
    object["logical_shape"] = json::Array(weight.logicalShape);
  }
  if (!weight.block.empty()) {
    object["block"] = json::Array(weight.block);
    object["scale"] = json::fixUTF8(weight.scale);
    if (!weight.zeroPoint.empty())
      object["zero_point"] = json::fixUTF8(weight.zeroPoint);
  }
  return object;
}

static json::Object toJson(const CustomCallDescription &call) {
  auto tensor = [](const TensorDescription &each) {
    json::Object object{{"dtype", each.dtype},
                        {"shape", json::Array(each.shape)}};
    if (each.alias)
      object["operand"] = int64_t(*each.alias);
    return object;
  };
  return json::Object{{"name", json::fixUTF8(call.target)},
                      {"operands", listOf(call.operands, tensor)},
                      {"results", listOf(call.results, tensor)},
                      {"side_effect", call.hasSideEffect},
                      {"api_version", call.apiVersion},
                      {"attributes", json::Object(call.attributes)},
                      {"backend_config", json::fixUTF8(call.backendConfig)},
                      {"steps", int64_t(call.steps)}};
}

static json::Object toJson(const KernelDescription &kernel) {
  auto utf8 = [](const std::string &text) { return json::fixUTF8(text); };
  return json::Object{{"name", json::fixUTF8(kernel.name)},
                      {"identity", kernel.identity},
                      {"code_bytes", int64_t(kernel.codeBytes)},
                      {"scratch_bytes", int64_t(kernel.scratchBytes)},
                      {"devices", json::Array(kernel.devices)},
                      {"launches", int64_t(kernel.launches)},
                      {"operations", kernel.operations},
                      {"traffic_bytes", kernel.traffic},
                      {"nodes", listOf(kernel.nodes, utf8)},
                      {"design", listOf(kernel.design, utf8)}};
}

static json::Object toJson(const TargetDescription &target) {
  if (!target.needs.empty())
    return json::Object{{"name", json::fixUTF8(target.name)},
                        {"needs", target.needs}};
  auto kernel = [](const KernelDescription &each) { return toJson(each); };
  auto home = [](const auto &each) {
    return json::Object{{"name", json::fixUTF8(each.first)},
                        {"device", each.second}};
  };
  auto utf8 = [](const std::string &text) { return json::fixUTF8(text); };
  return json::Object{
      {"name", json::fixUTF8(target.name)},
      {"laid_out_at_load", listOf(target.laidOut, utf8)},
      {"kernels", listOf(target.kernels, kernel)},
      {"devices", json::Array(target.devices)},
      {"queues", json::Array(target.queues)},
      {"states", listOf(target.stateHomes, home)},
      {"code_bytes", int64_t(target.codeBytes)},
      {"weight_bytes", int64_t(target.weightBytes)},
      {"own_weight_bytes", int64_t(target.ownWeightBytes)},
      {"launches", int64_t(target.launches)},
      {"copies", int64_t(target.copies)},
      {"fills", int64_t(target.fills)},
      {"collectives", int64_t(target.collectives)},
      {"operations", target.operations},
      {"bf16_pairs_flush_subnormals", target.pairsFlushSubnormals},
      {"arena_bytes", target.arenaBytes},
      {"persistent_bytes", target.persistentBytes}};
}

json::Object heddle::toJson(const ArtifactDescription &artifact) {
  auto one = [](const auto &each) { return ::toJson(each); };
  auto pairs = [](const auto &list) {
    json::Object object;
    for (const auto &[key, value] : list)
      object[json::fixUTF8(key)] = json::fixUTF8(value);
    return object;
  };
  auto utf8 = [](const std::string &text) { return json::fixUTF8(text); };
  return json::Object{
      {"kind", "artifact"},
      {"flushes_subnormals", artifact.flushesSubnormals},
      {"ranks", int64_t(artifact.ranks)},
      {"bytes", int64_t(artifact.bytes)},
      {"model", json::fixUTF8(artifact.model)},
      {"sizes", listOf(artifact.sizes, one)},
      {"entries", listOf(artifact.entries, one)},
      {"custom_calls", listOf(artifact.customCalls, one)},
      {"weights", listOf(artifact.weights, one)},
      {"weight_bytes", int64_t(artifact.weightBytes)},
      {"shared_weight_bytes", int64_t(artifact.sharedWeightBytes)},
      {"targets", listOf(artifact.targets, one)},
      {"nodes", listOf(artifact.nodes, utf8)},
      {"provenance", pairs(artifact.provenance)},
      {"records", pairs(artifact.records)}};
}
