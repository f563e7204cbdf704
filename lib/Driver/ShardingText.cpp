// What `heddle inspect --sharding` shows, as a table and as JSON.

#include "ShardingDescription.h"

#include "heddle/Driver/ArtifactDescription.h"
#include "heddle/Driver/PhaseLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatAdapters.h"

#include <map>

using namespace heddle;
using namespace llvm;

/// "[{data}, {}]"
static std::string axesText(const ShardedTensor &tensor) {
  return "[" +
         join(map_range(tensor.axes,
                        [](const std::vector<std::string> &axes) {
                          return "{" + join(axes, ", ") + "}";
                        }),
              ", ") +
         "]";
}

/// "data, model"; "nothing" of a group of one.
static std::string alongText(ArrayRef<std::string> axes) {
  return axes.empty() ? "nothing" : join(axes, ", ");
}

static void print(raw_ostream &os, const ShardedTensor &tensor) {
  printName(os, tensor.kind, tensor.name, tensor.dtype)
      << left_justify(shapeText(tensor.whole), 14) << " "
      << left_justify(axesText(tensor), 20) << " "
      << left_justify(shapeText(tensor.part), 14)
      << right_justify(formatBytes(tensor.partBytes), 10) << " of "
      << formatBytes(tensor.wholeBytes) << "\n";
}

static void print(raw_ostream &os, const ShardedCollective &collective) {
  os << "  " << collective.kind;
  if (!collective.reduction.empty())
    os << " " << collective.reduction;
  os << " " << collective.dtype << " along " << alongText(collective.axes)
     << ", groups of " << collective.groupSize << ": "
     << formatBytes(collective.sourceBytes) << ", a device sends "
     << formatBytes(collective.sentBytes);
  if (collective.isNested)
    os << ", each time its block runs";
  if (!collective.nodes.empty())
    os << "  ; " << join(collective.nodes, ", ");
  os << "\n";
}

/// Bytes that a rank sends in one run of each block, by axes.
static std::map<std::string, int64_t>
sentBytes(const ShardingDescription &description) {
  std::map<std::string, int64_t> sent;
  for (const ShardedCollective &collective : description.collectives)
    sent[alongText(collective.axes)] += collective.sentBytes;
  return sent;
}

void heddle::printSharding(raw_ostream &os,
                           const ShardingDescription &description) {
  os << "mesh";
  ListSeparator comma(",");
  for (const auto &[name, size] : description.mesh)
    os << comma << " " << name << "=" << size;
  os << ": " << description.ranks
     << (description.ranks == 1 ? " device\n" : " devices\n");
  os << "tensors, their axes, and the part of a device:\n";
  for (const ShardedTensor &tensor : description.tensors)
    print(os, tensor);
  if (!description.weightBytes.empty())
    os << "a device reads "
       << formatBytes(*max_element(description.weightBytes)) << " of weights\n";
  os << "collectives: " << description.collectives.size() << "\n";
  for (const ShardedCollective &collective : description.collectives)
    print(os, collective);
  for (const auto &[axes, bytes] : sentBytes(description))
    os << "a device sends " << formatBytes(bytes) << " along " << axes << "\n";
}

/// An artifact may have names that are no UTF-8.
static json::Array namesToJson(ArrayRef<std::string> names) {
  json::Array array;
  for (const std::string &name : names)
    array.push_back(json::fixUTF8(name));
  return array;
}

static json::Object toJson(const ShardedTensor &tensor) {
  json::Array axes;
  for (const std::vector<std::string> &dimension : tensor.axes)
    axes.push_back(namesToJson(dimension));
  return json::Object{{"kind", tensor.kind},
                      {"name", json::fixUTF8(tensor.name)},
                      {"dtype", tensor.dtype},
                      {"whole", json::Array(tensor.whole)},
                      {"axes", std::move(axes)},
                      {"part", json::Array(tensor.part)},
                      {"whole_bytes", int64_t(tensor.wholeBytes)},
                      {"part_bytes", int64_t(tensor.partBytes)}};
}

static json::Object toJson(const ShardedCollective &collective) {
  return json::Object{{"entry", json::fixUTF8(collective.entry)},
                      {"kind", collective.kind},
                      {"reduction", collective.reduction},
                      {"dtype", collective.dtype},
                      {"axes", namesToJson(collective.axes)},
                      {"group_size", int64_t(collective.groupSize)},
                      {"nested", collective.isNested},
                      {"source_bytes", collective.sourceBytes},
                      {"sent_bytes", collective.sentBytes},
                      {"nodes", namesToJson(collective.nodes)}};
}

json::Object heddle::toJson(const ShardingDescription &description) {
  json::Array mesh, tensors, collectives;
  for (const auto &[name, size] : description.mesh)
    mesh.push_back(
        json::Object{{"axis", json::fixUTF8(name)}, {"size", int64_t(size)}});
  for (const ShardedTensor &tensor : description.tensors)
    tensors.push_back(::toJson(tensor));
  for (const ShardedCollective &collective : description.collectives)
    collectives.push_back(::toJson(collective));
  json::Object sent;
  for (const auto &[axes, bytes] : sentBytes(description))
    sent[json::fixUTF8(axes)] = bytes;
  return json::Object{
      {"ranks", int64_t(description.ranks)},
      {"mesh", std::move(mesh)},
      {"tensors", std::move(tensors)},
      {"rank_weight_bytes", json::Array(description.weightBytes)},
      {"collectives", std::move(collectives)},
      {"sent_bytes", std::move(sent)}};
}
