// Reads the tensors of a call of ranks, and checks each as a context's are.

#include "runtime/RankTensors.h"

#include "runtime/format/ManifestTables.h"

#include <algorithm>
#include <tuple>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

RankTensors::RankTensors(const EntrySpec &given, uint32_t count)
    : entry(given), wholes(given), ranks(count) {
  for (std::vector<TensorSpec> *specs : {&wholes.inputs, &wholes.outputs})
    for (TensorSpec &spec : *specs)
      if (!spec.whole.empty())
        spec.leastShape = spec.largestShape = spec.whole;
  tensors.resize(entry.inputs.size() + entry.outputs.size());
  parts.resize(tensors.size() * ranks);
  ranges.reserve(parts.size());
}

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

Error RankTensors::readOne(size_t tensor, const TensorSpec &wanted,
                           const heddle_tensor *given, heddle_tensor &into) {
  const char *kind = kindOf(tensor);
  if (Error error = readTensor(given, kind, wanted, into))
    return error;
  if (into.out_shape)
    return tensorError(HEDDLE_ARGUMENT_INVALID, kind, wanted,
                       "has out_shape; the sizes of ranks are fixed");
  if (into.device)
    return {HEDDLE_TENSOR_DEVICE, "ranks take tensors in the process's memory"};
  return checkTensor(kind, wanted, into, /*dynamic=*/false);
}

Error RankTensors::readParts(size_t tensor, const heddle_tensor *const *given) {
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (Error error = readOne(tensor, spec(tensor), given[rank],
                              parts[tensor * ranks + rank]))
      return {error.code(),
              "rank " + std::to_string(rank) + ": " + error.message()};
  return {};
}

Error RankTensors::readList(const RankTensorList &list, size_t first) {
  for (size_t i = 0; i < list.count; ++i) {
    RankTensorList::Item item = list.at(list.list, i);
    Given &into = tensors[first + i];
    into.isParted = !item.whole && item.parts;
    if (Error error = into.isParted
                          ? readParts(first + i, item.parts)
                          : readOne(first + i, specOf(wholes, first + i),
                                    item.whole, into.whole))
      return error;
  }
  return {};
}

Error RankTensors::read(const RankTensorList &inputs,
                        const RankTensorList &outputs) {
  if (Error error = checkCounts(entry, inputs.count, outputs.count))
    return error;
  if (Error error = readList(inputs, 0))
    return error;
  if (Error error = readList(outputs, inputs.count))
    return error;
  return checkOverlap();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Error RankTensors::overlap(const Range &one, const Range &other) const {
  // An output is what is wrong, and of two the later one.
  bool swaps = isInput(one.tensor) ||
               (!isInput(other.tensor) && other.tensor > one.tensor);
  auto name = [&](const Range &range) {
    return std::string(kindOf(range.tensor)) + " '" + spec(range.tensor).name +
           "'" +
           (range.rank == ranks ? ""
                                : " of rank " + std::to_string(range.rank));
  };
  return {HEDDLE_TENSOR_OVERLAP, name(swaps ? other : one) +
                                     " shares memory with " +
                                     name(swaps ? one : other)};
}

/// No output shares memory with another tensor: ranks still read inputs when
/// others have their results.
Error RankTensors::checkOverlap() {
  ranges.clear();
  auto add = [&](size_t tensor, uint32_t rank, const void *data,
                 const std::vector<int64_t> &shape) {
    auto bytes = denseBytes(spec(tensor).dtype, shape.data(), shape.size());
    auto begin = reinterpret_cast<uintptr_t>(data);
    if (bytes > 0)
      ranges.push_back({begin, begin + uintptr_t(bytes), tensor, rank});
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (isWhole(i))
      add(i, ranks, data(i), specOf(wholes, i).leastShape);
    for (uint32_t rank = 0; rank < ranks && !isWhole(i); ++rank)
      add(i, rank, data(i, rank), spec(i).leastShape);
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return std::tie(a.begin, a.tensor, a.rank) <
           std::tie(b.begin, b.tensor, b.rank);
  });
  // Of those that begin before: the one that reaches furthest, and the output
  // that does.
  const Range *furthest = nullptr, *furthestOutput = nullptr;
  for (const Range &range : ranges) {
    bool isOutput = !isInput(range.tensor);
    const Range *before = isOutput ? furthest : furthestOutput;
    if (before && before->end > range.begin)
      return overlap(range, *before);
    if (!furthest || range.end > furthest->end)
      furthest = &range;
    if (isOutput && (!furthestOutput || range.end > furthestOutput->end))
      furthestOutput = &range;
  }
  return {};
}
